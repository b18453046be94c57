/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writes the answer of a query, and lists tables with their columns. */
#ifndef WEIR_QUERY_ANSWER_H
#define WEIR_QUERY_ANSWER_H

#include "engine/base/text.h"
#include "engine/query/database.h"

enum weir_query_form {
	WEIR_QUERY_AS_TEXT, /* aligned columns for people: long texts are cut, NULL is "-" */
	WEIR_QUERY_AS_JSON, /* a list with an object for each row */
	WEIR_QUERY_AS_CSV,  /* RFC 4180 with a line of names; NULL is empty */
};

/* Appends a result. JSON needs a different name for each column: else WEIR_E_USAGE. */
enum weir_status weir_query_answer(const struct weir_query_result *result,
                                   enum weir_query_form form, struct weir_text *out,
                                   struct weir_error *err);

/* Appends the tables for people, in lines that can be longer than a terminal is wide. */
void weir_query_list_text(const struct weir_query_tables *tables, struct weir_text *out);

/* Returns a result with a row for each column of the tables: document, table_name, column_name,
 * type, unit, path, meaning. The path leads to the value in the JSON: "rows[].ci90[0]"; ".*" stands
 * for any key. The texts are borrowed from the tables. */
struct weir_query_result *weir_query_list(const struct weir_query_tables *const *tables,
                                          size_t count);

#endif
