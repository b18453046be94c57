/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/feature.h"
#include "rules/clause.h"
#include "rules/clause_text.h"

#define TABLE              "feature"
#define MAX_DEPTH          40   /* of an expression tree */
#define MAX_OPERATIONS     2000 /* of one compiled clause */
#define MAX_ARGUMENTS      8    /* of one function call */
#define BUDGET_STEP        1000 /* virtual machine operations between two looks at the budget */
#define BUDGET_STEPS       16   /* looks that one evaluation gets */
#define MISSING_COLUMN     "no such column: "
#define MAX_DATABASE_BYTES 65536 /* of one row or text; the row is 9 bytes a feature */

struct weir_clause {
	struct weir_clause_db *db;
	struct weir_clause *next; /* of the same database */
	char *text;
	sqlite3_stmt *statement;
	size_t reads[WEIR_MAX_READINGS]; /* rows of the feature table, in order of first mention */
	size_t read_count;
};

struct weir_clause_db {
	const struct weir_feature_table *features;
	sqlite3 *handle;
	sqlite3_stmt *update; /* writes the one row */
	double *values;       /* what the row holds */
	struct weir_clause *clauses;
	bool closed; /* the schema stands; from here on the authorizer lets clauses through only */
	struct weir_clause *preparing;
	unsigned subjects; /* of the clause being prepared */
	size_t selects;
	int budget;
	struct weir_error denial; /* why the authorizer refused; status WEIR_OK: it did not */
};

static const char *const functions[] = {"abs",    "min",   "max", "coalesce",
                                        "nullif", "round", "iif", NULL};

/* --- the authorizer --- */

static int deny(struct weir_clause_db *db, const char *why)
{
	weir_fail(&db->denial, WEIR_E_USAGE, "%s", why);
	return SQLITE_DENY;
}

static int allow_function(struct weir_clause_db *db, const char *name)
{
	for (const char *const *known = functions; *known; known++) {
		if (sqlite3_stricmp(*known, name) == 0)
			return SQLITE_OK;
	}
	weir_fail(&db->denial, WEIR_E_USAGE,
	          "function %s is not allowed; abs, min, max, coalesce, nullif, round and iif are",
	          name);
	return SQLITE_DENY;
}

/* Records the feature as evidence. SQLite names no column where a table is mentioned without one.
 */
static int allow_read(struct weir_clause_db *db, const char *table, const char *column)
{
	struct weir_clause *clause = db->preparing;
	size_t row;

	if (!clause || strcmp(table, TABLE) != 0)
		return deny(db, "a clause reads features and nothing else");
	if (*column == '\0')
		return SQLITE_OK;
	if (weir_feature_require(db->features, column, db->subjects, &row, &db->denial))
		return SQLITE_DENY;
	if (weir_clause_reads(clause, row))
		return SQLITE_OK;
	if (clause->read_count == WEIR_MAX_READINGS) {
		weir_fail(&db->denial, WEIR_E_USAGE,
		          "reads more than %d features; split it into clauses", WEIR_MAX_READINGS);
		return SQLITE_DENY;
	}
	clause->reads[clause->read_count++] = row;
	return SQLITE_OK;
}

static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
	struct weir_clause_db *db = context;

	(void)database;
	(void)trigger;
	if (!db->closed)
		return SQLITE_OK;
	if (action == SQLITE_SELECT)
		return db->selects++ == 0 ? SQLITE_OK
		                          : deny(db, "a clause is one expression without a SELECT");
	if (action == SQLITE_READ)
		return allow_read(db, first, second);
	if (action == SQLITE_FUNCTION)
		return allow_function(db, second);
	return deny(db, "a clause is one expression over features");
}

static int spend(void *context)
{
	struct weir_clause_db *db = context;

	return --db->budget < 0;
}

/* --- the closed room --- */

static enum weir_status sqlite_failed(struct weir_clause_db *db, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_INTERNAL, "clause database: %s", sqlite3_errmsg(db->handle));
}

static enum weir_status run(struct weir_clause_db *db, const char *sql, struct weir_error *err)
{
	if (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return sqlite_failed(db, err);
	return WEIR_OK;
}

struct setting {
	int code, value;
};

static enum weir_status configure(struct weir_clause_db *db, struct weir_error *err)
{
	static const struct setting switches[] = {
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		if (sqlite3_db_config(db->handle, switches[i].code, switches[i].value, NULL) !=
		    SQLITE_OK)
			return sqlite_failed(db, err);
	}
	sqlite3_progress_handler(db->handle, BUDGET_STEP, spend, db);
	return WEIR_OK;
}

static void set_limits(struct weir_clause_db *db)
{
	static const struct setting limits[] = {
		{SQLITE_LIMIT_LENGTH, MAX_DATABASE_BYTES},
		{SQLITE_LIMIT_SQL_LENGTH,
	         WEIR_CLAUSE_MAX_LENGTH + 64}, /* with the SELECT around it */
		{SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH},
		{SQLITE_LIMIT_COMPOUND_SELECT, 1},
		{SQLITE_LIMIT_VDBE_OP, MAX_OPERATIONS},
		{SQLITE_LIMIT_FUNCTION_ARG, MAX_ARGUMENTS},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 1},
		{SQLITE_LIMIT_VARIABLE_NUMBER, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 0},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db->handle, limits[i].code, limits[i].value);
}

