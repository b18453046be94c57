/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gate's result as a comment on a change: the answer, what was compared, failing rows and their
 * explanation; the rest is folded. The comment fits a budget of bytes: folded parts are shortened
 * first, then rows, never the answer.
 */
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

#define NAME_COLUMNS  72
#define COMMIT_DIGITS 10
#define SENTENCES     5 /* findings with a sentence */

/* The amount of detail. */
struct plan {
	size_t rows;   /* rows of a table */
	size_t behind; /* items of an open section */
	size_t folded; /* items of a folded section; 0: no folded sections */
	bool context;  /* false: only the answer */
};

static const struct plan plans[] = {
	{10, 8, 20, true}, {10, 8, 8, true}, {10, 8, 3, true}, {10, 8, 0, true}, {10, 3, 0, true},
	{5, 3, 0, true},   {2, 1, 0, true},  {0, 0, 0, true},  {0, 0, 0, false},
};

#define PLANS (sizeof(plans) / sizeof(plans[0]))

static enum weir_outcome decisive(const struct weir_gate_result *result)
{
	return result->verdict == WEIR_GATE_SUSPECT ? WEIR_OUTCOME_SUSPECT
	                                            : WEIR_OUTCOME_REGRESSION;
}

static void flush_bold(struct weir_text *plain, struct weir_text *out)
{
	weir_text_puts(out, "\n**");
	weir_flush_markdown(out, plain);
	weir_text_puts(out, "**\n");
}

/* Writes the sentences of the findings behind the headline, `most` in all. */
static void write_findings(const struct weir_gate_result *result, size_t most,
                           struct weir_text *out)
{
	struct weir_text plain = {0};
	size_t count = 0;

	for (size_t i = 0; i < result->finding_count; i++) {
		if (result->findings[i].outcome != decisive(result) || count++ == 0 || count > most)
			continue;
		weir_gate_phrase_finding(result, &result->findings[i], &plain);
		flush_bold(&plain, out);
	}
	if (count > most && most > 0)
		weir_text_printf(out, "\nand %zu more findings\n", count - most);
	weir_text_release(&plain);
}

static void write_answer(const struct weir_gate_result *result, const struct plan *plan,
                         struct weir_text *out)
{
	const struct weir_gate_counts *counts = &result->counts;
	size_t findings = weir_gate_count_findings(result, decisive(result));
	bool red = result->verdict == WEIR_GATE_REGRESSION;
	struct weir_text plain = {0};

	weir_text_printf(&plain, "weir: %s", weir_gate_answer(result));
	if (findings && (red || result->verdict == WEIR_GATE_SUSPECT)) {
		weir_text_puts(&plain, ", ");
		weir_items_number(&plain, findings, "finding");
		weir_text_puts(&plain, " in ");
		weir_items_number(&plain, counts->judged, "row");
	}
	weir_text_puts(out, "### ");
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "\n");
	weir_gate_phrase_headline(result, &plain);
	flush_bold(&plain, out);
	if (red || result->verdict == WEIR_GATE_SUSPECT)
		write_findings(result, plan->rows < SENTENCES ? plan->rows : SENTENCES, out);
	weir_text_release(&plain);
}

static void write_joined(const struct weir_gate_result *result,
                         void (*fill)(const struct weir_gate_result *, struct weir_items *),
                         struct weir_text *out)
{
	struct weir_items items = {.count = 0};

	fill(result, &items);
	for (size_t i = 0; i < items.count; i++) {
		size_t start = out->length + 1;

		weir_text_puts(out, i ? " · " : "\n");
		weir_flush_markdown(out, &items.item[i]);
		if (!i && out->data[start] >= 'a' && out->data[start] <= 'z')
			out->data[start] = (char)(out->data[start] - 'a' + 'A');
	}
	weir_text_puts(out, items.count ? "\n" : "");
	weir_items_release(&items);
}

/* ---- tables ---- */

static void write_headers(struct weir_text *out)
{
	const struct weir_gate_column *column;

	for (column = weir_gate_columns; column->id; column++)
		weir_text_printf(out, "| %s ", column->header);
	weir_text_puts(out, "| also |\n");
	for (column = weir_gate_columns; column->id; column++)
		weir_text_puts(out, column->align == WEIR_ALIGN_RIGHT ? "|--:" : "|---");
	weir_text_puts(out, "|---|\n");
}

