/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/host_time.h"
#include "engine/analysis/timeline/launches.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/stats/quantile.h"

#define SCALAR_BYTES 64 /* a smaller copy reads a number, not data */
#define LOOK_AHEAD   64 /* rows after a copy that are searched for its wait */

struct samples {
	double *value;
	size_t count, capacity;
};

static void samples_push(struct samples *samples, int64_t value)
{
	samples->value = weir_grow(samples->value, &samples->capacity, samples->count + 1,
	                           sizeof(*samples->value));
	samples->value[samples->count++] = (double)value;
}

/* Summarizes the samples and releases them. */
static struct weir_delay summarize_take(struct samples *samples)
{
	static const double probs[] = {0.50, 0.90, 0.99};
	struct weir_delay delay = {.quantiles = {NAN, NAN, NAN}, .count = samples->count};
	double at[3];

	if (samples->count > 0) {
		weir_quantiles(samples->value, samples->count, probs, 3, at);
		delay.quantiles = (struct weir_launch_quantiles){at[0], at[1], at[2]};
	}
	for (size_t i = 0; i < samples->count; i++)
		delay.negative += samples->value[i] < 0;
	free(samples->value);
	*samples = (struct samples){0};
	return delay;
}

/* Returns b - a with its sign, limited to the range of int64_t. */
static int64_t signed_span(int64_t a_ns, int64_t b_ns)
{
	return b_ns >= a_ns ? weir_span_ns(a_ns, b_ns) : -weir_span_ns(b_ns, a_ns);
}

struct delays {
	struct samples duration, api, raw, queue, unqueued;
};

/* Makes room for a sample of each kind for every row: lists that do not move are written once. */
static void make_room(struct delays *delays, size_t rows)
{
	struct samples *const all[] = {&delays->duration, &delays->api, &delays->raw,
	                               &delays->queue, &delays->unqueued};

	for (size_t i = 0; i < WEIR_COUNT_OF(all); i++)
		all[i]->value =
			weir_grow(all[i]->value, &all[i]->capacity, rows, sizeof *all[i]->value);
}

bool weir_launch_delay_of(const struct weir_timeline *timeline, size_t row, int64_t stream_end_ns,
                          struct weir_launch_delay *out)
{
	const struct weir_trace *trace = timeline->trace;
	int64_t start = trace->device.start_ns[row], returned;
	uint32_t launch = trace->device.launch[row];

	if (launch == WEIR_NONE || weir_timeline_is_replayed(timeline, row))
		return false;
	returned = trace->host.end_ns[launch];
	*out = (struct weir_launch_delay){
		.call_ns = weir_span_ns(trace->host.start_ns[launch], returned),
		.raw_ns = signed_span(returned, start),
		.queue_ns =
			signed_span(stream_end_ns <= returned ? returned : stream_end_ns, start),
		.unqueued = stream_end_ns <= returned,
	};
	return true;
}

int64_t *weir_stream_ends(const struct weir_trace *trace)
{
	int64_t *latest = weir_alloc((trace->stream_count + 1) * sizeof(*latest));
	int64_t *before = weir_alloc((trace->device.count + 1) * sizeof(*before));

	for (size_t s = 0; s < trace->stream_count; s++)
		latest[s] = INT64_MIN;
	for (size_t i = 0; i < trace->device.count; i++) {
		int64_t *end = &latest[trace->device.stream[i]];

		before[i] = *end;
		if (trace->device.end_ns[i] > *end)
			*end = trace->device.end_ns[i];
	}
	free(latest);
	return before;
}

static void add_kernel(struct delays *delays, const struct weir_timeline *timeline, size_t row,
                       int64_t stream_end_ns)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	struct weir_launch_delay delay;

	samples_push(&delays->duration, weir_span_ns(device->start_ns[row], device->end_ns[row]));
	if (!weir_launch_delay_of(timeline, row, stream_end_ns, &delay))
		return;
	samples_push(&delays->api, delay.call_ns);
	samples_push(&delays->raw, delay.raw_ns);
	samples_push(&delays->queue, delay.queue_ns);
	if (delay.unqueued)
		samples_push(&delays->unqueued, delay.raw_ns > 0 ? delay.raw_ns : 0);
}

