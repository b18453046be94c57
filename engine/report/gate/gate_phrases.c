/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_findings.h"
#include "engine/report/gate/gate_phrases.h"
#include "engine/report/gate/gate_rows.h"
#include "engine/report/plain/escape.h"

#define LATEST_DAY      10   /* characters of "2026-11-20T14:00:00Z" that are the date */
#define LONGEST_COMMAND 4000 /* bytes */
#define LONGEST_WORD    100  /* bytes of a name in a command; nobody types longer names */
#define NAMED           3    /* scopes named in a headline */
#define BLIND_MARGINS   3    /* a scope whose detectable effect is larger is blind */
#define NAMED_SIGHTS    6

const struct weir_row *weir_gate_first(const struct weir_gate_result *result,
                                       enum weir_outcome outcome)
{
	for (size_t i = 0; i < result->row_count; i++) {
		if (result->rows[i].outcome == outcome)
			return &result->rows[i];
	}
	return NULL;
}

bool weir_gate_compared(const struct weir_gate_result *result)
{
	return result->counts.judged > 0;
}

/* Appends the scopes with rows of the outcome, each once, at most NAMED of them. */
static void add_scopes(const struct weir_gate_result *result, enum weir_outcome outcome,
                       struct weir_text *out)
{
	const struct weir_row *named[NAMED];
	size_t count = 0, rest = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];
		size_t at = 0;

		if (row->outcome != outcome || !row->scope)
			continue;
		while (at < count && strcmp(named[at]->scope, row->scope) != 0)
			at++;
		if (at < count)
			continue;
		if (count == NAMED) {
			rest++;
			continue;
		}
		named[count++] = row;
		weir_text_puts(out, count > 1 ? ", " : "");
		weir_gate_say(row, "{subject}", out);
	}
	weir_text_puts(out, rest > 0 ? " and others" : "");
}

bool weir_gate_is_undecided(const struct weir_gate_result *result)
{
	return result->verdict == WEIR_GATE_PASS &&
	       result->counts.inconclusive > result->counts.no_change + result->counts.waived;
}

const char *weir_gate_answer(const struct weir_gate_result *result)
{
	return weir_gate_is_undecided(result) ? "undecided"
	                                      : weir_gate_verdict_name(result->verdict);
}

/* "12 of 20 rows proven unchanged, 8 open (tokenize, prefill)". */
static void headline_pass(const struct weir_gate_result *result, struct weir_text *out)
{
	uint64_t open = result->counts.inconclusive;

	if (open) {
		weir_text_count(out, result->counts.no_change);
		weir_text_puts(out, " of ");
		weir_items_number(out, result->counts.judged, "row");
		weir_text_puts(out, " proven unchanged, ");
		weir_text_count(out, open);
		weir_text_puts(out, " open (");
		add_scopes(result, WEIR_OUTCOME_INCONCLUSIVE, out);
		weir_text_puts(out, ")");
	} else {
		weir_text_puts(out, "no regression in ");
		weir_items_number(out, result->counts.judged, "row");
	}
	if (result->counts.waived) {
		weir_text_puts(out, ", ");
		weir_text_count(out, result->counts.waived);
		weir_text_puts(out, " waived");
	}
}

/* Returns the row that the runs alone would decide most clearly, and sessions do not; NULL: none.
 */
static const struct weir_row *worst_of_sessions(const struct weir_gate_result *result)
{
	const struct weir_row *worst = NULL;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->outcome == WEIR_OUTCOME_INCONCLUSIVE && row->reason &&
		    weir_gate_worsening(row, false) >= row->margin && (!worst || row->p < worst->p))
			worst = row;
	}
	return worst;
}

static void headline_inconclusive(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_row *row = worst_of_sessions(result);

	if (row) {
		weir_gate_say(row, "{row} changed by {change}", out);
		weir_gate_phrase_proof(row, out);
		weir_text_puts(out, ", and jobs may differ as much");
		return;
	}
	row = weir_gate_first(result, WEIR_OUTCOME_INCONCLUSIVE);
	if (!row || !isfinite(row->change)) {
		weir_text_puts(out, "these runs cannot show whether anything regressed");
		return;
	}
	weir_gate_say(row, "{row} changed by {change}", out);
	weir_gate_phrase_proof(row, out);
	weir_text_puts(out, ", which these runs neither prove nor rule out");
}

