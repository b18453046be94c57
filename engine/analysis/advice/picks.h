/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Calls that pick elements or rows by their numbers. A compiler reads them where they are used: it
 * computes the place of each value from the number (Inductor lowers gather, index, index_select and
 * embedding to pointwise loads), so that the picked tensor is never written.
 */
#ifndef WEIR_ANALYSIS_ADVICE_PICKS_H
#define WEIR_ANALYSIS_ADVICE_PICKS_H

#include <stdbool.h>

#include "engine/analysis/advice/fusible.h"

/* Fills the tensors of such a call: from which it picks, and the numbers; false: another call, or
 * its result is not known. */
bool weir_picks_of(const struct weir_op_calls *calls, const struct weir_op_call *call,
                   const char *name, const struct weir_args *args, struct weir_fusible *out);

#endif
