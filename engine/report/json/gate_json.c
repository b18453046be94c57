/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * weir.gate/1 for writing and reading. Keys are in the order of the contract; keys that the
 * contract does not name are at the end of their object. Figures keep all their digits, so that a
 * stored result renders like the original.
 */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "engine/report/json/document_tables.h"
#include "engine/report/json/gate_pictures.h"
#include "engine/report/json/stored.h"

#define MAX_ROWS WEIR_GATE_MAX_ROWS
#define MAX_EXIT 255

/* ---- sides and environment ---- */

#define OF struct weir_gate_label
static const struct weir_schema label_schema = SCHEMA(BARE, {TEXT(NULL, value)});
#undef OF

#define OF struct weir_difference
static const struct weir_schema difference_schema = SCHEMA(
	LINE, {TEXT("key", key)}, {TEXT("baseline", baseline)}, {TEXT("candidate", candidate)},
	{ENUM("policy", policy, weir_environment_policy), .required = true});
#undef OF

#define OF struct weir_gate_counts
static const struct weir_schema counts_schema =
	SCHEMA(BLOCK, {COUNT("judged", judged)}, {COUNT("regressions", regressions)},
               {COUNT("improvements", improvements)}, {COUNT("no_change", no_change)},
               {COUNT("inconclusive", inconclusive)}, {COUNT("informational", informational)},
               {COUNT("waived", waived)}, {COUNT("missing", missing)}, {COUNT("new", added)},
               {COUNT("suspect", suspect)}, {COUNT("moved", moved)});
#undef OF

/* ---- rows ---- */

#define OF struct weir_waiver
static const struct weir_schema waiver_schema = SCHEMA(
	LINE, {EXACT("up_to", up_to)}, {TEXT("reason", reason)}, {TEXT("issue", issue)},
	{TEXT("expires", expires)}, {BOOL("expired", expired)}, {BOOL("exceeded", exceeded)});
#undef OF

/* Derives a missing stage or name from the scope: other programs may leave them out. */
static enum weir_status check_row(struct weir_document_reader *in, const cJSON *item, void *object)
{
	struct weir_row *row = object;
	const char *rest = NULL, *slash;

	if (!row->scope || !weir_scope_parse(row->scope, &row->kind, &rest))
		return weir_fail(
			in->err, WEIR_E_FORMAT,
			"scope: expected stage:, device:, operator:, metric: or all-operators");
	slash = row->kind == WEIR_SCOPE_OPERATOR ? strchr(rest, '/') : NULL;
	if (!cJSON_GetObjectItemCaseSensitive(item, "name") && *rest)
		row->name = slash ? slash + 1 : rest;
	if (!cJSON_GetObjectItemCaseSensitive(item, "stage") && slash)
		row->stage = weir_arena_copy(in->arena, rest, (size_t)(slash - rest));
	return WEIR_OK;
}

#define OF struct weir_row
static const struct weir_schema interval_schema =
	SCHEMA(TUPLE, ENTRY("low", EXACT(NULL, low)), ENTRY("high", EXACT(NULL, high)));
static const struct weir_schema samples_schema =
	SCHEMA(TUPLE, ENTRY("baseline", COUNT(NULL, baseline_samples)),
               ENTRY("candidate", COUNT(NULL, candidate_samples)));
static const struct weir_schema row_calls_schema =
	SCHEMA(TUPLE, ENTRY("baseline", EXACT(NULL, baseline_calls)),
               ENTRY("candidate", EXACT(NULL, candidate_calls)));

static const struct weir_schema row_schema = SCHEMA_THEN(
	BLOCK, .check = check_row, {TEXT("scope", scope)},
	{ENUM("metric", metric, weir_metric), .required = true}, {EXACT("baseline", baseline)},
	{EXACT("candidate", candidate)}, {TEXT("unit", unit)}, {EXACT("change", change)},
	{PART("ci90", interval_schema)}, {EXACT("p", p)}, {EXACT("p_adjusted", p_adjusted)},
	{EXACT("margin", margin)}, {ENUM("outcome", outcome, weir_outcome), .required = true},
	{EXACT("mde", mde)}, {EXACT("runs_needed", runs_needed)}, {PART("samples", samples_schema)},
	{POINTER("waiver", waiver, waiver_schema)}, {TEXT("note", note)},
	{TEXT("reason", reason), WHEN(POINTER, reason), .omit = true}, {TEXT("stage", stage)},
	{TEXT("name", name)}, {EXACT("contributed_ns", contributed_ns)},
	{PART("calls", row_calls_schema)}, {EXACT("spread", spread)}, {TEXT("renamed", renamed)},
	{TEXT("family", family)});
