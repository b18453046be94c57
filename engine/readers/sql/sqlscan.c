/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/readers/sql/sqldb_impl.h"

#define ROW_BYTES   8      /* a row of the tables that are read takes more */
#define EXACT_FLOAT 0x1p53 /* whole numbers up to here are exact in a double */

struct weir_sqltexts {
	struct weir_sqldb *db;
	sqlite3_stmt *lookup; /* NULL: no texts */
	bool by_key;          /* the id is the table's key, else `rows` leads from it to the row */
	int64_t *ids, *rows;
	size_t count, id_capacity, row_capacity;
	struct weir_rowmap of_id;
};

/* Which of the columns the table has; the first of several of one name. *keys: how many columns its
 * primary key has. */
static enum weir_status find_columns(struct weir_sqldb *db, const char *table,
                                     const char *const *columns, bool *found, int *key_place,
                                     struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct weir_text sql = {0};
	enum weir_status status;
	bool more;

	weir_text_printf(&sql, "PRAGMA main.table_info(\"%s\")", table);
	status = weir_sqldb_prepare(db, sql.data, &statement, err);
	weir_text_release(&sql);
	while (!status && !(status = weir_sqldb_step(statement, &more, err)) && more) {
		const char *name = (const char *)sqlite3_column_text(statement, 1);

		for (int i = 0; name && columns[i]; i++) {
			if (strcasecmp(name, columns[i]) != 0)
				continue;
			found[i] = true;
			if (i == 0)
				*key_place = sqlite3_column_int(statement, 5);
		}
	}
	sqlite3_finalize(statement);
	return status;
}

/* Adds the columns that are there to the statement; false where there is none. */
static bool select_columns(struct weir_sqlscan *scan, const char *const *columns, const bool *found,
                           struct weir_text *sql)
{
	int places = 0;

	weir_text_puts(sql, "SELECT ");
	for (int i = 0; i < WEIR_SQL_MAX_COLUMNS; i++)
		scan->place[i] = -1;
	for (int i = 0; columns[i]; i++) {
		if (!found[i])
			continue;
		weir_text_printf(sql, "%s\"%s\"", places ? "," : "", columns[i]);
		scan->place[i] = places++;
	}
	/* In the order of the rows, whatever index would also do. */
	weir_text_printf(sql, " FROM main.\"%s\" NOT INDEXED", scan->table);
	return places > 0;
}

enum weir_status weir_sqlscan_open(struct weir_sqlscan *scan, struct weir_sqldb *db,
                                   const char *table, const char *const *columns,
                                   struct weir_error *err)
{
	bool found[WEIR_SQL_MAX_COLUMNS] = {false};
	struct weir_text sql = {0};
	enum weir_status status;
	int key_place = 0;

	*scan = (struct weir_sqlscan){.db = db, .table = table};
	if (!weir_sqldb_has(db, table))
		return WEIR_OK;
	status = find_columns(db, table, columns, found, &key_place, err);
	if (!status && select_columns(scan, columns, found, &sql))
		status = weir_sqldb_prepare(db, sql.data, &scan->statement, err);
	weir_text_release(&sql);
	return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
}

void weir_sqlscan_close(struct weir_sqlscan *scan)
{
	sqlite3_finalize(scan->statement);
	scan->statement = NULL;
}

enum weir_status weir_sqlscan_next(struct weir_sqlscan *scan, bool *more, struct weir_error *err)
{
	enum weir_status status;

	*more = false;
	if (!scan->statement)
		return WEIR_OK;
	status = weir_sqldb_step(scan->statement, more, err);
	if (!status && *more && ++scan->row > scan->db->size / ROW_BYTES)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "more rows than a file of %llu bytes can hold: the database is "
		                   "damaged",
		                   (unsigned long long)scan->db->size);
	return status ? weir_fail_in(err, "table %s", scan->table) : WEIR_OK;
}

bool weir_sqlscan_int(const struct weir_sqlscan *scan, int column, int64_t *out)
{
	int place = scan->place[column];
	double value;

	if (place < 0)
		return false;
	switch (sqlite3_column_type(scan->statement, place)) {
	case SQLITE_INTEGER:
		*out = sqlite3_column_int64(scan->statement, place);
		return true;
	case SQLITE_FLOAT: /* down-samplers write columns with a NULL so */
		value = sqlite3_column_double(scan->statement, place);
		if (!(value > -EXACT_FLOAT && value < EXACT_FLOAT) ||
		    value != (double)(int64_t)value)
			return false;
		*out = (int64_t)value;
		return true;
	default:
		return false;
	}
}

