/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the distributions of both sides over each other, as durations by percentile. Percentiles
 * stand at their quantiles of a normal distribution, so that the tail has room. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/tables/page.h"

#define HEIGHT      190
#define TICKS       5
#define LOG_RATIO   20 /* of the largest to the least duration: the axis is logarithmic */
#define ROOM        0.06
#define LEAST_RANGE 0.06 /* of the largest duration */

/* Quantiles of the normal distribution. */
static const struct {
	uint64_t percent;
	double z;
	bool labelled, second; /* second: a narrow page has no label */
} scale[] = {
	{1, -2.326348, false, false},  {5, -1.644854, true, false},   {10, -1.281552, false, false},
	{15, -1.036433, false, false}, {20, -0.841621, false, false}, {25, -0.674490, true, true},
	{30, -0.524401, false, false}, {35, -0.385320, false, false}, {40, -0.253347, false, false},
	{45, -0.125661, false, false}, {50, 0, true, false},          {55, 0.125661, false, false},
	{60, 0.253347, false, false},  {65, 0.385320, false, false},  {70, 0.524401, false, false},
	{75, 0.674490, true, true},    {80, 0.841621, false, false},  {85, 1.036433, false, false},
	{90, 1.281552, true, true},    {95, 1.644854, true, false},   {97, 1.880794, false, false},
	{99, 2.326348, true, false},
};

struct panel {
	const struct weir_gate_result *result;
	const struct weir_drawn_curve *curve;
	struct weir_axis x, y;
};

enum side { BASELINE, CANDIDATE };

static const char *const side_names[] = {"baseline", "candidate"};

/* Returns the place of a percentile on the axis: interpolated, if the scale does not have it. */
static double z_of(uint64_t percent)
{
	size_t i = 1;

	while (i + 1 < WEIR_COUNT_OF(scale) && scale[i].percent < percent)
		i++;
	return scale[i - 1].z + (scale[i].z - scale[i - 1].z) *
	                                ((double)percent - (double)scale[i - 1].percent) /
	                                (double)(scale[i].percent - scale[i - 1].percent);
}

static double x_of(const struct panel *panel, uint64_t percent)
{
	return 100 * weir_axis_place(&panel->x, z_of(percent));
}

static double y_of(const struct panel *panel, double ns)
{
	return HEIGHT * (1 - weir_axis_place(&panel->y, ns));
}

static double value_of(const struct weir_drawn_percentile *point, enum side side)
{
	return side == BASELINE ? point->baseline : point->candidate;
}

static double low_of(const struct weir_drawn_percentile *point, enum side side)
{
	return side == BASELINE ? point->baseline_low : point->candidate_low;
}

static double high_of(const struct weir_drawn_percentile *point, enum side side)
{
	return side == BASELINE ? point->baseline_high : point->candidate_high;
}

/* Returns true if the side has the percentile, with its range over the runs. */
static bool is_known(const struct weir_drawn_percentile *point, enum side side)
{
	return low_of(point, side) > 0 && high_of(point, side) >= low_of(point, side) &&
	       value_of(point, side) >= low_of(point, side) &&
	       value_of(point, side) <= high_of(point, side);
}

/* Returns the row of the gate at a percentile of the curve; NULL: the gate has none. */
static const struct weir_row *row_at(const struct panel *panel, uint64_t percent)
{
	static const struct {
		uint64_t percent;
		enum weir_metric metric;
	} metrics[] = {{50, WEIR_METRIC_P50},
	               {90, WEIR_METRIC_P90},
	               {95, WEIR_METRIC_P95},
	               {99, WEIR_METRIC_P99}};
	enum weir_metric metric = WEIR_METRIC_COUNT;

	for (size_t i = 0; i < WEIR_COUNT_OF(metrics); i++)
		if (metrics[i].percent == percent)
			metric = metrics[i].metric;
	for (size_t i = 0; metric != WEIR_METRIC_COUNT && i < panel->result->row_count; i++)
		if (panel->result->rows[i].metric == metric &&
		    strcmp(panel->result->rows[i].scope, panel->curve->scope) == 0)
			return &panel->result->rows[i];
	return NULL;
}

