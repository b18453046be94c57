/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A gate's result as an HTML page: the answer, the rows with drawings of their intervals, the
 * bounds, the environment, details. Rows without a finding are folded. Without the style sheet it
 * consists of plain headings, lists and tables.
 */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/gate/gate_pictures.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/page.h"
#include "engine/report/writer.h"

#define MOST_ROWS     500 /* rows of an outcome; more are slow to render */
#define MOST_FINDINGS 50
#define LISTED        20 /* items of a line below the tables */
#define ARROW         " -> "
#define DRAWN         "change" /* the drawing follows this column */

/* ---- the answer ---- */

/* Appends a plain text, escaped, and clears it. The arrow between two figures becomes one
 * character, so that no line breaks inside it. */
static void flush_with_arrows(struct weir_text *plain, struct weir_text *out)
{
	char *at = plain->data, *arrow;

	while (at && (arrow = strstr(at, ARROW))) {
		*arrow = '\0';
		weir_escape_html(out, at);
		weir_text_puts(out, " → ");
		at = arrow + strlen(ARROW);
	}
	weir_escape_html(out, at ? at : "");
	weir_text_clear(plain);
}

static void write_head(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text title = {0};

	weir_text_printf(&title, "%s: ", weir_gate_answer(result));
	weir_gate_phrase_headline(result, &title);
	weir_page_open(&title, out);
	weir_text_release(&title);
}

/* Writes what to do next. The waivers that accept a regression are folded below it. */
static void write_next(const struct weir_gate_result *result, struct weir_text *out)
{
	bool red = result->verdict == WEIR_GATE_REGRESSION;
	struct weir_text plain = {0};
	const char *label = weir_gate_phrase_next(result, &plain);

	if (label) {
		weir_text_printf(out,
		                 red ? "<details class=\"card\"><summary>%c%s: "
		                     : "<p class=\"next card\"><b>%c%s:</b> ",
		                 label[0] - 'a' + 'A', label + 1);
		weir_flush_html(out, &plain);
		weir_text_puts(out, red ? "</summary>\n<pre>" : "</p>\n");
		if (red)
			weir_gate_print_acceptance(result, WEIR_GATE_LONG_SCOPE, &plain);
		weir_flush_html(out, &plain);
		weir_text_puts(out, red ? "</pre>\n</details>\n" : "");
	}
	weir_text_release(&plain);
}

static void write_verdict(const struct weir_gate_result *result, struct weir_text *out)
{
	const char *answer = weir_gate_answer(result);
	const char *verdict = weir_gate_is_undecided(result)
	                              ? weir_gate_verdict_name(WEIR_GATE_INCONCLUSIVE)
	                              : answer;
	struct weir_items items = {.count = 0};
	struct weir_text plain = {0};

	weir_text_printf(out, "<header class=\"verdict %s\">\n<h1><span class=\"name\">%s</span>: ",
	                 verdict, answer);
	weir_gate_phrase_headline(result, &plain);
	flush_with_arrows(&plain, out);
	weir_text_puts(out, "</h1>\n<p class=\"context\">");
	weir_gate_items_context(result, &items);
	weir_page_items(&items, false, out);
	weir_text_puts(out, "</p>\n</header>\n");
	write_next(result, out);
	weir_text_release(&plain);
}

/* ---- the drawing of a row ---- */

/* In pixels. */
#define DRAWN_MARGINS 4    /* on either side of no change; an arrow marks larger changes */
#define MARGIN        20.0 /* width of one margin */
#define EDGE          9.0  /* width of an arrow beyond the last margin */
#define CENTRE        (EDGE + DRAWN_MARGINS * MARGIN)
#define WIDTH         (2 * CENTRE)
#define HEIGHT        18.0
#define MIDDLE        (HEIGHT / 2)
#define ARROW_HALF    5.5 /* half its height */
#define DOT           3.2

/* Returns the x of a change; larger changes are placed at the last margin. */
static double place(const struct weir_row *row, double share)
{
	double margins = share / row->margin;

	margins = fmax(-DRAWN_MARGINS, fmin(DRAWN_MARGINS, margins));
	return CENTRE + margins * MARGIN;
}

