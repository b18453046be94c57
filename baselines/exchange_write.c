/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "baselines/exchange.h"
#include "baselines/summary.h"
#include "engine/base/jsonout.h"
#include "engine/model/run_document.h"

static void write_run(struct weir_jsonout *json, const struct weir_baseline_run *run)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "recorded", run->recorded);
	if (run->history)
		weir_jsonout_bool(json, "history", true);
	if (run->bound)
		weir_jsonout_text(json, "bound", run->bound);
	if (run->cause)
		weir_jsonout_text(json, "cause", run->cause);
	weir_run_write_labels(json, run->run);
	if (run->pinned)
		weir_jsonout_bool(json, "pinned", true);
	if (run->pruned) {
		weir_jsonout_text(json, "id", run->id);
		weir_summary_write_quantiles(json, run->run);
	}
	for (unsigned t = 0; !run->pruned && t < WEIR_RUN_TABLE_COUNT; t++) {
		enum weir_run_table table = (enum weir_run_table)t;

		if (weir_run_table_of(run->run, table)->count)
			weir_run_write_table(json, run->run, table);
	}
	weir_jsonout_end(json);
}

void weir_baseline_write(const struct weir_baseline *baseline, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.baseline/1");
	weir_jsonout_text(&json, "name", baseline->name);
	weir_jsonout_text(&json, "unit", "ns");
	weir_jsonout_begin_array(&json, "runs");
	for (size_t i = 0; i < baseline->count; i++)
		write_run(&json, &baseline->runs[i]);
	weir_jsonout_end(&json);
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
