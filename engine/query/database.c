/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "engine/base/text.h"
#include "engine/query/database.h"
#include "engine/report/json/stored.h"

#define STEPS_BETWEEN_CHECKS 10000 /* of SQLite's virtual machine */

struct weir_query {
	sqlite3 *db;
	struct weir_query_tables *tables;
	sqlite3_int64 former_heap; /* limit of the process before */
	struct timespec deadline;  /* of the statement that runs */
	char refused[64];
};

static enum weir_status fail(struct weir_query *query, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_INTERNAL, "tables of the query: %s",
	                 sqlite3_errmsg(query->db));
}

/* ---- tables and rows ---- */

static const char *sql_type(enum weir_query_type type)
{
	return type == WEIR_QUERY_TEXT ? "TEXT" : type == WEIR_QUERY_REAL ? "REAL" : "INTEGER";
}

static enum weir_status create_table(struct weir_query *query, const struct weir_query_table *table,
                                     struct weir_error *err)
{
	struct weir_text sql = {0};
	int code;

	weir_text_printf(&sql, "CREATE TABLE %s (", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		weir_text_printf(&sql, "%s%s %s%s", i ? ", " : "", table->columns[i].name,
		                 sql_type(table->columns[i].type), i ? "" : " PRIMARY KEY");
	weir_text_puts(&sql, ")");
	if (table->parent)
		weir_text_printf(&sql, "; CREATE INDEX %s_parent ON %s (parent_id)", table->name,
		                 table->name);
	code = sqlite3_exec(query->db, sql.data, NULL, NULL, NULL);
	weir_text_release(&sql);
	return code == SQLITE_OK ? WEIR_OK : fail(query, err);
}

static enum weir_status prepare_insert(struct weir_query *query,
                                       const struct weir_query_table *table, sqlite3_stmt **out,
                                       struct weir_error *err)
{
	struct weir_text sql = {0};
	int code;

