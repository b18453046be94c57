/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as an HTML page. Without the style sheet it consists of plain headings, lists and
 * tables. */
#include <math.h>
#include <string.h>

#include "engine/report/classify/html_table.h"
#include "engine/report/drawing/chart.h"
#include "engine/report/drawing/pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"
#include "engine/report/tables/tables.h"
#include "engine/report/words/advice_lines.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

static void write_head(const struct weir_report *report, struct weir_text *out)
{
	struct weir_text title = {0};

	weir_phrase_bound(report, &title);
	weir_text_puts(&title, ": ");
	weir_phrase_headline(report, &title);
	weir_page_open(&title, out);
	weir_text_release(&title);
}

static void write_verdict(const struct weir_report *report, struct weir_text *out)
{
	struct weir_items items = {.count = 0};
	struct weir_text plain = {0};

	weir_text_printf(out, "<header class=\"verdict %s\">\n<h1><span class=\"name\">",
	                 weir_bound_name(report->verdict.bound));
	weir_phrase_bound(report, &plain);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</span>: ");
	weir_phrase_headline(report, &plain);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</h1>\n<p class=\"context\">");
	weir_items_context(report, &items);
	weir_page_items(&items, false, out);
	weir_text_puts(out, "</p>\n</header>\n");
	weir_text_release(&plain);
}

/* Adds a value, with " · " between two. A value with a label stands in <code>. */
static void add_ground(struct weir_text *out, size_t *count, const char *label, const char *value)
{
	if (!value || !*value)
		return;
	weir_text_puts(out, (*count)++ ? " · " : "");
	if (label)
		weir_text_printf(out, "%s <code>", label);
	weir_escape_html(out, value);
	weir_text_puts(out, label ? "</code>" : "");
}

static void write_grounds(const struct weir_report *report, struct weir_text *out)
{
	struct weir_text certainty = {0};
	size_t count = 0;

	weir_phrase_certainty(report, &certainty);
	weir_text_puts(out, "<p class=\"soft\">");
	add_ground(out, &count, "cause", report->verdict.cause);
	add_ground(out, &count, "rule", report->verdict.rule);
	add_ground(out, &count, NULL, certainty.data);
	weir_text_puts(out, "</p>\n");
	weir_text_release(&certainty);
}

static void write_evidence(const struct weir_report *report, struct weir_text *out)
{
	struct weir_items items = {.count = 0};
	struct weir_text plain = {0};

	weir_text_printf(out, "<section class=\"card\">\n<h2>%s</h2>\n",
	                 report->verdict.rule ? "Why" : "Missing evidence");
	write_grounds(report, out);
	weir_items_evidence(report, &items);
	weir_text_puts(out, items.count ? "<ul class=\"clauses\">\n" : "");
	for (size_t i = 0; i < items.count; i++) {
		weir_text_puts(out, "<li>");
		weir_flush_html(out, &items.item[i]);
		weir_text_puts(out, "</li>\n");
	}
	weir_text_puts(out, items.count ? "</ul>\n" : "");
	weir_phrase_next(report, &plain);
	if (plain.length) {
		weir_text_puts(out, "<p class=\"next\"><b>Next:</b> ");
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</p>\n");
	}
	weir_text_puts(out, "</section>\n");
	weir_items_release(&items);
	weir_text_release(&plain);
}

/* Draws one bar of all shares. It is hidden from screen readers, since the table below has the same
 * figures. */
static void write_stack(const struct weir_attribution *attribution, const enum weir_bound *order,
                        size_t count, struct weir_text *out)
{
	weir_text_puts(out, "<div class=\"stack\" aria-hidden=\"true\">");
	for (size_t i = 0; i < count; i++) {
		weir_text_printf(out,
		                 "<div class=\"%s\" style=\"width:%.2f%%\" title=\"%s\"></div>",
		                 weir_attribution_label(order[i]),
		                 weir_attribution_share(attribution, order[i]) * 100,
		                 weir_attribution_label(order[i]));
	}
	weir_text_puts(out, "</div>\n");
}

static void write_attribution(const struct weir_report *report, struct weir_text *out)
{
	enum weir_bound order[WEIR_BOUND_COUNT];
	size_t count = weir_attribution_order(&report->attribution, order);

	if (!count)
		return;
	weir_text_puts(out, "<section class=\"card\">\n<h2>Where the time goes "
	                    "<span class=\"soft\">");
	weir_phrase_share_of(report, out);
	weir_text_puts(out, "</span></h2>\n");
	write_stack(&report->attribution, order, count, out);
	weir_text_puts(out, "<table class=\"shares\">\n");
	for (size_t i = 0; i < count; i++) {
		double share = weir_attribution_share(&report->attribution, order[i]);
		const char *label = weir_attribution_label(order[i]);

		weir_text_printf(out,
		                 "<tr class=\"%s\"><td><span "
		                 "class=\"swatch\"></span>%s</td><td><div class=\"track\">"
		                 "<div class=\"bar\" style=\"width:%.2f%%\"></div></div></td><td "
		                 "class=\"right\">",
		                 label, label, share * 100);
		weir_text_share(out, share);
		weir_text_puts(out, "</td></tr>\n");
	}
	weir_text_puts(out, "</table>\n</section>\n");
}

