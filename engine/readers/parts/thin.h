/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Thins a sequence of samples to a limited number, evenly over the sequence so that drift remains
 * visible: keeps one sample of each stretch, and doubles the length of stretches as more arrive.
 * The sample of a stretch is drawn at random, because gaps between tokens often repeat (several
 * tokens in a chunk) and every n-th sample would alias with that pattern. The draw is the same for
 * each run of the program.
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
	uint64_t stretch;       /* samples of which one is kept, a power of two */
	uint64_t filled, drawn; /* of this stretch: samples seen, and index of the drawn one */
	uint64_t seen;          /* samples in all */
};

/* Limits the number of samples to `most`, which is even. If more arrive, at least half of it are
 * kept. */
void weir_thin_init(struct weir_thin *thin, size_t most);
void weir_thin_release(struct weir_thin *thin);
void weir_thin_add(struct weir_thin *thin, int64_t value);
/* Appends the kept samples to the series. Call it once, after the last sample. */
void weir_thin_finish(struct weir_thin *thin, struct weir_series *series);
/* Returns true if any sample was left out. */
bool weir_thin_dropped(const struct weir_thin *thin);

#endif
