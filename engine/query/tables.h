/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Derives tables of SQL from the members that describe a document (engine/report/json/document.h),
 * so that a new member is a new column. The rules:
 *
 *  - The document is a table of one row with its plain members. Each object of it is a table of one
 *    row, or of none if the object is null.
 *  - A list is a table with one row for each entry. Lists inside entries have the column parent_id.
 *  - An object inside a row adds its members to the row: `launch_ns.p50` is `launch_ns_p50`.
 *  - An object whose keys are data (shares by cause, labels) is a table of names and values.
 *
 * The name of a table is the keys that lead to it, joined by "_".
 */
#ifndef WEIR_QUERY_TABLES_H
#define WEIR_QUERY_TABLES_H

#include <stddef.h>

#include "engine/base/arena.h"
#include "engine/report/json/document.h"
#include "engine/report/writer.h"

#define WEIR_QUERY_MAX_DEPTH 8 /* keys from a row to a value in it */

enum weir_query_type {
	WEIR_QUERY_TEXT,
	WEIR_QUERY_INTEGER,
	WEIR_QUERY_REAL,
};

/* Keys from the JSON of a row to a value; an entry without a key is a number in a list. */
struct weir_query_path {
	struct {
		const char *key;
		size_t index;
	} steps[WEIR_QUERY_MAX_DEPTH];
	size_t count;
};

struct weir_query_column {
	const char *name;
	enum weir_query_type type;
	const char *unit; /* "ns", "bytes", "share", ...; "": none */
	const char *meaning;
	struct weir_query_path path; /* unused for row_id, parent_id and the columns of a map */
};

/* The JSON that the rows of a table are made from. */
enum weir_query_shape {
	WEIR_QUERY_OBJECT, /* one row: row_id, then the columns */
	WEIR_QUERY_LIST,   /* a row for each entry */
	WEIR_QUERY_MAP,    /* a row for each key: columns `name` and `value` */
};

struct weir_query_table {
	const char *name;
	enum weir_query_shape shape;
	const struct weir_query_table
		*parent;                   /* table of the row that holds the list; NULL: none */
	struct weir_query_path path;       /* from that row, or from the document */
	struct weir_query_column *columns; /* row_id, parent_id if there is a parent, others */
	size_t column_count, column_room;
	size_t own; /* index of the first column behind row_id and parent_id */
};

/* The tables of a document; a parent comes before its children. */
struct weir_query_tables {
	struct weir_arena *arena;
	struct weir_query_table **items;
	size_t count, room;
};

/* Derives the tables of weir.report/1 or weir.gate/1. The caller frees the result with
 * weir_query_tables_free(). */
struct weir_query_tables *weir_query_tables_new(enum weir_result_kind kind);
void weir_query_tables_free(struct weir_query_tables *tables); /* NULL is fine */

/* Returns the table of this name, or NULL. */
const struct weir_query_table *weir_query_table_find(const struct weir_query_tables *tables,
                                                     const char *name);

/* Returns "text", "integer" or "real". */
const char *weir_query_type_name(enum weir_query_type type);

#endif
