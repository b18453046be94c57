/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data of pictures in weir.gate/1: long lists of small rows, each list on one line. */
#include <inttypes.h>

#include "engine/model/comparison.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/gate_pictures.h"
#include "engine/report/json/stored.h"

/* ---- every run ---- */

#define OF struct weir_drawn_run
static const struct weir_schema run_schema =
	SCHEMA(LINE, {BOOL("candidate", candidate)}, {TEXT("name", name)},
               {COUNT("session", session), NULL_IS(0)});
#undef OF

static const struct weir_schema value_schema =
	SCHEMA(BARE, {.kind = WEIR_MEMBER_EXACT, .size = sizeof(double)});
static const struct weir_schema run_index_schema = SCHEMA(
	BARE, {.kind = WEIR_MEMBER_INTEGER, .size = sizeof(uint64_t), .most = WEIR_DRAWN_BOTH - 1});

#define OF struct weir_drawn_row
static const struct weir_schema row_schema = SCHEMA(
	LINE, {INTEGER("row", row, uint64_t, WEIR_GATE_MAX_ROWS - 1)},
	{LIST("values", values, value_count, value_schema, WEIR_DRAWN_BOTH), .on_line = true},
	{LIST("odd", odd, odd_count, run_index_schema, WEIR_DRAWN_BOTH), .on_line = true});
#undef OF

/* ---- distributions ---- */

#define OF struct weir_drawn_percentile
static const struct weir_schema percentile_schema = SCHEMA(
	TUPLE, ENTRY("percent", INTEGER(NULL, percent, uint64_t, 99), .least = 1),
	ENTRY("baseline", EXACT(NULL, baseline)), ENTRY("baseline_low", EXACT(NULL, baseline_low)),
	ENTRY("baseline_high", EXACT(NULL, baseline_high)),
	ENTRY("candidate", EXACT(NULL, candidate)),
	ENTRY("candidate_low", EXACT(NULL, candidate_low)),
	ENTRY("candidate_high", EXACT(NULL, candidate_high)));
#undef OF

#define OF struct weir_drawn_curve
static const struct weir_schema curve_schema =
	SCHEMA(LINE, {TEXT("scope", scope), .required = true},
               {LIST("percentiles", points, point_count, percentile_schema, WEIR_DRAWN_PERCENTS),
                .on_line = true});
#undef OF

/* ---- the time of a stage ---- */

#define SIGNED(name, field)                                                                        \
	INTEGER(name, field, int64_t, WEIR_DOCUMENT_MAX_COUNT), .least = -WEIR_DOCUMENT_MAX_COUNT

#define OF struct weir_drawn_part
static const struct weir_schema part_times_schema =
	SCHEMA(TUPLE, ENTRY("baseline", SIGNED(NULL, baseline_ns)),
               ENTRY("candidate", SIGNED(NULL, candidate_ns)));
static const struct weir_schema part_calls_schema =
	SCHEMA(TUPLE, ENTRY("baseline", EXACT(NULL, baseline_calls)),
               ENTRY("candidate", EXACT(NULL, candidate_calls)));
static const struct weir_schema part_schema = SCHEMA(
	LINE, {ENUM("kind", kind, weir_drawn_kind), .required = true}, {TEXT("name", name)},
	{TEXT("renamed", renamed)}, {TEXT("family", family)}, {COUNT("operators", operators)},
	{PART("times_ns", part_times_schema)}, {PART("calls", part_calls_schema)});
#undef OF

/* Refuses parts that do not add up to the stage, and operators of negative times. */
static enum weir_status check_stage(struct weir_document_reader *in, const cJSON *item,
                                    void *object)
{
	const struct weir_drawn_stage *stage = object;
	int64_t baseline_ns = 0, candidate_ns = 0; /* at most WEIR_DRAWN_PARTS times 2^53 */

	(void)item;
	for (size_t i = 0; i < stage->part_count; i++) {
		const struct weir_drawn_part *part = &stage->parts[i];

		if (part->kind <= WEIR_DRAWN_OPERATORS &&
		    (part->baseline_ns < 0 || part->candidate_ns < 0))
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "parts[%zu]: times_ns: expected times from 0 on", i);
		baseline_ns += part->baseline_ns;
		candidate_ns += part->candidate_ns;
	}
	if (baseline_ns != stage->baseline_ns || candidate_ns != stage->candidate_ns)
		return weir_fail(in->err, WEIR_E_FORMAT,
		                 "parts: expected a sum of %" PRId64 " and %" PRId64
		                 " ns, found %" PRId64 " and %" PRId64,
		                 stage->baseline_ns, stage->candidate_ns, baseline_ns,
		                 candidate_ns);
	return WEIR_OK;
}

#define OF struct weir_drawn_stage
static const struct weir_schema stage_times_schema =
	SCHEMA(TUPLE, ENTRY("baseline", NS(NULL, baseline_ns)),
               ENTRY("candidate", NS(NULL, candidate_ns)));