	weir_text_printf(&sql, "INSERT INTO %s VALUES (", table->name);
	for (size_t i = 0; i < table->column_count; i++)
		weir_text_puts(&sql, i ? ", ?" : "?");
	weir_text_puts(&sql, ")");
	code = sqlite3_prepare_v2(query->db, sql.data, -1, out, NULL);
	weir_text_release(&sql);
	return code == SQLITE_OK ? WEIR_OK : fail(query, err);
}

/* The table whose rows are inserted. */
struct filling {
	struct weir_query *query;
	sqlite3_stmt **inserts; /* one for each table */
	sqlite3_int64 *next;    /* row_id of the next row of each table */
	struct weir_error *err;
};

/* Follows a path; NULL: nothing is there. */
static const cJSON *follow(const cJSON *item, const struct weir_query_path *path)
{
	for (size_t i = 0; i < path->count && item; i++) {
		const char *key = path->steps[i].key;

		item = key ? cJSON_GetObjectItemCaseSensitive(item, key)
		           : cJSON_GetArrayItem(item, (int)path->steps[i].index);
	}
	return item;
}

static int bind(sqlite3_stmt *insert, int at, const cJSON *value, enum weir_query_type type)
{
	double number;

	if (!value)
		return sqlite3_bind_null(insert, at);
	number = value->valuedouble;
	if (cJSON_IsString(value))
		return sqlite3_bind_text(insert, at, value->valuestring, -1, SQLITE_STATIC);
	if (cJSON_IsBool(value))
		return sqlite3_bind_int(insert, at, cJSON_IsTrue(value));
	if (!cJSON_IsNumber(value))
		return sqlite3_bind_null(insert, at);
	if (type != WEIR_QUERY_REAL && number == floor(number) && fabs(number) <= 9e18)
		return sqlite3_bind_int64(insert, at, (sqlite3_int64)number);
	return sqlite3_bind_double(insert, at, number);
}

static enum weir_status fill_table(const struct filling *filling, size_t index,
                                   const cJSON *container, sqlite3_int64 parent);

/* Inserts a row and the rows of the lists inside it. */
static enum weir_status fill_row(const struct filling *filling, size_t index, const cJSON *item,
                                 sqlite3_int64 parent)
{
	const struct weir_query_tables *tables = filling->query->tables;
	const struct weir_query_table *table = tables->items[index];
	sqlite3_stmt *insert = filling->inserts[index];
	sqlite3_int64 row = filling->next[index]++;
	enum weir_status status = WEIR_OK;
	int code = sqlite3_bind_int64(insert, 1, row);

	if (code == SQLITE_OK && table->parent)
		code = sqlite3_bind_int64(insert, 2, parent);
	if (code == SQLITE_OK && table->shape == WEIR_QUERY_MAP)
		code = sqlite3_bind_text(insert, (int)table->own + 1, item->string, -1,
		                         SQLITE_STATIC);
	for (size_t i = table->own + (table->shape == WEIR_QUERY_MAP);
	     i < table->column_count && code == SQLITE_OK; i++)
		code = bind(insert, (int)i + 1, follow(item, &table->columns[i].path),
		            table->columns[i].type);
	if (code == SQLITE_OK)
		code = sqlite3_step(insert) == SQLITE_DONE ? SQLITE_OK : SQLITE_ERROR;
	if (code != SQLITE_OK || sqlite3_reset(insert) != SQLITE_OK)
		return sqlite3_errcode(filling->query->db) == SQLITE_NOMEM
		               ? weir_fail(filling->err, WEIR_E_LIMIT,
		                           "the tables of this result need more memory than the "
		                           "limit")
		               : fail(filling->query, filling->err);
	for (size_t i = index + 1; i < tables->count && !status; i++)
		if (tables->items[i]->parent == table)
			status = fill_table(filling, i, item, row);
	return status;
}

/* Inserts the rows of a table that one container holds: the document, or a row of the parent. */
static enum weir_status fill_table(const struct filling *filling, size_t index,
                                   const cJSON *container, sqlite3_int64 parent)
{
	const struct weir_query_table *table = filling->query->tables->items[index];
	const cJSON *item = follow(container, &table->path), *entry;
	enum weir_status status = WEIR_OK;

	if (table->shape == WEIR_QUERY_OBJECT)
		return cJSON_IsObject(item) ? fill_row(filling, index, item, parent) : WEIR_OK;
	if (table->shape == WEIR_QUERY_LIST ? !cJSON_IsArray(item) : !cJSON_IsObject(item))
		return WEIR_OK;
	cJSON_ArrayForEach (entry, item) {
		status = fill_row(filling, index, entry, parent);
		if (status)
			break;
	}
	return status;
}

static enum weir_status fill_all(struct weir_query *query, const cJSON *document,
                                 struct weir_error *err)
{
	size_t count = query->tables->count;
	struct filling filling = {
		.query = query,
		.inserts = weir_alloc(count * sizeof(sqlite3_stmt *)),
		.next = weir_alloc(count * sizeof(sqlite3_int64)),
		.err = err,
	};
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < count && !status; i++) {
		status = create_table(query, query->tables->items[i], err);
		if (!status)
			status = prepare_insert(query, query->tables->items[i], &filling.inserts[i],
			                        err);
	}
	for (size_t i = 0; i < count && !status; i++)
		if (!query->tables->items[i]->parent)
			status = fill_table(&filling, i, document, 0);
	for (size_t i = 0; i < count; i++)
		sqlite3_finalize(filling.inserts[i]);
	free(filling.inserts);
	free(filling.next);
	return status;
}

/* ---- what a statement may do ---- */

/* Functions that read files or code, or whose result differs from call to call. */
static bool is_refused_function(const char *name)
{
	static const char *const names[] = {
		"load_extension", "random",    "randomblob", "fts3_tokenizer",
		"readfile",       "writefile", NULL};

	for (size_t i = 0; names[i]; i++)
		if (sqlite3_stricmp(name, names[i]) == 0)
			return true;
	return false;
}

/* Returns true for a column of a table of the document. A table without a column is one whose rows
 * are counted, which may be a common table expression. */
static bool is_readable(const struct weir_query *query, const char *table, const char *column)
{
	if (*column == '\0' && sqlite3_strnicmp(table, "sqlite_", 7) != 0)
		return true;
	return weir_query_table_find(query->tables, table) != NULL;
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *inside)
{
	struct weir_query *query = context;

	(void)database;
	(void)inside;
	switch (action) {
	case SQLITE_SELECT:
	case SQLITE_RECURSIVE:
		return SQLITE_OK;
	case SQLITE_READ:
		if (is_readable(query, first, second))
			return SQLITE_OK;
		sqlite3_snprintf((int)sizeof query->refused, query->refused, "%s", first);
		return SQLITE_DENY;
	case SQLITE_FUNCTION:
		if (!is_refused_function(second))
			return SQLITE_OK;
		sqlite3_snprintf((int)sizeof query->refused, query->refused, "%s()", second);
		return SQLITE_DENY;
	default:
		return SQLITE_DENY;
	}
}