void weir_launch_delays_measure(const struct weir_timeline *timeline,
                                const struct weir_intervals *windows,
                                struct weir_launch_figures *out)
{
	const struct weir_trace *trace = timeline->trace;
	int64_t *stream_end = weir_stream_ends(trace);
	struct delays delays = {0};

	make_room(&delays, trace->device.count);
	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.kind[i] == WEIR_DEVICE_KERNEL &&
		    weir_intervals_contains(windows, trace->device.start_ns[i]))
			add_kernel(&delays, timeline, i, stream_end[i]);
	out->kernels = delays.duration.count;
	out->kernel_p50_ns = summarize_take(&delays.duration).quantiles.p50_ns;
	out->api = summarize_take(&delays.api);
	out->raw = summarize_take(&delays.raw);
	out->queue = summarize_take(&delays.queue);
	out->unqueued = summarize_take(&delays.unqueued);
	free(stream_end);
}

static void count_launches(const struct weir_timeline *timeline,
                           const struct weir_intervals *windows, struct weir_launch_figures *out)
{
	const struct weir_trace *trace = timeline->trace;
	uint8_t *seen = weir_alloc(trace->host.count + 1);

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];

		if (launch == WEIR_NONE || seen[launch])
			continue;
		seen[launch] = 1;
		if (!weir_intervals_contains(windows, trace->host.start_ns[launch]))
			continue;
		out->launches++;
		out->graph_launches +=
			timeline->api_class[trace->host.name[launch]] == WEIR_API_GRAPH_LAUNCH;
	}
	free(seen);
}

static bool is_launch_call(const struct weir_timeline *timeline, uint32_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return row != WEIR_NONE && host->kind[row] == WEIR_HOST_API &&
	       (WEIR_API_BIT(timeline->api_class[host->name[row]]) & WEIR_API_LAUNCHES);
}

/* Counts the launch calls of the trace and those whose work is not recorded, as while a graph is
 * captured. A driver call inside a runtime call is a part of it. */
static void count_unrecorded(const struct weir_timeline *timeline, struct weir_launch_figures *out)
{
	const struct weir_trace *trace = timeline->trace;
	uint8_t *works = weir_alloc(trace->host.count + 1);
	bool linked = false;

	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t launch = trace->device.launch[i];

		if (launch == WEIR_NONE)
			continue;
		works[launch] = 1;
		if (is_launch_call(timeline, timeline->parent[launch]))
			works[timeline->parent[launch]] = 1;
		linked = true;
	}
	for (uint32_t i = 0; linked && i < trace->host.count; i++) {
		if (!is_launch_call(timeline, i) || is_launch_call(timeline, timeline->parent[i]))
			continue;
		out->calls++;
		out->unrecorded += !works[i];
	}
	free(works);
}

/* Counts the launches that return when their kernel has ended, as all do with CUDA_LAUNCH_BLOCKING
 * or AMD_SERIALIZE_KERNEL. Any other call returns before its kernel begins. */
static void count_blocking(const struct weir_timeline *timeline, struct weir_launch_figures *out)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	const struct weir_host_columns *host = &timeline->trace->host;

	for (size_t i = 0; i < device->count; i++) {
		uint32_t launch = device->launch[i];

		if (device->kind[i] != WEIR_DEVICE_KERNEL || !is_launch_call(timeline, launch) ||
		    weir_timeline_is_replayed(timeline, i))
			continue;
		if (is_launch_call(timeline, timeline->parent[launch]))
			launch = timeline->parent[launch];
		out->single++;
		out->blocking += host->end_ns[launch] >= device->end_ns[i];
	}
}

/* Returns the busy time of all devices; sets the share of graph replays. */
static int64_t measure_graphs(const struct weir_timeline *timeline,
                              const struct weir_intervals *windows, struct weir_launch_figures *out)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	struct weir_intervals busy = {0}, graph = {0};
	int64_t busy_ns = 0, graph_ns = 0;

	for (size_t d = 0; d < timeline->trace->device_count; d++) {
		for (size_t i = timeline->first_row[d]; i < timeline->first_row[d + 1]; i++) {
			weir_intervals_push(&busy, device->start_ns[i], device->end_ns[i]);
			if (weir_timeline_is_replayed(timeline, i))
				weir_intervals_push(&graph, device->start_ns[i], device->end_ns[i]);
		}
		busy_ns = weir_add_ns(busy_ns, weir_intervals_common_ns(&busy, windows));
		graph_ns = weir_add_ns(graph_ns, weir_intervals_common_ns(&graph, windows));
		weir_intervals_clear(&busy);
		weir_intervals_clear(&graph);
	}
	weir_intervals_release(&busy);
	weir_intervals_release(&graph);
	out->graph_share = busy_ns > 0 ? (double)graph_ns / (double)busy_ns : NAN;
	return busy_ns;
}

