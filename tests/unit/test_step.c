/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The place of one step among noisy levels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/splitmix.h"
#include "engine/stats/step.h"

#define POSITIONS 9

/* Samples at all positions, alternately above and below the level, which rises by `step` at `at`.
 */
static size_t draw(struct weir_step_sample *samples, size_t each, size_t at, double step,
                   double noise)
{
	size_t count = 0;

	for (size_t position = 0; position < POSITIONS; position++)
		for (size_t i = 0; i < each; i++)
			samples[count++] = (struct weir_step_sample){
				position, (position >= at ? step : 0) + (i % 2 ? noise : -noise)};
	return count;
}

static void a_clear_step_is_found_where_it_is(void **state)
{
	struct weir_step_sample samples[POSITIONS * 4];
	double p[POSITIONS], sum = 0, before, behind;

	(void)state;
	for (size_t at = 1; at < POSITIONS; at++) {
		size_t count = draw(samples, 4, at, 0.05, 0.01);

		weir_step_locate(samples, count, POSITIONS, p);
		assert_true(p[at] > 0.999);
		weir_step_levels(samples, count, at, &before, &behind);
		assert_true(fabs(before) < 1e-9);
		assert_true(fabs(behind - 0.05) < 1e-9);
	}
	for (size_t k = 0; k < POSITIONS; k++)
		sum += p[k];
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(p[0] == 0);
}

static double log_weight(const double *values, size_t count, size_t step)
{
	double mean[2] = {0}, squares = WEIR_STEP_FLOOR * WEIR_STEP_FLOOR;

	for (size_t i = 0; i < count; i++)
		mean[i >= step] += values[i] / (double)(i < step ? step : count - step);
	for (size_t i = 0; i < count; i++)
		squares += (values[i] - mean[i >= step]) * (values[i] - mean[i >= step]);
	return -0.5 * log((double)step * (double)(count - step)) -
	       0.5 * (double)(count - 2) * log(squares);
}

/* One sample a position, around a level far from 0 and with little noise. */
static void probabilities_follow_their_formula(void **state)
{
	static const double values[] = {7.01, 7.02, 6.99, 7.03, 7.02, 7.05, 7.01, 7.04, 7.03};
	struct weir_step_sample samples[POSITIONS];
	double p[POSITIONS], before, behind;

	(void)state;
	for (size_t i = 0; i < POSITIONS; i++)
		samples[i] = (struct weir_step_sample){i, values[i]};
	p[0] = 1;
	weir_step_locate(samples, POSITIONS, POSITIONS, p);
	assert_true(p[0] == 0);
	for (size_t k = 2; k < POSITIONS; k++)
		assert_true(fabs(log(p[k] / p[1]) - log_weight(values, POSITIONS, k) +
		                 log_weight(values, POSITIONS, 1)) < 1e-9);
	weir_step_levels(samples, POSITIONS, 3, &before, &behind);
	assert_true(fabs(before - 21.02 / 3) < 1e-12);
	assert_true(fabs(behind - 42.18 / 6) < 1e-12);
}

/* A step of half the noise is no certainty for few samples, and becomes one with many. */
static void certainty_grows_with_samples(void **state)
{
	struct weir_step_sample samples[POSITIONS * 200];
	double few[POSITIONS], many[POSITIONS];

	(void)state;
	weir_step_locate(samples, draw(samples, 2, 4, 0.01, 0.02), POSITIONS, few);
	weir_step_locate(samples, draw(samples, 200, 4, 0.01, 0.02), POSITIONS, many);
	assert_true(few[4] < 0.5);
	assert_true(many[4] > 0.99);
}

static void positions_without_samples_are_equally_likely(void **state)
{
	static const struct weir_step_sample samples[] = {
		{0, 0}, {0, 0.01}, {3, 0.01}, {3, 0}, {7, 0.05}, {7, 0.06}, {8, 0.05}, {8, 0.06}};
	double p[POSITIONS];

	(void)state;
	weir_step_locate(samples, 8, POSITIONS, p);
	for (size_t k = 5; k <= 7; k++)
		assert_true(fabs(p[k] - p[4]) < 1e-12);
	assert_true(fabs(p[2] - p[1]) < 1e-12);
	assert_true(p[4] + p[5] + p[6] + p[7] > 0.9);
}

static void equal_samples_are_no_certainty(void **state)
{
	struct weir_step_sample samples[POSITIONS * 2];
	double p[POSITIONS];

	(void)state;
	weir_step_locate(samples, draw(samples, 2, 4, 0, 0), POSITIONS, p);
	for (size_t k = 1; k < POSITIONS; k++)
		assert_true(p[k] > 0.05 && p[k] < 0.3);
}

/* The sum of twelve uniform numbers, less its mean, is nearly normal. */
static double normal(uint64_t *seed)
{
	double sum = -6;

	for (int i = 0; i < 12; i++) {
		*seed = weir_splitmix64(*seed);
		sum += (double)(*seed >> 11) / 9007199254740992.0;
	}
	return sum;
}

/* The sum of the probabilities of the answers is at most the number of right ones, but for chance.
 */
static void a_step_above_the_noise_is_found_as_often_as_promised(void **state)
{
	struct weir_step_sample samples[POSITIONS * 3];
	double p[POSITIONS], promised = 0;
	uint64_t seed = 7;
	int right = 0;

	(void)state;
	for (int trial = 0; trial < 2000; trial++) {
		size_t at = 1 + (size_t)trial % (POSITIONS - 1), best = 1;
		size_t count = draw(samples, 3, at, 0.03, 0);

		for (size_t i = 0; i < count; i++)
			samples[i].value += 0.02 * normal(&seed);
		weir_step_locate(samples, count, POSITIONS, p);
		for (size_t k = 2; k < POSITIONS; k++)
			best = p[k] > p[best] ? k : best;
		promised += p[best];
		right += best == at;
	}
	assert_true(right >= promised - 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_clear_step_is_found_where_it_is),
		cmocka_unit_test(probabilities_follow_their_formula),
		cmocka_unit_test(certainty_grows_with_samples),
		cmocka_unit_test(positions_without_samples_are_equally_likely),
		cmocka_unit_test(equal_samples_are_no_certainty),
		cmocka_unit_test(a_step_above_the_noise_is_found_as_often_as_promised),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
