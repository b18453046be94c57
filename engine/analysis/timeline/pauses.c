/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/pauses.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/stats/quantile.h"

#define LEAVES_AT_ONCE 65536 /* that one thread looks at */

/* A place in the code: the names of a silent leaf and of the leaves around it. */
struct site {
	uint64_t key;
	uint64_t passes;
	size_t first, count; /* its pauses, which are sorted by site */
};

struct pause {
	uint64_t key;
	size_t leaf;
	uint32_t step;
	int64_t ns;
};

struct finder {
	const struct weir_pause_thread *thread;
	uint64_t *name_keys; /* per name id; see key_of_name() */
	struct pause *pauses;
	size_t pause_count, pause_capacity;
	struct site *sites;
	size_t site_count;
};

static int64_t length_ns(const struct weir_leaves *leaves, size_t leaf)
{
	return leaf + 1 < leaves->count
	               ? weir_span_ns(leaves->time_ns[leaf], leaves->time_ns[leaf + 1])
	               : 0;
}

/* ---- what may pause ---- */

/* Counts silent leaves, and those so short that no median among them raises the limit. */
struct tally {
	const struct weir_pause_thread *thread;
	atomic_size_t silent, brief;
};

static void count_silent(void *context, size_t piece)
{
	struct tally *tally = context;
	const struct weir_pause_thread *thread = tally->thread;
	size_t first = piece * LEAVES_AT_ONCE, end = first + LEAVES_AT_ONCE, silent = 0, brief = 0;

	for (size_t i = first; i < end && i < thread->leaves->count; i++) {
		if (!thread->silent[i])
			continue;
		silent++;
		brief += length_ns(thread->leaves, i) <= WEIR_PAUSE_LEAST_NS / WEIR_PAUSE_FACTOR;
	}
	atomic_fetch_add(&tally->silent, silent);
	atomic_fetch_add(&tally->brief, brief);
}

/* Runs work on pieces of LEAVES_AT_ONCE leaves of the thread. */
static void run_on_leaves(const struct weir_pause_thread *thread,
                          void (*work)(void *context, size_t piece), void *context)
{
	size_t pieces = thread->leaves->count / LEAVES_AT_ONCE + 1;

	weir_pool_run(pieces, weir_pool_width(pieces), work, context);
}

/* Returns the median length of the silent leaves. */
static double median_ns(const struct weir_pause_thread *thread, size_t silent)
{
	double *lengths = weir_realloc(NULL, silent * sizeof *lengths), median;
	size_t count = 0;

	for (size_t i = 0; i < thread->leaves->count; i++)
		if (thread->silent[i])
			lengths[count++] = (double)length_ns(thread->leaves, i);
	median = weir_quantile_select(lengths, count, 0.5);
	free(lengths);
	return median;
}

/* Returns the length from which on silent time is a pause; INT64_MAX: too little of it is long. The
 * median needs no search if more than half of the silent leaves are brief: it is brief too. */
static int64_t find_limit_ns(const struct weir_pause_thread *thread)
{
	struct tally tally = {.thread = thread};
	size_t lasting = 0;
	double limit;

	for (size_t i = 0; i < thread->lasting_count; i++)
		lasting += thread->silent[thread->lasting[i]] != 0;
	if (lasting < WEIR_PAUSES_FEWEST)
		return INT64_MAX;
	run_on_leaves(thread, count_silent, &tally);
	if (tally.brief > tally.silent / 2)
		return WEIR_PAUSE_LEAST_NS;
	limit = WEIR_PAUSE_FACTOR * median_ns(thread, tally.silent);
	if (limit >= (double)INT64_MAX)
		return INT64_MAX;
	return limit > WEIR_PAUSE_LEAST_NS ? (int64_t)limit : WEIR_PAUSE_LEAST_NS;
}

/* Returns true if the leaf ends with the beginning of a step and lies in no range. */
static bool is_between_steps(const struct weir_pause_thread *thread, size_t leaf, uint32_t step)
{
	const struct weir_steps *steps = thread->steps;

	return thread->leaves->row[leaf] == WEIR_NONE &&
	       (step + 1 >= steps->step_count ||
	        steps->steps[step + 1].start_ns <= thread->leaves->time_ns[leaf + 1]);
}

/* ---- places ---- */

static uint64_t key_of_name(const char *name)
{
	uint64_t key = UINT64_C(14695981039346656037);

	for (; *name; name++)
		if (*name < '0' || *name > '9')
			key = (key ^ (uint8_t)*name) * UINT64_C(1099511628211);
	return key;
}

uint64_t *weir_pause_name_keys(const struct weir_trace *trace)
{
	size_t count = weir_names_count(trace->names);
	uint64_t *keys = weir_alloc(count * sizeof *keys);

	for (size_t i = 0; i < count; i++)
		keys[i] = key_of_name(weir_names_text(trace->names, (uint32_t)i));
	return keys;
}

