/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds caches that grow by a copy of all their rows, and writes only the new rows to them. */
#ifndef WEIR_ANALYSIS_ADVICE_CACHES_H
#define WEIR_ANALYSIS_ADVICE_CACHES_H

#include <stddef.h>

#include "engine/analysis/advice/opcalls.h"

struct weir_caches {
	size_t found; /* copies that become writes of the new rows */
	double ns;    /* device time of the copies */
};

/* Shortens each such copy; adds to *sum. */
void weir_caches_shorten(struct weir_draft *draft, const struct weir_op_calls *calls,
                         struct weir_caches *sum);

#endif
