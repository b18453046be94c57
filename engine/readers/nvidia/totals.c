/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/readers/nvidia/totals.h"
#include "engine/readers/parts/figures.h"

#define MAX_ENTRIES (1u << 20)
#define LARGEST     200 /* names of a group that become figures */
#define NAME_SIZE   512 /* bytes; longer names are shortened */

/* A name in a table. */
struct weir_total_entry {
	unsigned order;
	const char *group;
	bool bytes, nested, missing;
	uint32_t name;
	uint32_t row; /* number of entries before it */
	double sum, count;
};

struct weir_totals weir_totals_new(void)
{
	return (struct weir_totals){.names = weir_names_new()};
}

void weir_totals_release(struct weir_totals *totals)
{
	weir_rowmap_release(&totals->by_name);
	weir_names_free(totals->names);
	free(totals->entries);
	*totals = (struct weir_totals){0};
}

static size_t count_of_byte(struct weir_slice text, char byte)
{
	size_t count = 0;

	for (size_t i = 0; i < text.length; i++)
		count += text.data[i] == byte;
	return count;
}

bool weir_total_name_is_whole(struct weir_slice name)
{
	return name.length && count_of_byte(name, '(') == count_of_byte(name, ')') &&
	       count_of_byte(name, '[') == count_of_byte(name, ']') &&
	       (!memchr(name.data, '<', name.length) || memchr(name.data, '(', name.length));
}

/* Finds or adds the entry of a row; NULL: too many. */
static struct weir_total_entry *find_entry(struct weir_totals *totals,
                                           const struct weir_total *total, uint32_t name)
{
	uint32_t at, hash = weir_rowmap_hash((uint64_t)name << 8 | total->order);
	size_t probe = 0;

	while (!total->apart &&
	       (at = weir_rowmap_next(&totals->by_name, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (totals->entries[at].name == name && totals->entries[at].order == total->order)
			return &totals->entries[at];
	if (totals->count == MAX_ENTRIES)
		return NULL;
	totals->entries = weir_grow(totals->entries, &totals->capacity, totals->count + 1,
	                            sizeof(*totals->entries));
	totals->entries[totals->count] = (struct weir_total_entry){
		.order = total->order,
		.group = total->group,
		.bytes = total->bytes,
		.nested = total->nested,
		.missing = total->missing,
		.name = name,
		.row = (uint32_t)totals->count,
	};
	if (!total->apart)
		weir_rowmap_add(&totals->by_name, hash, (uint32_t)totals->count);
	return &totals->entries[totals->count++];
}

bool weir_totals_add(struct weir_totals *totals, const struct weir_total *total)
{
	struct weir_slice name = total->name;
	const char *zero = name.length ? memchr(name.data, '\0', name.length) : NULL;
	struct weir_total_entry *entry;

	if (zero)
		name.length = (size_t)(zero - name.data);
	entry = find_entry(totals, total, weir_names_add(totals->names, name.data, name.length));
	if (!entry)
		return false;
	entry->sum += total->sum;
	entry->count += total->count;
	return true;
}

/* ---- figures ---- */

static int by_size(const void *left, const void *right)
{
	const struct weir_total_entry *a = left, *b = right;

	if (a->order != b->order)
		return a->order < b->order ? -1 : 1;
	if (a->missing != b->missing)
		return a->missing ? 1 : -1;
	if (a->sum != b->sum)
		return a->sum > b->sum ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Shortens a name to NAME_SIZE without cutting a character. */
static struct weir_slice cut_name(const char *name)
{
	size_t length = strnlen(name, NAME_SIZE + 1);

	if (length > NAME_SIZE) {
		length = NAME_SIZE;
		while (length && ((unsigned char)name[length] & 0xc0) == 0x80)
			length--;
	}
	return (struct weir_slice){name, length};
}

/* Adds a figure of a group, or of a name in it: the `number`th of equal names, from 1. */
static void add_figure(struct weir_run *run, const char *group, struct weir_slice name,
                       size_t number, const char *figure, double value)
{
	struct weir_text path = {0};

	weir_text_printf(&path, "%s%s", group, name.length ? "/" : "");
	weir_text_add(&path, name.data, name.length);
	if (number > 1)
		weir_text_printf(&path, " (%zu)", number);
	weir_text_printf(&path, "/%s", figure);
	weir_figure_add(run, path.data, weir_figure_unit(figure), false, value);
	weir_text_release(&path);
}

/* Returns the number of the entry among the larger ones of its group with the same shortened name,
 * from 1. */
static size_t number_of(const struct weir_totals *totals, const struct weir_total_entry *entries,
                        size_t at)
{
	struct weir_slice name = cut_name(weir_names_text(totals->names, entries[at].name));
	size_t number = 1;

	for (size_t i = 0; i < at; i++)
		number += weir_slice_same(
			name, cut_name(weir_names_text(totals->names, entries[i].name)));
	return number;
}

/* Adds the figures of one group, whose entries are sorted by size, largest first. The calls of
 * missing rows are not known, so that such a group has no number of calls. */
static void add_group(const struct weir_totals *totals, const struct weir_total_entry *entries,
                      size_t count, struct weir_run *run)
{
	const char *group = entries->group;
	const char *sum = entries->bytes ? "total_bytes" : "total_ns";
	const char *mean = entries->bytes ? "mean_bytes" : "mean_ns";
	double total = 0, calls = 0;

	for (size_t i = 0; i < count; i++) {
		total += entries[i].sum;
		calls += entries[i].missing ? NAN : entries[i].count;
	}
	if (!entries->nested)
		add_figure(run, group, (struct weir_slice){"", 0}, 1, sum, total);
	if (!entries->nested && !isnan(calls))
		add_figure(run, group, (struct weir_slice){"", 0}, 1, "count", calls);
	for (size_t i = 0; i < count && i < LARGEST && !entries[i].missing; i++) {
		struct weir_slice name = cut_name(weir_names_text(totals->names, entries[i].name));
		size_t number = number_of(totals, entries, i);

		add_figure(run, group, name, number, sum, entries[i].sum);
		if (entries[i].count > 0)
			add_figure(run, group, name, number, mean,
			           entries[i].sum / entries[i].count);
	}
}

void weir_totals_write(struct weir_totals *totals, struct weir_run *run)
{
	if (totals->count)
		qsort(totals->entries, totals->count, sizeof(*totals->entries), by_size);
	for (size_t i = 0, end; i < totals->count; i = end) {
		const struct weir_total_entry *first = &totals->entries[i];

		for (end = i + 1;
		     end < totals->count && totals->entries[end].order == first->order;)
			end++;
		add_group(totals, first, end - i, run);
	}
}