static void write_name(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text plain = {0}, cut = {0};

	weir_gate_print_subject(row, &plain);
	weir_cut(&cut, plain.data, NAME_COLUMNS);
	weir_text_puts(out, "| <code>");
	weir_flush_markdown(out, &cut);
	weir_text_puts(out, "</code> ");
	weir_text_release(&plain);
	weir_text_release(&cut);
}

/* Writes the line of a scope: its first row in the finding, and the changes of its other metrics.
 */
static void write_scope(const struct weir_gate_result *result,
                        const struct weir_gate_finding *finding, const struct weir_row *row,
                        struct weir_text *out)
{
	struct weir_text plain = {0};

	write_name(row, out);
	for (const struct weir_gate_column *column = weir_gate_columns + 1; column->id; column++) {
		weir_text_puts(out, "| ");
		weir_gate_say(row, column->template, &plain);
		weir_flush_markdown(out, &plain);
		weir_text_puts(out, " ");
	}
	weir_text_puts(out, "| ");
	weir_gate_print_metrics(result, finding, row, &plain);
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, " |\n");
	weir_text_release(&plain);
}

/* Writes the scopes of the findings with an outcome. */
static void write_table(const struct weir_gate_result *result, enum weir_outcome outcome,
                        const char *title, size_t rows, struct weir_text *out)
{
	size_t total = 0;

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct weir_gate_finding *finding = &result->findings[i];

		for (size_t j = 0; finding->outcome == outcome && j < finding->row_count; j++) {
			if (!weir_gate_is_first_of_scope(result, finding, j))
				continue;
			if (!total && rows) {
				weir_text_printf(out, "\n%s", title);
				write_headers(out);
			}
			if (total++ < rows)
				write_scope(result, finding, &result->rows[finding->rows[j]], out);
		}
	}
	if (total > rows)
		weir_text_printf(out, "\nand %zu more %s\n", total - rows,
		                 outcome == WEIR_OUTCOME_REGRESSION ? "that regressed"
		                                                    : "suspected");
}

/* ---- sections ---- */

static void write_section(const struct weir_gate_result *result,
                          const struct weir_gate_section *section, size_t limit,
                          struct weir_text *out)
{
	struct weir_items items = {.count = 0};

	weir_gate_section_fill(section, result, limit, &items);
	if (items.count) {
		weir_text_printf(out, "\n**%c%s**%s", section->label[0] - 'a' + 'A',
		                 section->label + 1, items.count > 1 ? "\n\n" : ": ");
		for (size_t i = 0; i < items.count; i++) {
			weir_text_puts(out, items.count > 1 ? "- " : "");
			weir_flush_markdown(out, &items.item[i]);
			weir_text_puts(out, "\n");
		}
	}
	weir_items_release(&items);
}

static void write_sections(const struct weir_gate_result *result, enum weir_gate_place place,
                           size_t limit, struct weir_text *out)
{
	for (const struct weir_gate_section *section = weir_gate_sections; section->id; section++) {
		if (section->place == place && limit)
			write_section(result, section, limit, out);
	}
}

/* Writes the summary of the folded part: "1 waived, 3 inconclusive, 5 improved". */
static void write_summary(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_counts *counts = &result->counts;
	const struct weir_gate_tally tally[] = {
		{counts->waived, "waived"},         {counts->inconclusive, "inconclusive"},
		{counts->improvements, "improved"}, {counts->no_change, "unchanged"},
		{counts->missing, "missing"},       {counts->added, "new"},
	};
	bool any;

	weir_text_puts(out, "\n<details><summary>");
	any = weir_gate_phrase_tally(tally, WEIR_COUNT_OF(tally), out);
	weir_text_puts(out, any ? "</summary>\n" : "Details</summary>\n");
}

static void write_folded(const struct weir_gate_result *result, size_t limit, struct weir_text *out)
{
	struct weir_text body = {0};

	write_sections(result, WEIR_GATE_FOLDED, limit, &body);
	if (body.length) {
		write_summary(result, out);
		weir_text_puts(out, body.data);
		weir_text_puts(out, "\n</details>\n");
	}
	weir_text_release(&body);
}

