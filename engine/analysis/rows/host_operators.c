/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the figures of a profile without device work: what its host threads did. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/cold_start.h"
#include "engine/analysis/timeline/host_activity.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* An operator with less self time spends most of it in its dispatch, which takes a few
 * microseconds; the line of docs/analyses.md for a short kernel. */
#define SHORT_NS 10000

/* Times of host rows, in ns, summed over ranks. */
struct times {
	double span;         /* analysed: from the first run of the model, or the first row, on */
	double any;          /* a thread runs an operator */
	double threads;      /* the same, of all threads together */
	double self;         /* self time of the operators */
	double short_self;   /* of those below SHORT_NS */
	double pauses;       /* short gaps between operators, without loading and collectives */
	double loading;      /* a thread loads data */
	double exchange;     /* a collective runs */
	double cold;         /* code is loaded or compiled, libraries set themselves up */
	double waiting;      /* a thread waits for a device */
	double runs;         /* a run of the model is open */
	double idle_in_runs; /* a run is open, and no thread runs an operator */
	double run_ends;     /* the same, before the first operator of the run or after its last */
};

/* The host rows of a rank, as sets of time. */
struct sets {
	struct weir_intervals all, any, loading, exchange, cold, waiting, runs;
};

static void push(struct weir_intervals *set, const struct weir_host_columns *host, size_t row)
{
	weir_intervals_push(set, host->start_ns[row], host->end_ns[row]);
}

/* Adds the operators of a rank to the sets, and counts them and their threads. */
static void add_operators(const struct weir_host_columns *host, struct sets *sets,
                          struct weir_host_operators *out)
{
	uint32_t last = WEIR_NONE;

	for (size_t i = 0; i < host->count; i++) {
		if (host->kind[i] != WEIR_HOST_OP)
			continue;
		out->threads += host->thread[i] != last;
		last = host->thread[i];
		out->calls++;
		push(&sets->any, host, i);
	}
}

/* Adds data loading, collectives and runs of a model, which may be frames and ranges as well as
 * operators. */
static void add_ranges(const struct weir_trace *trace, struct sets *sets)
{
	const struct weir_host_columns *host = &trace->host;
	uint8_t *frames = weir_frame_class_of_names(trace->names);

	for (size_t i = 0; i < host->count; i++) {
		const char *name = weir_names_text(trace->names, host->name[i]);
		bool named = host->kind[i] == WEIR_HOST_OP || host->kind[i] == WEIR_HOST_ANNOTATION;

		push(&sets->all, host, i);
		if (host->kind[i] == WEIR_HOST_ANNOTATION && strcmp(name, "model_run") == 0)
			push(&sets->runs, host, i);
		if (frames[host->name[i]] == WEIR_FRAME_INPUT)
			push(&sets->loading, host, i);
		else if (named && weir_kernel_is_communication(name))
			push(&sets->exchange, host, i);
		else if (frames[host->name[i]] == WEIR_FRAME_COMPILE)
			push(&sets->cold, host, i);
	}
	free(frames);
}

/* Returns true for a call of one of the classes. */
static bool is_call(const struct weir_timeline *timeline, size_t row, unsigned classes)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return host->kind[row] == WEIR_HOST_API &&
	       (WEIR_API_BIT(timeline->api_class[host->name[row]]) & classes);
}

/* Returns the row of the first call of some classes in time; SIZE_MAX: no such call. */
static size_t first_call(const struct weir_timeline *timeline, unsigned classes)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t first = SIZE_MAX;

	for (size_t i = 0; i < host->count; i++)
		if (is_call(timeline, i, classes) &&
		    (first == SIZE_MAX || host->start_ns[i] < host->start_ns[first]))
			first = i;
	return first;
}

/* Adds calls that wait for a device. Those before the first work of the device have nothing to wait
 * for. */
static void add_waits(const struct weir_timeline *timeline, struct sets *sets)
{
	const unsigned starts = WEIR_API_STARTS_WORK & ~WEIR_API_BIT(WEIR_API_COPY_BLOCKING);
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t first = first_call(timeline, starts);

	for (size_t i = 0; first != SIZE_MAX && i < host->count; i++)
		if (is_call(timeline, i, WEIR_API_WAITS) &&
		    host->start_ns[i] >= host->start_ns[first])
			push(&sets->waiting, host, i);
}

