/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/base/arena.h"
#include "engine/base/sort.h"
#include "engine/base/text.h"

/* ---- one profile ---- */

static int64_t sum(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

/* Links between the nodes; UINT32_MAX: none. */
struct tree {
	uint32_t *first_child, *next_sibling;
	int64_t *weight; /* of a node and its descendants */
};

static void tree_init(struct tree *tree, const struct weir_host_profile *profile)
{
	size_t count = profile->node_count;

	tree->first_child = weir_alloc(count * sizeof *tree->first_child);
	tree->next_sibling = weir_alloc(count * sizeof *tree->next_sibling);
	tree->weight = weir_alloc(count * sizeof *tree->weight);
	memset(tree->first_child, 0xff, count * sizeof *tree->first_child);
	memset(tree->next_sibling, 0xff, count * sizeof *tree->next_sibling);
	for (size_t i = count; i-- > 0;) {
		uint32_t parent = profile->nodes[i].parent;

		tree->weight[i] = sum(tree->weight[i], profile->nodes[i].self);
		if (i == WEIR_HOST_ROOT)
			continue;
		tree->weight[parent] = sum(tree->weight[parent], tree->weight[i]);
		tree->next_sibling[i] = tree->first_child[parent];
		tree->first_child[parent] = (uint32_t)i;
	}
}

static void tree_release(struct tree *tree)
{
	free(tree->first_child);
	free(tree->next_sibling);
	free(tree->weight);
}

/* True for a function with which a thread begins, or a frame without a name. */
static bool begins_thread(const char *function)
{
	static const char *const names[] = {"_start",  "main",   "start_thread", "clone",
	                                    "__clone", "clone3", "[unknown]"};

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (strcmp(function, names[i]) == 0)
			return true;
	return strncmp(function, "__libc_start", 12) == 0;
}

static const char *function_of(const struct weir_host_profile *profile, uint32_t node)
{
	return weir_names_text(profile->names,
	                       profile->frames[profile->nodes[node].frame].function);
}

/* Returns true if a node is the name of a process, which stackcollapse-perf.pl puts below the root:
 * threads begin above it, and no stack ends in it. Only folded stacks have no unit. */
static bool is_process(const struct weir_host_profile *profile, const struct tree *tree,
                       uint32_t node)
{
	uint32_t child = tree->first_child[node];

	if (profile->unit != WEIR_HOST_WEIGHT || profile->nodes[node].parent != WEIR_HOST_ROOT ||
	    profile->nodes[node].self || begins_thread(function_of(profile, node)))
		return false;
	while (child != UINT32_MAX && !begins_thread(function_of(profile, child)))
		child = tree->next_sibling[child];
	return child != UINT32_MAX;
}

/* Adds a node when the walk enters it. open: frames of each function on the path from the root. */
static void enter(const struct weir_host_profile *profile, const struct tree *tree, uint32_t node,
                  uint32_t *open, struct weir_host_function *functions)
{
	uint32_t frame = profile->nodes[node].frame;

	functions[frame].self = sum(functions[frame].self, profile->nodes[node].self);
	if (open[frame]++ == 0 && !is_process(profile, tree, node))
		functions[frame].total = sum(functions[frame].total, tree->weight[node]);
}

/* Walks the tree depth first without recursion: stacks may be as deep as there are nodes. */
static void walk(const struct weir_host_profile *profile, const struct tree *tree,
                 struct weir_host_function *functions)
{
	uint32_t *open = weir_alloc((profile->frame_count + 1) * sizeof *open);
	uint32_t node = tree->first_child[WEIR_HOST_ROOT];

	while (node != UINT32_MAX && node != WEIR_HOST_ROOT) {
		enter(profile, tree, node, open, functions);
		if (tree->first_child[node] != UINT32_MAX) {
			node = tree->first_child[node];
			continue;
		}
		while (node != WEIR_HOST_ROOT) {
			open[profile->nodes[node].frame]--;
			if (tree->next_sibling[node] != UINT32_MAX)
				break;
			node = profile->nodes[node].parent;
		}
		if (node != WEIR_HOST_ROOT)
			node = tree->next_sibling[node];
	}
	free(open);
}

struct weir_host_function *weir_host_functions(const struct weir_host_profile *profile)
{
	struct weir_host_function *functions =
		weir_alloc((profile->frame_count + 1) * sizeof *functions);
	struct tree tree;

	for (size_t i = 0; i < profile->frame_count; i++)
		functions[i].frame = (uint32_t)i;
	tree_init(&tree, profile);
	walk(profile, &tree, functions);
	tree_release(&tree);
	for (size_t i = 0; i < profile->function_count; i++) {
		const struct weir_host_function *known = &profile->functions[i];

		functions[known->frame].self = sum(functions[known->frame].self, known->self);
		functions[known->frame].total = sum(functions[known->frame].total, known->total);
		functions[known->frame].calls = sum(functions[known->frame].calls, known->calls);
	}
	return functions;
}

/* ---- entries ---- */

struct entry {
	const char *function, *file; /* file: its label, see label_files() */
	const char *path;
	const struct weir_host_frame *frame; /* of its profile, whose names have ids */
	double self, total, calls;           /* calls 0: not known */
	uint32_t line;                       /* that the label lacks; 0: not known, or it has it */
};

struct entries {
	struct entry *items;
	size_t count, capacity;
	double total, idle;
	double unlisted; /* part of the total: of functions that the files lack */
	enum weir_host_unit unit;
	const char *event;         /* of the profiles; empty: time */
	uint64_t profiles, others; /* with this unit; with another unit */
	uint64_t threads;
	uint64_t samples; /* 0: not known */
	bool cycles;      /* of the processor */
	bool occurrences; /* of a tracepoint or probe */
	double calls;     /* of all functions; 0: not known */
	double heaviest;  /* weight of the heaviest sample; 0: not known */
	const struct weir_host_frame *heaviest_frame; /* in which it ends */
	struct weir_arena *labels;
};

static int by_name(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->function, b->function);

	return order ? order : strcmp(a->file, b->file);
}

