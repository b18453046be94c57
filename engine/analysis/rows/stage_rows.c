/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merges the stages of all ranks by name and fills their durations, shares and attribution. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/analysis/time/histogram.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Returns the number of analysed spans of a stage, and stores their durations if `out` is given.
 * WEIR_NONE has no spans. */
static size_t count_spans(const struct weir_analysis *analysis, size_t r, uint32_t stage,
                          const struct weir_retiming *retiming, double *out)
{
	const struct weir_steps *steps = &analysis->ranks[r].steps;
	size_t count = 0;

	if (stage == WEIR_NONE)
		return 0;
	for (size_t i = steps->first_span[stage]; i < steps->first_span[stage + 1]; i++) {
		uint32_t index = steps->spans_by_stage[i];
		const struct weir_span *span = &steps->spans[index];

		if (!weir_steps_span_counts(steps, span, analysis->options.steady))
			continue;
		if (out)
			out[count] = retiming ? weir_retimed_span_ns(retiming, steps, index)
			                      : (double)weir_span_duration(span);
		count++;
	}
	return count;
}

static struct weir_stage_merge *find_merge(struct weir_stage_merges *merges, const char *name,
                                           const char *kind, size_t ranks)
{
	struct weir_stage_merge *merge;

	for (size_t i = 0; i < merges->count; i++)
		if (strcmp(merges->items[i].name, name) == 0)
			return &merges->items[i];
	merges->items = weir_realloc(merges->items, (merges->count + 1) * sizeof *merges->items);
	merge = &merges->items[merges->count++];
	*merge = (struct weir_stage_merge){.name = name, .kind = kind};
	merge->stage = weir_alloc(ranks * sizeof *merge->stage);
	for (size_t r = 0; r < ranks; r++)
		merge->stage[r] = WEIR_NONE;
	return merge;
}

/* Adds the time of a rank without detail, which was attributed when it was summarized. */
static void add_summary(struct weir_stage_merges *merges, const struct weir_rank_summary *summary,
                        size_t ranks)
{
	weir_ledger_add(&merges->outside, &summary->outside);
	for (size_t s = 0; s < summary->stage_count; s++) {
		const struct weir_stage_record *stage = &summary->stages[s];
		struct weir_stage_merge *merge =
			find_merge(merges, stage->name, stage->kind, ranks);

		weir_ledger_add(&merge->ledger, &stage->ledger);
		weir_ledger_add(&merges->total, &stage->ledger);
	}
}

void weir_stage_shares_init(struct weir_stage_shares *shares, const struct weir_analysis *analysis,
                            size_t count)
{
	*shares = (struct weir_stage_shares){.analysis = analysis, .count = count};
	for (size_t r = 0; r < analysis->rank_count; r++)
		shares->stages += analysis->ranks[r].steps.stage_count;
	shares->ledgers = weir_alloc(count * sizeof *shares->ledgers);
	for (size_t i = 0; i < count; i++)
		shares->ledgers[i] = weir_alloc((shares->stages + 1) * sizeof *shares->ledgers[i]);
}

void weir_stage_shares_fill(struct weir_stage_shares *shares, size_t share)
{
	const struct weir_analysis *analysis = shares->analysis;
	struct weir_ledger *ledgers = shares->ledgers[share];
	size_t first = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		weir_attribute_part(&analysis->ranks[r], share, shares->count, ledgers + first,
		                    &ledgers[shares->stages]);
		first += analysis->ranks[r].steps.stage_count;
	}
}

void weir_stage_shares_release(struct weir_stage_shares *shares)
{
	for (size_t i = 0; i < shares->count; i++)
		free(shares->ledgers[i]);
	free(shares->ledgers);
	*shares = (struct weir_stage_shares){0};
}

/* Adds the stages of rank r, whose ledgers are [first, first + stage_count) of every share. */
static void add_rank(struct weir_stage_merges *merges, const struct weir_stage_shares *shares,
                     size_t r, size_t first)
{
	const struct weir_analysis *analysis = shares->analysis;
	const struct weir_steps *steps = &analysis->ranks[r].steps;

	for (size_t s = 0; s < steps->stage_count; s++) {
		struct weir_stage_merge *merge = find_merge(
			merges, steps->stages[s].name, steps->stages[s].kind, analysis->rank_count);

		merge->stage[r] = (uint32_t)s;
		for (size_t i = 0; i < shares->count; i++) {
			weir_ledger_add(&merge->ledger, &shares->ledgers[i][first + s]);
			weir_ledger_add(&merges->total, &shares->ledgers[i][first + s]);
		}
	}
}

