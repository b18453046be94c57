/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Per-run figures and labels, as readers of summaries put them into a run. */
#ifndef WEIR_READERS_PARTS_FIGURES_H
#define WEIR_READERS_PARTS_FIGURES_H

#include <stdbool.h>

#include "engine/base/slice.h"
#include "engine/model/run.h"

#define WEIR_FIGURE_MAX_LABELS 64
#define WEIR_FIGURE_LABEL_TEXT 256  /* a longer text says nothing to people */
#define WEIR_FIGURE_MAX        4096 /* figures of one run; more are left out */

/* One value of a metric of the run; NAN adds nothing, and so does a name that is there already. */
void weir_figure_add(struct weir_run *run, const char *name, const char *unit,
                     bool higher_is_better, double value);

/* A label from a JSON text or number, escapes as written; what says "unknown" (empty, null, NaN,
 * None) and what is longer than a label adds nothing. */
void weir_figure_label(struct weir_run *run, const char *key, struct weir_slice raw);

/* The unit that a figure's name ends in ("_ms", "_gb", "_pct"), NULL where it says none, and which
 * direction is better by the words in it: rates and uses are better where higher, all else lower.
 */
const char *weir_figure_unit(const char *name);
bool weir_figure_higher_is_better(const char *name);

#endif
