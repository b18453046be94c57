/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finishes a trace: joins what the host called with what the device did, and checks the result. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"
#include "engine/readers/trace/builder_impl.h"

static bool is_communication(const struct weir_trace *trace, uint32_t row)
{
	const char *name = weir_names_text(trace->names, trace->device.name[row]);

	return strstr(name, "nccl") || strstr(name, "rccl") || strstr(name, "Nccl") ||
	       strstr(name, "NCCL");
}

static uint32_t find_collective(const struct weir_trace *trace, const struct weir_rowmap *map,
                                uint64_t external)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(map, weir_rowmap_hash(external), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (trace->collectives[row].external == external)
			return row;
	return WEIR_NONE;
}

/* Indexes collectives by external id: those recorded with a kernel, or those recorded on the host.
 */
static void index_collectives(const struct weir_trace *trace, bool of_device,
                              struct weir_rowmap *map)
{
	for (size_t i = 0; i < trace->collective_count; i++)
		if ((trace->collectives[i].device_row != WEIR_NONE) == of_device &&
		    trace->collectives[i].external &&
		    find_collective(trace, map, trace->collectives[i].external) == WEIR_NONE)
			weir_rowmap_add(map, weir_rowmap_hash(trace->collectives[i].external),
			                (uint32_t)i);
}

/* Fills in what only the host record states: newer writers put sequence numbers only there. */
static void complete(struct weir_collective *own, const struct weir_collective *host)
{
	if (own->sequence < 0)
		own->sequence = host->sequence;
	if (own->members == 0)
		own->members = host->members;
	if (own->group_size <= 0)
		own->group_size = host->group_size;
}

/* Removes host records that repeat the arguments of a kernel. */
static void drop_repeated(struct weir_trace *trace)
{
	bool *repeated = weir_alloc(trace->collective_count * sizeof(*repeated));
	struct weir_rowmap own = {0};
	size_t kept = 0;

	index_collectives(trace, true, &own);
	for (size_t i = 0; i < trace->collective_count; i++) {
		uint32_t kernel = WEIR_NONE;

		if (trace->collectives[i].device_row == WEIR_NONE)
			kernel = find_collective(trace, &own, trace->collectives[i].external);
		repeated[i] = kernel != WEIR_NONE;
		if (repeated[i])
			complete(&trace->collectives[kernel], &trace->collectives[i]);
	}
	for (size_t i = 0; i < trace->collective_count; i++)
		if (!repeated[i])
			trace->collectives[kept++] = trace->collectives[i];
	trace->collective_count = kept;
	weir_rowmap_release(&own);
	free(repeated);
}

static void join_collectives(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	struct weir_rowmap hosts = {0};

	if (!trace->collective_count)
		return;
	drop_repeated(trace);
	index_collectives(trace, false, &hosts);
	for (size_t i = 0; hosts.count && i < trace->device.count; i++) {
		uint32_t record;

		if (!trace->device.external[i] || !is_communication(trace, (uint32_t)i))
			continue;
		record = find_collective(trace, &hosts, trace->device.external[i]);
		if (record != WEIR_NONE && trace->collectives[record].device_row == WEIR_NONE)
			trace->collectives[record].device_row = (uint32_t)i;
	}
	weir_rowmap_release(&hosts);
}

/* ---- integrity warnings, on sorted and joined columns ---- */

/* Profilers align the clocks of host and device to well below this. */
#define BEFORE_LAUNCH_NS INT64_C(1000000)
#define JITTER_NS        INT64_C(1000) /* a child may end this much after its parent */
#define OVERHEAD_SHARE   0.05
#define GRAPH_SHARE      0.5

static const char *host_name(const struct weir_trace *trace, uint32_t row)
{
	return weir_names_text(trace->names, trace->host.name[row]);
}

/* Marks work that was replayed from a graph: its launch is a graph launch, or its arguments name
 * the graph. */
static void mark_graphs(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	struct weir_device_columns *rows = &trace->device;
	double in_graph_ns = 0, total_ns = 0; /* sums of hostile durations may overflow int64_t */

	for (size_t i = 0; i < rows->count; i++) {
		double duration_ns = (double)(rows->end_ns[i] - rows->start_ns[i]);

		if (rows->launch[i] != WEIR_NONE &&
		    strstr(host_name(trace, rows->launch[i]), "GraphLaunch"))
			rows->flags[i] |= WEIR_DEVICE_IN_GRAPH;
		total_ns += duration_ns;
		in_graph_ns += rows->flags[i] & WEIR_DEVICE_IN_GRAPH ? duration_ns : 0;
	}
	if (in_graph_ns > GRAPH_SHARE * total_ns)
		weir_builder_warn(builder, WEIR_WARN_GRAPH_HIDDEN, 1, NULL);
}

