/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as an HTML page. Without the style sheet it consists of plain headings, lists and
 * tables. */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"
#include "engine/report/tables/tables.h"
#include "engine/report/words/advice_lines.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/map.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

#define SMALLEST_DRAWN 1e-3   /* smaller shares are not drawn */
#define CHARACTER      0.0085 /* width of a character over the width of a bar, about */
#define PADDING        0.012  /* blank space beside a text, over the width of a bar */

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

/* ---- the bottleneck map: a stacked bar for each percentile, to compare usual and slow requests
 * ---- */

static bool is_wide_enough(const struct weir_text *text, double part)
{
	return (double)weir_text_columns(text->data) * CHARACTER + PADDING <= part;
}

/* Writes the name of the stage and its share, one of the two, or nothing, depending on the width.
 */
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

/* Writes one part of a bar; `total` is the sum of all shares at the percentile. */
static void write_part(const struct weir_report *report, const struct weir_stage_row *stage,
                       enum weir_map_place place, double total, struct weir_text *out)
{
	const char *bound = weir_attribution_label(stage->verdict.bound);
	double share = weir_map_share(stage, place);
	double part = share / total;
	struct weir_text name = {0}, cut = {0}, figure = {0};

	weir_escape_name(&name, stage->name);
	weir_cut(&cut, name.data, WEIR_NAME_COLUMNS);
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

static void write_path_bar(const struct weir_report *report, enum weir_map_place place,
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

/* Lists the bounds of the map's stages, in the order of the enum. */
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

static void write_map(const struct weir_report *report, struct weir_text *out)
{
	if (!(weir_map_total(report, WEIR_MAP_ASKED) > 0))
		return;
	weir_text_puts(out, "<div class=\"map\" aria-hidden=\"true\">\n");
	for (int place = 0; place < WEIR_MAP_PLACES; place++) {
		if (weir_map_has_place(report, (enum weir_map_place)place) &&
		    weir_map_total(report, (enum weir_map_place)place) > 0)
			write_path_bar(report, (enum weir_map_place)place, out);
	}
	write_legend(report, out);
	weir_text_puts(out, "</div>\n");
}

/* ---- tables ---- */

/* Returns true if there are samples to draw; a stored report has none. */
static bool has_samples(const struct weir_report *report)
{
	for (size_t i = 0; i < report->stage_count; i++) {
		if (report->stages[i].duration_ns)
			return true;
	}
	return false;
}

/* A table and its columns in HTML. */
struct page_table {
	const struct weir_table *table;
	const struct weir_report *report;
	const struct weir_column *columns[WEIR_MAX_COLUMNS];
	size_t count;
};

static bool is_shown(const struct weir_table *table, const struct weir_column *column,
                     const struct weir_report *report, const struct weir_rows *rows)
{
	if (!(column->in & WEIR_IN_HTML) || (column->flags & WEIR_CELL_BELOW))
		return false;
	if ((column->flags & WEIR_CELL_SKETCH) && !has_samples(report))
		return false;
	return weir_column_has_content(table, column, report, rows);
}

static void choose_columns(struct page_table *page, const struct weir_rows *rows)
{
	page->count = 0;
	for (const struct weir_column *column = page->table->columns; column->id; column++) {
		if (is_shown(page->table, column, page->report, rows))
			page->columns[page->count++] = column;
	}
}

static void write_headers(const struct page_table *page, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(out, "<thead><tr>");
	for (size_t i = 0; i < page->count; i++) {
		const struct weir_column *column = page->columns[i];

		weir_text_printf(out, "<th class=\"cell-%s%s\"", column->id,
		                 column->align == WEIR_ALIGN_RIGHT ? " right" : "");
		if (column->meaning)
			weir_text_printf(out, " title=\"%s\"", column->meaning);
		weir_text_puts(out, ">");
		weir_column_heading(column, page->report, &plain);
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</th>");
	}
	weir_text_puts(out, "</tr></thead>\n<tbody>\n");
	weir_text_release(&plain);
}

static void write_sketch(const struct weir_stage_row *stage, struct weir_text *out)
{
	unsigned level[WEIR_SKETCH_BINS];

	if (!weir_sketch(stage, level))
		return;
	weir_text_puts(out, "<div class=\"sketch\" aria-hidden=\"true\">");
	for (size_t i = 0; i < WEIR_SKETCH_BINS; i++)
		weir_text_printf(out, "<div style=\"height:%.1f%%\"></div>", level[i] * 12.5);
	weir_text_puts(out, "</div>");
}

/* Writes the columns that stand below the name in its cell. */
static void write_below(const struct weir_table *table, const struct weir_report *report,
                        size_t row, struct weir_text *out)
{
	struct weir_text plain = {0};

	for (const struct weir_column *column = table->columns; column->id; column++) {
		if (!(column->flags & WEIR_CELL_BELOW))
			continue;
		weir_column_print(table, column, report, row, &plain);
		if (!plain.length)
			continue;
		weir_text_puts(out, "<div class=\"below\" title=\"");
		weir_escape_html(out, plain.data);
		weir_text_puts(out, "\">");
		weir_page_name(&plain, out);
		weir_text_puts(out, "</div>");
	}
	weir_text_release(&plain);
}

static void write_cell(const struct weir_table *table, const struct weir_column *column,
                       const struct weir_report *report, size_t row, struct weir_text *out)
{
	struct weir_text plain = {0};
	enum weir_bound bound;

	weir_column_print(table, column, report, row, &plain);
	if (column->flags & WEIR_CELL_SKETCH)
		write_sketch(&report->stages[row], out);
	else if (column->flags & WEIR_CELL_NAME)
		weir_page_name(&plain, out);
	else if ((column->flags & WEIR_CELL_BOUND) && weir_bound_parse(plain.data, &bound))
		weir_text_printf(out, "<span class=\"%s\">%s</span>", plain.data, plain.data);
	else
		weir_flush_html(out, &plain);
	weir_text_release(&plain);
}

static void write_row(const struct page_table *page, size_t row, struct weir_text *out)
{
	weir_text_puts(out, "<tr>");
	for (size_t i = 0; i < page->count; i++) {
		const struct weir_column *column = page->columns[i];

		weir_text_printf(out, "<td class=\"cell-%s%s\">", column->id,
		                 column->align == WEIR_ALIGN_RIGHT ? " right" : "");
		write_cell(page->table, column, page->report, row, out);
		if (i == 0)
			write_below(page->table, page->report, row, out);
		weir_text_puts(out, "</td>");
	}
	weir_text_puts(out, "</tr>\n");
}

static void write_title(const struct weir_table *table, const struct weir_report *report,
                        struct weir_text *out)
{
	struct weir_text title = {0};

	weir_table_heading(table, report, &title);
	weir_text_printf(out, "<section class=\"card\">\n<h2>%c%s%s</h2>\n",
	                 title.data[0] - 'a' + 'A', title.data + 1,
	                 table == &weir_table_map
	                         ? " <span class=\"soft\">from arrival to response</span>"
	                         : "");
	weir_text_release(&title);
}

static void write_table(const struct weir_table *table, const struct weir_report *report,
                        size_t top, struct weir_text *out)
{
	struct page_table page = {.table = table, .report = report};
	struct weir_rows rows;
	size_t all = weir_rows_choose(table, report, top, &rows);

	if (rows.count) {
		choose_columns(&page, &rows);
		write_title(table, report, out);
		if (table == &weir_table_map)
			write_map(report, out);
		weir_text_puts(out, "<div class=\"scroll\"><table>\n");
		write_headers(&page, out);
		for (size_t i = 0; i < rows.count; i++)
			write_row(&page, rows.at[i], out);
		weir_text_puts(out, "</tbody>\n</table></div>\n");
		if (rows.count < all)
			weir_text_printf(out, "<p class=\"more\">... %zu more (--top %zu)</p>\n",
			                 all - rows.count, all);
		weir_text_puts(out, "</section>\n");
	}
	weir_rows_release(&rows);
}

static void write_recommendation(const struct weir_report *report, size_t index,
                                 struct weir_text *out)
{
	const struct weir_recommendation *recommendation = &report->recommendations[index];
	struct weir_advice_lines lines;
	struct weir_text plain = {0};

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
	weir_advice_lines_fill(recommendation, WEIR_MAX_PLACES, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		weir_text_puts(out, "<br>");
		if (lines.items[i].label[0])
			weir_text_printf(out, "<span class=\"soft\">%s</span> ",
			                 lines.items[i].label);
		weir_flush_html(out, &lines.items[i].text);
	}
	weir_advice_lines_release(&lines);
	weir_text_puts(out, "</li>\n");
	weir_text_release(&plain);
}

static void write_recommendations(const struct weir_report *report, struct weir_text *out)
{
	if (!report->recommendation_count)
		return;
	weir_text_puts(out, "<section class=\"card\">\n<h2>What to do</h2>\n<ol>\n");
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

void weir_write_report_html(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	write_head(report, out);
	write_verdict(report, out);
	write_evidence(report, out);
	write_attribution(report, out);
	for (size_t i = 0; weir_tables[i]; i++)
		write_table(weir_tables[i], report,
		            options && options->top ? options->top : WEIR_WRITE_TOP, out);
	write_recommendations(report, out);
	write_facts(report, out);
	write_inputs(report, out);
}