/* Brings the entries of one profile whose function and file have the same names together. */
static int by_frame(const void *left, const void *right)
{
	const struct weir_host_frame *a = ((const struct entry *)left)->frame;
	const struct weir_host_frame *b = ((const struct entry *)right)->frame;

	if (a->function != b->function)
		return a->function < b->function ? -1 : 1;
	return (a->file > b->file) - (a->file < b->file);
}

static int by_self(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	return by_name(left, right);
}

/* ---- labels of files ----
 *
 * A file is shown by the last part of its path. Functions of one name in files of one name get the
 * line, and as many parts of the path as tell them apart.
 */

#define FEW_SAMPLES  100
#define LISTED_SHARE 0.995 /* of the time in the listed functions; rounding has the rest */
#define MAX_PARTS    16    /* of a path; then the whole path is shown */

/* Returns the last parts of a path. */
static const char *last_parts(const char *path, int parts)
{
	const char *at = path + strlen(path);

	while (at > path) {
		if ((at[-1] == '/' || at[-1] == '\\') && --parts == 0)
			break;
		at--;
	}
	return at;
}

static int by_place(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->path, b->path);

	if (order)
		return order;
	return (a->frame->line > b->frame->line) - (a->frame->line < b->frame->line);
}

static void label(struct entry *entry, int parts, struct weir_arena *arena)
{
	struct weir_text text = {0};

	weir_text_puts(&text, parts == MAX_PARTS ? entry->path : last_parts(entry->path, parts));
	if (entry->frame->line)
		weir_text_printf(&text, ":%u", (unsigned)entry->frame->line);
	entry->line = 0;
	if (text.length)
		entry->file = weir_arena_copy(arena, text.data, text.length);
	weir_text_release(&text);
}

/* Returns true if no label of the sorted entries is there twice. */
static bool all_differ(struct entry *entries, size_t count)
{
	bool differ = true;

	qsort(entries, count, sizeof *entries, by_name);
	for (size_t i = 1; i < count && differ; i++)
		differ = by_name(&entries[i - 1], &entries[i]) != 0;
	return differ;
}

/* Labels the files of one profile's entries. */
static void label_files(struct entry *entries, size_t count, struct weir_arena *arena)
{
	size_t end;

	if (!count)
		return;
	weir_sort(entries, count, sizeof *entries, by_frame);
	for (size_t first = 0; first < count; first = end) {
		struct entry *group = &entries[first];
		int parts = 1;

		for (end = first + 1; end < count && by_frame(group, &entries[end]) == 0;)
			end++;
		if (end == first + 1)
			continue;
		qsort(group, end - first, sizeof *group, by_place);
		do {
			for (size_t i = 0; i < end - first; i++)
				label(&group[i], parts, arena);
		} while (!all_differ(group, end - first) && parts++ < MAX_PARTS);
	}
}

/* ---- all profiles ---- */

