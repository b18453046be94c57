/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "engine/base/arena.h"
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
