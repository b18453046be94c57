/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines below a gate's table: what stands behind a row, what is not settled, what was waived,
 * what came and went. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_phrases.h"

#define LISTED_NAMES 8  /* of operators that came or went, in one sentence */
#define EXTRA_MARGIN 2  /* runs_needed is for a change of this many margins */
#define MOST_RUNS    20 /* more were not tried */
#define BLIND        1  /* from here on the figure of what would be seen says nothing */

static void add_rest(struct weir_items *items, size_t total, size_t limit)
{
	if (total > limit)
		weir_text_printf(weir_items_add(items), "... %zu more (--all)", total - limit);
}

static bool same_scope(const struct weir_row *a, const struct weir_row *b)
{
	return a->scope && b->scope && !strcmp(a->scope, b->scope);
}

/* One item for each row that `print` has something to say about. */
static void fill_rows(const struct weir_gate_result *result, size_t limit,
                      bool (*chosen)(const struct weir_row *),
                      void (*print)(const struct weir_gate_result *, const struct weir_row *,
                                    struct weir_text *),
                      struct weir_items *items)
{
	size_t total = 0;

	limit = limit < WEIR_GATE_MAX_LIMIT ? limit : WEIR_GATE_MAX_LIMIT;
	for (size_t i = 0; i < result->row_count; i++) {
		if (!chosen(&result->rows[i]))
			continue;
		if (total++ < limit)
			print(result, &result->rows[i], weir_items_add(items));
	}
	add_rest(items, total, limit);
}

/* ---- where it went ---- */

static void fill_contributions(const struct weir_gate_result *result, size_t limit,
                               struct weir_items *items)
{
	limit = limit < WEIR_GATE_MAX_LIMIT ? limit : WEIR_GATE_MAX_LIMIT;
	for (size_t i = 0; i < result->contribution_count && i < limit; i++) {
		const struct weir_contribution *part = &result->contributions[i];
		struct weir_text *out = weir_items_add(items), calls = {0};

		if (part->stage) {
			weir_gate_print_name(part->stage, out);
			weir_text_puts(out, ": ");
		}
		weir_gate_print_name(part->operator, out);
		weir_text_puts(out, " ");
		weir_gate_print_time_change(part->delta_ns, out);
		weir_text_puts(out, " a step");
		weir_gate_print_calls(part->baseline_calls, part->candidate_calls, &calls);
		if (calls.length)
			weir_text_printf(out, ", %s", calls.data);
		weir_text_release(&calls);
	}
	add_rest(items, result->contribution_count, limit);
}

/* ---- what moved most, where nothing can be judged ---- */

static bool is_large_move(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_INFORMATIONAL && fabs(row->change) > row->margin &&
	       (row->metric == WEIR_METRIC_P50 || row->metric == WEIR_METRIC_VALUE);
}

static void print_move(const struct weir_gate_result *result, const struct weir_row *row,
                       struct weir_text *out)
{
	(void)result;
	weir_gate_print_row(row, out);
	weir_text_puts(out, " ");
	weir_gate_print_change(row->change, out);
	weir_text_puts(out, " (");
	weir_gate_print_pair(row, out);
	weir_text_puts(out, ")");
}

/* Too few runs to test anything, yet the figures are there: told as what they are. */
static void fill_moves(const struct weir_gate_result *result, size_t limit,
                       struct weir_items *items)
{
	if (result->method == WEIR_METHOD_NONE)
		fill_rows(result, limit, is_large_move, print_move, items);
}

/* ---- the ladder: what these runs allow ---- */

static const char *const ladder[] = {
	[WEIR_METHOD_FULL] = "more runs, measured in another session, settle it",
	[WEIR_METHOD_TWO_RUN] = "two candidate runs can only raise a suspicion at p99: one more "
				"run settles it",
	[WEIR_METHOD_SINGLE_RUN] = "one candidate run can only raise a suspicion: two more runs "
				   "settle it",
	[WEIR_METHOD_OUTLIER] = "too few runs to know how runs differ: operators were held "
				"against each other; 5 baseline and 3 candidate runs settle it",
	[WEIR_METHOD_NONE] = "too few runs to say anything: 5 baseline and 3 candidate runs "
			     "would",
};

