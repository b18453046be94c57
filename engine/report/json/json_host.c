/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/json/json_host.h"

static void put_function(struct weir_jsonout *json, const struct weir_host_function_row *row)
{
	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_text(json, "function", row->function);
	weir_jsonout_text(json, "file", row->file);
	weir_jsonout_share(json, "self", row->self);
	weir_jsonout_share(json, "total", row->total);
	weir_jsonout_end(json);
}

void weir_json_put_host(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_host_figures *host = report->host;

	if (!host)
		return;
	weir_jsonout_begin_object(json, "host");
	weir_jsonout_text(json, "unit", weir_host_unit_name(host->unit));
	weir_jsonout_int(json, "profiles", (int64_t)host->profiles);
	weir_jsonout_rounded(json, "total", host->total);
	weir_jsonout_share(json, "idle", host->idle);
	weir_jsonout_begin_array(json, "functions");
	for (size_t i = 0; i < host->function_count; i++)
		put_function(json, &host->functions[i]);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}
