/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes SQLite databases from SQL. Every function fails the running test on an error. */
#ifndef WEIR_TESTS_UNIT_DATABASE_H
#define WEIR_TESTS_UNIT_DATABASE_H

#include "tests/unit/packed.h"

/* Returns a database as the bytes of a file; free(data). */
struct bytes database_bytes(const char *sql);
/* Runs SQL on a copy of a database; takes the old bytes. */
struct bytes database_changed(struct bytes old, const char *sql);

/* Returns the first column of the first row, as SQLite reads it from the file; 0 for NULL or no
 * row. */
int64_t database_int(const char *path, const char *sql);

/* Returns the database that the SQL in a file makes, changed by more SQL. */
struct bytes database_of(const char *path, const char *more);
/* Returns the database of tests/data/nsys/export.sql, changed by more SQL. */
struct bytes database_export(const char *more);

#endif
