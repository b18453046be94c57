/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The labelled lists below a gate's table: contributions, fixes, inconclusive rows, waivers,
 * missing and new rows, the environment. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_phrases.h"

#define WAIVED       "waived"
#define LISTED_NAMES 8   /* missing or new operators listed in one sentence */
#define EXTRA_MARGIN 2   /* runs_needed refers to a change of this many margins */
#define MOST_RUNS    20  /* runs_needed is not computed beyond */
#define JUST_UNDER   0.8 /* part of the margin */
#define TOO_NOISY    3   /* margins: a larger detectable change makes a stage too noisy to gate */
#define BLIND        1   /* a minimum detectable effect from here on is not given as a number */

static bool same_scope(const struct weir_row *a, const struct weir_row *b)
{
	return a->scope && b->scope && !strcmp(a->scope, b->scope);
}

/* ---- contributions ---- */

static size_t beyond(size_t total, size_t limit)
{
	return total > limit ? total - limit : 0;
}

static size_t fill_contributions(const struct weir_gate_result *result, size_t limit,
                                 struct weir_items *items)
{
	for (size_t i = 0; i < result->contribution_count && i < limit; i++) {
		const struct weir_contribution *part = &result->contributions[i];
		struct weir_text *out = weir_items_add(items), calls = {0};

		if (part->stage) {
			weir_gate_print_name(part->stage, out);
			weir_text_puts(out, ": ");
		}
		weir_gate_print_name(part->operator, out);
		if (part->renamed) {
			weir_text_puts(out, " -> ");
			weir_gate_print_name(part->renamed, out);
		}
		weir_text_puts(out, " ");
		weir_gate_print_time_change(part->delta_ns, out);
		weir_text_puts(out, " per step");
		weir_gate_print_calls(part->baseline_calls, part->candidate_calls, &calls);
		if (calls.length)
			weir_text_printf(out, ", %s", calls.data);
		weir_text_release(&calls);
	}
	return beyond(result->contribution_count, limit);
}

/* ---- fixes ---- */

/* Lists "stage:prefill: fused-attention, Use a fused attention kernel, predicted step 4.41 ms". */
static size_t fill_undos(const struct weir_gate_result *result, size_t limit,
                         struct weir_items *items)
{
	for (size_t i = 0; i < result->undo_count && i < limit; i++) {
		const struct weir_undo *undo = &result->undos[i];
		struct weir_text *out = weir_items_add(items);

		weir_gate_print_text(undo->scope, out);
		weir_text_puts(out, ": ");
		weir_gate_print_text(undo->fix, out);
		weir_text_puts(out, ", ");
		weir_gate_print_text(undo->title, out);
		weir_text_puts(out, ", predicted step ");
		weir_text_duration(out, undo->step_ns);
		if (!undo->compared)
			weir_text_puts(out, "; the baseline's traces were not given, so it may "
			                    "have had the same need");
	}
	return beyond(result->undo_count, limit);
}

/* ---- largest changes of rows that are not judged ---- */

/* Returns true for a change beyond its margin that too few runs could not test. */
static bool is_large_move(const struct weir_gate_result *result, const struct weir_row *row)
{
	return result->method == WEIR_METHOD_NONE && row->outcome == WEIR_OUTCOME_INFORMATIONAL &&
	       fabs(row->change) > row->margin &&
	       (row->metric == WEIR_METRIC_P50 || row->metric == WEIR_METRIC_VALUE);
}

static void print_move(const struct weir_gate_result *result, const struct weir_row *row,
                       struct weir_text *out)
{
	(void)result;
	weir_gate_say(row, "{row} {change} ({pair})", out);
}

/* ---- evidence: the runs that a test needs ---- */

static const char *const ladder[] = {
	[WEIR_METHOD_FULL] = "more runs, measured in another session, prove or refute the "
			     "suspicion",
	[WEIR_METHOD_TWO_RUN] = "two candidate runs cannot prove a regression at p99: measure one "
				"more",
	[WEIR_METHOD_SINGLE_RUN] = "one candidate run cannot prove a regression: measure two more",
	[WEIR_METHOD_OUTLIER] = "too few runs to estimate the noise between runs: each operator "
				"was compared with the others; a test needs 5 baseline and 3 "
				"candidate runs",
	[WEIR_METHOD_NONE] = "too few runs for a test, which needs 5 baseline and 3 candidate "
			     "runs",
};

