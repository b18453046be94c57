/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pictures of the page of a report, each in its own card. A function writes nothing if the
 * report lacks the data of its picture. */
#ifndef WEIR_REPORT_DRAWING_PICTURES_H
#define WEIR_REPORT_DRAWING_PICTURES_H

#include "engine/base/text.h"
#include "engine/model/report.h"

typedef void weir_draw(const struct weir_report *report, struct weir_text *out);

weir_draw weir_draw_strip;      /* one median step: host, calls, idle time, streams */
weir_draw weir_draw_step_times; /* durations of steps over the run */
weir_draw weir_draw_map;        /* requests from arrival to response, without a card */
weir_draw weir_draw_roofline;   /* every operator below the roofs of its device */
weir_draw weir_draw_queue;      /* work that waits for a device, over time */
weir_draw weir_draw_rank_map;   /* waiting and lateness of ranks by step */
weir_draw weir_draw_kernels;    /* a histogram of kernels by duration */
weir_draw weir_draw_gaps;       /* a histogram of idle time by duration and cause */

/* Draws the step that a recommendation predicts against the step today, without a card; nothing if
 * it predicts none. */
void weir_draw_saving(const struct weir_report *report, size_t recommendation,
                      struct weir_text *out);

#endif
