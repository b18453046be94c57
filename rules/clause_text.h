/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the text of a clause may hold, before SQLite sees it: figures, names, brackets, arithmetic
 * and comparisons. Refused with a reason: quotes (text sorts above every number, so a comparison
 * with it is silently false), semicolons, comments, parameters, bit and text operators, CAST and
 * COLLATE, brackets that do not pair, and whole numbers on both sides of "/" (1/2 is 0 in SQL).
 */
#ifndef WEIR_RULES_CLAUSE_TEXT_H
#define WEIR_RULES_CLAUSE_TEXT_H

#include "engine/base/error.h"

#define WEIR_CLAUSE_MAX_LENGTH 400 /* bytes of one clause */

enum weir_status weir_clause_check_text(const char *clause, struct weir_error *err);

#endif
