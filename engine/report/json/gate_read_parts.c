/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/json/gate_read.h"
#include "engine/report/json/gate_read_impl.h"

/* ---- what was compared ---- */

static void read_labels(struct weir_result_reader *reader, const cJSON *object,
                        struct weir_side *side)
{
	const cJSON *item, *labels = weir_result_take_object(reader, object, "labels");
	size_t count = labels ? (size_t)cJSON_GetArraySize(labels) : 0, i = 0;

	if (count > WEIR_GATE_MAX_ROWS) {
		weir_result_fail(reader, WEIR_E_LIMIT, "labels", "fewer entries");
		return;
	}
	side->labels = weir_arena_alloc(reader->arena, (count + 1) * sizeof(*side->labels));
	cJSON_ArrayForEach (item, labels) {
		size_t length = strlen(item->string);

		if (length > WEIR_RESULT_MAX_TEXT)
			weir_result_fail(reader, WEIR_E_LIMIT, "labels", "shorter keys");
		if (reader->status)
			return;
		side->labels[i].key = weir_arena_copy(reader->arena, item->string, length);
		side->labels[i++].value = weir_result_copy_text(reader, item->string, item);
	}
	side->label_count = count;
}

static void read_difference(struct weir_result_reader *reader, const cJSON *item,
                            struct weir_difference *difference)
{
	const char *policy = weir_result_take_text(reader, item, "policy");

	difference->key = weir_result_take_text(reader, item, "key");
	difference->baseline = weir_result_take_text(reader, item, "baseline");
	difference->candidate = weir_result_take_text(reader, item, "candidate");
	if (!policy || (strcmp(policy, "must") != 0 && strcmp(policy, "warn") != 0))
		weir_result_fail(reader, WEIR_E_FORMAT, "policy", "must or warn");
	else if (!strcmp(policy, "warn"))
		difference->policy = WEIR_ENVIRONMENT_WARN;
}

static void read_environment(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const cJSON *object = weir_result_take_object(reader, document, "environment");
	const cJSON *item, *list;
	size_t count, i = 0;

	result->environment_match = weir_result_take_bool(reader, object, "match");
	list = weir_result_take_array(reader, object, "differences", WEIR_GATE_MAX_ROWS, &count);
	result->differences =
		weir_arena_alloc(result->arena, (count + 1) * sizeof(*result->differences));
	cJSON_ArrayForEach (item, list) {
		read_difference(reader, item, &result->differences[i]);
		weir_result_in(reader, "differences[%zu]", i++);
		if (reader->status)
			break;
	}
	result->difference_count = count;
	weir_result_in(reader, "environment");
}

static void read_counts(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "counts");
	struct weir_gate_counts *counts = &reader->gate->counts;
	const struct {
		const char *key;
		uint64_t *count;
	} members[] = {
		{"judged", &counts->judged},
		{"regressions", &counts->regressions},
		{"improvements", &counts->improvements},
		{"no_change", &counts->no_change},
		{"inconclusive", &counts->inconclusive},
		{"informational", &counts->informational},
		{"waived", &counts->waived},
		{"missing", &counts->missing},
		{"new", &counts->added},
		{"suspect", &counts->suspect},
		{"moved", &counts->moved},
	};

	for (size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++)
		*members[i].count = weir_result_take_count(reader, object, members[i].key);
	weir_result_in(reader, "counts");
}

/* Does nothing after a failure, so that no place is named twice. */
void weir_gate_read_sides(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const char *recorded[2] = {NULL, NULL};
	const cJSON *object;

	if (reader->status)
		return;
	object = weir_result_take_object(reader, document, "baseline");
	result->baseline_name = weir_result_take_text(reader, object, "name");
	result->baseline.runs = weir_result_take_count(reader, object, "runs");
	read_labels(reader, object, &result->baseline);
	weir_result_take_texts(reader, object, "recorded", recorded);
	result->recorded_first = recorded[0];
	result->recorded_last = recorded[1];
	weir_result_in(reader, "baseline");
	if (reader->status)
		return;
	object = weir_result_take_object(reader, document, "candidate");
	result->candidate.runs = weir_result_take_count(reader, object, "runs");
	read_labels(reader, object, &result->candidate);
	weir_result_in(reader, "candidate");
	if (!reader->status)
		read_environment(reader, document);
	if (!reader->status)
		read_counts(reader, document);
}

