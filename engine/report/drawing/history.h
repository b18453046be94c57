/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws one figure over successive runs, with its change points: for the page of a history and for
 * the page of a gate. */
#ifndef WEIR_REPORT_DRAWING_HISTORY_H
#define WEIR_REPORT_DRAWING_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"
#include "engine/report/drawing/chart.h"

/* All texts are plain texts. */
struct weir_history_drawing {
	const char *id, *title, *description; /* as of struct weir_chart */
	const double *values;                 /* [count], oldest first; NAN: the run lacks it */
	size_t count;
	size_t candidates;   /* the last runs are candidates of a gate */
	const size_t *steps; /* ascending indices of runs that begin a new level */
	size_t step_count;
	bool is_time;             /* ns */
	const char *first, *last; /* labels of the first and the last run: their days */
	/* Append what the mark of a run or of a step says. */
	void (*name_run)(const void *context, size_t run, struct weir_text *out);
	void (*name_step)(const void *context, size_t step, struct weir_text *out);
	const void *context;
};

/* Writes the drawing without a card; nothing if no run has a finite value. */
void weir_draw_history(const struct weir_history_drawing *drawing, struct weir_text *out);

#endif
