/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of the page of a gate, each in its own card. A function writes nothing if the result
 * lacks the data of its picture. */
#ifndef WEIR_REPORT_GATE_GATE_PICTURES_H
#define WEIR_REPORT_GATE_GATE_PICTURES_H

#include "engine/base/text.h"
#include "engine/model/comparison.h"

typedef void weir_draw_gate(const struct weir_gate_result *result, struct weir_text *out);

weir_draw_gate weir_draw_runs;         /* the figure of each run, for the rows of findings */
weir_draw_gate weir_draw_curves;       /* percentiles of both sides */
weir_draw_gate weir_draw_waterfall;    /* parts of a stage's change, one after the other */
weir_draw_gate weir_draw_flame;        /* differential flame graph of a stage */
weir_draw_gate weir_draw_gate_history; /* rows over the recorded runs */

/* Draws one stage, the `number`-th of the result. */
typedef void weir_draw_stage(const struct weir_drawn_stage *stage, size_t number,
                             struct weir_text *out);

/* Opens a card with a title and an explanation, and draws each stage with parts that take time.
 * Returns false, without a card, if no stage has any; else the caller ends it with
 * weir_card_end(). */
bool weir_draw_stages(const struct weir_gate_result *result, const char *id, const char *title,
                      const char *aid, weir_draw_stage *draw, struct weir_text *out);
/* Appends "decode: 572 us to 599 us, +26.9 us". */
void weir_gate_print_stage_change(const struct weir_drawn_stage *stage, struct weir_text *out);
/* Appends the name of a part, cut to `columns`: "aten::mm", "time without device work". */
void weir_gate_print_part(const struct weir_drawn_stage *stage, const struct weir_drawn_part *part,
                          size_t columns, struct weir_text *out);
/* Appends "30.4 us to 63.0 us, 26 -> 58 calls". */
void weir_gate_print_part_detail(const struct weir_drawn_part *part, struct weir_text *out);

#endif
