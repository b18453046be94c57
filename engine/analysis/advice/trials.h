/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the host time in which a program tunes a kernel itself, as the autotuner of Triton does: it
 * launches one kernel again and again between records of events, mostly behind a fill that empties
 * the cache, waits for the device, compares the times, and then launches the kernel once for its
 * result. The time reaches from the first trial to that launch.
 */
#ifndef WEIR_ANALYSIS_ADVICE_TRIALS_H
#define WEIR_ANALYSIS_ADVICE_TRIALS_H

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/time/intervals.h"

struct weir_trials {
	struct weir_intervals time; /* united; of all threads of the program's rank */
};

/* Returns the result for the advisor's rank; it belongs to the advisor. */
const struct weir_trials *weir_trials_of(const struct weir_advisor *advisor);

#endif
