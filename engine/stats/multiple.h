/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adjusts p-values for multiple tests. NAN means "not tested": it stays NAN and is not counted.
 * Ties keep the order of their indices. p and adjusted may be the same array. */
#ifndef WEIR_STATS_MULTIPLE_H
#define WEIR_STATS_MULTIPLE_H

#include <stddef.h>

/* Family-wise error rate (S. Holm, Scandinavian Journal of Statistics 6, 1979). */
void weir_holm(const double *p, size_t count, double *adjusted);
/* False discovery rate for independent tests (Y. Benjamini and Y. Hochberg, JRSS B 57, 1995). */
void weir_benjamini_hochberg(const double *p, size_t count, double *adjusted);
/* False discovery rate under any dependence (Y. Benjamini and D. Yekutieli, Ann. Stat. 29, 2001).
 */
void weir_benjamini_yekutieli(const double *p, size_t count, double *adjusted);

#endif
