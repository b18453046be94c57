/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements with weir's errors, and transactions, for the files of the store. A statement
 * is prepared, bound, stepped and finalized by the caller; finalizing NULL is harmless.
 */
#ifndef WEIR_BASELINES_STORE_IMPL_H
#define WEIR_BASELINES_STORE_IMPL_H

#include <sqlite3.h>

#include "baselines/store.h"

struct weir_store {
	sqlite3 *handle;
	char *path; /* as the user gave it */
	enum weir_store_access access;
	int64_t version; /* number of migrations that ran on it */
	bool in_transaction;
};

/* Fails with WEIR_E_STORE and the last message of SQLite. */
enum weir_status weir_store_fail(const struct weir_store *store, struct weir_error *err);
/* Fails with "PATH is damaged: ...". */
enum weir_status weir_store_damaged(const struct weir_store *store, const char *what,
                                    struct weir_error *err);
enum weir_status weir_store_no_baseline(const struct weir_store *store, const char *name,
                                        struct weir_error *err);

/* Runs one or more statements without results. */
enum weir_status weir_store_exec(const struct weir_store *store, const char *sql,
                                 struct weir_error *err);
enum weir_status weir_store_prepare(const struct weir_store *store, const char *sql,
                                    sqlite3_stmt **out, struct weir_error *err);
/* Steps to the next row. Sets *row to false after the last; then, or after a failure, the statement
 * can be bound again. */
enum weir_status weir_store_step(const struct weir_store *store, sqlite3_stmt *statement, bool *row,
                                 struct weir_error *err);
/* Runs a statement and ignores its rows. */
enum weir_status weir_store_run(const struct weir_store *store, sqlite3_stmt *statement,
                                struct weir_error *err);
/* NULL binds NULL; the text must live until the statement was stepped. */
void weir_store_bind_text(sqlite3_stmt *statement, int index, const char *text);
/* Returns a text, borrowed until the next step; NULL for NULL. */
const char *weir_store_text(sqlite3_stmt *statement, int column);

/* Reads one number of one row; sets *found to false without a row. `text` is bound to ?1 unless it
 * is NULL. */
enum weir_status weir_store_number(const struct weir_store *store, const char *sql,
                                   const char *text, int64_t *out, bool *found,
                                   struct weir_error *err);

/* Begins a transaction that writes; waits for other writers. */
enum weir_status weir_store_begin_writing(struct weir_store *store, struct weir_error *err);
/* Begins a transaction that reads a consistent snapshot. */
enum weir_status weir_store_begin_reading(struct weir_store *store, struct weir_error *err);
/* Commits if status is WEIR_OK, otherwise rolls back and returns the status. */
enum weir_status weir_store_end(struct weir_store *store, enum weir_status status,
                                struct weir_error *err);

/* Finds the id of a name. */
enum weir_status weir_store_find_name(const struct weir_store *store, const char *name, int64_t *id,
                                      bool *found, struct weir_error *err);
/* Finds the id of a name, and adds the name if it is new. */
enum weir_status weir_store_need_name(const struct weir_store *store, const char *name, int64_t *id,
                                      struct weir_error *err);

/* Counts the current runs of a name. */
enum weir_status weir_store_count_held(const struct weir_store *store, const char *name,
                                       size_t *held, struct weir_error *err);

/* Checks the seals and times of kept advice. */
enum weir_status weir_store_verify_advice(const struct weir_store *store,
                                          struct weir_store_health *health, struct weir_error *err);

/* Removes all but the first `keep` runs of a name, ordered by current and newest first, and deletes
 * runs that no name holds any more. *pruned is the number of runs removed from the name. */
enum weir_status weir_store_prune(const struct weir_store *store, int64_t baseline, size_t keep,
                                  size_t *pruned, struct weir_error *err);

/* Labels and samples of one stored run. */
struct weir_store_pick {
	int64_t run;               /* id */
	bool bare;                 /* no series */
	enum weir_run_table table; /* with `series` */
	const char *series;        /* only this one; NULL: all */
};
enum weir_status weir_store_read_run(const struct weir_store *store,
                                     const struct weir_store_pick *pick, struct weir_run *run,
                                     struct weir_error *err);

/* Checks the seal of a counted run; digest and seal have WEIR_SHA256_SIZE bytes. */
enum weir_status weir_store_check_seal(const struct weir_store *store,
                                       const struct weir_baseline_run *run, const void *digest,
                                       const void *seal, struct weir_error *err);

#endif
