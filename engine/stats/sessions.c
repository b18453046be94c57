/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/moderated.h"
#include "engine/stats/sessions.h"

/* Number and mean of the runs of one session on both sides. */
struct block {
	double count[2], mean[2];
};

static size_t side_of(const struct weir_session_layout *layout, size_t run)
{
	return run >= layout->baseline_runs;
}

/* Fills one block per session. The caller frees the list. */
static struct block *blocks_of(const struct weir_session_layout *layout, const double *y)
{
	struct block *blocks = weir_alloc((layout->sessions + 1) * sizeof(*blocks));

	for (size_t r = 0; r < layout->runs; r++) {
		struct block *block = &blocks[layout->session[r]];
		size_t side = side_of(layout, r);

		if (isnan(y[r]))
			continue;
		block->count[side]++;
		block->mean[side] += (y[r] - block->mean[side]) / block->count[side];
	}
	return blocks;
}

/* ---- blocks ---- */

static double weight_of(const struct block *block)
{
	double both = block->count[0] + block->count[1];

	return both > 0 ? block->count[0] * block->count[1] / both : 0;
}

/* Returns the mean of a session after the change is taken from its candidate runs. */
static double level_of(const struct block *block, double change)
{
	return (block->count[0] * block->mean[0] + block->count[1] * (block->mean[1] - change)) /
	       (block->count[0] + block->count[1]);
}

void weir_block_align(const struct weir_session_layout *layout, const double *y, double *aligned,
                      struct weir_block_fit *fit)
{
	struct block *blocks = blocks_of(layout, y);
	double weight = 0, change = 0, level = 0, runs = 0;
	size_t present = 0;

	for (size_t i = 0; i < layout->sessions; i++) {
		double one = weight_of(&blocks[i]);

		weight += one;
		change += one > 0 ? one * (blocks[i].mean[1] - blocks[i].mean[0]) : 0;
		present += blocks[i].count[0] + blocks[i].count[1] > 0;
	}
	*fit = (struct weir_block_fit){weight > 0 ? 1 / weight : NAN,
	                               present > 0 ? present - 1 : 0};
	change /= weight; /* NAN without a shared block */
	for (size_t i = 0; i < layout->sessions; i++) {
		double here = blocks[i].count[0] + blocks[i].count[1];

		level += here > 0 ? here * level_of(&blocks[i], change) : 0;
		runs += here;
	}
	for (size_t r = 0; r < layout->runs; r++)
		aligned[r] = isnan(y[r]) ? NAN
		                         : y[r] - level_of(&blocks[layout->session[r]], change) +
		                                   level / runs;
	free(blocks);
}

/* ---- nested ---- */

/* Returns the sum of squares of the runs around the means of their sessions. */
static double squares_within(const struct weir_session_layout *layout, const double *y,
                             const struct block *blocks)
{
	double squares = 0;

	for (size_t r = 0; r < layout->runs; r++) {
		double deviation = y[r] - blocks[layout->session[r]].mean[side_of(layout, r)];

		squares += isnan(y[r]) ? 0 : deviation * deviation;
	}
	return squares;
}

void weir_session_reduce(const struct weir_session_layout *layout, const double *y, double *means,
                         struct weir_session_error *error)
{
	struct block *blocks = blocks_of(layout, y);
	double sessions[2] = {0}, shares[2] = {0}, runs = 0, width, both, q;

	for (size_t i = 0; i < layout->sessions; i++) {
		size_t side = blocks[i].count[1] > 0;
		double count = blocks[i].count[side];

		means[i] = count > 0 ? blocks[i].mean[side] : NAN;
		sessions[side] += count > 0;
		shares[side] += count > 0 ? 1 / count : 0;
		runs += count;
	}
	both = sessions[0] + sessions[1];
	width = 1 / sessions[0] + 1 / sessions[1];
	q = ((1 - 1 / sessions[0]) * shares[0] + (1 - 1 / sessions[1]) * shares[1]) / (both - 2);
	error->df = runs - both;
	error->variance = error->df > 0 ? squares_within(layout, y, blocks) / error->df : NAN;
	error->excess = shares[0] / (sessions[0] * sessions[0]) +
	                shares[1] / (sessions[1] * sessions[1]) - width * q;
	if (!(error->excess > 1e-9 * width)) /* rounding, or no session on a side */
		error->excess = 0;
	free(blocks);
}

