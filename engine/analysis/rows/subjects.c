/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the features of the profile and its stages from the other parts of the report. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/timeline/programs.h"
#include "engine/analysis/timeline/result_gaps.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/text.h"
#include "engine/stats/quantile.h"

/* Fraction of the analysed time without any work above which the rest is judged. */
#define MOSTLY_NO_WORK 0.5
#define FEWEST_BATCHES 5 /* fewest steps on either side of a comparison of batch sizes */

/* Durations of the kernels of one stage or of the profile, and the device time that graphs
 * replayed. */
struct kernels {
	double *values; /* features of the stage; NULL: durations are not collected */
	double *durations, graph_ns, all_ns;
	size_t count, capacity;
};

static void add_kernel(struct kernels *kernels, const struct weir_device_columns *device,
                       size_t row)
{
	double ns = (double)weir_span_ns(device->start_ns[row], device->end_ns[row]);

	kernels->all_ns += ns;
	kernels->graph_ns += device->flags[row] & WEIR_DEVICE_IN_GRAPH ? ns : 0;
	if (!kernels->values || device->kind[row] != WEIR_DEVICE_KERNEL)
		return;
	kernels->durations = weir_grow(kernels->durations, &kernels->capacity, kernels->count + 1,
	                               sizeof *kernels->durations);
	kernels->durations[kernels->count++] = ns;
}

static double graph_share(const struct kernels *kernels)
{
	return kernels->all_ns > 0 ? kernels->graph_ns / kernels->all_ns : NAN;
}

static void take_stage(void *context, size_t stage)
{
	struct kernels *kernels = (struct kernels *)context + stage;

	kernels->values[WEIR_F_KERNEL_P50_NS] = weir_median(kernels->durations, kernels->count);
	kernels->values[WEIR_F_GRAPH_SHARE] = graph_share(kernels);
	free(kernels->durations);
}

/* Fills the features about kernels, of every stage and of the profile. */
static void fill_kernels(const struct weir_analysis *analysis,
                         const struct weir_stage_merges *merges, struct weir_report *report)
{
	struct kernels *stages = weir_alloc(merges->count * sizeof *stages), all = {0};
	bool verdict_only = analysis->options.verdict_only;

	for (size_t m = 0; m < merges->count && !verdict_only; m++)
		stages[m].values = report->stages[merges->first_row + m].features;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];
		const struct weir_device_columns *device = &rank->trace->device;
		uint32_t *merge_of = weir_stage_merges_of_rank(merges, analysis, r);

		for (size_t i = 0; i < device->count; i++) {
			uint32_t span = rank->steps.row_span[i];

			if (rank->groups.row_call[i] == WEIR_NONE)
				continue;
			add_kernel(&all, device, i);
			if (span != WEIR_NONE && !verdict_only)
				add_kernel(&stages[merge_of[rank->steps.spans[span].stage]], device,
				           i);
		}
		free(merge_of);
	}
	report->features[WEIR_F_KERNEL_P50_NS] = report->gpu.kernel_p50_ns;
	report->features[WEIR_F_GRAPH_SHARE] = graph_share(&all);
	if (!verdict_only)
		weir_pool_run(merges->count, weir_pool_width(merges->count), take_stage, stages);
	free(stages);
}

/* Compares operators by name. An operator and the parts of its backward pass are the same operator:
 * "aten::cudnn_convolution" and "aten::cudnn_convolution_backward_input". */
static int compare_operators(const struct weir_operator_row *a, const struct weir_operator_row *b)
{
	const char *rest_a = strstr(a->name, "_backward"), *rest_b = strstr(b->name, "_backward");
	size_t length_a = rest_a ? (size_t)(rest_a - a->name) : strlen(a->name);
	size_t length_b = rest_b ? (size_t)(rest_b - b->name) : strlen(b->name);
	int order = memcmp(a->name, b->name, length_a < length_b ? length_a : length_b);

	return order != 0 ? order : (length_a > length_b) - (length_a < length_b);
}

static int by_name(const void *left, const void *right)
{
	const struct weir_operator_row *const *a = left, *const *b = right;

	return compare_operators(*a, *b);
}

static int by_stage_and_name(const void *left, const void *right)
{
	const struct weir_operator_row *const *a = left, *const *b = right;
	int order = strcmp((*a)->stage ? (*a)->stage : "", (*b)->stage ? (*b)->stage : "");

	return order != 0 ? order : by_name(left, right);
}

/* Fills the share of the operator with most device time among rows sorted by name, and 1 if its
 * bound is known. */
