/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rank sums of two small samples (H. B. Mann and D. R. Whitney, On a test of whether one of two
 * random variables is stochastically larger than the other, Annals of Mathematical Statistics 18,
 * 1947). The level holds for every continuous distribution, which that of a t test does not.
 */
#ifndef WEIR_STATS_RANKS_H
#define WEIR_STATS_RANKS_H

#include <stddef.h>

/*
 * Returns the one-sided probability that at least `greater` of the `first` x `second` pairs have
 * the value of the second sample larger, if both samples come from one distribution. Exact for up
 * to WEIR_RANKS_EXACT pairs, otherwise the normal approximation with continuity correction. Ties
 * must not be counted in `greater`, which makes the result too large, never too small. NAN if a
 * sample is empty.
 */
#define WEIR_RANKS_EXACT 2000
double weir_rank_upper(size_t greater, size_t first, size_t second);

#endif