uint64_t weir_pause_place(const struct weir_pause_thread *thread, const uint64_t *name_keys,
                          size_t leaf)
{
	const struct weir_leaves *leaves = thread->leaves;
	const uint32_t *names = thread->timeline->trace->host.name;
	uint64_t key = 0;

	for (size_t i = leaf > 0 ? leaf - 1 : 0; i <= leaf + 1 && i < leaves->count; i++)
		key = key * UINT64_C(6364136223846793005) +
		      (leaves->row[i] == WEIR_NONE ? 1 : name_keys[names[leaves->row[i]]]);
	return key;
}

static uint64_t key_of_leaf(const struct finder *finder, size_t leaf)
{
	return weir_pause_place(finder->thread, finder->name_keys, leaf);
}

static void collect_pauses(struct finder *finder, int64_t limit_ns)
{
	const struct weir_pause_thread *thread = finder->thread;

	for (size_t k = 0; k < thread->lasting_count; k++) {
		size_t i = thread->lasting[k];
		int64_t ns = length_ns(thread->leaves, i);
		uint32_t step;

		if (!thread->silent[i] || ns < limit_ns)
			continue;
		step = weir_steps_step_at(thread->steps, thread->leaves->time_ns[i]);
		if (step == WEIR_NONE || is_between_steps(thread, i, step))
			continue;
		finder->pauses = weir_grow(finder->pauses, &finder->pause_capacity,
		                           finder->pause_count + 1, sizeof *finder->pauses);
		finder->pauses[finder->pause_count++] =
			(struct pause){key_of_leaf(finder, i), i, step, ns};
	}
}

static int by_key(const void *left, const void *right)
{
	const struct pause *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return (a->leaf > b->leaf) - (a->leaf < b->leaf);
}

static struct site *find_site(const struct finder *finder, uint64_t key)
{
	size_t low = 0, high = finder->site_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (finder->sites[middle].key < key)
			low = middle + 1;
		else
			high = middle;
	}
	return low < finder->site_count && finder->sites[low].key == key ? &finder->sites[low]
	                                                                 : NULL;
}

struct passes {
	const struct finder *finder;
	atomic_uint_least64_t *counts; /* per site */
};

/* Counts how often the silent leaves of a piece pass each site. */
static void count_passes(void *context, size_t piece)
{
	const struct passes *passes = context;
	const struct finder *finder = passes->finder;
	const struct weir_pause_thread *thread = finder->thread;
	size_t first = piece * LEAVES_AT_ONCE, end = first + LEAVES_AT_ONCE;
	uint64_t *counts = weir_alloc(finder->site_count * sizeof *counts);

	for (size_t i = first; i < end && i < thread->leaves->count; i++) {
		const struct site *site =
			thread->silent[i] ? find_site(finder, key_of_leaf(finder, i)) : NULL;

		if (site)
			counts[site - finder->sites]++;
	}
	for (size_t i = 0; i < finder->site_count; i++)
		if (counts[i])
			atomic_fetch_add(&passes->counts[i], counts[i]);
	free(counts);
}

/* Collects the places of all pauses, and counts how often each is passed. */
static void collect_sites(struct finder *finder)
{
	struct passes passes = {.finder = finder};

	qsort(finder->pauses, finder->pause_count, sizeof *finder->pauses, by_key);
	finder->sites = weir_alloc((finder->pause_count + 1) * sizeof *finder->sites);
	for (size_t i = 0; i < finder->pause_count; i++) {
		struct site *last = finder->sites + finder->site_count;

		if (finder->site_count == 0 || last[-1].key != finder->pauses[i].key) {
			*last = (struct site){.key = finder->pauses[i].key, .first = i};
			finder->site_count++;
		}
		finder->sites[finder->site_count - 1].count++;
	}
	passes.counts = weir_alloc(finder->site_count * sizeof *passes.counts);
	run_on_leaves(finder->thread, count_passes, &passes);
	for (size_t i = 0; i < finder->site_count; i++)
		finder->sites[i].passes = passes.counts[i];
	free(passes.counts);
}

/* ---- patterns ---- */

struct quartiles {
	double first, middle, third;
};

/* Computes the quartiles of some pauses; false: too few, in too few steps, or not similar. */
static bool are_regular(const struct pause *pauses, size_t count, const struct weir_steps *steps,
                        struct quartiles *out)
{
	static const double probs[] = {0.25, 0.5, 0.75};
	double *lengths = weir_alloc((count + 1) * sizeof *lengths), at[3];
	uint8_t *paused = weir_alloc(steps->step_count + 1);
	size_t in_steps = 0;

	for (size_t i = 0; i < count; i++) {
		lengths[i] = (double)pauses[i].ns;
		in_steps += !paused[pauses[i].step];
		paused[pauses[i].step] = 1;
	}
	weir_quantiles_select(lengths, count, probs, 3, at);
	*out = (struct quartiles){at[0], at[1], at[2]};
	free(lengths);
	free(paused);
	return in_steps >= WEIR_PAUSES_FEWEST && out->third <= WEIR_PAUSE_SPREAD * out->first;
}

