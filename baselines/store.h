/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Baselines in one SQLite file or one PostgreSQL database: names, the runs that each name holds,
 * and every sample of a run, so that any statistic can be computed again. A run is known by its
 * content and stored once. What a promotion replaced stays as history of the name.
 *
 * Every call is one transaction: it happens whole or not at all, also when the process is killed,
 * and any number of processes may call at once. A call that waits longer than
 * WEIR_DB_PATIENCE_MS (db.h) for another process gives up. Failures of the store are WEIR_E_STORE
 * and leave it as it was; the message begins with its path, or with its address without a password.
 */
#ifndef WEIR_BASELINES_STORE_H
#define WEIR_BASELINES_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "baselines/baseline.h"
#include "baselines/identity.h"
#include "engine/base/error.h"

struct weir_store;

enum weir_store_access {
	WEIR_STORE_READ,
	WEIR_STORE_WRITE, /* creates the file and its folders */
};

/*
 * Opens a file, or the server of an address: "postgresql://user@host/db" (baselines/address.h).
 * WEIR_E_NO_BASELINE where there is nothing to read. WEIR_E_STORE where the file is something else,
 * damaged, written by a newer weir, or (to write) read-only. On success the caller frees *out with
 * weir_store_free().
 */
enum weir_status weir_store_open(const char *path, enum weir_store_access access,
                                 struct weir_store **out, struct weir_error *err);
void weir_store_free(struct weir_store *store);

/* --- recording --- */

struct weir_store_counts {
	size_t added;   /* runs that the name did not have */
	size_t known;   /* runs that it had: nothing changed */
	size_t held;    /* current runs of the name afterwards */
	size_t retired; /* runs that a promotion made history */
};

/*
 * Gives the runs of a baseline to its name. A run that the name already holds stays as it was, but
 * gains a verdict where it had none, and becomes current where it was history. The runs meet
 * weir_run_check() (its status, before anything is written). Of a pruned run, the summary is kept.
 */
enum weir_status weir_store_record(struct weir_store *store, const struct weir_baseline *baseline,
                                   struct weir_store_counts *counts, struct weir_error *err);

/* --- reading --- */

struct weir_store_query {
	const char *name;
	size_t newest;             /* maximum number of runs; 0: all */
	bool history;              /* also runs that promotions replaced, and pruned ones */
	bool bare;                 /* labels and counts, without series */
	enum weir_run_table table; /* table of `series` */
	const char *series;        /* only this one; NULL: every series */
};

/* Oldest first. WEIR_E_NO_BASELINE: the name is unknown or holds no run. The caller frees *out
 * with weir_baseline_free(). */
enum weir_status weir_store_load(struct weir_store *store, const struct weir_store_query *query,
                                 struct weir_baseline **out, struct weir_error *err);
/* Opens a store, loads from it and closes it. */
enum weir_status weir_store_load_from(const char *path, const struct weir_store_query *query,
                                      struct weir_baseline **out, struct weir_error *err);

/* Sees one run, which it may change but not keep. Sets *enough to true to see no more. */
typedef enum weir_status weir_store_visit(void *context, struct weir_baseline_run *run,
                                          bool *enough, struct weir_error *err);
/* Shows each run of a name with its samples to `visit`, current and history and pruned ones, in
 * the order of weir_store_load() and from one snapshot. Few runs are in memory at a time; their
 * `pinned` is not set. Fails with the status of `visit`, or with WEIR_E_NO_BASELINE as
 * weir_store_load() does. */
enum weir_status weir_store_each(struct weir_store *store, const char *name,
                                 weir_store_visit *visit, void *context, struct weir_error *err);

struct weir_store_row {
	const char *name;
	uint64_t runs, history;   /* current ones, and those that promotions replaced */
	uint64_t pinned, pruned;  /* of both; runs whose samples were dropped */
	uint64_t sample_bytes;    /* of both, as stored; set by weir_store_measure() */
	const char *first, *last; /* recorded, over current ones and history */
	const char *newest;       /* recorded, of the newest current run; NULL: none */
	const char *gpu;          /* label of the newest current run; NULL: none */
};

struct weir_store_list {
	struct weir_arena *arena;
	struct weir_store_row *rows; /* by name */
	size_t count;
	/* Size of the whole store, set by weir_store_measure(); a run that several names hold
	 * counts once. */
	uint64_t sample_bytes;
};

/* The caller frees *out with weir_store_list_free(). */
enum weir_status weir_store_list(struct weir_store *store, struct weir_store_list **out,
                                 struct weir_error *err);
