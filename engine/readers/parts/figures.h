/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds figures and labels of a summary to a run. */
#ifndef WEIR_READERS_PARTS_FIGURES_H
#define WEIR_READERS_PARTS_FIGURES_H

#include <stdbool.h>

#include "engine/base/slice.h"
#include "engine/model/run.h"

#define WEIR_FIGURE_MAX_LABELS 64
#define WEIR_FIGURE_LABEL_TEXT 256  /* bytes; longer texts are left out */
#define WEIR_FIGURE_MAX        4096 /* figures of one run; further ones are left out */

/* Adds a metric with one value to the run. Ignores NAN, infinity and a name that the run already
 * has. */
void weir_figure_add(struct weir_run *run, const char *name, const char *unit,
                     bool higher_is_better, double value);

/* Sets a label of the run from a JSON text or number with escapes unresolved. Ignores texts that
 * are too long or mean "unknown" (empty, null, NaN, None). */
void weir_figure_label(struct weir_run *run, const char *key, struct weir_slice raw);

/* Returns the number that a label of the run is; NAN: it has no such label, or another text. */
double weir_figure_label_number(const struct weir_run *run, const char *key);

/* Returns the unit at the end of a figure's name ("_ms", "_gb", "_pct"); NULL if it has no unit. */
const char *weir_figure_unit(const char *name);
/* Returns true if the words of the name show a rate or a utilisation, which are better if higher.
 */
bool weir_figure_higher_is_better(const char *name);

#endif
