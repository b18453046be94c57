/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers SELECT statements about a stored result from a database in memory.
 *
 *	status = weir_query_open(document, &query, err);
 *	status = weir_query_run(query, "select name, p50_ns from stages", &limits, &result, err);
 *	... result->cells[row * result->column_count + column] ...
 *	weir_query_result_free(result);
 *	weir_query_free(query);
 *
 * A statement is hostile input. It can read the tables of the document and do nothing else: no
 * write, no file, no other database, no setting. Its time, memory, rows and bytes have limits.
 */
#ifndef WEIR_QUERY_DATABASE_H
#define WEIR_QUERY_DATABASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/query/tables.h"

#define WEIR_QUERY_MAX_SQL   65536                 /* bytes of a statement */
#define WEIR_QUERY_MAX_VALUE (256u << 10)          /* bytes of one value */
#define WEIR_QUERY_MAX_BYTES (UINT64_C(64) << 20)  /* of all texts of a result */
#define WEIR_QUERY_MAX_HEAP  (UINT64_C(512) << 20) /* bytes that SQLite may take */

struct weir_query; /* opaque */

/* Checks a result (weir.report/1 or weir.gate/1) and fills its tables. The caller frees *out with
 * weir_query_free(). WEIR_E_FORMAT, WEIR_E_LIMIT: as engine/report/json/stored.h. */
enum weir_status weir_query_open(const cJSON *document, struct weir_query **out,
                                 struct weir_error *err);
void weir_query_free(struct weir_query *query); /* NULL is fine */

/* Returns the tables, borrowed. */
const struct weir_query_tables *weir_query_tables_of(const struct weir_query *query);

struct weir_query_limits {
	size_t rows;    /* further rows are left out */
	size_t seconds; /* a longer statement is an error */
};

enum weir_query_value {
	WEIR_QUERY_NULL,
	WEIR_QUERY_IS_INTEGER,
	WEIR_QUERY_IS_REAL,
	WEIR_QUERY_IS_TEXT,
};

struct weir_query_cell {
	enum weir_query_value kind;
	union {
		int64_t integer;
		double real;
		const char *text;
	} as;
};

struct weir_query_result {
	struct weir_arena *arena;
	const char **names; /* of the columns */
	size_t column_count;
	struct weir_query_cell *cells; /* row by row */
	size_t row_count, room;
	bool is_cut; /* there are more rows than the limit */
};

/* Runs one SELECT. The caller frees *out with weir_query_result_free(). WEIR_E_USAGE: the statement
 * is wrong or not allowed, and the message names the nearest table or column; WEIR_E_LIMIT: it
 * takes too much time, memory or space. */
enum weir_status weir_query_run(struct weir_query *query, const char *sql,
                                const struct weir_query_limits *limits,
                                struct weir_query_result **out, struct weir_error *err);
void weir_query_result_free(struct weir_query_result *result); /* NULL is fine */

#endif
