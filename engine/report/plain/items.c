/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/report/plain/items.h"

#define STORED_SHARES 1e6 /* steps of a share: six decimals */

void weir_items_release(struct weir_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		weir_text_release(&items->item[i]);
	*items = (struct weir_items){.count = 0};
}

struct weir_text *weir_items_add(struct weir_items *items)
{
	if (items->count < WEIR_MAX_ITEMS)
		items->count++;
	return &items->item[items->count - 1];
}

struct weir_text *weir_items_add_line(struct weir_items *items)
{
	struct weir_text *item = weir_items_add(items);

	items->starts_line[items->count - 1] = true;
	return item;
}

void weir_items_share(struct weir_items *items, const char *label, double share, const char *behind)
{
	struct weir_text *item;

	if (isnan(share) || share < WEIR_WORTH_SAYING)
		return;
	item = weir_items_add(items);
	weir_text_printf(item, "%s%s", label, *label ? " " : "");
	weir_text_share(item, weir_as_stored_share(share));
	weir_text_puts(item, behind);
}

void weir_items_duration(struct weir_items *items, const char *label, double ns)
{
	struct weir_text *item;

	if (isnan(ns))
		return;
	item = weir_items_add(items);
	weir_text_printf(item, "%s ", label);
	weir_text_duration(item, weir_as_stored_ns(ns));
}

void weir_items_bytes(struct weir_items *items, const char *label, double bytes)
{
	struct weir_text *item;

	if (isnan(bytes))
		return;
	item = weir_items_add(items);
	weir_text_printf(item, "%s ", label);
	weir_text_bytes(item, bytes);
}

void weir_items_number(struct weir_text *item, uint64_t count, const char *singular)
{
	weir_text_count(item, count);
	weir_text_printf(item, " %s%s", singular, count == 1 ? "" : "s");
}

double weir_as_stored_ns(double ns)
{
	return round(ns);
}

double weir_as_stored_share(double share)
{
	return round(share * STORED_SHARES) / STORED_SHARES;
}