#undef OF

/* ---- findings ---- */

static const struct weir_schema index_schema =
	SCHEMA(BARE, {.kind = WEIR_MEMBER_INTEGER, .size = sizeof(uint64_t), .most = MAX_ROWS - 1});

/* Checks that the rows of a finding exist; they are read before. */
static enum weir_status check_finding(struct weir_document_reader *in, const cJSON *item,
                                      void *object)
{
	const struct weir_gate_result *result = in->root;
	const struct weir_gate_finding *finding = object;

	(void)item;
	if (finding->row_count == 0)
		return weir_fail(in->err, WEIR_E_FORMAT, "rows: expected at least one index");
	for (size_t i = 0; i < finding->row_count; i++)
		if (finding->rows[i] >= result->row_count)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "rows: %" PRIu64 " is not the index of a row",
			                 finding->rows[i]);
	return WEIR_OK;
}

#define OF struct weir_gate_finding
static const struct weir_schema alike_schema =
	SCHEMA(LINE, {EXACT("change", alike)}, {COUNT("count", alike_count)});
static const struct weir_schema accept_schema =
	SCHEMA(LINE, {EXACT("up_to", up_to)}, {TEXT("expires", until)});

static const struct weir_schema finding_schema = SCHEMA_THEN(
	BLOCK, .check = check_finding, {TEXT("id", scope)},
	{TEXT("scope", scope), .required = true},
	{ENUM("outcome", outcome, weir_outcome), .required = true},
	{LIST("rows", rows, row_count, index_schema, MAX_ROWS), .on_line = true},
	{EXACT("added_ns", added_ns)}, {TEXT("sentence", sentence)}, {TEXT("fix", fix)},
	{PART("alike", alike_schema), WHEN(KNOWN, alike)}, {PART("accept", accept_schema)});
#undef OF

#define OF struct weir_undo
static const struct weir_schema undo_schema =
	SCHEMA(BLOCK, {TEXT("scope", scope)}, {TEXT("fix", fix)}, {TEXT("title", title)},
               {TEXT("how", how)}, {WHOLE("step_ns", step_ns)}, {BOOL("compared", compared)});
#undef OF

static const struct weir_schema command_schema =
	SCHEMA(BARE, {.kind = WEIR_MEMBER_TEXT, .size = sizeof(const char *)});

#define OF struct weir_gate_advice
static const struct weir_schema advice_schema =
	SCHEMA(BLOCK, {TEXT("id", id)}, {TEXT("label", label)}, {TEXT("text", text)},
               {LIST("commands", commands, command_count, command_schema, MAX_ROWS)});
#undef OF

#define OF struct weir_contribution
static const struct weir_schema contribution_calls_schema =
	SCHEMA(TUPLE, ENTRY("baseline", EXACT(NULL, baseline_calls)),
               ENTRY("candidate", EXACT(NULL, candidate_calls)));

static const struct weir_schema contribution_schema = SCHEMA(
	LINE, {TEXT("stage", stage)}, {TEXT("operator", operator)}, {EXACT("delta_ns", delta_ns)},
	{PART("calls", contribution_calls_schema)}, {TEXT("renamed", renamed)});
#undef OF

/* ---- the document ---- */

static void put_moved(struct weir_document_writer *out, const struct weir_member *member,
                      const void *object)
{
	const struct weir_gate_result *result = object;
	bool both = result->has_baseline_bound && result->has_candidate_bound;

	weir_jsonout_bool(out->json, member->key,
	                  both && result->baseline_bound != result->candidate_bound);
}

static const struct weir_schema code_schema =
	SCHEMA(BARE, {.kind = WEIR_MEMBER_INTEGER, .size = sizeof(int), .most = MAX_EXIT});
static const struct weir_schema remark_schema =
	SCHEMA(BARE, {.kind = WEIR_MEMBER_TEXT, .size = sizeof(const char *)});

