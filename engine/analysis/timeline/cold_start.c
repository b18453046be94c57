/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/names/frames.h"
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

/* Returns true for calls that ask about the device: "cudaMemGetInfo", "hipGetDeviceCount". The
 * first call of a program may set up the context, but these wait for other programs and locks as
 * well. */
static bool is_inquiry(const char *name)
{
	return strstr(name, "MemGetInfo") || strstr(name, "GetDevice") || strstr(name, "DeviceGet");
}

/* Takes the marks off calls that only ask about the device if no other call is marked. */
static void drop_lone_inquiries(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	size_t rows = timeline->trace->host.count;

	for (size_t i = 0; i < rows; i++)
		if (out->cold[i] && !is_inquiry(weir_timeline_host_name(timeline, (uint32_t)i)))
			return;
	memset(out->cold, 0, rows * sizeof *out->cold);
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
	drop_lone_inquiries(out, timeline);
}

/* ---- operators ---- */

/* A host operator of at least WEIR_COLD_LEAST_NS. */
struct candidate {
	uint32_t row, name; /* name: index into the candidates' names */
	int64_t own_ns;     /* without the rows inside it */
	bool starts_work;
};

struct operators {
	const struct weir_timeline *timeline;
	struct candidate *items; /* by row */
	size_t count, capacity;
	uint32_t *name_of; /* per name id: index + 1; 0: no candidate has the name */
	size_t name_count;
	double *limit_ns; /* per candidates' name: from which on its own time is cold */
};

static bool may_be_candidate(const struct weir_timeline *timeline, size_t row)
{
	return timeline->trace->host.kind[row] == WEIR_HOST_OP &&
	       length_ns(timeline, row) >= WEIR_COLD_LEAST_NS;
}

static void find_candidates(struct operators *operators)
{
	for (size_t i = 0; i < operators->timeline->trace->host.count; i++) {
		if (!may_be_candidate(operators->timeline, i))
			continue;
		operators->items = weir_grow(operators->items, &operators->capacity,
		                             operators->count + 1, sizeof *operators->items);
		operators->items[operators->count++] = (struct candidate){
			.row = (uint32_t)i, .own_ns = length_ns(operators->timeline, i)};
	}
}

static int compare_rows(const void *row, const void *candidate)
{
	uint32_t a = *(const uint32_t *)row, b = ((const struct candidate *)candidate)->row;

	return (a > b) - (a < b);
}

static struct candidate *candidate_of(const struct operators *operators, uint32_t row)
{
	if (row == WEIR_NONE || !may_be_candidate(operators->timeline, row))
		return NULL;
	return bsearch(&row, operators->items, operators->count, sizeof *operators->items,
	               compare_rows);
}

/* Takes the time of the rows inside off the candidates. A candidate starts work if a call directly
 * inside it does. */
static void take_rows_inside(struct operators *operators)
{
	const struct weir_timeline *timeline = operators->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;

	for (size_t i = 0; i < host->count; i++) {
		struct candidate *outer = candidate_of(operators, timeline->parent[i]);

		if (!outer)
			continue;
		outer->own_ns -= length_ns(timeline, i);
		outer->starts_work |= host->kind[i] == WEIR_HOST_API &&
		                      (WEIR_API_BIT(class_of(timeline, i)) & WEIR_API_STARTS_WORK);
	}
}

static void number_names(struct operators *operators)
{
	const struct weir_trace *trace = operators->timeline->trace;

	operators->name_of =
		weir_alloc((weir_names_count(trace->names) + 1) * sizeof *operators->name_of);
	for (size_t i = 0; i < operators->count; i++) {
		uint32_t *index = &operators->name_of[trace->host.name[operators->items[i].row]];

		if (*index == 0)
			*index = (uint32_t)++operators->name_count;
		operators->items[i].name = *index - 1;
	}
}

/* Returns the name of an operator's row among the candidates' names; WEIR_NONE: it has none. */
static uint32_t name_of_row(const struct operators *operators, size_t row)
{
	const struct weir_host_columns *host = &operators->timeline->trace->host;

	return host->kind[row] == WEIR_HOST_OP ? operators->name_of[host->name[row]] - 1
	                                       : WEIR_NONE;
}

