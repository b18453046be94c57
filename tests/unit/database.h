/* SPDX-License-Identifier: GPL-3.0-or-later */
/* SQLite databases for tests, made from SQL; all fail the test that is running. */
#ifndef WEIR_TESTS_DATABASE_H
#define WEIR_TESTS_DATABASE_H

#include "tests/unit/packed.h"

/* A database as a file's bytes; free(data). */
struct bytes database_bytes(const char *sql);
/* Runs SQL on a copy of a database; takes the old bytes. */
struct bytes database_changed(struct bytes old, const char *sql);

/* The first column of the first row, as SQL sees it in the file; 0 for NULL or no row. */
int64_t database_int(const char *path, const char *sql);

/* The database that the SQL in a file makes, changed by more SQL. */
struct bytes database_of(const char *path, const char *more);
/* tests/data/nsys/export.sql, changed by more SQL. */
struct bytes database_export(const char *more);

#endif