static int is_late(void *context)
{
	const struct weir_query *query = context;
	struct timespec now = {0};

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > query->deadline.tv_sec ||
	       (now.tv_sec == query->deadline.tv_sec && now.tv_nsec >= query->deadline.tv_nsec);
}

static void set_limits(struct weir_query *query)
{
	static const struct {
		int what, most;
	} limits[] = {
		{SQLITE_LIMIT_LENGTH, WEIR_QUERY_MAX_VALUE},
		{SQLITE_LIMIT_SQL_LENGTH, WEIR_QUERY_MAX_SQL},
		{SQLITE_LIMIT_COLUMN, 500},
		{SQLITE_LIMIT_EXPR_DEPTH, 200},
		{SQLITE_LIMIT_COMPOUND_SELECT, 50},
		{SQLITE_LIMIT_VDBE_OP, 100000},
		{SQLITE_LIMIT_FUNCTION_ARG, 50},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1000},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 1},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < WEIR_COUNT_OF(limits); i++)
		sqlite3_limit(query->db, limits[i].what, limits[i].most);
	sqlite3_progress_handler(query->db, STEPS_BETWEEN_CHECKS, is_late, query);
	sqlite3_set_authorizer(query->db, authorize, query);
}

/* ---- opening ---- */

/* Checks the types and sizes of a document by reading it. */
static enum weir_status check(const cJSON *document, enum weir_result_kind *kind,
                              struct weir_error *err)
{
	enum weir_status status = weir_result_kind_of(document, kind, err);
	struct weir_stored_report *report = NULL;
	struct weir_gate_result *gate = NULL;

	if (status)
		return status;
	if (*kind == WEIR_RESULT_GATE) {
		status = weir_gate_of(document, &gate, err);
		if (!status)
			weir_gate_result_free(gate);
		return status;
	}
	status = weir_stored_report_of(document, NULL, &report, err);
	weir_stored_report_free(report);
	return status;
}

static enum weir_status open_memory(struct weir_query *query, struct weir_error *err)
{
	int code = sqlite3_open_v2(":memory:", &query->db,
	                           SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);

	if (!query->db)
		weir_out_of_memory();
	if (code != SQLITE_OK)
		return fail(query, err);
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_DQS_DML, 0, NULL);
	sqlite3_db_config(query->db, SQLITE_DBCONFIG_DQS_DDL, 0, NULL);
	code = sqlite3_exec(query->db, "PRAGMA temp_store = MEMORY; BEGIN", NULL, NULL, NULL);
	return code == SQLITE_OK ? WEIR_OK : fail(query, err);
}

enum weir_status weir_query_open(const cJSON *document, struct weir_query **out,
                                 struct weir_error *err)
{
	struct weir_query *query;
	enum weir_result_kind kind = WEIR_RESULT_REPORT;
	enum weir_status status = check(document, &kind, err);

	*out = NULL;
	if (status)
		return status;
	query = weir_alloc(sizeof *query);
	query->tables = weir_query_tables_new(kind);
	query->former_heap = sqlite3_hard_heap_limit64((sqlite3_int64)WEIR_QUERY_MAX_HEAP);
	status = open_memory(query, err);
	if (!status)
		status = fill_all(query, document, err);
	if (!status && sqlite3_exec(query->db, "COMMIT; PRAGMA query_only = ON", NULL, NULL,
	                            NULL) != SQLITE_OK)
		status = fail(query, err);
	if (status) {
		weir_query_free(query);
		return status;
	}
	set_limits(query);
	*out = query;
	return WEIR_OK;
}

void weir_query_free(struct weir_query *query)
{
	if (!query)
		return;
	sqlite3_close(query->db);
	sqlite3_hard_heap_limit64(query->former_heap);
	weir_query_tables_free(query->tables);
	free(query);
}

const struct weir_query_tables *weir_query_tables_of(const struct weir_query *query)
{
	return query->tables;
}

/* ---- errors of statements ---- */

/* Returns the first name that begins with a word; NULL: none. */
static const char *continued(const char *word, const char *const *names)
{
	for (size_t i = 0; names[i]; i++)
		if (strncmp(names[i], word, strlen(word)) == 0)
			return names[i];
	return NULL;
}

