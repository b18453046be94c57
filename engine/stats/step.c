/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>

#include "engine/stats/step.h"

/* Sums of the samples on one side of a step. */
struct side {
	double count, mean, squares; /* squares: around the mean */
};

/* Adds a sample by Welford's formula, which does not cancel. */
static void add(struct side *side, double value)
{
	double delta = value - side->mean;

	side->count++;
	side->mean += delta / side->count;
	side->squares += delta * (value - side->mean);
}

static void split(const struct weir_step_sample *samples, size_t count, size_t step,
                  struct side *before, struct side *behind)
{
	*before = *behind = (struct side){0};
	for (size_t i = 0; i < count; i++)
		add(samples[i].position < step ? before : behind, samples[i].value);
}

static double log_weight(const struct weir_step_sample *samples, size_t count, size_t step)
{
	double floor = WEIR_STEP_FLOOR * WEIR_STEP_FLOOR;
	struct side before, behind;

	split(samples, count, step, &before, &behind);
	return -0.5 * log(before.count * behind.count) -
	       0.5 * (double)(count - 2) * log(before.squares + behind.squares + floor);
}

void weir_step_locate(const struct weir_step_sample *samples, size_t count, size_t positions,
                      double *probability)
{
	double largest = -INFINITY, sum = 0;

	probability[0] = 0;
	for (size_t k = 1; k < positions; k++) {
		probability[k] = log_weight(samples, count, k);
		largest = fmax(largest, probability[k]);
	}
	for (size_t k = 1; k < positions; k++) {
		probability[k] = exp(probability[k] - largest);
		sum += probability[k];
	}
	for (size_t k = 1; k < positions; k++)
		probability[k] /= sum;
}

void weir_step_levels(const struct weir_step_sample *samples, size_t count, size_t step,
                      double *before, double *behind)
{
	struct side sides[2];

	split(samples, count, step, &sides[0], &sides[1]);
	*before = sides[0].mean;
	*behind = sides[1].mean;
}