static const struct weir_schema stage_schema =
	SCHEMA_THEN(BLOCK, .check = check_stage, {TEXT("name", name), .required = true},
                    {BOOL("device_only", device_only)}, {PART("times_ns", stage_times_schema)},
                    {LIST("parts", parts, part_count, part_schema, WEIR_DRAWN_PARTS)});
#undef OF

/* ---- history ---- */

#define OF struct weir_drawn_point
static const struct weir_schema point_schema =
	SCHEMA(TUPLE, ENTRY("name", TEXT(NULL, name)), ENTRY("recorded", TEXT(NULL, recorded)),
               ENTRY("revision", TEXT(NULL, commit)), ENTRY("candidate", BOOL(NULL, candidate)),
               ENTRY("value", EXACT(NULL, value)));
#undef OF

#define OF struct weir_drawn_step
static const struct weir_schema step_schema =
	SCHEMA(LINE, {INTEGER("point", point, uint64_t, WEIR_DRAWN_POINTS - 1), .least = 1},
               {EXACT("change", change)}, {TEXT("labels", labels)});
#undef OF

/* Refuses steps at points that do not exist, or not in order. */
static enum weir_status check_history(struct weir_document_reader *in, const cJSON *item,
                                      void *object)
{
	const struct weir_drawn_history *history = object;

	(void)item;
	for (size_t i = 0; i < history->step_count; i++)
		if (history->steps[i].point >= history->point_count ||
		    (i > 0 && history->steps[i].point <= history->steps[i - 1].point))
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "steps[%zu]: point: expected indices of points, in order",
			                 i);
	return WEIR_OK;
}

#define OF struct weir_drawn_history
static const struct weir_schema history_schema = SCHEMA_THEN(
	BLOCK, .check = check_history, {INTEGER("row", row, uint64_t, WEIR_GATE_MAX_ROWS - 1)},
	{COUNT("older", older)},
	{LIST("points", points, point_count, point_schema, WEIR_DRAWN_POINTS)},
	{LIST("steps", steps, step_count, step_schema, WEIR_DRAWN_STEPS)});
#undef OF

/* ---- all pictures ---- */

static enum weir_status check_rows(struct weir_document_reader *in,
                                   const struct weir_gate_pictures *pictures)
{
	const struct weir_gate_result *result = in->root;

	for (size_t i = 0; i < pictures->row_count; i++) {
		const struct weir_drawn_row *row = &pictures->rows[i];

		if (row->row >= result->row_count)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "rows[%zu]: row: %" PRIu64 " is not the index of a row", i,
			                 row->row);
		if (row->value_count != pictures->run_count)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "rows[%zu]: values: expected one for each run", i);
		for (size_t o = 0; o < row->odd_count; o++)
			if (row->odd[o] >= pictures->run_count)
				return weir_fail(in->err, WEIR_E_FORMAT,
				                 "rows[%zu]: odd: expected indices of runs", i);
	}
	return WEIR_OK;
}

/* Refuses figures of rows or runs that do not exist, and percentiles that are not in order. */
static enum weir_status check_pictures(struct weir_document_reader *in, const cJSON *item,
                                       void *object)
{
	const struct weir_gate_pictures *pictures = object;

	(void)item;
	for (size_t c = 0; c < pictures->curve_count; c++)
		for (size_t i = 1; i < pictures->curves[c].point_count; i++)
			if (pictures->curves[c].points[i].percent <=
			    pictures->curves[c].points[i - 1].percent)
				return weir_fail(in->err, WEIR_E_FORMAT,
				                 "curves[%zu]: expected percentiles in order", c);
	for (size_t h = 0; h < pictures->history_count; h++)
		if (pictures->histories[h].row >= ((struct weir_gate_result *)in->root)->row_count)
			return weir_fail(in->err, WEIR_E_FORMAT,
			                 "histories[%zu]: row: %" PRIu64
			                 " is not the index of a row",
			                 h, pictures->histories[h].row);
	return check_rows(in, pictures);
}

#define OF struct weir_gate_pictures
const struct weir_schema weir_gate_pictures_schema = SCHEMA_THEN(
	BLOCK, .check = check_pictures,
	{LIST("runs", runs, run_count, run_schema, WEIR_DRAWN_BOTH)},
	{COUNT("older_baseline", older_baseline)}, {COUNT("older_candidate", older_candidate)},
	{LIST("rows", rows, row_count, row_schema, WEIR_DRAWN_ROWS)},
	{LIST("curves", curves, curve_count, curve_schema, WEIR_DRAWN_ROWS)},
	{LIST("stages", stages, stage_count, stage_schema, WEIR_DRAWN_STAGES)},
	{LIST("histories", histories, history_count, history_schema, WEIR_DRAWN_HISTORIES)});
#undef OF
