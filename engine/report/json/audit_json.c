/* SPDX-License-Identifier: GPL-3.0-or-later */
/* weir.audit/1: what fixes promised and what was measured. */
#include "engine/report/advice_writers.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/stored.h"

#define OF struct weir_audit_side
static const struct weir_schema side_schema =
	SCHEMA(BLOCK, {TEXT("source", path)}, {TEXT("device", device)}, {WHOLE("step_ns", step_ns)},
               {BOOL("measured", measured)}, {TEXT("basis", basis)});
#undef OF

#define OF struct weir_audit_fix
static const struct weir_schema promised_schema = SCHEMA(
	LINE, {WHOLE("step_ns", step_ns)}, {WHOLE("low_ns", low_ns)}, {WHOLE("high_ns", high_ns)},
	{WHOLE("before_ns", before_ns)}, {SHARE("speedup", speedup)});

static const struct weir_schema measured_schema =
	SCHEMA(LINE, {WHOLE("step_ns", measured_ns)}, {SHARE("speedup", measured_speedup)});

static const struct weir_schema fix_schema = SCHEMA(
	BLOCK, {TEXT("id", id)}, {TEXT("title", title)}, {PART("promised", promised_schema)},
	{PART("measured", measured_schema)}, {SHARE("error", error)}, {BOOL("within", within)},
	{ENUM("recommendation", seen, weir_audit_seen), NULL_IS(WEIR_SEEN_UNKNOWN)});
#undef OF

#define OF struct weir_audit
static const struct weir_schema audit_schema =
	SCHEMA(BLOCK, {LITERAL("schema", "weir.audit/1")}, {LITERAL("weir", WEIR_VERSION)},
               {OBJECT("before", before, side_schema)}, {OBJECT("after", after, side_schema)},
               {LIST("fixes", fixes, fix_count, fix_schema, WEIR_REPORT_MAX_ROWS)});
#undef OF

void weir_write_audit_json(const struct weir_audit *audit, struct weir_text *out)
{
	weir_document_write(&audit_schema, audit, out);
}
