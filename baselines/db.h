/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements, transactions and errors of a database, the same for SQLite and PostgreSQL. A driver
 * (db_sqlite.c, db_postgresql.c) is a table of functions; the functions here call it.
 *
 * Statements are written once, in the SQL that both understand: parameters are ?1, ?2, ...; joins
 * that keep the order of their tables are CROSS JOIN with WHERE; times and names are texts that
 * compare byte by byte. A failure is WEIR_E_STORE, and its message begins with the label of the
 * store, which never holds a password.
 */
#ifndef WEIR_BASELINES_DB_H
#define WEIR_BASELINES_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

#define WEIR_DB_PATIENCE_MS 10000 /* longest wait for another process or for a connection */
#define WEIR_DB_MAX_TRIES   5     /* of one transaction */
#define WEIR_DB_VERSION     3     /* of the schema: number of migrations */

struct weir_db_driver;

/* A connection. A driver's own struct begins with this one. */
struct weir_db {
	const struct weir_db_driver *driver;
	char *label; /* path of the file, or address of the server without the password */
};

/* A prepared statement. A driver's own struct begins with this one. */
struct weir_db_statement {
	struct weir_db *db;
};

/* The state of a database when it is opened. */
struct weir_db_outline {
	bool is_empty;    /* has no tables of weir */
	bool is_foreign;  /* holds something else */
	bool is_writable; /* this user may migrate it */
	int64_t version;  /* number of migrations that ran */
};

struct weir_db_driver {
	const char *const *migrations; /* WEIR_DB_VERSION embedded scripts, in order */

	/* Opens a store for reading and writing, as far as that is possible. WEIR_E_NO_BASELINE:
	 * there is nothing to read. With `writes`, missing folders and files are
	 * created. */
	enum weir_status (*open)(const char *path, bool writes, struct weir_db **out,
	                         struct weir_error *err);
	void (*close)(struct weir_db *db);
	enum weir_status (*outline)(struct weir_db *db, struct weir_db_outline *outline,
	                            struct weir_error *err);
	/* Prepares an empty database, stores the version after its migrations. Both run in the
	 * transaction of the migration. */
	enum weir_status (*create)(struct weir_db *db, struct weir_error *err);
	enum weir_status (*stamp)(struct weir_db *db, int64_t version, struct weir_error *err);
	/* Fails if the tables are not those of the version. */
	enum weir_status (*check_schema)(struct weir_db *db, int64_t version,
	                                 struct weir_error *err);
	/* Prepares to write, before the migration. */
	enum weir_status (*allow_writing)(struct weir_db *db, struct weir_error *err);
	/* Refuses to write from now on. */
	enum weir_status (*refuse_writing)(struct weir_db *db, struct weir_error *err);
	/* After a failure to open for reading: opens a file that nobody can write as it stands.
	 * Sets *opened to false if there is no such way. */
	enum weir_status (*retreat)(struct weir_db *db, bool *opened, struct weir_error *err);
	/* Checks pages, indexes and references. */
	enum weir_status (*check)(struct weir_db *db, struct weir_error *err);

	enum weir_status (*exec)(struct weir_db *db, const char *sql, struct weir_error *err);
	enum weir_status (*begin)(struct weir_db *db, bool writes, struct weir_error *err);
	enum weir_status (*commit)(struct weir_db *db, struct weir_error *err);
	void (*rollback)(struct weir_db *db);
	bool (*again)(struct weir_db *db, unsigned tried);
	int64_t (*changes)(const struct weir_db *db);
	int64_t (*total_changes)(const struct weir_db *db);

	enum weir_status (*prepare)(struct weir_db *db, const char *sql,
	                            struct weir_db_statement **out, struct weir_error *err);
	void (*finalize)(struct weir_db_statement *statement);
	void (*bind_int)(struct weir_db_statement *statement, int index, int64_t value);
	void (*bind_double)(struct weir_db_statement *statement, int index, double value);
	void (*bind_text)(struct weir_db_statement *statement, int index, const char *text);
	void (*bind_blob)(struct weir_db_statement *statement, int index, const void *data,
	                  size_t size);
	enum weir_status (*send)(struct weir_db_statement *statement, struct weir_error *err);
	enum weir_status (*queue)(struct weir_db_statement *statement, struct weir_error *err);
	enum weir_status (*step)(struct weir_db_statement *statement, bool *row,
	                         struct weir_error *err);
	bool (*is_null)(struct weir_db_statement *row, int column);
	int64_t (*int_at)(struct weir_db_statement *row, int column);
	double (*double_at)(struct weir_db_statement *row, int column);
	const char *(*text_at)(struct weir_db_statement *row, int column);
	const void *(*blob_at)(struct weir_db_statement *row, int column);
	size_t (*size_at)(struct weir_db_statement *row, int column);
};

