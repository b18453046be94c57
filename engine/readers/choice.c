/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/choice.h"

#define SHOWN_REASONS 4
#define SHOWN_FORMATS 6

static struct weir_choice_row *find_row(struct weir_choice_rows *rows, const char *name,
                                        const char *first)
{
	struct weir_choice_row *row;

	for (size_t i = 0; i < rows->count; i++)
		if (strcmp(rows->items[i].name, name) == 0)
			return &rows->items[i];
	rows->items = weir_grow(rows->items, &rows->capacity, rows->count + 1, sizeof *rows->items);
	row = &rows->items[rows->count++];
	*row = (struct weir_choice_row){.name = weir_alloc_text(name)};
	row->first = first ? weir_alloc_text(first) : NULL;
	return row;
}

static void release_rows(struct weir_choice_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		free(rows->items[i].name);
		free(rows->items[i].first);
	}
	free(rows->items);
}

static size_t sum_rows(const struct weir_choice_rows *rows)
{
	size_t sum = 0;

	for (size_t i = 0; i < rows->count; i++)
		sum += rows->items[i].count;
	return sum;
}

void weir_choice_release(struct weir_choice *choice)
{
	release_rows(&choice->formats);
	release_rows(&choice->reasons);
	*choice = (struct weir_choice){0};
}

void weir_choice_take(struct weir_choice *choice, const char *format)
{
	find_row(&choice->formats, format, NULL)->count++;
}

/* Counts files, of which the row keeps the name that sorts first: files may come in any order. */
static void leave(struct weir_choice *choice, size_t count, const char *first, const char *reason)
{
	struct weir_choice_row *row = find_row(&choice->reasons, reason, first);

	row->count += count;
	if (weir_text_compare_numbered(first, row->first) < 0) {
		free(row->first);
		row->first = weir_alloc_text(first);
	}
}

void weir_choice_leave(struct weir_choice *choice, size_t count, const char *first,
                       const char *reason)
{
	if (count > 0)
		leave(choice, count, first, reason);
}

void weir_choice_add(struct weir_choice *choice, const struct weir_choice *other)
{
	for (size_t i = 0; i < other->formats.count; i++)
		find_row(&choice->formats, other->formats.items[i].name, NULL)->count +=
			other->formats.items[i].count;
	for (size_t i = 0; i < other->reasons.count; i++)
		leave(choice, other->reasons.items[i].count, other->reasons.items[i].first,
		      other->reasons.items[i].name);
}

void weir_choice_shorten(struct weir_choice *choice, const char *path)
{
	size_t length = strlen(path);

	for (size_t i = 0; i < choice->reasons.count; i++) {
		char *name = choice->reasons.items[i].first, *rest = name + length;

		if (strncmp(name, path, length) != 0)
			continue;
		rest += *rest == '/';
		if (*rest)
			memmove(name, rest, strlen(rest) + 1);
	}
}

size_t weir_choice_taken(const struct weir_choice *choice)
{
	return sum_rows(&choice->formats);
}

size_t weir_choice_left(const struct weir_choice *choice)
{
	return sum_rows(&choice->reasons);
}

static int by_first(const void *left, const void *right)
{
	const struct weir_choice_row *const *a = left, *const *b = right;

	return weir_text_compare_numbered((*a)->first, (*b)->first);
}

/* Returns the reasons in the order of their first files. The caller frees the list. */
static const struct weir_choice_row **sort_reasons(const struct weir_choice_rows *rows)
{
	const struct weir_choice_row **sorted = weir_alloc((rows->count + 1) * sizeof *sorted);

	for (size_t i = 0; i < rows->count; i++)
		sorted[i] = &rows->items[i];
	qsort(sorted, rows->count, sizeof *sorted, by_first);
	return sorted;
}

/* Returns the bytes of a reason without the pointer to the list of formats, for which a list of
 * files has no room. */
static int length_of(const char *reason)
{
	const char *pointer = strstr(reason, ": weir formats ");

	return pointer ? (int)(pointer - reason) : (int)strlen(reason);
}

void weir_choice_describe_left(const struct weir_choice *choice, struct weir_text *out)
{
	const struct weir_choice_row **rows = sort_reasons(&choice->reasons);
	size_t rest = 0;

	for (size_t i = 0; i < choice->reasons.count; i++) {
		const struct weir_choice_row *row = rows[i];

		if (i >= SHOWN_REASONS) {
			rest += row->count;
			continue;
		}
		weir_text_printf(out, "%s%s", i ? ", " : "", row->first);
		if (row->count > 1)
			weir_text_printf(out, " and %zu more", row->count - 1);
		weir_text_printf(out, " (%.*s)", length_of(row->name), row->name);
	}
	if (rest > 0)
		weir_text_printf(out, ", and %zu for other reasons", rest);
	free(rows);
}

void weir_choice_describe(const struct weir_choice *choice, struct weir_text *out)
{
	size_t taken = weir_choice_taken(choice), left = weir_choice_left(choice);
	const struct weir_choice_rows *formats = &choice->formats;

	if (left > 0)
		weir_text_printf(out, "%zu of %zu files read", taken, taken + left);
	else
		weir_text_printf(out, "%zu file%s read", taken, taken == 1 ? "" : "s");
	for (size_t i = 0; i < formats->count && i < SHOWN_FORMATS; i++)
		weir_text_printf(out, "%s%s %zu", i ? ", " : " (", formats->items[i].name,
		                 formats->items[i].count);
	if (formats->count > 0)
		weir_text_puts(out, formats->count > SHOWN_FORMATS ? ", ...)" : ")");
	if (left > 0) {
		weir_text_puts(out, "; left out: ");
		weir_choice_describe_left(choice, out);
	}
}