static void check_links(struct weir_builder *builder)
{
	const struct weir_trace *trace = builder->trace;
	uint64_t unlinked = 0, early = 0;

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];

		if (launch == WEIR_NONE)
			unlinked++;
		else if (trace->device.start_ns[i] <
		         trace->host.start_ns[launch] - BEFORE_LAUNCH_NS)
			early++;
	}
	weir_builder_warn(builder, WEIR_WARN_UNLINKED, unlinked, NULL);
	weir_builder_warn(builder, WEIR_WARN_BEFORE_LAUNCH, early, NULL);
}

/* Counts calls that launched no work although other calls of the same name did. */
static void check_launches(struct weir_builder *builder)
{
	const struct weir_trace *trace = builder->trace;
	uint8_t *launches = weir_alloc(weir_names_count(trace->names));
	uint8_t *works = weir_alloc(trace->host.count + 1);
	uint64_t without = 0;
	char detail[sizeof(((struct weir_warning *)0)->detail)] = "";

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];

		if (launch == WEIR_NONE)
			continue;
		works[launch] = 1;
		launches[trace->host.name[launch]] = 1;
	}
	for (size_t i = 0; i < trace->host.count; i++) {
		if (trace->host.kind[i] != WEIR_HOST_API || works[i] ||
		    !launches[trace->host.name[i]])
			continue;
		if (!without++)
			snprintf(detail, sizeof(detail), "%s", host_name(trace, (uint32_t)i));
	}
	weir_builder_warn(builder, WEIR_WARN_LAUNCH_WITHOUT_WORK, without, detail);
	free(launches);
	free(works);
}

/* Counts work that starts before its predecessor on the same stream has ended. */
static void check_overlap(struct weir_builder *builder)
{
	const struct weir_trace *trace = builder->trace;
	int64_t *end_ns = weir_alloc((trace->stream_count + 1) * sizeof(*end_ns));
	uint64_t overlaps = 0;

	for (size_t i = 0; i < trace->stream_count; i++)
		end_ns[i] = INT64_MIN;
	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t stream = trace->device.stream[i];

		overlaps += trace->device.start_ns[i] < end_ns[stream];
		end_ns[stream] = trace->device.end_ns[i];
	}
	weir_builder_warn(builder, WEIR_WARN_STREAM_OVERLAP, overlaps, NULL);
	free(end_ns);
}

/* The host ranges that are open at one instant of a thread, outermost first; each ends no later
 * than the one that holds it. */
struct nest {
	int64_t *end_ns;
	size_t depth, capacity;
};

/* Opens [start_ns, end_ns). Returns false if it ends after the range that holds it. */
static bool open_range(struct nest *nest, int64_t start_ns, int64_t end_ns)
{
	bool nested;

	while (nest->depth && nest->end_ns[nest->depth - 1] <= start_ns)
		nest->depth--;
	nested = !nest->depth || end_ns <= nest->end_ns[nest->depth - 1] + JITTER_NS;
	if (nest->depth && (!nested || end_ns > nest->end_ns[nest->depth - 1]))
		end_ns = nest->end_ns[nest->depth - 1];
	nest->end_ns =
		weir_grow(nest->end_ns, &nest->capacity, nest->depth + 1, sizeof(*nest->end_ns));
	nest->end_ns[nest->depth++] = end_ns;
	return nested;
}

static void check_nesting(struct weir_builder *builder)
{
	const struct weir_host_columns *host = &builder->trace->host;
	struct nest nest = {0};
	uint64_t misnested = 0;

	for (size_t i = 0; i < host->count; i++) {
		if (i && host->thread[i] != host->thread[i - 1])
			nest.depth = 0;
		if (host->kind[i] != WEIR_HOST_OVERHEAD && host->end_ns[i] > host->start_ns[i])
			misnested += !open_range(&nest, host->start_ns[i], host->end_ns[i]);
	}
	weir_builder_warn(builder, WEIR_WARN_MISNESTED, misnested, NULL);
	free(nest.end_ns);
}

struct range {
	int64_t start_ns, end_ns;
};

