/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps and reads the summaries of pruned runs, and reads pins. */
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "baselines/summary.h"
#include "engine/base/text.h"

#define FIRST_VERSION 3 /* of the schema with these tables */

/* ---- summaries ---- */

static void seal_of(const void *digest, const char *recorded, const char *summary,
                    uint8_t seal[WEIR_SHA256_SIZE])
{
	struct weir_sha256 hash;

	weir_sha256_init(&hash);
	weir_sha256_add(&hash, digest, WEIR_SHA256_SIZE);
	weir_sha256_add(&hash, recorded, strlen(recorded) + 1);
	weir_sha256_add(&hash, summary, strlen(summary));
	weir_sha256_end(&hash, seal);
}

const char *weir_store_id_text(struct weir_baseline *baseline, const uint8_t *digest)
{
	char *text = weir_arena_alloc(baseline->arena, 2 * WEIR_SHA256_SIZE + 1);

	for (size_t i = 0; i < WEIR_SHA256_SIZE; i++) {
		text[2 * i] = "0123456789abcdef"[digest[i] >> 4];
		text[2 * i + 1] = "0123456789abcdef"[digest[i] & 15];
	}
	return text;
}

static int digit_of(char hex)
{
	static const char digits[] = "0123456789abcdef";
	const char *found = hex ? strchr(digits, hex) : NULL;

	return found ? (int)(found - digits) : -1;
}

bool weir_store_parse_id(const char *id, uint8_t digest[WEIR_SHA256_SIZE])
{
	if (!id || strlen(id) != 2 * (size_t)WEIR_SHA256_SIZE)
		return false;
	for (size_t i = 0; i < WEIR_SHA256_SIZE; i++) {
		int high = digit_of(id[2 * i]), low = digit_of(id[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		digest[i] = (uint8_t)(high * 16 + low);
	}
	return true;
}

enum weir_status weir_store_keep_summary(const struct weir_store *store, int64_t baseline,
                                         const uint8_t digest[WEIR_SHA256_SIZE],
                                         const struct weir_baseline_run *run,
                                         struct weir_error *err)
{
	uint8_t seal[WEIR_SHA256_SIZE];
	struct weir_text summary = {0};
	struct weir_db_statement *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO pruned (baseline, digest, recorded, summary, seal)"
		" VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (baseline, digest) DO NOTHING",
		&insert, err);

	if (status)
		return status;
	weir_summary_write(run, &summary);
	seal_of(digest, run->recorded, summary.data, seal);
	weir_db_bind_int(insert, 1, baseline);
	weir_db_bind_blob(insert, 2, digest, WEIR_SHA256_SIZE);
	weir_db_bind_text(insert, 3, run->recorded);
	weir_db_bind_text(insert, 4, summary.data);
	weir_db_bind_blob(insert, 5, seal, WEIR_SHA256_SIZE);
	status = weir_db_run(insert, err);
	weir_db_finalize(insert);
	weir_text_release(&summary);
	return status;
}

/* ---- reading ---- */

enum { DIGEST, RECORDED, SUMMARY, SEAL }; /* columns of the statements below */

#define PRUNED_COLUMNS "digest, recorded, summary, seal"

/* Reads a row into a baseline and checks its seal. */
static enum weir_status read_row(const struct weir_store *store, struct weir_db_statement *row,
                                 struct weir_baseline *baseline, struct weir_error *err)
{
	const char *recorded = weir_db_text(row, RECORDED), *summary = weir_db_text(row, SUMMARY);
	uint8_t seal[WEIR_SHA256_SIZE];
	struct weir_baseline_run *run;

	if (!recorded || !summary || !weir_recorded_valid(recorded) ||
	    weir_db_size(row, DIGEST) != WEIR_SHA256_SIZE ||
	    weir_db_size(row, SEAL) != WEIR_SHA256_SIZE)
		return weir_store_damaged(store, "a pruned run without a time or a seal", err);
	seal_of(weir_db_blob(row, DIGEST), recorded, summary, seal);
	if (memcmp(seal, weir_db_blob(row, SEAL), sizeof seal) != 0)
		return weir_store_damaged(store, "a pruned run is not what its seal says", err);
	run = weir_baseline_take(baseline, weir_run_new(), recorded);
	run->history = run->pruned = true;
	run->id = weir_store_id_text(baseline, weir_db_blob(row, DIGEST));
	if (weir_summary_read(summary, baseline, run, err)) {
		weir_fail_in(err, "a pruned run");
		return weir_store_damaged(store, err ? err->message : "a pruned run", err);
	}
	return WEIR_OK;
}

static enum weir_status read_rows(const struct weir_store *store, struct weir_db_statement *select,
                                  struct weir_baseline *baseline, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	bool row = true;

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row)
			status = read_row(store, select, baseline, err);
	}
	return status;
}