static void fill_ladder(const struct weir_gate_result *result, size_t limit,
                        struct weir_items *items)
{
	(void)limit;
	if (!weir_gate_compared(result) && !result->row_count)
		return;
	if (result->verdict == WEIR_GATE_PASS && !result->counts.suspect &&
	    (result->method == WEIR_METHOD_SINGLE_RUN || result->method == WEIR_METHOD_TWO_RUN))
		return; /* these speak of a suspicion, and there is none */
	if (result->method != WEIR_METHOD_FULL || result->verdict == WEIR_GATE_SUSPECT)
		weir_text_puts(weir_items_add(items), ladder[result->method]);
}

static void fill_machine(const struct weir_gate_result *result, size_t limit,
                         struct weir_items *items)
{
	(void)limit;
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->kind != WEIR_SCOPE_ALL_OPERATORS ||
		    (row->outcome != WEIR_OUTCOME_REGRESSION &&
		     row->outcome != WEIR_OUTCOME_SUSPECT))
			continue;
		weir_text_puts(weir_items_add(items),
		               "all operators moved together: suspect the machine (clocks, "
		               "temperature, another job) before the code, and measure again");
		return;
	}
}

/* ---- rows that are not settled ---- */

static bool is_inconclusive(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_INCONCLUSIVE;
}

static void add_runs_needed(const struct weir_gate_result *result, const struct weir_row *row,
                            struct weir_text *out)
{
	double wanted = EXTRA_MARGIN * row->margin;
	double more = row->runs_needed - (double)result->candidate.runs;

	if (!isfinite(wanted) || !(row->mde > wanted))
		return;
	if (!(row->runs_needed <= MOST_RUNS)) {
		weir_text_printf(out, " (not even %d runs would show ", MOST_RUNS);
	} else if (more >= 1) {
		weir_text_printf(out, " (%.0f more would show ", more);
	} else {
		return;
	}
	weir_gate_print_limit(wanted, out);
	weir_text_puts(out, ")");
}

static void print_inconclusive(const struct weir_gate_result *result, const struct weir_row *row,
                               struct weir_text *out)
{
	weir_gate_print_row(row, out);
	if (isfinite(row->change)) {
		weir_text_puts(out, " ");
		weir_gate_print_change(row->change, out);
	}
	if (isfinite(row->mde)) {
		weir_text_puts(out, ": ");
		if (row->mde < BLIND) {
			weir_text_puts(out, "a change under ");
			weir_gate_print_limit(row->mde, out);
		} else {
			weir_text_puts(out, "even a doubling");
		}
		weir_text_puts(out, " cannot be seen with these runs");
		add_runs_needed(result, row, out);
	}
	if (row->note) {
		weir_text_puts(out, "; ");
		weir_gate_print_text(row->note, out);
	}
}

/* The scopes of rows that are not settled, each by its first row; at most `limit`. Returns how
 * many; *rest counts the rows of the scopes beyond. */
static size_t list_scopes(const struct weir_gate_result *result, size_t limit,
                          const struct weir_row **listed, size_t *rest)
{
	size_t count = 0;

	*rest = 0;
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		size_t at = 0;

		if (!is_inconclusive(row))
			continue;
		while (at < count && !same_scope(listed[at], row))
			at++;
		if (at < count)
			continue;
		if (count < limit)
			listed[count++] = row;
		else
			++*rest;
	}
	return count;
}

/* "; also p95 and shift": the further rows of a scope. */
static void add_also(const struct weir_gate_result *result, const struct weir_row *first,
                     struct weir_text *out)
{
	bool found[WEIR_METRIC_COUNT] = {false}, any = false;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row != first && is_inconclusive(row) && same_scope(row, first))
			found[row->metric] = true;
	}
	for (int metric = 0; metric < WEIR_METRIC_COUNT; metric++) {
		if (!found[metric])
			continue;
		weir_text_printf(out, "%s%s", any ? ", " : "; also ",
		                 weir_metric_name((enum weir_metric)metric));
		any = true;
	}
}