/* Returns any row of the subject of the curve; NULL: no row has the scope. */
static const struct weir_row *row_of(const struct weir_gate_result *result, const char *scope)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (strcmp(result->rows[i].scope, scope) == 0)
			return &result->rows[i];
	return NULL;
}

/* Sets both axes; false: there is nothing to draw. */
static bool set_axes(struct panel *panel)
{
	const struct weir_drawn_percentile *points = panel->curve->points;
	size_t count = panel->curve->point_count;
	double low = INFINITY, high = -INFINITY, room;

	for (size_t i = 0; i < count; i++)
		for (enum side side = BASELINE; side <= CANDIDATE; side++) {
			if (!is_known(&points[i], side))
				continue;
			low = fmin(low, low_of(&points[i], side));
			high = fmax(high, high_of(&points[i], side));
		}
	if (count < 2 || !(high >= low) || !isfinite(high * LOG_RATIO))
		return false;
	panel->x = (struct weir_axis){.low = z_of(points[0].percent),
	                              .high = z_of(points[count - 1].percent)};
	panel->y.log = high > LOG_RATIO * low;
	room = panel->y.log ? pow(high / low, ROOM) : ROOM * fmax(high - low, LEAST_RANGE * high);
	panel->y.low = panel->y.log ? low / room : fmax(low - room, 0);
	panel->y.high = panel->y.log ? high * room : high + room;
	return panel->y.high > panel->y.low;
}

/* ---- lines and bands ---- */

/* Writes the band between the least and the largest run of a side, and the line of its means, in
 * units of percent and pixels. A percentile that is not known interrupts both. */
static void write_line(const struct panel *panel, enum side side, struct weir_text *out)
{
	const struct weir_drawn_percentile *points = panel->curve->points;
	size_t count = panel->curve->point_count, end;

	for (size_t from = 0; from < count; from = end + 1) {
		for (end = from; end < count && is_known(&points[end], side);)
			end++;
		if (end - from < 2)
			continue;
		weir_text_printf(out, "<path class=\"band g-%s\" d=\"", side_names[side]);
		for (size_t i = from; i < end; i++)
			weir_text_printf(out, "%c%.2f %.1f", i == from ? 'M' : 'L',
			                 x_of(panel, points[i].percent),
			                 y_of(panel, high_of(&points[i], side)));
		for (size_t i = end; i-- > from;)
			weir_text_printf(out, "L%.2f %.1f", x_of(panel, points[i].percent),
			                 y_of(panel, low_of(&points[i], side)));
		weir_text_printf(out, "Z\"></path><path class=\"line g-%s\" d=\"",
		                 side_names[side]);
		for (size_t i = from; i < end; i++)
			weir_text_printf(out, "%c%.2f %.1f", i == from ? 'M' : 'L',
			                 x_of(panel, points[i].percent),
			                 y_of(panel, value_of(&points[i], side)));
		weir_text_puts(out, "\"></path>\n");
	}
}

/* ---- marks ---- */

/* Appends "candidate p95: 610 us, runs from 600 us to 621 us", and the row of the gate. */
static void add_title(const struct panel *panel, const struct weir_drawn_percentile *point,
                      enum side side, struct weir_text *out)
{
	const struct weir_row *row = side == CANDIDATE ? row_at(panel, point->percent) : NULL;

	weir_text_printf(out, "%s p%" PRIu64 ": ", side_names[side], point->percent);
	weir_gate_print_value(value_of(point, side), "ns", out);
	weir_text_puts(out, ", runs from ");
	weir_gate_print_value(low_of(point, side), "ns", out);
	weir_text_puts(out, " to ");
	weir_gate_print_value(high_of(point, side), "ns", out);
	if (!row)
		return;
	weir_gate_say(row, "; {change}, 90 % interval {interval}, ", out);
	weir_text_puts(out, weir_outcome_name(row->outcome));
}

