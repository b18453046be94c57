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
	struct weir_db_statement *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store, "INSERT INTO label (run, key, value) VALUES (?1, ?2, ?3)", &insert, err);

	for (size_t i = 0; !status && i < run->label_count; i++) {
		weir_db_bind_int(insert, 1, id);
		weir_db_bind_text(insert, 2, run->labels[i].key);
		weir_db_bind_text(insert, 3, run->labels[i].value);
		status = weir_db_queue(insert, err);
	}
	weir_db_finalize(insert);
	return status;
}

/* ?1 is bound: the run. */
static enum weir_status insert_series(struct weir_db_statement *insert, enum weir_run_table table,
                                      const struct weir_series *series, struct weir_error *err)
{
	bool metric = table == WEIR_RUN_METRICS;
	struct weir_text blob = {0};
	enum weir_status status = weir_codec_encode(series->value, series->count,
	                                            weir_series_salt(table, series), &blob, err);

	if (!status) {
		weir_db_bind_text(insert, 2, weir_run_table_name(table));
		weir_db_bind_text(insert, 3, series->name);
		weir_db_bind_text(insert, 4, metric ? series->unit : NULL);
		weir_db_bind_text(insert, 5,
		                  metric && series->higher_is_better ? "higher" : "lower");
		weir_db_bind_int(insert, 6, (int64_t)series->count);
		weir_db_bind_blob(insert, 7, blob.data, blob.length);
		status = weir_db_queue(insert, err);
	}
	weir_text_release(&blob);
	return status;
}

static enum weir_status insert_tables(const struct weir_store *store, int64_t id,
                                      const struct weir_run *run, struct weir_error *err)
{
	struct weir_db_statement *insert = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO series (run, kind, name, unit, better, count, samples)"
		" VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
		&insert, err);

	if (!status)
		weir_db_bind_int(insert, 1, id);
	for (unsigned t = 0; !status && t < WEIR_RUN_TABLE_COUNT; t++) {
		enum weir_run_table which = (enum weir_run_table)t;
		const struct weir_series_table *table = weir_run_table_of(run, which);

		for (size_t i = 0; !status && i < table->count; i++)
			status = insert_series(insert, which, &table->items[i], err);
	}
	weir_db_finalize(insert);
	return status;
}

static enum weir_status write_head(const struct weir_store *store, const char *sql,
                                   const uint8_t digest[WEIR_SHA256_SIZE],
                                   const struct weir_baseline_run *run, int64_t *id,
                                   struct weir_error *err)
{
	struct weir_baseline_run counted = *run;
	uint8_t seal[WEIR_SHA256_SIZE];
	struct weir_db_statement *statement = NULL;
	bool found = false;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	weir_run_count(&counted);
	weir_run_seal(&counted, digest, seal);
	weir_db_bind_blob(statement, 1, digest, WEIR_SHA256_SIZE);
	weir_db_bind_text(statement, 2, run->bound);
	weir_db_bind_text(statement, 3, run->cause);
	weir_db_bind_blob(statement, 4, seal, WEIR_SHA256_SIZE);
	status = weir_db_step(statement, &found, err);
	if (!status && found)
		*id = weir_db_int(statement, 0);
	weir_db_finalize(statement);
	return status;
}

static enum weir_status insert_run(const struct weir_store *store,
                                   const uint8_t digest[WEIR_SHA256_SIZE],
                                   const struct weir_baseline_run *run, int64_t *id,
                                   struct weir_error *err)
{
	enum weir_status status = write_head(
		store,
		"INSERT INTO run (digest, bound, cause, seal) VALUES (?1, ?2, ?3, ?4) RETURNING id",
		digest, run, id, err);

	if (status)
		return status;
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
	struct weir_db_statement *select = NULL;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, bound FROM run WHERE digest = ?1", &select, err);

