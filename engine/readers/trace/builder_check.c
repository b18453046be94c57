/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether a trace is what it seems: the warnings that need sorted and joined columns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/trace/builder_impl.h"

#define BEFORE_LAUNCH_NS                                                                           \
	INT64_C(1000000)             /* clocks of host and device are matched to well below this */
#define JITTER_NS      INT64_C(1000) /* a child may end this much after its parent */
#define OVERHEAD_SHARE 0.05
#define GRAPH_SHARE    0.5

static const char *host_name(const struct weir_trace *trace, uint32_t row)
{
	return weir_names_text(trace->names, trace->host.name[row]);
}

/* Replays of graphs are known by the call that launched them, or by their own arguments. */
static void mark_graphs(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	struct weir_device_columns *rows = &trace->device;
	double in_graph_ns = 0, total_ns = 0; /* sums of hostile durations may leave int64 */

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

/* Calls of a kind that launches work in this trace, without any work of their own. */
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

/* Neighbours by start on one stream where the later one starts before the earlier one ends. */
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

/* Ranges that are open at one moment of one thread; each ends no later than the one below. */
struct nest {
	int64_t *end_ns;
	size_t depth, capacity;
};

/* Opens [start, end); false where it outlasts the range that holds it. */
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

/* Sorts the ranges. */
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

void weir_builder_check(struct weir_builder *builder)
{
	mark_graphs(builder);
	check_links(builder);
	check_launches(builder);
	check_overlap(builder);
	check_nesting(builder);
	check_overhead(builder);
}
