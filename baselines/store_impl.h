/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the files of the store share: statements with errors of ours, and transactions. A statement
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
	bool in_transaction;
};

/* The reason that SQLite gave last, in words; WEIR_E_STORE. */
enum weir_status weir_store_fail(const struct weir_store *store, struct weir_error *err);
/* "PATH is damaged: ..." */
enum weir_status weir_store_damaged(const struct weir_store *store, const char *what,
                                    struct weir_error *err);
enum weir_status weir_store_no_baseline(const struct weir_store *store, const char *name,
                                        struct weir_error *err);

/* One or several statements without results. */
enum weir_status weir_store_exec(const struct weir_store *store, const char *sql,
                                 struct weir_error *err);
enum weir_status weir_store_prepare(const struct weir_store *store, const char *sql,
                                    sqlite3_stmt **out, struct weir_error *err);
/* *row: whether there is one; once there is none, or on failure, the statement can be bound anew.
 */
enum weir_status weir_store_step(const struct weir_store *store, sqlite3_stmt *statement, bool *row,
                                 struct weir_error *err);
/* A statement that gives no rows, or whose rows do not matter. */
enum weir_status weir_store_run(const struct weir_store *store, sqlite3_stmt *statement,
                                struct weir_error *err);
/* NULL binds NULL; the text must live until the statement was stepped. */
void weir_store_bind_text(sqlite3_stmt *statement, int index, const char *text);
/* Borrowed until the next step; NULL for NULL. */
const char *weir_store_text(sqlite3_stmt *statement, int column);

/* One number of one row; *found false where there is no row. With text NULL nothing is bound, else
 * it is ?1. */
enum weir_status weir_store_number(const struct weir_store *store, const char *sql,
                                   const char *text, int64_t *out, bool *found,
                                   struct weir_error *err);

/* To write: waits for its turn, then nobody else writes until the end. */
enum weir_status weir_store_begin_writing(struct weir_store *store, struct weir_error *err);
/* To read: everything that is read until the end is of one moment. */
enum weir_status weir_store_begin_reading(struct weir_store *store, struct weir_error *err);
/* Commits where status is WEIR_OK, else rolls back and returns it. */
enum weir_status weir_store_end(struct weir_store *store, enum weir_status status,
                                struct weir_error *err);

/* Of a name, where it is there. */
enum weir_status weir_store_find_name(const struct weir_store *store, const char *name, int64_t *id,
                                      bool *found, struct weir_error *err);
/* Adds the name where it is not there. */
enum weir_status weir_store_need_name(const struct weir_store *store, const char *name, int64_t *id,
                                      struct weir_error *err);

/* Current runs of a name. */
enum weir_status weir_store_count_held(const struct weir_store *store, const char *name,
                                       size_t *held, struct weir_error *err);

/* Takes from a name all but its first `keep` runs, current and newest first, deletes the runs that
 * no name holds any more, and says how many the name lost. */
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

/* digest and seal are WEIR_SHA256_SIZE bytes; the run is counted. */
enum weir_status weir_store_check_seal(const struct weir_store *store,
                                       const struct weir_baseline_run *run, const void *digest,
                                       const void *seal, struct weir_error *err);

#endif
