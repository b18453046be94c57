/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/pairing.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define EQUAL_CALLS    0.01 /* largest relative difference of equal numbers of calls */
#define MOST_STRANGERS 1000 /* of one stage; more are not paired */
#define LEAST_WORD     2
#define MOST_ROUNDS    4

/* ---- names ---- */

/* Returns the end of a tile size at `at`: "128x64x32", or "128, 64" in a list; NULL: none. */
static const char *tile_end(const char *at)
{
	const char *end = at + strspn(at, "0123456789"), *last = NULL;

	if (end == at)
		return NULL;
	for (;;) {
		const char *next = end;

		if (*next == 'x')
			next++;
		else if (*next == ',')
			next += 1 + (next[1] == ' ');
		else
			return last;
		if (!isdigit((unsigned char)*next))
			return last;
		end = last = next + strspn(next, "0123456789");
	}
}

/* Returns the length of a word at `at` whose number is a choice of the library as well; 0: none. */
static size_t choice_word(const char *at)
{
	static const char *const words[] = {"stages", "stage", "align"};

	for (size_t i = 0; i < WEIR_COUNT_OF(words); i++) {
		size_t length = strlen(words[i]);

		if (strncmp(at, words[i], length) == 0 && isdigit((unsigned char)at[length]))
			return length;
	}
	return 0;
}

bool weir_pairing_family(const char *name, struct weir_text *out)
{
	bool tiled = false;

	for (const char *at = name; *at;) {
		bool starts = at == name || !isdigit((unsigned char)at[-1]);
		const char *end = starts ? tile_end(at) : NULL;
		size_t word = choice_word(at);

		if (end) {
			tiled = true;
			weir_text_puts(out, "*");
			at = end;
		} else if (word > 0) {
			weir_text_add(out, at, word);
			weir_text_puts(out, "*");
			at += word + strspn(at + word, "0123456789");
		} else {
			weir_text_add(out, at++, 1);
		}
	}
	return tiled;
}

static size_t word_length(const char *at)
{
	size_t length = 0;

	while (isalpha((unsigned char)at[length]))
		length++;
	return length;
}

static bool same_word(const char *a, const char *b, size_t length)
{
	for (size_t i = 0; i < length; i++)
		if (tolower((unsigned char)a[i]) != tolower((unsigned char)b[i]))
			return false;
	return true;
}

static bool is_common_word(const char *word, size_t length)
{
	static const char *const common[] = {"aten", "at",     "native", "void",  "kernel",
	                                     "cuda", "triton", "fused",  "const", "float",
	                                     "int",  "poi",    "std",    "impl"};

	for (size_t i = 0; i < WEIR_COUNT_OF(common); i++)
		if (strlen(common[i]) == length && same_word(word, common[i], length))
			return true;
	return length < LEAST_WORD;
}

static bool has_word(const char *name, const char *word, size_t length)
{
	for (const char *at = name; *at;) {
		size_t own = word_length(at);

		if (own == length && same_word(at, word, length))
			return true;
		at += own ? own : 1;
	}
	return false;
}

bool weir_pairing_share_word(const char *a, const char *b)
{
	for (const char *at = a; *at;) {
		size_t length = word_length(at);

		if (length && !is_common_word(at, length) && has_word(b, at, length))
			return true;
		at += length ? length : 1;
	}
	return false;
}

/* ---- strangers ---- */

/* An operator that only one side has. */
struct stranger {
	struct weir_compared *item;
	double ns;                /* mean over runs of the median per iteration */
	size_t plausible;         /* number of strangers of the other side that may be the same */
	struct stranger *partner; /* the last of them; afterwards the one it is paired with */
	bool paired;
};

static double median_ns(const struct weir_comparing *comparing, const struct weir_compared *item)
{
	double sum = 0;
	size_t runs = 0;

	for (size_t r = 0; r < comparing->run_count; r++)
		if (item->series[r]) {
			sum += weir_median(item->series[r]->value, item->series[r]->count);
			runs++;
		}
	return runs ? sum / (double)runs : NAN;
}

