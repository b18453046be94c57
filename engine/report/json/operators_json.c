/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/model/report.h"
#include "engine/report/json/document_tables.h"
#include "engine/report/json/operators.h"

void weir_row_verdict_complete(struct weir_verdict *verdict)
{
	verdict->share = verdict->runner_up_share = NAN;
	verdict->runner_up = WEIR_BOUND_UNDETERMINED;
}

#define OF struct weir_operator_counted
static const struct weir_schema operator_counted_schema = SCHEMA(
	BLOCK, {SHARE("share", share)}, {WHOLE("dram_bytes", dram_bytes)},
	{WHOLE("expected_bytes", expected_bytes)}, {SHARE("bytes_ratio", bytes_ratio)},
	{BOOL("beyond_cache", beyond_cache)}, {WHOLE("flops", flops)},
	{WHOLE("vector_flops", vector_flops)}, {WHOLE("matrix_flops", matrix_flops)},
	{SHARE("intensity", intensity)}, {ENUM("modelled_roofline", modelled, weir_roofline)});
#undef OF

static void complete_operator(void *object)
{
	struct weir_operator_row *row = object;

	row->calls_per_iteration = row->host_self_ns = row->host_total_ns = NAN;
	weir_row_verdict_complete(&row->verdict);
}

#define OF struct weir_operator_kernel
static const struct weir_schema operator_kernel_schema =
	SCHEMA(LINE, {TEXT("name", name)}, {COUNT("count", count)}, {WHOLE("total_ns", total_ns)});
#undef OF

#define OF struct weir_operator_shape
static const struct weir_schema operator_shape_schema =
	SCHEMA(LINE, {TEXT("dims", dims)}, {TEXT("types", types)}, {COUNT("count", count)},
               {WHOLE("total_ns", total_ns)}, {ENUM("roofline", roofline, weir_roofline)},
               {SHARE("efficiency", efficiency)});
#undef OF

#define OF struct weir_operator_site
static const struct weir_schema operator_site_schema =
	SCHEMA(LINE, {TEXT("frame", frame)}, {COUNT("count", count)}, {WHOLE("step_ns", step_ns)});
#undef OF

#define OF struct weir_operator_row
#define PARTS(name, field, schema)                                                                 \
	{LIST(name, field##s, field##_count, schema, WEIR_MAX_OPERATOR_PARTS),                     \
	 WHEN(COUNT, field##_count), .omit = true},                                                \
	{                                                                                          \
		COUNT("all_" name, all_##field##s), WHEN(COUNT, field##_count), .omit = true       \
	}

const struct weir_schema weir_operator_schema = SCHEMA_THEN(
	BLOCK, .complete = complete_operator, {TEXT("name", name)}, {TEXT("stage", stage)},
	{TEXT("device", device)}, {TEXT("kind", kind)}, {COUNT("count", call.count)},
	{WHOLE("total_ns", call.total_ns)}, {SHARE("share", share)}, QUANTILES(call),
	{WHOLE("flops", flops)}, {WHOLE("bytes", bytes)}, {SHARE("tflops", tflops)},
	{SHARE("gbps", gbps)}, {ENUM("roofline", roofline, weir_roofline)},
	{SHARE("efficiency", efficiency)},
	{ENUM("bound", verdict.bound, weir_bound), NULL_IS(WEIR_BOUND_UNDETERMINED)},
	{OBJECT("counters", counted, operator_counted_schema), WHEN(POSITIVE, counted.share),
         .omit = true},
	{TEXT("kernel", kernel), WHEN(POINTER, kernel), .omit = true},
	PARTS("kernels", kernel, operator_kernel_schema),
	PARTS("shapes", shape, operator_shape_schema), PARTS("sites", site, operator_site_schema));
#undef PARTS
#undef OF
