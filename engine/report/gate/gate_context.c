/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines between a gate's answer and its table: what was compared, and the bounds. */
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "engine/report/gate/gate_phrases.h"

#define LATEST_DAY 10 /* characters of "2026-11-20T14:00:00Z" that name the day */

/* The first row with samples stands for all: it is the worst. */
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

	weir_gate_print_counted(result->baseline.runs, "baseline run", out);
	if (row && row->baseline_samples != row->candidate_samples) {
		weir_text_puts(out, " of ");
		weir_text_count(out, row->baseline_samples);
	}
	weir_text_puts(out, ", ");
	weir_gate_print_counted(result->candidate.runs, "candidate run", out);
	if (row) {
		weir_text_puts(out, " of ");
		weir_text_count(out, row->candidate_samples);
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
		                                              : "environment not known");
		return;
	}
	weir_gate_print_counted(result->difference_count, "difference", out);
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

/* A cause is named where it moved and the bound did not, or where both moved. */
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

/* The metrics that found the worst row's scope. */
static void add_found_by(const struct weir_gate_result *result, struct weir_items *items)
{
	const struct weir_row *worst = weir_gate_first(result, WEIR_OUTCOME_REGRESSION);
	bool found[WEIR_METRIC_COUNT] = {false};
	size_t count = 0, said = 0;
	struct weir_text *out;

	if (!worst || !worst->scope)
		return;
	for (size_t i = 0; i < result->row_count; i++) {
		const struct weir_row *row = &result->rows[i];

		if (row->outcome == WEIR_OUTCOME_REGRESSION && row->scope &&
		    row->metric < WEIR_METRIC_VALUE && !found[row->metric] &&
		    !strcmp(row->scope, worst->scope)) {
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
