/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_phrases.h"

#define LONGEST_WORD 100 /* of a name in a command; a longer one is no name that anyone types */
#define MOST_SEEN    1   /* a larger change that would be seen is not told to the percent */

/* How a row's change is said: BEFORE subject VERB change TAIL. */
struct wording {
	const char *before, *verb, *doubtful, *up, *down;
};

static const struct wording wordings[] = {
	[WEIR_SCOPE_STAGE] = {"", "got", "looks", "slower", "faster"},
	[WEIR_SCOPE_DEVICE] = {"device time of ", "is", "looks", "longer", "shorter"},
	[WEIR_SCOPE_OPERATOR] = {"", "takes", "seems to take", "more device time",
                                 "less device time"},
	[WEIR_SCOPE_METRIC] = {"", "is", "looks", "higher", "lower"},
	[WEIR_SCOPE_ALL_OPERATORS] = {"", "got", "look", "slower", "faster"},
};

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

static void add_subject(const struct weir_row *row, struct weir_text *out)
{
	if (row->kind == WEIR_SCOPE_ALL_OPERATORS) {
		weir_text_puts(out, "all operators together");
		return;
	}
	weir_gate_print_name(row->name, out);
	if (row->kind == WEIR_SCOPE_OPERATOR && row->stage) {
		weir_text_puts(out, " in ");
		weir_gate_print_name(row->stage, out);
	}
}

static void add_place(enum weir_metric metric, struct weir_text *out)
{
	switch (metric) {
	case WEIR_METRIC_P50:
	case WEIR_METRIC_P90:
	case WEIR_METRIC_P95:
	case WEIR_METRIC_P99:
		weir_text_printf(out, " at %s", weir_metric_name(metric));
		return;
	case WEIR_METRIC_SHIFT:
		weir_text_puts(out, " overall");
		return;
	case WEIR_METRIC_VALUE:
	case WEIR_METRIC_COUNT:
		return;
	}
}

/* "(572 -> 599 us, 90 % interval +4.2 to +5.2 %)" */
static void add_proof(const struct weir_row *row, struct weir_text *out)
{
	bool valued = isfinite(row->baseline) && isfinite(row->candidate);
	bool sure = isfinite(row->low) && isfinite(row->high);

	if (!valued && !sure)
		return;
	weir_text_puts(out, " (");
	if (valued)
		weir_gate_print_pair(row, out);
	if (sure) {
		weir_text_puts(out, valued ? ", 90 % interval " : "90 % interval ");
		weir_gate_print_interval(row, out);
	}
	weir_text_puts(out, ")");
}

void weir_gate_phrase_row(const struct weir_row *row, struct weir_text *out)
{
	const struct wording *words = &wordings[row->kind];
	bool doubtful = row->outcome == WEIR_OUTCOME_SUSPECT;

	weir_text_puts(out, words->before);
	add_subject(row, out);
	weir_text_printf(out, " %s ", doubtful ? words->doubtful : words->verb);
	weir_gate_print_size(row->change, out);
	weir_text_printf(out, " %s", row->change < 0 ? words->down : words->up);
	add_place(row->metric, out);
	add_proof(row, out);
}

static void headline_pass(const struct weir_gate_result *result, struct weir_text *out)
{
	uint64_t open = result->counts.inconclusive;

	weir_text_puts(out, "no regression in ");
	weir_gate_print_counted(result->counts.judged, "row", out);
	if (result->counts.waived) {
		weir_text_puts(out, ", ");
		weir_text_count(out, result->counts.waived);
		weir_text_puts(out, " waived");
	}
	if (open) {
		weir_text_puts(out, "; these runs leave ");
		weir_text_count(out, open);
		weir_text_puts(out, " undecided");
	}
}

static void headline_inconclusive(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_row *row = weir_gate_first(result, WEIR_OUTCOME_INCONCLUSIVE);

	if (!row || !isfinite(row->change)) {
		weir_text_puts(out, "these runs cannot settle whether anything regressed");
		return;
	}
	weir_gate_print_row(row, out);
	weir_text_puts(out, " moved by ");
	weir_gate_print_change(row->change, out);
	add_proof(row, out);
	weir_text_puts(out, ", which these runs cannot settle");
}

static void headline_no_baseline(const struct weir_gate_result *result, struct weir_text *out)
{
	if (!result->baseline_name) {
		weir_text_puts(out, "there is no run to compare with");
		return;
	}
	/* A bootstrap: the runs are the baseline from now on. */
	if (result->exit_code == 0) {
		weir_text_puts(out, "these runs are the first of ");
		weir_gate_print_name(result->baseline_name, out);
		weir_text_puts(out, "; later ones are compared with them");
		return;
	}
	weir_text_puts(out, "no run is recorded under ");
	weir_gate_print_name(result->baseline_name, out);
	weir_text_puts(out, "; nothing was compared");
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
		weir_text_puts(out, " now");
	} else {
		weir_text_puts(out, "baseline and candidate were measured on different machines");
	}
	weir_text_puts(out, weir_gate_compared(result) ? "" : "; nothing was compared");
}

/* What is gone, the stages and figures before the operators. */
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

	if (!row) {
		weir_text_puts(out, "baseline and candidate have nothing in common; nothing was "
		                    "compared");
		return;
	}
	weir_gate_print_subject(row, out);
	weir_text_puts(out, " is in the baseline but not in the candidate");
}

/* A verdict that follows from rows names the first of them. */
static void headline_row(const struct weir_gate_result *result, enum weir_outcome outcome,
                         struct weir_text *out)
{
	const struct weir_row *row = weir_gate_first(result, outcome);

