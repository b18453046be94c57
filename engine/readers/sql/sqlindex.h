/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole numbers of a table's rows by the number of the row, for joins: the table is read once,
 * front to back.
 *
 *	static const char *const columns[] = {"id", "tid", "pid", NULL};
 *	status = weir_sqlindex_open(&threads, db, "threads", columns, err);
 *	... row = weir_sqlindex_find(&threads, id); row ? row[0] is "tid", row[1] "pid" ...
 *	weir_sqlindex_close(&threads);
 */
#ifndef WEIR_READERS_SQLINDEX_H
#define WEIR_READERS_SQLINDEX_H

#include "engine/readers/sql/sqldb.h"

#define WEIR_SQLINDEX_MAX_COLUMNS 8
#define WEIR_SQL_NULL             INT64_MIN /* no whole number, or no such column */

/* {0} holds nothing; release with weir_sqlindex_close(). */
struct weir_sqlindex {
	int64_t *cells; /* `width` a row, the id first; by id, of equal ones the first row first */
	size_t width, count, capacity;
};

/* columns: the id, then at most WEIR_SQLINDEX_MAX_COLUMNS - 1 others, NULL-terminated. Rows without
 * an id are left out; a table that is not there has none. Close it also where this fails. */
enum weir_status weir_sqlindex_open(struct weir_sqlindex *index, struct weir_sqldb *db,
                                    const char *table, const char *const *columns,
                                    struct weir_error *err);
void weir_sqlindex_close(struct weir_sqlindex *index);
/* The cells behind the id, or NULL; of several rows with one id the first. */
const int64_t *weir_sqlindex_find(const struct weir_sqlindex *index, int64_t id);

#endif