/* Returns the time of a profile without stacks that is in no function of the file. */
static double unlisted(const struct weir_host_profile *profile)
{
	double listed = 0;

	for (size_t i = 0; i < profile->function_count; i++)
		listed += (double)profile->functions[i].self;
	return profile->function_count ? fmax((double)profile->total - listed, 0) : 0;
}

static void add_profile(struct entries *entries, const struct weir_host_profile *profile)
{
	struct weir_host_function *functions;
	size_t before = entries->count;

	if (entries->profiles &&
	    (profile->unit != entries->unit || strcmp(profile->event, entries->event) != 0)) {
		entries->others++;
		return;
	}
	entries->unit = profile->unit;
	entries->event = profile->event;
	entries->cycles = profile->cycles;
	entries->occurrences = profile->occurrences;
	entries->samples += profile->samples;
	entries->calls += (double)profile->calls;
	entries->profiles++;
	entries->total += (double)profile->total;
	entries->unlisted += unlisted(profile);
	entries->idle += (double)profile->idle;
	entries->threads += profile->threads;
	if ((double)profile->largest > entries->heaviest) {
		entries->heaviest = (double)profile->largest;
		entries->heaviest_frame = &profile->frames[profile->largest_frame];
	}
	functions = weir_host_functions(profile);
	for (size_t i = 0; i < profile->frame_count; i++) {
		const struct weir_host_frame *frame = &profile->frames[i];

		if (!functions[i].self && !functions[i].total)
			continue;
		entries->items = weir_grow(entries->items, &entries->capacity, entries->count + 1,
		                           sizeof *entries->items);
		entries->items[entries->count++] = (struct entry){
			.function = weir_names_text(profile->names, frame->function),
			.file = weir_names_text(profile->names, frame->file),
			.path = weir_names_text(profile->names, frame->path),
			.frame = frame,
			.self = (double)functions[i].self,
			.total = (double)functions[i].total,
			.calls = (double)functions[i].calls,
			.line = frame->line,
		};
	}
	free(functions);
	label_files(entries->items + before, entries->count - before, entries->labels);
}

static uint32_t hash_of(const struct entry *entry)
{
	uint64_t function = weir_hash_text(entry->function, strlen(entry->function), 0);

	return (uint32_t)(weir_hash_text(entry->file, strlen(entry->file), function) >> 32);
}