/* ---- rows ---- */

/* Stage and name as stated; a file of other hands may leave them to the scope. */
static void read_scope(struct weir_result_reader *reader, const cJSON *item, struct weir_row *row)
{
	const char *rest = NULL, *slash;

	row->scope = weir_result_take_text(reader, item, "scope");
	row->stage = weir_result_take_text(reader, item, "stage");
	row->name = weir_result_take_text(reader, item, "name");
	if (!row->scope || !weir_scope_parse(row->scope, &row->kind, &rest)) {
		weir_result_fail(reader, WEIR_E_FORMAT, "scope",
		                 "stage:, device:, operator:, metric: or all-operators");
		return;
	}
	slash = row->kind == WEIR_SCOPE_OPERATOR ? strchr(rest, '/') : NULL;
	if (!cJSON_GetObjectItemCaseSensitive(item, "name") && *rest)
		row->name = slash ? slash + 1 : rest;
	if (!cJSON_GetObjectItemCaseSensitive(item, "stage") && slash)
		row->stage = weir_arena_copy(reader->arena, rest, (size_t)(slash - rest));
}

static void read_waiver(struct weir_result_reader *reader, const cJSON *item, struct weir_row *row)
{
	const cJSON *object = weir_result_take_object(reader, item, "waiver");
	struct weir_waiver *waiver;

	if (!object)
		return;
	waiver = weir_arena_alloc(reader->arena, sizeof(*waiver));
	waiver->up_to = weir_result_take_number(reader, object, "up_to");
	waiver->reason = weir_result_take_text(reader, object, "reason");
	waiver->issue = weir_result_take_text(reader, object, "issue");
	waiver->expires = weir_result_take_text(reader, object, "expires");
	waiver->expired = weir_result_take_bool(reader, object, "expired");
	waiver->exceeded = weir_result_take_bool(reader, object, "exceeded");
	row->waiver = waiver;
	weir_result_in(reader, "waiver");
}

static void read_words(struct weir_result_reader *reader, const cJSON *item, struct weir_row *row)
{
	const char *metric = weir_result_take_text(reader, item, "metric");
	const char *outcome = weir_result_take_text(reader, item, "outcome");

	if (!metric || !weir_metric_parse(metric, &row->metric))
		weir_result_fail(reader, WEIR_E_FORMAT, "metric",
		                 "p50, p90, p95, p99, shift or value");
	if (!outcome || !weir_outcome_parse(outcome, &row->outcome))
		weir_result_fail(reader, WEIR_E_FORMAT, "outcome", "an outcome of weir.gate/1");
	row->unit = weir_result_take_text(reader, item, "unit");
	row->note = weir_result_take_text(reader, item, "note");
}

static void read_figures(struct weir_result_reader *reader, const cJSON *item, struct weir_row *row)
{
	double interval[2], calls[2];
	uint64_t samples[2];

	row->baseline = weir_result_take_number(reader, item, "baseline");
	row->candidate = weir_result_take_number(reader, item, "candidate");
	row->change = weir_result_take_number(reader, item, "change");
	weir_result_take_numbers(reader, item, "ci90", interval);
	row->low = interval[0];
	row->high = interval[1];
	row->p = weir_result_take_number(reader, item, "p");
	row->p_adjusted = weir_result_take_number(reader, item, "p_adjusted");
	row->margin = weir_result_take_number(reader, item, "margin");
	row->mde = weir_result_take_number(reader, item, "mde");
	row->runs_needed = weir_result_take_number(reader, item, "runs_needed");
	weir_result_take_counts(reader, item, "samples", samples);
	row->baseline_samples = samples[0];
	row->candidate_samples = samples[1];
	row->contributed_ns = weir_result_take_number(reader, item, "contributed_ns");
	weir_result_take_numbers(reader, item, "calls", calls);
	row->baseline_calls = calls[0];
	row->candidate_calls = calls[1];
}

