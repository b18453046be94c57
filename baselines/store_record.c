/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/codec.h"
#include "baselines/store_impl.h"
#include "engine/base/text.h"
#include "engine/model/bound.h"

/* --- a run that the store does not have --- */

static enum weir_status insert_labels(const struct weir_store *store, int64_t id,
                                      const struct weir_run *run, struct weir_error *err)
{
	sqlite3_stmt *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store, "INSERT INTO label (run, key, value) VALUES (?1, ?2, ?3)", &insert, err);

	for (size_t i = 0; !status && i < run->label_count; i++) {
		sqlite3_bind_int64(insert, 1, id);
		weir_store_bind_text(insert, 2, run->labels[i].key);
		weir_store_bind_text(insert, 3, run->labels[i].value);
		status = weir_store_run(store, insert, err);
	}
	sqlite3_finalize(insert);
	return status;
}

/* ?1 is bound: the run. */
static enum weir_status insert_series(const struct weir_store *store, sqlite3_stmt *insert,
                                      enum weir_run_table table, const struct weir_series *series,
                                      struct weir_error *err)
{
	bool metric = table == WEIR_RUN_METRICS;
	struct weir_text blob = {0};
	enum weir_status status = weir_codec_encode(series->value, series->count,
	                                            weir_series_salt(table, series), &blob, err);

	if (!status) {
		weir_store_bind_text(insert, 2, weir_run_table_name(table));
		weir_store_bind_text(insert, 3, series->name);
		weir_store_bind_text(insert, 4, metric ? series->unit : NULL);
		weir_store_bind_text(insert, 5,
		                     metric && series->higher_is_better ? "higher" : "lower");
		sqlite3_bind_int64(insert, 6, (sqlite3_int64)series->count);
		sqlite3_bind_blob64(insert, 7, blob.data, blob.length, SQLITE_STATIC);
		status = weir_store_run(store, insert, err);
	}
	weir_text_release(&blob);
	return status;
}

static enum weir_status insert_tables(const struct weir_store *store, int64_t id,
                                      const struct weir_run *run, struct weir_error *err)
{
	sqlite3_stmt *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO series (run, kind, name, unit, better, count, samples)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
		&insert, err);

	if (!status)
		sqlite3_bind_int64(insert, 1, id);
	for (unsigned t = 0; !status && t < WEIR_RUN_TABLE_COUNT; t++) {
		enum weir_run_table which = (enum weir_run_table)t;
		const struct weir_series_table *table = weir_run_table_of(run, which);

		for (size_t i = 0; !status && i < table->count; i++)
			status = insert_series(store, insert, which, &table->items[i], err);
	}
	sqlite3_finalize(insert);
	return status;
}

static enum weir_status write_head(const struct weir_store *store, const char *sql,
                                   const uint8_t digest[WEIR_SHA256_SIZE],
                                   const struct weir_baseline_run *run, struct weir_error *err)
{
	struct weir_baseline_run counted = *run;
	uint8_t seal[WEIR_SHA256_SIZE];
	sqlite3_stmt *statement = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	weir_run_count(&counted);
	weir_run_seal(&counted, digest, seal);
	sqlite3_bind_blob(statement, 1, digest, WEIR_SHA256_SIZE, SQLITE_STATIC);
	weir_store_bind_text(statement, 2, run->bound);
	weir_store_bind_text(statement, 3, run->cause);
	sqlite3_bind_blob(statement, 4, seal, WEIR_SHA256_SIZE, SQLITE_STATIC);
	status = weir_store_run(store, statement, err);
	sqlite3_finalize(statement);
	return status;
}

static enum weir_status insert_run(const struct weir_store *store,
                                   const uint8_t digest[WEIR_SHA256_SIZE],
                                   const struct weir_baseline_run *run, int64_t *id,
                                   struct weir_error *err)
{
	enum weir_status status = write_head(
		store, "INSERT INTO run (digest, bound, cause, seal) VALUES (?1, ?2, ?3, ?4)",
		digest, run, err);

	if (status)
		return status;
	*id = sqlite3_last_insert_rowid(store->handle);
	status = insert_labels(store, *id, run->run, err);
	return status ? status : insert_tables(store, *id, run->run, err);
}

/* --- a run by its content --- */

struct known {
	int64_t id;
	bool found, judged;
};

static enum weir_status find_run(const struct weir_store *store,
                                 const uint8_t digest[WEIR_SHA256_SIZE], struct known *known,
                                 struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, bound IS NOT NULL FROM run WHERE digest = ?1", &select, err);

	*known = (struct known){0};
	if (status)
		return status;
	sqlite3_bind_blob(select, 1, digest, WEIR_SHA256_SIZE, SQLITE_STATIC);
	status = weir_store_step(store, select, &known->found, err);
	if (!status && known->found) {
		known->id = sqlite3_column_int64(select, 0);
		known->judged = sqlite3_column_int(select, 1) != 0;
	}
	sqlite3_finalize(select);
	return status;
}

