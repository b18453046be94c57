/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_rows.h"
#include "engine/report/plain/items.h"

#define MOST_UP_TO 100 /* weir.json takes no larger change */
#define NO_DAY     "YYYY-MM-DD"

const struct weir_row *weir_gate_lead(const struct weir_gate_result *result,
                                      const struct weir_gate_finding *finding)
{
	return &result->rows[finding->rows[0]];
}

size_t weir_gate_count_findings(const struct weir_gate_result *result, enum weir_outcome outcome)
{
	size_t count = 0;

	for (size_t i = 0; i < result->finding_count; i++)
		count += result->findings[i].outcome == outcome;
	return count;
}

bool weir_gate_is_first_of_scope(const struct weir_gate_result *result,
                                 const struct weir_gate_finding *finding, size_t index)
{
	return index == 0 || strcmp(result->rows[finding->rows[index]].scope,
	                            result->rows[finding->rows[index - 1]].scope) != 0;
}

static bool is_alike(const struct weir_gate_finding *finding)
{
	return isfinite(finding->alike);
}

static const char *alike_word(const struct weir_gate_finding *finding)
{
	return strstr(finding->scope, "stage") ? "stage" : "operator";
}

void weir_gate_print_cause(const struct weir_gate_result *result,
                           const struct weir_gate_finding *finding, struct weir_text *out)
{
	const struct weir_row *lead = weir_gate_lead(result, finding);

	if (is_alike(finding))
		weir_text_printf(out, "all %ss", alike_word(finding));
	else if (lead->scope && strcmp(lead->scope, finding->scope) == 0)
		weir_gate_print_subject(lead, out);
	else
		weir_gate_print_name(finding->scope, out); /* a pattern of ranks */
}

void weir_gate_print_metrics(const struct weir_gate_result *result,
                             const struct weir_gate_finding *finding, const struct weir_row *lead,
                             struct weir_text *out)
{
	bool any = false;

	for (size_t i = 0; i < finding->row_count; i++) {
		const struct weir_row *row = &result->rows[finding->rows[i]];

		if (row == lead || strcmp(row->scope, lead->scope) != 0)
			continue;
		weir_text_puts(out, any ? ", " : "");
		weir_gate_say(row, "{metric} {change}", out);
		any = true;
	}
}

/* Appends the clocks that the runs state: per-run metrics and labels whose name has "clock". */
static void add_clocks(const struct weir_gate_result *result, struct weir_text *out)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->kind != WEIR_SCOPE_METRIC || !row->name || !strstr(row->name, "clock"))
			continue;
		weir_text_puts(out, "; ");
		weir_gate_say(row, "{subject} {pair}", out);
	}
	for (size_t i = 0; i < result->difference_count; i++) {
		const struct weir_difference *difference = &result->differences[i];

		if (!difference->key || !strstr(difference->key, "clock"))
			continue;
		weir_text_puts(out, "; ");
		weir_gate_print_name(difference->key, out);
		weir_text_puts(out, " ");
		weir_gate_print_name(difference->baseline, out);
		weir_text_puts(out, " -> ");
		weir_gate_print_name(difference->candidate, out);
	}
}

static void phrase_alike(const struct weir_gate_result *result,
                         const struct weir_gate_finding *finding, struct weir_text *out)
{
	weir_text_puts(out, "all alike: ");
	if (finding->alike_count)
		weir_items_number(out, finding->alike_count, alike_word(finding));
	else
		weir_text_printf(out, "all %ss", alike_word(finding));
	weir_text_puts(out,
	               finding->outcome == WEIR_OUTCOME_SUSPECT ? " look about " : " got about ");
	weir_gate_print_size(finding->alike, out);
	weir_text_puts(out, " slower together, so check machine and clock before the code");
	add_clocks(result, out);
}

/* Appends the other scopes of the finding: "; with it decode +4.7 %, decode (device) +5.0 %". */
static void add_others(const struct weir_gate_result *result,
                       const struct weir_gate_finding *finding, struct weir_text *out)
{
	const struct weir_row *lead = weir_gate_lead(result, finding);
	size_t named = 0, rest = 0;

	for (size_t i = 1; i < finding->row_count; i++) {
		const struct weir_row *row = &result->rows[finding->rows[i]];

		if (strcmp(row->scope, lead->scope) == 0 ||
		    !weir_gate_is_first_of_scope(result, finding, i))
			continue;
		if (named == 2) {
			rest++;
			continue;
		}
		weir_text_puts(out, named++ ? ", " : "; with it ");
		weir_gate_say(row, "{row} {change}", out);
	}
	if (rest)
		weir_text_printf(out, " and %zu more", rest);
}

