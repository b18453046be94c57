/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/report/plain/distinct.h"
#include "engine/report/plain/escape.h"

#define ELLIPSIS "\xE2\x80\xA6"
#define PLACES   4 /* where texts differ that one of them shows */

struct item {
	const char *plain;
	struct weir_text *cut;
	size_t index;
	size_t place[PLACES], places; /* bytes at which it differs from others that look alike */
};

/* Bytes of a text that are shown. */
struct range {
	size_t begin, end;
};

static const char *shown(const struct weir_text *text)
{
	return text->data ? text->data : "";
}

static int by_cut(const void *left, const void *right)
{
	const struct item *a = left, *b = right;
	int order = strcmp(shown(a->cut), shown(b->cut));

	if (order == 0)
		order = strcmp(a->plain, b->plain);
	return order != 0 ? order : (a->index > b->index) - (a->index < b->index);
}

/* Returns the bytes with which all texts of a group begin, up to a whole character. The group is
 * sorted by text, so that its ends differ first. */
static size_t shared_bytes(const struct item *group, size_t count)
{
	const char *one = group[0].plain, *other = group[count - 1].plain;
	size_t bytes = 0;

	while (one[bytes] && one[bytes] == other[bytes])
		bytes++;
	while (bytes > 0 && ((unsigned char)one[bytes] & 0xc0) == 0x80)
		bytes--;
	return bytes;
}

static int by_begin(const void *left, const void *right)
{
	const struct range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/* Appends the ranges of a text with "…" between them. */
static void add_ranges(struct weir_text *cut, const char *plain, struct range *ranges, size_t count)
{
	size_t end = 0;

	qsort(ranges, count, sizeof *ranges, by_begin);
	for (size_t i = 0; i < count; i++) {
		size_t begin = ranges[i].begin > end ? ranges[i].begin : end;

		if (begin > end)
			weir_text_puts(cut, ELLIPSIS);
		if (ranges[i].end > begin)
			weir_text_add(cut, plain + begin, ranges[i].end - begin);
		end = ranges[i].end > end ? ranges[i].end : end;
	}
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
	       c == '_' || (unsigned char)c >= 0x80;
}

/* Returns the first byte of a word or bracket at most `most` bytes before a place, so that the
 * place is shown with what it belongs to: "(int)7"; otherwise the place. */
static size_t context_of(const char *plain, size_t place, size_t most)
{
	size_t at = place > most ? place - most : 0;

	while (at < place && !strchr("([<", plain[at]) &&
	       (!is_word(plain[at]) || (at > 0 && is_word(plain[at - 1]))))
		at++;
	return at;
}

/* Cuts a text to its ends and its places. Returns false if there is no room for them. */
static bool show_places(const struct item *item, size_t columns)
{
	size_t count = item->places, room = columns - (count + 1), end = room / (count + 3);
	size_t width = (room - 2 * end) / count, length = strlen(item->plain);
	struct range ranges[PLACES + 2];

	if (columns < 4 * (count + 1))
		return false;
	for (size_t i = 0; i < count; i++) {
		size_t at = context_of(item->plain, item->place[i], width / 3);

		ranges[i] = (struct range){at, at + weir_text_prefix(item->plain + at, width)};
	}
	ranges[count] = (struct range){0, weir_text_prefix(item->plain, end)};
	ranges[count + 1] = (struct range){weir_text_suffix(item->plain, end), length};
	weir_text_clear(item->cut);
	add_ranges(item->cut, item->plain, ranges, count + 2);
	return true;
}

/* Cuts a text and ends it with a number. */
static void show_number(struct weir_text *cut, const char *plain, size_t number, size_t columns)
{
	char end[32];
	size_t length = (size_t)snprintf(end, sizeof end, ELLIPSIS "#%zu", number) - 2;

	if (length >= columns)
		return;
	weir_text_clear(cut);
	weir_text_add(cut, plain, weir_text_prefix(plain, columns - length));
	weir_text_puts(cut, end);
}

/* Makes the texts of a group differ that are cut alike, by a further place. */
static void show_difference(struct item *group, size_t count, size_t columns)
{
	size_t at = shared_bytes(group, count);

	for (size_t i = 0; i < count; i++) {
		if (weir_text_columns(group[i].plain) <= columns || group[i].places == PLACES)
			continue;
		group[i].place[group[i].places++] = at;
		if (!show_places(&group[i], columns))
			group[i].places = PLACES;
	}
}

/* Numbers the texts of a group; the numbers continue from *number. */
static void show_numbers(struct item *group, size_t count, size_t columns, size_t *number)
{
	for (size_t i = 0; i < count; i++) {
		bool again = i > 0 && strcmp(group[i].plain, group[i - 1].plain) == 0;

		if (weir_text_columns(group[i].plain) > columns)
			show_number(group[i].cut, group[i].plain, again ? *number : ++*number,
			            columns);
	}
}

/* Parts the groups of texts that differ and are cut alike, in the last round by numbers. Returns
 * false without such a group. */
static bool part_groups(struct item *items, size_t count, size_t columns, bool last)
{
	bool any = false;
	size_t number = 0;

	qsort(items, count, sizeof *items, by_cut);
	for (size_t i = 0, size; i < count; i += size) {
		for (size = 1; i + size < count &&
		               strcmp(shown(items[i].cut), shown(items[i + size].cut)) == 0;)
			size++;
		if (strcmp(items[i].plain, items[i + size - 1].plain) == 0)
			continue;
		if (last)
			show_numbers(items + i, size, columns, &number);
		else
			show_difference(items + i, size, columns);
		any = true;
	}
	return any;
}

void weir_cut_distinct(const char *const *plain, size_t count, size_t columns,
                       struct weir_text *cut)
{
	struct item *items = weir_alloc((count + 1) * sizeof *items);
	bool alike = true;

	for (size_t i = 0; i < count; i++) {
		weir_cut(&cut[i], plain[i], columns);
		items[i] = (struct item){.plain = plain[i], .cut = &cut[i], .index = i};
	}
	for (size_t round = 0; alike && round <= PLACES; round++)
		alike = part_groups(items, count, columns, round == PLACES);
	free(items);
}

void weir_cut_names_distinct(const struct weir_slice *names, size_t count, size_t columns,
                             struct weir_text *cut)
{
	struct weir_text *plain = weir_alloc((count + 1) * sizeof *plain), name = {0};
	const char **texts = weir_alloc((count + 1) * sizeof *texts);

	for (size_t i = 0; i < count; i++) {
		weir_text_clear(&name);
		weir_text_add(&name, names[i].data, names[i].length);
		plain[i] = (struct weir_text){0};
		weir_escape_name(&plain[i], shown(&name));
		texts[i] = shown(&plain[i]);
	}
	weir_cut_distinct(texts, count, columns, cut);
	for (size_t i = 0; i < count; i++)
		weir_text_release(&plain[i]);
	weir_text_release(&name);
	free(plain);
	free(texts);
}