static enum weir_status need_run(const struct weir_store *store,
                                 const struct weir_baseline_run *run, int64_t *id,
                                 struct weir_error *err)
{
	uint8_t digest[WEIR_SHA256_SIZE];
	struct known known;
	enum weir_status status;

	weir_run_digest(run->run, digest);
	status = find_run(store, digest, &known, err);
	if (status)
		return status;
	*id = known.id;
	if (!known.found)
		return insert_run(store, digest, run, id, err);
	if (!known.judged && run->bound)
		return write_head(
			store, "UPDATE run SET bound = ?2, cause = ?3, seal = ?4 WHERE digest = ?1",
			digest, run, err);
	return WEIR_OK;
}

/* --- membership --- */

/* The second statement changes nothing if the name already holds the run; `revive` makes a run of
 * the history current. */
static enum weir_status join(const struct weir_store *store, int64_t baseline, int64_t id,
                             const struct weir_baseline_run *run, struct weir_error *err)
{
	sqlite3_stmt *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO member (baseline, run, current, recorded) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (baseline, run) DO UPDATE SET current = 1"
		" WHERE current = 0 AND excluded.current = 1",
		&insert, err);

	if (status)
		return status;
	sqlite3_bind_int64(insert, 1, baseline);
	sqlite3_bind_int64(insert, 2, id);
	sqlite3_bind_int(insert, 3, !run->history);
	weir_store_bind_text(insert, 4, run->recorded);
	status = weir_store_run(store, insert, err);
	sqlite3_finalize(insert);
	return status;
}

/* Keeps the summary of a run that another store pruned. */
static enum weir_status keep_pruned(const struct weir_store *store, int64_t baseline,
                                    const struct weir_baseline_run *run,
                                    struct weir_store_counts *counts, struct weir_error *err)
{
	int before = sqlite3_total_changes(store->handle);
	uint8_t digest[WEIR_SHA256_SIZE];
	enum weir_status status;

	if (!weir_store_parse_id(run->id, digest))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "id: expected 64 hexadecimal digits for a run without samples");
	status = weir_store_keep_summary(store, baseline, digest, run, err);
	if (sqlite3_total_changes(store->handle) != before)
		counts->added++;
	else
		counts->known++;
	return status;
}

static enum weir_status record_run(const struct weir_store *store, int64_t baseline,
                                   const struct weir_baseline_run *run,
                                   struct weir_store_counts *counts, struct weir_error *err)
{
	int64_t id;
	int before;
	enum weir_status status;

	if (run->pruned)
		return keep_pruned(store, baseline, run, counts, err);
	status = need_run(store, run, &id, err);
	if (status)
		return status;
	before = sqlite3_total_changes(store->handle);
	status = join(store, baseline, id, run, err);
	if (!status && run->pinned)
		status = weir_store_pin_run(store, baseline, id, err);
	if (sqlite3_total_changes(store->handle) != before)
		counts->added++;
	else
		counts->known++;
	return status;
}

static enum weir_status check_run(const struct weir_baseline_run *run, struct weir_error *err)
{
	enum weir_status status = weir_run_check(run->run, err);
	enum weir_bound bound;

	if (status == WEIR_E_EMPTY && run->pruned) {
		*err = (struct weir_error){0};
		status = WEIR_OK;
	}
	if (status)
		return status;
	if (!weir_recorded_valid(run->recorded))
		return weir_fail(
			err, WEIR_E_FORMAT,
			"recorded: expected a time like 2026-11-20T14:00:00Z, not \"%.40s\"",
			run->recorded);
	if (run->bound && !weir_bound_parse(run->bound, &bound))
		return weir_fail(err, WEIR_E_FORMAT, "bound: \"%.40s\" is not a bound", run->bound);
	if (run->cause && strlen(run->cause) > WEIR_RUN_MAX_LABEL)
		return weir_fail(err, WEIR_E_LIMIT, "cause: more than %d bytes",
		                 WEIR_RUN_MAX_LABEL);
	return WEIR_OK;
}

static enum weir_status record(struct weir_store *store, const struct weir_baseline *baseline,
                               struct weir_store_counts *counts, struct weir_error *err)
{
	int64_t name;
	enum weir_status status = weir_store_need_name(store, baseline->name, &name, err);

	for (size_t i = 0; !status && i < baseline->count; i++)
		status = record_run(store, name, &baseline->runs[i], counts, err);
	if (!status)
		status = weir_store_count_held(store, baseline->name, &counts->held, err);
	return status;
}

enum weir_status weir_store_record(struct weir_store *store, const struct weir_baseline *baseline,
                                   struct weir_store_counts *counts, struct weir_error *err)
{
	enum weir_status status = weir_baseline_check_name(baseline->name, err);

	*counts = (struct weir_store_counts){0};
	for (size_t i = 0; !status && i < baseline->count; i++)
		status = check_run(&baseline->runs[i], err);
	if (!status && baseline->count == 0)
		status = weir_fail(err, WEIR_E_EMPTY, "no runs to record");
	if (!status)
		status = weir_store_begin_writing(store, err);
	if (status)
		return status;
	return weir_store_end(store, record(store, baseline, counts, err), err);
}
