/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Drives PostgreSQL. Statements are sent in libpq's pipeline and their answers are read when a row
 * is asked for, so that queued statements cost one round trip together. A writing transaction takes
 * an advisory lock first, as SQLite locks the file: writers follow each other and cannot deadlock.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/db.h"
#include "baselines/db_postgresql.h"
#include "baselines/pq_calls.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define MAX_PARAMETERS 16
#define NUMBER_SIZE    32
#define TOKEN_SIZE     16
#define GRACE_MS       5000 /* time beyond statement_timeout for the answer to arrive */
#define PAUSE_MS       50   /* before a transaction is tried again, times the number of attempts */
#define WRITERS        "2003134834" /* key of the advisory lock: "weir" in ASCII */

/* Object identifiers of built-in types, which never change. */
enum { TYPE_BOOL = 16, TYPE_INT8 = 20, TYPE_INT2 = 21, TYPE_INT4 = 23, TYPE_FLOAT8 = 701 };

static const char *const migrations[WEIR_DB_VERSION] = {
	"baselines/schema/postgresql/0001_init.sql",
	"baselines/schema/postgresql/0002_advice.sql",
	"baselines/schema/postgresql/0003_life.sql",
};

enum retry {
	RETRY_NEVER,
	RETRY_NOW,       /* another process was in the way */
	RETRY_CONNECTED, /* the connection is new and the transaction did not happen */
	RETRY_CONNECT,   /* the connection is lost, and nothing was committed */
};

/* A statement that the server has prepared, by its text. */
struct known {
	char *sql;
	bool is_sent;
};

/* An answer that is still to be read, in the order of sending. */
struct pending {
	struct pg_statement *statement; /* gets the rows; NULL: they do not matter */
	size_t prepares;                /* 1 + index of the statement that is prepared; 0: none */
};

struct pg_db {
	struct weir_db base;
	PGconn *connection;
	char *address; /* as given, with the password */
	struct known *known;
	size_t known_count, known_capacity;
	struct pending *pending;
	size_t pending_count, pending_capacity;
	struct weir_error failure; /* the first one of this transaction; WEIR_OK: none */
	enum retry retry;
	bool writes;               /* of the transaction */
	bool is_intact;            /* the tables are as the last migration left them */
	uint8_t token[TOKEN_SIZE]; /* of the transaction, see weir.receipt */
	int64_t changes_before;    /* total_changes when it began */
	int64_t timeout_ms;        /* of a statement */
	int64_t lock_ms;           /* longest wait for other writers */
	int64_t changes, total_changes;
};

struct pg_statement {
	struct weir_db_statement base;
	char *sql;
	size_t known; /* index */
	int count;    /* of the parameters */
	const char *value[MAX_PARAMETERS];
	int length[MAX_PARAMETERS], format[MAX_PARAMETERS]; /* format 1: binary */
	char number[MAX_PARAMETERS][NUMBER_SIZE];
	bool is_sent;
	PGresult *rows;
	int next; /* row after the current one */
};

static struct pg_db *self_of(struct weir_db *db)
{
	return (struct pg_db *)(void *)db;
}

static struct pg_statement *inner(struct weir_db_statement *statement)
{
	return (struct pg_statement *)(void *)statement;
}

/* --- errors --- */

static const struct {
	const char *state; /* begin of an SQLSTATE */
	enum retry retry;
	const char *words; /* the server's own words follow */
} reasons[] = {
	{"42501", RETRY_NEVER, "refuses this to the user: ask the owner of the store"},
	{"55P03", RETRY_NEVER, "is locked by another process for too long: try again"},
	{"57014", RETRY_NEVER,
         "needs too long for an answer: try again, or raise statement_timeout"},
	{"53100", RETRY_NEVER, "cannot grow: the disk of the server is full"},
	{"25006", RETRY_NEVER, "is read-only: use the address of the primary server"},
	{"42P01", RETRY_NEVER, "is damaged: its tables are not those of weir"},
	{"42703", RETRY_NEVER, "is damaged: its tables are not those of weir"},
	{"3F000", RETRY_NEVER, "is damaged: its tables are not those of weir"},
	{"40", RETRY_NOW, "is changed by other processes at the same time: try again"},
	{"57P", RETRY_CONNECT, "ended the connection: try again when the server runs"},
	{"08", RETRY_CONNECT, "lost the connection: try again when the server runs"},
};