	*known = (struct known){0};
	if (status)
		return status;
	weir_db_bind_blob(select, 1, digest, WEIR_SHA256_SIZE);
	status = weir_db_step(select, &known->found, err);
	if (!status && known->found) {
		known->id = weir_db_int(select, 0);
		known->judged = !weir_db_is_null(select, 1);
	}
	weir_db_finalize(select);
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
			store,
			"UPDATE run SET bound = ?2, cause = ?3, seal = ?4 WHERE digest = ?1"
			" RETURNING id",
			digest, run, id, err);
	return WEIR_OK;
}

/* --- membership --- */

/* Makes a run of the history current. */
static enum weir_status revive(const struct weir_store *store, int64_t baseline, int64_t id,
                               struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool found = false;
	enum weir_status status = weir_store_prepare(
		store, "SELECT 1 FROM member WHERE baseline = ?1 AND run = ?2 AND current = 0",
		&select, err);

	if (!status) {
		weir_db_bind_int(select, 1, baseline);
		weir_db_bind_int(select, 2, id);
		status = weir_db_step(select, &found, err);
	}
	weir_db_finalize(select);
	if (status || !found)
		return status;
	return weir_store_with_ids(store,
	                           "UPDATE member SET current = 1 WHERE baseline = ?1 AND run = ?2",
	                           baseline, id, err);
}

/* Changes nothing if the name already holds the run; a run of the history becomes current. The
 * right to add members is enough unless that happens. */
static enum weir_status join(const struct weir_store *store, int64_t baseline, int64_t id,
                             const struct weir_baseline_run *run, struct weir_error *err)
{
	struct weir_db_statement *insert = NULL;
	int64_t before = weir_db_total_changes(store->db);
	enum weir_status status = weir_store_prepare(
		store,
		"INSERT INTO member (baseline, run, current, recorded) VALUES (?1, ?2, ?3, ?4)"
		" ON CONFLICT (baseline, run) DO NOTHING",
		&insert, err);

	if (status)
		return status;
	weir_db_bind_int(insert, 1, baseline);
	weir_db_bind_int(insert, 2, id);
	weir_db_bind_int(insert, 3, !run->history);
	weir_db_bind_text(insert, 4, run->recorded);
	status = weir_db_run(insert, err);
	weir_db_finalize(insert);
	if (status || run->history || weir_db_total_changes(store->db) != before)
		return status;
	return revive(store, baseline, id, err);
}

/* Keeps the summary of a run that another store pruned. */
static enum weir_status keep_pruned(const struct weir_store *store, int64_t baseline,
                                    const struct weir_baseline_run *run,
                                    struct weir_store_counts *counts, struct weir_error *err)
{
	int64_t before = weir_db_total_changes(store->db);
	uint8_t digest[WEIR_SHA256_SIZE];
	enum weir_status status;

	if (!weir_store_parse_id(run->id, digest))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "id: expected 64 hexadecimal digits for a run without samples");
	status = weir_store_keep_summary(store, baseline, digest, run, err);
	if (weir_db_total_changes(store->db) != before)
		counts->added++;
	else
		counts->known++;
	return status;
}

static enum weir_status record_run(const struct weir_store *store, int64_t baseline,
                                   const struct weir_baseline_run *run,
                                   struct weir_store_counts *counts, struct weir_error *err)
{
	int64_t id, before;
	enum weir_status status;

	if (run->pruned)
		return keep_pruned(store, baseline, run, counts, err);
	status = need_run(store, run, &id, err);
	if (status)
		return status;
	before = weir_db_total_changes(store->db);
	status = join(store, baseline, id, run, err);
	if (!status && run->pinned)
		status = weir_store_pin_run(store, baseline, id, err);
	if (weir_db_total_changes(store->db) != before)
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

struct recording {
	const struct weir_baseline *baseline;
	struct weir_store_counts *counts;
};

static enum weir_status record(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct recording *recording = context;
	const struct weir_baseline *baseline = recording->baseline;
	struct weir_store_counts *counts = recording->counts;
	int64_t name;
	enum weir_status status = weir_store_need_name(store, baseline->name, &name, err);

	*counts = (struct weir_store_counts){0};
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
	if (status)
		return status;
	return weir_store_transact(store, true, record, &(struct recording){baseline, counts}, err);
}
