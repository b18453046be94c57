/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws every operator with modelled work below the roofs of its device (Williams, Waterman and
 * Patterson, CACM 52(4), 2009), on two logarithmic axes. */
#include <math.h>
#include <string.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/words/phrases.h"

#define HEIGHT   300
#define DECADES  6   /* of y at most; operators below stand at the lower edge */
#define SMALLEST 3.0 /* radius of a dot */
#define LARGEST  9.0
#define LEAST    20 /* range of y at least */
#define SLOPE    10 /* part of the slope below each roof that is drawn at least */
#define NAMES    12 /* pixels between the names of two roofs */
#define NAME     60 /* columns of an operator's name */

struct drawing {
	const struct weir_report *report;
	const struct weir_roofs *roofs;
	struct weir_axis x, y; /* FLOP a byte; TFLOP/s */
	size_t drawn;
	double drawn_share;
};

static double intensity_of(const struct weir_operator_row *row)
{
	return row->flops / row->bytes;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns true if the operator has a place: modelled work on the device of the roofs. */
static bool has_place(const struct drawing *drawing, const struct weir_operator_row *row)
{
	return row->flops > 0 && row->bytes > 0 && row->tflops > 0 && isfinite(row->tflops) &&
	       isfinite(intensity_of(row)) && same_text(row->device, drawing->roofs->device);
}

static void choose_axes(struct drawing *drawing)
{
	const struct weir_roofs *roofs = drawing->roofs;
	double low_x = INFINITY, high_x = 0, low_y = INFINITY, high_y = 0;

	for (size_t i = 0; i < drawing->report->operator_count; i++) {
		const struct weir_operator_row *row = &drawing->report->operators[i];

		if (!has_place(drawing, row))
			continue;
		low_x = fmin(low_x, intensity_of(row));
		high_x = fmax(high_x, intensity_of(row));
		low_y = fmin(low_y, row->tflops);
		high_y = fmax(high_y, row->tflops);
		drawing->drawn++;
		drawing->drawn_share += isnan(row->share) ? 0 : row->share;
	}
	for (size_t i = 0; i < roofs->roof_count; i++) {
		high_y = fmax(high_y, roofs->roofs[i].theoretical / 1e12);
		high_x = fmax(high_x, 2 * roofs->roofs[i].theoretical / roofs->bytes_per_s);
		low_x = fmin(low_x, roofs->roofs[i].theoretical / roofs->bytes_per_s / SLOPE);
	}
	low_y = fmax(fmin(low_y, high_y / LEAST), high_y * pow(10, -DECADES));
	drawing->x = (struct weir_axis){.low = low_x / 2, .high = high_x * 2, .log = true};
	drawing->y = (struct weir_axis){.low = low_y / 2, .high = high_y * 2, .log = true};
}

static double x_of(const struct drawing *drawing, double intensity)
{
	return 100 * weir_axis_place(&drawing->x, intensity);
}

static double y_of(const struct drawing *drawing, double tflops)
{
	return HEIGHT * (1 - weir_axis_place(&drawing->y, tflops));
}

/* Draws a line between two points of the plane; both lie on it. */
static void write_line(const struct drawing *drawing, const char *class, const double from[2],
                       const double to[2], struct weir_text *out)
{
	weir_text_printf(out,
	                 "<line class=\"%s\" x1=\"%.2f%%\" y1=\"%.1f\" x2=\"%.2f%%\" "
	                 "y2=\"%.1f\"></line>\n",
	                 class, x_of(drawing, from[0]), y_of(drawing, from[1]),
	                 x_of(drawing, to[0]), y_of(drawing, to[1]));
}

/* Draws the slope of the memory from the left or lower edge to a height. */
static void write_slope(const struct drawing *drawing, const char *class, double bytes_per_s,
                        double to_tflops, struct weir_text *out)
{
	double tb_per_s = bytes_per_s / 1e12;
	double from = fmax(drawing->x.low, drawing->y.low / tb_per_s);
	double to = fmin(drawing->x.high, to_tflops / tb_per_s);

	if (from < to)
		write_line(drawing, class, (double[]){from, from * tb_per_s},
		           (double[]){to, to * tb_per_s}, out);
}

/* Draws one roof from the slope to the right edge. */
static void write_roof(const struct drawing *drawing, const char *class, double bytes_per_s,
                       double flops, struct weir_text *out)
{
	double ridge = fmax(drawing->x.low, flops / bytes_per_s);

	write_line(drawing, class, (double[]){ridge, flops / 1e12},
	           (double[]){drawing->x.high, flops / 1e12}, out);
}

/* Writes the name of a roof at its right end, the highest above its lines and the others below, if
 * there is room behind the name before it. */
static void write_roof_name(const struct drawing *drawing, const struct weir_roof *roof,
                            double *last_y, struct weir_text *out)
{
	bool first = isinf(*last_y);
	double y = first ? y_of(drawing, roof->theoretical / 1e12) - 5
	                 : y_of(drawing, roof->sustained / 1e12) + 14;
	struct weir_text plain = {0};

	if (y < *last_y + NAMES)
		return;
	*last_y = y;
	weir_escape_plain(&plain, roof->name);
	weir_text_printf(out, "<text class=\"end\" x=\"100%%\" y=\"%.1f\">", y);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</text>\n");
	weir_text_release(&plain);
}

/* Draws the roofs, those that kernels reach as lines and those of the datasheet dashed. */
static void write_roofs(const struct drawing *drawing, struct weir_text *out)
{
	const struct weir_roofs *roofs = drawing->roofs;
	double last_y = -INFINITY, sustained = drawing->y.high, theoretical = drawing->y.high;

	if (roofs->roof_count > 0) {
		theoretical = roofs->roofs[0].theoretical / 1e12;
		sustained = roofs->roofs[0].sustained / 1e12;
	}
	weir_text_puts(out, "<g data-roofs=\"\">\n");
	write_slope(drawing, "r-theoretical", roofs->bytes_per_s, theoretical, out);
	write_slope(drawing, "r-sustained", roofs->sustained_bytes_per_s, sustained, out);
	for (size_t i = 0; i < roofs->roof_count; i++) {
		const struct weir_roof *roof = &roofs->roofs[i];

		write_roof(drawing, "r-theoretical", roofs->bytes_per_s, roof->theoretical, out);
		write_roof(drawing, "r-sustained", roofs->sustained_bytes_per_s, roof->sustained,
		           out);
		write_roof_name(drawing, roof, &last_y, out);
	}
	weir_text_puts(out, "</g>\n");
}

/* Appends "decode/aten::mm: 2.73 TFLOP/s at 1 FLOP a byte, 61 % of the device's time, memory". */
static void add_title(const struct weir_operator_row *row, struct weir_text *out)
{
	if (row->stage) {
		weir_cut_name(out, row->stage, WEIR_NAME_COLUMNS);
		weir_text_puts(out, "/");
	}
	weir_cut_name(out, row->name, NAME);
	weir_text_puts(out, ": ");
	weir_label_figure(row->tflops, out);
	weir_text_puts(out, " TFLOP/s at ");
	weir_label_figure(intensity_of(row), out);
	weir_text_puts(out, " FLOP a byte, ");
	weir_text_share(out, weir_as_stored_share(row->share));
	weir_text_puts(out, " of the device's time");
	if (isfinite(row->efficiency)) {
		weir_text_puts(out, ", ");
		weir_text_share(out, weir_as_stored_share(row->efficiency));
		weir_text_puts(out, " of its roof");
	}
	weir_text_printf(out, ", %s", weir_attribution_label(row->verdict.bound));
}

static void write_dot(const struct drawing *drawing, const struct weir_operator_row *row,
                      struct weir_text *out)
{
	double share = row->share > 0 ? fmin(row->share, 1) : 0;
	struct weir_text title = {0};

	add_title(row, &title);
	weir_text_printf(out, "<circle class=\"m e %s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"%.1f\"",
	                 weir_attribution_label(row->verdict.bound),
	                 x_of(drawing, intensity_of(row)), y_of(drawing, row->tflops),
	                 SMALLEST + (LARGEST - SMALLEST) * sqrt(share));
	weir_chart_mark("circle", &title, out);
	weir_text_release(&title);
}

static void write_dots(const struct drawing *drawing, struct weir_text *out)
{
	for (size_t i = 0; i < drawing->report->operator_count; i++)
		if (has_place(drawing, &drawing->report->operators[i]))
			write_dot(drawing, &drawing->report->operators[i], out);
	weir_text_printf(out,
	                 "<text x=\"4\" y=\"11\">TFLOP/s</text><text class=\"end\" x=\"100%%\" "
	                 "y=\"%d\">FLOP a byte</text>\n",
	                 HEIGHT - 5);
}

/* Writes the rates of the roofs: the datasheet's, and what kernels reach. */
static void write_rates(const struct weir_roofs *roofs, struct weir_text *out)
{
	weir_text_puts(out, "<li data-roof=\"memory\">memory ");
	weir_label_figure(roofs->bytes_per_s / 1e12, out);
	weir_text_puts(out, " TB/s, reached ");
	weir_label_figure(roofs->sustained_bytes_per_s / 1e12, out);
	weir_text_puts(out, "</li>\n");
	for (size_t i = 0; i < roofs->roof_count; i++) {
		weir_text_puts(out, "<li data-roof=\"\">");
		weir_escape_html(out, roofs->roofs[i].name);
		weir_text_puts(out, " ");
		weir_label_figure(roofs->roofs[i].theoretical / 1e12, out);
		weir_text_puts(out, " TFLOP/s, reached ");
		weir_label_figure(roofs->roofs[i].sustained / 1e12, out);
		weir_text_puts(out, "</li>\n");
	}
}

static void write_legend(const struct drawing *drawing, struct weir_text *out)
{
	bool seen[WEIR_BOUND_COUNT] = {false};

	for (size_t i = 0; i < drawing->report->operator_count; i++)
		if (has_place(drawing, &drawing->report->operators[i]))
			seen[drawing->report->operators[i].verdict.bound] = true;
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (int b = 0; b < WEIR_BOUND_COUNT; b++) {
		const char *label = weir_attribution_label((enum weir_bound)b);

		if (seen[b])
			weir_text_printf(out,
			                 "<li><span class=\"swatch dot %s\"></span>bound by "
			                 "%s</li>\n",
			                 label, label);
	}
	write_rates(drawing->roofs, out);
	weir_text_puts(out, "<li><span class=\"swatch line\"></span>what kernels reach</li>\n"
	                    "<li><span class=\"swatch dash\"></span>datasheet</li>\n</ul>\n");
}

static void write_table(const struct drawing *drawing, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("operator|FLOP a byte|TFLOP/s|of its roof|of the time", out);
	for (size_t i = 0; i < drawing->report->operator_count; i++) {
		const struct weir_operator_row *row = &drawing->report->operators[i];

		if (!has_place(drawing, row))
			continue;
		weir_text_puts(out, "<tr>");
		weir_cut_name(&plain, row->name, NAME);
		weir_chart_cell(&plain, true, out);
		weir_label_figure(intensity_of(row), &plain);
		weir_chart_cell(&plain, false, out);
		weir_label_figure(row->tflops, &plain);
		weir_chart_cell(&plain, false, out);
		weir_text_share(&plain, weir_as_stored_share(row->efficiency));
		weir_chart_cell(&plain, false, out);
		weir_text_share(&plain, weir_as_stored_share(row->share));
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void write_remark(const struct drawing *drawing, struct weir_text *out)
{
	size_t left = drawing->report->operator_count - drawing->drawn;
	struct weir_text plain = {0};

	if (left == 0)
		return;
	weir_items_number(&plain, left, "operator");
	weir_text_printf(&plain, " without modelled FLOPs and bytes %s not drawn: ",
	                 left == 1 ? "is" : "are");
	weir_text_share(&plain, fmax(0, 1 - drawing->drawn_share));
	weir_text_puts(&plain, " of the device's time.");
	weir_text_puts(out, "<p class=\"more\">");
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</p>\n");
	weir_text_release(&plain);
}

void weir_draw_roofline(const struct weir_report *report, struct weir_text *out)
{
	struct drawing drawing = {.report = report,
	                          .roofs = report->pictures ? report->pictures->roofs : NULL};
	struct weir_text note = {0}, description = {0};

	if (!drawing.roofs)
		return;
	choose_axes(&drawing);
	if (drawing.drawn == 0)
		return;
	weir_cut_name(&note, drawing.roofs->device, WEIR_NAME_COLUMNS);
	weir_items_number(&description, drawing.drawn, "operator");
	weir_text_puts(&description,
	               " below the roofs of memory bandwidth and arithmetic; the table "
	               "below has their figures.");
	weir_chart_begin(
		&(struct weir_chart){.id = "roofline",
	                             .title = "Roofline",
	                             .note = note.data,
	                             .aid = "Each dot is an operator, as large as its share "
	                                    "of the time: near the slope memory limits it, "
	                                    "near a flat roof arithmetic, and far below "
	                                    "both there is room.",
	                             .description = description.data,
	                             .height = HEIGHT,
	                             .labels_below = true,
	                             .labels_beside = true},
		out);
	weir_chart_y_axis(&drawing.y, 7, HEIGHT, weir_label_number, out);
	weir_chart_x_axis(&drawing.x, 8, HEIGHT, weir_label_number, out);
	write_roofs(&drawing, out);
	write_dots(&drawing, out);
	weir_chart_end(out);
	write_legend(&drawing, out);
	write_remark(&drawing, out);
	write_table(&drawing, out);
	weir_card_end(out);
	weir_text_release(&note);
	weir_text_release(&description);
}
