/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sums over the requests of a step, as servers write them into its name: how many rows of queries
 * and keys there are, and how many pairs. Attention over packed or paged sequences records no
 * lengths in its shapes; these give its work.
 */
#ifndef WEIR_ANALYSIS_STEP_SUMS_H
#define WEIR_ANALYSIS_STEP_SUMS_H

#include <stdbool.h>

struct weir_row_sums {
	double q, k, qq, qk; /* of rows, of their squares, of their products */
};

struct weir_step_sums {
	struct weir_row_sums context, generation; /* prefill and decode */
};

/*
 * "execute_64_context_0(sq0sk0sqsq0sqsk0)_generation_64(sq64sk131072sqsq64sqsk131072)". False:
 * anything else; *out is untouched then.
 */
bool weir_step_sums_parse(const char *name, struct weir_step_sums *out);

void weir_step_sums_add(struct weir_step_sums *to, const struct weir_step_sums *other);
void weir_step_sums_divide(struct weir_step_sums *sums, double by);

/* Pairs of a query and a key that a causal mask leaves: the rows of a request see each other as a
 * triangle, and all that came before. */
double weir_step_sums_pairs(const struct weir_step_sums *sums);

#endif
