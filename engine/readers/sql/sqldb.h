/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads tables of an untrusted SQLite database by the names of their columns.
 *
 *	status = weir_sqldb_open(source, &db, err);
 *	status = weir_sqlscan_open(&scan, db, "KERNEL", columns, err);
 *	while (!(status = weir_sqlscan_next(&scan, &row, err)) && row)
 *		... weir_sqlscan_int(&scan, 0, &start_ns) ...
 *	weir_sqlscan_close(&scan);
 *	weir_sqldb_close(db);
 *
 * The database and the files beside it are never written to. Only ordinary tables are read, from
 * front to back; nothing that the schema defines (views, triggers, virtual tables, expressions) is
 * run. A missing table has no rows, and a missing column no values. The whole read fails if SQLite
 * notices damage, or if the database takes more work or holds more rows than its size explains.
 */
#ifndef WEIR_READERS_SQL_SQLDB_H
#define WEIR_READERS_SQL_SQLDB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/slice.h"
#include "engine/base/source.h"

#define WEIR_SQL_MAX_COLUMNS 32                   /* of one scan */
#define WEIR_SQL_MAX_TABLES  4096u                /* of a database */
#define WEIR_SQL_MAX_TEXT    65536u               /* bytes of a text; longer ones are cut */
#define WEIR_SQL_MAX_HELD    (UINT64_C(16) << 30) /* bytes of a database that is not a plain file */

/* The first bytes of every SQLite database, with the final NUL. */
#define WEIR_SQL_MAGIC "SQLite format 3"

/* Returns true if the head begins an SQLite database. */
bool weir_sqldb_begins(const char *head, size_t len);

/* Returns true if the head begins a store of baselines, which is a database as well. */
bool weir_sqldb_is_store(const char *head, size_t len);

struct sqlite3;
struct sqlite3_stmt;

struct weir_sqldb;

/*
 * Opens the database in a source: a plain file in place; a compressed file, a pipe or memory as the
 * source holds it. The source must last until weir_sqldb_close(). Fails with WEIR_E_FORMAT if it is
 * damaged or not a database, WEIR_E_IO if a journal beside the file shows that it is being written,
 * WEIR_E_LIMIT beyond the limits above.
 */
enum weir_status weir_sqldb_open(struct weir_source *source, struct weir_sqldb **out,
                                 struct weir_error *err);
void weir_sqldb_close(struct weir_sqldb *db);

/* Returns true if there is an ordinary table of this name, in any case of letters. */
bool weir_sqldb_has(const struct weir_sqldb *db, const char *table);
/* Returns true if the name of an ordinary table begins with the prefix, in any case of letters. */
bool weir_sqldb_has_prefix(const struct weir_sqldb *db, const char *prefix);
/* The profilers whose databases have a reader, for messages. */
#define WEIR_SQL_PROFILERS "Nsight Systems or rocprofv3"
/* Describes a database that the expected profiler did not write, and says what to do. Never NULL;
 * static. */
const char *weir_sqldb_hint(const struct weir_sqldb *db);
/* Returns the name of an ordinary table by its number from 0; NULL after the last. A name may hold
 * any character but '"'. */
const char *weir_sqldb_table(const struct weir_sqldb *db, size_t index);

/* A pass over a table in the order of its rows. */
struct weir_sqlscan {
	struct weir_sqldb *db;           /* borrowed */
	const char *table;               /* borrowed */
	struct sqlite3_stmt *statement;  /* NULL: nothing to read */
	int place[WEIR_SQL_MAX_COLUMNS]; /* in the statement's result; -1: no such column */
	uint64_t row;                    /* number of the current row, from 1 */
};

/* Starts a scan of the columns (NULL-terminated, borrowed during the call), to which the scan
 * refers by index. Close it even if this fails. */
enum weir_status weir_sqlscan_open(struct weir_sqlscan *scan, struct weir_sqldb *db,
                                   const char *table, const char *const *columns,
                                   struct weir_error *err);
void weir_sqlscan_close(struct weir_sqlscan *scan);
/* Goes to the next row; *more is false after the last. */
enum weir_status weir_sqlscan_next(struct weir_sqlscan *scan, bool *more, struct weir_error *err);

static inline bool weir_sqlscan_has(const struct weir_sqlscan *scan, int column)
{
	return scan->place[column] >= 0;
}

/* Gives an integer. Returns false, and leaves *out alone, for NULL and any other value. */
bool weir_sqlscan_int(const struct weir_sqlscan *scan, int column, int64_t *out);
/* Returns a text up to its first NUL; empty if the value is not a text. Borrowed until the next
 * row. */
struct weir_slice weir_sqlscan_text(const struct weir_sqlscan *scan, int column);

/* A table of (id, text), for lookups in constant time. The id need not be the key of the table. */
struct weir_sqltexts;

/* Opens the texts; a missing table or column gives no texts. Close them even if this fails. */
enum weir_status weir_sqltexts_open(struct weir_sqldb *db, const char *table, const char *id,
                                    const char *text, struct weir_sqltexts **out,
                                    struct weir_error *err);
void weir_sqltexts_close(struct weir_sqltexts *texts);
/* Finds a text; *out is empty if there is no such id. Borrowed until the next call. */
enum weir_status weir_sqltexts_find(struct weir_sqltexts *texts, int64_t id, struct weir_slice *out,
                                    struct weir_error *err);

#endif
