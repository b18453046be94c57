/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the features of the profile and of its stages from what the other parts of the report
 * found. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/analysis_impl.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define FEWEST_BATCHES 5 /* steps on either side of a comparison of batch sizes */

/* Durations of the kernels of one stage (NULL: all), and how much device time was replayed from
 * graphs. */
static void fill_kernels(const struct weir_analysis *analysis, const struct weir_stage_merge *merge,
                         double *values)
{
	double *durations = NULL, graph_ns = 0, all_ns = 0;
	size_t count = 0, capacity = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];
		const struct weir_device_columns *device = &rank->trace->device;

		for (size_t i = 0; i < device->count; i++) {
			uint32_t span = rank->steps.row_span[i];
			double ns = (double)(device->end_ns[i] - device->start_ns[i]);

			if (rank->groups.row_call[i] == WEIR_NONE ||
			    (merge && (span == WEIR_NONE ||
			               rank->steps.spans[span].stage != merge->stage[r])))
				continue;
			all_ns += ns;
			graph_ns += device->flags[i] & WEIR_DEVICE_IN_GRAPH ? ns : 0;
			if (device->kind[i] != WEIR_DEVICE_KERNEL)
				continue;
			durations = weir_grow(durations, &capacity, count + 1, sizeof *durations);
			durations[count++] = ns;
		}
	}
	values[WEIR_F_KERNEL_P50_NS] = weir_median(durations, count);
	if (all_ns > 0)
		values[WEIR_F_GRAPH_SHARE] = graph_ns / all_ns;
	free(durations);
}

/* The operator with most device time in the stage, over stages for the profile, and whether its
 * limit is known. */
static void fill_top_operator(const struct weir_report *report, const char *stage, double *values)
{
	double all_ns = 0, best_ns = 0;

	for (size_t i = 0; i < report->operator_count; i++) {
		const struct weir_operator_row *row = &report->operators[i];
		double same_ns = 0;
		bool known = false;

		if (!row->device || (stage && (!row->stage || strcmp(row->stage, stage) != 0)))
			continue;
		all_ns += row->call.total_ns;
		for (size_t j = 0; j < report->operator_count; j++) {
			const struct weir_operator_row *other = &report->operators[j];

			if (!other->device || strcmp(other->name, row->name) != 0 ||
			    (stage && (!other->stage || strcmp(other->stage, stage) != 0)))
				continue;
			same_ns += other->call.total_ns;
			known = known || other->verdict.bound != WEIR_BOUND_UNDETERMINED;
		}
		if (same_ns > best_ns) {
			best_ns = same_ns;
			values[WEIR_F_TOP_OPERATOR_MODELLED] = known;
		}
	}
	if (all_ns > 0)
		values[WEIR_F_TOP_OPERATOR_SHARE] = best_ns / all_ns;
}

static double padding_waste(const struct weir_analysis *analysis)
{
	double rows = 0, padded = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		for (size_t i = 0; i < analysis->ranks[r].steps.span_count; i++) {
			const struct weir_span *span = &analysis->ranks[r].steps.spans[i];

			if (span->rows < 0 || span->padded_rows <= 0)
				continue;
			rows += (double)span->rows;
			padded += (double)span->padded_rows;
		}
	return padded > 0 ? 1 - rows / padded : NAN;
}

/* Durations of the spans of a stage whose batch has from `low` to `high` rows; count of them. */
static size_t batch_durations(const struct weir_steps *steps, uint32_t stage, int64_t low,
                              int64_t high, double *out)
{
	size_t count = 0;

	for (size_t i = 0; i < steps->span_count; i++) {
		const struct weir_span *span = &steps->spans[i];

		if (span->stage == stage && span->rows >= low && span->rows <= high)
			out[count++] = (double)weir_span_duration(span);
	}
	return count;
}

/* Step time at up to half of the largest batch over that at the largest, of the stage that has most
 * steps of both. */
static double flat_step_ratio(const struct weir_steps *steps)
{
	double *small = weir_alloc((steps->span_count + 1) * sizeof *small);
	double *large = weir_alloc((steps->span_count + 1) * sizeof *large);
	double ratio = NAN;
	size_t most = 0;

	for (uint32_t s = 0; s < steps->stage_count; s++) {
		int64_t largest = 0;
		size_t few, many;

		for (size_t i = 0; i < steps->span_count; i++)
			if (steps->spans[i].stage == s && steps->spans[i].rows > largest)
				largest = steps->spans[i].rows;
		few = batch_durations(steps, s, 1, largest / 2, small);
		many = batch_durations(steps, s, largest, largest, large);
		if (few < FEWEST_BATCHES || many < FEWEST_BATCHES || few + many <= most)
			continue;
		most = few + many;
		ratio = weir_median(small, few) / weir_median(large, many);
	}
	free(small);
	free(large);
	return ratio;
}

static void fill_profile_only(const struct weir_analysis *analysis,
                              const struct weir_report *report, double *values)
{
	uint64_t waits = 0, steps = 0;
	double slow = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		waits += rank->launches.syncs + rank->launches.blocking_copies;
		slow += fmax(rank->memory.figures.slow_allocations, 0);
		for (size_t i = 0; i < rank->steps.step_count; i++)
			steps += !report->steady || rank->steps.steps[i].state == WEIR_STEP_STEADY;
		if (isnan(values[WEIR_F_FLAT_STEP_RATIO]))
			values[WEIR_F_FLAT_STEP_RATIO] = flat_step_ratio(&rank->steps);
	}
	values[WEIR_F_LAUNCH_P50_NS] = report->has_gpu ? report->gpu.launch.p50_ns : NAN;
	values[WEIR_F_RANKS] = (double)report->rank_count;
	values[WEIR_F_PADDING_WASTE] = padding_waste(analysis);
	if (report->has_gpu)
		values[WEIR_F_SLOW_ALLOCATIONS] = slow;
	if (steps > 0) {
		values[WEIR_F_SYNCS_PER_STEP] = (double)waits / (double)steps;
		values[WEIR_F_STEPS] = (double)report->iteration_count;
		values[WEIR_F_KERNELS_PER_STEP] = values[WEIR_F_KERNELS] / (double)steps;
	}
}

void weir_fill_features(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report)
{
	report->features = weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *report->features);
	weir_features_clear(report->features);
	weir_features_from_ledger(report->features, &merges->total);
	if (report->has_gpu) {
		fill_kernels(analysis, NULL, report->features);
		fill_top_operator(report, NULL, report->features);
	}
	fill_profile_only(analysis, report, report->features);
	for (size_t i = 0; i < report->stage_count; i++) {
		struct weir_stage_row *row = &report->stages[i];
		struct weir_ledger ledger = {0};

		row->features =
			weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *row->features);
		weir_features_clear(row->features);
		if (i >= merges->count)
			continue;
		ledger = merges->items[i].ledger;
		ledger.steps = row->duration.count;
		weir_features_from_ledger(row->features, &ledger);
		fill_kernels(analysis, &merges->items[i], row->features);
		fill_top_operator(report, row->name, row->features);
	}
}