/* Marks the pauses that are similar to the middle half. */
static void mark(const struct pause *pauses, size_t count, const struct quartiles *quartiles,
                 uint8_t *likely)
{
	for (size_t i = 0; i < count; i++)
		if ((double)pauses[i].ns * WEIR_PAUSE_SPREAD >= quartiles->first &&
		    (double)pauses[i].ns <= WEIR_PAUSE_SPREAD * quartiles->third)
			likely[pauses[i].leaf] = 1;
}

static bool is_misplaced(const struct finder *finder, const struct site *site)
{
	size_t steps = finder->thread->steps->step_count;

	return site->passes >= WEIR_PAUSE_PASSES * (site->count > steps ? site->count : steps);
}

static void judge_misplaced(const struct finder *finder, uint8_t *likely)
{
	struct pause *group = weir_alloc((finder->pause_count + 1) * sizeof *group);
	struct quartiles quartiles = {0};
	size_t count = 0;

	for (size_t i = 0; i < finder->site_count; i++) {
		const struct site *site = &finder->sites[i];

		if (!is_misplaced(finder, site))
			continue;
		memcpy(group + count, finder->pauses + site->first, site->count * sizeof *group);
		count += site->count;
	}
	if (are_regular(group, count, finder->thread->steps, &quartiles) &&
	    (quartiles.middle < WEIR_PAUSE_SWITCH_NS ||
	     quartiles.middle >= WEIR_PAUSE_SWITCH_MOST_NS))
		mark(group, count, &quartiles, likely);
	free(group);
}

/* Returns the number of copies between host and device in the trace. */
static uint64_t count_transfers(const struct weir_trace *trace)
{
	uint64_t count = 0;

	for (size_t i = 0; i < trace->device.count; i++) {
		const char *name;

		if (trace->device.kind[i] != WEIR_DEVICE_COPY)
			continue;
		name = weir_names_text(trace->names, trace->device.name[i]);
		count += !strstr(name, "DtoD") && !strstr(name, "DeviceToDevice");
	}
	return count;
}

static bool is_timer(const struct quartiles *quartiles)
{
	double spread = quartiles->third - quartiles->first;

	return spread < WEIR_PAUSE_TIMER_NS || spread < 0.01 * quartiles->middle;
}

static void judge_aimless(const struct finder *finder, uint8_t *likely)
{
	const struct weir_pause_thread *thread = finder->thread;
	uint64_t transfers = count_transfers(thread->timeline->trace);

	for (size_t i = 0; i < finder->site_count; i++) {
		const struct site *site = &finder->sites[i];
		const struct pause *pauses = finder->pauses + site->first;
		uint32_t row = thread->leaves->row[pauses->leaf];
		struct quartiles quartiles = {0};

		/* A Python frame names its own pause. */
		if (is_misplaced(finder, site) || transfers >= site->count || row == WEIR_NONE ||
		    thread->timeline->trace->host.kind[row] == WEIR_HOST_PYTHON)
			continue;
		if (are_regular(pauses, site->count, thread->steps, &quartiles) &&
		    !is_timer(&quartiles))
			mark(pauses, site->count, &quartiles, likely);
	}
}

/* ---- the thread ---- */

bool weir_pause_in_python(const struct weir_trace *trace)
{
	static const char *const processes[] = {"python", "pt_main_thread"};
	size_t count = weir_names_count(trace->names);

	for (size_t t = 0; t < trace->thread_count; t++)
		for (size_t i = 0; i < sizeof processes / sizeof *processes; i++)
			if (strstr(weir_names_text(trace->names, trace->threads[t].name),
			           processes[i]))
				return true;
	for (size_t i = 0; i < count; i++) {
		const char *name = weir_names_text(trace->names, (uint32_t)i);

		if (strncmp(name, "aten::", 6) == 0 || strstr(name, ".py("))
			return true;
	}
	return false;
}

void weir_pauses_find(const struct weir_pause_thread *thread, uint8_t *likely)
{
	struct finder finder = {.thread = thread};
	int64_t limit_ns =
		thread->steps->step_count < WEIR_PAUSES_FEWEST ? INT64_MAX : find_limit_ns(thread);

	if (limit_ns == INT64_MAX || !weir_pause_in_python(thread->timeline->trace))
		return;
	finder.name_keys = weir_pause_name_keys(thread->timeline->trace);
	collect_pauses(&finder, limit_ns);
	if (finder.pause_count >= WEIR_PAUSES_FEWEST) {
		collect_sites(&finder);
		judge_misplaced(&finder, likely);
		judge_aimless(&finder, likely);
	}
	free(finder.name_keys);
	free(finder.pauses);
	free(finder.sites);
}
