/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/timeline/cold_start.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Calls that return at once, once everything is loaded. A copy is not among them: it may wait for
 * its data. */
#define PROMPT                                                                                     \
	(WEIR_API_LAUNCHES | WEIR_API_BIT(WEIR_API_SET) | WEIR_API_BIT(WEIR_API_ALLOC_ASYNC) |     \
	 WEIR_API_BIT(WEIR_API_CAPTURE) | WEIR_API_BIT(WEIR_API_EVENT) |                           \
	 WEIR_API_BIT(WEIR_API_QUERY) | WEIR_API_BIT(WEIR_API_OTHER))

static enum weir_api_class class_of(const struct weir_timeline *timeline, size_t row)
{
	return (enum weir_api_class)timeline->api_class[timeline->trace->host.name[row]];
}

static int64_t length_ns(const struct weir_timeline *timeline, size_t row)
{
	return weir_span_ns(timeline->trace->host.start_ns[row], timeline->trace->host.end_ns[row]);
}

/* Returns the length from which on a call is cold. */
static int64_t find_limit_ns(const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	double *lengths = weir_realloc(NULL, host->count * sizeof *lengths);
	double limit = WEIR_COLD_MOST_NS;
	size_t count = 0;

	for (size_t i = 0; i < host->count; i++)
		if (host->kind[i] == WEIR_HOST_API && class_of(timeline, i) == WEIR_API_LAUNCH)
			lengths[count++] = (double)length_ns(timeline, i);
	if (count >= WEIR_COLD_FEW)
		limit = WEIR_COLD_FACTOR * weir_quantile_select(lengths, count, 0.5);
	else if (count > 0)
		limit = WEIR_COLD_LEAST_NS;
	free(lengths);
	if (limit < WEIR_COLD_LEAST_NS)
		return WEIR_COLD_LEAST_NS;
	return limit > WEIR_COLD_MOST_NS ? WEIR_COLD_MOST_NS : (int64_t)limit;
}

/* Returns true for calls of the runtime and the driver, such as "cudaStreamCreate", "cuInit" and
 * "hipSetDevice". A capital must follow the prefix: cublasCreate() is another library's.
 * cuProfilerStart() is the profiler's own time. */
static bool is_device_call(const char *name)
{
	static const char *const prefixes[] = {"cuda", "cu", "hip"};

	for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
		size_t length = strlen(prefixes[i]);

		if (strncmp(name, prefixes[i], length) == 0 && name[length] >= 'A' &&
		    name[length] <= 'Z')
			return !strstr(name, "Profiler");
	}
	return false;
}

static void mark_cold_calls(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	int64_t limit_ns = find_limit_ns(timeline);
	size_t first_alloc = SIZE_MAX;

	for (size_t i = 0; i < host->count; i++) {
		enum weir_api_class class = class_of(timeline, i);

		if (host->kind[i] != WEIR_HOST_API)
			continue;
		if (class == WEIR_API_ALLOC &&
		    (first_alloc == SIZE_MAX || host->start_ns[i] < host->start_ns[first_alloc]))
			first_alloc = i;
		if (length_ns(timeline, i) >= limit_ns && (WEIR_API_BIT(class) & PROMPT) &&
		    is_device_call(weir_timeline_host_name(timeline, (uint32_t)i)))
			out->cold[i] = 1;
	}
	/* cudaFree(0) is the customary way to create the context. */
	if (first_alloc != SIZE_MAX && length_ns(timeline, first_alloc) >= WEIR_COLD_MOST_NS)
		out->cold[first_alloc] = 1;
}

static void find_captures(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	for (uint32_t t = 0; t < out->thread_count; t++) {
		int64_t begin_ns = INT64_MAX;
		size_t first, end;

		weir_timeline_thread_rows(timeline, t, &first, &end);
		for (size_t i = first; i < end; i++) {
			enum weir_api_class class = class_of(timeline, i);

			if (host->kind[i] != WEIR_HOST_API)
				continue;
			if (class == WEIR_API_CAPTURE_BEGIN)
				begin_ns = host->start_ns[i];
			if (class != WEIR_API_CAPTURE_END || begin_ns == INT64_MAX)
				continue;
			weir_intervals_push(&out->captures[t], begin_ns, host->end_ns[i]);
			begin_ns = INT64_MAX;
		}
		weir_intervals_unite(&out->captures[t]);
	}
}

void weir_cold_start_init(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	const struct weir_trace *trace = timeline->trace;

	*out = (struct weir_cold_start){
		.cold = weir_alloc(trace->host.count),
		.captures = weir_alloc(trace->thread_count * sizeof *out->captures),
		.thread_count = trace->thread_count,
	};
	mark_cold_calls(out, timeline);
	find_captures(out, timeline);
}

void weir_cold_start_release(struct weir_cold_start *cold)
{
	for (size_t t = 0; t < cold->thread_count; t++)
		weir_intervals_release(&cold->captures[t]);
	free(cold->captures);
	free(cold->cold);
	*cold = (struct weir_cold_start){0};
}
