/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks all stored data and reports the first fault. */
#include <string.h>

#include "baselines/store_impl.h"

/* Lets SQLite check its pages, indexes and constraints. */
static enum weir_status check_pages(const struct weir_store *store, struct weir_error *err)
{
	sqlite3_stmt *check = NULL;
	bool row;
	enum weir_status status =
		weir_store_prepare(store, "PRAGMA integrity_check(1)", &check, err);

	if (!status)
		status = weir_store_step(store, check, &row, err);
	if (!status &&
	    (!row || !weir_store_text(check, 0) || strcmp(weir_store_text(check, 0), "ok") != 0))
		status = weir_store_damaged(
			store, row && weir_store_text(check, 0) ? weir_store_text(check, 0) : "?",
			err);
	sqlite3_finalize(check);
	return status;
}

static enum weir_status check_references(const struct weir_store *store, struct weir_error *err)
{
	sqlite3_stmt *check = NULL;
	bool row = false;
	enum weir_status status =
		weir_store_prepare(store, "PRAGMA foreign_key_check", &check, err);

	if (!status)
		status = weir_store_step(store, check, &row, err);
	if (!status && row)
		status = weir_store_damaged(store, "a row refers to one that is not there", err);
	sqlite3_finalize(check);
	return status;
}

enum { ID, DIGEST, BOUND, CAUSE, SEAL }; /* columns of the statement in check_runs() */

/* Recomputes digest and seal. */
static enum weir_status compare_digests(const struct weir_store *store, sqlite3_stmt *row,
                                        const struct weir_baseline_run *run, struct weir_error *err)
{
	uint8_t digest[WEIR_SHA256_SIZE];

	weir_run_digest(run->run, digest);
	if (sqlite3_column_bytes(row, DIGEST) != WEIR_SHA256_SIZE ||
	    memcmp(digest, sqlite3_column_blob(row, DIGEST), WEIR_SHA256_SIZE) != 0)
		return weir_store_damaged(store, "a run is not what its digest says", err);
	if (sqlite3_column_bytes(row, SEAL) != WEIR_SHA256_SIZE)
		return weir_store_damaged(store, "a run without a seal", err);
	return weir_store_check_seal(store, run, digest, sqlite3_column_blob(row, SEAL), err);
}

static enum weir_status check_run(const struct weir_store *store, sqlite3_stmt *row,
                                  struct weir_store_health *health, struct weir_error *err)
{
	struct weir_store_pick pick = {.run = sqlite3_column_int64(row, ID)};
	struct weir_baseline_run run = {
		.run = weir_run_new(),
		.bound = weir_store_text(row, BOUND),
		.cause = weir_store_text(row, CAUSE),
	};
	enum weir_status status = weir_store_read_run(store, &pick, run.run, err);

	weir_run_count(&run);
	if (!status)
		status = compare_digests(store, row, &run, err);
	health->runs++;
	health->series += run.series;
	health->samples += run.samples;
	weir_run_free(run.run);
	return status;
}

static enum weir_status check_runs(const struct weir_store *store, struct weir_store_health *health,
                                   struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, digest, bound, cause, seal FROM run ORDER BY id", &select, err);

	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row)
			status = check_run(store, select, health, err);
	}
	sqlite3_finalize(select);
	return status;
}

static enum weir_status check_members(const struct weir_store *store, struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status =
		weir_store_prepare(store, "SELECT recorded FROM member", &select, err);

	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row &&
		    (!weir_store_text(select, 0) ||
		     !weir_recorded_valid(weir_store_text(select, 0))))
			status = weir_store_damaged(store, "a run without a time", err);
	}
	sqlite3_finalize(select);
	return status;
}

static enum weir_status verify(const struct weir_store *store, struct weir_store_health *health,
                               struct weir_error *err)
{
	int64_t names = 0, orphans = 0;
	bool found;
	enum weir_status status = check_pages(store, err);

	if (!status)
		status = check_references(store, err);
	if (!status)
		status = check_runs(store, health, err);
	if (!status)
		status = check_members(store, err);
	if (!status)
		status = weir_store_verify_advice(store, health, err);
	if (!status)
		status = weir_store_verify_pruned(store, health, err);
	if (!status)
		status = weir_store_number(store,
		                           "SELECT count(*) FROM run WHERE NOT EXISTS"
		                           " (SELECT 1 FROM member WHERE run = run.id)",
		                           NULL, &orphans, &found, err);
	if (!status && orphans > 0)
		status = weir_store_damaged(store, "a run belongs to no baseline", err);
	if (!status)
		status = weir_store_number(store, "SELECT count(*) FROM baseline", NULL, &names,
		                           &found, err);
	health->baselines = (uint64_t)names;
	return status;
}

enum weir_status weir_store_verify(struct weir_store *store, struct weir_store_health *health,
                                   struct weir_error *err)
{
	enum weir_status status = weir_store_begin_reading(store, err);

	*health = (struct weir_store_health){0};
	return status ? status : weir_store_end(store, verify(store, health, err), err);
}