static bool same_calls(const struct stranger *gone, const struct stranger *added)
{
	double before = gone->item->baseline_calls, after = added->item->candidate_calls;

	return fabs(before - after) <= EQUAL_CALLS * fmax(before, after);
}

static bool may_be_same(const struct stranger *gone, const struct stranger *added, bool by_word)
{
	bool known = !isnan(gone->item->baseline_calls) && !isnan(added->item->candidate_calls);

	if (gone->paired || added->paired || (known ? !same_calls(gone, added) : !by_word) ||
	    !(gone->ns > 0) || !(fabs(log(added->ns / gone->ns)) <= log(WEIR_PAIRING_TIME)))
		return false;
	return !by_word || weir_pairing_share_word(gone->item->name, added->item->name);
}

/* The strangers of one stage. */
struct strangers {
	struct stranger *gone, *added;
	size_t gone_count, added_count;
};

static void note_match(struct stranger *one, struct stranger *other)
{
	one->plausible++;
	one->partner = other;
}

/* Pairs strangers that have only each other. Returns true if it found a pair. */
static bool pair_once(struct strangers *in, bool by_word)
{
	bool found = false;

	for (size_t i = 0; i < in->gone_count; i++)
		in->gone[i].plausible = 0;
	for (size_t i = 0; i < in->added_count; i++)
		in->added[i].plausible = 0;
	for (size_t i = 0; i < in->gone_count; i++)
		for (size_t j = 0; j < in->added_count; j++)
			if (may_be_same(&in->gone[i], &in->added[j], by_word)) {
				note_match(&in->gone[i], &in->added[j]);
				note_match(&in->added[j], &in->gone[i]);
			}
	for (size_t i = 0; i < in->gone_count; i++) {
		struct stranger *gone = &in->gone[i];

		if (gone->paired || gone->plausible != 1 || gone->partner->plausible != 1)
			continue;
		gone->paired = gone->partner->paired = true;
		found = true;
	}
	return found;
}

/* ---- joining ---- */

/* Gives the series of the new name to the old one; the new name is left empty. */
static void join(struct weir_comparing *comparing, struct weir_compared *gone,
                 struct weir_compared *added)
{
	for (size_t r = 0; r < comparing->run_count; r++)
		gone->series[r] = gone->series[r] ? gone->series[r] : added->series[r];
	gone->renamed = added->name;
	gone->candidate_calls = added->candidate_calls;
	gone->candidate_present = added->candidate_present;
	added->candidate_present = 0; /* removed below */
}

/* Removes items that have no runs left. */
static void drop_empty(struct weir_compared_set *set)
{
	size_t kept = 0;

	for (size_t i = 0; i < set->count; i++) {
		if (set->items[i].baseline_present + set->items[i].candidate_present > 0)
			set->items[kept++] = set->items[i];
		else
			free(set->items[i].series);
	}
	set->count = kept;
}

static void pair_strangers(struct weir_comparing *comparing, struct strangers *in)
{
	bool found = true;

	for (int round = 0; round < MOST_ROUNDS && found; round++) {
		found = pair_once(in, true);
		found = pair_once(in, false) || found;
	}
	for (size_t i = 0; i < in->gone_count; i++)
		if (in->gone[i].paired)
			join(comparing, in->gone[i].item, in->gone[i].partner->item);
}

/* Every item here is present on at least one side: drop_empty() removes the others. */
static bool is_gone(const struct weir_compared *item)
{
	return item->candidate_present == 0;
}