/* Returns the first quartile, of two to four lengths the shortest; INFINITY: they are too few. */
static double first_quartile(double *lengths, size_t count)
{
	size_t place = (count - 1) / 4;

	if (count < WEIR_COLD_CALLS)
		return INFINITY;
	return weir_quantile_select(lengths, count, (double)place / (double)(count - 1));
}

/* Sets limit_ns from the lengths of the calls of each name. */
static void find_limits(struct operators *operators)
{
	size_t rows = operators->timeline->trace->host.count;
	size_t *end = weir_alloc((operators->name_count + 1) * sizeof *end);
	double *lengths;

	for (size_t i = 0; i < rows; i++)
		if (name_of_row(operators, i) != WEIR_NONE)
			end[name_of_row(operators, i) + 1]++;
	for (size_t n = 0; n < operators->name_count; n++)
		end[n + 1] += end[n];
	lengths = weir_realloc(NULL, end[operators->name_count] * sizeof *lengths);
	for (size_t i = 0; i < rows; i++)
		if (name_of_row(operators, i) != WEIR_NONE)
			lengths[end[name_of_row(operators, i)]++] =
				(double)length_ns(operators->timeline, i);
	operators->limit_ns = weir_alloc(operators->name_count * sizeof *operators->limit_ns);
	for (size_t n = 0, first = 0; n < operators->name_count; first = end[n++])
		operators->limit_ns[n] =
			WEIR_COLD_FACTOR * first_quartile(lengths + first, end[n] - first);
	free(lengths);
	free(end);
}

static bool is_long(const struct operators *operators, const struct candidate *candidate)
{
	return candidate->starts_work && candidate->own_ns >= WEIR_COLD_LEAST_NS &&
	       (double)candidate->own_ns >= operators->limit_ns[candidate->name];
}

/* The long calls of one operator. */
struct long_calls {
	size_t all, very_long; /* very_long: of WEIR_COLD_MOST_NS */
	int64_t later_ns;      /* time of those that are not marked as first calls */
};

static bool sets_up_again(const struct long_calls *calls, int64_t later_ns)
{
	return (calls->all >= WEIR_COLD_AGAIN || calls->very_long >= WEIR_COLD_AGAIN_LONG) &&
	       (double)calls->later_ns >= WEIR_COLD_AGAIN_SHARE * (double)later_ns;
}

/* Marks the long calls of operators that have nearly all of the time in long calls behind the first
 * calls of each. Call mark_first_calls() before. */
static void mark_repeated_calls(struct weir_cold_start *out, const struct operators *operators)
{
	struct long_calls *calls = weir_alloc(operators->name_count * sizeof *calls);
	int64_t later_ns = 0;

	for (size_t i = 0; i < operators->count; i++) {
		const struct candidate *item = &operators->items[i];

		if (!is_long(operators, item))
			continue;
		calls[item->name].all++;
		calls[item->name].very_long += item->own_ns >= WEIR_COLD_MOST_NS;
		if (out->cold[item->row])
			continue;
		calls[item->name].later_ns = weir_add_ns(calls[item->name].later_ns, item->own_ns);
		later_ns = weir_add_ns(later_ns, item->own_ns);
	}
	for (size_t i = 0; i < operators->count; i++) {
		const struct candidate *item = &operators->items[i];

		if (is_long(operators, item) && sets_up_again(&calls[item->name], later_ns))
			out->cold[item->row] = 1;
	}
	free(calls);
}

/* Marks the long calls that are among the first of their operator on their thread. */
static void mark_first_calls(struct weir_cold_start *out, const struct operators *operators)
{
	const struct weir_host_columns *host = &operators->timeline->trace->host;
	struct calls {
		uint32_t thread;
		size_t all, cold;
	} *calls = weir_alloc(operators->name_count * sizeof *calls);
	size_t next = 0;

	for (size_t i = 0; i < host->count && next < operators->count; i++) {
		uint32_t name = name_of_row(operators, i);

		if (name == WEIR_NONE)
			continue;
		if (calls[name].thread != host->thread[i])
			calls[name] = (struct calls){.thread = host->thread[i]};
		calls[name].all++;
		if (operators->items[next].row != i)
			continue;
		if (is_long(operators, &operators->items[next++]) &&
		    (double)++calls[name].cold >= WEIR_COLD_OF_FIRST * (double)calls[name].all)
			out->cold[i] = 1;
	}
	free(calls);
}

