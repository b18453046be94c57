/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The report as a comment on a change: Markdown for GitHub and GitLab. */
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/plain/layout.h"
#include "engine/report/tables/tables.h"
#include "engine/report/words/advice_lines.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/phrases.h"
#include "engine/report/writer.h"

#define NAME_COLUMNS 72
#define BAR_COLUMNS  30

/* Appends a name in <code>, where entities work, but mentions and references do not. */
static void add_code(struct weir_text *out, const char *plain)
{
	struct weir_text cut = {0};

	weir_cut(&cut, plain, NAME_COLUMNS);
	weir_text_puts(out, "<code>");
	weir_flush_markdown(out, &cut);
	weir_text_puts(out, "</code>");
	weir_text_release(&cut);
}

static void write_verdict(const struct weir_report *report, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(out, "## weir: ");
	weir_phrase_bound(report, &plain);
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "\n\n**");
	weir_phrase_headline(report, &plain);
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "**");
	if (report->verdict.cause) {
		weir_text_puts(out, " (");
		add_code(out, report->verdict.cause);
		weir_text_puts(out, ")");
	}
	weir_text_puts(out, "\n\n");
	weir_text_release(&plain);
}

/* Writes items with " · " between two; `indent` begins the lines after the first. */
static void write_joined(struct weir_text *out, struct weir_items *items, const char *indent)
{
	for (size_t i = 0; i < items->count; i++) {
		if (i && items->starts_line[i])
			weir_text_printf(out, "  \n%s", indent);
		else
			weir_text_puts(out, i ? " · " : "");
		weir_flush_markdown(out, &items->item[i]);
	}
	weir_text_puts(out, "\n");
	weir_items_release(items);
}

static void write_context(const struct weir_report *report, struct weir_text *out)
{
	struct weir_items items = {.count = 0};
	struct weir_text plain = {0};

	weir_items_context(report, &items);
	write_joined(out, &items, "");
	weir_phrase_next(report, &plain);
	if (plain.length) {
		weir_text_puts(out, "\n**Next:** ");
		weir_flush_markdown(out, &plain);
		weir_text_puts(out, "\n");
	}
	weir_text_release(&plain);
}

static void write_evidence(const struct weir_report *report, struct weir_text *out)
{
	struct weir_items items = {.count = 0};
	struct weir_text plain = {0};

	weir_phrase_certainty(report, &plain);
	if (!report->verdict.rule && !plain.length)
		return;
	weir_text_puts(out, "\n### Why\n\n");
	if (report->verdict.rule) {
		weir_text_puts(out, "Rule ");
		add_code(out, report->verdict.rule);
		weir_text_puts(out, plain.length ? ", " : "");
	}
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "\n");
	weir_items_evidence(report, &items);
	for (size_t i = 0; i < items.count; i++) {
		weir_text_puts(out, i ? "- " : "\n- ");
		weir_flush_markdown(out, &items.item[i]);
		weir_text_puts(out, "\n");
	}
	weir_items_release(&items);
	weir_text_release(&plain);
}

static void write_attribution(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_layout layout = {.out = out, .width = BAR_COLUMNS};
	enum weir_bound order[WEIR_BOUND_COUNT];
	size_t count = weir_attribution_order(&report->attribution, order);

	if (!count)
		return;
	weir_text_puts(out, "\n### Where the time goes\n\n| bound | ");
	weir_phrase_share_of(report, out);
	weir_text_puts(out, " | |\n|---|--:|---|\n");
	for (size_t i = 0; i < count; i++) {
		double share = weir_attribution_share(&report->attribution, order[i]);

		weir_text_printf(out, "| %s | ", weir_attribution_label(order[i]));
		weir_text_share(out, share);
		weir_text_puts(out, " | ");
		weir_layout_bar(&layout, share, BAR_COLUMNS);
		weir_text_puts(out, " |\n");
	}
}

static bool is_shown(const struct weir_table *table, const struct weir_column *column,
                     const struct weir_report *report, const struct weir_rows *rows)
{
	return (column->in & WEIR_IN_MARKDOWN) &&
	       weir_column_has_content(table, column, report, rows);
}

/* Chooses the columns that are shown. Returns how many there are. */
static size_t choose_columns(const struct weir_table *table, const struct weir_report *report,
                             const struct weir_rows *rows,
                             const struct weir_column *columns[WEIR_MAX_COLUMNS])
{
	size_t count = 0;

	for (const struct weir_column *column = table->columns; column->id; column++) {
		if (is_shown(table, column, report, rows))
			columns[count++] = column;
	}
	return count;
}

static void write_headers(const struct weir_column *const *columns, size_t count,
                          const struct weir_report *report, struct weir_text *out)
{
	struct weir_text plain = {0};

	for (size_t i = 0; i < count; i++) {
		weir_column_heading(columns[i], report, &plain);
		weir_text_puts(out, "| ");
		weir_flush_markdown(out, &plain);
		weir_text_puts(out, " ");
	}
	weir_text_puts(out, "|\n");
	for (size_t i = 0; i < count; i++)
		weir_text_puts(out, columns[i]->align == WEIR_ALIGN_RIGHT ? "|--:" : "|---");
	weir_text_puts(out, "|\n");
	weir_text_release(&plain);
}

