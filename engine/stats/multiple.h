/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adjusts p-values for multiple tests. NAN means "not tested": it stays NAN and is not counted.
 * Ties keep the order of their indices. p and adjusted may be the same array. */
#ifndef WEIR_STATS_MULTIPLE_H
#define WEIR_STATS_MULTIPLE_H

#include <stddef.h>

/* Family-wise error rate (S. Holm, Scandinavian Journal of Statistics 6, 1979). */
void weir_holm(const double *p, size_t count, double *adjusted);

#endif
