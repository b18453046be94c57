/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/drawing/history.h"
#include "engine/report/plain/escape.h"

#define HEIGHT      170
#define DOTS        500  /* histories of more runs are a line without dots */
#define MANY        120  /* more runs have smaller dots */
#define LEAST_RANGE 0.06 /* of the middle, so that noise looks as small as it is */
#define ROOM        0.06 /* above and below, as a share of the range */
#define TICKS       4
#define STEP_WIDTH  2 /* pixels */

struct frame {
	const struct weir_history_drawing *drawing;
	struct weir_axis y;
};

/* Sets the axis to the range of the values; false: no run has one. */
static bool set_axis(struct frame *frame)
{
	double low = INFINITY, high = -INFINITY, range, least;

	for (size_t i = 0; i < frame->drawing->count; i++)
		if (!isnan(frame->drawing->values[i])) {
			low = fmin(low, frame->drawing->values[i]);
			high = fmax(high, frame->drawing->values[i]);
		}
	least = LEAST_RANGE * fabs((low + high) / 2);
	range = fmax(high - low, least > 0 ? least : 1);
	frame->y.low = (low + high - range) / 2 - ROOM * range;
	frame->y.high = (low + high + range) / 2 + ROOM * range;
	return isfinite(frame->y.low) && isfinite(frame->y.high) && frame->y.high > frame->y.low;
}

static double x_of(const struct frame *frame, double run)
{
	return 100 * (run + 0.5) / (double)frame->drawing->count;
}

static double y_of(const struct frame *frame, double value)
{
	return HEIGHT * (1 - weir_axis_place(&frame->y, value));
}

/* Writes the line through the runs; one that lacks the figure interrupts it. */
static void write_line(const struct frame *frame, struct weir_text *out)
{
	bool open = false;

	weir_text_printf(out,
	                 "<svg class=\"lines\" viewBox=\"0 0 100 %d\" preserveAspectRatio=\"none\" "
	                 "width=\"100%%\" height=\"%d\"><path class=\"line g-past\" d=\"",
	                 HEIGHT, HEIGHT);
	for (size_t i = 0; i < frame->drawing->count; i++) {
		double value = frame->drawing->values[i];

		if (!isnan(value))
			weir_text_printf(out, "%c%.2f %.1f", open ? 'L' : 'M',
			                 x_of(frame, (double)i), y_of(frame, value));
		open = !isnan(value);
	}
	weir_text_puts(out, "\"></path></svg>\n");
}

/* Draws a step as a line between the runs of both levels. */
static void write_steps(const struct frame *frame, struct weir_text *out)
{
	const struct weir_history_drawing *drawing = frame->drawing;
	struct weir_text title = {0};

	for (size_t i = 0; i < drawing->step_count; i++) {
		drawing->name_step(drawing->context, i, &title);
		weir_text_printf(out,
		                 "<svg x=\"%.2f%%\" overflow=\"visible\"><rect class=\"m h-step\" "
		                 "x=\"%d\" width=\"%d\" height=\"%d\"",
		                 x_of(frame, (double)drawing->steps[i] - 0.5), -STEP_WIDTH / 2,
		                 STEP_WIDTH, HEIGHT);
		weir_chart_mark("rect", &title, out);
		weir_text_puts(out, "</svg>\n");
	}
	weir_text_release(&title);
}

static void write_dots(const struct frame *frame, struct weir_text *out)
{
	const struct weir_history_drawing *drawing = frame->drawing;
	struct weir_text title = {0};

	for (size_t i = 0; i < drawing->count && drawing->count <= DOTS; i++) {
		if (isnan(drawing->values[i]))
			continue;
		drawing->name_run(drawing->context, i, &title);
		weir_text_printf(out, "<circle class=\"m g-%s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"%s\"",
		                 i + drawing->candidates < drawing->count ? "baseline"
		                                                          : "candidate",
		                 x_of(frame, (double)i), y_of(frame, drawing->values[i]),
		                 drawing->count > MANY ? "2.2" : "3.4");
		weir_chart_mark("circle", &title, out);
	}
	weir_text_release(&title);
}

static void write_end(const char *text, bool last, struct weir_text *out)
{
	if (!text)
		return;
	weir_text_printf(out, "<text%s x=\"%d%%\" y=\"%d\">", last ? " class=\"end\"" : "",
	                 last ? 100 : 0, HEIGHT + 16);
	weir_escape_html(out, text);
	weir_text_puts(out, "</text>\n");
}

void weir_draw_history(const struct weir_history_drawing *drawing, struct weir_text *out)
{
	struct frame frame = {.drawing = drawing};

	if (!set_axis(&frame))
		return;
	weir_drawing_begin(&(struct weir_chart){.id = drawing->id,
	                                        .title = drawing->title,
	                                        .description = drawing->description,
	                                        .height = HEIGHT,
	                                        .labels_below = true,
	                                        .labels_beside = true},
	                   out);
	weir_chart_y_axis(&frame.y, TICKS, HEIGHT,
	                  drawing->is_time ? weir_label_duration : weir_label_number, out);
	write_end(drawing->first, false, out);
	write_end(drawing->last, true, out);
	write_line(&frame, out);
	write_steps(&frame, out);
	write_dots(&frame, out);
	weir_chart_end(out);
}