/* ---- advice and facts ---- */

static void write_recommendation(const struct weir_report *report, size_t index,
                                 struct weir_text *out)
{
	const struct weir_recommendation *recommendation = &report->recommendations[index];
	struct weir_advice_lines lines;
	struct weir_text plain = {0};
	size_t length;
	bool drawn;

	weir_text_puts(out, "<li><b>");
	weir_escape_plain(&plain, recommendation->title ? recommendation->title : "");
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</b>");
	weir_phrase_speedup(report, recommendation, &plain);
	if (plain.length) {
		weir_text_puts(out, ": <span class=\"gain\">");
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</span>");
	}
	length = out->length;
	weir_draw_saving(report, index, out);
	drawn = out->length > length;
	weir_advice_lines_fill(recommendation, WEIR_MAX_PLACES, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		weir_text_puts(out, i || !drawn ? "<br>" : "");
		if (lines.items[i].label[0])
			weir_text_printf(out, "<span class=\"soft\">%s</span> ",
			                 lines.items[i].label);
		weir_flush_html(out, &lines.items[i].text);
	}
	weir_advice_lines_release(&lines);
	weir_text_puts(out, "</li>\n");
	weir_text_release(&plain);
}

static bool has_savings(const struct weir_report *report)
{
	for (size_t i = 0; i < report->recommendation_count; i++)
		if (report->recommendations[i].saving_step_ns > 0)
			return true;
	return false;
}

static void write_recommendations(const struct weir_report *report, struct weir_text *out)
{
	bool drawn;

	if (!report->recommendation_count)
		return;
	drawn = has_savings(report);
	weir_text_printf(out, "<section class=\"card%s\" id=\"advice\">\n<h2>What to do</h2>\n",
	                 drawn ? " picture" : "");
	if (drawn)
		weir_chart_aid("The upper bar is the step today, the lower bar the step that the "
		               "change promises, and the thin line its range.",
		               out);
	weir_text_puts(out, "<ol>\n");
	for (size_t i = 0; i < report->recommendation_count; i++)
		write_recommendation(report, i, out);
	weir_text_puts(out, "</ol>\n</section>\n");
}

static void write_fact_line(const struct weir_report *report, const struct weir_fact_line *line,
                            struct weir_text *out)
{
	struct weir_items items = {.count = 0};

	line->fill(report, &items);
	if (!items.count && !line->none)
		return;
	weir_text_printf(out, "<dt>%s</dt><dd>", line->label);
	weir_text_puts(out, items.count ? "" : line->none);
	weir_page_items(&items, line->one_a_line, out);
	weir_text_puts(out, "</dd>\n");
}

static void write_facts(const struct weir_report *report, struct weir_text *out)
{
	weir_text_printf(out, "<section class=\"card\">\n<h2>%s</h2>\n<dl>\n",
	                 weir_facts_title(report));
	for (const struct weir_fact_line *line = weir_fact_lines; line->id; line++)
		write_fact_line(report, line, out);
	weir_text_puts(out, "</dl>\n</section>\n");
}

static void write_inputs(const struct weir_report *report, struct weir_text *out)
{
	size_t count = report->profile ? report->profile->input_count : 0;

	weir_text_puts(out, "<footer>weir " WEIR_VERSION);
	for (size_t i = 0; i < count && i < 16; i++) {
		struct weir_text name = {0};

		weir_escape_name(&name, report->profile->inputs[i].path);
		weir_text_puts(out, i ? ", " : " of ");
		weir_page_name(&name, out);
		weir_text_release(&name);
	}
	if (count > 16)
		weir_text_printf(out, " and %zu more", count - 16);
	weir_page_close(out);
}

static void write_tables(const struct weir_report *report, size_t top, struct weir_text *out)
{
	for (size_t i = 0; weir_tables[i]; i++) {
		if (weir_tables[i] == &weir_table_operators) {
			weir_html_operators(report, top, out);
			weir_draw_roofline(report, out);
			continue;
		}
		weir_html_table(weir_tables[i], report, top,
		                weir_tables[i] == &weir_table_map ? weir_draw_map : NULL, out);
	}
}

static void write_histograms(const struct weir_report *report, struct weir_text *out)
{
	if (!report->pictures || (!report->pictures->kernels && !report->pictures->gaps))
		return;
	weir_text_puts(out, "<div class=\"beside-each-other\">\n");
	weir_draw_kernels(report, out);
	weir_draw_gaps(report, out);
	weir_text_puts(out, "</div>\n");
}

void weir_write_report_html(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	write_head(report, out);
	write_verdict(report, out);
	write_evidence(report, out);
	write_attribution(report, out);
	weir_draw_strip(report, out);
	weir_draw_step_times(report, out);
	write_tables(report, options && options->top ? options->top : WEIR_WRITE_TOP, out);
	weir_draw_rank_map(report, out);
	weir_draw_queue(report, out);
	write_histograms(report, out);
	write_recommendations(report, out);
	write_facts(report, out);
	write_inputs(report, out);
}
