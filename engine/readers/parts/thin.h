/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples in order of arrival of which only so many are kept, evenly over all of them, so that
 * drift stays in sight: one of each run of samples, and runs grow as samples arrive. Which one of a
 * run is drawn: gaps between tokens often repeat in a rhythm (several tokens a chunk), and every
 * n-th would be in time with it. The same samples give the same draw.
 */
#ifndef WEIR_READERS_PARTS_THIN_H
#define WEIR_READERS_PARTS_THIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/model/run.h"

struct weir_thin {
	int64_t *value;
	size_t count, capacity;
	size_t most;            /* even */
	uint64_t run;           /* samples of which one is kept, a power of two */
	uint64_t filled, drawn; /* of the run under way: samples seen, and which one is its */
	uint64_t seen;          /* samples in all */
};

/* Keeps more than half of `most`, which is even, and at most all of it. */
void weir_thin_init(struct weir_thin *thin, size_t most);
void weir_thin_release(struct weir_thin *thin);
void weir_thin_add(struct weir_thin *thin, int64_t value);
/* Behind the last sample: what was kept goes to the end of the series. */
void weir_thin_finish(struct weir_thin *thin, struct weir_series *series);
bool weir_thin_dropped(const struct weir_thin *thin); /* not all were kept */

#endif
