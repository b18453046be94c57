/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cuts the names of a column so that rows stay distinct. */
#ifndef WEIR_REPORT_PLAIN_DISTINCT_H
#define WEIR_REPORT_PLAIN_DISTINCT_H

#include <stddef.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"

/*
 * Cuts plain texts to `columns` columns as weir_cut() does, and appends each to its `cut`. Texts
 * that would look alike show the places where they differ between their ends: "gemm…128x64…TNT";
 * if that is not enough, they end with a number. Texts that differ are cut differently if `columns`
 * leaves room for the number.
 */
void weir_cut_distinct(const char *const *plain, size_t count, size_t columns,
                       struct weir_text *cut);
/* Cuts names in the same way, each escaped as weir_escape_name() does. */
void weir_cut_names_distinct(const struct weir_slice *names, size_t count, size_t columns,
                             struct weir_text *cut);

#endif
