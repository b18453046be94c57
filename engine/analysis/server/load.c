/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The load of all engines together: a sweep over the rows of all engines in order of time. */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/server/states.h"
#include "engine/model/telemetry.h"
#include "engine/stats/quantile.h"

#define WINDOWS      12 /* equal parts of the time, for throughput and trends */
#define LEAST_WINDOW 4  /* fewer parts with tokens say nothing about a plateau */

/* The last known state of an engine. */
struct now {
	double running, waiting, kv;
	struct weir_slots slots;
	bool seen;
};

/* A row of any engine. */
struct event {
	int64_t at_ns; /* index of the row if engines have no times */
	size_t engine, row;
};

struct sweep {
	const struct weir_engines *engines;
	struct event *events;
	size_t count;
	struct now *now; /* one per engine */
	size_t busiest;  /* SIZE_MAX: there is one engine only */
	bool timed;
	struct weir_weighted *running, *waiting;
	size_t values;
	double all_s, unbalanced_s;
};

static int by_time(const void *left, const void *right)
{
	const struct event *a = left, *b = right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	if (a->engine != b->engine)
		return a->engine < b->engine ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static void collect_events(struct sweep *sweep, struct weir_arena *arena)
{
	const struct weir_engines *engines = sweep->engines;
	size_t count = 0;

	sweep->timed = true;
	for (size_t e = 0; e < engines->count; e++) {
		count += engines->items[e].count;
		sweep->timed &= engines->items[e].timed;
	}
	sweep->events = weir_arena_alloc(arena, (count + 1) * sizeof *sweep->events);
	sweep->running = weir_arena_alloc(arena, (count + 1) * sizeof *sweep->running);
	sweep->waiting = weir_arena_alloc(arena, (count + 1) * sizeof *sweep->waiting);
	for (size_t e = 0; e < engines->count; e++)
		for (size_t r = 0; r < engines->items[e].count; r++)
			sweep->events[sweep->count++] = (struct event){
				sweep->timed ? engines->items[e].rows[r]->at_ns : (int64_t)r, e, r};
	qsort(sweep->events, sweep->count, sizeof *sweep->events, by_time);
}

static void take(struct sweep *sweep, const struct event *event)
{
	const struct weir_server_engine *engine = &sweep->engines->items[event->engine];
	const struct weir_server_row *row = engine->rows[event->row];
	struct now *now = &sweep->now[event->engine];
	double running = weir_row_running(engine, row);

	now->running = isnan(running) ? now->running : running;
	now->waiting = row->waiting < 0 ? now->waiting : row->waiting;
	now->kv = isnan(row->kv_usage) ? now->kv : row->kv_usage;
	now->seen |= row->running >= 0 || row->waiting >= 0;
}

/* True if the busiest engine has a queue while another engine has a free slot and KV room. */
static bool is_unbalanced(const struct sweep *sweep)
{
	if (sweep->busiest == SIZE_MAX || !(sweep->now[sweep->busiest].waiting > 0))
		return false;
	for (size_t e = 0; e < sweep->engines->count; e++) {
		const struct now *now = &sweep->now[e];

		if (e != sweep->busiest && now->waiting == 0 &&
		    !weir_is_kv_full(now->kv, now->running, &now->slots) &&
		    !weir_are_slots_taken(now->kv, now->running, now->slots.limit))
			return true;
	}
	return false;
}

static void emit(struct sweep *sweep, double weight)
{
	double running = 0, waiting = 0;

	for (size_t e = 0; e < sweep->engines->count; e++) {
		if (!sweep->now[e].seen)
			return; /* this engine has not begun */
		running += sweep->now[e].running;
		waiting += sweep->now[e].waiting;
	}
	sweep->running[sweep->values] = (struct weir_weighted){running, weight};
	sweep->waiting[sweep->values++] = (struct weir_weighted){waiting, weight};
	sweep->all_s += weight;
	if (is_unbalanced(sweep))
		sweep->unbalanced_s += weight;
}

/* Returns the time that the events from `first` on of one moment complete: that since the moment
 * before, or, after a gap of all engines, the longest of their rows. The first moment stands for
 * the shortest. */
static double seconds_of(const struct sweep *sweep, size_t first, size_t end)
{
	double longest = 0, shortest = INFINITY, sum = 0, since;

	for (size_t i = first; i < end; i++) {
		const struct event *event = &sweep->events[i];

		sum += sweep->engines->items[event->engine].seconds[event->row];
		if (i + 1 < end && sweep->events[i + 1].engine == event->engine)
			continue;
		longest = fmax(longest, sum);
		shortest = fmin(shortest, sum);
		sum = 0;
	}
	if (first == 0)
		return shortest;
	if (!sweep->timed)
		return longest;
	since = (double)sweep->events[first].at_ns - (double)sweep->events[first - 1].at_ns;
	return fmin(longest, since / 1e9);
}

/* Weighs the state of all engines by the time since the moment before. */
static void run(struct sweep *sweep)
{
	for (size_t first = 0, end; first < sweep->count; first = end) {
		for (end = first;
		     end < sweep->count && sweep->events[end].at_ns == sweep->events[first].at_ns;
		     end++)
			take(sweep, &sweep->events[end]);
		emit(sweep, seconds_of(sweep, first, end));
	}
}

/* Drops values that are not known. */
static size_t known_of(struct weir_weighted *values, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (!isnan(values[i].value))
			values[kept++] = values[i];
	return kept;
}

static double load_of(const struct weir_engine_figures *engine)
{
	double load = engine->running;

	weir_add_known(&load, engine->waiting);
	return load;
}

/* True if the times of two engines lie so far apart that their loads are not one situation. */
static bool at_other_times(const struct weir_engines *engines)
{
	int64_t first_end = INT64_MAX, last_start = INT64_MIN;

	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		if (!engine->timed || !engine->count)
			return false;
		if (engine->rows[engine->count - 1]->at_ns < first_end)
			first_end = engine->rows[engine->count - 1]->at_ns;
		if (engine->rows[0]->at_ns > last_start)
			last_start = engine->rows[0]->at_ns;
	}
	return first_end < INT64_MAX - WEIR_FAR_APART_NS &&
	       last_start > first_end + WEIR_FAR_APART_NS;
}

