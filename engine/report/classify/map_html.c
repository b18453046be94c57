/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The path of requests as three stacked bars, one a percentile, each as wide as the page: the eye
 * compares where the time of usual and of slow requests goes. Wide parts carry their names, all of
 * them a title; the table below says the same in figures.
 */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/map.h"
#include "engine/report/words/phrases.h"

#define NAME_COLUMNS   40
#define SMALLEST_DRAWN 1e-3   /* share */
#define CHARACTER      0.0085 /* of a bar's width, about */
#define PADDING        0.012  /* the same: blank beside a text */

static bool is_wide_enough(const struct weir_text *text, double part)
{
	return (double)weir_text_columns(text->data) * CHARACTER + PADDING <= part;
}

/* The stage's name and its share, either alone, or nothing: what its part has room for. */
static void write_inside(const struct weir_text *name, const struct weir_text *share, double part,
                         struct weir_text *out)
{
	struct weir_text both = {0};

	weir_text_printf(&both, "%s %s", name->data, share->data);
	if (is_wide_enough(&both, part)) {
		weir_escape_html(out, name->data);
		weir_text_printf(out, " <b>%s</b>", share->data);
	} else if (is_wide_enough(name, part)) {
		weir_escape_html(out, name->data);
	} else if (is_wide_enough(share, part)) {
		weir_text_printf(out, "<b>%s</b>", share->data);
	}
	weir_text_release(&both);
}

/* total: what all shares there add up to. */
static void write_part(const struct weir_report *report, const struct weir_stage_row *stage,
                       enum weir_map_place place, double total, struct weir_text *out)
{
	const char *bound = weir_attribution_label(stage->verdict.bound);
	double share = weir_map_share(stage, place);
	double part = share / total;
	struct weir_text name = {0}, cut = {0}, figure = {0};

	weir_escape_name(&name, stage->name);
	weir_cut(&cut, name.data, NAME_COLUMNS);
	weir_text_share(&figure, weir_as_stored_share(share));
	weir_text_printf(out, "<div class=\"%s\" style=\"flex-grow:%.2f\" title=\"", bound,
	                 part * 100);
	weir_escape_html(out, name.data);
	weir_text_printf(out, ": %s of ", figure.data);
	weir_map_label(report, place, out);
	weir_text_printf(out, ", %s\">", bound);
	write_inside(&cut, &figure, part, out);
	weir_text_puts(out, "</div>");
	weir_text_release(&name);
	weir_text_release(&cut);
	weir_text_release(&figure);
}

static void write_bar(const struct weir_report *report, enum weir_map_place place,
                      struct weir_text *out)
{
	double latency_ns = weir_map_quantile(report, &report->requests.latency, place);
	double total = weir_map_total(report, place);

	weir_text_puts(out, "<div class=\"path\"><div class=\"at\"><b>");
	weir_map_label(report, place, out);
	weir_text_puts(out, "</b> ");
	if (!isnan(latency_ns))
		weir_text_duration(out, weir_as_stored_ns(latency_ns));
	weir_text_puts(out, "</div><div class=\"parts\">");
	for (size_t i = 0; i < report->stage_count; i++) {
		if (weir_map_holds(report, i) &&
		    weir_map_share(&report->stages[i], place) >= SMALLEST_DRAWN)
			write_part(report, &report->stages[i], place, total, out);
	}
	weir_text_puts(out, "</div></div>\n");
}

/* The bounds that any stage of the map has, in their usual order. */
static void write_legend(const struct weir_report *report, struct weir_text *out)
{
	bool seen[WEIR_BOUND_COUNT] = {false};

	for (size_t i = 0; i < report->stage_count; i++)
		if (weir_map_holds(report, i))
			seen[report->stages[i].verdict.bound] = true;
	weir_text_puts(out, "<p class=\"legend\">");
	for (int bound = 0; bound < WEIR_BOUND_COUNT; bound++) {
		const char *label = weir_attribution_label((enum weir_bound)bound);

		if (seen[bound])
			weir_text_printf(
				out, "<span class=\"%s\"><span class=\"swatch\"></span>%s</span> ",
				label, label);
	}
	weir_text_puts(out, "</p>\n");
}

void weir_map_write_html(const struct weir_report *report, struct weir_text *out)
{
	if (!(weir_map_total(report, WEIR_MAP_ASKED) > 0))
		return;
	weir_text_puts(out, "<div class=\"map\" aria-hidden=\"true\">\n");
	for (int place = 0; place < WEIR_MAP_PLACES; place++) {
		if (weir_map_has_place(report, (enum weir_map_place)place) &&
		    weir_map_total(report, (enum weir_map_place)place) > 0)
			write_bar(report, (enum weir_map_place)place, out);
	}
	write_legend(report, out);
	weir_text_puts(out, "</div>\n");
}