static void write_marks(const struct panel *panel, enum side side, struct weir_text *out)
{
	struct weir_text title = {0};

	weir_text_printf(out, "<g data-lane=\"%s\">", side_names[side]);
	for (size_t i = 0; i < panel->curve->point_count; i++) {
		const struct weir_drawn_percentile *point = &panel->curve->points[i];

		if (!is_known(point, side))
			continue;
		add_title(panel, point, side, &title);
		weir_text_printf(out, "<circle class=\"m g-%s\" cx=\"%.2f%%\" cy=\"%.1f\" r=\"%s\"",
		                 side_names[side], x_of(panel, point->percent),
		                 y_of(panel, value_of(point, side)),
		                 row_at(panel, point->percent) ? "3.8" : "2.4");
		weir_chart_mark("circle", &title, out);
	}
	weir_text_puts(out, "</g>\n");
	weir_text_release(&title);
}

/* Draws the end of an interval; one beyond the picture has none. */
static void write_cap(const struct panel *panel, double x, double ns, struct weir_text *out)
{
	if (ns >= panel->y.low && ns <= panel->y.high)
		weir_text_printf(out,
		                 "<svg x=\"%.2f%%\" y=\"%.1f\" overflow=\"visible\"><line "
		                 "x1=\"-4\" x2=\"4\"></line></svg>",
		                 x, y_of(panel, ns));
}

/* Draws the 90 % interval of the change at each percentile that the gate has a row of, from the
 * baseline's value. */
static void write_intervals(const struct panel *panel, struct weir_text *out)
{
	for (size_t i = 0; i < panel->curve->point_count; i++) {
		const struct weir_drawn_percentile *point = &panel->curve->points[i];
		const struct weir_row *row = row_at(panel, point->percent);
		double x = x_of(panel, point->percent), low, high;

		if (!row || !is_known(point, BASELINE))
			continue;
		low = point->baseline * (1 + fmin(row->low, row->high));
		high = point->baseline * (1 + fmax(row->low, row->high));
		if (!isfinite(row->low) || !isfinite(row->high) || !isfinite(high) || low <= 0)
			continue;
		weir_text_printf(out,
		                 "<g class=\"range\" data-percent=\"%" PRIu64
		                 "\"><line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" y2=\"%.1f\">"
		                 "</line>",
		                 point->percent, x, x, y_of(panel, low), y_of(panel, high));
		write_cap(panel, x, low, out);
		write_cap(panel, x, high, out);
		weir_text_puts(out, "</g>\n");
	}
}

static void write_percents(const struct panel *panel, struct weir_text *out)
{
	weir_text_puts(out, "<g class=\"axis x\">");
	for (size_t i = 0; i < WEIR_COUNT_OF(scale); i++) {
		double x = x_of(panel, scale[i].percent);

		if (!scale[i].labelled || scale[i].z < panel->x.low || scale[i].z > panel->x.high)
			continue;
		weir_text_printf(out,
		                 "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%d\"></line>"
		                 "<g%s><text x=\"%.2f%%\" y=\"%d\">p%" PRIu64 "</text></g>",
		                 x, x, HEIGHT, scale[i].second ? " class=\"second\"" : "", x,
		                 HEIGHT + 15, scale[i].percent);
	}
	weir_text_puts(out, "</g>\n");
}

/* ---- the table and the frame ---- */