void weir_gate_phrase_finding(const struct weir_gate_result *result,
                              const struct weir_gate_finding *finding, struct weir_text *out)
{
	const struct weir_row *lead = weir_gate_lead(result, finding);

	if (is_alike(finding)) {
		phrase_alike(result, finding, out);
		return;
	}
	weir_gate_phrase_row(lead, out);
	if (finding->added_ns > 0 && lead->kind != WEIR_SCOPE_METRIC) {
		weir_text_puts(out, ", ");
		weir_gate_print_time_change(finding->added_ns, out);
		weir_text_puts(out, " per iteration");
	}
	if (strcmp(lead->scope, finding->scope) != 0)
		weir_text_puts(out, ", alike on all ranks");
	else
		add_others(result, finding, out);
}

void weir_gate_print_title(const struct weir_gate_result *result,
                           const struct weir_gate_finding *finding, struct weir_text *out)
{
	const struct weir_row *lead = weir_gate_lead(result, finding);

	if (is_alike(finding)) {
		weir_gate_print_cause(result, finding, out);
		weir_text_puts(out, " ");
		weir_gate_print_change(finding->alike, out);
	} else {
		weir_gate_say(lead, "{row} {change}", out);
	}
}

/* ---- acceptance ---- */

static bool is_safe(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-.,:/+=*", c));
}

/* Appends the scope as a pattern that matches it: other characters become "?", bytes beyond ASCII
 * "*", and a long middle "*". */
static void add_pattern(const char *scope, size_t columns, struct weir_text *out)
{
	struct weir_text whole = {0};
	size_t tail = columns / 2 - 1, head = columns - tail - 1;

	for (; *scope; scope++) {
		bool ascii = (unsigned char)*scope < 0x80;

		if (is_safe(*scope))
			weir_text_add(&whole, scope, 1);
		else if (ascii)
			weir_text_puts(&whole, "?");
		else if (whole.length == 0 || whole.data[whole.length - 1] != '*')
			weir_text_puts(&whole, "*");
	}
	if (whole.length <= columns) {
		weir_text_add(out, whole.data, whole.length);
	} else {
		weir_text_add(out, whole.data, head);
		weir_text_puts(out, "*");
		weir_text_add(out, whole.data + whole.length - tail, tail);
	}
	weir_text_release(&whole);
}

/* Stored results may have any text in the place of a day. */
static bool is_day(const char *text)
{
	return text && strlen(text) == strlen(NO_DAY) &&
	       strspn(text, "0123456789-") == strlen(text);
}

bool weir_gate_print_acceptance(const struct weir_gate_result *result, size_t columns,
                                struct weir_text *out)
{
	struct weir_text entries = {0};
	size_t count = 0;
	bool all = true;

	for (size_t i = 0; i < result->finding_count; i++) {
		const struct weir_gate_finding *finding = &result->findings[i];

		if (finding->outcome != WEIR_OUTCOME_REGRESSION)
			continue;
		if (!(finding->up_to <= MOST_UP_TO)) {
			all = false;
			continue;
		}
		if (count == WEIR_GATE_WAIVERS)
			break;
		weir_text_puts(&entries, count++ ? ",\n  " : "\n  ");
		weir_text_puts(&entries, "{\"scope\": \"");
		add_pattern(finding->scope, columns, &entries);
		weir_text_printf(&entries, "\",\n   \"up_to\": %.2f, \"reason\": \"say why\",",
		                 finding->up_to);
		weir_text_puts(&entries, "\n   \"expires\": \"");
		weir_text_puts(&entries, is_day(finding->until) ? finding->until : NO_DAY);
		weir_text_puts(&entries, "\"}");
	}
	if (count)
		weir_text_printf(out, "{\"version\": 1, \"waivers\": [%s]}", entries.data);
	weir_text_release(&entries);
	return all;
}