/* A run that was recorded again after it was pruned is read as the run that it is. */
enum weir_status weir_store_load_pruned(const struct weir_store *store, int64_t id,
                                        struct weir_baseline *baseline, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	enum weir_status status;

	if (store->version < FIRST_VERSION)
		return WEIR_OK;
	status = weir_store_prepare(store,
	                            "SELECT " PRUNED_COLUMNS " FROM pruned p WHERE baseline = ?1"
	                            " AND" WEIR_STORE_STILL_PRUNED
	                            " ORDER BY recorded DESC, id DESC",
	                            &select, err);
	if (!status) {
		weir_db_bind_int(select, 1, id);
		status = read_rows(store, select, baseline, err);
	}
	weir_db_finalize(select);
	return status;
}

enum weir_status weir_store_load_one_pruned(const struct weir_store *store, int64_t id,
                                            struct weir_baseline *baseline, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	enum weir_status status = weir_store_prepare(
		store, "SELECT " PRUNED_COLUMNS " FROM pruned WHERE id = ?1", &select, err);

	if (!status) {
		weir_db_bind_int(select, 1, id);
		status = read_rows(store, select, baseline, err);
	}
	weir_db_finalize(select);
	return status;
}

enum weir_status weir_store_verify_pruned(const struct weir_store *store,
                                          struct weir_store_health *health, struct weir_error *err)
{
	struct weir_baseline *all;
	struct weir_db_statement *select = NULL;
	enum weir_status status;

	if (store->version < FIRST_VERSION)
		return WEIR_OK;
	all = weir_baseline_new("");
	status = weir_store_prepare(store, "SELECT " PRUNED_COLUMNS " FROM pruned ORDER BY id",
	                            &select, err);
	if (!status)
		status = read_rows(store, select, all, err);
	health->pruned = all->count;
	weir_db_finalize(select);
	weir_baseline_free(all);
	return status;
}

/* ---- pins ---- */

enum weir_status weir_store_pin_run(const struct weir_store *store, int64_t baseline, int64_t run,
                                    struct weir_error *err)
{
	return weir_store_with_ids(store,
	                           "INSERT INTO pin (member) SELECT id FROM member"
	                           " WHERE baseline = ?1 AND run = ?2 ON CONFLICT DO NOTHING",
	                           baseline, run, err);
}

static void mark(struct weir_baseline *baseline, const char *id)
{
	for (size_t i = 0; i < baseline->count; i++)
		if (strcmp(baseline->runs[i].id, id) == 0)
			baseline->runs[i].pinned = true;
}

enum weir_status weir_store_mark_pinned(const struct weir_store *store, int64_t id,
                                        struct weir_baseline *baseline, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool row = true;
	enum weir_status status;

	if (store->version < FIRST_VERSION)
		return WEIR_OK;
	status =
		weir_store_prepare(store,
	                           "SELECT r.digest FROM member m CROSS JOIN pin p CROSS JOIN run r"
	                           " WHERE p.member = m.id AND r.id = m.run AND m.baseline = ?1",
	                           &select, err);
	if (!status)
		weir_db_bind_int(select, 1, id);
	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row && weir_db_size(select, 0) == WEIR_SHA256_SIZE)
			mark(baseline, weir_store_id_text(baseline, weir_db_blob(select, 0)));
	}
	weir_db_finalize(select);
	return status;
}