static bool is_column_name(const char *id)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz";

	if (!*id || !strchr(letters, *id))
		return false;
	return id[strspn(id, "abcdefghijklmnopqrstuvwxyz0123456789_")] == '\0';
}

static enum weir_status check_features(const struct weir_feature_table *features,
                                       struct weir_error *err)
{
	if (features->count == 0 || features->count > WEIR_CLAUSE_MAX_FEATURES)
		return weir_fail(err, WEIR_E_INTERNAL, "%zu features, expected 1 to %d",
		                 features->count, WEIR_CLAUSE_MAX_FEATURES);
	for (size_t i = 0; i < features->count; i++) {
		if (!is_column_name(features->items[i].id))
			return weir_fail(err, WEIR_E_INTERNAL, "feature \"%s\" is no column name",
			                 features->items[i].id);
	}
	return WEIR_OK;
}

/* One row of NULLs. It is written inside one transaction that never ends, so that no update has to
 * commit. */
static enum weir_status create_table(struct weir_clause_db *db, struct weir_error *err)
{
	struct weir_text sql = {0};

	weir_text_puts(&sql, "CREATE TABLE " TABLE "(");
	for (size_t i = 0; i < db->features->count; i++)
		weir_text_printf(&sql, "%s\"%s\" REAL", i ? "," : "", db->features->items[i].id);
	weir_text_puts(&sql, ") STRICT; INSERT INTO " TABLE " DEFAULT VALUES; BEGIN");
	enum weir_status status = run(db, sql.data, err);
	weir_text_release(&sql);
	return status;
}

static enum weir_status prepare_update(struct weir_clause_db *db, struct weir_error *err)
{
	struct weir_text sql = {0};

	weir_text_puts(&sql, "UPDATE " TABLE " SET ");
	for (size_t i = 0; i < db->features->count; i++)
		weir_text_printf(&sql, "%s\"%s\"=?%zu", i ? "," : "", db->features->items[i].id,
		                 i + 1);
	int code = sqlite3_prepare_v3(db->handle, sql.data, -1, SQLITE_PREPARE_PERSISTENT,
	                              &db->update, NULL);
	weir_text_release(&sql);
	return code == SQLITE_OK ? WEIR_OK : sqlite_failed(db, err);
}

static enum weir_status open_room(struct weir_clause_db *db, struct weir_error *err)
{
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MEMORY |
	            SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_NOMUTEX;

	if (sqlite3_open_v2(":memory:", &db->handle, flags, NULL) != SQLITE_OK)
		return weir_fail(err, WEIR_E_INTERNAL, "clause database: %s",
		                 db->handle ? sqlite3_errmsg(db->handle) : "out of memory");
	db->budget = BUDGET_STEPS;
	/* Before anything is prepared: installing an authorizer later would expire the update. */
	sqlite3_set_authorizer(db->handle, authorize, db);
	enum weir_status status = configure(db, err);
	if (!status)
		status = create_table(db, err);
	if (!status)
		status = prepare_update(db, err);
	set_limits(db);
	db->closed = true;
	return status;
}

enum weir_status weir_clause_db_new(const struct weir_feature_table *features,
                                    struct weir_clause_db **out, struct weir_error *err)
{
	enum weir_status status = check_features(features, err);

	if (status)
		return status;
	struct weir_clause_db *db = weir_alloc(sizeof(*db));
	db->features = features;
	db->values = weir_alloc(features->count * sizeof(*db->values));
	status = open_room(db, err);
	if (!status)
		status = weir_clause_db_fill(db, NAN, err);
	if (status) {
		weir_clause_db_free(db);
		return status;
	}
	*out = db;
	return WEIR_OK;
}

static void clause_free(struct weir_clause *clause)
{
	sqlite3_finalize(clause->statement);
	free(clause->text);
	free(clause);
}

void weir_clause_db_free(struct weir_clause_db *db)
{
	if (!db)
		return;
	while (db->clauses) {
		struct weir_clause *next = db->clauses->next;
		clause_free(db->clauses);
		db->clauses = next;
	}
	sqlite3_finalize(db->update);
	sqlite3_close(db->handle);
	free(db->values);
	free(db);
}

static enum weir_status write_row(struct weir_clause_db *db, struct weir_error *err)
{
	for (size_t i = 0; i < db->features->count; i++) {
		/* SQLite stores NAN as NULL. */
		if (sqlite3_bind_double(db->update, (int)i + 1, db->values[i]) != SQLITE_OK)
			return sqlite_failed(db, err);
	}
	db->budget = BUDGET_STEPS;
	int code = sqlite3_step(db->update);
	sqlite3_reset(db->update);
	return code == SQLITE_DONE ? WEIR_OK : sqlite_failed(db, err);
}

