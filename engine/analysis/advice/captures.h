/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the host time in which a program captures graphs: from the runs of the same operators that
 * prepare a capture, over the wait for the device that frameworks make before it and the captured
 * operators, to the end of the graph's instantiation; the time in which it destroys graphs; and the
 * time in which it traces networks to TorchScript (retraces.h). A program that captured or traced
 * before only replays.
 */
#ifndef WEIR_ANALYSIS_ADVICE_CAPTURES_H
#define WEIR_ANALYSIS_ADVICE_CAPTURES_H

#include <stdbool.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/time/intervals.h"

struct weir_captures {
	struct weir_intervals time; /* united, within the host time of the program */
	/* Another capture of the run has the same operators with the same shapes: replaying
	 * its graph would do. */
	bool repeats;
};

/* Returns the result for the advisor's program; it belongs to the advisor. */
const struct weir_captures *weir_captures_of(const struct weir_advisor *advisor);

#endif
