/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/rank/rank.h"
#include "engine/analysis/roofline/shapes.h"
#include "engine/analysis/roofline/traffic.h"
#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/launch_groups.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"

static uint32_t most_sms(const struct weir_device_table *table)
{
	uint32_t most = 0;

	for (size_t i = 0; i < table->count; i++)
		if (table->items[i].sms > most)
			most = table->items[i].sms;
	return most;
}

static void find_devices(struct weir_rank *rank, const struct weir_rank_options *options)
{
	const struct weir_trace *trace = rank->trace;

	rank->devices = weir_alloc(trace->device_count * sizeof *rank->devices);
	for (size_t d = 0; d < trace->device_count; d++) {
		const struct weir_trace_device *device = &trace->devices[d];
		struct weir_rank_device *out = &rank->devices[d];

		if (options->device_name)
			out->known = weir_device_find(options->table, options->device_name, 0, 0,
			                              &out->peaks);
		else
			out->known = weir_device_find(
				options->table, weir_names_text(trace->names, device->name),
				device->memory_bytes, device->sms, &out->peaks);
		out->sms = device->sms > 0 || !out->known ? device->sms : out->peaks.sms;
		out->fill_blocks = out->sms > 0 ? out->sms : most_sms(options->table);
	}
}

/* Inputs of the measurements of a rank that need neither its segments nor each other, and the
 * activity of its host, which the segments need. */
struct measuring {
	struct weir_rank *rank;
	bool launching; /* of the options */
	struct weir_host_activity *activity;
	struct weir_intervals windows; /* of all devices */
	int64_t *ends;                 /* of the steady steps */
	uint32_t *numbers;
	struct weir_step_ends steps;
};

static void measuring_init(struct measuring *measuring, struct weir_rank *rank,
                           const struct weir_rank_options *options)
{
	size_t steps = rank->steps.step_count;

	*measuring = (struct measuring){.rank = rank, .launching = options->launching};
	measuring->activity = weir_host_activity_new(&rank->timeline, &rank->steps);
	measuring->ends = weir_alloc((steps + 1) * sizeof *measuring->ends);
	measuring->numbers = weir_alloc((steps + 1) * sizeof *measuring->numbers);
	measuring->steps = (struct weir_step_ends){measuring->ends, measuring->numbers, 0};
	for (size_t d = 0; d < rank->trace->device_count; d++) {
		const struct weir_intervals *windows = &rank->steps.windows[d];

		for (size_t w = 0; w < windows->count; w++)
			weir_intervals_push(&measuring->windows, windows->items[w].start_ns,
			                    windows->items[w].end_ns);
	}
	weir_intervals_unite(&measuring->windows);
	for (size_t i = 0; i < steps; i++) {
		if (rank->steps.steps[i].state != WEIR_STEP_STEADY)
			continue;
		measuring->numbers[measuring->steps.count] = (uint32_t)i;
		measuring->ends[measuring->steps.count++] = rank->steps.steps[i].end_ns;
	}
}

static void measuring_release(struct measuring *measuring)
{
	weir_host_activity_free(measuring->activity);
	weir_intervals_release(&measuring->windows);
	free(measuring->ends);
	free(measuring->numbers);
}

static uint64_t measure_devices(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;

	rank->activity = weir_alloc(rank->trace->device_count * sizeof *rank->activity);
	for (size_t d = 0; d < rank->trace->device_count; d++) {
		weir_activity_measure(rank->trace, rank->timeline.first_row[d],
		                      rank->timeline.first_row[d + 1], rank->timeline.work,
		                      &rank->steps.windows[d], &rank->activity[d]);
		rank->busy_ns = weir_add_ns(rank->busy_ns, rank->activity[d].active_ns);
	}
	return rank->trace->device_count;
}

static uint64_t measure_delays(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;

	weir_launch_delays_measure(&rank->timeline, &measuring->windows, &rank->launches);
	return rank->launches.kernels;
}

static uint64_t measure_launches(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;

	weir_launches_measure(&rank->timeline, &measuring->windows, &rank->launches);
	return rank->trace->device.count;
}

