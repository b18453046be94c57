/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/facts_path.h"

#define NAME_COLUMNS 40
#define LISTED       4    /* items below the kinds */
#define WORTH_SAYING 5e-3 /* smaller shares are left out */

static const char *const labels[WEIR_PATH_KIND_COUNT] = {
	[WEIR_PATH_HOST_OP] = "host code", [WEIR_PATH_HOST_API] = "driver calls",
	[WEIR_PATH_LAUNCH] = "launches",   [WEIR_PATH_KERNEL_GAP] = "kernel gaps",
	[WEIR_PATH_COMPUTE] = "compute",   [WEIR_PATH_MEMORY] = "memory-limited kernels",
	[WEIR_PATH_MEMCPY] = "copies",     [WEIR_PATH_COMMUNICATION] = "communication",
	[WEIR_PATH_INPUT] = "input",       [WEIR_PATH_IDLE] = "idle",
};

static double share_of(const struct weir_critical_path *path, int64_t ns)
{
	return weir_as_stored_share((double)ns / (double)path->span_ns);
}

static void add_share(struct weir_text *out, const struct weir_critical_path *path, int64_t ns)
{
	weir_text_puts(out, " ");
	weir_text_share(out, share_of(path, ns));
}

/* The largest first; ties in the order of the kinds. */
static void add_kinds(const struct weir_critical_path *path, struct weir_items *items)
{
	bool said[WEIR_PATH_KIND_COUNT] = {false};

	for (int round = 0; round < WEIR_PATH_KIND_COUNT; round++) {
		int largest = -1;
		struct weir_text *out;

		for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
			if (!said[kind] && (largest < 0 || path->ns[kind] > path->ns[largest]))
				largest = kind;
		if (largest < 0 || share_of(path, path->ns[largest]) < WORTH_SAYING)
			return;
		said[largest] = true;
		out = weir_items_add(items);
		weir_text_puts(out, labels[largest]);
		add_share(out, path, path->ns[largest]);
	}
}

/* An operator may be listed for its host's time and for its device's. */
static bool is_listed_twice(const struct weir_critical_path *path, size_t index)
{
	for (size_t i = 0; i < path->item_count && i < LISTED; i++)
		if (i != index && strcmp(path->items[i].name, path->items[index].name) == 0)
			return true;
	return false;
}

void weir_fill_path(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_critical_path *path = report->critical_path;

	if (!path)
		return;
	add_kinds(path, items);
	if (path->approximate)
		weir_text_puts(weir_items_add(items), "approximate");
	for (size_t i = 0; i < path->item_count && i < LISTED; i++) {
		const struct weir_path_item *item = &path->items[i];
		struct weir_text plain = {0}, *out;

		if (share_of(path, item->ns) < WORTH_SAYING)
			break;
		out = weir_items_add(items);
		items->starts_line[items->count - 1] = i == 0;
		weir_escape_name(&plain, item->name);
		weir_cut(out, plain.data ? plain.data : "", NAME_COLUMNS);
		if (is_listed_twice(path, i))
			weir_text_printf(out, " (%s)", labels[item->kind]);
		add_share(out, path, item->ns);
		weir_text_release(&plain);
	}
}
