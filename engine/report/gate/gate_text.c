/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A gate's result for a terminal or a log: the answer, what was compared, failing and suspected
 * rows, their explanation, and the next command. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/plain/layout.h"
#include "engine/report/tables/grid.h"
#include "engine/report/writer.h"

#define DEFAULT_WIDTH  80
#define MIN_WIDTH      60
#define MAX_WIDTH      120
#define LABEL_WIDTH    18 /* columns of the labels below the table */
#define MOST_ROWS      20 /* rows of the table without --all */
#define LISTED         5  /* items of a list without --all */
#define COLUMNS        9
#define WAIVER_COLUMNS 16 /* of the line that holds the scope of a waiver */

/* clang-format off */
#define FIGURE(i, h, how) \
	{ .id = (i), .header = (h), .align = WEIR_ALIGN_RIGHT, .in = WEIR_IN_TEXT, .flags = (how) }
#define WORD(i, h, how) { .id = (i), .header = (h), .in = WEIR_IN_TEXT, .flags = (how) }

static const struct weir_column columns[COLUMNS + 1] = {
	WORD("row", "", WEIR_CELL_NAME),
	WORD("metric", "metric", 0),
	FIGURE("baseline", "baseline", WEIR_CELL_SPARE_LAST),
	FIGURE("candidate", "candidate", WEIR_CELL_SPARE_LAST),
	FIGURE("change", "change", 0),
	WORD("interval", "90 % interval", WEIR_CELL_SPARE_LAST),
	FIGURE("margin", "margin", WEIR_CELL_SPARE),
	FIGURE("p", "adj. p", WEIR_CELL_SPARE),
	WORD("mark", "", 0),
	{ .id = NULL },
};
/* clang-format on */

static struct weir_layout make_layout(const struct weir_write_options *options,
                                      struct weir_text *out)
{
	size_t width = options && options->width ? options->width : DEFAULT_WIDTH;

	width = width < MIN_WIDTH ? MIN_WIDTH : width > MAX_WIDTH ? MAX_WIDTH : width;
	return (struct weir_layout){
		.out = out, .width = width, .colour = options && options->colour};
}

/* Writes "WORD: SENTENCE", of which the word is strong. */
static void write_answer(const struct weir_layout *layout, const char *word, const char *sentence)
{
	struct weir_text text = {0};
	struct weir_wrap wrap;

	weir_text_printf(&text, "%s:", word);
	weir_layout_styled(layout, WEIR_STYLE_STRONG, text.data);
	weir_wrap_resume(&wrap, layout, weir_text_columns(text.data), 2);
	wrap.started = true;
	weir_wrap_words(&wrap, sentence);
	weir_wrap_end(&wrap);
	weir_text_release(&text);
}

/* Writes a line for each other finding of the outcome that decided, at most LISTED without --all.
 */
static void write_findings(const struct weir_gate_result *result, const struct weir_layout *layout,
                           bool all)
{
	enum weir_outcome outcome = result->verdict == WEIR_GATE_SUSPECT ? WEIR_OUTCOME_SUSPECT
	                                                                 : WEIR_OUTCOME_REGRESSION;
	size_t count = 0, most = all ? MOST_ROWS : LISTED;

	if (result->verdict != WEIR_GATE_SUSPECT && result->verdict != WEIR_GATE_REGRESSION)
		return;
	for (size_t i = 0; i < result->finding_count; i++) {
		struct weir_text text = {0};

		if (result->findings[i].outcome != outcome || count++ == 0 || count > most)
			continue;
		weir_gate_phrase_finding(result, &result->findings[i], &text);
		write_answer(layout, weir_outcome_name(outcome), text.data);
		weir_text_release(&text);
	}
	if (count > most)
		weir_text_printf(layout->out, "  ... %zu more findings%s\n", count - most,
		                 all ? "" : " (--all)");
}