void weir_stage_merges_init(struct weir_stage_merges *merges,
                            const struct weir_stage_shares *shares)
{
	const struct weir_analysis *analysis = shares->analysis;
	size_t first = 0;

	*merges = (struct weir_stage_merges){0};
	for (size_t r = 0; r < analysis->rank_count; r++) {
		add_rank(merges, shares, r, first);
		first += analysis->ranks[r].steps.stage_count;
	}
	for (size_t i = 0; i < shares->count; i++)
		weir_ledger_add(&merges->outside, &shares->ledgers[i][shares->stages]);
	for (size_t s = 0; s < analysis->summary_count; s++)
		if (analysis->detailed[s] == WEIR_NONE)
			add_summary(merges, &analysis->summaries[s], analysis->rank_count);
	weir_ledger_add(&merges->total, &merges->outside);
	merges->first_row = analysis->serving ? weir_serving_row_count(analysis->serving) : 0;
	for (size_t m = 0; m < merges->count; m++)
		for (size_t r = 0; r < analysis->rank_count; r++)
			merges->items[m].ledger.steps +=
				count_spans(analysis, r, merges->items[m].stage[r], NULL, NULL);
}

uint32_t *weir_stage_merges_of_rank(const struct weir_stage_merges *merges,
                                    const struct weir_analysis *analysis, size_t r)
{
	uint32_t *of_stage = weir_alloc(analysis->ranks[r].steps.stage_count * sizeof *of_stage);

	for (size_t m = 0; m < merges->count; m++)
		if (merges->items[m].stage[r] != WEIR_NONE)
			of_stage[merges->items[m].stage[r]] = (uint32_t)m;
	return of_stage;
}

void weir_stage_merges_release(struct weir_stage_merges *merges)
{
	for (size_t i = 0; i < merges->count; i++)
		free(merges->items[i].stage);
	free(merges->items);
	*merges = (struct weir_stage_merges){0};
}

int64_t weir_span_duration(const struct weir_span *span)
{
	return weir_span_ns(span->start_ns, span->device_end_ns > span->end_ns ? span->device_end_ns
	                                                                       : span->end_ns);
}

double *weir_stage_durations(const struct weir_analysis *analysis,
                             const struct weir_stage_merge *merge,
                             const struct weir_retiming *retimings, size_t *count)
{
	size_t total = 0, most = 0, least = SIZE_MAX, filled = 0;
	double *values;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		size_t here = count_spans(analysis, r, merge->stage[r], NULL, NULL);

		total += here;
		most = here > most ? here : most;
		least = merge->stage[r] != WEIR_NONE && here < least ? here : least;
	}
	values = weir_alloc((total + most + 1) * sizeof *values);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		double *own = values + filled;
		size_t here = count_spans(analysis, r, merge->stage[r],
		                          retimings ? &retimings[r] : NULL, own);

		if (least == most && filled > 0) {
			for (size_t i = 0; i < here; i++)
				values[i] = fmax(values[i], own[i]);
			continue;
		}
		filled += here;
	}
	*count = filled;
	return values;
}

/* Returns the step of a segment: that of its work, or of the work that ended the gap. */
static uint32_t step_of_segment(const struct weir_rank *rank, const struct weir_segment *segment)
{
	return segment->row == WEIR_NONE ? WEIR_NONE : rank->steps.row_step[segment->row];
}

/* Marks the steps with a period within 2.5 percentage points of the percentile, and the nearest
 * step in any case. The caller frees the array. */
static uint8_t *steps_around(const struct weir_rank *rank, double percentile)
{
	const struct weir_steps *steps = &rank->steps;
	uint8_t *chosen = weir_alloc(steps->step_count + 1);
	double *periods = weir_alloc((steps->step_count + 1) * sizeof *periods);
	double probs[3] = {percentile - 0.025, percentile, percentile + 0.025}, at[3],
	       nearest = INFINITY;
	size_t count = 0, best = SIZE_MAX;

	for (size_t i = 0; i < steps->step_count; i++)
		if (steps->steps[i].state == WEIR_STEP_STEADY)
			periods[count++] = (double)steps->steps[i].period_ns;
	weir_quantiles(periods, count, probs, 3, at);
	for (size_t i = 0; count > 0 && i < steps->step_count; i++) {
		double period = (double)steps->steps[i].period_ns;

		if (steps->steps[i].state != WEIR_STEP_STEADY)
			continue;
		chosen[i] = period >= at[0] && period <= at[2];
		if (fabs(period - at[1]) < nearest) {
			nearest = fabs(period - at[1]);
			best = i;
		}
	}
	if (best != SIZE_MAX)
		chosen[best] = 1;
	free(periods);
	return chosen;
}

/* Adds the time of the steps around the percentile to *total and, inside stages, to the merged
 * stage; adds the gaps of all steps to `gaps`. */
