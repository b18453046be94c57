/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/compare/trial.h"
#include "engine/base/splitmix.h"

#define NORMAL_975 1.959963984540054 /* quantile of the normal distribution at 0.975 */

void weir_trial_draw(uint64_t seed, uint64_t draw, size_t count, size_t *order)
{
	uint64_t state = weir_splitmix64(seed ^ weir_splitmix64(draw));

	for (size_t i = 0; i < count; i++)
		order[i] = i;
	for (size_t i = count; i > 1; i--) {
		size_t other, swap = order[i - 1];

		state = weir_splitmix64(state);
		other = (size_t)(state % i); /* the bias is i in 2^64 */
		order[i - 1] = order[other];
		order[other] = swap;
	}
}

void weir_trial_interval(size_t hits, size_t trials, double *low, double *high)
{
	double n = (double)trials, z2 = NORMAL_975 * NORMAL_975, rate, middle, half;

	*low = *high = NAN;
	if (trials == 0)
		return;
	rate = (double)hits / n;
	middle = (rate + z2 / (2 * n)) / (1 + z2 / n);
	half = NORMAL_975 * sqrt(rate * (1 - rate) / n + z2 / (4 * n * n)) / (1 + z2 / n);
	*low = fmax(middle - half, 0);
	*high = fmin(middle + half, 1);
}