void weir_store_list_free(struct weir_store_list *list);
/* Sets `sample_bytes` of a list and its rows. Reads the sizes of all series. */
enum weir_status weir_store_measure(struct weir_store *store, struct weir_store_list *list,
                                    struct weir_error *err);

/* --- advice --- */

/* The outcome of one fix: what was promised and what was measured after it was made. Times are of
 * one step, in nanoseconds. */
struct weir_advice_outcome {
	const char *fix;    /* id */
	const char *device; /* NULL: not known */
	double promised_ns, low_ns, high_ns;
	double before_ns; /* NAN: not known */
	double measured_ns;
	const char *recorded;           /* "2026-11-20T14:00:00Z" */
	const char *before, *after;     /* names of the inputs */
	uint8_t pair[WEIR_SHA256_SIZE]; /* digest of both inputs */
};

enum weir_advice_kept {
	WEIR_ADVICE_ADDED,
	WEIR_ADVICE_REPLACED, /* the pair was there with other figures */
	WEIR_ADVICE_KNOWN,    /* the pair was there with these figures: nothing changed */
};

/*
 * Keeps an outcome. A fix and a pair have one outcome: other figures replace it, the same change
 * nothing. WEIR_E_LIMIT or WEIR_E_FORMAT for texts and figures that cannot be stored, before
 * anything is written.
 */
enum weir_status weir_store_keep_advice(struct weir_store *store,
                                        const struct weir_advice_outcome *outcome,
                                        enum weir_advice_kept *kept, struct weir_error *err);

struct weir_advice_list {
	struct weir_arena *arena;
	struct weir_advice_outcome *items; /* by fix, then by time */
	size_t count;
};

/* Loads every outcome; none is no error. The caller frees *out with weir_advice_list_free(). */
enum weir_status weir_store_load_advice(struct weir_store *store, struct weir_advice_list **out,
                                        struct weir_error *err);
void weir_advice_list_free(struct weir_advice_list *list);

/* --- pruning --- */

/* Runs of a name that may lose their samples. Pinned runs never do. */
struct weir_store_choice {
	const char *name;
	size_t keep;        /* number of newest runs that stay, current ones before history; 0: all
	                       current runs stay */
	const char *before; /* only runs that were recorded before this time; NULL: any */
	/* Only runs beyond this size: the samples of the pinned runs, and then of the newest
	 * others, take at most this number of bytes as stored. The newest run stays. 0: any size.
	 */
	uint64_t most_bytes;
	const struct weir_baseline *spared; /* runs that stay in any case; NULL: none */
	size_t *spared_count;               /* set to the number of chosen runs that they were */
};

/* Loads these runs with their samples, oldest first; none is no error. The caller frees *out with
 * weir_baseline_free(). */
enum weir_status weir_store_prunable(struct weir_store *store,
                                     const struct weir_store_choice *choice,
                                     struct weir_baseline **out, struct weir_error *err);
/* Drops the samples of runs that weir_store_prunable() returned, and keeps what their series have
 * as `quantiles`. Runs that were pinned or dropped in the meantime are left alone. */
enum weir_status weir_store_prune(struct weir_store *store, const struct weir_baseline *leaving,
                                  size_t *pruned, struct weir_error *err);

/* Pins or unpins the run whose id begins with `id` (WEIR_E_USAGE unless there is exactly one), or
 * all current runs if it is "". Sets *changed to the number of runs that were not so before. */
enum weir_status weir_store_pin(struct weir_store *store, const char *name, const char *id,
                                bool pinned, size_t *changed, struct weir_error *err);

/* --- maintenance --- */

/* Both fail with WEIR_E_NO_BASELINE for an unknown name, and delete runs that no name holds any
 * more. */
enum weir_status weir_store_remove(struct weir_store *store, const char *name, size_t *runs,
                                   struct weir_error *err);
/* `to` gets the current runs of `from`, with their times; what else it held becomes its history. */
enum weir_status weir_store_promote(struct weir_store *store, const char *from, const char *to,
                                    struct weir_store_counts *counts, struct weir_error *err);

struct weir_store_health {
	uint64_t baselines, runs, series, samples, pruned, advice;
};

/* Checks the whole store: pages, references, checksums of samples, digests and seals of runs, seals
 * of advice. The message states the first fault. */
enum weir_status weir_store_verify(struct weir_store *store, struct weir_store_health *health,
                                   struct weir_error *err);

#endif
