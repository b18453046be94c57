/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/sql/sqlindex.h"

static void add_row(struct weir_sqlindex *index, const struct weir_sqlscan *scan)
{
	int64_t *row;

	index->cells = weir_grow(index->cells, &index->capacity, index->count + 1,
	                         index->width * sizeof(*index->cells));
	row = index->cells + index->count * index->width;
	for (size_t i = 0; i < index->width; i++) {
		row[i] = WEIR_SQL_NULL;
		weir_sqlscan_int(scan, (int)i, &row[i]);
	}
	index->count += row[0] != WEIR_SQL_NULL;
}

static bool is_sorted(const struct weir_sqlindex *index)
{
	for (size_t i = 1; i < index->count; i++)
		if (index->cells[(i - 1) * index->width] >= index->cells[i * index->width])
			return false;
	return true;
}

static int by_id(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* Sorts the rows by id and keeps the first row of each id. A column with the old position makes up
 * for qsort(), which is not stable. */
static void sort(struct weir_sqlindex *index)
{
	size_t size = (index->width + 1) * sizeof(*index->cells), kept = 0;
	int64_t *rows;

	if (is_sorted(index))
		return;
	rows = weir_alloc(index->count * size);
	for (size_t i = 0; i < index->count; i++) {
		memcpy(rows + i * (index->width + 1), index->cells + i * index->width,
		       index->width * sizeof(*rows));
		rows[i * (index->width + 1) + index->width] = (int64_t)i;
	}
	qsort(rows, index->count, size, by_id);
	for (size_t i = 0; i < index->count; i++) {
		const int64_t *row = rows + i * (index->width + 1);
		int64_t *last = kept ? rows + (kept - 1) * (index->width + 1) : NULL;

		if (last && *last == *row) {
			if (row[index->width] < last[index->width])
				memcpy(last, row, size);
			continue;
		}
		memmove(rows + kept++ * (index->width + 1), row, size);
	}
	for (size_t i = 0; i < kept; i++)
		memcpy(index->cells + i * index->width, rows + i * (index->width + 1),
		       index->width * sizeof(*rows));
	index->count = kept;
	free(rows);
}

enum weir_status weir_sqlindex_open(struct weir_sqlindex *index, struct weir_sqldb *db,
                                    const char *table, const char *const *columns,
                                    struct weir_error *err)
{
	struct weir_sqlscan scan;
	enum weir_status status;
	bool more;

	*index = (struct weir_sqlindex){0};
	while (columns[index->width])
		index->width++;
	status = weir_sqlscan_open(&scan, db, table, columns, err);
	while (!status && !(status = weir_sqlscan_next(&scan, &more, err)) && more)
		add_row(index, &scan);
	weir_sqlscan_close(&scan);
	if (!status)
		sort(index);
	return status;
}

void weir_sqlindex_close(struct weir_sqlindex *index)
{
	free(index->cells);
	*index = (struct weir_sqlindex){0};
}

const int64_t *weir_sqlindex_find(const struct weir_sqlindex *index, int64_t id)
{
	size_t low = 0, high = index->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const int64_t *row = index->cells + middle * index->width;

		if (*row == id)
			return row + 1;
		if (*row < id)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* ---- names ---- */

enum weir_status weir_sqlnames_open(struct weir_sqlnames *names, struct weir_sqldb *db,
                                    const char *table, const char *id, const char *text,
                                    struct weir_error *err)
{
	*names = (struct weir_sqlnames){0};
	return weir_sqltexts_open(db, table, id, text, &names->texts, err);
}

void weir_sqlnames_close(struct weir_sqlnames *names)
{
	weir_sqltexts_close(names->texts);
	weir_rowmap_release(&names->by_id);
	free(names->items);
	*names = (struct weir_sqlnames){0};
}

static const struct weir_sqlname *find_met(const struct weir_sqlnames *names, int64_t id)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&names->by_id, weir_rowmap_hash((uint64_t)id), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (names->items[at].id == id)
			return &names->items[at];
	return NULL;
}

enum weir_status weir_sqlnames_find(struct weir_sqlnames *names, int64_t id,
                                    struct weir_names *into, uint32_t *name, struct weir_error *err)
{
	const struct weir_sqlname *met = find_met(names, id);
	struct weir_slice text = {"", 0};
	enum weir_status status;

	if (met) {
		*name = met->name;
		return WEIR_OK;
	}
	status = names->texts ? weir_sqltexts_find(names->texts, id, &text, err) : WEIR_OK;
	*name = 0;
	if (status)
		return status;
	if (text.length)
		*name = weir_names_add(into, text.data, text.length);
	names->items =
		weir_grow(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	names->items[names->count] = (struct weir_sqlname){id, *name};
	weir_rowmap_add(&names->by_id, weir_rowmap_hash((uint64_t)id), (uint32_t)names->count++);
	return WEIR_OK;
}
