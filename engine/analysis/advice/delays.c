/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/advice/delays.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"

/* Steps that are compared, around the first one that is asked for; more say little more. */
#define MOST_STEPS 32

void weir_delays_init(struct weir_delays *delays, const struct weir_rank *rank, uint32_t thread)
{
	*delays = (struct weir_delays){.rank = rank, .thread = thread};
}

void weir_delays_release(struct weir_delays *delays)
{
	for (size_t s = 0; delays->steps && s < MOST_STEPS; s++)
		free(delays->steps[s].at_ns);
	free(delays->steps);
	*delays = (struct weir_delays){0};
}

static void add_edge(struct weir_step_edges *edges, int64_t at_ns)
{
	edges->at_ns =
		weir_grow(edges->at_ns, &edges->capacity, edges->count + 1, sizeof *edges->at_ns);
	edges->at_ns[edges->count++] = at_ns;
}

/* True if the step is among those that are read. For an earlier step the difference wraps around to
 * a large number; for WEIR_NONE it is large, too. */
static bool is_read(const struct weir_delays *delays, uint32_t step)
{
	return step - delays->first_step < MOST_STEPS;
}

/* Reads the edges of the steps around this one; rows that reach over the end of their step have
 * their beginning. */
static void read_steps(struct weir_delays *delays, uint32_t around)
{
	const struct weir_rank *rank = delays->rank;
	const struct weir_host_columns *host = &rank->trace->host;
	size_t first, end;

	delays->first_step = around > MOST_STEPS / 2 ? around - MOST_STEPS / 2 : 0;
	delays->steps = weir_alloc(MOST_STEPS * sizeof *delays->steps);
	weir_timeline_thread_rows(&rank->timeline, delays->thread, &first, &end);
	first = weir_instants_from(host->start_ns, first, end,
	                           rank->steps.steps[delays->first_step].start_ns);
	for (size_t row = first; row < end; row++) {
		uint32_t step = weir_steps_step_at(&rank->steps, host->start_ns[row]);

		if (step != WEIR_NONE && step >= delays->first_step + MOST_STEPS)
			break;
		if (!is_read(delays, step) || host->kind[row] == WEIR_HOST_OVERHEAD)
			continue;
		add_edge(&delays->steps[step - delays->first_step], host->start_ns[row]);
		if (host->end_ns[row] < rank->steps.steps[step].end_ns)
			add_edge(&delays->steps[step - delays->first_step], host->end_ns[row]);
	}
	for (size_t s = 0; s < MOST_STEPS; s++)
		weir_instants_sort(delays->steps[s].at_ns, delays->steps[s].count);
}

double weir_delays_least_ns(struct weir_delays *delays, int64_t from_ns, int64_t to_ns)
{
	const struct weir_steps *steps = &delays->rank->steps;
	uint32_t step = weir_steps_step_at(steps, from_ns);
	const struct weir_step_edges *own;
	double least_ns = INFINITY;
	size_t edge, count = 0;

	if (step == WEIR_NONE || to_ns > steps->steps[step].end_ns)
		return NAN;
	if (!delays->steps)
		read_steps(delays, step);
	if (!is_read(delays, step))
		return NAN;
	own = &delays->steps[step - delays->first_step];
	/* The edges up to the beginning of the stretch. */
	edge = weir_instants_until(own->at_ns, own->count, from_ns);
	for (size_t s = 0; s < MOST_STEPS; s++) {
		const struct weir_step_edges *other = &delays->steps[s];

		if (edge == 0 || edge >= other->count || other->count != own->count)
			continue;
		least_ns = fmin(least_ns,
		                (double)weir_span_ns(other->at_ns[edge - 1], other->at_ns[edge]));
		count++;
	}
	return count < WEIR_DELAY_LEAST_STEPS ? NAN : least_ns;
}

/* Returns the time that a step takes for the stretches that are short in another one. */
static double short_ns(const struct weir_step_edges *step, const struct weir_step_edges *in)
{
	double ns = 0;

	for (size_t e = 1; e < step->count; e++)
		if (weir_span_ns(in->at_ns[e - 1], in->at_ns[e]) <= WEIR_SHORT_STRETCH_NS)
			ns += (double)weir_span_ns(step->at_ns[e - 1], step->at_ns[e]);
	return ns;
}

double weir_delays_slowdown(struct weir_delays *delays, uint32_t step)
{
	const struct weir_step_edges *own;
	double least_ns = INFINITY, own_ns;
	size_t count = 0;

	if (!delays->steps)
		read_steps(delays, step);
	if (!is_read(delays, step))
		return 1;
	own = &delays->steps[step - delays->first_step];
	own_ns = short_ns(own, own);
	for (size_t s = 0; s < MOST_STEPS; s++) {
		if (delays->steps[s].count != own->count)
			continue;
		least_ns = fmin(least_ns, short_ns(&delays->steps[s], own));
		count++;
	}
	return count < WEIR_DELAY_LEAST_STEPS || !(least_ns > 0) ? 1 : own_ns / least_ns;
}