/* Fills the load of each engine relative to the median of the others. Returns the busiest. */
static size_t find_busiest(const struct weir_engines *engines, struct weir_arena *arena,
                           struct weir_server_figures *out)
{
	double *others = weir_arena_alloc(arena, (engines->count + 1) * sizeof *others);
	size_t busiest = SIZE_MAX;

	if (engines->count < 2 || at_other_times(engines))
		return SIZE_MAX;
	for (size_t e = 0; e < engines->count; e++) {
		size_t count = 0;
		double middle;

		for (size_t o = 0; o < engines->count; o++)
			if (o != e && !isnan(load_of(&out->engines[o])))
				others[count++] = load_of(&out->engines[o]);
		middle = count ? weir_quantile_select(others, count, 0.5) : NAN;
		if (isnan(middle) || isnan(load_of(&out->engines[e])))
			continue;
		/* At most as if the others had a tenth of a request. */
		out->engines[e].load = load_of(&out->engines[e]) / fmax(middle, 0.1);
		if (busiest == SIZE_MAX ||
		    load_of(&out->engines[e]) > load_of(&out->engines[busiest]))
			busiest = e;
	}
	return busiest;
}

/* ---- trends ---- */

struct windows {
	double tokens[WINDOWS], seconds[WINDOWS];
	double waiting[WINDOWS], waiting_s[WINDOWS];
	double waited[WINDOWS]; /* seconds with waiting requests */
	int64_t start_ns, end_ns;
};

/* Returns the tokens of a row. rate_s: the time that its decode rate covers. */
static double tokens_of(const struct weir_server_row *row, double seconds, double rate_s)
{
	double sum = NAN;

	if (row->kind == WEIR_SERVER_STEP) {
		weir_add_known(&sum, weir_known_count(row->prefill_tokens));
		weir_add_known(&sum, weir_known_count(row->decode_tokens));
		return sum;
	}
	weir_add_known(&sum, isnan(row->prompt_rate) ? weir_known_count(row->prefill_tokens)
	                                             : row->prompt_rate * seconds);
	weir_add_known(&sum, row->decode_rate * rate_s);
	return sum;
}