static size_t fill_ladder(const struct weir_gate_result *result, size_t limit,
                          struct weir_items *items)
{
	(void)limit;
	if (!weir_gate_compared(result) && !result->row_count)
		return 0;
	if (result->verdict == WEIR_GATE_PASS && !result->counts.suspect &&
	    (result->method == WEIR_METHOD_SINGLE_RUN || result->method == WEIR_METHOD_TWO_RUN))
		return 0; /* these texts explain a suspected change */
	if (result->method != WEIR_METHOD_FULL || result->verdict == WEIR_GATE_SUSPECT)
		weir_text_puts(weir_items_add(items), ladder[result->method]);
	return 0;
}

/* ---- renamed operators ---- */

/* True for one row of an operator that was paired with another name, or of a family. */
static bool is_renamed(const struct weir_gate_result *result, const struct weir_row *row)
{
	(void)result;
	return (row->renamed || row->family) && row->metric == WEIR_METRIC_P50;
}

static void print_renamed(const struct weir_gate_result *result, const struct weir_row *row,
                          struct weir_text *out)
{
	(void)result;
	weir_gate_print_name(row->stage, out);
	weir_text_puts(out, ": ");
	weir_gate_print_name(row->name, out);
	if (row->renamed) {
		weir_text_puts(out, " -> ");
		weir_gate_print_name(row->renamed, out);
	} else {
		weir_text_puts(out, ", compared as a family, ");
		weir_gate_print_text(row->family, out);
	}
	weir_gate_say(row, " ({change})", out);
}

/* ---- inconclusive rows ---- */

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

/* Returns true for a stage, whose device time may be gated instead. */
static bool is_too_noisy(const struct weir_row *row)
{
	return row->kind == WEIR_SCOPE_STAGE && row->mde > TOO_NOISY * row->margin &&
	       !(row->runs_needed <= MOST_RUNS) &&
	       (row->metric == WEIR_METRIC_P50 || row->metric == WEIR_METRIC_SHIFT);
}

/* Returns the first row of the scope, at p50 or shift, that is too noisy to gate; NULL: none. */
static const struct weir_row *noisy_row(const struct weir_gate_result *result,
                                        const struct weir_row *row)
{
	const struct weir_row *found = NULL;

	for (size_t i = 0; i < result->row_count; i++)
		if (result->rows[i].outcome == WEIR_OUTCOME_INCONCLUSIVE &&
		    same_scope(&result->rows[i], row) && is_too_noisy(&result->rows[i]) &&
		    (!found || result->rows[i].metric < found->metric))
			found = &result->rows[i];
	return found;
}

/* Explains a row whose change may well be real, or which is too small to tell. */
static void explain_limit(const struct weir_gate_result *result, const struct weir_row *row,
                          struct weir_text *out)
{
	if (row->low > row->margin) {
		weir_text_puts(out, ": probably slower, but not proven at the level of this gate: "
		                    "measure more runs");
		return;
	}
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

/* "prefill: too noisy to gate (runs differ by 20 %): set severity warn, or gate its device time".
 */
static void print_too_noisy(const struct weir_row *row, struct weir_text *out)
{
	weir_gate_say(row, "{subject}: too noisy to gate", out);
	if (!isnan(row->spread)) {
		weir_text_puts(out, " (runs differ by ");
		weir_gate_print_limit(row->spread, out);
		weir_text_puts(out, ")");
	}
	weir_text_puts(out, ": set severity warn, or gate its device time");
}

/* Returns true for a row whose change is almost its margin. */
static bool is_just_under(const struct weir_row *row)
{
	return row->change >= JUST_UNDER * row->margin && row->change < row->margin;
}

static void print_inconclusive(const struct weir_gate_result *result, const struct weir_row *row,
                               struct weir_text *out)
{
	const struct weir_row *noisy = noisy_row(result, row);