/* Keeps the first failure of a transaction. */
static void note(struct pg_db *self, enum retry retry, const char *words, const char *details)
{
	if (self->failure.status)
		return;
	self->retry = retry;
	weir_fail(&self->failure, WEIR_E_STORE, *details ? "%s %s (%.*s)" : "%s %s",
	          self->base.label, words, (int)strcspn(details, "\n"), details);
}

static void note_lost(struct pg_db *self)
{
	note(self, RETRY_CONNECT, "lost the connection: try again when the server runs", "");
}

static bool is_lost(const struct pg_db *self)
{
	return !self->connection || PQstatus(self->connection) != CONNECTION_OK;
}

static void note_result(struct pg_db *self, const PGresult *result)
{
	const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
	const char *text = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

	for (size_t i = 0; state && i < sizeof reasons / sizeof reasons[0]; i++)
		if (strncmp(state, reasons[i].state, strlen(reasons[i].state)) == 0) {
			note(self, reasons[i].retry, reasons[i].words, text ? text : "");
			return;
		}
	if (!state || is_lost(self))
		note_lost(self);
	else
		note(self, RETRY_NEVER, "fails", text ? text : "");
}

/* Returns the failure, and forgets it outside of a transaction. */
static enum weir_status report(struct pg_db *self, struct weir_error *err)
{
	struct weir_error failure = self->failure;

	if (is_lost(self) || PQtransactionStatus(self->connection) == PQTRANS_IDLE)
		self->failure = (struct weir_error){0};
	return weir_fail(err, WEIR_E_STORE, "%s", failure.message);
}

/* --- answers --- */

/* The connection is of no use any more. */
static void drop_connection(struct pg_db *self)
{
	PQfinish(self->connection);
	self->connection = NULL;
	for (size_t i = 0; i < self->pending_count; i++)
		if (self->pending[i].statement)
			self->pending[i].statement->is_sent = false;
	self->pending_count = 0;
	for (size_t i = 0; i < self->known_count; i++)
		self->known[i].is_sent = false;
}

/* Sends what is buffered and waits until an answer can be read; false: there will be none. */
static bool wait_for_answer(struct pg_db *self, long long deadline)
{
	while (PQisBusy(self->connection)) {
		int unsent = PQflush(self->connection);
		long long left = deadline - weir_postgresql_now_ms();
		struct pollfd socket = {.fd = PQsocket(self->connection),
		                        .events = (short)(unsent > 0 ? POLLIN | POLLOUT : POLLIN)};

		if (unsent < 0 || socket.fd < 0)
			return false;
		if (left <= 0) {
			note(self, RETRY_NEVER,
			     "does not answer any more: look at the server, and try again", "");
			return false;
		}
		if (poll(&socket, 1, (int)(left < 1000 ? left : 1000)) > 0 &&
		    !PQconsumeInput(self->connection))
			return false;
	}
	return true;
}

static PGresult *next_result(struct pg_db *self, long long deadline)
{
	return wait_for_answer(self, deadline) ? PQgetResult(self->connection) : NULL;
}

static long long answer_deadline(const struct pg_db *self)
{
	return weir_postgresql_now_ms() + self->timeout_ms + GRACE_MS;
}

static void count_changes(struct pg_db *self, PGresult *result)
{
	const char *tag = PQcmdStatus(result), *number = PQcmdTuples(result);
	int64_t changed = 0;

	if (strncmp(tag, "SELECT", 6) == 0 || !weir_parse_i64(number, strlen(number), &changed))
		changed = 0;
	self->changes = changed;
	self->total_changes += changed;
}

