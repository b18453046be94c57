/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Measures two versions by turns, for `weir record`: A B, B A, A B, and so on. Slow drift of the
 * machine then hits both sides alike, and cancels if the number of runs is even. The files of A are
 * FOLDER/a/run-01.json and so on, those of B are in FOLDER/b.
 */
#ifndef WEIR_PIPELINE_INTERLEAVE_H
#define WEIR_PIPELINE_INTERLEAVE_H

#include <stddef.h>

#include "engine/pipeline/measurement.h"

#define WEIR_INTERLEAVE_MOST 10000 /* runs of a side */

struct weir_interleave {
	const char *commands[2]; /* A and B, for sh -c */
	const char *folder;      /* made if missing; its folders a and b must not exist */
	size_t runs;             /* of each side */
	struct weir_signals *signals;
	weir_say_line *say; /* gets one line per run, and the output of a failed command */
	void *context;
};

/* Returns the side of a measurement, 0 for A: the order is A B B A A B B A and so on. */
size_t weir_interleave_side(size_t measurement);

/* Measures all runs. The first run of each side must be readable. A failure ends the call; the
 * files that were written stay. */
enum weir_status weir_interleave_run(const struct weir_interleave *interleave,
                                     struct weir_error *err);

#endif
