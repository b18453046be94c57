/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files that read SQLite databases: sqldb.c opens one, sqlscan.c reads its tables. */
#ifndef WEIR_READERS_SQLDB_IMPL_H
#define WEIR_READERS_SQLDB_IMPL_H

#include <sqlite3.h>

#include "engine/base/text.h"
#include "engine/readers/sql/sqldb.h"

struct weir_sqldb {
	sqlite3 *handle;
	uint64_t size;          /* bytes */
	int64_t budget;         /* steps of the progress handler that are left */
	struct weir_text image; /* a copy of the database; empty: it is read in place */
	char **tables;          /* the ordinary ones */
	size_t table_count, table_capacity;
};

/* The error of a result code, in words that hold nothing of the file's. */
enum weir_status weir_sqldb_failed(int code, struct weir_error *err);
enum weir_status weir_sqldb_prepare(struct weir_sqldb *db, const char *sql, sqlite3_stmt **out,
                                    struct weir_error *err);
/* *more: there is a row. */
enum weir_status weir_sqldb_step(sqlite3_stmt *statement, bool *more, struct weir_error *err);

#endif