enum weir_status weir_clause_db_set(struct weir_clause_db *db, const double *values,
                                    struct weir_error *err)
{
	memcpy(db->values, values, db->features->count * sizeof(*values));
	return write_row(db, err);
}

enum weir_status weir_clause_db_fill(struct weir_clause_db *db, double value,
                                     struct weir_error *err)
{
	for (size_t i = 0; i < db->features->count; i++)
		db->values[i] = value;
	return write_row(db, err);
}

/* --- clauses --- */

/* The reason in our words where there are some: the authorizer's, or a nearer name for a column
 * that is not there. */
static enum weir_status not_prepared(struct weir_clause_db *db, struct weir_error *err)
{
	const char *message = sqlite3_errmsg(db->handle);

	if (db->denial.status)
		return weir_fail(err, WEIR_E_USAGE, "%s", db->denial.message);
	if (strncmp(message, MISSING_COLUMN, strlen(MISSING_COLUMN)) == 0)
		return weir_feature_unknown(db->features, message + strlen(MISSING_COLUMN), err);
	return weir_fail(err, WEIR_E_USAGE, "%s", message);
}

static enum weir_status prepare(struct weir_clause *clause, struct weir_error *err)
{
	struct weir_clause_db *db = clause->db;
	struct weir_text sql = {0};
	const char *rest = NULL;

	weir_text_printf(&sql, "SELECT (%s) FROM " TABLE, clause->text);
	db->selects = 0;
	db->denial = (struct weir_error){0};
	db->preparing = clause;
	int code = sqlite3_prepare_v3(db->handle, sql.data, -1, SQLITE_PREPARE_PERSISTENT,
	                              &clause->statement, &rest);
	db->preparing = NULL;
	bool whole = code == SQLITE_OK && *rest == '\0';
	weir_text_release(&sql);
	if (code != SQLITE_OK)
		return not_prepared(db, err);
	if (!whole || sqlite3_column_count(clause->statement) != 1)
		return weir_fail(err, WEIR_E_USAGE, "a clause is one expression");
	if (!sqlite3_stmt_readonly(clause->statement))
		return weir_fail(err, WEIR_E_USAGE, "a clause only reads");
	if (clause->read_count == 0)
		return weir_fail(err, WEIR_E_USAGE, "reads no feature");
	return WEIR_OK;
}

enum weir_status weir_clause_new(struct weir_clause_db *db, const char *text, unsigned subjects,
                                 struct weir_clause **out, struct weir_error *err)
{
	enum weir_status status = weir_clause_check_text(text, err);

	if (!status) {
		size_t size = strlen(text) + 1;
		struct weir_clause *clause = weir_alloc(sizeof(*clause));
		clause->db = db;
		clause->text = memcpy(weir_alloc(size), text, size);
		db->subjects = subjects;
		status = prepare(clause, err);
		if (status) {
			clause_free(clause);
		} else {
			clause->next = db->clauses;
			db->clauses = clause;
			*out = clause;
		}
	}
	return status ? weir_fail_in(err, "clause \"%.80s\"", text) : WEIR_OK;
}

const char *weir_clause_text(const struct weir_clause *clause)
{
	return clause->text;
}

bool weir_clause_reads(const struct weir_clause *clause, size_t row)
{
	for (size_t i = 0; i < clause->read_count; i++) {
		if (clause->reads[i] == row)
			return true;
	}
	return false;
}

static enum weir_status read_truth(const struct weir_clause *clause, enum weir_truth *truth,
                                   struct weir_error *err)
{
	int type = sqlite3_column_type(clause->statement, 0);

	if (type == SQLITE_NULL)
		*truth = WEIR_UNKNOWN;
	else if (type == SQLITE_INTEGER)
		*truth = sqlite3_column_int64(clause->statement, 0) ? WEIR_TRUE : WEIR_FALSE;
	else
		return weir_fail(err, WEIR_E_USAGE,
		                 "clause \"%.80s\" gives %s, expected true or false: compare it "
		                 "with something",
		                 clause->text, type == SQLITE_FLOAT ? "a number" : "a text");
	return WEIR_OK;
}

enum weir_status weir_clause_evaluate(struct weir_clause *clause, enum weir_truth *truth,
                                      struct weir_error *err)
{
	enum weir_status status;

	clause->db->budget = BUDGET_STEPS;
	int code = sqlite3_step(clause->statement);
	if (code == SQLITE_ROW)
		status = read_truth(clause, truth, err);
	else
		status = weir_fail(err, WEIR_E_USAGE, "clause \"%.80s\": %s", clause->text,
		                   sqlite3_errmsg(clause->db->handle));
	sqlite3_reset(clause->statement);
	return status;
}

void weir_clause_explain(const struct weir_clause *clause, enum weir_truth truth,
                         struct weir_evidence *out)
{
	*out = (struct weir_evidence){
		.clause = clause->text, .truth = truth, .reading_count = clause->read_count};
	for (size_t i = 0; i < clause->read_count; i++) {
		size_t row = clause->reads[i];
		out->readings[i].feature = clause->db->features->items[row].id;
		out->readings[i].value = clause->db->values[row];
	}
}