void weir_session_combine(const struct weir_session_error *error, double width, double *variance,
                          double *df)
{
	double more = error->excess > 0 ? error->excess * error->variance / width : 0;
	double sum = *variance + more;

	if (!(more > 0))
		return;
	*df = sum * sum / (*variance * *variance / *df + more * more / error->df);
	*variance = sum;
}

/* ---- moderation ---- */

/* Returns the squared correlation of two subjects over the columns that both have; NAN: one of them
 * does not scatter. */
static double squared_correlation(const struct weir_session_pool *pool, size_t a, size_t b)
{
	const double *left = pool->deviations + a * pool->columns;
	const double *right = pool->deviations + b * pool->columns;
	double both = 0, of_left = 0, of_right = 0;

	for (size_t i = 0; i < pool->columns; i++) {
		if (isnan(left[i]) || isnan(right[i]))
			continue;
		both += left[i] * right[i];
		of_left += left[i] * left[i];
		of_right += right[i] * right[i];
	}
	return both * both / (of_left * of_right);
}

static bool in_pool(const struct weir_session_pool *pool, size_t subject)
{
	return pool->variances[subject] > 0;
}

/* Returns the mean degrees of freedom of the variances in the pool, and sets their number. */
static double mean_df(const struct weir_session_pool *pool, size_t *count)
{
	double sum = 0;

	*count = 0;
	for (size_t i = 0; i < pool->subjects; i++)
		if (in_pool(pool, i)) {
			sum += pool->df[i];
			++*count;
		}
	return sum / (double)*count;
}

#define MOST_COMPARED 50 /* subjects whose pairs are compared, to bound the time */

double weir_session_independent(const struct weir_session_pool *pool)
{
	size_t count, compared = 0, pairs = 0, chosen[MOST_COMPARED];
	double df = mean_df(pool, &count), sum = 0, chance, c;

	for (size_t i = 0; i < pool->subjects && compared < MOST_COMPARED; i++)
		if (in_pool(pool, i))
			chosen[compared++] = i;
	for (size_t a = 1; a < compared; a++)
		for (size_t b = 0; b < a; b++) {
			double square = squared_correlation(pool, chosen[a], chosen[b]);

			sum += isnan(square) ? 1 : square;
			pairs++;
		}
	if (pairs == 0 || !(df > 1))
		return 1;
	chance = 1 / df;
	c = fmax(0, (sum / (double)pairs - chance) / (1 - chance));
	return (double)count / (1 + (double)(count - 1) * fmin(c, 1));
}

void weir_session_moderate(const struct weir_session_pool *pool)
{
	size_t count, at = 0;
	double df = mean_df(pool, &count);
	double ceiling =
		fmin(WEIR_SHRINK_MOST_PRIOR_DF, 0.5 * (weir_session_independent(pool) - 1) * df);
	double *variances = weir_alloc((2 * count + 1) * sizeof(*variances));
	struct weir_variances in = {variances, variances + count, count};
	struct weir_shrinkage prior;

	for (size_t i = 0; i < pool->subjects; i++)
		if (in_pool(pool, i)) {
			variances[at] = pool->variances[i];
			variances[count + at++] = pool->df[i];
		}
	at = 0;
	/* Without a prior each variance stands for itself. */
	if (count > 1 && ceiling > 0 && !weir_shrink(&in, ceiling, variances, &prior, NULL))
		for (size_t i = 0; i < pool->subjects; i++)
			if (in_pool(pool, i)) {
				pool->variances[i] = fmax(pool->variances[i], variances[at++]);
				pool->df[i] += prior.prior_df;
			}
	free(variances);
}
