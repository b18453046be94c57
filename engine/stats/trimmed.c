/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/stats/moments.h"
#include "engine/stats/quantile.h"
#include "engine/stats/special.h"
#include "engine/stats/trimmed.h"

/* One value in five is left out at each end. */
#define TRIM 5

struct weir_trimmed weir_trimmed_test(double *values, size_t count)
{
	size_t left_out = count / TRIM, kept = count - 2 * left_out;
	struct weir_trimmed out = {NAN, 1};
	double error;

	if (count == 0)
		return out;
	weir_sort_values(values, count);
	out.mean = weir_mean(values + left_out, kept);
	if (count < 2)
		return out;
	for (size_t i = 0; i < left_out; i++) {
		values[i] = values[left_out];
		values[count - 1 - i] = values[count - 1 - left_out];
	}
	error = sqrt((double)(count - 1) * weir_variance(values, count) /
	             ((double)kept * (double)(kept - 1)));
	if (!(error > 0))
		out.p = out.mean > 0 ? 0 : 1;
	else
		out.p = weir_t_upper(out.mean / error, (double)(kept - 1));
	return out;
}