static void headline_no_baseline(const struct weir_gate_result *result, struct weir_text *out)
{
	if (!result->baseline_name) {
		weir_text_puts(out, "there is no baseline run to compare with");
		return;
	}
	/* With --bootstrap these runs are the baseline from now on. */
	if (result->exit_code == 0) {
		weir_text_puts(out, "these runs are now the baseline ");
		weir_gate_print_name(result->baseline_name, out);
		weir_text_puts(out, "; later runs are compared with them");
		return;
	}
	weir_text_puts(out, "the baseline ");
	weir_gate_print_name(result->baseline_name, out);
	weir_text_puts(out, " has no runs; nothing was compared");
}

static void headline_environment(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_difference *difference = NULL;

	for (size_t i = 0; i < result->difference_count && !difference; i++) {
		if (result->differences[i].policy == WEIR_ENVIRONMENT_MUST)
			difference = &result->differences[i];
	}
	if (difference) {
		weir_gate_print_name(difference->key, out);
		weir_text_puts(out, " differs: ");
		weir_gate_print_name(difference->baseline, out);
		weir_text_puts(out, " in the baseline, ");
		weir_gate_print_name(difference->candidate, out);
		weir_text_puts(out, " in the candidate");
	} else {
		weir_text_puts(out, "baseline and candidate were measured on different machines");
	}
	weir_text_puts(out, weir_gate_compared(result) ? "" : "; nothing was compared");
}

/* Returns the first missing row; operators come last. */
static const struct weir_row *first_missing(const struct weir_gate_result *result)
{
	const struct weir_row *found = NULL;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->outcome == WEIR_OUTCOME_MISSING &&
		    (!found ||
		     (found->kind == WEIR_SCOPE_OPERATOR && row->kind != WEIR_SCOPE_OPERATOR)))
			found = row;
	}
	return found;
}

static void headline_coverage(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_row *row = first_missing(result);

	if (result->incomplete) {
		weir_gate_print_text(result->incomplete, out);
		return;
	}
	if (!row) {
		weir_text_puts(out, "baseline and candidate have nothing in common; nothing was "
		                    "compared");
		return;
	}
	weir_gate_say(row, "{subject} is in the baseline but not in the candidate", out);
}

/* Names the first row of the outcome that caused the verdict. */
static void headline_row(const struct weir_gate_result *result, enum weir_outcome outcome,
                         struct weir_text *out)
{
	const struct weir_row *row = weir_gate_first(result, outcome);

	if (row)
		weir_gate_phrase_row(row, out);
	else
		weir_text_puts(out, "the rows behind this verdict are not in the result");
}

/* Phrases the worst finding of the outcome. */
static void headline_finding(const struct weir_gate_result *result, enum weir_outcome outcome,
                             struct weir_text *out)
{
	for (size_t i = 0; i < result->finding_count; i++)
		if (result->findings[i].outcome == outcome) {
			weir_gate_phrase_finding(result, &result->findings[i], out);
			return;
		}
	headline_row(result, outcome, out);
}

static void headline_regression(const struct weir_gate_result *result, struct weir_text *out)
{
	headline_finding(result, WEIR_OUTCOME_REGRESSION, out);
	if (!result->since || !weir_gate_first(result, WEIR_OUTCOME_REGRESSION))
		return;
	weir_text_puts(out, ", since ");
	weir_gate_print_name(result->since, out);
}

static void headline_improvement(const struct weir_gate_result *result, struct weir_text *out)
{
	headline_row(result, WEIR_OUTCOME_IMPROVEMENT, out);
}

static void headline_suspect(const struct weir_gate_result *result, struct weir_text *out)
{
	headline_finding(result, WEIR_OUTCOME_SUSPECT, out);
}