static void add_tail_time(const struct weir_analysis *analysis,
                          const struct weir_stage_merges *merges, size_t r, int64_t *by_stage,
                          int64_t *total, struct weir_gaps *gaps)
{
	const struct weir_rank *rank = &analysis->ranks[r];
	uint8_t *chosen = steps_around(rank, analysis->options.percentile);
	uint32_t *merge_of = weir_stage_merges_of_rank(merges, analysis, r);

	for (size_t i = 0; i < rank->segments.count; i++) {
		const struct weir_segment *segment = &rank->segments.items[i];
		uint32_t step = step_of_segment(rank, segment);

		if (!segment->busy)
			weir_gaps_add(gaps, segment->device, segment->start_ns, segment->end_ns,
			              (enum weir_idle)segment->idle);
		if (step == WEIR_NONE || !chosen[step])
			continue;
		*total = weir_add_ns(*total, weir_segment_ns(segment));
		if (segment->span != WEIR_NONE) {
			int64_t *own = &by_stage[merge_of[rank->steps.spans[segment->span].stage]];

			*own = weir_add_ns(*own, weir_segment_ns(segment));
		}
	}
	weir_gaps_close(gaps);
	free(merge_of);
	free(chosen);
}

static void fill_row(const struct weir_analysis *analysis, const struct weir_stage_merge *merge,
                     const struct weir_stage_merges *merges, struct weir_report *report,
                     struct weir_stage_row *row)
{
	size_t count;
	double *values = weir_stage_durations(analysis, merge, NULL, &count);

	row->name = weir_arena_copy(report->arena, merge->name, strlen(merge->name));
	row->kind = merge->kind;
	row->duration = weir_distribution_of(values, count);
	row->duration_ns = weir_arena_alloc(report->arena, (count + 1) * sizeof *row->duration_ns);
	memcpy(row->duration_ns, values, count * sizeof *values);
	row->share = merges->total.total_ns > 0
	                     ? (double)merge->ledger.total_ns / (double)merges->total.total_ns
	                     : NAN;
	row->p95_share = row->p50_share = row->p99_share = row->cost_usd = NAN;
	weir_attribution_from_ledger(&row->attribution, &merge->ledger);
	row->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
	free(values);
}

/* Fills the rows for the stages of a native run, which has distributions only. */
static void fill_native(const struct weir_run *run, const struct weir_stage_aliases *aliases,
                        struct weir_report *report, struct weir_stage_row *rows)
{
	for (size_t i = 0; i < run->stages.count; i++) {
		const struct weir_series *series = &run->stages.items[i];
		struct weir_stage_row *row = &rows[i];

		row->name = weir_arena_copy(report->arena, series->name, strlen(series->name));
		row->kind = weir_stage_kind(series->name, aliases);
		row->duration = weir_distribution_of(series->value, series->count);
		row->duration_ns = weir_arena_alloc(report->arena,
		                                    (series->count + 1) * sizeof *row->duration_ns);
		memcpy(row->duration_ns, series->value, series->count * sizeof *series->value);
		row->view = WEIR_VIEW_SERIES;
		row->share = row->p95_share = row->p50_share = row->p99_share = NAN;
		row->cost_usd = NAN;
		row->verdict = (struct weir_verdict){
			.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
	}
}

void weir_fill_stages(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      struct weir_report *report)
{
	int64_t *tail_ns = weir_alloc((merges->count + 1) * sizeof *tail_ns), total_ns = 0;
	struct weir_gaps *gaps = weir_alloc(sizeof *gaps);
	struct weir_histogram *histogram;
	size_t rows = merges->count;

	if (analysis->serving)
		rows += weir_serving_row_count(analysis->serving);

	for (size_t i = 0; i < analysis->profile->input_count; i++)
		if (analysis->profile->inputs[i].run)
			rows += analysis->profile->inputs[i].run->stages.count;
	report->stages = weir_arena_alloc(report->arena, (rows + 1) * sizeof *report->stages);
	if (analysis->serving) {
		weir_serving_rows(analysis->serving, report, report->stages);
		report->stage_count = weir_serving_row_count(analysis->serving);
	}
	for (size_t r = 0; r < analysis->rank_count; r++)
		add_tail_time(analysis, merges, r, tail_ns, &total_ns, gaps);
	histogram = weir_gaps_finish(gaps, report->arena);
	if (histogram)
		weir_report_pictures(report)->gaps = histogram;
	for (size_t m = 0; m < merges->count; m++) {
		struct weir_stage_row *row = &report->stages[report->stage_count++];

		fill_row(analysis, &merges->items[m], merges, report, row);
		if (total_ns > 0)
			row->p95_share = (double)tail_ns[m] / (double)total_ns;
	}
	for (size_t i = 0; i < analysis->profile->input_count; i++) {
		const struct weir_run *run = analysis->profile->inputs[i].run;

		if (!run)
			continue;
		fill_native(run, &analysis->options.settings->aliases, report,
		            report->stages + report->stage_count);
		report->stage_count += run->stages.count;
	}
	free(tail_ns);
	free(gaps);
}
