/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of a stored weir.report/1 about counters and profiles of the host. */
#include <math.h>
#include <string.h>

#include "engine/report/json/report_read_impl.h"

static void read_shape(struct weir_result_reader *reader, const cJSON *item, const char *key,
                       uint32_t shape[3])
{
	const cJSON *entry, *list;
	size_t count, i = 0;

	list = weir_result_take_array(reader, item, key, 3, &count);
	cJSON_ArrayForEach (entry, list) {
		uint64_t value = weir_result_count_of(reader, key, entry);

		shape[i++] = value <= UINT32_MAX ? (uint32_t)value : 0;
	}
}

static void read_remark(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_counter_remark *remark = row;
	const char *scope = weir_result_take_text(reader, item, "scope");

	remark->rule = weir_result_take_text(reader, item, "rule");
	remark->kind = weir_result_take_text(reader, item, "kind");
	remark->text = weir_result_take_text(reader, item, "text");
	remark->speedup = weir_report_take_figure(reader, item, "estimated_saving");
	remark->count = weir_result_take_count(reader, item, "count");
	for (int i = WEIR_FINDING_LOCAL; scope && i <= WEIR_FINDING_GLOBAL; i++)
		if (!strcmp(scope, weir_finding_scope_name((enum weir_finding_scope)i)))
			remark->scope = (enum weir_finding_scope)i;
	if (!remark->rule)
		weir_result_fail(reader, WEIR_E_FORMAT, "rule", "a text");
}

static void read_row(struct weir_result_reader *reader, const cJSON *item, void *out)
{
	static const struct weir_report_list findings = {
		"findings", WEIR_REPORT_MAX_ROWS, sizeof(struct weir_counter_remark), read_remark};
	struct weir_counter_row *row = out;
	const cJSON *values = weir_result_take_object(reader, item, "values");

	row->kernel = weir_result_take_text(reader, item, "kernel");
	if (!row->kernel)
		weir_result_fail(reader, WEIR_E_FORMAT, "kernel", "a text");
	read_shape(reader, item, "grid", row->grid);
	read_shape(reader, item, "block", row->block);
	row->count = weir_result_take_count(reader, item, "count");
	row->mean_ns = weir_report_take_figure(reader, item, "mean_ns");
	for (int i = 0; i < WEIR_COUNTER_COUNT; i++)
		row->value[i] = weir_report_take_figure(reader, values,
		                                        weir_counter_name((enum weir_counter)i));
	row->remarks = weir_report_take_list(reader, item, &findings, &row->remark_count);
}

void weir_report_read_operator_counters(struct weir_result_reader *reader, const cJSON *item,
                                        struct weir_operator_row *row)
{
	struct weir_operator_counted *counted = &row->counted;
	const cJSON *object = weir_result_take_object(reader, item, "counters");
	const char *modelled;
	const struct weir_report_figure figures[] = {
		{"share", &counted->share},
		{"dram_bytes", &counted->dram_bytes},
		{"expected_bytes", &counted->expected_bytes},
		{"bytes_ratio", &counted->bytes_ratio},
		{"flops", &counted->flops},
		{"vector_flops", &counted->vector_flops},
		{"matrix_flops", &counted->matrix_flops},
		{"intensity", &counted->intensity},
	};

	if (!object)
		return;
	weir_report_take_figures(reader, object, figures, sizeof figures / sizeof *figures);
	counted->beyond_cache = weir_result_take_bool(reader, object, "beyond_cache");
	modelled = weir_result_take_text(reader, object, "modelled_roofline");
	if (modelled && !weir_roofline_parse(modelled, &counted->modelled))
		weir_result_fail(reader, WEIR_E_FORMAT, "modelled_roofline", "a class or null");
	weir_result_in(reader, "counters");
}

void weir_report_read_counters(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"counters", WEIR_MAX_COUNTER_ROWS,
	                                             sizeof(struct weir_counter_row), read_row};
	struct weir_report *report = reader->report;

	report->counters = weir_report_take_list(reader, document, &list, &report->counter_count);
}

static void read_function(struct weir_result_reader *reader, const cJSON *item, void *out)
{
	struct weir_host_function_row *row = out;

	row->function = weir_result_take_text(reader, item, "function");
	row->file = weir_result_take_text(reader, item, "file");
	row->self = weir_report_take_figure(reader, item, "self");
	row->total = weir_report_take_figure(reader, item, "total");
}

void weir_report_read_host(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"functions", WEIR_MAX_HOST_FUNCTION_ROWS,
	                                             sizeof(struct weir_host_function_row),
	                                             read_function};
	const cJSON *object = weir_result_take_object(reader, document, "host");
	const char *unit = weir_result_take_text(reader, object, "unit");
	struct weir_host_figures *host;

	if (!object)
		return;
	host = weir_arena_alloc(reader->arena, sizeof *host);
	if (!unit || !weir_host_unit_parse(unit, &host->unit))
		weir_result_fail(reader, WEIR_E_FORMAT, "unit", "what host profiles count");
	host->profiles = weir_result_take_count(reader, object, "profiles");
	host->total = weir_report_take_figure(reader, object, "total");
	host->idle = weir_report_take_figure(reader, object, "idle");
	host->functions = weir_report_take_list(reader, object, &list, &host->function_count);
	reader->report->host = host;
	weir_result_in(reader, "host");
}