static bool is_added(const struct weir_compared *item)
{
	return item->baseline_present == 0;
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

/* Pairs the strangers among the items first..end, which belong to one stage. */
static void pair_stage(struct weir_comparing *comparing, struct weir_compared **first,
                       struct weir_compared **end)
{
	size_t count = (size_t)(end - first);
	struct strangers in = {.gone = weir_alloc((count + 1) * sizeof *in.gone),
	                       .added = weir_alloc((count + 1) * sizeof *in.added)};

	for (struct weir_compared **at = first; at < end; at++) {
		struct stranger one = {.item = *at, .ns = median_ns(comparing, *at)};

		if (is_gone(*at))
			in.gone[in.gone_count++] = one;
		else if (is_added(*at))
			in.added[in.added_count++] = one;
	}
	if (in.gone_count <= MOST_STRANGERS && in.added_count <= MOST_STRANGERS)
		pair_strangers(comparing, &in);
	free(in.gone);
	free(in.added);
}

/* ---- families ---- */

/* A kernel and its family. */
struct relative {
	struct weir_compared *item;
	char *family;
};

static int by_family(const void *left, const void *right)
{
	const struct relative *a = left, *b = right;
	int order =
		strcmp(a->item->stage ? a->item->stage : "", b->item->stage ? b->item->stage : "");

	if (order == 0)
		order = strcmp(a->family, b->family);
	return order ? order : strcmp(a->item->name, b->item->name);
}

/* Adds the series of the relatives in one run into a new one; NULL: none, or of several lengths. */
static struct weir_series *sum_of(const struct relative *first, const struct relative *end,
                                  size_t run)
{
	struct weir_series *sum = NULL;

	for (const struct relative *at = first; at < end; at++) {
		const struct weir_series *series = at->item->series[run];

		if (!series)
			continue;
		if (!sum) {
			sum = weir_alloc(sizeof *sum);
			sum->value = weir_alloc((series->count + 1) * sizeof *sum->value);
			sum->count = sum->capacity = series->count;
		}
		if (sum->count != series->count) {
			free(sum->value);
			free(sum);
			return NULL;
		}
		for (size_t i = 0; i < series->count; i++)
			sum->value[i] += series->value[i];
	}
	return sum;
}

static double add_calls(double sum, double calls)
{
	return isnan(sum) ? calls : isnan(calls) ? sum : sum + calls;
}

/* Turns the first relative into the family, if the sums of all runs can be made; the others are
 * left empty. */
static void merge(struct weir_comparing *comparing, struct relative *first, struct relative *end)
{
	struct weir_compared *into = first->item;
	struct weir_arena *arena = comparing->result->arena;
	struct weir_series **sums = weir_alloc(comparing->run_count * sizeof(struct weir_series *));
	size_t before = 0, after = 0;
	bool sound = true;

	for (size_t r = 0; r < comparing->run_count; r++) {
		bool any = false;

		sums[r] = sum_of(first, end, r);
		for (const struct relative *at = first; at < end; at++)
			any = any || at->item->series[r];
		sound = sound && (sums[r] || !any);
	}
	for (size_t r = 0; r < comparing->run_count; r++) {
		if (!sums[r])
			continue;
		comparing->made =
			weir_grow(comparing->made, &comparing->made_capacity,
		                  comparing->made_count + 1, sizeof(struct weir_series *));
		comparing->made[comparing->made_count++] = sums[r];
		if (sound)
			into->series[r] = sums[r];
	}
	free(sums);
	if (!sound)
		return;
	for (struct relative *at = first; at < end; at++) {
		before += at->item->baseline_present > 0;
		after += at->item->candidate_present > 0;
		if (at == first)
			continue;
		into->baseline_calls = add_calls(into->baseline_calls, at->item->baseline_calls);
		into->candidate_calls = add_calls(into->candidate_calls, at->item->candidate_calls);
		at->item->baseline_present = at->item->candidate_present = 0;
	}
	into->name = weir_arena_copy(arena, first->family, strlen(first->family));
	into->scope = weir_arena_format(arena, "%s%s%s%s", weir_scope_word(into->kind),
	                                into->stage ? into->stage : "", into->stage ? "/" : "",
	                                into->name);
	into->family = weir_arena_format(arena, "%zu -> %zu kernels", before, after);
	into->baseline_present = before;
	into->candidate_present = after;
}

/* Joins or merges one family, if each side has a member that the other lacks. */
static void treat_family(struct weir_comparing *comparing, struct relative *first,
                         struct relative *end)
{
	struct weir_compared *gone = NULL, *added = NULL;
	size_t gone_count = 0, added_count = 0;
	bool same = false;

	for (struct relative *at = first; at < end; at++) {
		if (is_gone(at->item)) {
			gone = at->item;
			gone_count++;
		} else if (is_added(at->item)) {
			added = at->item;
			added_count++;
		}
	}
	if (!gone || !added)
		return;
	if (gone_count == 1 && added_count == 1) {
		const struct stranger before = {.item = gone}, after = {.item = added};

		same = same_calls(&before, &after) ||
		       (end - first == 2 && isnan(gone->baseline_calls) &&
		        isnan(added->candidate_calls));
	}
	if (same)
		join(comparing, gone, added);
	else
		merge(comparing, first, end);
}

static void treat_families(struct weir_comparing *comparing)
{
	struct weir_compared_set *set = &comparing->operators;
	struct relative *relatives = weir_alloc((set->count + 1) * sizeof *relatives);
	struct weir_text family = {0};
	size_t count = 0;

	for (size_t i = 0; i < set->count; i++) {
		weir_text_clear(&family);
		if (weir_pairing_family(set->items[i].name, &family))
			relatives[count++] = (struct relative){
				&set->items[i], weir_arena_copy(comparing->result->arena,
			                                        family.data, family.length)};
	}
	weir_text_release(&family);
	if (count > 1)
		qsort(relatives, count, sizeof *relatives, by_family);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count &&
		                  same_text(relatives[end].item->stage, relatives[i].item->stage) &&
		                  strcmp(relatives[end].family, relatives[i].family) == 0;)
			end++;
		treat_family(comparing, &relatives[i], &relatives[end]);
	}
	free(relatives);
}