void weir_gate_phrase_headline(const struct weir_gate_result *result, struct weir_text *out)
{
	static void (*const headlines[])(const struct weir_gate_result *, struct weir_text *) = {
		[WEIR_GATE_PASS] = headline_pass,
		[WEIR_GATE_REGRESSION] = headline_regression,
		[WEIR_GATE_IMPROVEMENT] = headline_improvement,
		[WEIR_GATE_INCONCLUSIVE] = headline_inconclusive,
		[WEIR_GATE_SUSPECT] = headline_suspect,
		[WEIR_GATE_NO_BASELINE] = headline_no_baseline,
		[WEIR_GATE_ENVIRONMENT] = headline_environment,
		[WEIR_GATE_COVERAGE] = headline_coverage,
	};

	headlines[result->verdict](result, out);
}

bool weir_gate_phrase_tally(const struct weir_gate_tally *tally, size_t count,
                            struct weir_text *out)
{
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		if (!tally[i].rows)
			continue;
		weir_text_puts(out, any ? ", " : "");
		weir_text_count(out, tally[i].rows);
		weir_text_printf(out, " %s", tally[i].what);
		any = true;
	}
	return any;
}

void weir_gate_phrase_counts(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_counts *counts = &result->counts;
	const struct weir_gate_tally tally[] = {
		{counts->no_change, "unchanged"},        {counts->inconclusive, "inconclusive"},
		{counts->improvements, "improved"},      {counts->waived, "waived"},
		{counts->moved, "moved within a stage"}, {counts->informational, "not judged"},
	};
	uint64_t sum = 0;

	for (size_t i = 0; i < WEIR_COUNT_OF(tally); i++)
		sum += tally[i].rows;
	if (!sum)
		return;
	weir_items_number(out, sum, "row");
	if (sum == counts->informational) {
		weir_text_puts(out, counts->judged ? " not judged" : ", none judged");
		return;
	}
	weir_text_puts(out, " without a regression: ");
	weir_gate_phrase_tally(tally, WEIR_COUNT_OF(tally), out);
}

/* Returns the row that speaks for the sensitivity of a scope; operators are left out: they are
 * many. */
static bool is_sight(const struct weir_row *row)
{
	return (row->metric == WEIR_METRIC_P50 || row->metric == WEIR_METRIC_VALUE) &&
	       row->kind != WEIR_SCOPE_OPERATOR && row->scope && !isnan(row->mde);
}

static bool is_seen(const struct weir_row *row)
{
	return row->mde <= BLIND_MARGINS * row->margin;
}

/* Appends the scopes that are seen, or not, at most NAMED_SIGHTS of them, and returns the largest
 * effect among all of them; NAN: none. */
static double add_sights(const struct weir_gate_result *result, bool seen, struct weir_text *out)
{
	double most = NAN;
	size_t count = 0;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (!is_sight(row) || is_seen(row) != seen)
			continue;
		most = fmax(most, row->mde);
		if (count++ >= NAMED_SIGHTS)
			continue;
		weir_text_puts(out, count > 1 ? ", " : "");
		weir_gate_say(row, "{subject}", out);
		if (seen || isnan(row->spread))
			continue;
		weir_text_puts(out, " (spread ");
		weir_gate_print_limit(row->spread, out);
		weir_text_puts(out, ")");
	}
	if (count > NAMED_SIGHTS)
		weir_text_printf(out, " and %zu more", count - NAMED_SIGHTS);
	return most;
}

void weir_gate_phrase_seen(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text seen = {0}, blind = {0};
	double least, worst;

	/* One session a side shows no change of any size. */
	if (result->sessions.design == WEIR_SESSIONS_CONFOUNDED)
		return;
	least = add_sights(result, true, &seen);
	worst = add_sights(result, false, &blind);
	if (!isnan(least)) {
		weir_text_puts(out, "sees ");
		weir_gate_print_limit(least, out);
		weir_text_printf(out, " or more in %s", seen.data);
	}
	if (!isnan(worst))
		weir_text_printf(out, "%sblind in %s", isnan(least) ? "" : "; ", blind.data);
	weir_text_release(&seen);
	weir_text_release(&blind);
}

