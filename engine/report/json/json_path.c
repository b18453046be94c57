/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/json/json_path.h"

static void put_ns(struct weir_jsonout *json, const int64_t ns[WEIR_PATH_KIND_COUNT])
{
	weir_jsonout_begin_object_inline(json, "ns");
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		weir_jsonout_int(json, weir_path_kind_name((enum weir_path_kind)kind), ns[kind]);
	weir_jsonout_end(json);
}

static double share_of(const struct weir_critical_path *path, int64_t ns)
{
	return (double)ns / (double)path->span_ns;
}

static void put_top(struct weir_jsonout *json, const struct weir_critical_path *path)
{
	weir_jsonout_begin_array(json, "top");
	for (size_t i = 0; i < path->item_count; i++) {
		const struct weir_path_item *item = &path->items[i];

		weir_jsonout_begin_object_inline(json, NULL);
		weir_jsonout_text(json, "kind", weir_path_kind_name(item->kind));
		weir_jsonout_text(json, "name", item->name);
		weir_jsonout_int(json, "count", (int64_t)item->count);
		weir_jsonout_int(json, "ns", item->ns);
		weir_jsonout_share(json, "share", share_of(path, item->ns));
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
}

void weir_json_put_critical_path(struct weir_jsonout *json, const struct weir_report *report)
{
	const struct weir_critical_path *path = report->critical_path;

	if (!path) {
		weir_jsonout_null(json, "critical_path");
		return;
	}
	weir_jsonout_begin_object(json, "critical_path");
	weir_jsonout_int(json, "span_ns", path->span_ns);
	weir_jsonout_bool(json, "approximate", path->approximate);
	weir_jsonout_text(json, "class", path->class_name);
	weir_jsonout_begin_object_inline(json, "shares");
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
		weir_jsonout_share(json, weir_path_kind_name((enum weir_path_kind)kind),
		                   share_of(path, path->ns[kind]));
	weir_jsonout_end(json);
	put_ns(json, path->ns);
	put_top(json, path);
	weir_jsonout_begin_array(json, "stages");
	for (size_t i = 0; i < path->stage_count; i++) {
		weir_jsonout_begin_object(json, NULL);
		weir_jsonout_text(json, "name", path->stages[i].name);
		weir_jsonout_int(json, "total_ns", path->stages[i].total_ns);
		put_ns(json, path->stages[i].ns);
		weir_jsonout_end(json);
	}
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}
