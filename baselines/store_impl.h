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

/* Removes a run from a name, and deletes the run if no name holds it any more. */
enum weir_status weir_store_drop_member(const struct weir_store *store, int64_t member, int64_t run,
                                        struct weir_error *err);
/* Finds the id of a name; WEIR_E_NO_BASELINE for an unknown name. */
enum weir_status weir_store_need_known(const struct weir_store *store, const char *name,
                                       int64_t *id, struct weir_error *err);
/* Runs a statement with one or two numbers as ?1 and ?2. */
enum weir_status weir_store_with_ids(const struct weir_store *store, const char *sql, int64_t first,
                                     int64_t second, struct weir_error *err);

/* Appends the run of a row: run, current, recorded, digest, bound, cause, seal. */
enum weir_status weir_store_load_run(const struct weir_store *store,
                                     const struct weir_store_query *query, sqlite3_stmt *row,
                                     struct weir_baseline *baseline, struct weir_error *err);
/* Pins a run that the name holds. */
enum weir_status weir_store_pin_run(const struct weir_store *store, int64_t baseline, int64_t run,
                                    struct weir_error *err);
/* Sets `pinned` in the runs of a name that have a pin. */
enum weir_status weir_store_mark_pinned(const struct weir_store *store, int64_t id,
                                        struct weir_baseline *baseline, struct weir_error *err);
/* Appends the pruned runs of a name, newest first. */
enum weir_status weir_store_load_pruned(const struct weir_store *store, int64_t id,
                                        struct weir_baseline *baseline, struct weir_error *err);
/* Keeps the summary of a run that is not stored. */
enum weir_status weir_store_keep_summary(const struct weir_store *store, int64_t baseline,
                                         const uint8_t digest[WEIR_SHA256_SIZE],
                                         const struct weir_baseline_run *run,
                                         struct weir_error *err);
/* Checks the seals and summaries of pruned runs. */
enum weir_status weir_store_verify_pruned(const struct weir_store *store,
                                          struct weir_store_health *health, struct weir_error *err);
/* Writes a digest as 64 hexadecimal digits into the baseline's arena. */
const char *weir_store_id_text(struct weir_baseline *baseline, const uint8_t *digest);
/* Reads 64 hexadecimal digits. */
bool weir_store_parse_id(const char *id, uint8_t digest[WEIR_SHA256_SIZE]);

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
