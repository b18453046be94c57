/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/identity.h"
#include "ci/policy/gate.h"
#include "engine/base/arena.h"
#include "engine/pipeline/run_checks.h"

/* ---- the same measurement twice ---- */

/* A run and the digest of its series. */
struct known {
	const struct weir_baseline_run *run;
	uint8_t digest[WEIR_SHA256_SIZE];
	size_t values; /* of all series */
	bool candidate;
	size_t order; /* position in the list of arguments */
};

static size_t count_values(const struct weir_run *run)
{
	size_t count = 0;

	for (unsigned t = 0; t < WEIR_RUN_TABLE_COUNT; t++) {
		const struct weir_series_table *table =
			weir_run_table_of(run, (enum weir_run_table)t);

		for (size_t i = 0; i < table->count; i++)
			count += table->items[i].count;
	}
	return count;
}

/* Computes the digest without labels, which `--label` may have changed. */
static void fill_known(struct known *known, const struct weir_baseline_run *run, bool candidate,
                       size_t order)
{
	struct weir_run unlabelled = *run->run;

	unlabelled.labels = NULL;
	unlabelled.label_count = 0;
	*known = (struct known){.run = run, .candidate = candidate, .order = order};
	known->values = count_values(run->run);
	weir_run_digest(&unlabelled, known->digest);
}

static int by_digest(const void *left, const void *right)
{
	const struct known *a = left, *b = right;
	int order = memcmp(a->digest, b->digest, WEIR_SHA256_SIZE);

	return order != 0 ? order : (a->order > b->order) - (a->order < b->order);
}

/* Returns true for runs with equal series that cannot be equal by chance. */
static bool are_same(const struct known *a, const struct known *b)
{
	return a->values >= WEIR_RUN_TELLING_VALUES &&
	       memcmp(a->digest, b->digest, WEIR_SHA256_SIZE) == 0;
}

static enum weir_status refuse(const struct known *first, const struct known *second,
                               const char *name, struct weir_error *err)
{
	const char *path = second->run->path;

	if (!first->run->path)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s is a run of the baseline %s itself; gate the runs that were "
		                 "measured for the change",
		                 path, name);
	if (strcmp(first->run->path, path) == 0)
		return weir_fail(err, WEIR_E_USAGE, "%s holds the same run twice", path);
	if (first->candidate != second->candidate)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s are the same run, given as baseline and as candidate",
		                 first->run->path, path);
	return weir_fail(err, WEIR_E_USAGE, "%s and %s are the same run; give each run once",
	                 first->run->path, path);
}

enum weir_status weir_run_checks_distinct(const struct weir_baseline *baseline,
                                          const struct weir_baseline *candidate, const char *name,
                                          struct weir_error *err)
{
	size_t stored = baseline ? baseline->count : 0, count = stored + candidate->count;
	struct known *all = weir_alloc((count + 1) * sizeof *all);
	const struct known *worst = NULL;
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < count; i++)
		fill_known(&all[i], i < stored ? &baseline->runs[i] : &candidate->runs[i - stored],
		           i >= stored, i);
	qsort(all, count, sizeof *all, by_digest);
	/* Two equal runs inside a stored baseline cannot be: the store knows a run by its content
	 * and labels, and recording under other labels is no fault of the candidate. */
	for (size_t i = 1; i < count; i++)
		if (all[i].run->path && are_same(&all[i - 1], &all[i]) &&
		    (!worst || all[i].order < worst->order))
			worst = &all[i];
	if (worst)
		status = refuse(worst - 1, worst, name, err);
	free(all);
	return status;
}

/* ---- runs that are cut short ---- */

/* The iterations of a stage in one run. */
struct iterations {
	const char *stage; /* borrowed from the run */
	size_t count;
};

/* The iterations of all stages in all runs of a side, sorted by stage and count. */
struct usual {
	struct iterations *items;
	size_t count;
};

static int by_stage(const void *left, const void *right)
{
	const struct iterations *a = left, *b = right;
	int order = strcmp(a->stage, b->stage);

	return order != 0 ? order : (a->count > b->count) - (a->count < b->count);
}

static void usual_init(struct usual *usual, const struct weir_baseline *side)
{
	size_t room = 1;

	for (size_t i = 0; i < side->count; i++)
		room += side->runs[i].run->stages.count;
	*usual = (struct usual){.items = weir_alloc(room * sizeof *usual->items)};
	for (size_t i = 0; i < side->count; i++) {
		const struct weir_series_table *stages = &side->runs[i].run->stages;

		for (size_t k = 0; k < stages->count; k++)
			if (stages->items[k].count > 0)
				usual->items[usual->count++] = (struct iterations){
					stages->items[k].name, stages->items[k].count};
	}
	qsort(usual->items, usual->count, sizeof *usual->items, by_stage);
}

static void usual_release(struct usual *usual)
{
	free(usual->items);
}