static void write_headline(const struct weir_gate_result *result, const struct weir_layout *layout,
                           bool all)
{
	struct weir_text text = {0};

	weir_gate_phrase_headline(result, &text);
	write_answer(layout, weir_gate_answer(result), text.data);
	write_findings(result, layout, all);
	weir_text_puts(layout->out, "\n");
	weir_text_release(&text);
}

static void write_items(const struct weir_gate_result *result, const struct weir_layout *layout,
                        void (*fill)(const struct weir_gate_result *, struct weir_items *))
{
	struct weir_items items = {.count = 0};
	struct weir_wrap wrap;

	fill(result, &items);
	if (!items.count)
		return;
	weir_wrap_begin(&wrap, layout, "", 2);
	for (size_t i = 0; i < items.count; i++)
		weir_wrap_item(&wrap, items.item[i].data ? items.item[i].data : "");
	weir_wrap_end(&wrap);
	weir_items_release(&items);
}

/* ---- the table ---- */

static bool is_failing(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_REGRESSION || row->outcome == WEIR_OUTCOME_SUSPECT;
}

/* Returns true if the table shows the row. Missing and new rows have no values and are listed
 * below. */
static bool is_shown(const struct weir_row *row, bool all)
{
	return all ? row->outcome != WEIR_OUTCOME_MISSING && row->outcome != WEIR_OUTCOME_NEW
	           : is_failing(row);
}

/* "x" fails the gate and "?" may; the others are shown with --all only. */
static const char *const marks[WEIR_OUTCOME_COUNT] = {
	[WEIR_OUTCOME_REGRESSION] = "x",   [WEIR_OUTCOME_IMPROVEMENT] = "better",
	[WEIR_OUTCOME_NO_CHANGE] = "same", [WEIR_OUTCOME_INCONCLUSIVE] = "unsure",
	[WEIR_OUTCOME_SUSPECT] = "?",      [WEIR_OUTCOME_INFORMATIONAL] = "info",
	[WEIR_OUTCOME_MISSING] = "gone",   [WEIR_OUTCOME_NEW] = "new",
	[WEIR_OUTCOME_MOVED] = "moved",    [WEIR_OUTCOME_WAIVED] = "waived",
};

static void print_cells(const struct weir_row *row, struct weir_text *cell)
{
	static const char *const templates[COLUMNS - 1] = {
		"{subject}", "{metric}", "{baseline}", "{candidate}",
		"{change}",  "{range}",  "{margin}",   "{p}",
	};

	for (size_t i = 0; i < COLUMNS - 1; i++)
		weir_gate_say(row, templates[i], &cell[i]);
	weir_text_puts(&cell[COLUMNS - 1], marks[row->outcome]);
}

/* Collects at most `most` rows of the table: those of findings by finding, then the others. */
static size_t choose_rows(const struct weir_gate_result *result, bool all, size_t most,
                          const struct weir_row **chosen)
{
	size_t count = 0;

	for (size_t i = 0; i < result->finding_count; i++)
		for (size_t j = 0; j < result->findings[i].row_count && count < most; j++)
			if (is_shown(&result->rows[result->findings[i].rows[j]], all))
				chosen[count++] = &result->rows[result->findings[i].rows[j]];
	for (size_t i = 0; i < result->row_count && count < most; i++)
		if (!result->rows[i].finding && is_shown(&result->rows[i], all))
			chosen[count++] = &result->rows[i];
	return count;
}

static void write_table(const struct weir_gate_result *result, const struct weir_layout *layout,
                        bool all)
{
	const struct weir_row **chosen;
	struct weir_text *cells;
	size_t total = 0, rows;

	for (size_t i = 0; i < result->row_count; i++)
		total += is_shown(&result->rows[i], all);
	if (!total)
		return;
	rows = all || total < MOST_ROWS ? total : MOST_ROWS;
	chosen = weir_alloc(rows * sizeof(const struct weir_row *));
	rows = choose_rows(result, all, rows, chosen);
	cells = weir_alloc(rows * COLUMNS * sizeof(*cells));
	for (size_t i = 0; i < rows; i++)
		print_cells(chosen[i], &cells[COLUMNS * i]);
	weir_grid_write_cells(layout, "", columns, cells, rows);
	if (rows < total)
		weir_text_printf(layout->out, "  ... %zu more rows like these (--all)\n",
		                 total - rows);
	for (size_t i = 0; i < rows * COLUMNS; i++)
		weir_text_release(&cells[i]);
	free(cells);
	free(chosen);
}

