/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the map from arrival to response: a bar for each percentile, as long as its latency, with
 * the stages in their order. */
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/words/map.h"
#include "engine/report/words/phrases.h"

#define BAR     52 /* pixels from one bar to the next */
#define LABEL   12 /* baseline of the label of a bar, below its top */
#define TOP     17 /* top of the parts, below the top of the bar */
#define HIGH    28
#define NAMED   0.06 /* narrower parts have their name in the title only */
#define LEAST   1e-3 /* smaller shares are not drawn */
#define COLUMNS 40

struct drawing {
	const struct weir_report *report;
	double high_ns; /* NAN: latencies are not known, and bars are equally long */
};

static bool has_bar(const struct weir_report *report, enum weir_map_place place)
{
	return weir_map_has_place(report, place) && weir_map_total(report, place) > 0;
}

static double latency_of(const struct weir_report *report, enum weir_map_place place)
{
	return weir_map_quantile(report, &report->requests.latency, place);
}

static double longest(const struct weir_report *report)
{
	double high_ns = 0;

	for (int place = 0; place < WEIR_MAP_PLACES; place++) {
		double ns = latency_of(report, (enum weir_map_place)place);

		if (!has_bar(report, (enum weir_map_place)place))
			continue;
		if (!(ns > 0))
			return NAN;
		high_ns = fmax(high_ns, ns);
	}
	return high_ns;
}

/* Appends "queue: 78 % of p95, runtime". */
static void add_title(const struct drawing *drawing, const struct weir_stage_row *stage,
                      enum weir_map_place place, struct weir_text *out)
{
	weir_cut_name(out, stage->name, COLUMNS);
	weir_text_puts(out, ": ");
	weir_text_share(out, weir_as_stored_share(weir_map_share(stage, place)));
	weir_text_puts(out, " of ");
	weir_map_label(drawing->report, place, out);
	weir_text_printf(out, ", %s", weir_attribution_label(stage->verdict.bound));
}

/* Writes name and share inside a part; the element around the text cuts it at the part's end. */
static void write_inside(const struct weir_stage_row *stage, double share, double x, double width,
                         double y, struct weir_text *out)
{
	struct weir_text plain = {0};

	if (width < NAMED * 100)
		return;
	weir_cut_name(&plain, stage->name, COLUMNS);
	weir_text_puts(&plain, " ");
	weir_text_share(&plain, weir_as_stored_share(share));
	weir_text_printf(out,
	                 "<svg class=\"inside pale\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" "
	                 "height=\"%d\"><text x=\"6\" y=\"19\">",
	                 x, y, width, HIGH);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</text></svg>\n");
	weir_text_release(&plain);
}

/* Writes the parts of a bar. Time in no row is left blank at the end. */
static void write_parts(const struct drawing *drawing, enum weir_map_place place, double length,
                        double top, struct weir_text *out)
{
	const struct weir_report *report = drawing->report;
	double x = 0;

	for (size_t i = 0; i < report->stage_count; i++) {
		const struct weir_stage_row *stage = &report->stages[i];
		double share = weir_map_share(stage, place), width = 100 * share * length;
		struct weir_text title = {0};

		if (!weir_map_holds(report, i) || !(share >= LEAST))
			continue;
		add_title(drawing, stage, place, &title);
		weir_text_printf(
			out,
			"<rect class=\"m pale %s\" x=\"%.2f%%\" y=\"%.0f\" width=\"%.2f%%\" "
			"height=\"%d\"",
			weir_attribution_label(stage->verdict.bound), x, top, width, HIGH);
		weir_chart_mark("rect", &title, out);
		write_inside(stage, share, x, width, top, out);
		weir_text_release(&title);
		x += width;
	}
}

static void write_bar(const struct drawing *drawing, enum weir_map_place place, double top,
                      struct weir_text *out)
{
	double ns = latency_of(drawing->report, place);
	double length = isnan(drawing->high_ns) ? 1 : ns / drawing->high_ns;
	struct weir_text label = {0};

	weir_map_label(drawing->report, place, &label);
	weir_text_printf(out, "<g data-lane=\"%s\"><text class=\"lane\" x=\"0\" y=\"%.0f\">%s",
	                 label.data, top + LABEL, label.data);
	if (ns > 0) {
		weir_text_puts(out, " ");
		weir_text_duration(out, weir_as_stored_ns(ns));
	}
	weir_text_puts(out, "</text>\n");
	write_parts(drawing, place, length, top + TOP, out);
	weir_text_puts(out, "</g>\n");
	weir_text_release(&label);
}

/* Lists the bounds of the map's stages, in the order of the enum. */
static void write_legend(const struct weir_report *report, struct weir_text *out)
{
	bool seen[WEIR_BOUND_COUNT] = {false};

	for (size_t i = 0; i < report->stage_count; i++)
		if (weir_map_holds(report, i))
			seen[report->stages[i].verdict.bound] = true;
	weir_text_puts(out, "<ul class=\"keys\">\n");
	for (int bound = 0; bound < WEIR_BOUND_COUNT; bound++) {
		const char *label = weir_attribution_label((enum weir_bound)bound);

		if (seen[bound])
			weir_text_printf(out, "<li><span class=\"swatch %s\"></span>%s</li>\n",
			                 label, label);
	}
	weir_text_puts(out, "</ul>\n");
}

/* Says in words which stage is the largest at the asked percentile. */
static void add_description(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_stage_row *most = NULL;

	for (size_t i = 0; i < report->stage_count; i++)
		if (weir_map_holds(report, i) &&
		    (!most || weir_map_share(&report->stages[i], WEIR_MAP_ASKED) >
		                      weir_map_share(most, WEIR_MAP_ASKED)))
			most = &report->stages[i];
	weir_text_puts(
		out,
		"A bar for each percentile of the latency, cut into the stages of a request in "
		"their order");
	if (most) {
		weir_text_puts(out, "; the largest at ");
		weir_map_label(report, WEIR_MAP_ASKED, out);
		weir_text_puts(out, " is ");
		weir_cut_name(out, most->name, COLUMNS);
	}
	weir_text_puts(out, ". The table below has the figures.");
}

void weir_draw_map(const struct weir_report *report, struct weir_text *out)
{
	struct drawing drawing = {.report = report};
	struct weir_text description = {0};
	double height = 0;

	if (!(weir_map_total(report, WEIR_MAP_ASKED) > 0))
		return;
	for (int place = 0; place < WEIR_MAP_PLACES; place++)
		height += has_bar(report, (enum weir_map_place)place) ? BAR : 0;
	drawing.high_ns = longest(report);
	add_description(report, &description);
	weir_chart_aid("A request goes from left to right: the longest part of the bar of slow "
	               "requests is "
	               "where to begin, and a part that grows from p50 to p99 makes the tail.",
	               out);
	weir_drawing_begin(&(struct weir_chart){.id = "map-drawing",
	                                        .title = "From arrival to response",
	                                        .description = description.data,
	                                        .height = height,
	                                        .labels_below = !isnan(drawing.high_ns)},
	                   out);
	if (!isnan(drawing.high_ns))
		weir_chart_x_axis(&(struct weir_axis){.low = 0, .high = drawing.high_ns}, 8, height,
		                  weir_label_duration, out);
	height = 0;
	for (int place = 0; place < WEIR_MAP_PLACES; place++) {
		if (!has_bar(report, (enum weir_map_place)place))
			continue;
		write_bar(&drawing, (enum weir_map_place)place, height, out);
		height += BAR;
	}
	weir_chart_end(out);
	write_legend(report, out);
	weir_text_release(&description);
}