static void add_baseline_word(const struct weir_gate_result *result, struct weir_text *out)
{
	const char *name = result->baseline_name;

	if (name && strlen(name) <= LONGEST_WORD)
		weir_gate_print_shell_word(name, out);
	else
		weir_text_puts(out, "NAME");
}

void weir_gate_phrase_command(const struct weir_gate_result *result, struct weir_text *out)
{
	if (result->command && strlen(result->command) <= LONGEST_COMMAND) {
		weir_escape_plain(out, result->command);
		return;
	}
	if (!result->baseline_name) {
		weir_text_puts(out, "weir compare --base RUN... --head RUN...");
		return;
	}
	weir_text_puts(out, "weir gate RUN... --baseline ");
	add_baseline_word(result, out);
}

static void next_after_regression(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text waivers = {0};
	bool all = weir_gate_print_acceptance(result, WEIR_GATE_LONG_SCOPE, &waivers);

	if (waivers.length)
		weir_text_puts(out, all ? "put this into weir.json"
		                        : "put this into weir.json for the changes that a waiver "
		                          "can cover; a ceiling must be raised there instead");
	else
		weir_text_puts(out, "no waiver covers this: raise the ceiling in weir.json");
	if (waivers.length &&
	    weir_gate_count_findings(result, WEIR_OUTCOME_REGRESSION) > WEIR_GATE_WAIVERS)
		weir_text_printf(out, " (for the first %d findings)", WEIR_GATE_WAIVERS);
	weir_text_release(&waivers);
}

const char *weir_gate_phrase_next(const struct weir_gate_result *result, struct weir_text *out)
{
	if (result->verdict == WEIR_GATE_REGRESSION) {
		next_after_regression(result, out);
		return "to accept it";
	}
	if (result->verdict == WEIR_GATE_NO_BASELINE && result->exit_code == 0)
		return NULL; /* the runs were recorded: see the remarks */
	if (!result->advice_count || !result->advice->text || !result->advice->label)
		return NULL;
	weir_escape_plain(out, result->advice->text);
	return result->advice->label;
}

/* ---- runs, environment and bounds ---- */

/* Returns the first row with samples. Rows are ordered, so it is the worst one. */
static const struct weir_row *row_with_samples(const struct weir_gate_result *result)
{
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->baseline_samples && row->candidate_samples &&
		    row->kind != WEIR_SCOPE_METRIC)
			return row;
	}
	return NULL;
}

static void add_runs(const struct weir_gate_result *result, struct weir_items *items)
{
	const struct weir_row *row = row_with_samples(result);
	struct weir_text *out = weir_items_add(items);

	weir_items_number(out, result->baseline.runs, "baseline run");
	if (row && row->baseline_samples != row->candidate_samples) {
		weir_text_puts(out, " of ");
		weir_text_count(out, row->baseline_samples);
	}
	weir_text_puts(out, ", ");
	weir_items_number(out, result->candidate.runs, "candidate run");
	if (row) {
		weir_text_puts(out, " of ");
		weir_items_number(out, row->candidate_samples, "sample");
	}
}

static const char *label_of(const struct weir_side *side, const char *key)
{
	for (size_t i = 0; i < side->label_count; i++) {
		if (side->labels[i].key && !strcmp(side->labels[i].key, key))
			return side->labels[i].value;
	}
	return NULL;
}

static void add_device(const struct weir_gate_result *result, struct weir_items *items)
{
	const struct weir_side *sides[] = {&result->candidate, &result->baseline};
	const char *gpu = NULL, *count = NULL;
	struct weir_text *out;

	for (size_t i = 0; i < 2 && !gpu; i++) {
		gpu = label_of(sides[i], "gpu");
		count = label_of(sides[i], "gpu_count");
	}
	if (!gpu)
		return;
	out = weir_items_add(items);
	if (count && strcmp(count, "1") != 0) {
		weir_gate_print_name(count, out);
		weir_text_puts(out, " x ");
	}
	weir_gate_print_name(gpu, out);
}

