/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the operator table: groups of all ranks, merged by stage, operator and device. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/counters/counted_row.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/requests/joining.h"
#include "engine/analysis/rows/operator_parts.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* A group and the names that determine its row. Names are borrowed from the trace; those of
 * kernels are in the report's arena. */
struct entry {
	const char *device, *stage, *name; /* stage "": outside every stage */
	const struct weir_rank *rank;
	uint32_t group;
};

/* Fills the counted figures of a row from its groups. */
static void fill_counted(struct weir_operator_row *row, const struct weir_row_group *groups,
                         size_t count)
{
	weir_counted_row_fill(&row->counted, groups, count);
	/* Use the counters if models cover less than half of the row. */
	if (!isnan(row->bytes) || row->counted.share < 0.5)
		return;
	row->flops = row->counted.flops;
	row->bytes = row->counted.dram_bytes;
	row->tflops = row->flops * (double)row->call.count / row->call.total_ns / 1e3;
	row->gbps = row->bytes * (double)row->call.count / row->call.total_ns;
}

static int by_row(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;
	int order = strcmp(a->device, b->device);

	if (order == 0)
		order = strcmp(a->stage, b->stage);
	if (order == 0)
		order = strcmp(a->name, b->name);
	if (order != 0)
		return order;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->group > b->group) - (a->group < b->group);
}

static const char *display_kernel(const struct weir_rank *rank, uint32_t kernel,
                                  struct weir_arena *arena)
{
	struct weir_text text = {0};
	const char *copy;

	weir_kernel_display(weir_names_text(rank->trace->names, kernel), &text);
	if (text.length == 0)
		weir_text_puts(&text, WEIR_OTHER_WORK);
	copy = weir_arena_copy(arena, text.data, text.length);
	weir_text_release(&text);
	return copy;
}

static struct entry describe(const struct weir_rank *rank, uint32_t group, struct weir_arena *arena)
{
	const struct weir_group *item = &rank->groups.items[group];
	return (struct entry){
		.device = weir_names_text(rank->trace->names,
	                                  rank->trace->devices[item->device].name),
		.stage = item->stage == WEIR_NONE ? "" : rank->steps.stages[item->stage].name,
		.name = item->op_name != 0 ? weir_names_text(rank->trace->names, item->op_name)
	                                   : display_kernel(rank, item->kernel, arena),
		.rank = rank,
		.group = group,
	};
}

static const struct weir_group *group_of(const struct entry *entry)
{
	return &entry->rank->groups.items[entry->group];
}

static const struct weir_assessment *assessment_of(const struct entry *entry)
{
	return &entry->rank->assessments[entry->group];
}

static bool is_modelled(const struct weir_assessment *assessment)
{
	return assessment->work.confidence != WEIR_MODEL_NONE &&
	       assessment->roofline.roofline != WEIR_ROOFLINE_IMPLAUSIBLE;
}

/* Fills work per call and achieved rates, over the groups that have a model; unknown if these hold
 * less than half of the row's time. */
static void fill_work(struct weir_operator_row *row, const struct entry *entries, size_t count)
{
	double flops = 0, bytes = 0, efficiency = 0, calls = 0, modelled_ns = 0, rated_ns = 0,
	       all_ns = 0;

	row->flops = row->bytes = row->tflops = row->gbps = row->efficiency = NAN;
	for (size_t i = 0; i < count; i++) {
		const struct weir_group *group = group_of(&entries[i]);
		const struct weir_assessment *assessment = assessment_of(&entries[i]);

		all_ns += (double)group->sum_ns;
		if ((is_modelled(assessment) || assessment->counted.known) &&
		    isfinite(assessment->roofline.efficiency)) {
			rated_ns += (double)group->sum_ns;
			efficiency += assessment->roofline.efficiency * (double)group->sum_ns;
		}
		if (!is_modelled(assessment))
			continue;
		modelled_ns += (double)group->sum_ns;
		calls += (double)group->calls;
		flops += assessment->work.flops * (double)group->calls;
		bytes += assessment->work.bytes * (double)group->calls;
	}
	if (rated_ns > 0 && fmax(rated_ns, modelled_ns) >= all_ns / 2)
		row->efficiency = efficiency / rated_ns;
	if (modelled_ns <= 0 || modelled_ns < all_ns / 2)
		return;
	row->flops = flops / calls;
	row->bytes = bytes / calls;
	row->tflops = flops / modelled_ns / 1e3;
	row->gbps = bytes / modelled_ns;
}

