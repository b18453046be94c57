/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/drawing/chart.h"
#include "engine/report/plain/escape.h"

#define BELOW 20 /* pixels for the labels of the x axis */

void weir_chart_begin(const struct weir_chart *chart, struct weir_text *out)
{
	weir_text_printf(out, "<section class=\"card picture\" id=\"%s\">\n<h2>", chart->id);
	weir_escape_html(out, chart->title);
	if (chart->note) {
		weir_text_puts(out, " <span class=\"soft\">");
		weir_escape_html(out, chart->note);
		weir_text_puts(out, "</span>");
	}
	weir_text_puts(out, "</h2>\n");
	weir_chart_aid(chart->aid, out);
	weir_drawing_begin(chart, out);
}

void weir_chart_aid(const char *aid, struct weir_text *out)
{
	weir_text_puts(out, "<p class=\"aid\">");
	weir_escape_html(out, aid);
	weir_text_puts(out, "</p>\n");
}

void weir_drawing_begin(const struct weir_chart *chart, struct weir_text *out)
{
	weir_text_printf(
		out,
		"<div class=\"plot%s%s\"><svg class=\"chart%s\" role=\"img\" "
		"aria-labelledby=\"%s-title\" aria-describedby=\"%s-desc\" width=\"100%%\" "
		"height=\"%.0f\">\n<title id=\"%s-title\">",
		chart->labels_beside ? " beside" : "", chart->names_behind ? " behind" : "",
		chart->labelled ? " labelled" : "", chart->id, chart->id,
		chart->height + (chart->labels_below ? BELOW : 0), chart->id);
	weir_escape_html(out, chart->title);
	weir_text_printf(out, "</title>\n<desc id=\"%s-desc\">", chart->id);
	weir_escape_html(out, chart->description);
	weir_text_puts(out, "</desc>\n");
}

void weir_chart_end(struct weir_text *out)
{
	weir_text_puts(out, "</svg></div>\n");
}

void weir_card_end(struct weir_text *out)
{
	weir_text_puts(out, "</section>\n");
}

void weir_chart_mark(const char *element, struct weir_text *title, struct weir_text *out)
{
	weir_text_puts(out, "><title>");
	weir_flush_html(out, title);
	weir_text_printf(out, "</title></%s>\n", element);
}

void weir_chart_table_begin(const char *headings, struct weir_text *out)
{
	weir_text_puts(out, "<details class=\"figures\"><summary>Figures</summary>\n"
	                    "<div class=\"scroll\"><table>\n<thead><tr>");
	for (bool first = true; *headings; first = false) {
		size_t length = strcspn(headings, "|");

		weir_text_puts(out, first ? "<th>" : "<th class=\"right\">");
		weir_text_add(out, headings, length);
		weir_text_puts(out, "</th>");
		headings += length + (headings[length] == '|');
	}
	weir_text_puts(out, "</tr></thead>\n<tbody>\n");
}

void weir_chart_table_end(struct weir_text *out)
{
	weir_text_puts(out, "</tbody>\n</table></div></details>\n");
}

void weir_chart_cell(struct weir_text *plain, bool first, struct weir_text *out)
{
	weir_text_puts(out, first ? "<td>" : "<td class=\"right\">");
	weir_flush_html(out, plain);
	weir_text_puts(out, "</td>");
}

/* ---- axes ---- */

double weir_axis_place(const struct weir_axis *axis, double value)
{
	double place = axis->log ? log(value / axis->low) / log(axis->high / axis->low)
	                         : (value - axis->low) / (axis->high - axis->low);

	return place >= 0 ? fmin(place, 1) : 0;
}

/* Returns the largest of 1, 2 and 5 times a power of ten that is at most `value`. */
static double round_down(double value)
{
	double power = pow(10, floor(log10(value)));
	double times = value / power * (1 + 1e-9);

	return power * (times >= 5 ? 5 : times >= 2 ? 2 : 1);
}

static size_t linear_ticks(const struct weir_axis *axis, size_t wanted,
                           double ticks[WEIR_MAX_TICKS])
{
	double step = round_down((axis->high - axis->low) / (double)wanted * 1.5);
	double first = ceil(axis->low / step - 1e-9);
	size_t count = 0;

	for (; count < WEIR_MAX_TICKS; count++) {
		double at = (first + (double)count) * step;

		if (at > axis->high + step * 1e-9)
			break;
		ticks[count] = at;
	}
	return count;
}

