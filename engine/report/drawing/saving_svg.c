/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Draws the step today and the step that a recommendation predicts, with its range. */
#include <math.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"

#define HEIGHT 56
#define LABEL  11 /* baselines of the labels, tops of the bars */
#define TODAY  15
#define SECOND 39
#define AFTER  43
#define HIGH   9

static bool predicts(const struct weir_recommendation *fix)
{
	return fix->saving_step_ns > 0 && fix->saving_before_ns > 0;
}

/* Returns the end of the axis, which all predictions share. */
static double longest(const struct weir_report *report)
{
	double high_ns = 0;

	for (size_t i = 0; i < report->recommendation_count; i++) {
		const struct weir_recommendation *fix = &report->recommendations[i];

		if (!predicts(fix))
			continue;
		high_ns = fmax(high_ns, fmax(fix->saving_before_ns, fix->saving_step_ns));
		high_ns = fmax(high_ns, isnan(fix->saving_high_ns) ? 0 : fix->saving_high_ns);
	}
	return high_ns;
}

static void write_bar(const char *class, double ns, double high_ns, int y, struct weir_text *title,
                      struct weir_text *out)
{
	weir_text_printf(out,
	                 "<rect class=\"m %s\" x=\"0\" y=\"%d\" width=\"%.2f%%\" height=\"%d\"",
	                 class, y, 100 * ns / high_ns, HIGH);
	weir_chart_mark("rect", title, out);
}

/* Draws the range as a line between two ends. */
static void write_range(const struct weir_recommendation *fix, double high_ns,
                        struct weir_text *out)
{
	double low = 100 * fix->saving_low_ns / high_ns, high = 100 * fix->saving_high_ns / high_ns;
	double middle = AFTER + HIGH / 2.0;

	if (!(low >= 0) || !(high >= low))
		return;
	weir_text_printf(
		out,
		"<g class=\"range\"><line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%.1f\" "
		"y2=\"%.1f\"></line><line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"></line>"
		"<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"%d\" y2=\"%d\"></line></g>\n",
		low, high, middle, middle, low, low, AFTER - 1, AFTER + HIGH + 1, high, high,
		AFTER - 1, AFTER + HIGH + 1);
}

static void write_label(int y, const struct weir_text *plain, struct weir_text *out)
{
	weir_text_printf(out, "<text class=\"lane\" x=\"0\" y=\"%d\">", y);
	weir_escape_html(out, plain->data);
	weir_text_puts(out, "</text>\n");
}

static void add_after(const struct weir_recommendation *fix, struct weir_text *out)
{
	weir_text_puts(out, "predicted ");
	weir_text_duration(out, weir_as_stored_ns(fix->saving_step_ns));
	if (fix->saving_low_ns >= 0 && fix->saving_high_ns >= fix->saving_low_ns) {
		weir_text_puts(out, ", from ");
		weir_text_duration(out, weir_as_stored_ns(fix->saving_low_ns));
		weir_text_puts(out, " to ");
		weir_text_duration(out, weir_as_stored_ns(fix->saving_high_ns));
	}
}

void weir_draw_saving(const struct weir_report *report, size_t recommendation,
                      struct weir_text *out)
{
	const struct weir_recommendation *fix = &report->recommendations[recommendation];
	struct weir_text today = {0}, after = {0}, id = {0}, description = {0};
	double high_ns = longest(report);

	if (!predicts(fix))
		return;
	weir_text_puts(&today, "today ");
	weir_text_duration(&today, weir_as_stored_ns(fix->saving_before_ns));
	add_after(fix, &after);
	weir_text_printf(&id, "saving-%zu", recommendation + 1);
	weir_text_printf(&description, "%s; %s.", today.data, after.data);
	weir_drawing_begin(&(struct weir_chart){.id = id.data,
	                                        .title = "The step today and after the change",
	                                        .description = description.data,
	                                        .height = HEIGHT,
	                                        .labelled = true},
	                   out);
	write_label(LABEL, &today, out);
	write_label(SECOND, &after, out);
	write_bar("s-call", fix->saving_before_ns, high_ns, TODAY, &today, out);
	write_bar("hardware", fix->saving_step_ns, high_ns, AFTER, &after, out);
	write_range(fix, high_ns, out);
	weir_chart_end(out);
	weir_text_release(&today);
	weir_text_release(&after);
	weir_text_release(&id);
	weir_text_release(&description);
}
