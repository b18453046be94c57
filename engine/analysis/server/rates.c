/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/server/states.h"
#include "engine/analysis/server/steps.h"
#include "engine/stats/quantile.h"

/* Kendall's rank correlation of both rates must be negative with this many standard deviations of
 * independent rates (one-sided 1 %; M. G. Kendall, Rank correlation methods, 1948). */
#define SURE_TO_FALL 2.33
/* Growth is taken from intervals whose running requests change by less: else the number at their
 * ends says little about the time between, and its errors look like growth. */
#define STEADY 0.1
/* Highest prompt rate over the lowest, below which they are alike. */
#define RATES_APART 1.5

/* Intervals of one engine: x is the rate of prompt tokens, y that of output tokens of a running
 * request. */
struct intervals {
	struct weir_point *points, *times; /* times: 1 / y over running requests */
	size_t count, time_count;
};

/* Collects intervals with a decode rate. Without a prompt rate, the prompt tokens of the rows
 * between count. */
static void collect(const struct weir_server_engine *engine, struct intervals *out)
{
	double prompt = 0, before = NAN;
	bool counted = false, idle;
	size_t last = SIZE_MAX;

	for (size_t i = 0; i < engine->count; i++) {
		const struct weir_server_row *row = engine->rows[i];
		double now = weir_row_running(engine, row), running;
		bool steady = fabs(now - before) <= STEADY * now;
		double seconds = weir_engine_rate_seconds(engine, i, &last), x, y;

		if (row->kind == WEIR_SERVER_STEP)
			continue;
		if (row->prefill_tokens >= 0) {
			prompt += row->prefill_tokens;
			counted = true;
		}
		if (isnan(row->decode_rate))
			continue;
		x = counted || isnan(row->prompt_rate) ? prompt / seconds : row->prompt_rate;
		/* Requests run during the interval, and the row states those at its end. */
		running = isnan(before) ? now : (before + now) / 2;
		idle = before == 0 || now == 0;
		before = now;
		y = row->decode_rate / running;
		prompt = 0;
		/* The server was idle for a part of it, and both ends say little about the rest. */
		if (idle || !(running >= 1) || !(y > 0) || !isfinite(y) || !isfinite(x))
			continue;
		if (steady)
			out->times[out->time_count++] = (struct weir_point){running, 1 / y};
		out->points[out->count++] = (struct weir_point){x, y};
	}
}

/* Returns by how many standard deviations of independent values y falls with x. */
static double falling(const struct weir_point *points, size_t count)
{
	size_t kept = count < WEIR_FIT_POINTS ? count : WEIR_FIT_POINTS;
	double n = (double)kept, score = 0;

	for (size_t i = 0; i < kept; i++)
		for (size_t j = i + 1; j < kept; j++) {
			const struct weir_point *a = &points[i * count / kept];
			const struct weir_point *b = &points[j * count / kept];
			double product = (b->x - a->x) * (b->y - a->y);

			score += product < 0 ? 1 : product > 0 ? -1 : 0;
		}
	return 3 * score / sqrt(n * (n - 1) * (2 * n + 5) / 2);
}

/* Returns prompt tokens of one step: the limit of a step, or a whole prompt if that is shorter. */
static double chunk_of(const struct weir_server_figures *out)
{
	double prompt = out->prompt_tokens / out->requests;
	double step = out->chunked_prefill == 0 ? NAN : out->max_step_tokens;

	return isnan(prompt) ? step : isnan(step) ? prompt : fmin(prompt, step);
}

/* Estimates interference of one engine; NAN: rates do not depend on prompts, or vary too little.
 * *judged: they vary enough to tell. */
static double interference_of(struct intervals *intervals, struct weir_arena *arena,
                              double *stall_per_token, bool *judged)
{
	struct weir_line line = weir_line_fit(intervals->points, intervals->count, arena);
	const struct weir_point *points = intervals->points;
	double sum = 0;

	*stall_per_token = NAN;
	*judged = !isnan(line.slope) && intervals->count > WEIR_LEAST_ROWS &&
	          points[intervals->count - 1].x > RATES_APART * points[0].x;
	if (!*judged)
		return NAN;
	if (!(line.slope < 0) || !(line.intercept > 0) ||
	    !(falling(points, intervals->count) >= SURE_TO_FALL))
		return NAN;
	for (size_t i = 0; i < intervals->count; i++)
		sum += points[i].x;
	*stall_per_token = -line.slope;
	return fmin(-line.slope / line.intercept * sum / (double)intervals->count, 1);
}

void weir_server_rates(const struct weir_engines *engines, struct weir_arena *arena,
                       struct weir_server_figures *out)
{
	double *shares = weir_arena_alloc(arena, (engines->count + 1) * sizeof *shares);
	double *stalls = weir_arena_alloc(arena, (engines->count + 1) * sizeof *stalls);
	double *growths = weir_arena_alloc(arena, (engines->count + 1) * sizeof *growths);
	size_t known = 0, grown = 0, all = 0;

	for (size_t e = 0; e < engines->count; e++) {
		const struct weir_server_engine *engine = &engines->items[e];
		size_t room = (engine->count + 1) * sizeof(struct weir_point);
		struct intervals intervals = {.points = weir_arena_alloc(arena, room),
		                              .times = weir_arena_alloc(arena, room)};
		double stall, growth;
		bool judged;

		collect(engine, &intervals);
		shares[known] = interference_of(&intervals, arena, &stall, &judged);
		all += judged;
		stalls[known] = stall;
		known += isnan(shares[known]) ? 0 : 1;
		growth = weir_growth_of(intervals.times, intervals.time_count, arena);
		if (!isnan(growth))
			growths[grown++] = growth;
	}
	if (isnan(out->step_growth) && grown)
		out->step_growth = weir_quantile_select(growths, grown, 0.5);
	/* If most engines show no fall, those that do are chance. */
	if (!isnan(out->prefill_interference) || !known || 2 * known < all)
		return;
	out->interference_estimated = true;
	out->prefill_interference = weir_quantile_select(shares, known, 0.5);
	/* A step of c prompt tokens adds c times the seconds of a token to a step of decodes. */
	out->stall_ratio = 1 + chunk_of(out) * weir_quantile_select(stalls, known, 0.5);
}