static void fill_top_operator(const struct weir_operator_row **rows, size_t count, double *values)
{
	double all_ns = 0, best_ns = 0;

	for (size_t i = 0, end; i < count; i = end) {
		double same_ns = 0;
		bool known = false;

		for (end = i; end < count && compare_operators(rows[end], rows[i]) == 0; end++) {
			same_ns += rows[end]->call.total_ns;
			known = known || rows[end]->verdict.bound != WEIR_BOUND_UNDETERMINED;
		}
		all_ns += same_ns;
		if (same_ns > best_ns) {
			best_ns = same_ns;
			values[WEIR_F_TOP_OPERATOR_MODELLED] = known;
		}
	}
	if (all_ns > 0)
		values[WEIR_F_TOP_OPERATOR_SHARE] = best_ns / all_ns;
}

static double *features_of_stage(const struct weir_report *report,
                                 const struct weir_stage_merges *merges, const char *name)
{
	const struct weir_stage_row *rows = report->stages + merges->first_row;

	for (size_t i = 0; name && i < merges->count; i++)
		if (strcmp(rows[i].name, name) == 0)
			return rows[i].features;
	return NULL;
}

/* Fills the features of every stage of the timeline. rows: of kernels, in any order. */
static void fill_top_of_stages(const struct weir_report *report,
                               const struct weir_stage_merges *merges,
                               const struct weir_operator_row **rows, size_t count)
{
	qsort(rows, count, sizeof *rows, by_stage_and_name);
	for (size_t i = 0, end; i < count; i = end) {
		const char *stage = rows[i]->stage;
		double *values = features_of_stage(report, merges, stage);

		for (end = i + 1; end < count && stage && rows[end]->stage &&
		                  strcmp(rows[end]->stage, stage) == 0;)
			end++;
		if (values)
			fill_top_operator(&rows[i], end - i, values);
	}
}

