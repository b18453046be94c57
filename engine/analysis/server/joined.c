/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <time.h>

#include "engine/analysis/server/joined.h"
#include "engine/analysis/server/states.h"
#include "engine/model/telemetry.h"

#define QUARTER_NS (INT64_C(900) * 1000000000)
#define DAY_NS     (INT64_C(86400) * 1000000000)
/* Local time is ahead of UTC by up to 14 hours and behind by up to 12. */
#define EARLIEST (-56)
#define LATEST   48
/* 1 January 1972 in days since 1970, and 1 March of a leap year in days of the year. */
#define DAYS_TO_1972 730
#define MARCH        60
#define COVERED      0.5

enum state { IN_MIXED, IN_KV_WAIT, IN_PREEMPTION, STATES };

/* Rows of one engine as stretches of time that do not overlap, with sums of the time in each state
 * up to their ends. */
struct axis {
	int64_t *start_ns, *end_ns;
	double *sum_s[STATES + 1]; /* the last one: all time */
	bool *in[STATES];
	size_t count;
};

/* ---- clocks ---- */

/* Returns the shift from a log without a year to the year of a moment. */
static int64_t year_shift(int64_t at_ns, int64_t like_ns)
{
	time_t seconds = (time_t)(like_ns / 1000000000);
	struct tm parts = {0};
	int64_t days;
	int year;

	/* It cannot fail: 64 bits of nanoseconds end in the year 2262. */
	(void)gmtime_r(&seconds, &parts);
	year = parts.tm_year + 1900;
	days = like_ns / DAY_NS - parts.tm_yday - DAYS_TO_1972;
	/* The log counts as in a leap year. */
	if ((year % 4 != 0 || (year % 100 == 0 && year % 400 != 0)) &&
	    at_ns / DAY_NS - DAYS_TO_1972 >= MARCH)
		days--;
	return days * DAY_NS;
}

static int64_t overlap(struct weir_joined_span a, struct weir_joined_span b)
{
	int64_t start = a.start_ns > b.start_ns ? a.start_ns : b.start_ns;
	int64_t end = a.end_ns < b.end_ns ? a.end_ns : b.end_ns;

	return end > start ? end - start : 0;
}

/* Returns the smallest shift in quarters of an hour with the largest overlap. */
static int64_t zone_shift(struct weir_joined_span rows, struct weir_joined_span window)
{
	int64_t best = 0, most = overlap(rows, window);

	for (int64_t q = EARLIEST; q <= LATEST; q++) {
		struct weir_joined_span moved = {rows.start_ns + q * QUARTER_NS,
		                                 rows.end_ns + q * QUARTER_NS};
		int64_t shared = overlap(moved, window);

		if (shared < most || (shared == most && llabs(q * QUARTER_NS) >= llabs(best)))
			continue;
		most = shared;
		best = q * QUARTER_NS;
	}
	return best;
}

static bool is_sane(int64_t at_ns)
{
	return at_ns >= 0 && at_ns < INT64_MAX / 2;
}

/* Finds the shift of an engine's times to Unix time. False: they cannot be compared. */
static bool find_shift(const struct weir_server_engine *engine, struct weir_joined_span window,
                       int64_t *shift_ns)
{
	struct weir_joined_span rows;

	*shift_ns = 0;
	if (!engine->timed || engine->count < 2 || !is_sane(engine->rows[0]->at_ns) ||
	    !is_sane(engine->rows[engine->count - 1]->at_ns))
		return false;
	rows = (struct weir_joined_span){engine->rows[0]->at_ns,
	                                 engine->rows[engine->count - 1]->at_ns};
	switch (engine->clock) {
	case WEIR_SERVER_CLOCK_NONE:
		return false;
	case WEIR_SERVER_CLOCK_UNIX:
		break;
	case WEIR_SERVER_CLOCK_YEARLESS:
		*shift_ns = year_shift(rows.start_ns, window.start_ns);
		rows.start_ns += *shift_ns;
		rows.end_ns += *shift_ns;
		*shift_ns += zone_shift(rows, window);
		break;
	case WEIR_SERVER_CLOCK_LOCAL:
		*shift_ns = zone_shift(rows, window);
		break;
	}
	return true;
}

/* ---- one engine ---- */

static bool has_steps(const struct weir_server_engine *engine)
{
	for (size_t i = 0; i < engine->count; i++)
		if (engine->rows[i]->kind == WEIR_SERVER_STEP)
			return true;
	return false;
}

/* Places the rows first to end - 1, which share one time of a coarse clock: one behind the other up
 * to that time, each as long as the row; shorter if the time since the row before is too short.
 * Intervals have no length if steps cover their time. */
static void place_rows(struct axis *axis, const struct weir_server_engine *engine, size_t first,
                       size_t end, bool steps_only)
{
	double sum_s = 0, room_s = 0, scale = 1;

	for (size_t i = first; i < end; i++)
		if (!steps_only || engine->rows[i]->kind == WEIR_SERVER_STEP)
			sum_s += fmin(engine->seconds[i], 1e6);
	if (first > 0) {
		room_s = ((double)axis->end_ns[first] - (double)axis->end_ns[first - 1]) / 1e9;
		scale = sum_s > room_s ? room_s / sum_s : 1;
	}
	for (size_t i = end; i-- > first;) {
		double length_s = fmin(engine->seconds[i], 1e6) * scale;

		if (steps_only && engine->rows[i]->kind != WEIR_SERVER_STEP)
			length_s = 0;
		if (i + 1 < end)
			axis->end_ns[i] = axis->start_ns[i + 1];
		axis->start_ns[i] = axis->end_ns[i] - (int64_t)(length_s * 1e9);
	}
}