static void write_row(const struct weir_table *table, const struct weir_column *const *columns,
                      size_t count, const struct weir_report *report, size_t row,
                      struct weir_text *out)
{
	struct weir_text plain = {0};

	for (size_t i = 0; i < count; i++) {
		weir_column_print(table, columns[i], report, row, &plain);
		weir_text_puts(out, "| ");
		if (columns[i]->flags & WEIR_CELL_NAME)
			add_code(out, plain.data);
		else if (plain.data)
			weir_escape_markdown(out, plain.data);
		weir_text_puts(out, " ");
		weir_text_clear(&plain);
	}
	weir_text_puts(out, "|\n");
	weir_text_release(&plain);
}

static void write_title(const struct weir_table *table, const struct weir_report *report,
                        struct weir_text *out)
{
	struct weir_text title = {0};

	weir_table_heading(table, report, &title);
	weir_text_printf(out, "\n### %c%s\n\n", title.data[0] - 'a' + 'A', title.data + 1);
	weir_text_release(&title);
}

static void write_table(const struct weir_table *table, const struct weir_report *report,
                        size_t top, struct weir_text *out)
{
	const struct weir_column *columns[WEIR_MAX_COLUMNS];
	struct weir_rows rows;
	size_t all = weir_rows_choose(table, report, top, &rows);

	if (rows.count) {
		size_t count = choose_columns(table, report, &rows, columns);

		write_title(table, report, out);
		write_headers(columns, count, report, out);
		for (size_t i = 0; i < rows.count; i++)
			write_row(table, columns, count, report, rows.at[i], out);
	}
	if (rows.count < all)
		weir_text_printf(out, "\n... %zu more (`--top %zu`)\n", all - rows.count, all);
	weir_rows_release(&rows);
}

static void write_recommendation(const struct weir_report *report, size_t index,
                                 struct weir_text *out)
{
	const struct weir_recommendation *recommendation = &report->recommendations[index];
	struct weir_advice_lines lines;
	struct weir_text plain = {0};

	weir_text_printf(out, "%zu. **", index + 1);
	weir_escape_plain(&plain, recommendation->title ? recommendation->title : "");
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "**");
	weir_phrase_speedup(report, recommendation, &plain);
	weir_text_puts(out, plain.length ? ": " : "");
	weir_flush_markdown(out, &plain);
	weir_advice_lines_fill(recommendation, WEIR_MAX_PLACES, &lines);
	for (size_t i = 0; i < lines.count; i++) {
		weir_text_puts(out, "  \n   ");
		if (lines.items[i].label[0])
			weir_text_printf(out, "%s: ", lines.items[i].label);
		weir_flush_markdown(out, &lines.items[i].text);
	}
	weir_advice_lines_release(&lines);
	weir_text_puts(out, "\n");
	weir_text_release(&plain);
}

static void write_recommendations(const struct weir_report *report, struct weir_text *out)
{
	if (!report->recommendation_count)
		return;
	weir_text_puts(out, "\n### What to do\n\n");
	for (size_t i = 0; i < report->recommendation_count; i++)
		write_recommendation(report, i, out);
}

static void write_fact_line(const struct weir_report *report, const struct weir_fact_line *line,
                            struct weir_text *out)
{
	struct weir_items items = {.count = 0};

	line->fill(report, &items);
	if (!items.count && !line->none)
		return;
	weir_text_printf(out, "- **%s**:", line->label);
	if (!items.count) {
		weir_text_printf(out, " %s\n", line->none);
	} else if (!line->one_a_line) {
		weir_text_puts(out, " ");
		write_joined(out, &items, "  ");
	} else {
		weir_text_puts(out, "\n");
		for (size_t i = 0; i < items.count; i++) {
			weir_text_puts(out, "  - ");
			weir_flush_markdown(out, &items.item[i]);
			weir_text_puts(out, "\n");
		}
	}
	weir_items_release(&items);
}

void weir_write_report_markdown(const struct weir_report *report,
                                const struct weir_write_options *options, struct weir_text *out)
{
	write_verdict(report, out);
	write_context(report, out);
	write_evidence(report, out);
	write_attribution(report, out);
	for (size_t i = 0; weir_tables[i]; i++)
		if (!(weir_tables[i]->left_out & WEIR_IN_MARKDOWN))
			write_table(weir_tables[i], report,
			            options && options->top ? options->top : WEIR_WRITE_TOP, out);
	write_recommendations(report, out);
	weir_text_printf(out, "\n<details><summary>%s</summary>\n\n", weir_facts_title(report));
	for (const struct weir_fact_line *line = weir_fact_lines; line->id; line++)
		write_fact_line(report, line, out);
	weir_text_puts(out, "\n</details>\n");
}