	if (row)
		weir_gate_phrase_row(row, out);
	else
		weir_text_puts(out, "the rows behind this verdict are not in the result");
	if (row && outcome == WEIR_OUTCOME_REGRESSION && result->since) {
		weir_text_puts(out, ", since ");
		weir_gate_print_name(result->since, out);
	}
}

void weir_gate_phrase_headline(const struct weir_gate_result *result, struct weir_text *out)
{
	switch (result->verdict) {
	case WEIR_GATE_PASS:
		headline_pass(result, out);
		return;
	case WEIR_GATE_REGRESSION:
		headline_row(result, WEIR_OUTCOME_REGRESSION, out);
		return;
	case WEIR_GATE_IMPROVEMENT:
		headline_row(result, WEIR_OUTCOME_IMPROVEMENT, out);
		return;
	case WEIR_GATE_SUSPECT:
		headline_row(result, WEIR_OUTCOME_SUSPECT, out);
		return;
	case WEIR_GATE_INCONCLUSIVE:
		headline_inconclusive(result, out);
		return;
	case WEIR_GATE_NO_BASELINE:
		headline_no_baseline(result, out);
		return;
	case WEIR_GATE_ENVIRONMENT:
		headline_environment(result, out);
		return;
	case WEIR_GATE_COVERAGE:
		headline_coverage(result, out);
		return;
	}
}

void weir_gate_phrase_counts(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_gate_counts *counts = &result->counts;
	const struct {
		uint64_t count;
		const char *what;
	} parts[] = {
		{counts->no_change, "unchanged"},        {counts->inconclusive, "inconclusive"},
		{counts->improvements, "improved"},      {counts->waived, "waived"},
		{counts->moved, "moved inside a stage"}, {counts->informational, "not judged"},
	};
	uint64_t sum = 0;
	bool any = false;

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		sum += parts[i].count;
	if (!sum)
		return;
	weir_gate_print_counted(sum, "row", out);
	if (sum == counts->informational) {
		weir_text_puts(out, counts->judged ? " not judged" : ", none judged");
		return;
	}
	weir_text_puts(out, " without a regression: ");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].count)
			continue;
		weir_text_puts(out, any ? ", " : "");
		weir_text_count(out, parts[i].count);
		weir_text_printf(out, " %s", parts[i].what);
		any = true;
	}
}

static void add_seen_limit(double change, struct weir_text *out)
{
	weir_text_puts(out, change > MOST_SEEN ? "over " : "");
	weir_gate_print_limit(fmin(change, MOST_SEEN), out);
}

/* The range of what rows of a metric would have shown; operators have many rows and their own. */
static void add_seen(const struct weir_gate_result *result, enum weir_metric metric,
                     struct weir_text *out)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->metric != metric || row->kind == WEIR_SCOPE_OPERATOR ||
		    !isfinite(row->mde))
			continue;
		low = fmin(low, row->mde);
		high = fmax(high, row->mde);
	}
	if (!isfinite(low))
		return;
	weir_text_printf(out, "%s%s from ", out->length ? ", " : "", weir_metric_name(metric));
	add_seen_limit(low, out);
	if (high - low > 5e-3 && low <= MOST_SEEN) {
		weir_text_puts(out, " to ");
		add_seen_limit(high, out);
	}
}

void weir_gate_phrase_seen(const struct weir_gate_result *result, struct weir_text *out)
{
	struct weir_text seen = {0};

	for (int metric = 0; metric < WEIR_METRIC_COUNT; metric++)
		add_seen(result, (enum weir_metric)metric, &seen);
	weir_text_puts(out, seen.data ? seen.data : "");
	weir_text_release(&seen);
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
	if (!result->baseline_name) {
		weir_text_puts(out, "weir compare --base RUN... --head RUN...");
		return;
	}
	weir_text_puts(out, "weir gate RUN... --baseline ");
	add_baseline_word(result, out);
}

static void next_after_regression(const struct weir_gate_result *result, struct weir_text *out)
{
	const struct weir_row *row = weir_gate_first(result, WEIR_OUTCOME_REGRESSION);

	weir_text_puts(out, "add a waiver for ");
	weir_gate_print_name(row ? row->scope : NULL, out);
	weir_text_puts(out, " to weir.json; to look closer: ");
	weir_gate_phrase_command(result, out);
	weir_text_puts(out, " --all");
}

static void next_recording(const struct weir_gate_result *result, const char *why,
                           struct weir_text *out)
{
	weir_text_printf(out, "%sweir baseline record RUN... --name ", why);
	add_baseline_word(result, out);
}

const char *weir_gate_phrase_next(const struct weir_gate_result *result, struct weir_text *out)
{
	switch (result->verdict) {
	case WEIR_GATE_PASS:
		return NULL;
	case WEIR_GATE_IMPROVEMENT:
		next_recording(result, "", out);
		return "to keep it";
	case WEIR_GATE_REGRESSION:
		next_after_regression(result, out);
		return "to accept it";
	case WEIR_GATE_SUSPECT:
	case WEIR_GATE_INCONCLUSIVE:
		weir_text_puts(out, "measure more runs, then: ");
		weir_gate_phrase_command(result, out);
		return "to settle it";
	case WEIR_GATE_NO_BASELINE:
		if (result->exit_code == 0)
			return NULL; /* the runs have been recorded: see the remarks */
		next_recording(result, "", out);
		weir_text_puts(out, " (or weir gate --bootstrap, which records these runs)");
		return "to begin";
	case WEIR_GATE_ENVIRONMENT:
		weir_text_puts(out, "record a baseline on this machine under a name of its own: "
		                    "weir baseline record RUN... --name NAME; where two names "
		                    "mean one machine: environment_aliases in weir.json");
		return "to compare";
	case WEIR_GATE_COVERAGE:
		next_recording(result,
		               "measure it again; if it went on purpose, record anew: ", out);
		return "to go on";
	}
	return NULL;
}