/* Returns the nearest name of a table, or of a column of any table; NULL: none is near. */
static const char *nearest(const struct weir_query_tables *tables, const char *name, bool columns)
{
	size_t count = 0, room = 0;
	const char **names = weir_grow(NULL, &room, 1, sizeof *names);
	const char *found;

	for (size_t t = 0; t < tables->count; t++) {
		const struct weir_query_table *table = tables->items[t];

		names = weir_grow(names, &room, count + table->column_count + 2, sizeof *names);
		if (!columns)
			names[count++] = table->name;
		for (size_t c = 0; columns && c < table->column_count; c++)
			names[count++] = table->columns[c].name;
	}
	names[count] = NULL;
	found = weir_text_nearest(name, names);
	if (!found && *name)
		found = continued(name, names);
	free(names);
	return found;
}

/* Fails for a name that SQLite does not know. */
static enum weir_status fail_unknown(struct weir_query *query, const char *name, bool column,
                                     struct weir_error *err)
{
	const char *dot = column ? strrchr(name, '.') : NULL;
	const char *near = nearest(query->tables, dot ? dot + 1 : name, column);

	return weir_fail(err, WEIR_E_USAGE, "no %s %.60s%s%s%s (weir query --schema lists all)",
	                 column ? "column" : "table", name, near ? "; did you mean " : "",
	                 near ? near : "", near ? "?" : "");
}

static enum weir_status fail_statement(struct weir_query *query, int code,
                                       const struct weir_query_limits *limits,
                                       struct weir_error *err)
{
	static const char no_column[] = "no such column: ", no_table[] = "no such table: ";
	const char *message = sqlite3_errmsg(query->db);

	switch (code & 0xff) {
	case SQLITE_INTERRUPT:
		return weir_fail(err, WEIR_E_LIMIT,
		                 "the query takes longer than %zu s: ask for less, or raise "
		                 "--seconds",
		                 limits->seconds);
	case SQLITE_NOMEM:
		return weir_fail(err, WEIR_E_LIMIT,
		                 "the query needs more memory than its limit: ask for less");
	case SQLITE_TOOBIG:
		return weir_fail(err, WEIR_E_LIMIT,
		                 "a value of the query is larger than 256 KiB: ask for less");
	case SQLITE_AUTH:
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s%s not allowed: a query is one SELECT over the tables of "
		                 "weir query --schema",
		                 query->refused[0] ? query->refused : "this statement", " is");
	default:
		break;
	}
	if (strncmp(message, no_column, sizeof no_column - 1) == 0)
		return fail_unknown(query, message + sizeof no_column - 1, true, err);
	if (strncmp(message, no_table, sizeof no_table - 1) == 0)
		return fail_unknown(query, message + sizeof no_table - 1, false, err);
	return weir_fail(err, WEIR_E_USAGE, "query: %s", message);
}

/* ---- running ---- */

static void set_deadline(struct weir_query *query, size_t seconds)
{
	clock_gettime(CLOCK_MONOTONIC, &query->deadline);
	query->deadline.tv_sec += (time_t)seconds;
}

/* Returns true if nothing but blanks, comments and semicolons is left. */
static bool is_end(struct weir_query *query, const char *rest)
{
	sqlite3_stmt *second = NULL;
	int code = SQLITE_OK;

	while (*rest && code == SQLITE_OK && !second)
		code = sqlite3_prepare_v2(query->db, rest, -1, &second, &rest);
	sqlite3_finalize(second);
	return code == SQLITE_OK && !second;
}

static enum weir_status prepare(struct weir_query *query, const char *sql,
                                const struct weir_query_limits *limits, sqlite3_stmt **out,
                                struct weir_error *err)
{
	const char *rest = NULL;
	int code;

	*out = NULL;
	query->refused[0] = '\0';
	if (strlen(sql) > WEIR_QUERY_MAX_SQL)
		return weir_fail(err, WEIR_E_LIMIT, "the query is longer than 64 KiB");
	code = sqlite3_prepare_v2(query->db, sql, -1, out, &rest);
	if (code != SQLITE_OK)
		return fail_statement(query, code, limits, err);
	if (!*out)
		return weir_fail(err, WEIR_E_USAGE,
		                 "the query is empty: weir query RESULT 'select * from stages'");
	if (is_end(query, rest) && sqlite3_stmt_readonly(*out) && !sqlite3_stmt_isexplain(*out))
		return WEIR_OK;
	sqlite3_finalize(*out);
	*out = NULL;
	return weir_fail(err, WEIR_E_USAGE, "the query is not one SELECT");
}