static bool is_beyond(const struct weir_row *row, double share)
{
	return fabs(share / row->margin) > DRAWN_MARGINS;
}

static void draw_arrow(double side, struct weir_text *out)
{
	double base = CENTRE + side * (CENTRE - EDGE), tip = CENTRE + side * (CENTRE - 0.5);

	weir_text_printf(out, "<path d=\"M%.1f %.1fL%.1f %.1fL%.1f %.1fZ\"></path>", base,
	                 MIDDLE - ARROW_HALF, tip, MIDDLE, base, MIDDLE + ARROW_HALF);
}

static void draw_interval(const struct weir_row *row, struct weir_text *out)
{
	double low = fmin(row->low, row->high), high = fmax(row->low, row->high);

	if (!isfinite(row->low) || !isfinite(row->high))
		return;
	weir_text_printf(out,
	                 "<line class=\"range\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\">"
	                 "</line>",
	                 place(row, low), MIDDLE, place(row, high), MIDDLE);
	if (low < 0 && is_beyond(row, low))
		draw_arrow(-1, out);
	if (high > 0 && is_beyond(row, high))
		draw_arrow(1, out);
}

static void draw_change(const struct weir_row *row, struct weir_text *out)
{
	if (is_beyond(row, row->change))
		draw_arrow(row->change < 0 ? -1 : 1, out);
	else
		weir_text_printf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\"></circle>",
		                 place(row, row->change), MIDDLE, DOT);
}

static void draw_row(const struct weir_row *row, struct weir_text *out)
{
	if (!isfinite(row->change) || !isfinite(row->margin) || row->margin <= 0)
		return;
	weir_text_printf(out,
	                 "<svg width=\"%.0f\" height=\"%.0f\" aria-hidden=\"true\">"
	                 "<rect x=\"%.1f\" width=\"%.1f\" height=\"%.0f\"></rect>"
	                 "<line x1=\"%.1f\" y1=\"0\" x2=\"%.1f\" y2=\"%.0f\"></line>",
	                 WIDTH, HEIGHT, CENTRE - MARGIN, 2 * MARGIN, HEIGHT, CENTRE, CENTRE,
	                 HEIGHT);
	draw_interval(row, out);
	draw_change(row, out);
	weir_text_puts(out, "</svg>");
}

/* ---- the rows ---- */

/* Rows of one outcome without a finding. Missing and new rows have no values and are listed below.
 */
struct group {
	enum weir_outcome outcome;
	const char *title;
	bool folded;
};

static const struct group groups[] = {
	{WEIR_OUTCOME_IMPROVEMENT, "improved", false},
	{WEIR_OUTCOME_MOVED, "moved within a stage", false},
	{WEIR_OUTCOME_INCONCLUSIVE, "inconclusive", true},
	{WEIR_OUTCOME_INFORMATIONAL, "not judged", true},
	{WEIR_OUTCOME_NO_CHANGE, "unchanged", true},
};

#define GROUPS (sizeof(groups) / sizeof(groups[0]))

static size_t count_rows(const struct weir_gate_result *result, enum weir_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++)
		count += result->rows[i].outcome == outcome;
	return count;
}

static size_t count_group_rows(const struct weir_gate_result *result, bool folded)
{
	size_t count = 0;

	for (size_t i = 0; i < GROUPS; i++)
		count += groups[i].folded == folded ? count_rows(result, groups[i].outcome) : 0;
	return count;
}

static void write_below(struct weir_text *plain, struct weir_text *out)
{
	weir_text_puts(out, "<div class=\"note\">");
	weir_flush_html(out, plain);
	weir_text_puts(out, "</div>");
}

static void write_subject(const struct weir_row *row, struct weir_text *plain,
                          struct weir_text *out)
{
	weir_page_name(plain, out);
	if (row->note) {
		weir_gate_print_text(row->note, plain);
		write_below(plain, out);
	}
	if (row->waiver) {
		weir_text_puts(plain, "waiver: ");
		weir_gate_print_waiver(row->waiver, plain);
		write_below(plain, out);
	}
}

