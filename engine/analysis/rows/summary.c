/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the figures about the whole run: devices, ranks, steps, device time, memory. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/distribution.h"
#include "engine/analysis/time/histogram.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/stats/quantile.h"

static void add_device(struct weir_report *report, const char *name)
{
	for (size_t i = 0; i < report->device_count; i++)
		if (strcmp(report->devices[i].name ? report->devices[i].name : "", name) == 0) {
			report->devices[i].count++;
			return;
		}
	report->devices[report->device_count++] = (struct weir_device_summary){
		name[0] ? weir_arena_copy(report->arena, name, strlen(name)) : NULL, 1};
}

/* Counts the devices that have work by name; a trace also describes idle devices of its host. */
static void fill_devices(const struct weir_analysis *analysis, struct weir_report *report)
{
	size_t most = 0;

	for (size_t r = 0; r < analysis->summary_count; r++)
		most += analysis->summaries[r].device_count;
	report->devices = weir_arena_alloc(report->arena, (most + 1) * sizeof *report->devices);
	for (size_t r = 0; r < analysis->summary_count; r++) {
		const struct weir_rank_summary *rank = &analysis->summaries[r];

		report->rank_count += rank->device_rows > 0;
		for (size_t d = 0; d < rank->device_count; d++)
			if (rank->devices[d].works)
				add_device(report, rank->devices[d].name);
	}
}

static void list_set_apart(const struct weir_rank *rank, struct weir_report *report, size_t room)
{
	struct weir_text text = {0};

	for (size_t i = 0; i < rank->steps.step_count && report->set_apart_count < room; i++) {
		const struct weir_step *step = &rank->steps.steps[i];
		struct weir_set_apart *out = &report->set_apart[report->set_apart_count];
		const char *name = weir_timeline_host_name(&rank->timeline, step->host_row);

		if (step->state == WEIR_STEP_STEADY)
			continue;
		weir_text_clear(&text);
		weir_text_printf(&text, "%s: ", weir_step_state_name(step->state));
		if (step->state == WEIR_STEP_INCOMPLETE) {
			weir_text_printf(&text, "%u launches without their work",
			                 step->missing_rows);
		} else {
			weir_text_duration(&text, (double)step->period_ns);
			weir_text_puts(&text, " against a median of ");
			weir_text_duration(&text, rank->steps.median_period_ns);
		}
		*out = (struct weir_set_apart){
			.name = weir_arena_copy(report->arena, name, strlen(name)),
			.reason = weir_arena_copy(report->arena, text.data, text.length),
			.count = 1,
			.duration_ns = step->period_ns,
		};
		report->set_apart_count++;
	}
	weir_text_release(&text);
}

static void fill_set_apart(const struct weir_analysis *analysis, struct weir_report *report)
{
	size_t room = 0;

	for (size_t r = 0; r < analysis->rank_count; r++)
		for (size_t i = 0; i < analysis->ranks[r].steps.step_count; i++)
			room += analysis->ranks[r].steps.steps[i].state != WEIR_STEP_STEADY;
	report->set_apart = weir_arena_alloc(report->arena, (room + 1) * sizeof *report->set_apart);
	for (size_t r = 0; r < analysis->rank_count; r++)
		list_set_apart(&analysis->ranks[r], report, room);
}

/* Fills the distribution of the analysed steps of the rank with most of them. */
static void fill_iterations(const struct weir_analysis *analysis, struct weir_report *report)
{
	double *periods = NULL;
	size_t capacity = 0;

	report->iteration = weir_distribution_of(NULL, 0);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_steps *steps = &analysis->ranks[r].steps;
		size_t count = 0;

		for (size_t i = 0; i < steps->step_count; i++) {
			if (report->steady && steps->steps[i].state != WEIR_STEP_STEADY)
				continue;
			periods = weir_grow(periods, &capacity, count + 1, sizeof *periods);
			periods[count++] = (double)steps->steps[i].period_ns;
		}
		if (count > report->iteration_count) {
			report->iteration_count = count;
			report->iteration = weir_distribution_of(periods, count);
		}
	}
	free(periods);
}

static void fill_span(const struct weir_analysis *analysis, struct weir_report *report)
{
	for (size_t r = 0; r < analysis->summary_count; r++)
		if (analysis->summaries[r].span_ns > report->span_ns)
			report->span_ns = analysis->summaries[r].span_ns;
}

/* Returns the median duration of the kernels, and counts them by duration for the report. */
static double kernel_median(const struct weir_analysis *analysis, struct weir_report *report)
{
	double *values = NULL, median;
	size_t count = 0, capacity = 0;
	struct weir_bins bins = {0};
	struct weir_histogram *histogram;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];
		const struct weir_device_columns *device = &rank->trace->device;

		for (size_t i = 0; i < device->count; i++) {
			int64_t ns;

			if (rank->groups.row_call[i] == WEIR_NONE ||
			    device->kind[i] != WEIR_DEVICE_KERNEL)
				continue;
			values = weir_grow(values, &capacity, count + 1, sizeof *values);
			ns = weir_span_ns(device->start_ns[i], device->end_ns[i]);
			values[count++] = (double)ns;
			weir_bins_add(&bins, ns);
		}
	}
	median = weir_median(values, count);
	histogram = weir_bins_finish(&bins, report->arena);
	if (histogram)
		weir_report_pictures(report)->kernels = histogram;
	free(values);
	return median;
}