/* Measures the queues, and groups the launches, if the rank shall have them. */
static uint64_t measure_launching(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;
	struct weir_rank_launching *launching;

	if (!measuring->launching)
		return 0;
	launching = rank->launching = weir_alloc(sizeof *launching);
	weir_queue_measure(&rank->timeline, &measuring->windows, &launching->queue,
	                   &launching->parts);
	launching->rows =
		weir_launch_rows(&rank->timeline, &measuring->windows, &launching->row_count);
	return launching->row_count;
}

static uint64_t measure_memory(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;

	weir_memory_measure(&rank->timeline, &measuring->windows, &measuring->steps, &rank->memory);
	return rank->trace->memory_count;
}

static uint64_t group_work(struct measuring *measuring)
{
	struct weir_rank *rank = measuring->rank;

	weir_groups_init(&rank->groups, &rank->timeline, &rank->steps);
	weir_graphs_init(&rank->graphs, &rank->timeline, &rank->groups);
	return rank->groups.count;
}

/* A measurement returns its count, which its region shows. The longest come first, so that the
 * threads end at about the same time. */
static const struct {
	const char *region, *counted;
	uint64_t (*measure)(struct measuring *measuring);
} measurements[] = {
	{"launching", "rows", measure_launching}, {"delays", "kernels", measure_delays},
	{"launches", "rows", measure_launches},   {"groups", "groups", group_work},
	{"memory", "events", measure_memory},     {"activity", "devices", measure_devices},
};

#define TASKS (WEIR_HOST_SEARCHES + WEIR_COUNT_OF(measurements))

/* Searches the rows of the host, or measures. The search for leaves, which comes first, takes as
 * long as most of the others together. */
static void search_or_measure(void *context, size_t index)
{
	struct measuring *measuring = context;
	struct weir_region region;
	uint64_t count;

	if (index < WEIR_HOST_SEARCHES) {
		region = weir_region_enter("host", NULL);
		weir_host_activity_search(measuring->activity, index);
		weir_region_leave(&region, "rows", measuring->rank->trace->host.count);
		return;
	}
	index -= WEIR_HOST_SEARCHES;
	region = weir_region_enter(measurements[index].region, NULL);
	count = measurements[index].measure(measuring);
	weir_region_leave(&region, measurements[index].counted, count);
}

/* Measures by the segments. */
static void own_or_count(void *context, size_t index)
{
	struct weir_rank *rank = context;

	if (index == 0)
		weir_groups_own(&rank->groups, &rank->segments);
	else
		weir_loading_steps_count(&rank->timeline, &rank->steps, &rank->segments,
		                         &rank->loading);
}

static void explain_time(struct weir_rank *rank, struct weir_host_activity *activity)
{
	struct weir_region region = weir_region_enter("segments", NULL);

	weir_segments_init(&rank->segments, &rank->timeline, &rank->steps, activity);
	weir_pool_run(2, weir_pool_width(2), own_or_count, rank);
	weir_region_leave(&region, "segments", rank->segments.count);
}

static void keep_leaves(struct weir_rank *rank, struct weir_host_activity *activity)
{
	rank->leaves = weir_alloc((rank->trace->thread_count + 1) * sizeof *rank->leaves);
	weir_host_activity_take_leaves(activity, rank->leaves);
}

bool weir_call_of_op(const struct weir_trace *trace, uint32_t op_row, const char *kernel,
                     struct weir_call *call)
{
	uint32_t shape = op_row == WEIR_NONE ? 0 : trace->host.shape[op_row];

	if (shape == 0)
		return false;
	*call = (struct weir_call){
		.op = weir_names_text(trace->names, trace->host.name[op_row]),
		.kernel = kernel,
		.dims = weir_names_text(trace->names, trace->shapes[shape].dims),
		.types = weir_names_text(trace->names, trace->shapes[shape].types),
		.scalars = weir_names_text(trace->names, trace->shapes[shape].scalars),
		.strides = weir_names_text(trace->names, trace->shapes[shape].strides),
	};
	return true;
}

