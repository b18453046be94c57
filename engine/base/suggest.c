/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The edit distance of two words, for "did you mean". */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"

static size_t least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* The last three rows of the table of distances between prefixes. */
struct rows {
	size_t *above2, *above, *now;
};

/* Computes row i: the distances of the first i bytes of a to every prefix of b. */
static void fill_row(const struct rows *rows, const char *a, size_t i, const char *b, size_t b_len)
{
	rows->now[0] = i;
	for (size_t j = 1; j <= b_len; j++) {
		size_t replaced = rows->above[j - 1] + (a[i - 1] != b[j - 1]);
		size_t edited = least(rows->above[j], rows->now[j - 1]) + 1;

		rows->now[j] = least(replaced, edited);
		if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
			rows->now[j] = least(rows->now[j], rows->above2[j - 2] + 1);
	}
}

/* Computes the optimal string alignment distance (L. Boytsov, Indexing methods for approximate
 * dictionary searching, 2011, 2.1). */
size_t weir_text_distance(const char *a, const char *b)
{
	size_t a_len = strlen(a);
	size_t b_len = strlen(b);
	size_t row = b_len + 1;
	size_t capacity = 0;
	size_t *cells = weir_grow_block(NULL, &capacity, 3 * row, sizeof(*cells));
	struct rows rows = {cells, cells + row, cells + 2 * row};
	size_t distance;

	for (size_t j = 0; j <= b_len; j++)
		rows.now[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		rows = (struct rows){rows.above, rows.now, rows.above2};
		fill_row(&rows, a, i, b, b_len);
	}
	distance = rows.now[b_len];
	free(cells);
	return distance;
}

/* Skips words by their length alone, so that a huge text costs little. The first of equally near
 * words is taken. */
const char *weir_text_nearest(const char *text, const char *const *list)
{
	const char *nearest = NULL;
	size_t smallest = SIZE_MAX;
	size_t len = strlen(text);

	for (; *list; list++) {
		size_t other = strlen(*list);
		size_t longer = len > other ? len : other;
		size_t distance;

		if ((longer - least(len, other)) * 3 > longer)
			continue;
		distance = weir_text_distance(text, *list);
		if (distance * 3 <= longer && distance < smallest) {
			smallest = distance;
			nearest = *list;
		}
	}
	return nearest;
}