/* Returns the largest entry among those with the bound that holds most of the row's time. */
static const struct entry *leading_entry(const struct entry *entries, size_t count)
{
	double ns[WEIR_BOUND_COUNT] = {0};
	enum weir_bound lead = WEIR_BOUND_UNDETERMINED;
	const struct entry *best = NULL;

	for (size_t i = 0; i < count; i++)
		ns[assessment_of(&entries[i])->verdict.bound] +=
			(double)group_of(&entries[i])->owned_ns;
	for (int b = 0; b < WEIR_BOUND_COUNT; b++)
		if (ns[b] > ns[lead])
			lead = (enum weir_bound)b;
	for (size_t i = 0; i < count; i++)
		if (assessment_of(&entries[i])->verdict.bound == lead &&
		    (!best || group_of(&entries[i])->owned_ns > group_of(best)->owned_ns))
			best = &entries[i];
	return best ? best : entries;
}

/* Returns the durations of all calls of the row in ns, by rank and time. The caller frees the
 * array. */
static double *call_times(const struct entry *entries, size_t count, size_t *out_count)
{
	uint64_t total = 0;
	double *values;

	*out_count = 0;
	for (size_t i = 0; i < count; i++)
		total += group_of(&entries[i])->calls;
	values = weir_alloc((total + 1) * sizeof *values);
	for (size_t i = 0; i < count; i++) {
		const struct weir_groups *groups = &entries[i].rank->groups;
		const uint32_t *calls =
			groups->calls_by_group + groups->first_call[entries[i].group];

		for (uint64_t c = 0; c < group_of(&entries[i])->calls; c++)
			values[(*out_count)++] = (double)groups->calls[calls[c]].device_ns;
	}
	return values;
}

static void fill_host_times(struct weir_operator_row *row, const struct entry *entries,
                            size_t count, const struct weir_host_time *host_times,
                            const struct weir_rank *first_rank)
{
	double *total = NULL, *self = NULL;
	size_t filled = 0, capacity = 0, self_capacity = 0;

	row->host_self_ns = row->host_total_ns = NAN;
	for (size_t i = 0; i < count; i++) {
		const struct weir_groups *groups = &entries[i].rank->groups;
		const struct weir_group *group = group_of(&entries[i]);
		const struct weir_host_time *times = &host_times[entries[i].rank - first_rank];

		for (uint64_t c = 0; group->op_name != 0 && c < group->calls; c++) {
			uint32_t op =
				groups->calls[groups->calls_by_group
			                              [groups->first_call[entries[i].group] + c]]
					.op_row;

			total = weir_grow(total, &capacity, filled + 1, sizeof *total);
			self = weir_grow(self, &self_capacity, filled + 1, sizeof *self);
			total[filled] = (double)weir_host_time_total(times, op);
			self[filled++] = (double)weir_host_time_self(times, op);
		}
	}
	if (filled > 0) {
		row->host_total_ns = weir_median(total, filled);
		row->host_self_ns = weir_median(self, filled);
	}
	free(total);
	free(self);
}

struct fill {
	const struct weir_analysis *analysis;
	struct weir_report *report;
	struct weir_host_time *host_times; /* one per rank */
	uint64_t **turns;                  /* [rank][stage], see count_turns() */
	const struct weir_median_step *median;
	double busy_ns;
};

/* Returns the number of analysed occurrences of each stage of a rank and, in the last element, of
 * steps, for work outside every stage. The caller frees the array. */
static uint64_t *count_turns(const struct weir_steps *steps, bool steady)
{
	uint64_t *turns = weir_alloc((steps->stage_count + 1) * sizeof *turns);

	for (size_t i = 0; i < steps->span_count; i++)
		turns[steps->spans[i].stage] +=
			weir_steps_span_counts(steps, &steps->spans[i], steady);
	for (size_t i = 0; i < steps->step_count; i++)
		turns[steps->stage_count] += !steady || steps->steps[i].state == WEIR_STEP_STEADY;
	return turns;
}