static bool is_transfer(const char *name)
{
	static const char *const ways[] = {"HtoD", "DtoH",         "PtoP",        "HtoA",
	                                   "AtoH", "HostToDevice", "DeviceToHost"};

	for (size_t i = 0; i < sizeof ways / sizeof *ways; i++)
		if (strstr(name, ways[i]))
			return true;
	return false;
}

/* Returns the usual limit of a kernel. That of products follows from tiles as the matrix units use
 * them; the vector units are limited by arithmetic from smaller tiles on. */
static enum weir_family_limit limit_of(const char *kernel)
{
	return weir_kernel_is_vector_product(kernel) ? WEIR_LIMIT_COMPUTE
	                                             : weir_kernel_limit(kernel);
}

static void set_kinds(double *values, const struct weir_rank *rank, const struct weir_group *group)
{
	const char *kernel = weir_names_text(rank->trace->names, group->kernel);
	bool copy = group->work == WEIR_WORK_COPY, transfer = copy && is_transfer(kernel);
	enum weir_family_limit limit = limit_of(kernel);

	values[WEIR_F_IS_COMMUNICATION] = group->work == WEIR_WORK_COMM;
	values[WEIR_F_IS_TRANSFER] = transfer;
	values[WEIR_F_IS_LOCAL_COPY] = copy && !transfer;
	values[WEIR_F_FAMILY_MEMORY] =
		limit == WEIR_LIMIT_UNKNOWN ? NAN : limit == WEIR_LIMIT_MEMORY;
	values[WEIR_F_FAMILY_STREAMS] =
		limit == WEIR_LIMIT_UNKNOWN ? NAN : weir_kernel_streams(kernel);
	values[WEIR_F_FAMILY_COMPUTE] =
		limit == WEIR_LIMIT_UNKNOWN ? NAN : limit == WEIR_LIMIT_COMPUTE;
}

/* Returns the share of a group's time in kernels with the usual limit of the longest one. Others
 * than that one count only if they fill the device as rules ask of it: a block for every second
 * multiprocessor, and 64 threads in a block. */
static double family_share(const struct weir_rank *rank, size_t index, uint32_t fill_blocks)
{
	const struct weir_groups *groups = &rank->groups;
	const struct weir_group *group = &groups->items[index];
	const struct weir_names *names = rank->trace->names;
	enum weir_family_limit limit = limit_of(weir_names_text(names, group->kernel));
	int64_t ns = group->same_ns;

	for (size_t k = groups->first_kernel[index]; k < groups->first_kernel[index + 1]; k++) {
		const struct weir_group_kernel *kernel = &groups->kernels[k];

		if (2 * (uint64_t)kernel->blocks >= fill_blocks && kernel->threads >= 64 &&
		    limit_of(weir_names_text(names, kernel->name)) == limit)
			ns = weir_add_ns(ns, kernel->ns);
	}
	return (double)ns / (double)group->sum_ns;
}

/* Returns the share of a group's time in products that their names place on the vector units. */
static double vector_product_share(const struct weir_rank *rank, size_t index)
{
	const struct weir_groups *groups = &rank->groups;
	const struct weir_group *group = &groups->items[index];
	const struct weir_names *names = rank->trace->names;
	int64_t ns = 0;

	if (weir_kernel_is_vector_product(weir_names_text(names, group->kernel)))
		ns = group->same_ns;
	for (size_t k = groups->first_kernel[index]; k < groups->first_kernel[index + 1]; k++)
		if (weir_kernel_is_vector_product(weir_names_text(names, groups->kernels[k].name)))
			ns = weir_add_ns(ns, groups->kernels[k].ns);
	return (double)ns / (double)group->sum_ns;
}

