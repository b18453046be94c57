/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/json/json_what_if.h"

static void put_what_if(struct weir_jsonout *json, const struct weir_what_if *what_if)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "class", what_if->class_name);
	weir_jsonout_double(json, "factor", what_if->factor);
	weir_jsonout_rounded(json, "step_ns", what_if->step_ns);
	weir_jsonout_share(json, "speedup", what_if->speedup);
	weir_jsonout_begin_array(json, "stages");
	for (size_t i = 0; i < what_if->stage_count; i++) {
		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "name", what_if->stages[i].name);
		weir_jsonout_rounded(json, "p50_ns", what_if->stages[i].p50_ns);
		weir_jsonout_share(json, "speedup", what_if->stages[i].speedup);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_json_put_what_ifs(struct weir_jsonout *json, const struct weir_report *report)
{
	if (!report->what_if_count) {
		weir_jsonout_null(json, "what_if");
		return;
	}
	weir_jsonout_begin_array(json, "what_if");
	for (size_t i = 0; i < report->what_if_count; i++)
		put_what_if(json, &report->what_ifs[i]);
	weir_jsonout_end(json);
}

void weir_json_put_saving(struct weir_jsonout *json,
                          const struct weir_recommendation *recommendation)
{
	if (!recommendation->saving_class) {
		weir_jsonout_null(json, "saving");
		return;
	}
	weir_jsonout_begin_object_inline(json, "saving");
	weir_jsonout_text(json, "class", recommendation->saving_class);
	weir_jsonout_double(json, "factor", recommendation->saving_factor);
	weir_jsonout_rounded(json, "step_ns", recommendation->saving_step_ns);
	weir_jsonout_share(json, "speedup", recommendation->saving_speedup);
	weir_jsonout_end(json);
}

void weir_json_put_profiler(struct weir_jsonout *json, const struct weir_report *report)
{
	if (!report->profiler.source) {
		weir_jsonout_null(json, "profiler");
		return;
	}
	weir_jsonout_begin_object(json, "profiler");
	weir_jsonout_share(json, "inflation", report->profiler.inflation);
	weir_jsonout_text(json, "source", report->profiler.source);
	weir_jsonout_end(json);
}