static void fill_inconclusive(const struct weir_gate_result *result, size_t limit,
                              struct weir_items *items)
{
	const struct weir_row *listed[WEIR_GATE_MAX_LIMIT];
	size_t count, rest;

	limit = limit < WEIR_GATE_MAX_LIMIT ? limit : WEIR_GATE_MAX_LIMIT;
	count = list_scopes(result, limit, listed, &rest);
	for (size_t i = 0; i < count; i++) {
		struct weir_text *out = weir_items_add(items);

		print_inconclusive(result, listed[i], out);
		add_also(result, listed[i], out);
	}
	add_rest(items, rest, 0);
}

/* ---- improvements, cost shifts ---- */

static bool is_improvement(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_IMPROVEMENT;
}

static bool is_moved(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_MOVED;
}

static void print_change(const struct weir_gate_result *result, const struct weir_row *row,
                         struct weir_text *out)
{
	(void)result;
	weir_gate_print_row(row, out);
	weir_text_puts(out, " ");
	weir_gate_print_change(row->change, out);
	weir_text_puts(out, " (");
	weir_gate_print_pair(row, out);
	weir_text_puts(out, ")");
	if (row->note) {
		weir_text_puts(out, ": ");
		weir_gate_print_text(row->note, out);
	}
}

static void fill_improvements(const struct weir_gate_result *result, size_t limit,
                              struct weir_items *items)
{
	fill_rows(result, limit, is_improvement, print_change, items);
}

static void fill_moved(const struct weir_gate_result *result, size_t limit,
                       struct weir_items *items)
{
	fill_rows(result, limit, is_moved, print_change, items);
}

/* ---- waivers ---- */

static bool has_waiver(const struct weir_row *row)
{
	return row->waiver != NULL;
}

static void add_part(struct weir_text *out, const char *separator, const char *before,
                     const char *text)
{
	if (!text)
		return;
	weir_text_printf(out, "%s%s", separator, before);
	weir_gate_print_text(text, out);
}

void weir_gate_phrase_waiver(const struct weir_waiver *waiver, struct weir_text *out)
{
	if (waiver->expired)
		weir_text_puts(out, "EXPIRED, no longer covers: ");
	else if (waiver->exceeded)
		weir_text_puts(out, "EXCEEDED, does not cover this much: ");
	weir_gate_print_text(waiver->reason ? waiver->reason : "no reason given", out);
	if (isfinite(waiver->up_to)) {
		weir_text_puts(out, "; up to ");
		weir_gate_print_limit(waiver->up_to, out);
	}
	add_part(out, isfinite(waiver->up_to) ? ", " : "; ", "until ", waiver->expires);
	add_part(out, "; ", "", waiver->issue);
}

static void print_waiver(const struct weir_gate_result *result, const struct weir_row *row,
                         struct weir_text *out)
{
	(void)result;
	weir_gate_print_row(row, out);
	weir_text_puts(out, " ");
	weir_gate_print_change(row->change, out);
	weir_text_puts(out, ": ");
	weir_gate_phrase_waiver(row->waiver, out);
}

static void fill_waivers(const struct weir_gate_result *result, size_t limit,
                         struct weir_items *items)
{
	(void)limit; /* what was let through is always said */
	fill_rows(result, WEIR_GATE_MAX_LIMIT, has_waiver, print_waiver, items);
}

/* ---- what came and went ---- */

/* "3 operators: decode/aten::a, decode/aten::b, ... 1 more"; a scope with several rows counts once.
 */
static void add_gone(const struct weir_gate_result *result, enum weir_outcome outcome,
                     enum weir_scope_kind kind, const char *what, struct weir_items *items)
{
	struct weir_text names = {0}, *out;
	const struct weir_row *before = NULL;
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->outcome != outcome || row->kind != kind ||
		    (before && same_scope(before, row)))
			continue;
		before = row;
		if (count++ >= LISTED_NAMES)
			continue;
		weir_text_puts(&names, count > 1 ? ", " : "");
		if (row->kind == WEIR_SCOPE_OPERATOR && row->stage) {
			weir_gate_print_name(row->stage, &names);
			weir_text_puts(&names, "/");
		}
		weir_gate_print_name(row->name, &names);
	}
	if (count) {
		out = weir_items_add(items);
		weir_gate_print_counted(count, what, out);
		weir_text_printf(out, ": %s", names.data);
		if (count > LISTED_NAMES)
			weir_text_printf(out, " and %zu more", count - LISTED_NAMES);
	}
	weir_text_release(&names);
}

