/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs operators and kernels that were only renamed, as by an upgrade of a compiler or library, so
 * that they are compared instead of listed as missing and new. Only operators of one stage are
 * paired, and only if the match is unambiguous in both directions:
 *
 * - The names differ only in tile sizes ("..._128x64_tn" and "..._256x64_tn"), which make a family.
 *   If the members of a family differ in other ways than one for one, the sums of its members are
 *   compared.
 * - The calls per iteration are equal, and the times differ by at most WEIR_PAIRING_TIME. Among
 *   several such operators, a common word in the names decides; without known calls it is required.
 */
#ifndef WEIR_ANALYSIS_COMPARE_PAIRING_H
#define WEIR_ANALYSIS_COMPARE_PAIRING_H

#include <stdbool.h>

#include "engine/analysis/compare/compared.h"
#include "engine/base/text.h"

#define WEIR_PAIRING_TIME 1.25 /* largest ratio of the times of two names of one operator */

/* Pairs the operators of the comparison, before their runs are reduced. The caller then counts
 * their runs and samples anew. */
void weir_pairing_apply(struct weir_comparing *comparing);

/* Appends the family of a kernel name: tile sizes such as 128x64 or <128, 64>, and numbers of
 * stages and alignments, become "*". Returns false if the name has no tile size. */
bool weir_pairing_family(const char *name, struct weir_text *out);

/* True if the names share a word of two letters or more that is not common to all kernels. */
bool weir_pairing_share_word(const char *a, const char *b);

#endif
