/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parts of the pictures of a page. A picture is an SVG inside a card: across it is as wide as the
 * page, so that x is in percent and texts keep their size; down it is in pixels. Every mark has a
 * title, which a browser shows below the pointer and page.js in a line below the picture.
 */
#ifndef WEIR_REPORT_DRAWING_CHART_H
#define WEIR_REPORT_DRAWING_CHART_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/text.h"

#define WEIR_MAX_TICKS 16

/* The frame of a picture. All texts are plain texts. */
struct weir_chart {
	const char *id;          /* "strip"; part of the ids of its elements */
	const char *title;       /* heading of the card, and name of the picture */
	const char *note;        /* behind the heading; NULL: none */
	const char *aid;         /* one sentence: how to read the picture */
	const char *description; /* the picture in words, for screen readers */
	double height;           /* of the drawing, without the labels of its x axis */
	bool labels_below;       /* the x axis has labels */
	bool labels_beside;      /* the y axis has labels */
	bool names_behind;       /* lines have their names at the right end */
	bool labelled;           /* texts in the drawing say all that its marks say */
};

/* Opens the card and the drawing. */
void weir_chart_begin(const struct weir_chart *chart, struct weir_text *out);
/* Write the sentence above a drawing, and open the drawing alone, in a card of the caller. Titles
 * of marks are then the only names, unless the drawing is labelled. */
void weir_chart_aid(const char *aid, struct weir_text *out);
void weir_drawing_begin(const struct weir_chart *chart, struct weir_text *out);
/* Closes the drawing; the card stays open for a legend and a table. */
void weir_chart_end(struct weir_text *out);
void weir_card_end(struct weir_text *out);

/* Closes the tag of a mark ("rect"), writes its title, which is cleared, and closes the mark. */
void weir_chart_mark(const char *element, struct weir_text *title, struct weir_text *out);

/* Opens and closes the table of figures below a picture. The headings are "|"-separated; those
 * after the first stand on the right. */
void weir_chart_table_begin(const char *headings, struct weir_text *out);
void weir_chart_table_end(struct weir_text *out);
/* Writes one cell of the table and clears it. */
void weir_chart_cell(struct weir_text *plain, bool first, struct weir_text *out);

struct weir_axis {
	double low, high; /* high > low; above 0 if logarithmic */
	bool log;
};

/* Returns the place of a value from 0 (low) to 1 (high), limited to that range. */
double weir_axis_place(const struct weir_axis *axis, double value);
/* Fills at most WEIR_MAX_TICKS round values inside the axis, about `wanted`. */
size_t weir_axis_ticks(const struct weir_axis *axis, size_t wanted, double ticks[WEIR_MAX_TICKS]);

/* Appends the label of a tick. */
typedef void weir_tick_label(double value, struct weir_text *out);
weir_tick_label weir_label_duration; /* "2.5 ms" */
weir_tick_label weir_label_number;   /* "0.5", "20", "3k" */
weir_tick_label weir_label_figure;   /* three significant digits: "0.00312", "27.4" */

/* Draw the lines and labels of an axis. A page that is narrow shows every second label of x. */
void weir_chart_x_axis(const struct weir_axis *axis, size_t wanted, double height,
                       weir_tick_label *label, struct weir_text *out);
void weir_chart_y_axis(const struct weir_axis *axis, size_t wanted, double height,
                       weir_tick_label *label, struct weir_text *out);

#endif