/* Adds the first blocking copy if it sets up the runtime: no work of the device precedes it, and it
 * takes WEIR_COLD_FACTOR times as long as the median of the other copies. */
static void add_first_copy(const struct weir_timeline *timeline, struct sets *sets)
{
	const unsigned copies = WEIR_API_BIT(WEIR_API_COPY_BLOCKING);
	const struct weir_host_columns *host = &timeline->trace->host;
	size_t first = first_call(timeline, WEIR_API_STARTS_WORK), count = 0;
	double *others, length;

	if (first == SIZE_MAX || !is_call(timeline, first, copies))
		return;
	length = (double)weir_span_ns(host->start_ns[first], host->end_ns[first]);
	if (length < WEIR_COLD_MOST_NS)
		return;
	others = weir_realloc(NULL, host->count * sizeof *others);
	for (size_t i = 0; i < host->count; i++)
		if (i != first && is_call(timeline, i, copies))
			others[count++] = (double)weir_span_ns(host->start_ns[i], host->end_ns[i]);
	if (count > 0 && length >= WEIR_COLD_FACTOR * weir_quantile_select(others, count, 0.5))
		push(&sets->cold, host, first);
	free(others);
}

/* Adds calls that load code or set up a library. */
static void add_cold_start(const struct weir_timeline *timeline, struct sets *sets)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct weir_cold_start cold;

	weir_cold_start_init(&cold, timeline);
	for (size_t i = 0; i < host->count; i++) {
		bool loads = host->kind[i] == WEIR_HOST_API &&
		             timeline->api_class[host->name[i]] == WEIR_API_MODULE;

		loads |= host->kind[i] == WEIR_HOST_OVERHEAD &&
		         weir_overhead_is_loading(weir_timeline_host_name(timeline, (uint32_t)i));
		if (cold.cold[i] || loads)
			push(&sets->cold, host, i);
	}
	for (size_t t = 0; t < cold.thread_count; t++)
		for (size_t i = 0; i < cold.builds[t].count; i++)
			weir_intervals_push(&sets->cold, cold.builds[t].items[i].start_ns,
			                    cold.builds[t].items[i].end_ns);
	weir_cold_start_release(&cold);
}

/* Returns the analysed time. It does not contain the loading of a model before its first run. */
static struct weir_interval window_of(const struct sets *sets)
{
	const struct weir_intervals *set = sets->runs.count > 1 ? &sets->runs : &sets->all;

	if (set->count == 0)
		return (struct weir_interval){0, 0};
	return (struct weir_interval){set->items[0].start_ns, set->items[set->count - 1].end_ns};
}

/* Measures the time of the rank's operators by thread, and their self time, in the window. */
static void measure_operators(const struct weir_timeline *timeline, struct weir_interval window,
                              struct times *times)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct weir_intervals thread = {0};
	struct weir_host_time host_time;

	weir_host_time_init(&host_time, timeline);
	for (uint32_t t = 0; t < timeline->trace->thread_count; t++) {
		size_t first, end;

		weir_timeline_thread_rows(timeline, t, &first, &end);
		weir_intervals_clear(&thread);
		for (size_t i = first; i < end; i++) {
			double self = (double)weir_host_time_self(&host_time, (uint32_t)i);

			if (host->kind[i] != WEIR_HOST_OP || host->start_ns[i] < window.start_ns ||
			    host->start_ns[i] >= window.end_ns)
				continue;
			push(&thread, host, i);
			times->self += self;
			times->short_self += self < SHORT_NS ? self : 0;
		}
		weir_intervals_unite(&thread);
		times->threads += (double)weir_intervals_total(&thread);
	}
	weir_intervals_release(&thread);
	weir_host_time_release(&host_time);
}

