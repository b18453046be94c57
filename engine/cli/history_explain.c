/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/compare/explain.h"
#include "engine/base/arena.h"
#include "engine/cli/history_explain.h"
#include "engine/report/plain/escape.h"

#define KEY_COLUMNS 30
#define PERCENT     100

static const char *const reasons[] = {
	[WEIR_EXPLAIN_TESTED] = NULL,
	[WEIR_EXPLAIN_ONE_VALUE] = "one value",
	[WEIR_EXPLAIN_VALUE_PER_RUN] = "another value in each run",
	[WEIR_EXPLAIN_EQUAL_FIGURES] = "the figure is equal in all runs",
};

static void explain(const struct weir_history_series *series, struct weir_explain *out)
{
	size_t count = series->baseline->count;
	const struct weir_run **runs = weir_alloc((count + 1) * sizeof *runs);

	for (size_t i = 0; i < count; i++)
		runs[i] = series->baseline->runs[i].run;
	weir_explain(runs, series->values, count, out);
	free(runs);
}

static void add_group(struct weir_text *text, const struct weir_explain_group *group)
{
	struct weir_text keys = {0};
	size_t columns;

	for (size_t i = 0; i < group->key_count; i++) {
		weir_text_puts(&keys, i ? " = " : "");
		weir_escape_plain(&keys, group->keys[i]);
	}
	weir_text_printf(text, "  %s", keys.data);
	columns = weir_text_columns(keys.data);
	weir_text_repeat(text, " ", columns < KEY_COLUMNS ? KEY_COLUMNS - columns : 0);
	if (group->state == WEIR_EXPLAIN_TESTED)
		weir_text_printf(text, "%8zu%9.1f %%%14.2g\n", group->values,
		                 PERCENT * group->share, group->p_adjusted);
	else
		weir_text_printf(text, "%8zu         -  not tested: %s\n", group->values,
		                 reasons[group->state]);
	weir_text_release(&keys);
}

void weir_history_explain_text(struct weir_text *text, const struct weir_history_series *series)
{
	struct weir_explain found;

	explain(series, &found);
	weir_history_title(text, series);
	weir_text_printf(text,
	                 " over %zu runs, share of the variance between the values of a label\n",
	                 found.runs);
	if (found.count == 0)
		weir_text_puts(text, "  no run with this metric has a label\n");
	else
		weir_text_printf(text, "  %-*s  values   explains    adjusted p\n", KEY_COLUMNS,
		                 "label");
	for (size_t g = 0; g < found.count; g++)
		add_group(text, &found.groups[g]);
	for (size_t g = 0; g < found.count; g++)
		if (found.groups[g].key_count > 1 && found.groups[g].state == WEIR_EXPLAIN_TESTED) {
			weir_text_puts(text, "  labels joined by = change together: these runs "
			                     "cannot separate them\n");
			break;
		}
	weir_explain_release(&found);
}

static void put_group(struct weir_jsonout *json, const struct weir_explain_group *group)
{
	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_begin_array_inline(json, "labels");
	for (size_t i = 0; i < group->key_count; i++)
		weir_jsonout_text(json, NULL, group->keys[i]);
	weir_jsonout_end(json);
	weir_jsonout_int(json, "values", (int64_t)group->values);
	weir_jsonout_share(json, "share", group->share);
	weir_jsonout_double(json, "p", group->p);
	weir_jsonout_double(json, "p_adjusted", group->p_adjusted);
	weir_jsonout_text(json, "not_tested", reasons[group->state]);
	weir_jsonout_end(json);
}

void weir_history_explain_json(struct weir_jsonout *json, const struct weir_history_series *series)
{
	struct weir_explain found;

	explain(series, &found);
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "scope", series->label);
	weir_jsonout_text(json, "metric", weir_metric_name(series->metric.metric));
	weir_jsonout_int(json, "runs", (int64_t)found.runs);
	weir_jsonout_begin_array(json, "explained_by");
	for (size_t g = 0; g < found.count; g++)
		put_group(json, &found.groups[g]);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
	weir_explain_release(&found);
}