/* Returns the index of the first item that is not below the stage and the count. */
static size_t first_not_below(const struct usual *usual, const char *stage, size_t count)
{
	const struct iterations wanted = {stage, count};
	size_t low = 0, high = usual->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_stage(&usual->items[middle], &wanted) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the lower median of the iterations of a stage in the other runs of the side; 0: no other
 * run has the stage. `series` belongs to one run. */
static size_t usual_count(const struct usual *usual, const struct weir_series *series)
{
	size_t first = first_not_below(usual, series->name, 0);
	size_t end = first_not_below(usual, series->name, SIZE_MAX);
	size_t own = first_not_below(usual, series->name, series->count);
	size_t others = end - first - 1, median;

	if (others == 0)
		return 0;
	median = first + (others - 1) / 2;
	return usual->items[median < own ? median : median + 1].count; /* steps over its own */
}

/* Returns the stage that is cut short in a run, or NULL. Sets *others to the iterations of the
 * other runs. */
static const struct weir_series *find_cut(const struct usual *usual, const struct weir_run *run,
                                          size_t *others)
{
	for (size_t i = 0; i < run->stages.count; i++) {
		const struct weir_series *series = &run->stages.items[i];

		if (series->count == 0)
			continue;
		*others = usual_count(usual, series);
		if (*others >= WEIR_RUN_LEAST_FULL &&
		    series->count <
		            *others / WEIR_RUN_CUT_SHORT + (*others % WEIR_RUN_CUT_SHORT > 0))
			return series;
	}
	return NULL;
}

/* Returns the path of a run, or the first digits of its id in the store. */
static const char *name_of(const struct weir_baseline_run *run, struct weir_arena *arena)
{
	if (run->path)
		return run->path;
	return weir_arena_format(arena, "the baseline's run %.12s of %.10s",
	                         run->id ? run->id : "?", run->recorded ? run->recorded : "?");
}

/* Keeps the first fault of a candidate as the reason why coverage is lost. */
static void say(struct weir_gate_result *result, bool candidate, const char *text)
{
	weir_gate_remark(result, "%s", text);
	if (candidate && !result->incomplete)
		result->incomplete = text;
}

static void leave_out_cut(struct weir_baseline *side, bool candidate,
                          struct weir_gate_result *result)
{
	struct usual usual;

	usual_init(&usual, side);
	for (size_t i = 0; i < side->count; i++) {
		struct weir_baseline_run *run = &side->runs[i];
		size_t others = 0;
		const struct weir_series *series = find_cut(&usual, run->run, &others);

		run->left_out = run->incomplete = series != NULL;
		if (series)
			say(result, candidate,
			    weir_arena_format(result->arena,
			                      "%s has %zu iteration%s of %s, and the other runs "
			                      "%zu: %s",
			                      name_of(run, result->arena), series->count,
			                      series->count == 1 ? "" : "s", series->name, others,
			                      candidate ? "leave it out or measure it again"
			                                : "it was not compared"));
	}
	usual_release(&usual);
}

/* ---- stages that some runs lack ---- */

static bool has_stage(const struct weir_baseline_run *run, const char *stage)
{
	const struct weir_series *series = weir_series_find(&run->run->stages, stage);

	return series && series->count > 0;
}

/* Counts the compared runs of a side, and those of them that have the stage. */
static size_t count_with(const struct weir_baseline *side, const char *stage, size_t *compared)
{
	size_t with = 0;

	*compared = 0;
	for (size_t i = 0; i < side->count; i++) {
		*compared += !side->runs[i].left_out;
		with += !side->runs[i].left_out && has_stage(&side->runs[i], stage);
	}
	return with;
}

static void remark_stage(const struct weir_baseline *baseline, struct weir_baseline *candidate,
                         const char *stage, struct weir_gate_result *result)
{
	size_t of_baseline, of_candidate;
	size_t before = count_with(baseline, stage, &of_baseline),
	       with = count_with(candidate, stage, &of_candidate);

	if (before < of_baseline || with == 0)
		return;
	for (size_t i = 0; i < candidate->count; i++) {
		struct weir_baseline_run *run = &candidate->runs[i];

		if (run->left_out || has_stage(run, stage))
			continue;
		run->incomplete = true;
		say(result, true,
		    weir_arena_format(result->arena,
		                      "%s lacks the stage %s, which %zu of %zu candidate runs "
		                      "and all baseline runs have",
		                      name_of(run, result->arena), stage, with, of_candidate));
	}
}

static void remark_missing_stages(const struct weir_baseline *baseline,
                                  struct weir_baseline *candidate, struct weir_gate_result *result)
{
	const struct weir_series **stages;

	if (baseline->count == 0)
		return;
	stages = weir_series_sorted(&baseline->runs[0].run->stages);
	for (size_t i = 0; i < baseline->runs[0].run->stages.count; i++)
		remark_stage(baseline, candidate, stages[i]->name, result);
	free(stages);
}

void weir_run_checks_complete(struct weir_baseline *baseline, struct weir_baseline *candidate,
                              struct weir_gate_result *result)
{
	leave_out_cut(baseline, false, result);
	leave_out_cut(candidate, true, result);
	remark_missing_stages(baseline, candidate, result);
}