/* Returns the occurrences of the row's stage, summed over ranks as its calls are. Entries of one
 * rank are adjacent. */
static uint64_t turns_of_row(const struct fill *fill, const struct entry *entries, size_t count)
{
	uint64_t turns = 0;

	for (size_t i = 0; i < count; i++) {
		const struct weir_rank *rank = entries[i].rank;
		uint32_t stage = group_of(&entries[i])->stage;

		if (i == 0 || rank != entries[i - 1].rank)
			turns += fill->turns[rank - fill->analysis->ranks]
			                    [stage == WEIR_NONE ? rank->steps.stage_count : stage];
	}
	return turns;
}

static const char *copy(const struct fill *fill, const char *text)
{
	return text[0] ? weir_arena_copy(fill->report->arena, text, strlen(text)) : NULL;
}

static struct weir_operator_row *add_row(const struct fill *fill, const struct entry *entries,
                                         const struct entry *lead)
{
	struct weir_operator_row *row = &fill->report->operators[fill->report->operator_count++];

	row->name = weir_arena_copy(fill->report->arena, entries->name, strlen(entries->name));
	row->stage = copy(fill, entries->stage);
	row->device = copy(fill, entries->device);
	row->verdict = assessment_of(lead)->verdict;
	return row;
}

static void fill_row(const struct fill *fill, const struct entry *entries, size_t count)
{
	const struct entry *lead = leading_entry(entries, count);
	const struct weir_assessment *assessment = assessment_of(lead);
	struct weir_operator_row *row = add_row(fill, entries, lead);
	uint64_t iterations = turns_of_row(fill, entries, count);
	struct weir_row_group *groups = weir_alloc(count * sizeof *groups);
	double owned_ns = 0;
	size_t calls;
	double *values = call_times(entries, count, &calls);

	for (size_t i = 0; i < count; i++) {
		owned_ns += (double)group_of(&entries[i])->owned_ns;
		groups[i] = (struct weir_row_group){entries[i].rank, entries[i].group};
	}
	row->kernel = display_kernel(lead->rank, group_of(lead)->kernel, fill->report->arena);
	row->kind = weir_family_name(weir_kernel_family(
		weir_names_text(lead->rank->trace->names, group_of(lead)->kernel)));
	row->call = weir_distribution_of(values, calls);
	row->share = fill->busy_ns > 0 ? owned_ns / fill->busy_ns : NAN;
	row->calls_per_iteration = iterations > 0 ? (double)calls / (double)iterations : NAN;
	row->roofline = assessment->roofline.roofline;
	row->features = weir_arena_alloc(fill->report->arena, WEIR_F_COUNT * sizeof *row->features);
	memcpy(row->features, assessment->values, sizeof assessment->values);
	row->features[WEIR_F_OPERATOR_SHARE] = row->share;
	fill_work(row, entries, count);
	fill_counted(row, groups, count);
	weir_operator_parts_fill(row, groups, count, fill->median, fill->report->arena);
	fill_host_times(row, entries, count, fill->host_times, fill->analysis->ranks);
	free(groups);
	free(values);
}

/* Fills the members of a row that the features of the profile need: names, device time and
 * verdict. */
static void fill_row_for_verdict(const struct fill *fill, const struct entry *entries, size_t count)
{
	struct weir_operator_row *row = add_row(fill, entries, leading_entry(entries, count));

	row->kernel = row->name;
	for (size_t i = 0; i < count; i++)
		row->call.total_ns += (double)group_of(&entries[i])->sum_ns;
}

static int by_total(const void *left, const void *right)
{
	const struct weir_operator_row *a = left, *b = right;
	int order;

	if (a->call.total_ns != b->call.total_ns)
		return a->call.total_ns > b->call.total_ns ? -1 : 1;
	order = strcmp(a->name, b->name);
	if (order == 0)
		order = strcmp(a->stage ? a->stage : "", b->stage ? b->stage : "");
	return order != 0 ? order : strcmp(a->device ? a->device : "", b->device ? b->device : "");
}

/* Notes the operators whose model exceeds the device's peaks and is therefore not used: the model,
 * the shapes or the device's entry is wrong. */