static int compare_ranges(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* Returns the length of the union of the ranges; sorts them. */
static int64_t measure_union(struct range *ranges, size_t count)
{
	int64_t end_ns = INT64_MIN, total_ns = 0;

	if (count)
		qsort(ranges, count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < count; i++) {
		int64_t start_ns = ranges[i].start_ns > end_ns ? ranges[i].start_ns : end_ns;

		if (ranges[i].end_ns <= start_ns)
			continue;
		total_ns += ranges[i].end_ns - start_ns;
		end_ns = ranges[i].end_ns;
	}
	return total_ns;
}

static void widen(struct range *span, const int64_t *start_ns, const int64_t *end_ns, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		span->start_ns = start_ns[i] < span->start_ns ? start_ns[i] : span->start_ns;
		span->end_ns = end_ns[i] > span->end_ns ? end_ns[i] : span->end_ns;
	}
}

static void check_overhead(struct weir_builder *builder)
{
	const struct weir_trace *trace = builder->trace;
	const struct weir_host_columns *host = &trace->host;
	struct range span = {INT64_MAX, INT64_MIN}, *ranges = NULL;
	size_t count = 0, capacity = 0;
	double share = 0;
	char detail[32];

	widen(&span, host->start_ns, host->end_ns, host->count);
	widen(&span, trace->device.start_ns, trace->device.end_ns, trace->device.count);
	for (size_t i = 0; i < host->count; i++) {
		if (host->kind[i] != WEIR_HOST_OVERHEAD)
			continue;
		ranges = weir_grow(ranges, &capacity, count + 1, sizeof(*ranges));
		ranges[count++] = (struct range){host->start_ns[i], host->end_ns[i]};
	}
	if (span.end_ns > span.start_ns)
		share = (double)measure_union(ranges, count) /
		        ((double)span.end_ns - (double)span.start_ns);
	free(ranges);
	snprintf(detail, sizeof(detail), "%.0f %% of the span", share * 100);
	if (share > OVERHEAD_SHARE)
		weir_builder_warn(builder, WEIR_WARN_PROFILER_OVERHEAD, 1, detail);
}

/* Checks that give different warnings and read what none of them writes. */
static void (*const checks[])(struct weir_builder *builder) = {
	check_nesting, check_overhead, check_launches, mark_graphs, check_links, check_overlap,
};

static void run_check(void *context, size_t index)
{
	checks[index](context);
}

/* A builder whose rows are not yet sorted. */
struct unsorted {
	struct weir_builder *builder;
	struct weir_row_orders orders;
	struct weir_rowmap launches;
};

enum { ORDER_HOST, INDEX_LAUNCHES, ORDER_DEVICE, TASKS };

/* Finds the order of rows, or indexes the calls that launched work. */
static void order_or_index(void *context, size_t task)
{
	struct unsorted *unsorted = context;

	if (task == ORDER_HOST)
		unsorted->orders.host = weir_builder_host_order(unsorted->builder);
	else if (task == INDEX_LAUNCHES)
		weir_builder_index_launches(unsorted->builder, &unsorted->launches);
	else
		unsorted->orders.device = weir_builder_device_order(unsorted->builder);
}

enum weir_status weir_builder_finish(struct weir_builder *builder, struct weir_error *err)
{
	struct unsorted unsorted = {.builder = builder};
	struct weir_region region;

	if (builder->limit)
		return weir_fail(err, WEIR_E_LIMIT,
		                 "too many %s: a trace may hold %u rows, %u threads, %u streams "
		                 "and %u devices",
		                 builder->limit, WEIR_MAX_ROWS, WEIR_MAX_THREADS, WEIR_MAX_STREAMS,
		                 WEIR_MAX_DEVICES);
	region = weir_region_enter("finish", NULL);
	weir_builder_drop_far_off(builder);
	weir_builder_order_devices(builder);
	weir_pool_run(TASKS, weir_pool_width(TASKS), order_or_index, &unsorted);
	weir_builder_join_launches(builder, &unsorted.launches);
	weir_rowmap_release(&unsorted.launches);
	weir_flows_release(&builder->flows); /* many, and of no further use */
	weir_builder_name_threads(builder);
	weir_builder_sort(builder, &unsorted.orders);
	weir_trace_trim(builder->trace);
	join_collectives(builder);
	weir_pool_run(WEIR_COUNT_OF(checks), weir_pool_width(WEIR_COUNT_OF(checks)), run_check,
	              builder);
	weir_region_leave(&region, "rows",
	                  builder->trace->host.count + builder->trace->device.count);
	return WEIR_OK;
}