	if (noisy && !row->reason) {
		print_too_noisy(noisy, out);
		return;
	}
	weir_gate_say(row, isfinite(row->change) ? "{row} {change}" : "{row}", out);
	if (row->reason)
		weir_text_puts(out, ": sessions may differ as much: interleave, or measure in "
		                    "another job");
	else if (is_just_under(row))
		weir_gate_say(row, ", just under its margin of {margin}", out);
	else if (isfinite(row->mde))
		explain_limit(result, row, out);
	if (row->note) {
		weir_text_puts(out, "; ");
		weir_gate_print_text(row->note, out);
	}
}

static bool is_open(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_INCONCLUSIVE;
}

/* Lists the scopes of the chosen rows, at most `limit`, each with its first row. Returns how many
 * it listed; *rest counts the other rows. */
static size_t list_scopes(const struct weir_gate_result *result,
                          bool (*chosen)(const struct weir_row *row), size_t limit,
                          const struct weir_row **listed, size_t *rest)
{
	size_t count = 0;

	*rest = 0;
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		size_t at = 0;

		if (!chosen(row))
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

/* Appends "; also p95, shift": the other inconclusive metrics of a scope. */
static void add_also(const struct weir_gate_result *result, const struct weir_row *first,
                     struct weir_text *out)
{
	bool found[WEIR_METRIC_COUNT] = {false}, any = false;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row != first && row->outcome == WEIR_OUTCOME_INCONCLUSIVE &&
		    same_scope(row, first))
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

static size_t fill_inconclusive(const struct weir_gate_result *result, size_t limit,
                                struct weir_items *items)
{
	const struct weir_row *listed[WEIR_GATE_MAX_LIMIT];
	size_t count, rest;

	if (result->verdict == WEIR_GATE_PASS && !weir_gate_is_undecided(result))
		return 0; /* the headline names them */
	count = list_scopes(result, is_open, limit, listed, &rest);
	for (size_t i = 0; i < count; i++) {
		struct weir_text *out = weir_items_add(items);

		print_inconclusive(result, listed[i], out);
		if (!noisy_row(result, listed[i]))
			add_also(result, listed[i], out);
	}
	return rest;
}

/* ---- improvements, cost shifts ---- */

static bool is_improvement(const struct weir_row *row)
{
	return row->outcome == WEIR_OUTCOME_IMPROVEMENT;
}

/* Appends ", p90 -4.9 %, shift -4.8 %": the other chosen metrics of a scope. */
static void add_metrics(const struct weir_gate_result *result, const struct weir_row *first,
                        bool (*chosen)(const struct weir_row *row), struct weir_text *out)
{
	for (size_t i = 0; i < result->row_count; i++)
		if (&result->rows[i] != first && chosen(&result->rows[i]) &&
		    same_scope(&result->rows[i], first))
			weir_gate_say(&result->rows[i], ", {metric} {change}", out);
}

/* Lists a line for each improved scope: "decode p50 -4.8 % (572 -> 545 us), p90 -4.9 %". */
static size_t fill_improved(const struct weir_gate_result *result, size_t limit,
                            struct weir_items *items)
{
	const struct weir_row *listed[WEIR_GATE_MAX_LIMIT];
	size_t rest, count = list_scopes(result, is_improvement, limit, listed, &rest);

	for (size_t i = 0; i < count; i++) {
		struct weir_text *out = weir_items_add(items);

		weir_gate_say(listed[i], "{row} {change} ({pair})", out);
		add_metrics(result, listed[i], is_improvement, out);
	}
	return rest;
}

static bool is_moved(const struct weir_gate_result *result, const struct weir_row *row)
{
	(void)result;
	return row->outcome == WEIR_OUTCOME_MOVED;
}

static void print_change(const struct weir_gate_result *result, const struct weir_row *row,
                         struct weir_text *out)
{
	(void)result;
	weir_gate_say(row, "{row} {change} ({pair})", out);
	if (row->note) {
		weir_text_puts(out, ": ");
		weir_gate_print_text(row->note, out);
	}
}

static bool has_waiver(const struct weir_row *row)
{
	return row->waiver != NULL;
}

/* Lists a line for each scope with a waiver. */
static size_t fill_waived(const struct weir_gate_result *result, size_t limit,
                          struct weir_items *items)
{
	const struct weir_row *listed[WEIR_GATE_MAX_LIMIT];
	size_t rest, count = list_scopes(result, has_waiver, limit, listed, &rest);

	for (size_t i = 0; i < count; i++) {
		struct weir_text *out = weir_items_add(items);

		weir_gate_say(listed[i], "{row} {change}", out);
		add_metrics(result, listed[i], has_waiver, out);
		weir_text_puts(out, ": ");
		weir_gate_print_waiver(listed[i]->waiver, out);
	}
	return rest;
}

/* ---- missing and new rows ---- */

/* Adds "3 operators: decode/aten::a, decode/aten::b and 1 more". A scope with several rows counts
 * once. */
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
		weir_items_number(out, count, what);
		weir_text_printf(out, ": %s", names.data);
		if (count > LISTED_NAMES)
			weir_text_printf(out, " and %zu more", count - LISTED_NAMES);
	}
	weir_text_release(&names);
}