/* Fills the features of the profile and of its stages. Rows without a kernel are host operators. */
static void fill_top_operators(const struct weir_report *report,
                               const struct weir_stage_merges *merges, bool verdict_only)
{
	const struct weir_operator_row **rows =
		weir_alloc(report->operator_count * sizeof(struct weir_operator_row *));
	size_t count = 0;

	for (size_t i = 0; i < report->operator_count; i++)
		if (report->operators[i].kernel)
			rows[count++] = &report->operators[i];
	qsort(rows, count, sizeof *rows, by_name);
	fill_top_operator(rows, count, report->features);
	if (!verdict_only)
		fill_top_of_stages(report, merges, rows, count);
	free(rows);
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

/* Stores the durations of the spans of a stage with a batch of `low` to `high` rows; returns their
 * number. */
static size_t batch_durations(const struct weir_steps *steps, uint32_t stage, int64_t low,
                              int64_t high, double *out)
{
	size_t count = 0;

	for (size_t i = steps->first_span[stage]; i < steps->first_span[stage + 1]; i++) {
		const struct weir_span *span = &steps->spans[steps->spans_by_stage[i]];

		if (span->rows >= low && span->rows <= high)
			out[count++] = (double)weir_span_duration(span);
	}
	return count;
}

/* Returns the median step time at up to half of the largest batch over that at the largest, for
 * the stage with most such steps; NAN: too few. */
static double flat_step_ratio(const struct weir_steps *steps)
{
	double *small = weir_alloc((steps->span_count + 1) * sizeof *small);
	double *large = weir_alloc((steps->span_count + 1) * sizeof *large);
	double ratio = NAN;
	size_t most = 0;

	for (uint32_t s = 0; s < steps->stage_count; s++) {
		int64_t largest = 0;
		size_t few, many;

		for (size_t i = steps->first_span[s]; i < steps->first_span[s + 1]; i++)
			if (steps->spans[steps->spans_by_stage[i]].rows > largest)
				largest = steps->spans[steps->spans_by_stage[i]].rows;
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

/* Says which traces are judged as a whole because their steady steps are a sliver of them. */
static void note_slivers(const struct weir_analysis *analysis, struct weir_report *report)
{
	size_t slivers = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		slivers += analysis->ranks[r].steps.sliver;
	if (slivers > 0)
		weir_report_note(report, "steps_hold_little",
		                 "the steady steps are less than a tenth of the time in %zu of %zu "
		                 "traces, and hold little of the device work or are fewer than "
		                 "five: those are judged as a whole, start included",
		                 slivers, analysis->rank_count);
}

/* Says how much time in first collectives is set apart. */
static void note_first_waits(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_text text = {0};
	int64_t longest_ns = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		if (analysis->ranks[r].steps.first_wait_ns > longest_ns)
			longest_ns = analysis->ranks[r].steps.first_wait_ns;
	if (longest_ns == 0)
		return;
	weir_text_duration(&text, (double)longest_ns);
	weir_report_note(report, "first_collective",
	                 "the first collective took up to %s, more than five times any later one: "
	                 "it likely waited for a rank that started later, and is set apart",
	                 text.data);
	weir_text_release(&text);
}

static void fill_profile_only(const struct weir_analysis *analysis,
                              const struct weir_report *report, double *values)
{
	uint64_t waits = 0, reads = 0, steps = 0, calls = 0, unrecorded = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		waits += rank->launches.syncs + rank->launches.blocking_copies;
		reads += rank->launches.scalar_reads;
		calls += rank->launches.calls;
		unrecorded += rank->launches.unrecorded;
		for (size_t i = 0; i < rank->steps.step_count; i++)
			steps += !report->steady || rank->steps.steps[i].state == WEIR_STEP_STEADY;
		if (isnan(values[WEIR_F_FLAT_STEP_RATIO]))
			values[WEIR_F_FLAT_STEP_RATIO] = flat_step_ratio(&rank->steps);
	}
	values[WEIR_F_LAUNCH_P50_NS] = report->has_gpu ? report->gpu.launch.p50_ns : NAN;
	values[WEIR_F_RANKS] = (double)report->rank_count;
	for (size_t i = 0; i < report->rank_row_count; i++) {
		values[WEIR_F_LINK_SHARE] =
			fmax(values[WEIR_F_LINK_SHARE], report->ranks[i].link_share);
		values[WEIR_F_ONE_LATE_RANK] =
			fmax(values[WEIR_F_ONE_LATE_RANK], report->ranks[i].straggler_score);
	}
	values[WEIR_F_PADDING_WASTE] = padding_waste(analysis);
	if (calls > 0)
		values[WEIR_F_UNRECORDED_LAUNCHES] = (double)unrecorded / (double)calls;
	weir_memory_features(report, values);
	weir_host_operator_features(report, values);
	if (report->has_gpu) {
		values[WEIR_F_SYNC_DENSITY] = report->gpu.waits.sync_share;
		values[WEIR_F_LAUNCH_CALL_SHARE] = report->gpu.waits.launch_call_share;
		values[WEIR_F_STARVED_OF_IDLE] = report->gpu.queue.starved_share;
	}
	if (steps > 0) {
		values[WEIR_F_SCALAR_READS_PER_STEP] = (double)reads / (double)steps;
		values[WEIR_F_SYNCS_PER_STEP] = (double)waits / (double)steps;
		values[WEIR_F_STEPS] = (double)report->iteration_count;
		values[WEIR_F_KERNELS_PER_STEP] = values[WEIR_F_KERNELS] / (double)steps;
	}
}

/* Fills the features about steps that compile or load, from the rank with most of them. */
static void fill_loading(const struct weir_analysis *analysis, double *values)
{
	const struct weir_loading_steps *most = NULL;

	for (size_t r = 0; r < analysis->rank_count; r++)
		if (!most || analysis->ranks[r].loading.steps > most->steps)
			most = &analysis->ranks[r].loading;
	if (!most)
		return;
	values[WEIR_F_LOADING_STEPS] = (double)most->steps;
	if (most->comparable)
		values[WEIR_F_NEW_SHAPE_LOADS] = (double)most->novel / (double)most->steps;
}

/* Fills the features about executions of compiled programs. */
static void fill_programs(const struct weir_analysis *analysis, double *values)
{
	struct weir_programs programs = {0};

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_programs_count(&analysis->ranks[r].timeline,
		                    analysis->ranks[r].groups.row_call, &programs);
	if (programs.executions == 0)
		return;
	values[WEIR_F_PROGRAMS] = (double)programs.executions;
	values[WEIR_F_PROGRAM_WORKS] = (double)programs.works / (double)programs.executions;
	values[WEIR_F_PROGRAM_KINDS] = (double)programs.kinds;
}

/* Fills the features about idle time without events behind copies to the host. */
static void fill_result_gaps(const struct weir_analysis *analysis, double *values)
{
	struct weir_result_gaps gaps = {0};

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_result_gaps_find(&analysis->ranks[r].timeline, &analysis->ranks[r].segments,
		                      &gaps);
	if (gaps.no_work_ns == 0)
		return;
	values[WEIR_F_RESULTS_OF_NO_WORK] = (double)gaps.behind_ns / (double)gaps.no_work_ns;
	values[WEIR_F_RESULT_GAPS] = (double)gaps.count;
}

/* Fills the features about launch calls that wait for their kernel. */
static void fill_blocking(const struct weir_analysis *analysis, double *values)
{
	uint64_t single = 0, blocking = 0;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];
		const struct weir_trace *trace = rank->trace;

		single += rank->launches.single;
		blocking += rank->launches.blocking;
		for (size_t i = 0; i < trace->label_count; i++)
			if (strcmp(weir_names_text(trace->names, trace->labels[i].key),
			           WEIR_LABEL_LAUNCH_BLOCKING) == 0)
				values[WEIR_F_BLOCKING_ENVIRONMENT] = 1;
	}
	if (single >= WEIR_BLOCKING_FEWEST)
		values[WEIR_F_BLOCKING_LAUNCHES] = (double)blocking / (double)single;
}