static void measure_calls(const struct weir_timeline *timeline,
                          const struct weir_intervals *windows, int64_t busy_ns,
                          struct weir_launch_figures *out)
{
	uint8_t *threads = weir_launching_threads(timeline->trace);
	struct weir_call_time time;

	weir_call_time_measure(timeline, windows, WEIR_API_LAUNCHES, NULL, &time);
	out->launch_call_share = busy_ns > 0 ? (double)time.thread_ns / (double)busy_ns : NAN;
	weir_call_time_measure(timeline, windows, WEIR_API_WAITS, threads, &time);
	out->syncs = time.count[WEIR_API_SYNC];
	out->blocking_copies = time.count[WEIR_API_COPY_BLOCKING];
	out->wait_thread_ns = time.thread_ns;
	out->wait_ns = time.any_ns;
	free(threads);
}

/* Returns true for names such as "Memcpy DtoH (Device -> Pageable)" of CUPTI and "CopyDeviceToHost"
 * of roctracer. */
static bool is_to_host(const char *name)
{
	return strstr(name, "DtoH") || strstr(name, "DeviceToHost");
}

/*
 * Returns true if the host waits for a copy: its thread's next relevant call is a wait inside the
 * operator that the program called. aten::_local_scalar_dense does this, and any code that reads a
 * value to branch on it.
 */
static bool is_awaited(const struct weir_timeline *timeline, uint32_t launch)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	uint32_t op = weir_timeline_outermost_op(timeline, launch);
	int64_t end = op == WEIR_NONE ? INT64_MAX : host->end_ns[op];

	if (timeline->api_class[host->name[launch]] == WEIR_API_COPY_BLOCKING)
		return true;
	for (size_t i = (size_t)launch + 1; i < host->count && i - launch <= LOOK_AHEAD; i++) {
		unsigned class = WEIR_API_BIT(timeline->api_class[host->name[i]]);

		if (host->thread[i] != host->thread[launch] || host->start_ns[i] >= end)
			return false;
		if (host->kind[i] != WEIR_HOST_API)
			continue;
		if (class & WEIR_API_BIT(WEIR_API_SYNC))
			return true;
		if (class & WEIR_API_STARTS_WORK)
			return false;
	}
	return false;
}

static uint64_t count_scalar_reads(const struct weir_timeline *timeline,
                                   const struct weir_intervals *windows)
{
	const struct weir_device_columns *device = &timeline->trace->device;
	const struct weir_host_columns *host = &timeline->trace->host;
	uint64_t count = 0;

	for (uint32_t i = 0; i < device->count; i++) {
		uint32_t launch = device->launch[i];

		if (device->kind[i] != WEIR_DEVICE_COPY || device->bytes[i] < 0 ||
		    device->bytes[i] >= SCALAR_BYTES || launch == WEIR_NONE)
			continue;
		count += weir_intervals_contains(windows, host->start_ns[launch]) &&
		         is_to_host(weir_timeline_device_name(timeline, i)) &&
		         is_awaited(timeline, launch);
	}
	return count;
}

void weir_launches_measure(const struct weir_timeline *timeline,
                           const struct weir_intervals *windows, struct weir_launch_figures *out)
{
	int64_t busy_ns;

	out->launches = out->graph_launches = 0;
	count_launches(timeline, windows, out);
	out->calls = out->unrecorded = 0;
	count_unrecorded(timeline, out);
	out->single = out->blocking = 0;
	count_blocking(timeline, out);
	busy_ns = measure_graphs(timeline, windows, out);
	measure_calls(timeline, windows, busy_ns, out);
	out->scalar_reads = count_scalar_reads(timeline, windows);
}