static void write_row(const struct weir_row *row, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(out, "<tr>");
	for (const struct weir_gate_column *column = weir_gate_columns; column->id; column++) {
		weir_text_printf(out, "<td class=\"cell-%s%s\">", column->id,
		                 column->align == WEIR_ALIGN_RIGHT ? " right" : "");
		weir_gate_say(row, column->template, &plain);
		if (column == weir_gate_columns)
			write_subject(row, &plain, out);
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</td>");
		if (!strcmp(column->id, DRAWN)) {
			weir_text_puts(out, "<td class=\"cell-drawing\">");
			draw_row(row, out);
			weir_text_puts(out, "</td>");
		}
	}
	weir_text_puts(out, "</tr>\n");
	weir_text_release(&plain);
}

static size_t write_headers(struct weir_text *out)
{
	size_t count = 1;

	weir_text_puts(out, "<div class=\"scroll\"><table class=\"rows\">\n<thead><tr>");
	for (const struct weir_gate_column *column = weir_gate_columns; column->id; column++) {
		weir_text_printf(out, "<th class=\"cell-%s%s\">%s</th>", column->id,
		                 column->align == WEIR_ALIGN_RIGHT ? " right" : "", column->header);
		if (!strcmp(column->id, DRAWN))
			weir_text_puts(out, "<th class=\"cell-drawing\">against the margin</th>");
		count++;
	}
	weir_text_puts(out, "</tr></thead>\n");
	return count;
}

static void write_group(const struct weir_gate_result *result, const struct group *group,
                        size_t columns, struct weir_text *out)
{
	size_t all = count_rows(result, group->outcome), written = 0;

	if (!all)
		return;
	weir_text_printf(out,
	                 "<tbody class=\"%s\">\n<tr class=\"group\"><th colspan=\"%zu\"><span "
	                 "class=\"swatch\"></span>%s <span class=\"soft\">",
	                 weir_outcome_name(group->outcome), columns, group->title);
	weir_items_number(out, all, "row");
	weir_text_puts(out, "</span></th></tr>\n");
	for (size_t i = 0; i < result->row_count && written < MOST_ROWS; i++) {
		if (result->rows[i].outcome != group->outcome)
			continue;
		write_row(&result->rows[i], out);
		written++;
	}
	if (written < all)
		weir_text_printf(out,
		                 "<tr><td colspan=\"%zu\">... %zu more, in the JSON</td></tr>\n",
		                 columns, all - written);
	weir_text_puts(out, "</tbody>\n");
}

static void write_groups(const struct weir_gate_result *result, bool folded, struct weir_text *out)
{
	size_t columns = write_headers(out);

	for (size_t i = 0; i < GROUPS; i++) {
		if (groups[i].folded == folded)
			write_group(result, &groups[i], columns, out);
	}
	weir_text_puts(out, "</table></div>\n");
}

/* Writes one finding: its sentence, the row to quote, and the other rows folded. */
static void write_finding(const struct weir_gate_result *result,
                          const struct weir_gate_finding *finding, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_gate_phrase_finding(result, finding, &plain);
	weir_text_printf(out, "<h3 class=\"%s\">", weir_outcome_name(finding->outcome));
	weir_text_printf(out,
	                 "<span class=\"swatch\"></span>%s: ", weir_outcome_name(finding->outcome));
	flush_with_arrows(&plain, out);
	weir_text_puts(out, "</h3>\n");
	write_headers(out);
	weir_text_printf(out, "<tbody class=\"%s\">\n", weir_outcome_name(finding->outcome));
	write_row(weir_gate_lead(result, finding), out);
	weir_text_puts(out, "</tbody>\n</table></div>\n");
	if (finding->row_count > 1) {
		weir_text_printf(out, "<details><summary>%zu more %s</summary>\n",
		                 finding->row_count - 1, finding->row_count > 2 ? "rows" : "row");
		write_headers(out);
		weir_text_printf(out, "<tbody class=\"%s\">\n",
		                 weir_outcome_name(finding->outcome));
		for (size_t i = 1; i < finding->row_count && i < MOST_ROWS; i++)
			write_row(&result->rows[finding->rows[i]], out);
		weir_text_puts(out, "</tbody>\n</table></div>\n</details>\n");
	}
	weir_text_release(&plain);
}

