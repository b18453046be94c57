/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/jsonout.h"
#include "engine/model/run_document.h"
#include "engine/report/json/run_json.h"

void weir_run_json(const struct weir_run *run, struct weir_text *out)
{
	struct weir_jsonout json;

	weir_jsonout_init(&json, out, true);
	weir_jsonout_begin_object(&json, NULL);
	weir_jsonout_text(&json, "schema", "weir.run/1");
	weir_jsonout_text(&json, "unit", "ns");
	weir_run_write_labels(&json, run);
	for (unsigned i = 0; i < WEIR_RUN_TABLE_COUNT; i++) {
		enum weir_run_table table = (enum weir_run_table)i;

		if (table == WEIR_RUN_STAGES || weir_run_table_of(run, table)->count)
			weir_run_write_table(&json, run, table);
	}
	weir_jsonout_end(&json);
	weir_text_puts(out, "\n");
}
