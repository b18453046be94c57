/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a history as SVG inside of a page that loads nothing and runs nothing. */
#include <math.h>

#include "engine/cli/history_series.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"

#define WIDTH    900
#define HEIGHT   180
#define TOP      10
#define BOTTOM   24 /* below the picture: dates */
#define LEFT     70 /* beside the picture: values */
#define RIGHT    12
#define DOTS     500  /* histories of more runs are a line without dots */
#define NARROW   0.06 /* the least range of the values, so that noise looks as small as it is */
#define DAY_SIZE 10   /* "2026-11-20" */

static const char style[] =
	"<style>\n"
	"svg.history { display: block; width: 100%; height: auto; }\n"
	".history polyline { fill: none; stroke: var(--kernel); stroke-width: 1.5; }\n"
	".history circle { fill: var(--kernel); }\n"
	".history .cut { stroke: var(--communication); stroke-dasharray: 4 3; }\n"
	".history .grid { stroke: var(--line); }\n"
	".history text { fill: var(--soft); font-size: 12px; }\n"
	".lead { margin-bottom: 1rem; }\n"
	"</style>\n";

void weir_history_html_begin(struct weir_text *text, const char *name)
{
	struct weir_text title = {0};

	weir_escape_plain(&title, name);
	weir_text_puts(&title, ": history");
	weir_page_open(&title, text);
	weir_text_puts(text, style);
	weir_text_puts(text, "<h1>");
	weir_escape_html(text, name);
	weir_text_puts(text, "</h1>\n<p class=\"soft lead\">");
	weir_text_puts(text,
	               "Each dot is a run, the newest on the right. A dashed line is a change "
	               "point.</p>\n");
	weir_text_release(&title);
}

void weir_history_html_end(struct weir_text *text)
{
	weir_text_puts(text, "<footer>weir " WEIR_VERSION);
	weir_page_close(text);
}

/* The mapping of runs and values to the picture. */
struct frame {
	double least, most;
	size_t runs;
};

/* Widens the frame to the least range, or to some height for a value of 0. */
static void widen(struct frame *frame)
{
	double middle = (frame->least + frame->most) / 2, range = fabs(middle) * NARROW;

	range = range > 0 ? range : 1;
	if (frame->most - frame->least >= range)
		return;
	frame->least = middle - range / 2;
	frame->most = middle + range / 2;
}

static double x_of(const struct frame *frame, size_t run)
{
	double last = frame->runs > 1 ? (double)frame->runs - 1 : 1;

	return LEFT + (WIDTH - LEFT - RIGHT) * (double)run / last;
}

static double y_of(const struct frame *frame, double value)
{
	double share = (value - frame->least) / (frame->most - frame->least);

	return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * share;
}

/* Breaks the line where runs lack the figure. */
static void add_line(struct weir_text *text, const struct weir_history_series *series,
                     const struct frame *frame)
{
	bool open = false;

	for (size_t i = 0; i < frame->runs; i++) {
		bool known = !isnan(series->values[i]);

		if (known && !open)
			weir_text_puts(text, "<polyline points=\"");
		if (known)
			weir_text_printf(text, "%s%.1f,%.1f", open ? " " : "", x_of(frame, i),
			                 y_of(frame, series->values[i]));
		else if (open)
			weir_text_puts(text, "\"/>");
		open = known;
	}
	weir_text_puts(text, open ? "\"/>\n" : "\n");
}

/* Draws the dots, each with its run and value as a title. */
static void add_dots(struct weir_text *text, const struct weir_history_series *series,
                     const struct frame *frame)
{
	for (size_t i = 0; i < frame->runs && frame->runs <= DOTS; i++) {
		struct weir_text title = {0};

		if (isnan(series->values[i]))
			continue;
		weir_history_value_text(&title, series, series->values[i]);
		weir_text_puts(&title, ", ");
		weir_history_place(&title, &series->baseline->runs[i]);
		weir_text_printf(text, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"2.5\"><title>",
		                 x_of(frame, i), y_of(frame, series->values[i]));
		weir_escape_html(text, title.data);
		weir_text_puts(text, "</title></circle>\n");
		weir_text_release(&title);
	}
}