static void add_day(const char *time, struct weir_text *out)
{
	char day[LATEST_DAY + 1] = "";
	size_t length = strlen(time);

	memcpy(day, time, length < LATEST_DAY ? length : LATEST_DAY);
	weir_gate_print_name(day, out);
}

static void add_baseline(const struct weir_gate_result *result, struct weir_items *items)
{
	const char *first = result->recorded_first, *last = result->recorded_last;
	struct weir_text *out;

	if (!result->baseline_name)
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "baseline ");
	weir_gate_print_name(result->baseline_name, out);
	if (!last)
		return;
	weir_text_puts(out, " of ");
	if (first && strncmp(first, last, LATEST_DAY) != 0) {
		add_day(first, out);
		weir_text_puts(out, " to ");
	}
	add_day(last, out);
}

static void add_environment(const struct weir_gate_result *result, struct weir_items *items)
{
	struct weir_text *out = weir_items_add(items);

	if (!result->difference_count) {
		weir_text_puts(out, result->environment_match ? "environment equal"
		                                              : "environment unknown");
		return;
	}
	weir_items_number(out, result->difference_count, "difference");
	weir_text_puts(out, " in the environment");
}

void weir_gate_items_context(const struct weir_gate_result *result, struct weir_items *items)
{
	add_runs(result, items);
	add_device(result, items);
	add_baseline(result, items);
	if (result->baseline.runs && result->candidate.runs)
		add_environment(result, items);
}

static void add_bound_name(enum weir_bound bound, const char *cause, struct weir_text *out)
{
	weir_text_puts(out, weir_bound_name(bound));
	if (cause) {
		weir_text_puts(out, " (");
		weir_gate_print_name(cause, out);
		weir_text_puts(out, ")");
	}
}

/* Names the causes only if the bound or the cause changed. */
static void add_bound(const struct weir_gate_result *result, struct weir_items *items)
{
	const char *before = result->baseline_cause, *after = result->candidate_cause;
	bool same_cause = before && after ? !strcmp(before, after) : before == after;
	bool same = result->baseline_bound == result->candidate_bound;
	struct weir_text *out;

	if (!result->has_candidate_bound)
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "bound");
	if (result->bound_stage) {
		weir_text_puts(out, " of ");
		weir_gate_print_name(result->bound_stage, out);
	}
	weir_text_puts(out, ": ");
	if (!result->has_baseline_bound) {
		add_bound_name(result->candidate_bound, after, out);
	} else if (same && same_cause) {
		weir_text_printf(out, "%s, as before", weir_bound_name(result->candidate_bound));
	} else {
		add_bound_name(result->baseline_bound, before, out);
		weir_text_puts(out, ", now ");
		add_bound_name(result->candidate_bound, after, out);
	}
}

/* Lists the metrics in which the scope of the worst finding regressed, if it is the only one. */
static void add_found_by(const struct weir_gate_result *result, struct weir_items *items)
{
	const struct weir_gate_finding *finding = result->findings;
	bool found[WEIR_METRIC_COUNT] = {false};
	size_t count = 0, said = 0;
	struct weir_text *out;

	if (weir_gate_count_findings(result, WEIR_OUTCOME_REGRESSION) != 1 ||
	    isfinite(finding->alike))
		return;
	for (size_t i = 0; i < finding->row_count; i++) {
		const struct weir_row *row = &result->rows[finding->rows[i]];

		if (row->metric < WEIR_METRIC_VALUE && !found[row->metric] &&
		    !strcmp(row->scope, weir_gate_lead(result, finding)->scope)) {
			found[row->metric] = true;
			count++;
		}
	}
	if (!count)
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "found by ");
	for (int metric = 0; metric < WEIR_METRIC_VALUE; metric++) {
		if (!found[metric])
			continue;
		weir_text_puts(out, !said ? "" : said + 1 == count ? " and " : ", ");
		weir_text_puts(out, metric == WEIR_METRIC_SHIFT
		                            ? "the overall shift"
		                            : weir_metric_name((enum weir_metric)metric));
		said++;
	}
}

void weir_gate_items_bound(const struct weir_gate_result *result, struct weir_items *items)
{
	add_bound(result, items);
	add_found_by(result, items);
}