/* Returns the entry of the map with the function and file of another; NULL: no entry has them. */
static struct entry *find_same(const struct entries *entries, const struct weir_rowmap *map,
                               uint32_t hash, const struct entry *wanted)
{
	size_t probe = 0;
	uint32_t row;

	while ((row = weir_rowmap_next(map, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (by_name(&entries->items[row], wanted) == 0)
			return &entries->items[row];
	return NULL;
}

/* Merges the entries of each function. */
static void merge(struct entries *entries)
{
	struct weir_rowmap map = {0};
	size_t kept = 0;

	weir_rowmap_reserve(&map, entries->count);
	for (size_t i = 0; i < entries->count; i++) {
		uint32_t hash = hash_of(&entries->items[i]);
		struct entry *same = find_same(entries, &map, hash, &entries->items[i]);

		if (same) {
			same->self += entries->items[i].self;
			same->total += entries->items[i].total;
			same->calls += entries->items[i].calls;
			if (entries->items[i].frame == entries->heaviest_frame)
				entries->heaviest_frame = same->frame;
			same->line = same->line == entries->items[i].line ? same->line : 0;
			continue;
		}
		weir_rowmap_add(&map, hash, (uint32_t)kept);
		entries->items[kept++] = entries->items[i];
	}
	weir_rowmap_release(&map);
	entries->count = kept;
}

/* Moves the first entry of a heap, whose first entry is the last by by_self(), to its place. */
static void sink(struct entry *heap, size_t count)
{
	size_t at = 0, child;

	while ((child = 2 * at + 1) < count) {
		struct entry swap = heap[at];

		if (child + 1 < count && by_self(&heap[child], &heap[child + 1]) < 0)
			child++;
		if (by_self(&heap[child], &heap[at]) <= 0)
			return;
		heap[at] = heap[child];
		heap[child] = swap;
		at = child;
	}
}

/* Keeps the largest entries, in order of self time. There may be millions, and the report shows
 * WEIR_MAX_HOST_FUNCTION_ROWS. */
static void keep_largest(struct entries *entries)
{
	struct entry *heap = entries->items;
	size_t rows = entries->count < WEIR_MAX_HOST_FUNCTION_ROWS ? entries->count
	                                                           : WEIR_MAX_HOST_FUNCTION_ROWS;

	/* An order from last to first is a heap. */
	weir_sort(heap, rows, sizeof *heap, by_self);
	for (size_t i = 0; i < rows / 2; i++) {
		struct entry swap = heap[i];

		heap[i] = heap[rows - 1 - i];
		heap[rows - 1 - i] = swap;
	}
	for (size_t i = rows; i < entries->count; i++) {
		if (by_self(&heap[i], &heap[0]) >= 0)
			continue;
		heap[0] = heap[i];
		sink(heap, rows);
	}
	weir_sort(heap, rows, sizeof *heap, by_self);
	entries->count = rows;
}

static const char *copy(struct weir_report *report, const char *text)
{
	return *text ? weir_arena_copy(report->arena, text, strlen(text)) : NULL;
}

/* Returns the share of a function with its callees. cProfile counts the time of a generator or of a
 * call in another thread to functions that were not on the stack, so a sum may exceed the whole. */
static double share_of_total(const struct entry *entry, double whole)
{
	return fmax(entry->self, fmin(entry->total, whole)) / whole;
}

/* Notes that there are few samples: a share of half of 100 samples is right within 10 % (two
 * standard errors of a binomial share). Numbers without a unit are samples if they are as few. */
static void note_few(const struct entries *entries, struct weir_report *report)
{
	bool samples = entries->unit == WEIR_HOST_SAMPLES || entries->unit == WEIR_HOST_WEIGHT;
	double count = entries->samples ? (double)entries->samples : samples ? entries->total : 0;

	if (count > 0 && count < FEW_SAMPLES)
		weir_report_note(report, "few_samples",
		                 "the stacks have %.0f sample%s: shares of fewer than %d are rough",
		                 count, count > 1 ? "s" : "", FEW_SAMPLES);
}

/* Notes which share of the time a table holds that was cut to some functions. */
static void note_unlisted(const struct entries *entries, struct weir_report *report)
{
	double share = 1 - entries->unlisted / entries->total;

	if (share < LISTED_SHARE)
		weir_report_note(report, "listed_functions",
		                 "the functions in the table have %.1f %% of the time of the "
		                 "profile: the others are not in the file",
		                 100 * share);
}

static void fill_report(const struct entries *entries, struct weir_report *report)
{
	size_t rows = entries->count;
	struct weir_host_figures *host = weir_arena_alloc(report->arena, sizeof *host);

	*host = (struct weir_host_figures){
		.unit = entries->unit,
		.event = copy(report, entries->event),
		.profiles = entries->profiles,
		.total = entries->total,
		.threads = entries->threads,
		.samples = entries->samples,
		.cycles = entries->cycles,
		.occurrences = entries->occurrences,
		.calls = entries->calls,
		.idle = entries->idle / (entries->idle + entries->total),
		.functions = weir_arena_alloc(report->arena, (rows + 1) * sizeof *host->functions),
		.function_count = rows,
	};
	for (size_t i = 0; i < rows; i++)
		host->functions[i] = (struct weir_host_function_row){
			.function = copy(report, entries->items[i].function),
			.file = copy(report, entries->items[i].file),
			.self = entries->items[i].self / entries->total,
			.total = share_of_total(&entries->items[i], entries->total),
			.calls = entries->items[i].calls,
			.largest_sample = entries->items[i].frame == entries->heaviest_frame
		                                  ? entries->heaviest / entries->total
		                                  : 0,
			.line = entries->items[i].line,
		};
	report->host = host;
	note_few(entries, report);
	note_unlisted(entries, report);
	if (entries->others)
		weir_report_note(
			report, "host_units",
			"host time excludes %llu profile%s with another unit than the "
			"first (%s)",
			(unsigned long long)entries->others, entries->others == 1 ? "" : "s",
			*entries->event ? entries->event : weir_host_unit_name(entries->unit));
}

void weir_fill_host_functions(const struct weir_profile *profile, struct weir_report *report)
{
	struct entries entries = {.labels = weir_arena_new()};

	for (size_t i = 0; i < profile->input_count; i++)
		if (profile->inputs[i].host_profile)
			add_profile(&entries, profile->inputs[i].host_profile);
	merge(&entries);
	keep_largest(&entries);
	if (entries.profiles)
		fill_report(&entries, report);
	free(entries.items);
	weir_arena_free(entries.labels);
}
