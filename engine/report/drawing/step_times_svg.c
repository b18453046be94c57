/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the duration of each step over the run, with p50, p95 and what was set apart. */
#include <inttypes.h>
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define HEIGHT      190
#define MANY        150  /* more points are drawn smaller */
#define ROOM        1.12 /* height of the picture over the longest step that counts */
#define NAME_HEIGHT 13

struct drawing {
	const struct weir_step_times *times;
	struct weir_axis x, y;
};

static const char *const words_of[WEIR_MARK_COUNT] = {
	[WEIR_MARK_STEADY] = "counted",
	[WEIR_MARK_WARM_UP] = "set apart as warm-up",
	[WEIR_MARK_INCOMPLETE] = "set apart as incomplete",
	[WEIR_MARK_ONE_OFF] = "set apart as one-off",
};

static double y_of(const struct drawing *drawing, double ns)
{
	return HEIGHT * (1 - weir_axis_place(&drawing->y, ns));
}

/* Appends "step 12: 7.81 ms", or "steps 12 to 15: 7.6 to 8.2 ms, median 7.81 ms". */
static void add_title(const struct weir_step_point *point, struct weir_text *out)
{
	if (point->count == 1) {
		weir_text_printf(out, "step %" PRIu64 ": ", point->first + 1);
		weir_text_duration(out, point->p50_ns);
	} else {
		weir_text_printf(out, "steps %" PRIu64 " to %" PRIu64 ": ", point->first + 1,
		                 point->first + point->count);
		weir_text_duration(out, point->low_ns);
		weir_text_puts(out, " to ");
		weir_text_duration(out, point->high_ns);
		weir_text_puts(out, ", median ");
		weir_text_duration(out, point->p50_ns);
	}
	if (point->mark != WEIR_MARK_STEADY)
		weir_text_printf(out, ", %s", words_of[point->mark]);
}

/* Draws one step as a dot, several as the range of their durations. A step above the picture is a
 * triangle at its edge. */
static void write_point(const struct drawing *drawing, const struct weir_step_point *point,
                        struct weir_text *out)
{
	const char *kind = point->mark == WEIR_MARK_STEADY ? "t-steady" : "t-apart";
	double middle = (double)point->first + (double)(point->count + 1) / 2;
	double x = 100 * weir_axis_place(&drawing->x, middle), top = y_of(drawing, point->high_ns);
	double bottom = y_of(drawing, point->low_ns);
	struct weir_text title = {0};

	add_title(point, &title);
	if (point->low_ns > drawing->y.high) {
		weir_text_printf(out,
		                 "<svg x=\"%.2f%%\" y=\"0\" overflow=\"visible\">"
		                 "<path class=\"m %s\" d=\"M-4 5h8l-4 -7z\"",
		                 x, kind);
		weir_chart_mark("path", &title, out);
		weir_text_puts(out, "</svg>\n");
	} else if (point->count == 1) {
		weir_text_printf(out, "<circle class=\"m %s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"%s\"",
		                 kind, x, top, drawing->times->point_count > MANY ? "2" : "3.2");
		weir_chart_mark("circle", &title, out);
	} else {
		double width = 70 * (double)point->count / (drawing->x.high - drawing->x.low);

		weir_text_printf(out,
		                 "<rect class=\"m %s\" x=\"%.2f%%\" y=\"%.1f\" width=\"%.2f%%\" "
		                 "height=\"%.1f\"",
		                 kind, x - width / 2, top, width, fmax(bottom - top, 2));
		weir_chart_mark("rect", &title, out);
	}
	weir_text_release(&title);
}

/* Draws a quantile as a line, with its name beside the right end at `text_y`. */
static void write_quantile(const struct drawing *drawing, const char *name, double ns,
                           double text_y, struct weir_text *out)
{
	double y = y_of(drawing, ns);

	if (!isfinite(ns))
		return;
	weir_text_printf(out,
	                 "<line class=\"t-quantile\" data-quantile=\"%s\" x1=\"0\" x2=\"100%%\" "
	                 "y1=\"%.1f\" y2=\"%.1f\"></line><svg x=\"100%%\" overflow=\"visible\">"
	                 "<text x=\"6\" y=\"%.1f\">%s</text></svg>\n",
	                 name, y, y, text_y + 4, name);
}

/* Draws both quantiles; the names of two that are close stand apart. */
static void write_quantiles(const struct drawing *drawing, struct weir_text *out)
{
	double p50_y = y_of(drawing, drawing->times->p50_ns);
	double p95_y = y_of(drawing, drawing->times->p95_ns);

	if (p50_y - p95_y < NAME_HEIGHT) {
		p95_y = (p50_y + p95_y - NAME_HEIGHT) / 2;
		p50_y = p95_y + NAME_HEIGHT;
	}
	write_quantile(drawing, "p95", drawing->times->p95_ns, p95_y, out);
	write_quantile(drawing, "p50", drawing->times->p50_ns, p50_y, out);
}