/* Gives an answer to the statement that waits for it. */
static void take_result(struct pg_db *self, const struct pending *pending, PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	bool failed = status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK;

	if (failed && status != PGRES_PIPELINE_ABORTED)
		note_result(self, result);
	if (pending->prepares) {
		if (failed)
			self->known[pending->prepares - 1].is_sent = false;
	} else if (!failed) {
		count_changes(self, result);
	}
	if (!pending->prepares && !failed && pending->statement) {
		PQclear(pending->statement->rows);
		pending->statement->rows = result;
		pending->statement->next = 0;
		return;
	}
	PQclear(result);
}

/* Reads one answer and the mark that ends it. */
static bool read_answer(struct pg_db *self, const struct pending *pending, long long deadline)
{
	PGresult *result = next_result(self, deadline);

	if (!result)
		return false;
	take_result(self, pending, result);
	if (is_lost(self))
		return false;
	result = next_result(self, deadline);
	PQclear(result);
	return !result && !is_lost(self);
}

/* Reads the answers to everything that was sent. */
static enum weir_status drain(struct pg_db *self, struct weir_error *err)
{
	long long deadline = answer_deadline(self);
	bool sound;
	PGresult *end;

	if (self->pending_count == 0 && !is_lost(self))
		return self->failure.status ? report(self, err) : WEIR_OK;
	sound = !is_lost(self) && PQpipelineSync(self->connection) == 1;
	for (size_t i = 0; sound && i < self->pending_count; i++)
		sound = read_answer(self, &self->pending[i], deadline);
	for (size_t i = 0; i < self->pending_count; i++)
		if (self->pending[i].statement)
			self->pending[i].statement->is_sent = false;
	self->pending_count = 0;
	end = sound ? next_result(self, deadline) : NULL;
	sound = end && PQresultStatus(end) == PGRES_PIPELINE_SYNC;
	PQclear(end);
	if (!sound) {
		note_lost(self);
		drop_connection(self);
	}
	return self->failure.status ? report(self, err) : WEIR_OK;
}

/* --- statements --- */

/* Returns the index of a statement's text among those that the server has or will have. */
static size_t know(struct pg_db *self, const char *sql)
{
	for (size_t i = 0; i < self->known_count; i++)
		if (strcmp(self->known[i].sql, sql) == 0)
			return i;
	self->known = weir_grow(self->known, &self->known_capacity, self->known_count + 1,
	                        sizeof *self->known);
	self->known[self->known_count] = (struct known){.sql = weir_alloc_text(sql)};
	return self->known_count++;
}

static void expect(struct pg_db *self, struct pg_statement *statement, size_t prepares)
{
	self->pending = weir_grow(self->pending, &self->pending_capacity, self->pending_count + 1,
	                          sizeof *self->pending);
	self->pending[self->pending_count++] =
		(struct pending){.statement = statement, .prepares = prepares};
}

/* Sends a statement, and its text if the server does not have it. */
static enum weir_status enqueue(struct pg_statement *statement, bool wants_rows,
                                struct weir_error *err)
{
	struct pg_db *self = self_of(statement->base.db);
	struct known *known = &self->known[statement->known];
	char name[NUMBER_SIZE];

	if (self->failure.status)
		return report(self, err);
	snprintf(name, sizeof name, "weir%zu", statement->known);
	if (!is_lost(self) && !known->is_sent &&
	    PQsendPrepare(self->connection, name, statement->sql, 0, NULL) == 1) {
		known->is_sent = true;
		expect(self, NULL, statement->known + 1);
	}
	if (is_lost(self) ||
	    PQsendQueryPrepared(self->connection, name, statement->count, statement->value,
	                        statement->length, statement->format, 1) != 1) {
		note_lost(self);
		drop_connection(self);
		return report(self, err);
	}
	expect(self, wants_rows ? statement : NULL, 0);
	statement->is_sent = wants_rows;
	return WEIR_OK;
}

/* Writes ?1 as $1; counts the parameters. */
static char *translate(const char *sql, int *count)
{
	char *text = weir_alloc_text(sql);

	*count = 0;
	for (char *at = strchr(text, '?'); at; at = strchr(at, '?')) {
		int number = 0;

		*at++ = '$';
		for (; *at >= '0' && *at <= '9'; at++)
			number = number * 10 + (*at - '0');
		*count = number > *count ? number : *count;
	}
	return text;
}

