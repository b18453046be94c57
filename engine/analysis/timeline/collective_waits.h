/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the waits of host threads for collectives that other threads of the process run on the
 * host. PyTorch's backends Gloo and MPI have threads for it: the caller of a synchronous collective
 * blocks in work.wait(), which leaves no row without recorded Python frames, and goes on when the
 * collective ends.
 */
#ifndef WEIR_ANALYSIS_TIMELINE_COLLECTIVE_WAITS_H
#define WEIR_ANALYSIS_TIMELINE_COLLECTIVE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"

/* Collectives hold this share of a wait, and one of them ends in the rest of it, at its end: a
 * thread that computes beside a collective stops at another time. */
#define WEIR_COLLECTIVE_WAIT_SHARE 0.9

struct weir_collectives {
	struct weir_intervals set;
	struct weir_measure measure;
	int64_t *end_ns; /* of every collective, sorted */
	size_t count, capacity;
};

/* {0} holds no collectives. Release with weir_collectives_release(). */
void weir_collectives_push(struct weir_collectives *collectives, int64_t start_ns, int64_t end_ns);
/* Prepares the questions below; no push may follow. */
void weir_collectives_finish(struct weir_collectives *collectives);
void weir_collectives_release(struct weir_collectives *collectives);

/* Returns true if a silence of a thread is a wait for collectives. */
bool weir_collectives_explain(const struct weir_collectives *collectives, int64_t start_ns,
                              int64_t end_ns);

#endif