static void note_implausible(struct weir_report *report)
{
	const char *first = NULL;
	size_t count = 0;

	for (size_t i = 0; i < report->operator_count; i++) {
		if (report->operators[i].roofline != WEIR_ROOFLINE_IMPLAUSIBLE)
			continue;
		first = first ? first : report->operators[i].name;
		count++;
	}
	if (count)
		weir_report_note(
			report, "implausible",
			"modelled throughput exceeds %.0f %% of the device's peak for %zu "
			"operator%s (%s): their shapes or the entry of the device are wrong, so "
			"the models are not used; --device NAME chooses another entry",
			100 * WEIR_IMPLAUSIBLE, count, count == 1 ? "" : "s", first);
}

static struct entry *collect_entries(const struct weir_analysis *analysis, struct weir_arena *arena,
                                     size_t *count)
{
	struct entry *entries;
	size_t total = 0;

	*count = 0;
	for (size_t r = 0; r < analysis->rank_count; r++)
		total += analysis->ranks[r].groups.count;
	entries = weir_alloc((total + 1) * sizeof *entries);
	for (size_t r = 0; r < analysis->rank_count; r++)
		for (uint32_t g = 0; g < analysis->ranks[r].groups.count; g++)
			entries[(*count)++] = describe(&analysis->ranks[r], g, arena);
	qsort(entries, *count, sizeof *entries, by_row);
	return entries;
}

static bool same_row(const struct entry *a, const struct entry *b)
{
	return strcmp(a->device, b->device) == 0 && strcmp(a->stage, b->stage) == 0 &&
	       strcmp(a->name, b->name) == 0;
}

/* ---- without device work: host operators by self time ---- */

struct host_call {
	const char *name;
	double self_ns, total_ns;
};

static int by_host_name(const void *left, const void *right)
{
	const struct host_call *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order != 0)
		return order;
	return (a->self_ns > b->self_ns) - (a->self_ns < b->self_ns);
}

/* Returns the kind of host rows to list: operators, or calls of the driver if there are no
 * operators. */
static enum weir_host_kind listed_kind(const struct weir_analysis *analysis)
{
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_host_columns *host = &analysis->ranks[r].trace->host;

		for (uint32_t i = 0; i < host->count; i++)
			if (host->kind[i] == WEIR_HOST_OP)
				return WEIR_HOST_OP;
	}
	return WEIR_HOST_API;
}

static struct host_call *collect_host_calls(const struct weir_analysis *analysis,
                                            const struct weir_host_time *host_times, size_t *count)
{
	const enum weir_host_kind kind = listed_kind(analysis);
	struct host_call *calls = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_host_columns *host = &analysis->ranks[r].trace->host;

		for (uint32_t i = 0; i < host->count; i++) {
			if (host->kind[i] != kind)
				continue;
			calls = weir_grow(calls, &capacity, *count + 1, sizeof *calls);
			calls[(*count)++] = (struct host_call){
				weir_timeline_host_name(&analysis->ranks[r].timeline, i),
				(double)weir_host_time_self(&host_times[r], i),
				(double)weir_host_time_total(&host_times[r], i),
			};
		}
	}
	if (*count > 0)
		qsort(calls, *count, sizeof *calls, by_host_name);
	return calls;
}

static void fill_host_row(struct weir_report *report, const struct host_call *calls, size_t count,
                          double *scratch)
{
	struct weir_operator_row *row = &report->operators[report->operator_count++];

	row->name = weir_arena_copy(report->arena, calls->name, strlen(calls->name));
	row->kernel = NULL;
	row->kind = "host";
	for (size_t i = 0; i < count; i++)
		scratch[i] = calls[i].total_ns;
	row->host_total_ns = weir_distribution_of(scratch, count).p50_ns;
	for (size_t i = 0; i < count; i++)
		scratch[i] = calls[i].self_ns;
	row->call = weir_distribution_of(scratch, count);
	if (count == 2) /* a percentile between two values is a time that neither took */
		row->call.p90_ns = row->call.p95_ns = row->call.p99_ns = NAN;
	row->host_self_ns = row->call.p50_ns;
	row->share = row->calls_per_iteration = NAN;
	row->flops = row->bytes = row->tflops = row->gbps = row->efficiency = NAN;
	row->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
	row->features = weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *row->features);
	weir_features_clear(row->features);
}

