/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the time in which the launching thread of a program collects Python's garbage: recorded by
 * the name of a frame or range, or conjectured from silent pauses.
 *
 * A pause is conjectured to be a collection if it lasts at least WEIR_COLLECTION_LEAST_NS and 20
 * times the usual stretch between two events, if it comes at the same place in several steps, and
 * if nothing else explains it: it is in no operator, loader or named piece of work, neither the
 * result that was copied to the host just before it nor the input that is copied to the device just
 * after it is large enough to take the host so long, and it is not as exact as a timer. If there is
 * no such pause, a pause far longer than programs were measured to need for those copies is a
 * doubtful conjecture.
 */
#ifndef WEIR_ANALYSIS_ADVICE_PAUSES_H
#define WEIR_ANALYSIS_ADVICE_PAUSES_H

#include <stdbool.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/time/intervals.h"

/* A collection that matters visits some ten thousand objects, which takes a millisecond; a shorter
 * pause may be a thread that was descheduled. */
#define WEIR_COLLECTION_LEAST_NS 1000000
#define WEIR_COLLECTION_FACTOR   20
/* Fewer steps with a pause are no pattern. */
#define WEIR_COLLECTION_STEPS 3
/* Pauses are similar if their third quartile is at most this many times the first. */
#define WEIR_COLLECTION_SPREAD 1.5
/* Quartiles as close as this, or closer than a hundredth of the pause, are a timer's: timers wake a
 * thread within 50 us and a delay of the scheduler. */
#define WEIR_TIMER_NS 100000

struct weir_collections {
	struct weir_intervals time; /* united, within the host time of the program */
	bool recorded;              /* by name; false: conjectured */
	/* The program may as well process a result or prepare an input there, only slowly. */
	bool doubtful;
};

/* Returns true if only code of the program without a name can run in a pause inside this host row;
 * WEIR_NONE: outside all rows. */
bool weir_pause_is_anonymous(const struct weir_timeline *timeline, uint32_t in);

/* Returns the result for the advisor's program; it belongs to the advisor. */
const struct weir_collections *weir_collections_of(const struct weir_advisor *advisor);

#endif