/* Returns the time in gaps between operators that are too short for other work of the program. */
static double short_pauses(const struct sets *sets)
{
	struct weir_intervals gaps = {0}, own = {0};
	double total;

	for (size_t i = 1; i < sets->any.count; i++) {
		int64_t from_ns = sets->any.items[i - 1].end_ns,
			to_ns = sets->any.items[i].start_ns;

		if (weir_span_ns(from_ns, to_ns) < WEIR_HOST_WORK_NS)
			weir_intervals_push(&gaps, from_ns, to_ns);
	}
	weir_intervals_subtract(&gaps, &sets->loading, &own);
	total = (double)weir_intervals_outside_ns(&own, &sets->exchange);
	weir_intervals_release(&gaps);
	weir_intervals_release(&own);
	return total;
}

/* Returns the time in runs of a model before their first operator and after their last one. */
static double time_of_run_ends(const struct sets *sets)
{
	const struct weir_interval *any = sets->any.items;
	double total = 0;
	size_t at = 0;

	for (size_t r = 0; r < sets->runs.count; r++) {
		struct weir_interval run = sets->runs.items[r], inside = {run.end_ns, run.end_ns};

		while (at < sets->any.count && any[at].end_ns <= run.start_ns)
			at++;
		if (at < sets->any.count && any[at].start_ns < run.end_ns)
			inside.start_ns = any[at].start_ns;
		for (; at < sets->any.count && any[at].start_ns < run.end_ns; at++)
			inside.end_ns = any[at].end_ns;
		if (inside.start_ns > run.start_ns)
			total += (double)weir_span_ns(run.start_ns, inside.start_ns);
		if (inside.end_ns < run.end_ns)
			total += (double)weir_span_ns(inside.end_ns, run.end_ns);
		at -= at > 0; /* the last one may reach into the next run */
	}
	return total;
}

static void measure(struct sets *sets, struct weir_interval window, struct times *times)
{
	struct weir_intervals *all[] = {&sets->any, &sets->loading, &sets->exchange, &sets->cold,
	                                &sets->waiting};

	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		weir_intervals_unite(all[i]);
		weir_intervals_clip(all[i], window.start_ns, window.end_ns);
	}
	times->span += (double)weir_span_ns(window.start_ns, window.end_ns);
	times->any += (double)weir_intervals_total(&sets->any);
	times->loading += (double)weir_intervals_total(&sets->loading);
	times->exchange += (double)weir_intervals_total(&sets->exchange);
	times->cold += (double)weir_intervals_total(&sets->cold);
	times->waiting += (double)weir_intervals_total(&sets->waiting);
	times->pauses += short_pauses(sets);
	times->run_ends += time_of_run_ends(sets);
	if (sets->runs.count < 2)
		return;
	times->runs += (double)weir_intervals_total(&sets->runs);
	times->idle_in_runs += (double)weir_intervals_outside_ns(&sets->runs, &sets->any);
}

static void add_rank(const struct weir_rank *rank, struct weir_host_operators *out,
                     struct times *times)
{
	struct sets sets = {0};
	struct weir_interval window;

	add_operators(&rank->trace->host, &sets, out);
	add_ranges(rank->trace, &sets);
	add_cold_start(&rank->timeline, &sets);
	add_first_copy(&rank->timeline, &sets);
	add_waits(&rank->timeline, &sets);
	weir_intervals_unite(&sets.all);
	weir_intervals_unite(&sets.runs);
	window = window_of(&sets);
	measure(&sets, window, times);
	measure_operators(&rank->timeline, window, times);
	weir_intervals_release(&sets.all);
	weir_intervals_release(&sets.any);
	weir_intervals_release(&sets.loading);
	weir_intervals_release(&sets.exchange);
	weir_intervals_release(&sets.cold);
	weir_intervals_release(&sets.waiting);
	weir_intervals_release(&sets.runs);
}

static bool launches(const struct weir_timeline *timeline, uint32_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return row != WEIR_NONE && host->kind[row] == WEIR_HOST_API &&
	       (WEIR_API_BIT(timeline->api_class[host->name[row]]) & WEIR_API_LAUNCHES);
}

static uint64_t count_launches(const struct weir_timeline *timeline)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < timeline->trace->host.count; i++)
		count += launches(timeline, i) && !launches(timeline, timeline->parent[i]);
	return count;
}

static bool states_processor(const struct weir_trace *trace)
{
	for (size_t i = 0; i < trace->label_count; i++)
		if (strcmp(weir_names_text(trace->names, trace->labels[i].key),
		           WEIR_LABEL_ON_PROCESSOR) == 0)
			return true;
	return false;
}