extern const struct weir_db_driver weir_db_sqlite, weir_db_postgresql;

void weir_db_close(struct weir_db *db); /* NULL is harmless */

/* Runs one or more statements without parameters and results. */
enum weir_status weir_db_exec(struct weir_db *db, const char *sql, struct weir_error *err);

/* Begins a transaction: one that writes waits for other writers, one that reads sees one snapshot.
 */
enum weir_status weir_db_begin(struct weir_db *db, bool writes, struct weir_error *err);
/* A success is durable. A connection that is lost meanwhile is opened again, and the outcome
 * looked up. */
enum weir_status weir_db_commit(struct weir_db *db, struct weir_error *err);
void weir_db_rollback(struct weir_db *db);
/* Returns true if the last failure was a conflict or a lost connection, the transaction has been
 * tried fewer than WEIR_DB_MAX_TRIES times, and can be tried again now. Waits as needed. */
bool weir_db_again(struct weir_db *db, unsigned tried);
/* Return the rows changed by the last statement, and since the connection was opened. */
int64_t weir_db_changes(const struct weir_db *db);
int64_t weir_db_total_changes(const struct weir_db *db);

/* Prepares a statement. The caller frees *out with weir_db_finalize(), for which NULL is harmless.
 */
enum weir_status weir_db_prepare(struct weir_db *db, const char *sql,
                                 struct weir_db_statement **out, struct weir_error *err);
void weir_db_finalize(struct weir_db_statement *statement);
void weir_db_bind_int(struct weir_db_statement *statement, int index, int64_t value);
/* NAN binds NULL. */
void weir_db_bind_double(struct weir_db_statement *statement, int index, double value);
/* NULL binds NULL. Texts and blobs must live until the statement was stepped, sent or queued. */
void weir_db_bind_text(struct weir_db_statement *statement, int index, const char *text);
void weir_db_bind_blob(struct weir_db_statement *statement, int index, const void *data,
                       size_t size);
/* Starts a query whose rows are read later by weir_db_step(), so that several travel together. A
 * driver without a network does nothing here. */
enum weir_status weir_db_send(struct weir_db_statement *statement, struct weir_error *err);
/* Runs a statement whose rows do not matter. Its failure may be reported by the next step or by the
 * commit. */
enum weir_status weir_db_queue(struct weir_db_statement *statement, struct weir_error *err);
/* Steps to the next row. Sets *row to false after the last; then, or after a failure, the statement
 * can be bound again. */
enum weir_status weir_db_step(struct weir_db_statement *statement, bool *row,
                              struct weir_error *err);
/* Runs a statement and ignores its rows. */
enum weir_status weir_db_run(struct weir_db_statement *statement, struct weir_error *err);

/* Values of the row; texts and blobs are borrowed until the next step. */
bool weir_db_is_null(struct weir_db_statement *row, int column);
int64_t weir_db_int(struct weir_db_statement *row, int column);   /* 0 for NULL */
double weir_db_double(struct weir_db_statement *row, int column); /* NAN for NULL */
const char *weir_db_text(struct weir_db_statement *row, int column);
const void *weir_db_blob(struct weir_db_statement *row, int column);
size_t weir_db_size(struct weir_db_statement *row, int column); /* bytes */

/* Runs a statement with a number as ?1, and reads the numbers of its row; 0 for NULL and without a
 * row. */
enum weir_status weir_db_numbers(struct weir_db *db, const char *sql, int64_t parameter,
                                 int64_t *numbers, int count, struct weir_error *err);

/* Fails with "LABEL is damaged: ...". */
enum weir_status weir_db_damaged(const struct weir_db *db, const char *what,
                                 struct weir_error *err);

#endif
