/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The connection of SQLite behind a weir_db, for tests that lock or trace it. */
#ifndef WEIR_BASELINES_DB_SQLITE_H
#define WEIR_BASELINES_DB_SQLITE_H

#include "baselines/db.h"

struct sqlite3;

/* Returns the connection, which belongs to db; NULL for another driver. */
struct sqlite3 *weir_db_sqlite_handle(struct weir_db *db);

#endif