/* Draws the lines of the least and the largest value, and the days of the first and last run. */
static void add_axes(struct weir_text *text, const struct weir_history_series *series,
                     const struct frame *frame)
{
	const struct weir_baseline_run *runs = series->baseline->runs;
	const double values[] = {frame->least, frame->most};

	for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
		double y = y_of(frame, values[i]);

		weir_text_printf(text,
		                 "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" "
		                 "y2=\"%.1f\"/><text x=\"%d\" y=\"%.1f\" "
		                 "text-anchor=\"end\">",
		                 LEFT, WIDTH - RIGHT, y, y, LEFT - 8, y + 4);
		weir_history_value_text(text, series, values[i]);
		weir_text_puts(text, "</text>\n");
	}
	weir_text_printf(text, "<text x=\"%d\" y=\"%d\">%.*s</text>", LEFT, HEIGHT - 6, DAY_SIZE,
	                 runs[0].recorded);
	weir_text_printf(text, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%.*s</text>\n",
	                 WIDTH - RIGHT, HEIGHT - 6, DAY_SIZE, runs[frame->runs - 1].recorded);
}

static void add_place(struct weir_text *text, const struct weir_history_series *series, size_t run)
{
	struct weir_text place = {0};

	weir_text_printf(&place, "%+.1f %% at ", 100 * weir_history_step(series, run));
	weir_history_place(&place, &series->baseline->runs[run]);
	weir_history_changed(&place, "; labels that change there: ", series, run);
	weir_escape_html(text, place.data);
	weir_text_release(&place);
}

static void add_cuts(struct weir_text *text, const struct weir_history_series *series,
                     const struct frame *frame)
{
	for (size_t i = 0; i < series->cut_count; i++) {
		double x = x_of(frame, series->cuts[i]);

		weir_text_printf(text,
		                 "<line class=\"cut\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" "
		                 "y2=\"%d\"><title>",
		                 x, x, TOP, HEIGHT - BOTTOM);
		add_place(text, series, series->cuts[i]);
		weir_text_puts(text, "</title></line>\n");
	}
}

static void add_list(struct weir_text *text, const struct weir_history_series *series)
{
	if (series->cut_count == 0 && !series->drift)
		return;
	weir_text_puts(text, "<ul>");
	for (size_t i = 0; i < series->cut_count; i++) {
		weir_text_puts(text, "<li>");
		add_place(text, series, series->cuts[i]);
		weir_text_puts(text, "</li>");
	}
	if (series->drift) {
		weir_text_puts(text, "<li>");
		weir_history_drift(text, series);
		weir_text_puts(text, "</li>");
	}
	weir_text_puts(text, "</ul>\n");
}

void weir_history_html(struct weir_text *text, const struct weir_history_series *series)
{
	struct frame frame = {INFINITY, -INFINITY, series->baseline->count};
	struct weir_text title = {0};

	for (size_t i = 0; i < frame.runs; i++)
		if (!isnan(series->values[i])) {
			frame.least = fmin(frame.least, series->values[i]);
			frame.most = fmax(frame.most, series->values[i]);
		}
	weir_history_title(&title, series);
	weir_text_puts(text, "<section class=\"card\">\n<h2>");
	weir_escape_html(text, title.data);
	weir_text_printf(text, "<span class=\"soft\">%zu runs, ", frame.runs);
	weir_history_value_text(text, series, frame.least);
	weir_text_puts(text, " to ");
	weir_history_value_text(text, series, frame.most);
	weir_text_printf(text,
	                 "</span></h2>\n<svg class=\"history\" viewBox=\"0 0 %d %d\" "
	                 "role=\"img\">\n",
	                 WIDTH, HEIGHT);
	widen(&frame);
	add_axes(text, series, &frame);
	add_line(text, series, &frame);
	add_cuts(text, series, &frame);
	add_dots(text, series, &frame);
	weir_text_puts(text, "</svg>\n");
	add_list(text, series);
	weir_text_puts(text, "</section>\n");
	weir_text_release(&title);
}