static void fill_gone(const struct weir_gate_result *result, enum weir_outcome outcome,
                      struct weir_items *items)
{
	add_gone(result, outcome, WEIR_SCOPE_STAGE, "stage", items);
	add_gone(result, outcome, WEIR_SCOPE_METRIC, "figure", items);
	add_gone(result, outcome, WEIR_SCOPE_DEVICE, "device stage", items);
	add_gone(result, outcome, WEIR_SCOPE_OPERATOR, "operator", items);
}

static void fill_missing(const struct weir_gate_result *result, size_t limit,
                         struct weir_items *items)
{
	(void)limit;
	fill_gone(result, WEIR_OUTCOME_MISSING, items);
}

static void fill_new(const struct weir_gate_result *result, size_t limit, struct weir_items *items)
{
	(void)limit;
	fill_gone(result, WEIR_OUTCOME_NEW, items);
}

/* ---- the setting ---- */

static void fill_environment(const struct weir_gate_result *result, size_t limit,
                             struct weir_items *items)
{
	limit = limit < WEIR_GATE_MAX_LIMIT ? limit : WEIR_GATE_MAX_LIMIT;
	for (size_t i = 0; i < result->difference_count && i < limit; i++) {
		const struct weir_difference *difference = &result->differences[i];
		struct weir_text *out = weir_items_add(items);

		weir_gate_print_name(difference->key, out);
		weir_text_puts(out, ": ");
		weir_gate_print_name(difference->baseline, out);
		weir_text_puts(out, " -> ");
		weir_gate_print_name(difference->candidate, out);
		if (difference->policy == WEIR_ENVIRONMENT_MUST)
			weir_text_puts(out, " (must match)");
	}
	add_rest(items, result->difference_count, limit);
}

static void fill_remarks(const struct weir_gate_result *result, size_t limit,
                         struct weir_items *items)
{
	limit = limit < WEIR_GATE_MAX_LIMIT ? limit : WEIR_GATE_MAX_LIMIT;
	for (size_t i = 0; i < result->remark_count && i < limit; i++)
		weir_gate_print_text(result->remarks[i], weir_items_add(items));
	add_rest(items, result->remark_count, limit);
}

static void fill_seen(const struct weir_gate_result *result, size_t limit, struct weir_items *items)
{
	struct weir_text seen = {0};

	(void)limit;
	weir_gate_phrase_seen(result, &seen);
	if (seen.length)
		weir_text_puts(weir_items_add(items), seen.data);
	weir_text_release(&seen);
}

const struct weir_gate_section weir_gate_sections[] = {
	{"contributions", "where it went", WEIR_GATE_OPEN, fill_contributions, false},
	{"machine", "the machine?", WEIR_GATE_OPEN, fill_machine, false},
	{"moves", "largest moves", WEIR_GATE_OPEN, fill_moves, false},
	{"ladder", "how sure", WEIR_GATE_OPEN, fill_ladder, false},
	{"waived", "waived", WEIR_GATE_FOLDED, fill_waivers, true},
	{"inconclusive", "inconclusive", WEIR_GATE_FOLDED, fill_inconclusive, false},
	{"improved", "improved", WEIR_GATE_FOLDED, fill_improvements, true},
	{"moved", "cost shifts", WEIR_GATE_FOLDED, fill_moved, true},
	{"missing", "missing", WEIR_GATE_FOLDED, fill_missing, false},
	{"new", "new", WEIR_GATE_FOLDED, fill_new, false},
	{"environment", "environment", WEIR_GATE_FOLDED, fill_environment, true},
	{"remarks", "remarks", WEIR_GATE_FOLDED, fill_remarks, false},
	{"seen", "would be seen", WEIR_GATE_LAST, fill_seen, false},
	{.id = NULL},
};