/* Fills MFU and MBU: modelled FLOPs and bytes over the theoretical peaks in the analysed time. The
 * peak of the precision with most FLOPs counts. */
static void fill_utilization(const struct weir_analysis *analysis, struct weir_gpu_figures *gpu)
{
	double flops[WEIR_ENGINE_COUNT][WEIR_DTYPE_COUNT] = {{0}}, all_flops = 0, bytes = 0,
	       most = 0;
	double modelled_ns = 0, busy_ns = 0, window_s = 0, peak_flops = NAN, peak_bytes = NAN;

	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		busy_ns += (double)rank->busy_ns;
		for (size_t d = 0; d < rank->trace->device_count; d++)
			window_s += (double)rank->activity[d].window_ns / 1e9;
		for (size_t g = 0; g < rank->groups.count; g++) {
			const struct weir_group *group = &rank->groups.items[g];
			const struct weir_assessment *assessment = &rank->assessments[g];
			const struct weir_rank_device *device = &rank->devices[group->device];
			const struct weir_work *work = &assessment->work;

			if (work->confidence == WEIR_MODEL_NONE || !device->known ||
			    assessment->roofline.roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
				continue;
			modelled_ns += (double)group->owned_ns;
			bytes += work->bytes * (double)group->calls;
			all_flops += work->flops * (double)group->calls;
			peak_bytes = device->peaks.bytes_per_s.theoretical;
			flops[work->engine][work->dtype] += work->flops * (double)group->calls;
			if (flops[work->engine][work->dtype] > most) {
				most = flops[work->engine][work->dtype];
				peak_flops =
					weir_device_flops(&device->peaks, work->engine, work->dtype)
						.theoretical;
			}
		}
	}
	gpu->modelled_share = busy_ns > 0 ? modelled_ns / busy_ns : NAN;
	gpu->mfu = modelled_ns > 0 && window_s > 0 ? all_flops / window_s / peak_flops : NAN;
	gpu->mbu = modelled_ns > 0 && window_s > 0 ? bytes / window_s / peak_bytes : NAN;
}

static void add_ns(int64_t *to_ns, int64_t ns)
{
	*to_ns = weir_add_ns(*to_ns, ns);
}

static void fill_activity(const struct weir_analysis *analysis, struct weir_gpu_figures *gpu)
{
	struct weir_activity sum = {0};
	double window;

	for (size_t r = 0; r < analysis->summary_count; r++)
		for (size_t d = 0; d < analysis->summaries[r].device_count; d++) {
			const struct weir_activity *one =
				&analysis->summaries[r].devices[d].activity;

			add_ns(&sum.window_ns, one->window_ns);
			add_ns(&sum.active_ns, one->active_ns);
			add_ns(&sum.compute_ns, one->compute_ns);
			add_ns(&sum.communication_ns, one->communication_ns);
			add_ns(&sum.copy_ns, one->copy_ns);
			add_ns(&sum.exposed_communication_ns, one->exposed_communication_ns);
			add_ns(&sum.exposed_copy_ns, one->exposed_copy_ns);
		}
	window = (double)sum.window_ns;
	gpu->window_ns = sum.window_ns;
	gpu->active = (double)sum.active_ns / window;
	gpu->idle = (double)(sum.window_ns - sum.active_ns) / window;
	gpu->compute = (double)sum.compute_ns / window;
	gpu->communication = (double)sum.communication_ns / window;
	gpu->exposed_communication = (double)sum.exposed_communication_ns / window;
	gpu->memcpy = (double)sum.copy_ns / window;
	gpu->exposed_memcpy = (double)sum.exposed_copy_ns / window;
}

static void fill_gpu(const struct weir_analysis *analysis, const struct weir_ledger *total,
                     struct weir_report *report)
{
	struct weir_gpu_figures *gpu = &report->gpu;

	report->has_gpu = total->total_ns > 0;
	if (!report->has_gpu)
		return;
	fill_activity(analysis, gpu);
	for (size_t c = 0; c < WEIR_IDLE_COUNT; c++)
		gpu->idle_share[c] = (double)total->idle_ns[c] / (double)total->total_ns;
	gpu->kernels = total->kernels;
	gpu->kernel_p50_ns = kernel_median(analysis, report);
	gpu->launch = (struct weir_launch_quantiles){NAN, NAN, NAN};
	gpu->graph_share = NAN;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_launch_figures *launches = &analysis->ranks[r].launches;