#define OF struct weir_gate_result
static const struct weir_schema alpha_schema =
	SCHEMA(LINE, {EXACT("operators", alpha_operators)}, {EXACT("stages", alpha_stages)});
static const struct weir_schema sessions_schema = SCHEMA(
	LINE, {ENUM("design", sessions.design, weir_session_design)},
	{COUNT("baseline", sessions.baseline), NULL_IS(0)},
	{COUNT("candidate", sessions.candidate), NULL_IS(0)}, {COUNT("shared", sessions.shared)});
static const struct weir_schema recorded_schema =
	SCHEMA(TUPLE, ENTRY("first", TEXT(NULL, recorded_first)),
               ENTRY("last", TEXT(NULL, recorded_last)));
static const struct weir_schema causes_schema =
	SCHEMA(TUPLE, ENTRY("baseline", TEXT(NULL, baseline_cause)),
               ENTRY("candidate", TEXT(NULL, candidate_cause)));

static const struct weir_schema baseline_schema =
	SCHEMA(BLOCK, {TEXT("name", baseline_name)}, {COUNT("runs", baseline.runs)},
               {MAP("labels", baseline.labels, baseline.label_count, label_schema, MAX_ROWS)},
               {PART("recorded", recorded_schema)});
static const struct weir_schema candidate_schema =
	SCHEMA(BLOCK, {COUNT("runs", candidate.runs)},
               {MAP("labels", candidate.labels, candidate.label_count, label_schema, MAX_ROWS)});
static const struct weir_schema environment_schema =
	SCHEMA(BLOCK, {BOOL("match", environment_match)},
               {LIST("differences", differences, difference_count, difference_schema, MAX_ROWS)});
static const struct weir_schema bound_schema =
	SCHEMA(BLOCK,
               {ENUM("baseline", baseline_bound, weir_bound), .none = WEIR_BOUND_UNDETERMINED,
                WHEN(FLAG, has_baseline_bound)},
               {ENUM("candidate", candidate_bound, weir_bound), .none = WEIR_BOUND_UNDETERMINED,
                WHEN(FLAG, has_candidate_bound)},
               {SPECIAL("moved", put_moved, NULL, FORM(BOOL))}, {TEXT("stage", bound_stage)},
               {PART("cause", causes_schema)});

static void complete_gate(void *object)
{
	weir_gate_index_findings(object);
}

const struct weir_schema weir_gate_schema = SCHEMA_THEN(
	BLOCK, .complete = complete_gate, {LITERAL("schema", "weir.gate/1")},
	{LITERAL("weir", WEIR_VERSION)},
	{ENUM("verdict", verdict, weir_gate_verdict), .required = true},
	{INTEGER("exit", exit_code, int, MAX_EXIT), .required = true},
	{LIST("codes", codes, code_count, code_schema, INSIDE(codes)), .on_line = true},
	{ENUM("method", method, weir_method), .none = WEIR_METHOD_NONE},
	{TEXT("reason", reason), WHEN(POINTER, reason), .omit = true},
	{PART("sessions", sessions_schema), WHEN(COUNT, sessions.baseline), .omit = true},
	{PART("alpha", alpha_schema)}, {PART("baseline", baseline_schema)},
	{PART("candidate", candidate_schema)}, {PART("environment", environment_schema)},
	{OBJECT("counts", counts, counts_schema)},
	{LIST("rows", rows, row_count, row_schema, MAX_ROWS)}, {PART("bound", bound_schema)},
	{LIST("fixes", undos, undo_count, undo_schema, MAX_ROWS)},
	{LIST("contributions", contributions, contribution_count, contribution_schema, MAX_ROWS)},
	{LIST("remarks", remarks, remark_count, remark_schema, MAX_ROWS)}, {TEXT("since", since)},
	{TEXT("incomplete", incomplete)},
	{LIST("advice", advice, advice_count, advice_schema, MAX_ROWS)},
	{LIST("findings", findings, finding_count, finding_schema, MAX_ROWS)},
	{TEXT("command", command)},
	{POINTER("pictures", pictures, weir_gate_pictures_schema), .omit = true});
#undef OF

void weir_write_gate_json(const struct weir_gate_result *result,
                          const struct weir_write_options *options, struct weir_text *out)
{
	(void)options; /* JSON holds everything */
	weir_document_write(&weir_gate_schema, result, out);
}
