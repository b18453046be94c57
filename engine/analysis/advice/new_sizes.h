/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds out whether a window without steps prepares for new sizes again and again, as a decoder
 * does whose cache grows: then warming up before the window does not help.
 */
#ifndef WEIR_ANALYSIS_ADVICE_NEW_SIZES_H
#define WEIR_ANALYSIS_ADVICE_NEW_SIZES_H

#include <stdbool.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/time/intervals.h"

/* True if the window runs the same operators several times, and most of the loading lies in calls
 * of an operator whose arguments differ in one size from those of its last call that loaded. */
bool weir_new_sizes_repeat(const struct weir_advisor *advisor,
                           const struct weir_intervals *loading);

#endif
