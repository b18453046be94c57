/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Lookup tables for joins: integers of a table by the id of their row, and names by id. A table is
 * read once, from front to back.
 *
 *	static const char *const columns[] = {"id", "tid", "pid", NULL};
 *	status = weir_sqlindex_open(&threads, db, "threads", columns, err);
 *	... row = weir_sqlindex_find(&threads, id); row ? row[0] is "tid", row[1] "pid" ...
 *	weir_sqlindex_close(&threads);
 */
#ifndef WEIR_READERS_SQL_SQLINDEX_H
#define WEIR_READERS_SQL_SQLINDEX_H

#include "engine/base/names.h"
#include "engine/base/rowmap.h"
#include "engine/readers/sql/sqldb.h"

#define WEIR_SQLINDEX_MAX_COLUMNS 8
#define WEIR_SQL_NULL             INT64_MIN /* not an integer, or no such column */

/* {0} holds nothing; release with weir_sqlindex_close(). */
struct weir_sqlindex {
	int64_t *cells; /* `width` for each row, the id first; sorted by id */
	size_t width, count, capacity;
};

/* Reads the columns: the id, then at most WEIR_SQLINDEX_MAX_COLUMNS - 1 others, NULL-terminated.
 * Rows without an id are left out; a missing table has no rows. Close it even if this fails. */
enum weir_status weir_sqlindex_open(struct weir_sqlindex *index, struct weir_sqldb *db,
                                    const char *table, const char *const *columns,
                                    struct weir_error *err);
void weir_sqlindex_close(struct weir_sqlindex *index);
/* Returns the cells after the id, of the first row with this id; NULL if no row has it. */
const int64_t *weir_sqlindex_find(const struct weir_sqlindex *index, int64_t id);

struct weir_sqlname {
	int64_t id;
	uint32_t name;
};

/* Texts of a table, taken into the names of a trace when they are first looked up. {0} holds
 * nothing; release with weir_sqlnames_close(). */
struct weir_sqlnames {
	struct weir_sqltexts *texts; /* for texts that need no name */
	struct weir_sqlname *items;  /* the names that were looked up */
	size_t count, capacity;
	struct weir_rowmap by_id;
};

/* Opens the table; a missing table or column gives no names. Close it even if this fails. */
enum weir_status weir_sqlnames_open(struct weir_sqlnames *names, struct weir_sqldb *db,
                                    const char *table, const char *id, const char *text,
                                    struct weir_error *err);
void weir_sqlnames_close(struct weir_sqlnames *names);
/* Looks up an id; *name is 0 if there is no such id, or if this fails. */
enum weir_status weir_sqlnames_find(struct weir_sqlnames *names, int64_t id,
                                    struct weir_names *into, uint32_t *name,
                                    struct weir_error *err);

#endif
