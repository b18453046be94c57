/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Messages along the edges of a graph: a row of a table is gathered for each edge, scaled by a
 * number of the edge, and added to a row of a result. Written as operators, the message of each
 * edge goes to memory and back two or three times. A product with a sparse matrix (CSR) reads a
 * row for each edge and writes each result once.
 */
#ifndef WEIR_ANALYSIS_ADVICE_MESSAGES_H
#define WEIR_ANALYSIS_ADVICE_MESSAGES_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_messages {
	size_t found;               /* chains that become one product each */
	double before_ns, after_ns; /* device time */
};

/* Replaces all chains of a gather, scalings and a sum by index, if that takes less; adds to *sum.
 */
void weir_messages_join(struct weir_draft *draft, const struct weir_op_calls *calls,
                        struct weir_messages *sum);
/* Adds what was found to the basis. */
void weir_messages_explain(struct weir_draft *draft, const struct weir_messages *sum);

#endif
