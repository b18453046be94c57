/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weir.advice/1: the recommendations of a report alone, and the tables of their members. */
#include "engine/report/advice_writers.h"
#include "engine/report/json/advice.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/stored.h"

#define OF struct weir_fix_place
static const struct weir_schema place_schema =
	SCHEMA(BLOCK, {TEXT("operator", op)}, {TEXT("shapes", shapes)}, {TEXT("types", types)},
               {TEXT("kernel", kernel)}, {TEXT("stage", stage)}, {TEXT("frame", frame)},
               {WHOLE("step_ns", ns)}, {SHARE("share", share)}, {WHOLE("calls", count)});
#undef OF

#define OF struct weir_need
static const struct weir_schema need_schema =
	SCHEMA(LINE, {TEXT("what", what)}, {ENUM("state", state, weir_need_state)},
               {TEXT("first", first)});
#undef OF

#define OF struct weir_recommendation
static const struct weir_schema speedup_schema =
	SCHEMA(LINE, {SHARE("low", low)}, {SHARE("high", high)});

static const struct weir_schema saving_schema =
	SCHEMA(BLOCK, {WHOLE("step_ns", saving_step_ns)}, {WHOLE("low_ns", saving_low_ns)},
               {WHOLE("high_ns", saving_high_ns)}, {WHOLE("before_ns", saving_before_ns)},
               {SHARE("speedup", saving_speedup)}, {TEXT("of", saving_of)},
               {TEXT("basis", saving_basis), .required = true});

static const struct weir_schema costs_schema =
	SCHEMA(LINE, {TEXT("effort", effort)}, {TEXT("numerics", numerics)});

const struct weir_schema weir_recommendation_schema =
	SCHEMA(BLOCK, {TEXT("id", id)}, {TEXT("title", title)}, {TEXT("why", why)},
               {LIST("where", places, place_count, place_schema, WEIR_MAX_PLACES)},
               {TEXT("how", how)}, {PART("saving", saving_schema), WHEN(POINTER, saving_basis)},
               {LIST("needs", needs, need_count, need_schema, WEIR_MAX_NEEDS)},
               {PART("costs", costs_schema)}, {PART("speedup", speedup_schema), WHEN(KNOWN, low)},
               {SHARE("limit", limit)}, {TEXT("instead", instead)});
#undef OF

#define OF struct weir_report
static const struct weir_schema advice_schema =
	SCHEMA(BLOCK, {LITERAL("schema", "weir.advice/1")}, {LITERAL("weir", WEIR_VERSION)},
               {LIST("recommendations", recommendations, recommendation_count,
                     weir_recommendation_schema, WEIR_REPORT_MAX_ROWS)});
#undef OF

void weir_write_advice_json(const struct weir_report *report,
                            const struct weir_write_options *options, struct weir_text *out)
{
	(void)options; /* JSON holds everything */
	weir_document_write(&advice_schema, report, out);
}