/* ---- all operators ---- */

static int by_stage(const void *left, const void *right)
{
	const struct weir_compared *const *a = left, *const *b = right;
	int order = strcmp((*a)->stage ? (*a)->stage : "", (*b)->stage ? (*b)->stage : "");

	return order ? order : strcmp((*a)->scope, (*b)->scope);
}

static int by_scope(const void *left, const void *right)
{
	const struct weir_compared *a = left, *b = right;

	return strcmp(a->scope, b->scope);
}

static void pair_stages(struct weir_comparing *comparing)
{
	struct weir_compared_set *set = &comparing->operators;
	struct weir_compared **items =
		weir_alloc((set->count + 1) * sizeof(struct weir_compared *));

	for (size_t i = 0; i < set->count; i++)
		items[i] = &set->items[i];
	if (set->count > 1)
		qsort(items, set->count, sizeof *items, by_stage);
	for (size_t i = 0, end; i < set->count; i = end) {
		for (end = i + 1;
		     end < set->count && same_text(items[end]->stage, items[i]->stage);)
			end++;
		pair_stage(comparing, &items[i], &items[end]);
	}
	free(items);
}

void weir_pairing_apply(struct weir_comparing *comparing)
{
	struct weir_compared_set *set = &comparing->operators;
	bool gone = false, added = false;

	for (size_t i = 0; i < set->count; i++) {
		gone = gone || is_gone(&set->items[i]);
		added = added || is_added(&set->items[i]);
	}
	if (!gone || !added)
		return;
	treat_families(comparing);
	drop_empty(set);
	pair_stages(comparing);
	drop_empty(set);
	if (set->count > 1)
		qsort(set->items, set->count, sizeof *set->items, by_scope);
}
