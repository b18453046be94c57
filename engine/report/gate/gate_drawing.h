/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A row's change as a small drawing for HTML, for the eye alone: the figures stand beside it. */
#ifndef WEIR_REPORT_GATE_DRAWING_H
#define WEIR_REPORT_GATE_DRAWING_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"

#define WEIR_GATE_DRAWN_MARGINS 4 /* either side of no change; beyond, an arrow */

/* Appends an SVG: the change with its 90 % interval against the margin, in units of the row's own
 * margin, so that drawings of rows compare. Nothing where the change or the margin is not known. */
void weir_gate_draw(const struct weir_row *row, struct weir_text *out);

#endif
