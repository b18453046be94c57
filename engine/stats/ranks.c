/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/stats/ranks.h"
#include "engine/stats/special.h"

/*
 * Fills ways[0..first * second] with the number of arrangements of each count of greater pairs:
 * the coefficients of the product over i = 1..second of (1 - q^(first + i)) / (1 - q^i).
 */
static void count_arrangements(size_t first, size_t second, double *ways)
{
	size_t most = first * second;

	for (size_t u = 0; u <= most; u++)
		ways[u] = u == 0;
	for (size_t i = 1; i <= second; i++) {
		for (size_t u = most + 1; u-- > first + i;)
			ways[u] -= ways[u - first - i];
		for (size_t u = i; u <= most; u++)
			ways[u] += ways[u - i];
	}
}

static double exact_upper(size_t greater, size_t first, size_t second)
{
	size_t most = first * second;
	double *ways = weir_alloc((most + 1) * sizeof(*ways));
	double all = 0, upper = 0;

	count_arrangements(first, second, ways);
	for (size_t u = 0; u <= most; u++) {
		all += ways[u];
		upper += u >= greater ? ways[u] : 0;
	}
	free(ways);
	return upper / all;
}

double weir_rank_upper(size_t greater, size_t first, size_t second)
{
	double b = (double)first, c = (double)second;

	if (first == 0 || second == 0)
		return NAN;
	/* With one value on a side, all counts are equally likely. */
	if (first == 1 || second == 1)
		return fmax(0, b * c + 1 - (double)greater) / (b * c + 1);
	if (b * c <= WEIR_RANKS_EXACT)
		return exact_upper(greater, first, second);
	return weir_t_upper(((double)greater - 0.5 - b * c / 2) / sqrt(b * c * (b + c + 1) / 12),
	                    INFINITY);
}