static void add_to_windows(struct windows *windows, const struct weir_server_engine *engine)
{
	double span = (double)windows->end_ns - (double)windows->start_ns;
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];
		double place = ((double)row->at_ns - (double)windows->start_ns) / span * WINDOWS;
		size_t at = place < WINDOWS ? (size_t)fmax(place, 0) : WINDOWS - 1;
		double seconds = engine->seconds[i];
		double tokens = tokens_of(row, seconds, weir_engine_rate_seconds(engine, i, &last));

		if (!isnan(tokens)) {
			windows->tokens[at] += tokens;
			windows->seconds[at] += seconds;
		}
		if (row->waiting < 0)
			continue;
		windows->waiting[at] += row->waiting * seconds;
		windows->waiting_s[at] += seconds;
		windows->waited[at] += row->waiting > 0 ? seconds : 0;
	}
}

/* Returns the median throughput of parts in which requests wait for most of the time, over the
 * highest throughput of any part. */
static double plateau_of(const struct windows *windows)
{
	double waited[WINDOWS], most = 0;
	size_t count = 0, all = 0;

	for (size_t i = 0; i < WINDOWS; i++) {
		double rate;

		if (!(windows->seconds[i] > 0))
			continue;
		rate = windows->tokens[i] / windows->seconds[i];
		all++;
		most = fmax(most, rate);
		if (windows->waited[i] >= 0.5 * windows->waiting_s[i] && windows->waiting_s[i] > 0)
			waited[count++] = rate;
	}
	if (all < LEAST_WINDOW || count == 0 || !(most > 0))
		return NAN;
	return weir_quantile_select(waited, count, 0.5) / most;
}

static double mean_waiting(const struct windows *windows, size_t from, size_t to)
{
	double sum = 0, seconds = 0;

	for (size_t i = from; i < to; i++) {
		sum += windows->waiting[i];
		seconds += windows->waiting_s[i];
	}
	return seconds > 0 ? sum / seconds : NAN;
}

static void fill_trends(const struct weir_engines *engines, bool timed,
                        struct weir_server_figures *out)
{
	struct windows windows = {.start_ns = INT64_MAX, .end_ns = INT64_MIN};

	for (size_t e = 0; timed && e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];

		if (engine->rows[0]->at_ns < windows.start_ns)
			windows.start_ns = engine->rows[0]->at_ns;
		if (engine->rows[engine->count - 1]->at_ns > windows.end_ns)
			windows.end_ns = engine->rows[engine->count - 1]->at_ns;
	}
	if (!(windows.end_ns > windows.start_ns))
		return;
	out->span_ns = (double)windows.end_ns - (double)windows.start_ns < 9e18
	                       ? windows.end_ns - windows.start_ns
	                       : -1;
	if (out->far_apart)
		return;
	for (size_t e = 0; e < engines->count + engines->shared_count; e++)
		add_to_windows(&windows, &engines->items[e]);
	out->throughput_plateau = plateau_of(&windows);
	out->waiting_growth = mean_waiting(&windows, WINDOWS - WINDOWS / 3, WINDOWS) -
	                      mean_waiting(&windows, 0, WINDOWS / 3);
}

void weir_server_load(const struct weir_engines *engines, struct weir_arena *arena,
                      struct weir_server_figures *out)
{
	struct sweep sweep = {.engines = engines};

	collect_events(&sweep, arena);
	sweep.now = weir_arena_alloc(arena, (engines->count + 1) * sizeof *sweep.now);
	for (size_t e = 0; e < engines->count; e++)
		sweep.now[e] =
			(struct now){NAN, NAN, NAN, weir_engine_slots(&engines->items[e]), false};
	sweep.busiest = find_busiest(engines, arena, out);
	run(&sweep);
	out->running = weir_gauge_of(sweep.running, known_of(sweep.running, sweep.values));
	out->waiting = weir_gauge_of(sweep.waiting, known_of(sweep.waiting, sweep.values));
	if (sweep.busiest != SIZE_MAX) {
		out->imbalance = out->engines[sweep.busiest].load;
		out->unbalanced_wait = sweep.all_s > 0 ? sweep.unbalanced_s / sweep.all_s : NAN;
	}
	fill_trends(engines, sweep.timed, out);
}