/* Returns bytes as hexadecimal digits. */
static const char *hex_of(const unsigned char *data, size_t size, struct weir_arena *arena)
{
	static const char digits[] = "0123456789abcdef";
	char *hex = weir_arena_alloc(arena, 2 * size + 1);

	for (size_t i = 0; i < size; i++) {
		hex[2 * i] = digits[data[i] >> 4];
		hex[2 * i + 1] = digits[data[i] & 15];
	}
	return hex;
}

/* Takes the value of a column. The bytes of a text are added to *bytes. */
static struct weir_query_cell take_cell(sqlite3_stmt *statement, int column,
                                        struct weir_arena *arena, uint64_t *bytes)
{
	struct weir_query_cell cell = {.kind = WEIR_QUERY_NULL};
	const unsigned char *data;
	size_t size;

	switch (sqlite3_column_type(statement, column)) {
	case SQLITE_INTEGER:
		cell.kind = WEIR_QUERY_IS_INTEGER;
		cell.as.integer = sqlite3_column_int64(statement, column);
		break;
	case SQLITE_FLOAT:
		cell.kind = WEIR_QUERY_IS_REAL;
		cell.as.real = sqlite3_column_double(statement, column);
		break;
	case SQLITE_TEXT:
		data = sqlite3_column_text(statement, column);
		size = data ? (size_t)sqlite3_column_bytes(statement, column) : 0;
		cell.kind = WEIR_QUERY_IS_TEXT;
		cell.as.text = weir_arena_copy(arena, size ? (const char *)data : "", size);
		*bytes += size;
		break;
	case SQLITE_BLOB:
		data = sqlite3_column_blob(statement, column);
		size = data ? (size_t)sqlite3_column_bytes(statement, column) : 0;
		cell.kind = WEIR_QUERY_IS_TEXT;
		cell.as.text = hex_of(data, size, arena);
		*bytes += 2 * size;
		break;
	default:
		break;
	}
	return cell;
}

static enum weir_status take_row(sqlite3_stmt *statement, struct weir_query_result *result,
                                 uint64_t *bytes, struct weir_error *err)
{
	size_t at = result->row_count * result->column_count;

	result->cells = weir_grow(result->cells, &result->room, at + result->column_count,
	                          sizeof *result->cells);
	for (size_t i = 0; i < result->column_count; i++)
		result->cells[at + i] = take_cell(statement, (int)i, result->arena, bytes);
	result->row_count++;
	*bytes += result->column_count * sizeof *result->cells;
	return *bytes <= WEIR_QUERY_MAX_BYTES
	               ? WEIR_OK
	               : weir_fail(err, WEIR_E_LIMIT,
	                           "the answer is larger than 64 MiB: ask for less");
}

static struct weir_query_result *new_result(size_t columns)
{
	struct weir_query_result *result = weir_alloc(sizeof *result);

	result->arena = weir_arena_new();
	result->column_count = columns;
	result->names = weir_arena_alloc(result->arena, (columns + 1) * sizeof *result->names);
	return result;
}

enum weir_status weir_query_run(struct weir_query *query, const char *sql,
                                const struct weir_query_limits *limits,
                                struct weir_query_result **out, struct weir_error *err)
{
	struct weir_query_result *result;
	sqlite3_stmt *statement;
	uint64_t bytes = 0;
	enum weir_status status;
	int code = SQLITE_ROW;

	*out = NULL;
	set_deadline(query, limits->seconds);
	status = prepare(query, sql, limits, &statement, err);
	if (status)
		return status;
	result = new_result((size_t)sqlite3_column_count(statement));
	for (size_t i = 0; i < result->column_count; i++) {
		const char *name = sqlite3_column_name(statement, (int)i);

		result->names[i] =
			weir_arena_copy(result->arena, name ? name : "", name ? strlen(name) : 0);
	}
	while (!status && (code = sqlite3_step(statement)) == SQLITE_ROW) {
		result->is_cut = result->row_count == limits->rows;
		if (result->is_cut)
			break;
		status = take_row(statement, result, &bytes, err);
	}
	if (!status && code != SQLITE_ROW && code != SQLITE_DONE)
		status = fail_statement(query, code, limits, err);
	sqlite3_finalize(statement);
	if (status)
		weir_query_result_free(result);
	else
		*out = result;
	return status;
}

void weir_query_result_free(struct weir_query_result *result)
{
	if (!result)
		return;
	free(result->cells);
	weir_arena_free(result->arena);
	free(result);
}
