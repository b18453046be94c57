/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A name and its runs, as the store and weir.baseline/1 hold them. */
#ifndef WEIR_BASELINES_BASELINE_H
#define WEIR_BASELINES_BASELINE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/model/run.h"

/* Texts live in the baseline's arena; the baseline owns the run. */
struct weir_baseline_run {
	struct weir_run *run;
	const char *recorded; /* "2026-11-20T14:00:00Z" */
	const char *bound;    /* verdict of the run; NULL: unknown */
	const char *cause;    /* NULL: unknown */
	bool history;         /* a promotion replaced it */
	bool pinned;          /* never pruned */
	bool pruned;          /* its samples were dropped: the series have quantiles only */
	const char *path;     /* of the input that it was measured from; NULL: read from a store */
	bool left_out;        /* cut short, so not compared; set by a gate */
	bool incomplete;      /* cut short, or lacks a stage of the other runs; set by a gate */
	const char *id;       /* 64 hexadecimal digits; NULL before it is stored */
	/* Numbers in the store, even if the run was loaded without series; 0 before it is stored.
	 */
	size_t stages, operators, series, samples;
};

struct weir_baseline {
	struct weir_arena *arena;
	const char *name;
	struct weir_baseline_run *runs;
	size_t count, capacity;
};

/* Copies the name. */
struct weir_baseline *weir_baseline_new(const char *name);
void weir_baseline_free(struct weir_baseline *baseline);

/* Appends a run, which the baseline then owns; its other members are unknown. The result is valid
 * until the next call. */
struct weir_baseline_run *weir_baseline_take(struct weir_baseline *baseline, struct weir_run *run,
                                             const char *recorded);
/* Copies a text into the baseline's arena; NULL for NULL. */
const char *weir_baseline_text(struct weir_baseline *baseline, const char *text);

#endif