static void write_findings(const struct weir_gate_result *result, struct weir_text *out)
{
	size_t shown =
		result->finding_count < MOST_FINDINGS ? result->finding_count : MOST_FINDINGS;

	for (size_t i = 0; i < shown; i++)
		write_finding(result, &result->findings[i], out);
	if (result->finding_count > shown)
		weir_text_printf(out, "<p>... %zu more findings, in the JSON</p>\n",
		                 result->finding_count - shown);
}

/* Writes the number of rows of the folded groups, each row once. */
static void write_folded_counts(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_gate_tally tally[GROUPS];
	size_t count = 0;

	for (size_t i = 0; i < GROUPS; i++)
		if (groups[i].folded)
			tally[count++] = (struct weir_gate_tally){
				count_rows(result, groups[i].outcome), groups[i].title};
	weir_text_puts(out, "Other rows: ");
	weir_gate_phrase_tally(tally, count, out);
}

static void write_rows(const struct weir_gate_result *result, struct weir_text *out)
{
	size_t open = count_group_rows(result, false), folded = count_group_rows(result, true);

	if (open || result->finding_count) {
		weir_text_puts(out, "<section class=\"card\">\n<h2>What changed</h2>\n");
		write_findings(result, out);
		if (open)
			write_groups(result, false, out);
		weir_text_puts(out, "</section>\n");
	}
	if (folded) {
		weir_text_printf(out, "<details class=\"card\"%s><summary>",
		                 open || result->finding_count ? "" : " open");
		write_folded_counts(result, out);
		weir_text_puts(out, "</summary>\n");
		write_groups(result, true, out);
		weir_text_puts(out, "</details>\n");
	}
	if (open || folded || result->finding_count)
		weir_text_printf(out,
		                 "<p class=\"legend soft\">Scaled to the margin of each row: "
		                 "the band is the margin, the line the 90 %% interval, the dot the "
		                 "change; an arrow marks more than %d margins.</p>\n",
		                 DRAWN_MARGINS);
}

/* ---- bounds of both sides ---- */

static void write_bound(const char *side, bool known, enum weir_bound bound, const char *cause,
                        struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_printf(out, "<dt>%s</dt><dd>", side);
	if (known)
		weir_text_printf(out, "<b class=\"name %s\">%s</b>", weir_bound_name(bound),
		                 weir_bound_name(bound));
	else
		weir_text_puts(out, "not known");
	if (known && cause) {
		weir_gate_print_name(cause, &plain);
		weir_text_puts(out, " <span class=\"soft\">(");
		weir_flush_html(out, &plain);
		weir_text_puts(out, ")</span>");
	}
	weir_text_puts(out, "</dd>\n");
	weir_text_release(&plain);
}

static void write_bounds(const struct weir_gate_result *result, struct weir_text *out)
{
	bool both = result->has_baseline_bound && result->has_candidate_bound;
	struct weir_text plain = {0};

	if (!result->has_baseline_bound && !result->has_candidate_bound)
		return;
	weir_text_puts(out, "<section class=\"card\">\n<h2>What bounds ");
	if (result->bound_stage)
		weir_gate_print_name(result->bound_stage, &plain);
	else
		weir_text_puts(&plain, "it");
	weir_flush_html(out, &plain);
	if (both)
		weir_text_printf(out, " <span class=\"soft\">%s</span>",
		                 result->baseline_bound == result->candidate_bound ? "as before"
		                                                                   : "changed");
	weir_text_puts(out, "</h2>\n<dl>\n");
	write_bound("baseline", result->has_baseline_bound, result->baseline_bound,
	            result->baseline_cause, out);
	write_bound("candidate", result->has_candidate_bound, result->candidate_bound,
	            result->candidate_cause, out);
	weir_text_puts(out, "</dl>\n</section>\n");
	weir_text_release(&plain);
}

/* ---- environments ---- */

static void write_value(const char *value, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(out, "<td>");
	weir_escape_name(&plain, value);
	weir_page_name(&plain, out);
	weir_text_puts(out, "</td>");
	weir_text_release(&plain);
}