/* Sets the states of the rows. Steps state no gauges: those of the interval that ends after them
 * hold. */
static void find_states(struct axis *axis, const struct weir_server_engine *engine)
{
	struct weir_slots slots = weir_engine_slots(engine);
	bool kv_wait = false;

	for (size_t i = engine->count; i-- > 0;) {
		const struct weir_server_row *row = engine->rows[i];

		if (row->waiting >= 0)
			kv_wait = row->waiting > 0 && !weir_is_stalled(engine, row) &&
			          weir_is_kv_full(row->kv_usage, weir_row_running(engine, row),
			                          &slots);
		axis->in[IN_KV_WAIT][i] =
			kv_wait && (row->waiting >= 0 || row->kind == WEIR_SERVER_STEP);
		axis->in[IN_MIXED][i] = row->kind == WEIR_SERVER_STEP && row->prefill_tokens > 0 &&
		                        row->decode_tokens > 0;
		axis->in[IN_PREEMPTION][i] = row->preempted > 0;
	}
}

static void axis_init(struct axis *axis, const struct weir_server_engine *engine, int64_t shift_ns,
                      struct weir_arena *arena)
{
	size_t room = engine->count + 1;
	bool steps_only = has_steps(engine);

	axis->count = engine->count;
	axis->start_ns = weir_arena_alloc(arena, room * sizeof(int64_t));
	axis->end_ns = weir_arena_alloc(arena, room * sizeof(int64_t));
	for (size_t s = 0; s <= STATES; s++)
		axis->sum_s[s] = weir_arena_alloc(arena, room * sizeof(double));
	for (size_t s = 0; s < STATES; s++)
		axis->in[s] = weir_arena_alloc(arena, room * sizeof(bool));
	find_states(axis, engine);
	for (size_t i = 0; i < engine->count; i++)
		axis->end_ns[i] = engine->rows[i]->at_ns + shift_ns;
	for (size_t first = 0, end; first < engine->count; first = end) {
		for (end = first + 1;
		     end < engine->count && engine->rows[end]->at_ns == engine->rows[first]->at_ns;
		     end++)
			;
		place_rows(axis, engine, first, end, steps_only);
	}
	for (size_t i = 0; i < engine->count; i++)
		for (size_t s = 0; s <= STATES; s++) {
			axis->sum_s[s][i] = i > 0 ? axis->sum_s[s][i - 1] : 0;
			if (s == STATES || axis->in[s][i])
				axis->sum_s[s][i] +=
					(double)(axis->end_ns[i] - axis->start_ns[i]) / 1e9;
		}
}

/* Returns the time in a state up to a moment. */
static double time_until(const struct axis *axis, size_t state, int64_t at_ns)
{
	size_t low = 0, high = axis->count;
	double sum;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (axis->end_ns[middle] <= at_ns)
			low = middle + 1;
		else
			high = middle;
	}
	sum = low > 0 ? axis->sum_s[state][low - 1] : 0;
	if (low < axis->count && axis->start_ns[low] < at_ns &&
	    (state == STATES || axis->in[state][low]))
		sum += (double)(at_ns - axis->start_ns[low]) / 1e9;
	return sum;
}

static void add_engine(const struct axis *axis, const struct weir_joined_span *spans, size_t count,
                       double sums[STATES + 1])
{
	for (size_t i = 0; i < count; i++)
		for (size_t s = 0; s <= STATES; s++)
			sums[s] += time_until(axis, s, spans[i].end_ns) -
			           time_until(axis, s, spans[i].start_ns);
}

static bool any_steps(const struct weir_engines *engines)
{
	for (size_t e = 0; e < engines->count; e++)
		if (has_steps(&engines->items[e]))
			return true;
	return false;
}

static void join(const struct weir_engines *engines, const struct weir_joined_span *spans,
                 size_t count, struct weir_server_figures *out)
{
	struct weir_joined_span window = {INT64_MAX, INT64_MIN};
	double sums[STATES + 1] = {0}, all_s = 0;
	size_t joined = 0;

	for (size_t i = 0; i < count; i++) {
		window.start_ns =
			spans[i].start_ns < window.start_ns ? spans[i].start_ns : window.start_ns;
		window.end_ns = spans[i].end_ns > window.end_ns ? spans[i].end_ns : window.end_ns;
		all_s += ((double)spans[i].end_ns - (double)spans[i].start_ns) / 1e9;
	}
	for (size_t e = 0; e < engines->count; e++) {
		struct axis axis;
		int64_t shift_ns;

		if (!find_shift(&engines->items[e], window, &shift_ns))
			continue;
		axis_init(&axis, &engines->items[e], shift_ns, engines->arena);
		add_engine(&axis, spans, count, sums);
		joined++;
	}
	out->joined.covered = joined ? sums[STATES] / (all_s * (double)joined) : NAN;
	if (!(out->joined.covered >= COVERED))
		return;
	if (any_steps(engines))
		out->joined.in_mixed = sums[IN_MIXED] / sums[STATES];
	out->joined.in_kv_wait = sums[IN_KV_WAIT] / sums[STATES];
	out->joined.in_preemption = sums[IN_PREEMPTION] / sums[STATES];
}

void weir_server_join(const struct weir_profile *profile, const struct weir_joined_span *spans,
                      size_t count, struct weir_server_figures *out)
{
	struct weir_arena *scratch = weir_arena_new();
	struct weir_engines engines;

	if (out->from_log)
		weir_engines_of_logs(&engines, profile, scratch);
	else
		weir_engines_of_pages(&engines, profile, scratch);
	if (count)
		join(&engines, spans, count, out);
	weir_engines_release(&engines);
	weir_arena_free(scratch);
}