static size_t count_names(const struct host_call *calls, size_t count)
{
	size_t names = 0;

	for (size_t i = 0; i < count; i++)
		names += i == 0 || strcmp(calls[i].name, calls[i - 1].name) != 0;
	return names;
}

static void fill_host_operators(const struct weir_analysis *analysis,
                                const struct weir_host_time *host_times, struct weir_report *report)
{
	size_t count;
	struct host_call *calls = collect_host_calls(analysis, host_times, &count);
	double *scratch = weir_alloc((count + 1) * sizeof *scratch);

	report->operators = weir_arena_alloc(report->arena, (count_names(calls, count) + 1) *
	                                                            sizeof *report->operators);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && strcmp(calls[i].name, calls[end].name) == 0;)
			end++;
		fill_host_row(report, &calls[i], end - i, scratch);
	}
	free(scratch);
	free(calls);
}

static void fill_host_shares(struct weir_report *report)
{
	double all_ns = 0;

	for (size_t i = 0; i < report->operator_count; i++)
		all_ns += report->operators[i].call.total_ns;
	for (size_t i = 0; all_ns > 0 && i < report->operator_count; i++)
		report->operators[i].share = report->operators[i].call.total_ns / all_ns;
}

static void fill_rows(const struct fill *fill, const struct entry *entries, size_t count,
                      void (*fill_one)(const struct fill *, const struct entry *, size_t))
{
	fill->report->operators = weir_arena_alloc(fill->report->arena,
	                                           (count + 1) * sizeof *fill->report->operators);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && same_row(&entries[i], &entries[end]);)
			end++;
		fill_one(fill, &entries[i], end - i);
	}
}

void weir_run_add_host_operators(const struct weir_analysis *analysis, struct weir_run *run)
{
	struct weir_report *report = weir_report_new(analysis->profile);
	struct weir_host_time *times = weir_alloc(analysis->rank_count * sizeof *times);
	double all_ns = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_host_time_init(&times[r], &analysis->ranks[r].timeline);
	fill_host_operators(analysis, times, report);
	fill_host_shares(report);
	qsort(report->operators, report->operator_count, sizeof *report->operators, by_total);
	for (size_t i = 0; i < report->operator_count; i++)
		all_ns += report->operators[i].call.total_ns;
	if (all_ns > 0)
		weir_run_add_host_total(run, WEIR_HOST_NS, all_ns);
	for (size_t i = 0; i < report->operator_count; i++)
		weir_run_add_host_share(run, i, report->operators[i].name, NULL,
		                        report->operators[i].share);
	for (size_t r = 0; r < analysis->rank_count; r++)
		weir_host_time_release(&times[r]);
	free(times);
	weir_report_free(report);
}

void weir_fill_operators(const struct weir_analysis *analysis,
                         const struct weir_median_step *median, struct weir_report *report)
{
	struct fill fill = {.analysis = analysis, .report = report, .median = median};
	size_t count;
	struct entry *entries = collect_entries(analysis, report->arena, &count);

	if (analysis->options.verdict_only) {
		fill_rows(&fill, entries, count, fill_row_for_verdict);
		free(entries);
		return;
	}
	fill.host_times = weir_alloc(analysis->rank_count * sizeof *fill.host_times);
	fill.turns = weir_alloc(analysis->rank_count * sizeof *fill.turns);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		weir_host_time_init(&fill.host_times[r], &analysis->ranks[r].timeline);
		fill.turns[r] = count_turns(&analysis->ranks[r].steps, analysis->options.steady);
		fill.busy_ns += (double)analysis->ranks[r].busy_ns;
	}
	fill_rows(&fill, entries, count, fill_row);
	if (count == 0)
		fill_host_operators(analysis, fill.host_times, report);
	if (count == 0)
		fill_host_shares(report);
	qsort(report->operators, report->operator_count, sizeof *report->operators, by_total);
	note_implausible(report);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		weir_host_time_release(&fill.host_times[r]);
		free(fill.turns[r]);
	}
	free(fill.host_times);
	free(fill.turns);
	free(entries);
}
