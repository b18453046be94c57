/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws a history as SVG inside of a page that loads nothing and runs nothing. */
#include <math.h>

#include "engine/cli/history_series.h"
#include "engine/report/plain/escape.h"

#define WIDTH   900
#define HEIGHT  160
#define PADDING 8

void weir_history_html_begin(struct weir_text *text, const char *name)
{
	weir_text_puts(text, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
	                     "<meta name=\"viewport\" content=\"width=device-width\"><title>");
	weir_escape_html(text, name);
	weir_text_puts(text,
	               "</title>\n<style>body{font:14px sans-serif;max-width:60em;margin:2em auto;"
	               "padding:0 1em}svg{width:100%;height:auto;background:#f6f6f6}"
	               "polyline{fill:none;stroke:#246;stroke-width:1.5}"
	               ".cut{stroke:#c22;stroke-dasharray:4 3}</style></head><body>\n<h1>");
	weir_escape_html(text, name);
	weir_text_puts(text, "</h1>\n");
}

void weir_history_html_end(struct weir_text *text)
{
	weir_text_puts(text, "</body></html>\n");
}

/* The mapping of runs and values to the picture. */
struct frame {
	double least, most;
	size_t runs;
};

static double x_of(const struct frame *frame, size_t run)
{
	double last = frame->runs > 1 ? (double)frame->runs - 1 : 1;

	return PADDING + (WIDTH - 2 * PADDING) * (double)run / last;
}

static double y_of(const struct frame *frame, double value)
{
	double range = frame->most > frame->least ? frame->most - frame->least : 1;

	return HEIGHT - PADDING - (HEIGHT - 2 * PADDING) * (value - frame->least) / range;
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

static void add_place(struct weir_text *text, const struct weir_history_series *series, size_t run)
{
	struct weir_text place = {0};

	weir_text_printf(&place, "%+.1f %% at ", 100 * weir_history_step(series, run));
	weir_history_place(&place, &series->baseline->runs[run]);
	weir_escape_html(text, place.data);
	weir_text_release(&place);
}

static void add_cuts(struct weir_text *text, const struct weir_history_series *series,
                     const struct frame *frame)
{
	for (size_t i = 0; i < series->cut_count; i++) {
		double x = x_of(frame, series->cuts[i]);

		weir_text_printf(text,
		                 "<line class=\"cut\" x1=\"%.1f\" x2=\"%.1f\" y1=\"0\" "
		                 "y2=\"%d\"><title>",
		                 x, x, HEIGHT);
		add_place(text, series, series->cuts[i]);
		weir_text_puts(text, "</title></line>\n");
	}
}

static void add_list(struct weir_text *text, const struct weir_history_series *series)
{
	weir_text_puts(text, "<ul>");
	for (size_t i = 0; i < series->cut_count; i++) {
		weir_text_puts(text, "<li>");
		add_place(text, series, series->cuts[i]);
		weir_text_puts(text, "</li>");
	}
	if (series->drift)
		weir_text_printf(text, "<li>slow drift: %+.1f %% against the oldest runs</li>",
		                 100 * expm1(series->drift->cell.change *
		                             (series->drift->higher_is_better ? -1 : 1)));
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
	weir_text_puts(text, "<h2>");
	weir_escape_html(text, title.data);
	weir_text_printf(text, "</h2>\n<p>%zu runs, ", frame.runs);
	weir_history_value_text(text, series, frame.least);
	weir_text_puts(text, " to ");
	weir_history_value_text(text, series, frame.most);
	weir_text_printf(text, "</p>\n<svg viewBox=\"0 0 %d %d\" role=\"img\">\n", WIDTH, HEIGHT);
	add_line(text, series, &frame);
	add_cuts(text, series, &frame);
	weir_text_puts(text, "</svg>\n");
	add_list(text, series);
	weir_text_release(&title);
}