/* Not within a character: continuation bytes at the cut go with it. */
static size_t cut_text(const char *text, size_t length)
{
	if (length <= WEIR_SQL_MAX_TEXT)
		return length;
	length = WEIR_SQL_MAX_TEXT;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static struct weir_slice text_at(sqlite3_stmt *statement, int place)
{
	struct weir_slice text = {"", 0};
	const char *data, *nul;

	if (sqlite3_column_type(statement, place) != SQLITE_TEXT)
		return text;
	data = (const char *)sqlite3_column_text(statement, place);
	if (!data)
		return text;
	text = (struct weir_slice){data, (size_t)sqlite3_column_bytes(statement, place)};
	nul = memchr(data, '\0', text.length);
	text.length = cut_text(data, nul ? (size_t)(nul - data) : text.length);
	return text;
}

struct weir_slice weir_sqlscan_text(const struct weir_sqlscan *scan, int column)
{
	return scan->place[column] < 0 ? (struct weir_slice){"", 0}
	                               : text_at(scan->statement, scan->place[column]);
}

static void add_id(struct weir_sqltexts *texts, int64_t id, int64_t row)
{
	texts->ids =
		weir_grow(texts->ids, &texts->id_capacity, texts->count + 1, sizeof(*texts->ids));
	texts->rows = weir_grow(texts->rows, &texts->row_capacity, texts->count + 1,
	                        sizeof(*texts->rows));
	texts->ids[texts->count] = id;
	texts->rows[texts->count] = row;
	weir_rowmap_add(&texts->of_id, weir_rowmap_hash((uint64_t)id), (uint32_t)texts->count++);
}

/* The first row of an id; -1: there is none. */
static int64_t row_of(const struct weir_sqltexts *texts, int64_t id)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&texts->of_id, weir_rowmap_hash((uint64_t)id), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (texts->ids[at] == id)
			return texts->rows[at];
	return -1;
}

static enum weir_status index_ids(struct weir_sqltexts *texts, const char *table, const char *id,
                                  struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct weir_text sql = {0};
	enum weir_status status;
	bool more;

	weir_text_printf(&sql, "SELECT \"%s\", rowid FROM main.\"%s\" NOT INDEXED", id, table);
	status = weir_sqldb_prepare(texts->db, sql.data, &statement, err);
	weir_text_release(&sql);
	while (!status && !(status = weir_sqldb_step(statement, &more, err)) && more) {
		if (texts->count >= texts->db->size / ROW_BYTES || texts->count >= UINT32_MAX - 1)
			status = weir_fail(err, WEIR_E_FORMAT, "more texts than the file can hold");
		else if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER &&
		         row_of(texts, sqlite3_column_int64(statement, 0)) < 0)
			add_id(texts, sqlite3_column_int64(statement, 0),
			       sqlite3_column_int64(statement, 1));
	}
	sqlite3_finalize(statement);
	return status;
}

static enum weir_status prepare_lookup(struct weir_sqltexts *texts, const char *table,
                                       const char *id, const char *text, struct weir_error *err)
{
	struct weir_text sql = {0};
	enum weir_status status;

	if (texts->by_key)
		weir_text_printf(&sql, "SELECT \"%s\" FROM main.\"%s\" WHERE \"%s\" = ?", text,
		                 table, id);
	else
		weir_text_printf(&sql, "SELECT \"%s\" FROM main.\"%s\" WHERE rowid = ?", text,
		                 table);
	status = weir_sqldb_prepare(texts->db, sql.data, &texts->lookup, err);
	weir_text_release(&sql);
	return status;
}

enum weir_status weir_sqltexts_open(struct weir_sqldb *db, const char *table, const char *id,
                                    const char *text, struct weir_sqltexts **out,
                                    struct weir_error *err)
{
	const char *const columns[] = {id, text, NULL};
	struct weir_sqltexts *texts = weir_alloc(sizeof(*texts));
	bool found[2] = {false, false};
	enum weir_status status = WEIR_OK;
	int key_place = 0;

	texts->db = db;
	*out = texts;
	if (weir_sqldb_has(db, table))
		status = find_columns(db, table, columns, found, &key_place, err);
	if (status || !found[0] || !found[1])
		return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
	texts->by_key = key_place == 1;
	if (!texts->by_key)
		status = index_ids(texts, table, id, err);
	if (!status)
		status = prepare_lookup(texts, table, id, text, err);
	return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
}

void weir_sqltexts_close(struct weir_sqltexts *texts)
{
	if (!texts)
		return;
	sqlite3_finalize(texts->lookup);
	weir_rowmap_release(&texts->of_id);
	free(texts->ids);
	free(texts->rows);
	free(texts);
}

enum weir_status weir_sqltexts_find(struct weir_sqltexts *texts, int64_t id, struct weir_slice *out,
                                    struct weir_error *err)
{
	int64_t key = texts->by_key ? id : row_of(texts, id);
	enum weir_status status;
	bool more;

	*out = (struct weir_slice){"", 0};
	if (!texts->lookup || (!texts->by_key && key < 0))
		return WEIR_OK;
	sqlite3_reset(texts->lookup);
	sqlite3_bind_int64(texts->lookup, 1, key);
	status = weir_sqldb_step(texts->lookup, &more, err);
	if (!status && more)
		*out = text_at(texts->lookup, 0);
	return status;
}