static void read_row(struct weir_result_reader *reader, const cJSON *item, struct weir_row *row)
{
	if (!cJSON_IsObject(item)) {
		weir_result_fail(reader, WEIR_E_FORMAT, "row", "an object");
		return;
	}
	read_scope(reader, item, row);
	read_words(reader, item, row);
	read_figures(reader, item, row);
	if (!reader->status)
		read_waiver(reader, item, row);
}

void weir_gate_read_rows(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const cJSON *item, *list;
	size_t count, i = 0;

	if (reader->status)
		return;
	list = weir_result_take_array(reader, document, "rows", WEIR_GATE_MAX_ROWS, &count);
	result->rows = weir_arena_alloc(result->arena, (count + 1) * sizeof(*result->rows));
	cJSON_ArrayForEach (item, list) {
		read_row(reader, item, &result->rows[i]);
		weir_result_in(reader, "rows[%zu]", i++);
		if (reader->status)
			return;
	}
	result->row_count = count;
}

/* ---- bound, contributions, remarks ---- */

static bool read_bound_name(struct weir_result_reader *reader, const cJSON *object, const char *key,
                            enum weir_bound *out)
{
	const char *name = weir_result_take_text(reader, object, key);

	if (name && !weir_bound_parse(name, out))
		weir_result_fail(reader, WEIR_E_FORMAT, key, "a bound or null");
	return name != NULL;
}

static void read_bound(struct weir_result_reader *reader, const cJSON *document)
{
	const cJSON *object = weir_result_take_object(reader, document, "bound");
	struct weir_gate_result *result = reader->gate;
	const char *causes[2] = {NULL, NULL};

	result->has_baseline_bound =
		read_bound_name(reader, object, "baseline", &result->baseline_bound);
	result->has_candidate_bound =
		read_bound_name(reader, object, "candidate", &result->candidate_bound);
	result->bound_stage = weir_result_take_text(reader, object, "stage");
	weir_result_take_texts(reader, object, "cause", causes);
	result->baseline_cause = causes[0];
	result->candidate_cause = causes[1];
	weir_result_in(reader, "bound");
}

static void read_contribution(struct weir_result_reader *reader, const cJSON *item,
                              struct weir_contribution *part)
{
	double calls[2];

	if (!cJSON_IsObject(item))
		weir_result_fail(reader, WEIR_E_FORMAT, "entry", "an object");
	part->stage = weir_result_take_text(reader, item, "stage");
	part->operator= weir_result_take_text(reader, item, "operator");
	part->delta_ns = weir_result_take_number(reader, item, "delta_ns");
	weir_result_take_numbers(reader, item, "calls", calls);
	part->baseline_calls = calls[0];
	part->candidate_calls = calls[1];
}

static void read_contributions(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const cJSON *item, *list;
	size_t count, i = 0;

	list = weir_result_take_array(reader, document, "contributions", WEIR_GATE_MAX_ROWS,
	                              &count);
	result->contributions =
		weir_arena_alloc(result->arena, (count + 1) * sizeof(*result->contributions));
	cJSON_ArrayForEach (item, list) {
		read_contribution(reader, item, &result->contributions[i]);
		weir_result_in(reader, "contributions[%zu]", i++);
		if (reader->status)
			return;
	}
	result->contribution_count = count;
}

static void read_remarks(struct weir_result_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->gate;
	const cJSON *item, *list;
	size_t count, i = 0;

	list = weir_result_take_array(reader, document, "remarks", WEIR_GATE_MAX_ROWS, &count);
	result->remarks = weir_arena_alloc(result->arena, (count + 1) * sizeof(*result->remarks));
	cJSON_ArrayForEach (item, list)
		result->remarks[i++] = weir_result_copy_text(reader, "remarks", item);
	result->remark_count = count;
}

void weir_gate_read_tail(struct weir_result_reader *reader, const cJSON *document)
{
	if (!reader->status)
		read_bound(reader, document);
	if (!reader->status)
		read_contributions(reader, document);
	if (!reader->status)
		read_remarks(reader, document);
	if (!reader->status)
		reader->gate->since = weir_result_take_text(reader, document, "since");
}
