/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of an SQLite database that nobody vouches for, read by the names of their columns.
 *
 *	status = weir_sqldb_open(source, &db, err);
 *	status = weir_sqlscan_open(&scan, db, "KERNEL", columns, err);
 *	while (!(status = weir_sqlscan_next(&scan, &row, err)) && row)
 *		... weir_sqlscan_int(&scan, 0, &start_ns) ...
 *	weir_sqlscan_close(&scan);
 *	weir_sqldb_close(db);
 *
 * The database is never written to, and the files beside it are left alone. Only ordinary tables
 * are read, from front to back, and nothing that their schema defines (views, triggers, virtual
 * tables, expressions) is run. A table that is not there has no rows, a column that is not there
 * has no values. Damage that SQLite notices fails the whole read, and so does a database that takes
 * more work, or holds more rows, than its size explains.
 */
#ifndef WEIR_READERS_SQLDB_H
#define WEIR_READERS_SQLDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"

#define WEIR_SQL_MAX_COLUMNS 32         /* of one scan */
#define WEIR_SQL_MAX_TABLES  4096u      /* of a database */
#define WEIR_SQL_MAX_TEXT    65536u     /* bytes of a text; more are cut off */
#define WEIR_SQL_MAX_SPOOL   (1u << 30) /* bytes of a database that comes through a pipe */

/* What every SQLite database begins with, the final NUL included. */
#define WEIR_SQL_MAGIC "SQLite format 3"

/* Whether a head is that of an SQLite database. */
bool weir_sqldb_begins(const char *head, size_t len);

struct sqlite3;
struct sqlite3_stmt;

struct weir_sqldb;

/*
 * Opens what the source holds: a plain file in place; a compressed one, a pipe or memory as a copy
 * in memory. Fails with WEIR_E_FORMAT for what is no database or a damaged one, WEIR_E_IO where a
 * journal beside the file says that it is being written, WEIR_E_LIMIT beyond the limits above.
 */
enum weir_status weir_sqldb_open(struct weir_source *source, struct weir_sqldb **out,
                                 struct weir_error *err);
void weir_sqldb_close(struct weir_sqldb *db);

/* Whether there is an ordinary table of this name; capitals do not matter. */
bool weir_sqldb_has(const struct weir_sqldb *db, const char *table);
/* Whether there is one whose name begins so. */
bool weir_sqldb_has_prefix(const struct weir_sqldb *db, const char *prefix);
/* The name of the n-th ordinary table; NULL behind the last. Any text but with '"' in it. */
const char *weir_sqldb_table(const struct weir_sqldb *db, size_t index);

/* One pass over a table in the order of its rows. */
struct weir_sqlscan {
	struct weir_sqldb *db;           /* borrowed */
	const char *table;               /* borrowed */
	struct sqlite3_stmt *statement;  /* NULL: nothing to read */
	int place[WEIR_SQL_MAX_COLUMNS]; /* in the statement's result; -1: no such column */
	uint64_t row;                    /* of the table, from 1 */
};

/* columns: NULL-terminated, borrowed during the call; the scan refers to them by their index. Close
 * it also where this fails. */
enum weir_status weir_sqlscan_open(struct weir_sqlscan *scan, struct weir_sqldb *db,
                                   const char *table, const char *const *columns,
                                   struct weir_error *err);
void weir_sqlscan_close(struct weir_sqlscan *scan);
/* *more is false behind the last row. */
enum weir_status weir_sqlscan_next(struct weir_sqlscan *scan, bool *more, struct weir_error *err);

static inline bool weir_sqlscan_has(const struct weir_sqlscan *scan, int column)
{
	return scan->place[column] >= 0;
}

/* False, and *out as it was, for NULL and whatever else is no whole number. */
bool weir_sqlscan_int(const struct weir_sqlscan *scan, int column, int64_t *out);
/* Up to the first NUL; empty for what is no text; borrowed until the next row. */
struct weir_slice weir_sqlscan_text(const struct weir_sqlscan *scan, int column);

/*
 * Texts by number: a table of (id, text), where the id need not be its key. Looking one up costs
 * the same however large the table is.
 */
struct weir_sqltexts;

/* A table that is not there, or lacks a column, holds no texts. */
enum weir_status weir_sqltexts_open(struct weir_sqldb *db, const char *table, const char *id,
                                    const char *text, struct weir_sqltexts **out,
                                    struct weir_error *err);
void weir_sqltexts_close(struct weir_sqltexts *texts);
/* *out is empty where there is no such id; borrowed until the next call. */
enum weir_status weir_sqltexts_find(struct weir_sqltexts *texts, int64_t id, struct weir_slice *out,
                                    struct weir_error *err);

#endif
