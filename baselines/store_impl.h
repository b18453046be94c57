/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements and transactions for the files of the store; db.h runs them.
 */
#ifndef WEIR_BASELINES_STORE_IMPL_H
#define WEIR_BASELINES_STORE_IMPL_H

#include "baselines/db.h"
#include "baselines/store.h"

struct weir_store {
	struct weir_db *db;
	const char *path; /* label of db: path of the file, or address without the password */
	int64_t version;  /* number of migrations that ran on it */
};

/* Fails with "PATH is damaged: ...". */
enum weir_status weir_store_damaged(const struct weir_store *store, const char *what,
                                    struct weir_error *err);
enum weir_status weir_store_no_baseline(const struct weir_store *store, const char *name,
                                        struct weir_error *err);

enum weir_status weir_store_prepare(const struct weir_store *store, const char *sql,
                                    struct weir_db_statement **out, struct weir_error *err);
/* Reads one number of one row; sets *found to false without a row. `text` is bound to ?1 unless it
 * is NULL. */
enum weir_status weir_store_number(const struct weir_store *store, const char *sql,
                                   const char *text, int64_t *out, bool *found,
                                   struct weir_error *err);

/* The work of one transaction. It may be called again after a conflict or a lost connection, and
 * therefore begins by emptying its results. */
typedef enum weir_status weir_store_body(struct weir_store *store, void *context,
                                         struct weir_error *err);
/* Runs the body in a transaction: commits if it returns WEIR_OK, otherwise rolls back. */
enum weir_status weir_store_transact(struct weir_store *store, bool writes, weir_store_body *body,
                                     void *context, struct weir_error *err);

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

/* Columns of a statement for weir_store_load_runs(). */
#define WEIR_STORE_RUN_COLUMNS "m.run, m.current, m.recorded, r.digest, r.bound, r.cause, r.seal"
/* Appends the runs of all rows of a bound statement, with what the query wants of them. */
enum weir_status weir_store_load_runs(const struct weir_store *store,
                                      const struct weir_store_query *query,
                                      struct weir_db_statement *rows,
                                      struct weir_baseline *baseline, struct weir_error *err);
/* Appends the runs of the next few rows; sets *more to false after the last row. */
enum weir_status weir_store_load_batch(const struct weir_store *store,
                                       const struct weir_store_query *query,
                                       struct weir_db_statement *rows, bool *more,
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
/* Condition on the alias p of the table pruned: its run was not recorded again. */
#define WEIR_STORE_STILL_PRUNED                                                                    \
	" NOT EXISTS (SELECT 1 FROM run r CROSS JOIN member m"                                     \
	" WHERE m.baseline = p.baseline AND m.run = r.id AND r.digest = p.digest)"
/* Appends the pruned run with this number in the store. */
enum weir_status weir_store_load_one_pruned(const struct weir_store *store, int64_t id,
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