/* Lists powers of ten, or every n-th of them; on an axis of few decades, 2 and 5 times as well. */
static size_t log_ticks(const struct weir_axis *axis, size_t wanted, double ticks[WEIR_MAX_TICKS])
{
	static const double dense[] = {1, 2, 5};
	int from = (int)floor(log10(axis->low) + 1e-9);
	int to = (int)ceil(log10(axis->high) - 1e-9);
	double decades = log10(axis->high / axis->low);
	size_t per_decade = decades * 3 <= (double)wanted ? 3 : 1, count = 0;
	int step = (int)fmax(1, ceil((to - from) / (double)wanted));

	for (int power = from; power <= to; power += step)
		for (size_t i = 0; i < per_decade && count < WEIR_MAX_TICKS; i++) {
			double at = pow(10, power) * dense[i];

			if (at >= axis->low * (1 - 1e-9) && at <= axis->high * (1 + 1e-9))
				ticks[count++] = at;
		}
	return count;
}

size_t weir_axis_ticks(const struct weir_axis *axis, size_t wanted, double ticks[WEIR_MAX_TICKS])
{
	return axis->log ? log_ticks(axis, wanted, ticks) : linear_ticks(axis, wanted, ticks);
}

/* Appends a text without the zeros that end its decimals: "2.50 ms" as "2.5 ms". */
static void add_trimmed(struct weir_text *out, const struct weir_text *text)
{
	const char *point = strchr(text->data, '.');
	size_t length = point ? strcspn(text->data, " ") : 0, kept = length;

	while (point && kept > 0 && text->data[kept - 1] == '0')
		kept--;
	if (point && kept > 0 && text->data[kept - 1] == '.')
		kept--;
	weir_text_add(out, text->data, kept);
	weir_text_puts(out, text->data + length);
}

void weir_label_duration(double value, struct weir_text *out)
{
	struct weir_text text = {0};

	if (value == 0) {
		weir_text_puts(out, "0");
		return;
	}
	weir_text_duration(&text, value);
	add_trimmed(out, &text);
	weir_text_release(&text);
}

void weir_label_number(double value, struct weir_text *out)
{
	static const char *const units[] = {"", "k", "M", "G", "T", "P"};
	struct weir_text text = {0};
	size_t unit = 0;

	while (fabs(value) >= 1000 * (1 - 1e-9) && unit + 1 < sizeof units / sizeof *units) {
		value /= 1000;
		unit++;
	}
	weir_text_printf(&text, "%.*f", fabs(value) < 0.01 && value != 0 ? 9 : 2, value);
	add_trimmed(out, &text);
	weir_text_puts(out, units[unit]);
	weir_text_release(&text);
}

void weir_label_figure(double value, struct weir_text *out)
{
	int digits = value > 0 && isfinite(value) ? 2 - (int)floor(log10(value)) : 0;

	weir_text_printf(out, "%.*f", digits < 0 ? 0 : digits > 12 ? 12 : digits, value);
}

static const char *anchor(double place)
{
	return place < 0.02 ? " class=\"from\"" : "";
}

void weir_chart_x_axis(const struct weir_axis *axis, size_t wanted, double height,
                       weir_tick_label *label, struct weir_text *out)
{
	double ticks[WEIR_MAX_TICKS];
	size_t count = weir_axis_ticks(axis, wanted, ticks);

	weir_text_puts(out, "<g class=\"axis x\">");
	for (size_t i = 0; i < count; i++) {
		double place = weir_axis_place(axis, ticks[i]);
		struct weir_text text = {0};

		label(ticks[i], &text);
		weir_text_printf(out,
		                 "<line x1=\"%.2f%%\" x2=\"%.2f%%\" y1=\"0\" y2=\"%.0f\"></line>"
		                 "<g%s><text x=\"%.2f%%\" y=\"%.0f\"%s>",
		                 place * 100, place * 100, height,
		                 count > 4 && i % 2 == 1 ? " class=\"second\"" : "", place * 100,
		                 height + 15, anchor(place));
		weir_flush_html(out, &text);
		weir_text_puts(out, "</text></g>");
		weir_text_release(&text);
	}
	weir_text_puts(out, "</g>\n");
}

void weir_chart_y_axis(const struct weir_axis *axis, size_t wanted, double height,
                       weir_tick_label *label, struct weir_text *out)
{
	double ticks[WEIR_MAX_TICKS];
	size_t count = weir_axis_ticks(axis, wanted, ticks);

	weir_text_puts(out, "<g class=\"axis y\">");
	for (size_t i = 0; i < count; i++) {
		double y = height * (1 - weir_axis_place(axis, ticks[i]));
		struct weir_text text = {0};

		label(ticks[i], &text);
		weir_text_printf(out,
		                 "<line x1=\"0\" x2=\"100%%\" y1=\"%.1f\" y2=\"%.1f\"></line>"
		                 "<text x=\"-8\" y=\"%.1f\">",
		                 y, y, y + 4);
		weir_flush_html(out, &text);
		weir_text_puts(out, "</text>");
		weir_text_release(&text);
	}
	weir_text_puts(out, "</g>\n");
}
