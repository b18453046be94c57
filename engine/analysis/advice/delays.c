/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/advice/delays.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"

/* Steps around the program's own that are compared; more say little more. */
#define MOST_STEPS 64

void weir_delays_init(struct weir_delays *delays, const struct weir_rank *rank, uint32_t thread)
{
	*delays = (struct weir_delays){.rank = rank, .thread = thread};
}

void weir_delays_release(struct weir_delays *delays)
{
	for (size_t s = 0; delays->steps && s < delays->rank->steps.step_count; s++)
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

/* Reads the edges of all steps; rows that reach over the end of their step have their beginning. */
static void read_steps(struct weir_delays *delays)
{
	const struct weir_rank *rank = delays->rank;
	const struct weir_host_columns *host = &rank->trace->host;
	size_t first, end;

	delays->steps = weir_alloc((rank->steps.step_count + 1) * sizeof *delays->steps);
	weir_timeline_thread_rows(&rank->timeline, delays->thread, &first, &end);
	for (size_t row = first; row < end; row++) {
		uint32_t step = weir_steps_step_at(&rank->steps, host->start_ns[row]);

		if (step == WEIR_NONE || host->kind[row] == WEIR_HOST_OVERHEAD)
			continue;
		add_edge(&delays->steps[step], host->start_ns[row]);
		if (host->end_ns[row] < rank->steps.steps[step].end_ns)
			add_edge(&delays->steps[step], host->end_ns[row]);
	}
	for (size_t s = 0; s < rank->steps.step_count; s++)
		weir_instants_sort(delays->steps[s].at_ns, delays->steps[s].count);
}

double weir_delays_least_ns(struct weir_delays *delays, int64_t from_ns, int64_t to_ns)
{
	const struct weir_steps *steps = &delays->rank->steps;
	uint32_t own = weir_steps_step_at(steps, from_ns);
	double least_ns = INFINITY;
	size_t edge, count = 0, first;

	if (own == WEIR_NONE || to_ns > steps->steps[own].end_ns)
		return NAN;
	if (!delays->steps)
		read_steps(delays);
	/* The edges up to the beginning of the stretch. */
	edge = weir_instants_until(delays->steps[own].at_ns, delays->steps[own].count, from_ns);
	first = own > MOST_STEPS / 2 ? own - MOST_STEPS / 2 : 0;
	for (size_t s = first; s < steps->step_count && s < first + MOST_STEPS; s++) {
		const struct weir_step_edges *other = &delays->steps[s];

		if (edge == 0 || edge >= other->count || other->count != delays->steps[own].count)
			continue;
		least_ns = fmin(least_ns,
		                (double)weir_span_ns(other->at_ns[edge - 1], other->at_ns[edge]));
		count++;
	}
	return count < WEIR_DELAY_LEAST_STEPS ? NAN : least_ns;
}
