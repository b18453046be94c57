/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests the conditions of fixes by name: the "check" of rules/fixes. */
#ifndef WEIR_ANALYSIS_ADVICE_NEEDS_H
#define WEIR_ANALYSIS_ADVICE_NEEDS_H

#include "engine/analysis/advice/advisor.h"
#include "engine/model/fix.h"

/* Returns the state of the check in this run; UNKNOWN for NULL and for a name without a test. */
enum weir_need_state weir_need_check(const struct weir_advisor *advisor, const char *check);

/* Returns true if a test has this name. */
bool weir_need_exists(const char *check);

#endif
