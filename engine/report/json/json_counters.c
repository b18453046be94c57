/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/json/json_counters.h"

static void put_shape(struct weir_jsonout *json, const char *key, const uint32_t shape[3])
{
	weir_jsonout_begin_array_inline(json, key);
	for (int i = 0; i < 3; i++)
		weir_jsonout_int(json, NULL, shape[i]);
	weir_jsonout_end(json);
}

static void put_values(struct weir_jsonout *json, const double *value)
{
	weir_jsonout_begin_object(json, "values");
	for (int i = 0; i < WEIR_COUNTER_COUNT; i++) {
		const char *name = weir_counter_name((enum weir_counter)i);

		if (i < WEIR_COUNTER_DRAM_BYTES || i == WEIR_COUNTER_WAVES)
			weir_jsonout_share(json, name, value[i]);
		else
			weir_jsonout_rounded(json, name, value[i]);
	}
	weir_jsonout_end(json);
}

static void put_remark(struct weir_jsonout *json, const struct weir_counter_remark *remark)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "rule", remark->rule);
	weir_jsonout_text(json, "kind", remark->kind);
	weir_jsonout_text(json, "text", remark->text);
	weir_jsonout_text(json, "scope", weir_finding_scope_name(remark->scope));
	weir_jsonout_share(json, "estimated_saving", remark->speedup);
	weir_jsonout_int(json, "count", (int64_t)remark->count);
	weir_jsonout_end(json);
}

static void put_row(struct weir_jsonout *json, const struct weir_counter_row *row)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "kernel", row->kernel);
	put_shape(json, "grid", row->grid);
	put_shape(json, "block", row->block);
	weir_jsonout_int(json, "count", (int64_t)row->count);
	weir_jsonout_rounded(json, "mean_ns", row->mean_ns);
	put_values(json, row->value);
	weir_jsonout_begin_array(json, "findings");
	for (size_t i = 0; i < row->remark_count; i++)
		put_remark(json, &row->remarks[i]);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_json_put_counters(struct weir_jsonout *json, const struct weir_report *report)
{
	if (!report->counter_count)
		return;
	weir_jsonout_begin_array(json, "counters");
	for (size_t i = 0; i < report->counter_count; i++)
		put_row(json, &report->counters[i]);
	weir_jsonout_end(json);
}

void weir_json_put_operator_counters(struct weir_jsonout *json, const struct weir_operator_row *row)
{
	const struct weir_operator_counted *counted = &row->counted;

	if (!(counted->share > 0))
		return;
	weir_jsonout_begin_object(json, "counters");
	weir_jsonout_share(json, "share", counted->share);
	weir_jsonout_rounded(json, "dram_bytes", counted->dram_bytes);
	weir_jsonout_rounded(json, "expected_bytes", counted->expected_bytes);
	weir_jsonout_share(json, "bytes_ratio", counted->bytes_ratio);
	weir_jsonout_bool(json, "beyond_cache", counted->beyond_cache);
	weir_jsonout_rounded(json, "flops", counted->flops);
	weir_jsonout_rounded(json, "vector_flops", counted->vector_flops);
	weir_jsonout_rounded(json, "matrix_flops", counted->matrix_flops);
	weir_jsonout_share(json, "intensity", counted->intensity);
	weir_jsonout_text(json, "modelled_roofline", weir_roofline_name(counted->modelled));
	weir_jsonout_end(json);
}
