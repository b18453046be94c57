/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JUnit XML for GitLab, Jenkins and Buildkite: one testcase per row. Class and name are the key of
 * the history, so they hold no figures. A verdict that does not come from a row has its own
 * testcase, so that a failed gate never looks green.
 */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/plain/escape.h"
#include "engine/report/writer.h"

#define KEY_COLUMNS 1000 /* columns of a class; longer scopes are cut */

enum mark { MARK_PASSED, MARK_FAILURE, MARK_SKIPPED, MARK_ERROR, MARK_COUNT };

static const char *const tags[] = {
	[MARK_PASSED] = NULL,
	[MARK_FAILURE] = "failure",
	[MARK_SKIPPED] = "skipped",
	[MARK_ERROR] = "error",
};

/* Returns the mark of a row. A missing operator is skipped, since operators change with framework
 * versions; a missing stage or metric is an error, since it could not be judged. */
static enum mark mark_of(const struct weir_row *row)
{
	switch (row->outcome) {
	case WEIR_OUTCOME_REGRESSION:
		return MARK_FAILURE;
	case WEIR_OUTCOME_MISSING:
		return row->kind == WEIR_SCOPE_OPERATOR ? MARK_SKIPPED : MARK_ERROR;
	case WEIR_OUTCOME_INCONCLUSIVE:
	case WEIR_OUTCOME_SUSPECT:
	case WEIR_OUTCOME_INFORMATIONAL:
	case WEIR_OUTCOME_WAIVED:
		return MARK_SKIPPED;
	case WEIR_OUTCOME_IMPROVEMENT:
	case WEIR_OUTCOME_NO_CHANGE:
	case WEIR_OUTCOME_NEW:
	case WEIR_OUTCOME_MOVED:
	case WEIR_OUTCOME_COUNT:
		break;
	}
	return MARK_PASSED;
}

static bool stops_without_row(enum weir_gate_verdict verdict)
{
	return verdict == WEIR_GATE_NO_BASELINE || verdict == WEIR_GATE_ENVIRONMENT ||
	       verdict == WEIR_GATE_COVERAGE;
}

/* Appends a plain text, escaped, and clears it. Plain texts have no control characters, so the
 * result is legal XML 1.0. */
static void flush_escaped(struct weir_text *out, struct weir_text *plain)
{
	if (plain->data)
		weir_escape_html(out, plain->data);
	weir_text_clear(plain);
}

static void write_attribute(struct weir_text *out, const char *name, const char *value)
{
	struct weir_text plain = {0}, cut = {0};

	weir_escape_name(&plain, value);
	weir_cut(&cut, plain.data, KEY_COLUMNS);
	weir_text_printf(out, " %s=\"", name);
	flush_escaped(out, &cut);
	weir_text_puts(out, "\"");
	weir_text_release(&plain);
	weir_text_release(&cut);
}

static void print_message(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_say(row,
	              row->outcome == WEIR_OUTCOME_MISSING
	                      ? "{row} is not in the candidate"
	                      : "{row} {change} ({pair}, margin {margin})",
	              out);
}

static void print_body(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_say(row, "90 % interval {interval}, adjusted p {p}", out);
	if (row->waiver) {
		weir_text_puts(out, "; waiver: ");
		weir_gate_print_waiver(row->waiver, out);
	}
	if (row->note) {
		weir_text_puts(out, "; ");
		weir_gate_print_text(row->note, out);
	}
}

static void write_mark(const struct weir_row *row, enum mark mark, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_text_printf(out, "      <%s message=\"", tags[mark]);
	print_message(row, &plain);
	flush_escaped(out, &plain);
	weir_text_printf(out, "\" type=\"%s\">", weir_outcome_name(row->outcome));
	print_body(row, &plain);
	flush_escaped(out, &plain);
	weir_text_printf(out, "</%s>\n", tags[mark]);
	weir_text_release(&plain);
}

static void write_case(const struct weir_row *row, struct weir_text *out)
{
	enum mark mark = mark_of(row);

	weir_text_puts(out, "    <testcase");
	write_attribute(out, "classname", row->scope);
	write_attribute(out, "name", weir_metric_name(row->metric));
	if (row->unit && !strcmp(row->unit, "ns") && fabs(row->candidate) < 1e15)
		weir_text_printf(out, " time=\"%.9f\"", row->candidate / 1e9);
	if (mark == MARK_PASSED) {
		weir_text_puts(out, "/>\n");
		return;
	}
	weir_text_puts(out, ">\n");
	write_mark(row, mark, out);
	weir_text_puts(out, "    </testcase>\n");
}

static void write_verdict_case(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text plain = {0};

	weir_gate_phrase_headline(result, &plain);
	weir_text_puts(out, "    <testcase classname=\"gate\" name=\"verdict\">\n"
	                    "      <error message=\"");
	flush_escaped(out, &plain);
	weir_text_printf(out, "\" type=\"%s\">", weir_gate_verdict_name(result->verdict));
	if (weir_gate_phrase_next(result, &plain))
		flush_escaped(out, &plain);
	weir_text_puts(out, "</error>\n    </testcase>\n");
	weir_text_release(&plain);
}

static void write_suite(const struct weir_gate_result *result, struct weir_text *out)
{
	bool extra = stops_without_row(result->verdict);
	size_t count[MARK_COUNT] = {0};
	struct weir_text totals = {0};

	for (size_t i = 0; i < result->row_count; i++)
		count[mark_of(&result->rows[i])]++;
	count[MARK_ERROR] += extra;
	weir_text_printf(&totals, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
	                 result->row_count + extra, count[MARK_FAILURE], count[MARK_ERROR],
	                 count[MARK_SKIPPED]);
	weir_text_printf(out,
	                 "<testsuites name=\"weir\" %s>\n  <testsuite name=\"weir gate\" %s>\n",
	                 totals.data, totals.data);
	if (result->baseline_name) {
		weir_text_puts(out, "    <properties>\n      <property name=\"baseline\"");
		write_attribute(out, "value", result->baseline_name);
		weir_text_puts(out, "/>\n    </properties>\n");
	}
	if (extra)
		write_verdict_case(result, out);
	for (size_t i = 0; i < result->row_count; i++)
		write_case(&result->rows[i], out);
	weir_text_puts(out, "  </testsuite>\n</testsuites>\n");
	weir_text_release(&totals);
}

void weir_write_junit(const struct weir_gate_result *result,
                      const struct weir_write_options *options, struct weir_text *out)
{
	(void)options;
	weir_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	write_suite(result, out);
}