static void write_differences(const struct weir_gate_result *result, struct weir_text *out)
{
	weir_text_puts(
		out,
		"<div class=\"scroll\"><table class=\"differences\">\n<thead><tr><th>differs</th>"
		"<th>baseline</th><th>candidate</th><th></th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < result->difference_count && i < MOST_ROWS; i++) {
		const struct weir_difference *difference = &result->differences[i];
		bool must = difference->policy == WEIR_ENVIRONMENT_MUST;

		weir_text_printf(out, "<tr class=\"%s\">", must ? "regression" : "suspect");
		write_value(difference->key, out);
		write_value(difference->baseline, out);
		write_value(difference->candidate, out);
		weir_text_printf(out, "<td class=\"name\">%s</td></tr>\n",
		                 must ? "must match" : "may matter");
	}
	weir_text_puts(out, "</tbody>\n</table></div>\n");
}

static bool both_have(const struct weir_gate_result *result, const struct weir_gate_label *label)
{
	for (size_t i = 0; label->key && label->value && i < result->baseline.label_count; i++) {
		const struct weir_gate_label *other = &result->baseline.labels[i];

		if (other->key && other->value && !strcmp(other->key, label->key))
			return !strcmp(other->value, label->value);
	}
	return false;
}

static void write_equal(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text plain = {0};
	size_t count = 0;

	for (size_t i = 0; i < result->candidate.label_count && count < LISTED; i++) {
		const struct weir_gate_label *label = &result->candidate.labels[i];

		if (!both_have(result, label))
			continue;
		weir_text_puts(out, count++ ? ""
		                            : "<p class=\"soft\">the same in both</p>\n<ul "
		                              "class=\"clauses\">\n");
		weir_gate_print_name(label->key, &plain);
		weir_text_puts(&plain, " ");
		weir_gate_print_name(label->value, &plain);
		weir_text_puts(out, "<li>");
		weir_flush_html(out, &plain);
		weir_text_puts(out, "</li>\n");
	}
	weir_text_puts(out, count ? "</ul>\n" : "");
	weir_text_release(&plain);
}

static void write_environment(const struct weir_gate_result *result, struct weir_text *out)
{
	if (!result->difference_count && !result->candidate.label_count)
		return;
	weir_text_puts(out, "<section class=\"card\">\n<h2>Where it was measured</h2>\n");
	if (result->difference_count)
		write_differences(result, out);
	write_equal(result, out);
	weir_text_puts(out, "</section>\n");
}

/* ---- details ---- */

static void write_section(const struct weir_gate_result *result,
                          const struct weir_gate_section *section, struct weir_text *out)
{
	struct weir_items items = {.count = 0};

	weir_gate_section_fill(section, result, LISTED, &items);
	if (!items.count)
		return;
	weir_text_printf(out, "<dt>%s</dt><dd>", section->label);
	weir_page_items(&items, true, out);
	weir_text_puts(out, "</dd>\n");
}

static void write_sections(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text body = {0};

	for (const struct weir_gate_section *section = weir_gate_sections; section->id; section++) {
		if (!section->tabled)
			write_section(result, section, &body);
	}
	if (body.length)
		weir_text_printf(out,
		                 "<section class=\"card\">\n<h2>Details</h2>\n<dl>\n%s</dl>\n"
		                 "</section>\n",
		                 body.data);
	weir_text_release(&body);
}

static void write_footer(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_puts(out, "<footer>weir " WEIR_VERSION " · reproduce: <code>");
	weir_gate_phrase_command(result, &plain);
	weir_flush_html(out, &plain);
	weir_text_puts(out, "</code>");
	weir_page_close(out);
	weir_text_release(&plain);
}

static weir_draw_gate *const pictures[] = {weir_draw_runs, weir_draw_curves, weir_draw_waterfall,
                                           weir_draw_flame, weir_draw_gate_history};

void weir_write_gate_html(const struct weir_gate_result *result,
                          const struct weir_write_options *options, struct weir_text *out)
{
	(void)options; /* a page has no width and shows all rows */
	write_head(result, out);
	write_verdict(result, out);
	write_rows(result, out);
	for (size_t i = 0; i < WEIR_COUNT_OF(pictures); i++)
		pictures[i](result, out);
	write_bounds(result, out);
	write_environment(result, out);
	write_sections(result, out);
	write_footer(result, out);
}
