/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/classify/html_table.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"
#include "engine/report/words/map.h"

/* Returns true if there are samples to draw; a stored report has none. */
static bool has_samples(const struct weir_report *report)
{
	for (size_t i = 0; i < report->stage_count; i++) {
		if (report->stages[i].duration_ns)
			return true;
	}
	return false;
}

static bool is_shown(const struct weir_table *table, const struct weir_column *column,
                     const struct weir_report *report, const struct weir_rows *rows)
{
	if (!(column->in & WEIR_IN_HTML) || (column->flags & WEIR_CELL_BELOW))
		return false;
	if ((column->flags & WEIR_CELL_SKETCH) && !has_samples(report))
		return false;
	return weir_column_has_content(table, column, report, rows);
}

void weir_html_columns_choose(struct weir_html_columns *page, const struct weir_rows *rows)
{
	page->count = 0;
	for (const struct weir_column *column = page->table->columns; column->id; column++) {
		if (is_shown(page->table, column, page->report, rows))
			page->columns[page->count++] = column;
	}
}

void weir_html_headers(const struct weir_html_columns *page, struct weir_text *out)
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
	weir_text_puts(out, "</tr></thead>\n");
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

/* Writes the value that a column is sorted by, if it has one. */
static void write_figure(const struct weir_html_columns *page, const struct weir_column *column,
                         size_t row, struct weir_text *out)
{
	double figure = weir_column_figure(page->table, column, page->report, row);

	if (page->folds && isfinite(figure))
		weir_text_printf(out, " data-v=\"%.10g\"", figure);
}

void weir_html_row(const struct weir_html_columns *page, size_t row, struct weir_text *out)
{
	weir_text_puts(out, "<tr>");
	for (size_t i = 0; i < page->count; i++) {
		const struct weir_column *column = page->columns[i];
		bool folds = i == 0 && page->folds && page->folds(page->report, row);

		weir_text_printf(out, "<td class=\"cell-%s%s\"", column->id,
		                 column->align == WEIR_ALIGN_RIGHT ? " right" : "");
		write_figure(page, column, row, out);
		weir_text_puts(out, folds ? "><details><summary>" : ">");
		write_cell(page->table, column, page->report, row, out);
		weir_text_puts(out, folds ? "</summary></details>" : "");
		if (i == 0)
			write_below(page->table, page->report, row, out);
		weir_text_puts(out, "</td>");
	}
	weir_text_puts(out, "</tr>\n");
}

void weir_html_title(const struct weir_table *table, const struct weir_report *report,
                     struct weir_text *out)
{
	bool drawn = table == &weir_table_map && weir_map_total(report, WEIR_MAP_ASKED) > 0;
	struct weir_text title = {0};

	weir_table_heading(table, report, &title);
	weir_text_printf(
		out, "<section class=\"card%s\" id=\"%s\">\n<h2>%c%s%s</h2>\n",
		drawn ? " picture" : "", table->id, title.data[0] - 'a' + 'A', title.data + 1,
		table == &weir_table_map ? " <span class=\"soft\">from arrival to response</span>"
					 : "");
	weir_text_release(&title);
}

void weir_html_table(const struct weir_table *table, const struct weir_report *report, size_t top,
                     weir_html_above *above, struct weir_text *out)
{
	struct weir_html_columns page = {.table = table, .report = report};
	struct weir_rows rows;
	size_t all = weir_rows_choose(table, report, top, &rows);

	if (rows.count) {
		weir_html_columns_choose(&page, &rows);
		weir_html_title(table, report, out);
		if (above)
			above(report, out);
		weir_text_puts(out, "<div class=\"scroll\"><table>\n");
		weir_html_headers(&page, out);
		weir_text_puts(out, "<tbody>\n");
		for (size_t i = 0; i < rows.count; i++)
			weir_html_row(&page, rows.at[i], out);
		weir_text_puts(out, "</tbody>\n</table></div>\n");
		if (rows.count < all)
			weir_text_printf(out, "<p class=\"more\">... %zu more (--top %zu)</p>\n",
			                 all - rows.count, all);
		weir_text_puts(out, "</section>\n");
	}
	weir_rows_release(&rows);
}