		if (analysis->ranks[r].trace->device.count == 0)
			continue;
		gpu->launch = launches->unqueued.quantiles;
		gpu->graph_share = launches->graph_share;
		break; /* ranks run the same program: use the launches of the first */
	}
	fill_utilization(analysis, gpu);
	weir_fill_launching(analysis, total, report);
}

static struct weir_rank_row rank_row(const struct weir_rank_summary *rank)
{
	const struct weir_waits *waits = &rank->waits;
	bool known = weir_waits_known(waits);
	double collective_ns = (double)waits->collective_ns;
	int64_t window_ns = 0, exposed_ns = 0;

	for (size_t d = 0; d < rank->device_count; d++) {
		add_ns(&window_ns, rank->devices[d].activity.window_ns);
		add_ns(&exposed_ns, rank->devices[d].activity.exposed_communication_ns);
	}
	return (struct weir_rank_row){
		.rank = rank->rank,
		.active = (double)rank->busy_ns / (double)window_ns,
		.exposed_communication = (double)exposed_ns / (double)window_ns,
		.wait = known ? (double)waits->wait_ns / collective_ns : NAN,
		.transfer = known ? (double)waits->transfer_ns / collective_ns : NAN,
		.straggler_score = waits->straggler_score,
		.late_by = waits->late_by,
		.collectives = waits->aligned ? (double)waits->matched : NAN,
		.bus_bytes_per_s = waits->bus_bytes_per_s,
		.link_share = waits->link_share,
		.clock_offset_ns = waits->aligned ? (double)waits->offset_ns : NAN,
		.device = -1,
	};
}

static struct weir_rank_row device_row(const struct weir_rank_summary *rank, size_t device)
{
	const struct weir_activity *activity = &rank->devices[device].activity;
	double window_ns = (double)activity->window_ns;

	return (struct weir_rank_row){
		.rank = rank->rank,
		.active = (double)activity->active_ns / window_ns,
		.exposed_communication = (double)activity->exposed_communication_ns / window_ns,
		.wait = NAN,
		.transfer = NAN,
		.straggler_score = NAN,
		.collectives = NAN,
		.bus_bytes_per_s = NAN,
		.link_share = NAN,
		.clock_offset_ns = NAN,
		.device = rank->devices[device].id,
	};
}

/* Returns the number of devices with work. */
static size_t working_devices(const struct weir_rank_summary *rank)
{
	size_t count = 0;

	for (size_t d = 0; d < rank->device_count; d++)
		count += rank->devices[d].works;
	return count;
}

static int by_rank(const void *left, const void *right)
{
	const struct weir_rank_summary *const *a = left, *const *b = right;

	if ((*a)->rank != (*b)->rank)
		return (*a)->rank < (*b)->rank ? -1 : 1;
	return (*a > *b) - (*a < *b); /* ranks are in one array, in the order of the inputs */
}

/* Lists the ranks, and the devices of ranks that use several, in the order of their numbers. */
static void fill_ranks(const struct weir_analysis *analysis, struct weir_report *report)
{
	const struct weir_rank_summary **order =
		weir_alloc(analysis->summary_count * sizeof(*order));
	size_t rows = 0, most = 0;

	for (size_t r = 0; r < analysis->summary_count; r++) {
		size_t count = working_devices(&analysis->summaries[r]);

		order[r] = &analysis->summaries[r];
		rows += count + 1;
		most = count > most ? count : most;
	}
	if (report->rank_count > 1 || most > 1)
		report->ranks = weir_arena_alloc(report->arena, rows * sizeof *report->ranks);
	qsort(order, analysis->summary_count, sizeof(*order), by_rank);
	for (size_t r = 0; report->ranks && r < analysis->summary_count; r++) {
		const struct weir_rank_summary *rank = order[r];

		if (report->rank_count > 1 && rank->device_rows > 0)
			report->ranks[report->rank_row_count++] = rank_row(rank);
		for (size_t d = 0; working_devices(rank) > 1 && d < rank->device_count; d++)
			if (rank->devices[d].works)
				report->ranks[report->rank_row_count++] = device_row(rank, d);
	}
	free(order);
}

void weir_fill_summary(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                       struct weir_report *report)
{
	fill_devices(analysis, report);
	fill_span(analysis, report);
	if (report->steady)
		fill_set_apart(analysis, report);
	fill_iterations(analysis, report);
	fill_gpu(analysis, &merges->total, report);
	fill_ranks(analysis, report);
	if (report->has_gpu && weir_kernels_unrecorded(analysis, &merges->total))
		weir_withdraw_idle(report);
	if (!analysis->options.verdict_only)
		weir_fill_job(analysis, report);
	weir_fill_memory(analysis, &merges->total, report);
	weir_attribution_from_ledger(&report->attribution, &merges->total);
	if (!report->has_gpu) {
		report->attribution.total_ns = report->span_ns;
		report->attribution.ns[WEIR_BOUND_UNDETERMINED] = report->span_ns;
	}
	report->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
}