static size_t fill_gone(const struct weir_gate_result *result, enum weir_outcome outcome,
                        struct weir_items *items)
{
	add_gone(result, outcome, WEIR_SCOPE_STAGE, "stage", items);
	add_gone(result, outcome, WEIR_SCOPE_METRIC, "metric", items);
	add_gone(result, outcome, WEIR_SCOPE_DEVICE, "device stage", items);
	add_gone(result, outcome, WEIR_SCOPE_OPERATOR, "operator", items);
	return 0;
}

static size_t fill_missing(const struct weir_gate_result *result, size_t limit,
                           struct weir_items *items)
{
	(void)limit;
	return fill_gone(result, WEIR_OUTCOME_MISSING, items);
}

static size_t fill_new(const struct weir_gate_result *result, size_t limit,
                       struct weir_items *items)
{
	(void)limit;
	return fill_gone(result, WEIR_OUTCOME_NEW, items);
}

/* ---- environment and remarks ---- */

static size_t fill_environment(const struct weir_gate_result *result, size_t limit,
                               struct weir_items *items)
{
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
	return beyond(result->difference_count, limit);
}

static size_t fill_remarks(const struct weir_gate_result *result, size_t limit,
                           struct weir_items *items)
{
	for (size_t i = 0; i < result->remark_count && i < limit; i++)
		weir_gate_print_text(result->remarks[i], weir_items_add(items));
	return beyond(result->remark_count, limit);
}

static size_t fill_seen(const struct weir_gate_result *result, size_t limit,
                        struct weir_items *items)
{
	struct weir_text seen = {0};

	(void)limit;
	weir_gate_phrase_seen(result, &seen);
	if (seen.length)
		weir_text_puts(weir_items_add(items), seen.data);
	weir_text_release(&seen);
	return 0;
}

const struct weir_gate_section weir_gate_sections[] = {
	{"contributions", "contributions", WEIR_GATE_OPEN, .fill = fill_contributions},
	{"fixes", "to undo it", WEIR_GATE_OPEN, .fill = fill_undos},
	{"moves", "largest changes", WEIR_GATE_OPEN, .chosen = is_large_move, .print = print_move},
	{"ladder", "evidence", WEIR_GATE_OPEN, .fill = fill_ladder},
	{WAIVED, "waived", WEIR_GATE_FOLDED, true, .fill = fill_waived},
	{"inconclusive", "inconclusive", WEIR_GATE_FOLDED, .fill = fill_inconclusive},
	{"improved", "improved", WEIR_GATE_FOLDED, true, .fill = fill_improved},
	{"moved", "cost shifts", WEIR_GATE_FOLDED, true, is_moved, print_change, NULL},
	{"renamed", "renamed", WEIR_GATE_FOLDED, .chosen = is_renamed, .print = print_renamed},
	{"missing", "missing", WEIR_GATE_FOLDED, .fill = fill_missing},
	{"new", "new", WEIR_GATE_FOLDED, .fill = fill_new},
	{"environment", "environment", WEIR_GATE_FOLDED, true, .fill = fill_environment},
	{"remarks", "remarks", WEIR_GATE_FOLDED, .fill = fill_remarks},
	{"seen", "detectable", WEIR_GATE_LAST, .fill = fill_seen},
	{.id = NULL},
};

static size_t fill_rows(const struct weir_gate_section *section,
                        const struct weir_gate_result *result, size_t limit,
                        struct weir_items *items)
{
	size_t total = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		if (!section->chosen(result, &result->rows[i]))
			continue;
		if (total++ < limit)
			section->print(result, &result->rows[i], weir_items_add(items));
	}
	return beyond(total, limit);
}

void weir_gate_section_fill(const struct weir_gate_section *section,
                            const struct weir_gate_result *result, size_t limit,
                            struct weir_items *items)
{
	size_t rest;

	/* All waivers are listed. */
	if (limit > WEIR_GATE_MAX_LIMIT || !strcmp(section->id, WAIVED))
		limit = WEIR_GATE_MAX_LIMIT;
	rest = section->fill ? section->fill(result, limit, items)
	                     : fill_rows(section, result, limit, items);
	if (rest)
		weir_text_printf(weir_items_add(items), "... %zu more (--all)", rest);
}