static void write_table(const struct panel *panel, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_chart_table_begin("percentile|baseline|candidate|change", out);
	for (size_t i = 0; i < panel->curve->point_count; i++) {
		const struct weir_drawn_percentile *point = &panel->curve->points[i];

		weir_text_puts(out, "<tr>");
		weir_text_printf(&plain, "p%" PRIu64, point->percent);
		weir_chart_cell(&plain, true, out);
		weir_gate_print_value(point->baseline, "ns", &plain);
		weir_chart_cell(&plain, false, out);
		weir_gate_print_value(point->candidate, "ns", &plain);
		weir_chart_cell(&plain, false, out);
		weir_gate_print_change(point->candidate / point->baseline - 1, &plain);
		weir_chart_cell(&plain, false, out);
		weir_text_puts(out, "</tr>\n");
	}
	weir_chart_table_end(out);
	weir_text_release(&plain);
}

static void add_description(const struct panel *panel, struct weir_text *out)
{
	bool any = false;

	for (size_t i = 0; i < panel->curve->point_count; i++) {
		const struct weir_row *row = row_at(panel, panel->curve->points[i].percent);

		if (!row)
			continue;
		weir_text_puts(out, any ? "; " : "");
		weir_gate_say(row, "{metric} {baseline} to {candidate}, {change}", out);
		any = true;
	}
	weir_text_puts(out, any ? "." : "Percentiles of both sides.");
}

static void write_panel(const struct panel *panel, const struct weir_row *row, size_t index,
                        struct weir_text *out)
{
	struct weir_text plain = {0}, description = {0}, id = {0};

	weir_text_puts(out, "<h3>");
	weir_gate_say(row, "{subject}", &plain);
	weir_page_name(&plain, out);
	weir_text_puts(out, "</h3>\n");
	add_description(panel, &description);
	weir_text_printf(&id, "distributions-%zu", index + 1);
	weir_gate_say(row, "Percentiles of {subject}", &plain);
	weir_drawing_begin(&(struct weir_chart){.id = id.data,
	                                        .title = plain.data,
	                                        .description = description.data,
	                                        .height = HEIGHT,
	                                        .labels_below = true,
	                                        .labels_beside = true},
	                   out);
	weir_chart_y_axis(&panel->y, TICKS, HEIGHT, weir_label_duration, out);
	write_percents(panel, out);
	weir_text_printf(out,
	                 "<svg class=\"lines\" viewBox=\"0 0 100 %d\" preserveAspectRatio=\"none\" "
	                 "width=\"100%%\" height=\"%d\">",
	                 HEIGHT, HEIGHT);
	write_line(panel, BASELINE, out);
	write_line(panel, CANDIDATE, out);
	weir_text_puts(out, "</svg>\n");
	write_intervals(panel, out);
	write_marks(panel, BASELINE, out);
	write_marks(panel, CANDIDATE, out);
	weir_chart_end(out);
	write_table(panel, out);
	weir_text_release(&plain);
	weir_text_release(&description);
	weir_text_release(&id);
}

void weir_draw_curves(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_pictures *pictures = result->pictures;
	bool open = false;

	for (size_t i = 0; pictures && i < pictures->curve_count; i++) {
		struct panel panel = {.result = result, .curve = &pictures->curves[i]};
		const struct weir_row *row = row_of(result, panel.curve->scope);

		if (!row || !set_axes(&panel))
			continue;
		if (!open) {
			weir_text_puts(out,
			               "<section class=\"card picture\" id=\"distributions\">\n"
			               "<h2>Distributions</h2>\n");
			weir_chart_aid("The lines are means over the runs of a side, the bands "
			               "reach from the least to the largest run, and a bar is the "
			               "90 % interval of the change, from the baseline's value.",
			               out);
			open = true;
		}
		write_panel(&panel, row, i, out);
	}
	if (!open)
		return;
	weir_text_puts(out,
	               "<ul class=\"keys\">\n<li><span class=\"swatch stroke dashed "
	               "g-baseline\"></span>baseline</li>\n<li><span class=\"swatch stroke "
	               "g-candidate\"></span>candidate</li>\n<li><span class=\"swatch bar-key\">"
	               "</span>90 % interval</li>\n</ul>\n");
	weir_card_end(out);
}