static void set_roofs(double *values, const struct weir_roofline_result *roofline, double call_ns)
{
	values[WEIR_F_IMPLAUSIBLE] = roofline->roofline == WEIR_ROOFLINE_IMPLAUSIBLE;
	values[WEIR_F_CACHED] = roofline->memory_upper_bound;
	if (roofline->roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
		return;
	values[WEIR_F_BYTES_ROOF] = roofline->sustained_memory_ns / call_ns;
	values[WEIR_F_FLOPS_ROOF] = roofline->sustained_compute_ns / call_ns;
	values[WEIR_F_INTENSITY_RATIO] =
		roofline->sustained_compute_ns / roofline->sustained_memory_ns;
	values[WEIR_F_MATRIX_UNITS_IDLE] = roofline->matrix_units_idle;
}

/* Computes the mean sums over the calls of a group; false: the name of a step does not state
 * them. */
static bool sums_of_group(const struct weir_rank *rank, size_t index, struct weir_step_sums *sums)
{
	const struct weir_groups *groups = &rank->groups;
	uint64_t first = groups->first_call[index], count = groups->items[index].calls;

	*sums = (struct weir_step_sums){0};
	for (uint64_t c = 0; c < count; c++) {
		uint32_t step = groups->calls[groups->calls_by_group[first + c]].step;
		struct weir_step_sums one;

		if (step == WEIR_NONE ||
		    !weir_step_sums_parse(
			    weir_names_text(
				    rank->trace->names,
				    rank->trace->host.name[rank->steps.steps[step].host_row]),
			    &one))
			return false;
		weir_step_sums_add(sums, &one);
	}
	weir_step_sums_divide(sums, (double)count);
	return count > 0;
}

/* Computes the work of a group. If shapes are not enough, adds the sums of its steps: they hold the
 * sequence lengths. */
static struct weir_work work_of_group(const struct weir_rank *rank, size_t index,
                                      struct weir_call *call)
{
	struct weir_work work = weir_work_of_call(call);
	struct weir_step_sums sums;

	if (work.confidence != WEIR_MODEL_NONE || !sums_of_group(rank, index, &sums))
		return work;
	call->sums = &sums;
	work = weir_work_of_call(call);
	call->sums = NULL;
	return work;
}

/* Returns the blocks for each multiprocessor, NAN if they are not known. An unknown device has a
 * value only if the blocks fill every known one. */
static double grid_fill(const struct weir_rank_device *device, uint64_t blocks)
{
	if (blocks == 0 || device->fill_blocks == 0 ||
	    (device->sms == 0 && blocks < device->fill_blocks))
		return NAN;
	return (double)blocks / (double)device->fill_blocks;
}

void weir_rank_assess(struct weir_rank *rank, size_t index, const struct weir_work *work)
{
	const struct weir_group *group = &rank->groups.items[index];
	const struct weir_rank_device *device = &rank->devices[group->device];
	uint32_t sms = rank->trace->devices[group->device].sms;
	struct weir_assessment *out = &rank->assessments[index];
	double call_ns = (double)group->sum_ns / (double)group->calls;

	weir_features_clear(out->values);
	out->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
	out->work = *work;
	out->tensor_bytes = work->bytes;
	out->traffic_bytes = fmax(work->bytes, work->traffic_bytes);
	weir_roofline_judge(&out->work, call_ns, group->blocks,
	                    device->known ? &device->peaks : NULL, &out->roofline);
	out->values[WEIR_F_OPERATOR_SHARE] =
		rank->busy_ns > 0 ? (double)group->owned_ns / (double)rank->busy_ns : NAN;
	out->values[WEIR_F_CALL_NS] = call_ns;
	out->values[WEIR_F_KERNEL_NS] = (double)group->sum_ns / (double)group->rows;
	out->values[WEIR_F_GRAPH_SHARE] = (double)group->graph_rows / (double)group->rows;
	if (group->blocks > 0 && sms > 0)
		out->values[WEIR_F_WAVES] = (double)group->blocks / (double)sms;
	if (group->sum_ns > 0)
		out->values[WEIR_F_KERNEL_SHARE] = (double)group->same_ns / (double)group->sum_ns;
	if (group->sum_ns > 0)
		out->values[WEIR_F_FAMILY_SHARE] = family_share(rank, index, device->fill_blocks);
	if (group->sum_ns > 0 && device->known && weir_device_outruns_vector_units(&device->peaks))
		out->values[WEIR_F_VECTOR_PRODUCT_SHARE] = vector_product_share(rank, index);
	out->values[WEIR_F_GRID_FILL] = grid_fill(device, group->blocks);
	if (group->threads > 0)
		out->values[WEIR_F_BLOCK_THREADS] = (double)group->threads;
	set_kinds(out->values, rank, group);
	if (out->work.confidence != WEIR_MODEL_NONE && device->known && call_ns > 0)
		set_roofs(out->values, &out->roofline, call_ns);
}

static void assess(struct weir_rank *rank, size_t index)
{
	const struct weir_group *group = &rank->groups.items[index];
	const struct weir_rank_device *device = &rank->devices[group->device];
	struct weir_work work = {.flops = NAN, .bytes = NAN};
	double call_ns = (double)group->sum_ns / (double)group->calls;
	struct weir_call call;
	bool has_call = group->shape != WEIR_NONE &&
	                weir_call_of_op(rank->trace, group->op_row,
	                                weir_names_text(rank->trace->names, group->kernel), &call);

	if (has_call)
		work = work_of_group(rank, index, &call);
	work.traffic_bytes = weir_traffic_bytes(
		&work,
		&(struct weir_launch_shape){
			.kernel = weir_names_text(rank->trace->names, group->kernel),
			.blocks = group->blocks,
			.threads = group->threads,
		},
		device->known ? &device->peaks : NULL);
	weir_rank_assess(rank, index, &work);
	if (has_call && work.confidence == WEIR_MODEL_NONE && device->known && call_ns > 0)
		rank->assessments[index].values[WEIR_F_OPERANDS_ROOF] =
			weir_operand_bytes(&call) / device->peaks.bytes_per_s.sustained /
			(call_ns / 1e9);
}

void weir_rank_init(struct weir_rank *rank, const struct weir_trace *trace,
                    const struct weir_rank_options *options)
{
	struct weir_region region = weir_region_enter("timeline", NULL);
	struct measuring measuring;

	*rank = (struct weir_rank){.trace = trace, .rank = trace->rank};
	weir_timeline_init(&rank->timeline, trace);
	weir_region_leave(&region, "events", trace->host.count + trace->device.count);
	region = weir_region_enter("steps", NULL);
	weir_steps_init(&rank->steps, &rank->timeline, options->aliases, options->steady);
	weir_region_leave(&region, "steps", rank->steps.step_count);
	find_devices(rank, options);
	measuring_init(&measuring, rank, options);
	weir_pool_run(TASKS, weir_pool_width(TASKS), search_or_measure, &measuring);
	explain_time(rank, measuring.activity);
	if (options->leaves)
		keep_leaves(rank, measuring.activity);
	measuring_release(&measuring);
	region = weir_region_enter("roofline", NULL);
	rank->assessments = weir_alloc(rank->groups.count * sizeof *rank->assessments);
	for (size_t i = 0; i < rank->groups.count; i++)
		assess(rank, i);
	weir_region_leave(&region, "groups", rank->groups.count);
}

void weir_rank_release(struct weir_rank *rank)
{
	for (size_t t = 0; rank->leaves && t < rank->trace->thread_count; t++)
		weir_leaves_release(&rank->leaves[t]);
	free(rank->leaves);
	free(rank->graph_ops);
	free(rank->graph_works);
	weir_graphs_release(&rank->graphs);
	weir_groups_release(&rank->groups);
	weir_segments_release(&rank->segments);
	weir_loading_steps_release(&rank->loading);
	weir_steps_release(&rank->steps);
	weir_timeline_release(&rank->timeline);
	free(rank->assessments);
	free(rank->devices);
	free(rank->activity);
	if (rank->launching)
		free(rank->launching->rows);
	free(rank->launching);
	free(rank->waits.until_ns);
	free(rank->waits.by);
	free(rank->waits.longest);
	free(rank->waits.last);
	*rank = (struct weir_rank){0};
}

bool weir_rank_row_transfers(const struct weir_rank *rank, uint32_t device_row)
{
	return is_transfer(weir_timeline_device_name(&rank->timeline, device_row));
}
