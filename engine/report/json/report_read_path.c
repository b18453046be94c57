/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path of a stored report. */
#include "engine/report/json/report_read_impl.h"

static int64_t take_ns(struct weir_result_reader *reader, const cJSON *object, const char *key)
{
	return (int64_t)weir_result_take_count(reader, object, key);
}

/* What each kind holds; the sum of it. */
static int64_t read_ns(struct weir_result_reader *reader, const cJSON *object,
                       int64_t out[WEIR_PATH_KIND_COUNT])
{
	const cJSON *ns = weir_result_take_object(reader, object, "ns");
	int64_t sum = 0;

	if (reader->status)
		return 0;
	for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++) {
		out[kind] = take_ns(reader, ns, weir_path_kind_name((enum weir_path_kind)kind));
		sum += out[kind];
	}
	weir_result_in(reader, "ns");
	return sum;
}

static void read_item(struct weir_result_reader *reader, const cJSON *object, void *row)
{
	struct weir_path_item *item = row;
	const char *kind = weir_result_take_text(reader, object, "kind");

	item->name = weir_result_take_text(reader, object, "name");
	item->ns = take_ns(reader, object, "ns");
	item->count = weir_result_take_count(reader, object, "count");
	if (!kind || !weir_path_kind_parse(kind, &item->kind))
		weir_result_fail(reader, WEIR_E_FORMAT, "kind", "a kind of time on the path");
	else if (!item->name)
		weir_result_fail(reader, WEIR_E_FORMAT, "name", "a text");
}

static void read_stage(struct weir_result_reader *reader, const cJSON *object, void *row)
{
	struct weir_path_stage *stage = row;

	stage->name = weir_result_take_text(reader, object, "name");
	stage->total_ns = read_ns(reader, object, stage->ns);
	if (!stage->name)
		weir_result_fail(reader, WEIR_E_FORMAT, "name", "a text");
}

void weir_report_read_critical_path(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list items = {"top", WEIR_PATH_ITEMS,
	                                              sizeof(struct weir_path_item), read_item};
	static const struct weir_report_list stages = {"stages", WEIR_REPORT_MAX_ROWS,
	                                               sizeof(struct weir_path_stage), read_stage};
	const cJSON *object = weir_result_take_object(reader, document, "critical_path");
	struct weir_critical_path *path;
	const char *name;

	if (!object)
		return;
	path = weir_arena_alloc(reader->arena, sizeof *path);
	path->approximate = weir_result_take_bool(reader, object, "approximate");
	name = weir_result_take_text(reader, object, "class");
	path->class_name = name ? weir_path_class_parse(name) : NULL;
	if (!reader->status && !path->class_name)
		weir_result_fail(reader, WEIR_E_FORMAT, "class", "host, compute, ... or mixed");
	path->span_ns = read_ns(reader, object, path->ns);
	if (!reader->status && path->span_ns <= 0)
		weir_result_fail(reader, WEIR_E_FORMAT, "ns", "any time");
	path->items = weir_report_take_list(reader, object, &items, &path->item_count);
	path->stages = weir_report_take_list(reader, object, &stages, &path->stage_count);
	weir_result_in(reader, "critical_path");
	reader->report->critical_path = path;
}
