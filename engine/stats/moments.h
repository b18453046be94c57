/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Means and variances. Variances take two passes, so that large values with little
 * scatter keep their precision. */
#ifndef WEIR_STATS_MOMENTS_H
#define WEIR_STATS_MOMENTS_H

#include <stddef.h>

/* NAN if there are no values. */
double weir_mean(const double *values, size_t count);
/* Divisor count - 1; NAN for fewer than two values. */
double weir_variance(const double *values, size_t count);

#endif