/*
 * Returns the time to judge. The server has no request to work on while its launching thread does
 * nothing outside every named stage. If that is most of the time, the rest is judged. Without named
 * stages such gaps may be work of the program without a name, so all time is judged.
 */
static struct weir_ledger time_with_work(const struct weir_stage_merges *merges,
                                         struct weir_report *report)
{
	struct weir_ledger ledger = merges->total;
	int64_t no_work_ns = merges->outside.idle_ns[WEIR_IDLE_HOST_IDLE];
	double share = (double)no_work_ns / (double)ledger.total_ns;

	if (merges->count == 0 || !(share > MOSTLY_NO_WORK))
		return ledger;
	weir_ledger_drop_no_work(&ledger, no_work_ns);
	weir_attribution_from_ledger(&report->attribution, &ledger);
	weir_report_note(report, WEIR_NOTE_NO_WORK,
	                 "no work was submitted for %.0f %% of the time (the launching thread was "
	                 "idle, outside every stage): verdict and attribution cover the rest",
	                 100 * share);
	return ledger;
}

/*
 * Returns the time that the rules about the profile judge. Requests explain why the device had no
 * work; with requests it is therefore the time in stages of computation, or in all stages if none
 * is of that kind.
 */
static struct weir_ledger judged_time(const struct weir_analysis *analysis,
                                      const struct weir_stage_merges *merges,
                                      struct weir_report *report)
{
	struct weir_ledger computing = {0};

	if (!analysis->serving)
		return time_with_work(merges, report);
	for (size_t m = 0; m < merges->count; m++)
		if (strcmp(merges->items[m].kind, "compute") == 0)
			weir_ledger_add(&computing, &merges->items[m].ledger);
	if (computing.total_ns == 0)
		computing = merges->total;
	weir_ledger_drop_no_work(&computing, computing.idle_ns[WEIR_IDLE_HOST_IDLE]);
	return computing;
}

void weir_fill_features(const struct weir_analysis *analysis,
                        const struct weir_stage_merges *merges, struct weir_report *report)
{
	static const enum weir_feature_id of_profile[] = {WEIR_F_RANKS,
	                                                  WEIR_F_LOADING_STEPS,
	                                                  WEIR_F_NEW_SHAPE_LOADS,
	                                                  WEIR_F_BLOCKING_LAUNCHES,
	                                                  WEIR_F_BLOCKING_ENVIRONMENT,
	                                                  WEIR_F_PROGRAMS,
	                                                  WEIR_F_PROGRAM_WORKS,
	                                                  WEIR_F_PROGRAM_KINDS};
	const struct weir_ledger judged = judged_time(analysis, merges, report);

	report->features = weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *report->features);
	weir_features_clear(report->features);
	weir_features_from_ledger(report->features, &judged);
	if (weir_report_lacks_kernels(report))
		weir_withdraw_idle_features(report, report->features);
	weir_attribution_from_ledger(&report->device_attribution, &judged);
	fill_profile_only(analysis, report, report->features);
	fill_loading(analysis, report->features);
	fill_blocking(analysis, report->features);
	fill_programs(analysis, report->features);
	fill_result_gaps(analysis, report->features);
	note_slivers(analysis, report);
	note_first_waits(analysis, report);
	for (size_t i = 0; i < report->stage_count; i++) {
		struct weir_stage_row *row = &report->stages[i];

		row->features =
			weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *row->features);
		weir_features_clear(row->features);
		for (size_t f = 0; f < sizeof of_profile / sizeof *of_profile; f++)
			row->features[of_profile[f]] = report->features[of_profile[f]];
		if (i >= merges->first_row && i < merges->first_row + merges->count &&
		    !weir_report_lacks_kernels(report))
			weir_features_from_ledger(row->features,
			                          &merges->items[i - merges->first_row].ledger);
	}
	if (!report->has_gpu)
		return;
	fill_kernels(analysis, merges, report);
	fill_top_operators(report, merges, analysis->options.verdict_only);
}