static void mark_cold_operators(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	struct operators operators = {.timeline = timeline};

	find_candidates(&operators);
	if (operators.count > 0) {
		number_names(&operators);
		take_rows_inside(&operators);
		find_limits(&operators);
		mark_first_calls(out, &operators);
		mark_repeated_calls(out, &operators);
	}
	free(operators.items);
	free(operators.name_of);
	free(operators.limit_ns);
}

/* ---- captures ---- */

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
			weir_intervals_push(&out->builds[t], begin_ns, host->end_ns[i]);
			begin_ns = INT64_MAX;
		}
		weir_intervals_unite(&out->builds[t]);
	}
}

/* ---- kernels made just in time ---- */

/* Returns the sorted starts of the driver's records of loading; the caller frees them. */
static int64_t *find_loads(const struct weir_timeline *timeline, size_t *count)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	int64_t *starts = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t i = 0; i < host->count; i++) {
		if (host->kind[i] != WEIR_HOST_OVERHEAD ||
		    !weir_overhead_is_loading(weir_timeline_host_name(timeline, (uint32_t)i)))
			continue;
		starts = weir_grow(starts, &capacity, *count + 1, sizeof *starts);
		starts[(*count)++] = host->start_ns[i];
	}
	if (starts)
		weir_instants_sort(starts, *count);
	return starts;
}

/* Returns true for a launch through the driver's own interface, as programs launch the kernels that
 * they compile themselves; the runtime's launches are named cudaLaunchKernel. */
static bool is_modules_launch(const struct weir_timeline *timeline, size_t row)
{
	const char *name = weir_timeline_host_name(timeline, (uint32_t)row);

	return timeline->trace->host.kind[row] == WEIR_HOST_API &&
	       class_of(timeline, row) == WEIR_API_LAUNCH && timeline->inner_op[row] == WEIR_NONE &&
	       (strncmp(name, "cuLaunch", 8) == 0 || strncmp(name, "hipModuleLaunch", 15) == 0);
}

/* Finds silences of a thread that end with the launch of a kernel that the driver loads for it: a
 * compiler in the program made the kernel meanwhile. */
static void find_compilations(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t count;
	int64_t *loads = find_loads(timeline, &count);

	for (uint32_t t = 0; loads && t < out->thread_count; t++) {
		int64_t silent_ns = INT64_MAX;
		size_t first, end;

		weir_timeline_thread_rows(timeline, t, &first, &end);
		for (size_t i = first; i < end; i++) {
			bool lasts =
				host->kind[i] == WEIR_HOST_OP || host->kind[i] == WEIR_HOST_API;
			int64_t row_ns = lasts ? host->end_ns[i] : host->start_ns[i];
			int64_t from_ns = host->start_ns[i] - WEIR_JUST_IN_TIME_LOAD_NS;

			if (silent_ns != INT64_MAX && is_modules_launch(timeline, i) &&
			    weir_span_ns(silent_ns, host->start_ns[i]) >=
			            WEIR_JUST_IN_TIME_LEAST_NS &&
			    weir_instants_until(loads, count, host->end_ns[i]) >
			            weir_instants_until(loads, count, from_ns))
				weir_intervals_push(&out->builds[t], silent_ns, host->start_ns[i]);
			silent_ns =
				silent_ns == INT64_MAX || row_ns > silent_ns ? row_ns : silent_ns;
		}
		weir_intervals_unite(&out->builds[t]);
	}
	free(loads);
}

void weir_cold_start_init(struct weir_cold_start *out, const struct weir_timeline *timeline)
{
	const struct weir_trace *trace = timeline->trace;

	*out = (struct weir_cold_start){
		.cold = weir_alloc(trace->host.count),
		.builds = weir_alloc(trace->thread_count * sizeof *out->builds),
		.thread_count = trace->thread_count,
	};
	mark_cold_calls(out, timeline);
	mark_cold_operators(out, timeline);
	find_captures(out, timeline);
	find_compilations(out, timeline);
}

void weir_cold_start_release(struct weir_cold_start *cold)
{
	for (size_t t = 0; t < cold->thread_count; t++)
		weir_intervals_release(&cold->builds[t]);
	free(cold->builds);
	free(cold->cold);
	*cold = (struct weir_cold_start){0};
}
