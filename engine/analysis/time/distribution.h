/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEIR_ANALYSIS_TIME_DISTRIBUTION_H
#define WEIR_ANALYSIS_TIME_DISTRIBUTION_H

#include <stddef.h>

#include "engine/model/report.h"

/* Returns count, sum and percentiles of `values` (ns, in any order); NAN without values. */
struct weir_distribution weir_distribution_of(const double *values, size_t count);

#endif