/* ---- sums by mark ---- */

struct sums {
	uint64_t count;
	double low_ns, high_ns;
};

static struct sums sum_of(const struct weir_step_times *times, enum weir_step_mark mark)
{
	struct sums sums = {0, INFINITY, -INFINITY};

	for (size_t i = 0; i < times->point_count; i++) {
		const struct weir_step_point *point = &times->points[i];

		if (point->mark != mark)
			continue;
		sums.count += point->count;
		sums.low_ns = fmin(sums.low_ns, point->low_ns);
		sums.high_ns = fmax(sums.high_ns, point->high_ns);
	}
	return sums;
}

static void write_table(const struct weir_step_times *times, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("steps|number|shortest|longest", out);
	for (int mark = 0; mark < WEIR_MARK_COUNT; mark++) {
		struct sums sums = sum_of(times, (enum weir_step_mark)mark);

		if (sums.count == 0)
			continue;
		weir_text_puts(out, "<tr>");
		weir_text_puts(&plain, words_of[mark]);
		weir_chart_cell(&plain, true, out);
		weir_text_count(&plain, sums.count);
		weir_chart_cell(&plain, false, out);
		weir_text_duration(&plain, sums.low_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_duration(&plain, sums.high_ns);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void write_quantile_key(const char *name, double ns, struct weir_text *out)
{
	if (!isfinite(ns))
		return;
	weir_text_printf(out, "<li data-key=\"%s\"><span class=\"swatch dash\"></span>%s ", name,
	                 name);
	weir_text_duration(out, ns);
	weir_text_puts(out, "</li>\n");
}

static void write_legend(const struct weir_step_times *times, struct weir_text *out)
{
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (int mark = 0; mark < WEIR_MARK_COUNT; mark++) {
		struct sums sums = sum_of(times, (enum weir_step_mark)mark);

		if (sums.count == 0)
			continue;
		weir_text_printf(out, "<li><span class=\"swatch dot %s\"></span>",
		                 mark == WEIR_MARK_STEADY ? "t-steady" : "t-apart");
		weir_text_count(out, sums.count);
		weir_text_printf(out, " %s</li>\n", words_of[mark]);
	}
	write_quantile_key("p50", times->p50_ns, out);
	write_quantile_key("p95", times->p95_ns, out);
	weir_text_puts(out, "</ul>\n");
}

static void add_description(const struct weir_step_times *times, struct weir_text *out)
{
	uint64_t apart = times->steps - sum_of(times, WEIR_MARK_STEADY).count;

	weir_text_puts(out, "The durations of ");
	weir_items_number(out, times->steps, "step");
	weir_text_puts(out, " in their order: p50 ");
	weir_text_duration(out, times->p50_ns);
	weir_text_puts(out, ", p95 ");
	weir_text_duration(out, times->p95_ns);
	if (apart > 0)
		weir_text_printf(out, "; %" PRIu64 " are set apart", apart);
	weir_text_puts(out, ".");
}

void weir_draw_step_times(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_step_times *times =
		report->pictures ? report->pictures->step_times : NULL;
	struct weir_text note = {0}, description = {0};
	struct drawing drawing = {.times = times};
	double longest_ns;

	if (!times || times->point_count == 0)
		return;
	longest_ns = sum_of(times, WEIR_MARK_STEADY).high_ns;
	if (!(longest_ns > 0))
		return;
	drawing.x = (struct weir_axis){.low = 0.5, .high = (double)times->steps + 0.5};
	drawing.y = (struct weir_axis){.low = 0, .high = longest_ns * ROOM};
	if (times->name)
		weir_cut_name(&note, times->name, WEIR_NAME_COLUMNS);
	add_description(times, &description);
	weir_text_puts(&note, note.length ? ", " : "");
	weir_items_number(&note, times->steps, "step");
	weir_chart_begin(&(struct weir_chart){.id = "step-times",
	                                      .title = "Step times over the run",
	                                      .note = note.data,
	                                      .aid = "Each mark is a step, or a few in a row, from "
	                                             "left to right: a level band is a steady run, "
	                                             "a slope is drift, and hollow marks do not "
	                                             "count.",
	                                      .description = description.data,
	                                      .height = HEIGHT,
	                                      .labels_below = true,
	                                      .labels_beside = true,
	                                      .names_behind = true},
	                 out);
	weir_chart_y_axis(&drawing.y, 5, HEIGHT, weir_label_duration, out);
	weir_chart_x_axis(&drawing.x, times->steps < 8 ? (size_t)times->steps : 8, HEIGHT,
	                  weir_label_number, out);
	for (size_t i = 0; i < times->point_count; i++)
		write_point(&drawing, &times->points[i], out);
	write_quantiles(&drawing, out);
	weir_chart_end(out);
	write_legend(times, out);
	write_table(times, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}
