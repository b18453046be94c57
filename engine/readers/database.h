/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which reader a database belongs to. The tables decide where the file can be looked at: a schema
 * of many tables goes on in pages that no head holds. Of a pipe only the head is seen.
 */
#ifndef WEIR_READERS_DATABASE_H
#define WEIR_READERS_DATABASE_H

#include "engine/readers/reader.h"
#include "engine/readers/sql/sqldb.h"

/*
 * The reader that owns the tables of the database in this file; fails with WEIR_E_FORMAT where none
 * does, or two do. *out is NULL where the tables cannot be listed (damaged, being written): the
 * head must tell then.
 */
enum weir_status weir_database_choose(const char *path, const struct weir_reader **out,
                                      struct weir_error *err);

/* For sniff(): bits of a head that is an SQLite database's and holds names of tables, which end
 * with NULL; 0: none of them. */
int weir_database_sniff(const char *head, size_t len, const char *const *names);

/* What a database is that the reader at hand cannot read, and what to do. */
const char *weir_database_hint(const struct weir_sqldb *db);

#endif
