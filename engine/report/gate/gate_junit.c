/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JUnit XML for GitLab, Jenkins and Buildkite: one testcase per finding, whose message has its
 * rows, and one per row that no finding has. Class and name are the key of the history, so they
 * hold no figures. A verdict that does not come from a row has its own testcase, so that a failed
 * gate never looks green.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
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

static enum mark mark_of_finding(const struct weir_gate_finding *finding)
{
	return finding->outcome == WEIR_OUTCOME_REGRESSION ? MARK_FAILURE : MARK_SKIPPED;
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

/* The rows of one scope. */
struct testcase {
	const struct weir_row **rows;
	size_t count;
};

static bool is_cause(const struct weir_row *row)
{
	return row->finding && row->scope && strcmp(row->finding->scope, row->scope) == 0;
}

static enum mark mark_in_case(const struct weir_row *row)
{
	return !row->finding   ? mark_of(row)
	       : is_cause(row) ? mark_of_finding(row->finding)
	                       : MARK_SKIPPED;
}

/* Returns the row with the worst mark. */
static const struct weir_row *worst_of(const struct testcase *one)
{
	static const int severity[MARK_COUNT] = {
		[MARK_SKIPPED] = 1, [MARK_FAILURE] = 2, [MARK_ERROR] = 3};
	const struct weir_row *worst = one->rows[0];

	for (size_t i = 1; i < one->count; i++)
		if (severity[mark_in_case(one->rows[i])] > severity[mark_in_case(worst)])
			worst = one->rows[i];
	return worst;
}

static void write_mark(const struct weir_gate_result *result, const struct testcase *one,
                       const struct weir_row *worst, struct weir_text *out)
{
	const char *tag = tags[mark_in_case(worst)];
	struct weir_text plain = {0};

	weir_text_printf(out, "      <%s message=\"", tag);
	if (is_cause(worst)) {
		weir_gate_phrase_finding(result, worst->finding, &plain);
	} else if (worst->finding) {
		weir_gate_say(worst, "{row} {change}, part of the finding ", &plain);
		weir_gate_print_cause(result, worst->finding, &plain);
	} else {
		print_message(worst, &plain);
	}
	flush_escaped(out, &plain);
	weir_text_printf(out, "\" type=\"%s\">", weir_outcome_name(worst->outcome));
	for (size_t i = 0; i < one->count; i++) {
		weir_text_puts(out, i ? "\n" : "");
		print_message(one->rows[i], &plain);
		weir_text_puts(&plain, ", ");
		print_body(one->rows[i], &plain);
		flush_escaped(out, &plain);
	}
	weir_text_printf(out, "</%s>\n", tag);
	weir_text_release(&plain);
}

static void write_case(const struct weir_gate_result *result, const struct testcase *one,
                       struct weir_text *out)
{
	const struct weir_row *worst = worst_of(one), *first = one->rows[0];

	weir_text_puts(out, "    <testcase");
	write_attribute(out, "classname", first->scope);
	weir_text_puts(out, " name=\"gate\"");
	if (first->unit && !strcmp(first->unit, "ns") && fabs(first->candidate) < 1e15)
		weir_text_printf(out, " time=\"%.9f\"", first->candidate / 1e9);
	if (mark_in_case(worst) == MARK_PASSED) {
		weir_text_puts(out, "/>\n");
		return;
	}
	weir_text_puts(out, ">\n");
	write_mark(result, one, worst, out);
	weir_text_puts(out, "    </testcase>\n");
}

/* Writes the testcase of a finding whose cause is no scope of a row. */
static void write_common(const struct weir_gate_result *result,
                         const struct weir_gate_finding *finding, struct weir_text *out)
{
	const char *tag = tags[mark_of_finding(finding)];
	struct weir_text plain = {0};

	weir_text_puts(out, "    <testcase");
	write_attribute(out, "classname", finding->scope);
	weir_text_printf(out, " name=\"gate\">\n      <%s message=\"", tag);
	weir_gate_phrase_finding(result, finding, &plain);
	flush_escaped(out, &plain);
	weir_text_printf(out, "\" type=\"%s\"></%s>\n    </testcase>\n",
	                 weir_outcome_name(finding->outcome), tag);
	weir_text_release(&plain);
}

static bool is_common(const struct weir_gate_result *result,
                      const struct weir_gate_finding *finding)
{
	for (size_t i = 0; i < finding->row_count; i++)
		if (is_cause(&result->rows[finding->rows[i]]))
			return false;
	return true;
}

static int by_scope(const void *left, const void *right)
{
	const struct weir_row *a = *(const struct weir_row *const *)left,
			      *b = *(const struct weir_row *const *)right;
	int order = strcmp(a->scope ? a->scope : "", b->scope ? b->scope : "");

	if (order == 0)
		order = (int)a->metric - (int)b->metric;
	return order ? order : (a > b) - (a < b);
}

static bool same_scope(const struct weir_row *a, const struct weir_row *b)
{
	return strcmp(a->scope ? a->scope : "", b->scope ? b->scope : "") == 0;
}

/* Writes the testcases and counts their marks. */
static void write_cases(const struct weir_gate_result *result, size_t count[MARK_COUNT],
                        struct weir_text *out)
{
	const struct weir_row **rows =
		weir_alloc((result->row_count + 1) * sizeof(const struct weir_row *));

	for (size_t i = 0; i < result->row_count; i++)
		rows[i] = &result->rows[i];
	if (result->row_count > 1)
		qsort(rows, result->row_count, sizeof *rows, by_scope);
	for (size_t i = 0; i < result->finding_count; i++)
		if (is_common(result, &result->findings[i])) {
			write_common(result, &result->findings[i], out);
			count[mark_of_finding(&result->findings[i])]++;
		}
	for (size_t i = 0, end; i < result->row_count; i = end) {
		struct testcase one = {.rows = &rows[i]};

		for (end = i + 1; end < result->row_count && same_scope(rows[end], rows[i]);)
			end++;
		one.count = end - i;
		write_case(result, &one, out);
		count[mark_in_case(worst_of(&one))]++;
	}
	free(rows);
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
	struct weir_text totals = {0}, cases = {0};

	write_cases(result, count, &cases);
	count[MARK_ERROR] += extra;
	weir_text_printf(&totals, "tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" skipped=\"%zu\"",
	                 count[MARK_PASSED] + count[MARK_FAILURE] + count[MARK_ERROR] +
	                         count[MARK_SKIPPED],
	                 count[MARK_FAILURE], count[MARK_ERROR], count[MARK_SKIPPED]);
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
	weir_text_puts(out, cases.data ? cases.data : "");
	weir_text_puts(out, "  </testsuite>\n</testsuites>\n");
	weir_text_release(&totals);
	weir_text_release(&cases);
}

void weir_write_junit(const struct weir_gate_result *result,
                      const struct weir_write_options *options, struct weir_text *out)
{
	(void)options;
	weir_text_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	write_suite(result, out);
}