/* Attributes a cold start to the runtime and, if the program launches no work, the dispatch of
 * operators or the loading of data: no device can hide them. The largest share counts, since a
 * loader dispatches operators too. */
static void attribute(const struct weir_host_operators *host, struct weir_attribution *out)
{
	double visible = fmax(host->dispatch, host->loading);
	double share = host->launches > 0 ? host->cold : fmax(host->cold, visible);
	int64_t ns = share > 0 ? (int64_t)(share * (double)out->total_ns) : 0;

	if (ns > out->ns[WEIR_BOUND_UNDETERMINED])
		ns = out->ns[WEIR_BOUND_UNDETERMINED];
	out->ns[WEIR_BOUND_UNDETERMINED] -= ns;
	out->ns[WEIR_BOUND_RUNTIME] += ns;
}

/* Returns true if a framework dispatches the operators. Ranges of other tracers are functions of
 * the program. */
static bool has_framework(const struct weir_profile *profile)
{
	static const char *const formats[] = {"kineto", "onnxruntime"};

	for (size_t i = 0; i < profile->input_count; i++)
		for (size_t f = 0; f < sizeof formats / sizeof *formats; f++)
			if (profile->inputs[i].format &&
			    strcmp(profile->inputs[i].format, formats[f]) == 0)
				return true;
	return false;
}

static void fill(struct weir_host_operators *out, bool dispatched, const struct times *times)
{
	out->busy = times->any / times->span;
	out->parallel = times->any > 0 ? times->threads / times->any : NAN;
	out->loading = times->loading / times->span;
	out->communication = times->exchange / times->span;
	out->cold = times->cold / times->span;
	out->waiting = times->waiting / times->span;
	dispatched = dispatched && times->self > 0;
	out->short_operators = dispatched ? times->short_self / times->self : NAN;
	out->dispatch =
		dispatched ? out->short_operators * out->busy + times->pauses / times->span : NAN;
	out->between_runs = times->runs > 0 ? 1 - times->runs / times->span : NAN;
	out->idle_in_runs = times->runs > 0 ? times->idle_in_runs / times->span : NAN;
	out->run_ends = out->on_processor ? 0 : times->run_ends / times->span;
}

void weir_fill_host_operators(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_host_operators *out;
	struct times times = {0};

	if (report->has_gpu || analysis->rank_count == 0)
		return;
	out = weir_arena_alloc(report->arena, sizeof *out);
	*out = (struct weir_host_operators){.on_processor = true};
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		add_rank(rank, out, &times);
		out->launches += count_launches(&rank->timeline);
		out->on_processor &= states_processor(rank->trace);
	}
	if (!(times.span > 0))
		return;
	fill(out, has_framework(analysis->profile), &times);
	attribute(out, &report->attribution);
	report->host_operators = out;
}

void weir_host_operator_features(const struct weir_report *report, double *values)
{
	const struct weir_host_operators *host = report->host_operators;

	if (!host)
		return;
	values[WEIR_F_HOST_LAUNCHES] = (double)host->launches;
	values[WEIR_F_HOST_LOADING] = host->loading;
	values[WEIR_F_HOST_COMMUNICATION] = host->communication;
	values[WEIR_F_HOST_COLD] = host->cold;
	values[WEIR_F_HOST_WAITING] = host->waiting;
	values[WEIR_F_HOST_ON_PROCESSOR] = host->on_processor;
	values[WEIR_F_HOST_BETWEEN_RUNS] = host->between_runs;
	values[WEIR_F_HOST_IDLE_IN_RUNS] = host->idle_in_runs;
	values[WEIR_F_HOST_RUN_ENDS] = host->run_ends;
	if (host->calls == 0)
		return;
	values[WEIR_F_HOST_BUSY_OPERATORS] = host->busy;
	values[WEIR_F_HOST_PARALLEL] = host->parallel;
	values[WEIR_F_HOST_SHORT_OPERATORS] = host->short_operators;
	values[WEIR_F_HOST_DISPATCH] = host->dispatch;
	if (report->operator_count > 0)
		values[WEIR_F_HOST_TOP_SHARE] = report->operators->share;
}