static void write_counts(const struct weir_gate_result *result, const struct weir_layout *layout,
                         bool all)
{
	bool first = !weir_gate_first(result, WEIR_OUTCOME_REGRESSION) &&
	             !weir_gate_first(result, WEIR_OUTCOME_SUSPECT);
	struct weir_text text = {0};
	struct weir_wrap wrap;

	weir_gate_phrase_counts(result, &text);
	if (text.length) {
		weir_wrap_begin(&wrap, layout, first || all ? "  " : "  ... ",
		                first || all ? 2 : 6);
		if (!all)
			weir_text_puts(&text, " (--all)");
		weir_wrap_words(&wrap, text.data);
		weir_wrap_end(&wrap);
	}
	weir_text_release(&text);
}

/* ---- below the table ---- */

static void begin_labelled(struct weir_wrap *wrap, const struct weir_layout *layout,
                           const char *label)
{
	weir_layout_title(layout, label, LABEL_WIDTH);
	weir_wrap_resume(wrap, layout, LABEL_WIDTH, LABEL_WIDTH);
}

static void write_section(const struct weir_gate_result *result, const struct weir_layout *layout,
                          const struct weir_gate_section *section, size_t limit)
{
	struct weir_items items = {.count = 0};
	struct weir_wrap wrap;

	weir_gate_section_fill(section, result, limit, &items);
	if (!items.count)
		return;
	begin_labelled(&wrap, layout, section->label);
	for (size_t i = 0; i < items.count; i++) {
		weir_wrap_break(&wrap);
		weir_wrap_words(&wrap, items.item[i].data ? items.item[i].data : "");
	}
	weir_wrap_end(&wrap);
	weir_items_release(&items);
}

/* Writes the waivers of an advice with their line breaks: the text is to be copied. */
static void write_acceptance(const struct weir_gate_result *result,
                             const struct weir_layout *layout)
{
	struct weir_text text = {0};

	weir_gate_print_acceptance(result, layout->width - WAIVER_COLUMNS, &text);
	if (text.length)
		weir_text_printf(layout->out, "%s\n", text.data);
	weir_text_release(&text);
}

static void write_next(const struct weir_gate_result *result, const struct weir_layout *layout)
{
	struct weir_text text = {0};
	const char *label = weir_gate_phrase_next(result, &text);
	struct weir_wrap wrap;

	if (label) {
		begin_labelled(&wrap, layout, label);
		weir_wrap_words(&wrap, text.data);
		weir_wrap_end(&wrap);
	}
	if (result->verdict == WEIR_GATE_REGRESSION)
		write_acceptance(result, layout);
	weir_text_release(&text);
}

void weir_write_gate_text(const struct weir_gate_result *result,
                          const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_layout layout = make_layout(options, out);
	bool all = options && options->all;

	write_headline(result, &layout, all);
	write_items(result, &layout, weir_gate_items_context);
	write_items(result, &layout, weir_gate_items_bound);
	weir_text_puts(out, "\n");
	write_table(result, &layout, all);
	write_counts(result, &layout, all);
	for (const struct weir_gate_section *section = weir_gate_sections; section->id; section++)
		write_section(result, &layout, section, all ? WEIR_GATE_MAX_LIMIT : LISTED);
	write_next(result, &layout);
}

void weir_gate_last_line(const struct weir_gate_result *result, struct weir_text *out)
{
	weir_text_printf(out, "weir: verdict=%s exit=%d regressions=%" PRIu64 " judged=%" PRIu64,
	                 weir_gate_verdict_name(result->verdict), result->exit_code,
	                 result->counts.regressions, result->counts.judged);
}