static enum weir_status prepare(struct weir_db *db, const char *sql, struct weir_db_statement **out,
                                struct weir_error *err)
{
	struct pg_statement *statement = weir_alloc(sizeof *statement);

	statement->base.db = db;
	statement->sql = translate(sql, &statement->count);
	if (statement->count > MAX_PARAMETERS) {
		free(statement->sql);
		free(statement);
		return weir_fail(err, WEIR_E_INTERNAL, "a statement with too many parameters");
	}
	statement->known = know(self_of(db), statement->sql);
	*out = &statement->base;
	return WEIR_OK;
}

static void finalize(struct weir_db_statement *base)
{
	struct pg_statement *statement = inner(base);
	struct pg_db *self = self_of(base->db);

	for (size_t i = 0; i < self->pending_count; i++)
		if (self->pending[i].statement == statement)
			self->pending[i].statement = NULL;
	PQclear(statement->rows);
	free(statement->sql);
	free(statement);
}

static void bind(struct weir_db_statement *statement, int index, const char *value, size_t size)
{
	struct pg_statement *to = inner(statement);

	if (index < 1 || index > MAX_PARAMETERS)
		return;
	to->value[index - 1] = value;
	to->length[index - 1] = (int)size;
	to->format[index - 1] = size > 0;
}

static void bind_text(struct weir_db_statement *statement, int index, const char *text)
{
	bind(statement, index, text, 0);
}

static void bind_int(struct weir_db_statement *statement, int index, int64_t value)
{
	char *number = inner(statement)->number[index - 1];

	snprintf(number, NUMBER_SIZE, "%lld", (long long)value);
	bind(statement, index, number, 0);
}

/* Seventeen digits identify a double. */
static void bind_double(struct weir_db_statement *statement, int index, double value)
{
	struct weir_text text = {0};

	weir_text_printf(&text, "%.17g", value);
	snprintf(inner(statement)->number[index - 1], NUMBER_SIZE, "%s", text.data);
	weir_text_release(&text);
	bind(statement, index, inner(statement)->number[index - 1], 0);
}

static void bind_blob(struct weir_db_statement *statement, int index, const void *data, size_t size)
{
	bind(statement, index, data, size);
}

static enum weir_status send_now(struct weir_db_statement *statement, struct weir_error *err)
{
	return enqueue(inner(statement), true, err);
}

static enum weir_status queue(struct weir_db_statement *statement, struct weir_error *err)
{
	return enqueue(inner(statement), false, err);
}

static enum weir_status step(struct weir_db_statement *base, bool *row, struct weir_error *err)
{
	struct pg_statement *statement = inner(base);
	enum weir_status status = WEIR_OK;

	*row = false;
	if (!statement->rows && !statement->is_sent)
		status = enqueue(statement, true, err);
	if (!status && !statement->rows)
		status = drain(self_of(base->db), err);
	*row = !status && statement->next < PQntuples(statement->rows);
	if (*row) {
		statement->next++;
	} else {
		PQclear(statement->rows);
		statement->rows = NULL;
	}
	return status;
}

/* --- values --- */

static bool is_null(struct weir_db_statement *row, int column)
{
	return PQgetisnull(inner(row)->rows, inner(row)->next - 1, column) != 0;
}

static const void *blob_at(struct weir_db_statement *row, int column)
{
	return is_null(row, column) ? NULL
	                            : PQgetvalue(inner(row)->rows, inner(row)->next - 1, column);
}

static const char *text_at(struct weir_db_statement *row, int column)
{
	return blob_at(row, column);
}

static size_t size_at(struct weir_db_statement *row, int column)
{
	return (size_t)PQgetlength(inner(row)->rows, inner(row)->next - 1, column);
}