/* ---- the end ---- */

static bool is_plain_in_link(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("-._~:/?#&=+,;%", c));
}

/* Writes a link to a web address; characters that could end it are written as %XX. */
static void write_link(const char *title, const char *link, struct weir_text *out)
{
	if (!link || (strncmp(link, "https://", 8) != 0 && strncmp(link, "http://", 7) != 0))
		return;
	weir_text_printf(out, " · [%s](", title);
	for (; *link; link++) {
		if (is_plain_in_link(*link))
			weir_text_add(out, link, 1);
		else
			weir_text_printf(out, "%%%02X", (unsigned)(unsigned char)*link);
	}
	weir_text_puts(out, ")");
}

/* Writes the commit that was measured, the job and the page, as far as they are known. */
static void write_origin(const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_text plain = {0};

	if (!options)
		return;
	if (options->commit) {
		size_t length = strlen(options->commit);

		weir_text_add(&plain, options->commit,
		              length < COMMIT_DIGITS ? length : COMMIT_DIGITS);
		weir_text_puts(out, " · commit <code>");
		weir_flush_markdown(out, &plain);
		weir_text_puts(out, "</code>");
	}
	write_link("job", options->link, out);
	write_link("page", options->page, out);
	weir_text_release(&plain);
}

static void write_acceptance(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_gate_print_acceptance(result, WEIR_GATE_LONG_SCOPE, &plain);
	if (plain.length)
		weir_text_printf(out, "\n<pre>%s</pre>\n", plain.data);
	weir_text_release(&plain);
}

static void write_end(const struct weir_gate_result *result, const struct plan *plan,
                      const struct weir_write_options *options, struct weir_text *out)
{
	struct weir_text plain = {0};
	const char *label = weir_gate_phrase_next(result, &plain);
	bool red = result->verdict == WEIR_GATE_REGRESSION;

	if (label && (!red || plan->folded)) {
		weir_text_printf(out, red ? "\n<details><summary>%c%s</summary>\n\n" : "\n%c%s: ",
		                 label[0] - 'a' + 'A', label + 1);
		weir_flush_markdown(out, &plain);
		weir_text_puts(out, "\n");
		if (red)
			write_acceptance(result, out);
		weir_text_puts(out, red ? "\n</details>\n" : "");
	}
	weir_text_clear(&plain);
	weir_gate_phrase_command(result, &plain);
	weir_text_puts(out, "\nReproduce: <code>");
	weir_flush_markdown(out, &plain);
	weir_text_puts(out, "</code>");
	weir_text_puts(out, plan->folded ? "" : " (shortened: the details did not fit)");
	write_origin(options, out);
	weir_text_puts(out, "\n");
	weir_text_release(&plain);
}

static void write_planned(const struct weir_gate_result *result, const struct plan *plan,
                          const struct weir_write_options *options, struct weir_text *out)
{
	write_answer(result, plan, out);
	if (!plan->context)
		return;
	write_joined(result, weir_gate_items_context, out);
	write_table(result, WEIR_OUTCOME_REGRESSION, "", plan->rows, out);
	write_table(result, WEIR_OUTCOME_SUSPECT, "Suspected, not proven:\n\n", plan->rows, out);
	write_joined(result, weir_gate_items_bound, out);
	write_sections(result, WEIR_GATE_OPEN, plan->behind, out);
	if (plan->folded)
		write_folded(result, plan->folded, out);
	write_sections(result, WEIR_GATE_LAST, plan->behind, out);
	write_end(result, plan, options, out);
}

void weir_write_gate_markdown(const struct weir_gate_result *result,
                              const struct weir_write_options *options, struct weir_text *out)
{
	size_t budget = options && options->budget ? options->budget : WEIR_WRITE_BUDGET;
	struct weir_text text = {0};

	for (size_t i = 0; i < PLANS; i++) {
		weir_text_clear(&text);
		write_planned(result, &plans[i], options, &text);
		if (text.length <= budget)
			break;
	}
	weir_text_add(out, text.data, text.length);
	weir_text_release(&text);
}
