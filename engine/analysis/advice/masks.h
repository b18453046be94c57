/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Rows that a program picks by a mask: it counts them, for which the host waits (nonzero), gathers
 * them, computes on them, and writes them back. Without the wait it computes on all rows and
 * chooses between old and new values (torch.where).
 */
#ifndef WEIR_ANALYSIS_ADVICE_MASKS_H
#define WEIR_ANALYSIS_ADVICE_MASKS_H

#include <stddef.h>

#include "engine/analysis/advice/draft.h"

/* A mask that keeps a smaller share of the rows is better gathered to a fixed number of them. */
#define WEIR_MASK_LEAST_SHARE 0.25

/* Computes on all rows in place of those that masks pick; returns the number of counts, with their
 * waits, that the program no longer needs. */
size_t weir_masks_widen(struct weir_draft *draft);

#endif