/* Integers and doubles arrive with the most significant byte first. */
static uint64_t bits_at(struct weir_db_statement *row, int column)
{
	const uint8_t *bytes = blob_at(row, column);
	uint64_t bits = 0;

	for (size_t i = 0; bytes && i < size_at(row, column) && i < sizeof bits; i++)
		bits = bits << 8 | bytes[i];
	return bits;
}

static double double_at(struct weir_db_statement *row, int column)
{
	uint64_t bits = bits_at(row, column);
	double value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

static int64_t int_at(struct weir_db_statement *row, int column)
{
	uint64_t bits = bits_at(row, column);

	switch (PQftype(inner(row)->rows, column)) {
	case TYPE_INT2:
		return (int16_t)bits;
	case TYPE_INT4:
		return (int32_t)bits;
	case TYPE_BOOL:
	case TYPE_INT8:
		return (int64_t)bits;
	default:
		return 0;
	}
}

/* --- the connection --- */

/* Settings of the session. What the administrator or PGOPTIONS set stays, except for a commit that
 * would not wait for the disk. */
static const char setup_sql[] =
	"SELECT length(set_config('search_path', 'weir, pg_temp', false)),"
	" length(set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit')"
	"  IN ('off', 'local') THEN 'on' ELSE current_setting('synchronous_commit') END, false)),"
	" length(set_config('statement_timeout', CASE current_setting('statement_timeout')"
	"  WHEN '0' THEN '60s' ELSE current_setting('statement_timeout') END, false)),"
	" length(set_config('lock_timeout', CASE current_setting('lock_timeout')"
	"  WHEN '0' THEN '10s' ELSE current_setting('lock_timeout') END, false)),"
	" CAST(1000 * extract(epoch FROM CAST(current_setting('statement_timeout') AS interval))"
	"  AS bigint),"
	" CAST(current_setting('server_encoding') = 'UTF8' AS int)";

static enum weir_status set_up(struct pg_db *self, struct weir_error *err)
{
	int64_t numbers[6];
	enum weir_status status;

	PQsetnonblocking(self->connection, 1);
	if (PQenterPipelineMode(self->connection) != 1)
		return weir_fail(err, WEIR_E_INTERNAL, "libpq refuses its pipeline");
	self->timeout_ms = WEIR_DB_PATIENCE_MS - GRACE_MS;
	status = weir_db_numbers(&self->base, setup_sql, 0, numbers, 6, err);
	if (status)
		return status;
	if (numbers[4] > 0)
		self->timeout_ms = numbers[4];
	if (!numbers[5])
		return weir_fail(err, WEIR_E_STORE,
		                 "%s does not store UTF-8: make the database with "
		                 "createdb -E UTF8 -T template0",
		                 self->base.label);
	return WEIR_OK;
}

static enum weir_status connect_to(struct pg_db *self, bool persistent, struct weir_error *err)
{
	enum weir_status status;

	drop_connection(self);
	status = weir_postgresql_connect(self->address, self->base.label, WEIR_DB_PATIENCE_MS,
	                                 persistent, &self->connection, err);
	return status ? status : set_up(self, err);
}

static void close_db(struct weir_db *db)
{
	struct pg_db *self = self_of(db);

	drop_connection(self);
	for (size_t i = 0; i < self->known_count; i++)
		free(self->known[i].sql);
	free(self->known);
	free(self->pending);
	free(self->address);
	free(db->label);
	free(self);
}

static enum weir_status open_db(const char *path, bool writes, struct weir_db **out,
                                struct weir_error *err)
{
	struct pg_db *self = weir_alloc(sizeof *self);

	(void)writes;
	self->base.driver = &weir_db_postgresql;
	self->base.label = weir_postgresql_label(path);
	self->address = weir_alloc_text(path);
	*out = &self->base;
	return connect_to(self, false, err);
}

/* Scripts of several statements do not travel in a pipeline. */
static enum weir_status exec(struct weir_db *db, const char *sql, struct weir_error *err)
{
	struct pg_db *self = self_of(db);
	long long deadline = answer_deadline(self);
	enum weir_status status = drain(self, err);
	PGresult *result;

	if (status)
		return status;
	if (PQexitPipelineMode(self->connection) != 1 || PQsendQuery(self->connection, sql) != 1) {
		note_lost(self);
		return report(self, err);
	}
	while ((result = next_result(self, deadline))) {
		if (PQresultStatus(result) != PGRES_TUPLES_OK &&
		    PQresultStatus(result) != PGRES_COMMAND_OK)
			note_result(self, result);
		PQclear(result);
	}
	if (is_lost(self) || PQenterPipelineMode(self->connection) != 1) {
		note_lost(self);
		drop_connection(self);
	}
	return self->failure.status ? report(self, err) : WEIR_OK;
}

/* --- transactions --- */

static enum weir_status run(struct weir_db *db, const char *sql, bool now, struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	enum weir_status status = prepare(db, sql, &statement, err);

	if (status)
		return status;
	status = queue(statement, err);
	if (!status && now)
		status = drain(self_of(db), err);
	finalize(statement);
	return status;
}

/* Begins a transaction that writes, when no other one does. A client that vanishes without a word
 * must not hold the lock for ever. */
static enum weir_status lock_writers(struct weir_db *db, struct weir_error *err)
{
	enum weir_status status =
		run(db, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", false, err);

	if (!status)
		status = run(db, "SET LOCAL idle_in_transaction_session_timeout = '60s'", false,
		             err);
	return status ? status : run(db, "SELECT pg_advisory_xact_lock(" WRITERS ")", false, err);
}

static enum weir_status draw_token(struct pg_db *self, struct weir_error *err)
{
	struct weir_db_statement *draw = NULL;
	bool row = false;
	enum weir_status status =
		prepare(&self->base, "SELECT uuid_send(gen_random_uuid())", &draw, err);

	if (status)
		return status;
	status = step(draw, &row, err);
	if (!status && row && size_at(draw, 0) == TOKEN_SIZE)
		memcpy(self->token, blob_at(draw, 0), TOKEN_SIZE);
	finalize(draw);
	return status;
}

static enum weir_status begin(struct weir_db *db, bool writes, struct weir_error *err)
{
	struct pg_db *self = self_of(db);
	enum weir_status status = WEIR_OK;

	self->failure = (struct weir_error){0};
	self->retry = RETRY_NEVER;
	self->writes = writes;
	self->changes_before = self->total_changes;
	if (is_lost(self))
		status = connect_to(self, true, err);
	if (!status && !writes)
		return run(db, "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", false, err);
	if (!status)
		status = lock_writers(db, err);
	return status ? status : draw_token(self, err);
}

/* Runs a statement with the token as ?1. Sets *found if it has a row, unless that is NULL. */
static enum weir_status with_token(struct pg_db *self, const char *sql, bool *found,
                                   struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	enum weir_status status = prepare(&self->base, sql, &statement, err);

	if (status)
		return status;
	bind_blob(statement, 1, self->token, TOKEN_SIZE);
	status = found ? step(statement, found, err) : queue(statement, err);
	finalize(statement);
	return status;
}

/* Connects again and asks for the outcome of a commit whose answer did not arrive. The lock of the
 * lost transaction is free only when that transaction has ended. */
static enum weir_status look_up(struct pg_db *self, struct weir_error *err)
{
	bool found = false;
	enum weir_status status = connect_to(self, true, NULL);

	if (!status)
		status = lock_writers(&self->base, NULL);
	if (!status)
		status = with_token(self, "SELECT 1 FROM receipt WHERE token = ?1", &found, NULL);
	if (!status)
		status = run(&self->base, "ROLLBACK", true, NULL);
	if (!status && found)
		return WEIR_OK;
	self->retry = status ? RETRY_NEVER : RETRY_CONNECTED;
	return weir_fail(err, WEIR_E_STORE,
	                 "%s lost the connection during the commit: run the command again when the "
	                 "server runs; nothing is stored twice",
	                 self->base.label);
}

/* Leaves the receipt of a transaction that changed something. */
static enum weir_status sign(struct pg_db *self, struct weir_error *err)
{
	enum weir_status status =
		run(&self->base,
	            "DELETE FROM receipt WHERE written < now() - CAST('1 day' AS interval)", false,
	            err);

	return status ? status
	              : with_token(self, "INSERT INTO receipt (token) VALUES (?1)", NULL, err);
}

static enum weir_status commit(struct weir_db *db, struct weir_error *err)
{
	struct pg_db *self = self_of(db);
	enum weir_status status = drain(self, err);
	bool changed = self->writes && self->total_changes != self->changes_before;

	if (!status && changed)
		status = sign(self, err);
	if (!status)
		status = run(db, "COMMIT", true, err);
	if (status && is_lost(self) && changed)
		return look_up(self, err);
	/* A snapshot was read already; the end of its transaction does not matter. */
	return self->writes ? status : WEIR_OK;
}

static void rollback(struct weir_db *db)
{
	struct pg_db *self = self_of(db);
	enum retry retry = self->retry;

	if (!is_lost(self) && self->pending_count > 0)
		drain(self, NULL);
	self->failure = (struct weir_error){0};
	if (!is_lost(self) && PQtransactionStatus(self->connection) != PQTRANS_IDLE)
		run(db, "ROLLBACK", true, NULL);
	self->failure = (struct weir_error){0};
	self->retry = retry;
}

/* Waits a little longer after each attempt; begin() connects again. */
static bool again(struct weir_db *db, unsigned tried)
{
	const struct pg_db *self = self_of(db);

	if (self->retry == RETRY_NOW)
		weir_postgresql_sleep_ms((int)(PAUSE_MS * tried));
	return self->retry != RETRY_NEVER;
}

static int64_t changes(const struct weir_db *db)
{
	return ((const struct pg_db *)(const void *)db)->changes;
}

static int64_t total_changes(const struct weir_db *db)
{
	return ((const struct pg_db *)(const void *)db)->total_changes;
}

/* --- schema --- */

static enum weir_status outline_of(struct weir_db *db, struct weir_db_outline *outline,
                                   struct weir_error *err)
{
	struct pg_db *self = self_of(db);
	bool may_fail = PQtransactionStatus(self->connection) == PQTRANS_IDLE;

	return weir_postgresql_outline(db, outline, may_fail, &self->is_intact, err);
}

static enum weir_status stamp(struct weir_db *db, int64_t version, struct weir_error *err)
{
	enum weir_status status = weir_postgresql_stamp(db, version, err);

	self_of(db)->is_intact = !status;
	return status;
}

static enum weir_status check_schema(struct weir_db *db, int64_t version, struct weir_error *err)
{
	(void)version;
	if (self_of(db)->is_intact)
		return WEIR_OK;
	return weir_db_damaged(db, "its tables are not those of weir", err);
}

/* Each transaction says whether it writes. */
static enum weir_status allow(struct weir_db *db, struct weir_error *err)
{
	(void)db;
	(void)err;
	return WEIR_OK;
}

static enum weir_status retreat(struct weir_db *db, bool *opened, struct weir_error *err)
{
	(void)db;
	(void)err;
	*opened = false;
	return WEIR_OK;
}

const struct weir_db_driver weir_db_postgresql = {
	.migrations = migrations,
	.open = open_db,
	.close = close_db,
	.outline = outline_of,
	.create = weir_postgresql_create,
	.stamp = stamp,
	.check_schema = check_schema,
	.allow_writing = allow,
	.refuse_writing = allow,
	.retreat = retreat,
	.check = weir_postgresql_check,
	.exec = exec,
	.begin = begin,
	.commit = commit,
	.rollback = rollback,
	.again = again,
	.changes = changes,
	.total_changes = total_changes,
	.prepare = prepare,
	.finalize = finalize,
	.bind_int = bind_int,
	.bind_double = bind_double,
	.bind_text = bind_text,
	.bind_blob = bind_blob,
	.send = send_now,
	.queue = queue,
	.step = step,
	.is_null = is_null,
	.int_at = int_at,
	.double_at = double_at,
	.text_at = text_at,
	.blob_at = blob_at,
	.size_at = size_at,
};
