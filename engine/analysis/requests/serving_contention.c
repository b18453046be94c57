/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/requests/serving_contention.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

#define CLASSES 64 /* powers of two */
#define FEW     5  /* executions on either side of a class */

/* Executions of one class: times of those that began alone, and beside host work. */
struct like {
	double *alone_ns, *beside_ns;
	size_t alone, beside;
};

static int class_of(const struct weir_execution *execution)
{
	double size = isnan(execution->tokens) ? execution->size : execution->tokens;
	int exponent;

	if (!(size >= 1))
		return -1;
	frexp(size, &exponent);
	return exponent < CLASSES ? exponent : CLASSES - 1;
}

static void sort_into(const struct weir_executions *executions, const struct weir_intervals *host,
                      int class, struct like *out)
{
	out->alone = out->beside = 0;
	for (size_t i = 0; i < executions->count; i++) {
		const struct weir_execution *execution = &executions->items[i];

		if (class_of(execution) != class)
			continue;
		if (weir_intervals_contains(host, execution->start_ns))
			out->beside_ns[out->beside++] = (double)execution->compute_ns;
		else
			out->alone_ns[out->alone++] = (double)execution->compute_ns;
	}
}

static double sum_above(const double *values, size_t count, double line)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i] > line ? values[i] - line : 0;
	return sum;
}

struct weir_contention weir_contention_measure(const struct weir_executions *executions,
                                               const struct weir_intervals *host)
{
	struct like like = {weir_alloc((executions->count + 1) * sizeof(double)),
	                    weir_alloc((executions->count + 1) * sizeof(double)), 0, 0};
	struct weir_contention out = {NAN, 0};
	double ratio_sum = 0, weight = 0, beyond_ns = 0, all_ns = 0;

	for (size_t i = 0; i < executions->count; i++)
		all_ns += (double)executions->items[i].compute_ns;
	for (int class = 0; class < CLASSES; class ++) {
		double alone_ns;

		sort_into(executions, host, class, &like);
		if (like.alone < FEW || like.beside < FEW)
			continue;
		alone_ns = weir_median(like.alone_ns, like.alone);
		if (!(alone_ns > 0))
			continue;
		ratio_sum +=
			weir_median(like.beside_ns, like.beside) / alone_ns * (double)like.beside;
		weight += (double)like.beside;
		beyond_ns += sum_above(like.beside_ns, like.beside, alone_ns);
	}
	if (weight > 0)
		out.slowdown = ratio_sum / weight;
	if (out.slowdown >= WEIR_CONTENTION_MIN && all_ns > 0)
		out.stolen = beyond_ns / all_ns;
	free(like.alone_ns);
	free(like.beside_ns);
	return out;
}

void weir_host_time_of(const struct weir_requests *requests, const enum weir_part_class *classes,
                       struct weir_intervals *out)
{
	weir_intervals_clear(out);
	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part))
			if (classes[part.stage] == WEIR_PART_BEFORE ||
			    classes[part.stage] == WEIR_PART_AFTER)
				weir_intervals_push(out, part.start_ns, part.end_ns);
	}
	weir_intervals_unite(out);
}
