/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Conjectures that silent pauses of a host thread are Python's garbage collection, which leaves no
 * event in most profiles. A pause is silent if no row of its thread starts or ends in it and only
 * Python code can run in it: operators of a C++ library run no Python.
 *
 * CPython collects if enough objects were allocated, so that a pause falls wherever the program
 * allocates next; or the program calls gc.collect() itself. Two kinds of evidence separate that
 * from other silent work:
 *
 *   misplaced   the same place in the code is passed several times a step and rarely pauses there:
 *               what pauses does not belong to that place
 *   aimless     the place pauses again and again, but the trace has fewer copies between host and
 *               device than pauses: no input is prepared and no result is read in them
 *
 * Either way several steps must pause, for similar times, since a collection visits all objects
 * that are alive. A time as exact as a clock is a sleep; a misplaced pause of five milliseconds is
 * a wait for the interpreter's lock. Between two steps a thread may as well wait for data, so that
 * a pause counts only inside a range or within a step. Scheduling by the operating system can look
 * the same: it stays a conjecture.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_PAUSES_H
#define WEIR_ANALYSIS_TIMELINE_PAUSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/timeline/leaves.h"
#include "engine/analysis/timeline/steps.h"
#include "engine/analysis/timeline/timeline.h"

/* A collection that matters visits some ten thousand objects, which takes a millisecond. A shorter
 * pause may be a thread that was descheduled. */
#define WEIR_PAUSE_LEAST_NS 1000000
/* A pause takes this many times the median silent time of its thread: more than slow code there. */
#define WEIR_PAUSE_FACTOR 20
/* Fewer pauses, or pauses in fewer steps, are no pattern. */
#define WEIR_PAUSES_FEWEST 3
/* Pauses are similar if their third quartile is at most this many times the first. */
#define WEIR_PAUSE_SPREAD 1.5
/* A place is passed this many times for each of its pauses, and for each step, before its pauses
 * are misplaced. */
#define WEIR_PAUSE_PASSES 4
/* Timers wake a thread within 50 us and a delay of the scheduler; quartiles as close as this, or
 * closer than a hundredth of the pause, are a timer's. */
#define WEIR_PAUSE_TIMER_NS 100000
/* A thread that wants the interpreter's lock asks for it after 5 ms (sys.setswitchinterval). */
#define WEIR_PAUSE_SWITCH_NS      5000000
#define WEIR_PAUSE_SWITCH_MOST_NS 6000000

/* One thread of a trace. All borrowed. */
struct weir_pause_thread {
	const struct weir_timeline *timeline;
	const struct weir_steps *steps;
	const struct weir_leaves *leaves;
	const uint8_t *silent; /* per leaf: 1 if only Python code can run in it */
	const size_t *lasting; /* leaves of WEIR_PAUSE_LEAST_NS or more, ascending */
	size_t lasting_count;
};

/* Returns a key per name of the trace, without the digits of the name, so that counters
 * ("ProfilerStep#7") do not make places differ. The caller frees it. */
uint64_t *weir_pause_name_keys(const struct weir_trace *trace);
/* Returns the key of the leaf's place in the code: the names of the leaf and of those around it. */
uint64_t weir_pause_place(const struct weir_pause_thread *thread, const uint64_t *name_keys,
                          size_t leaf);
/* Returns true if the trace is of a Python program, as far as its names show. */
bool weir_pause_in_python(const struct weir_trace *trace);

/* Sets likely[i] to 1 for every leaf that is likely garbage collection; other entries stay. */
void weir_pauses_find(const struct weir_pause_thread *thread, uint8_t *likely);

#endif
