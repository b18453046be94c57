/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks all stored data and reports the first fault. */
#include <string.h>

#include "baselines/store_impl.h"

enum { ID, DIGEST, BOUND, CAUSE, SEAL }; /* columns of the statement in check_runs() */

/* Recomputes digest and seal. */
static enum weir_status compare_digests(const struct weir_store *store,
                                        struct weir_db_statement *row,
                                        const struct weir_baseline_run *run, struct weir_error *err)
{
	uint8_t digest[WEIR_SHA256_SIZE];

	weir_run_digest(run->run, digest);
	if (weir_db_size(row, DIGEST) != WEIR_SHA256_SIZE ||
	    memcmp(digest, weir_db_blob(row, DIGEST), WEIR_SHA256_SIZE) != 0)
		return weir_store_damaged(store, "a run is not what its digest says", err);
	if (weir_db_size(row, SEAL) != WEIR_SHA256_SIZE)
		return weir_store_damaged(store, "a run without a seal", err);
	return weir_store_check_seal(store, run, digest, weir_db_blob(row, SEAL), err);
}

static enum weir_status check_run(const struct weir_store *store, struct weir_db_statement *row,
                                  struct weir_store_health *health, struct weir_error *err)
{
	struct weir_store_pick pick = {.run = weir_db_int(row, ID)};
	struct weir_baseline_run run = {
		.run = weir_run_new(),
		.bound = weir_db_text(row, BOUND),
		.cause = weir_db_text(row, CAUSE),
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
	struct weir_db_statement *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, digest, bound, cause, seal FROM run ORDER BY id", &select, err);

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row)
			status = check_run(store, select, health, err);
	}
	weir_db_finalize(select);
	return status;
}

static enum weir_status check_members(const struct weir_store *store, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool row = true;
	enum weir_status status =
		weir_store_prepare(store, "SELECT recorded FROM member", &select, err);

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row &&
		    (!weir_db_text(select, 0) || !weir_recorded_valid(weir_db_text(select, 0))))
			status = weir_store_damaged(store, "a run without a time", err);
	}
	weir_db_finalize(select);
	return status;
}

static enum weir_status verify(struct weir_store *store, void *context, struct weir_error *err)
{
	struct weir_store_health *health = context;
	int64_t names = 0, orphans = 0;
	bool found;
	enum weir_status status = store->db->driver->check(store->db, err);

	*health = (struct weir_store_health){0};
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
		                           " (SELECT 1 FROM member m WHERE m.run = run.id)",
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
	*health = (struct weir_store_health){0};
	return weir_store_transact(store, false, verify, health, err);
}
