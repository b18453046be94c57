/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "baselines/codec.h"
#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/bound.h"

/* --- one run --- */

static enum weir_status read_labels(const struct weir_store *store, int64_t id,
                                    struct weir_run *run, struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT key, value FROM label WHERE run = ?1", &select, err);

	if (!status)
		sqlite3_bind_int64(select, 1, id);
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row && run->label_count >= WEIR_RUN_MAX_LABELS)
			status = weir_store_damaged(store, "a run with too many labels", err);
		else if (!status && row && weir_store_text(select, 0) && weir_store_text(select, 1))
			weir_run_set_label(run, weir_store_text(select, 0),
			                   weir_store_text(select, 1));
	}
	sqlite3_finalize(select);
	return status;
}

enum { KIND, NAME, UNIT, BETTER, COUNT, SAMPLES }; /* columns of the statements below */

#define SERIES_COLUMNS "kind, name, unit, better, count, samples"

/* A row of the table series whose texts and count make sense. */
static enum weir_status check_row(const struct weir_store *store, sqlite3_stmt *row,
                                  enum weir_run_table *table, struct weir_error *err)
{
	const char *kind = weir_store_text(row, KIND);
	sqlite3_int64 count = sqlite3_column_int64(row, COUNT);

	if (!kind || !weir_run_table_parse(kind, table) || !weir_store_text(row, NAME) ||
	    !weir_store_text(row, BETTER))
		return weir_store_damaged(store, "a series without a name or a kind", err);
	if (count < 1 || count > WEIR_CODEC_MAX_VALUES)
		return weir_store_damaged(store, "a series with an impossible count", err);
	return WEIR_OK;
}

static enum weir_status read_series(const struct weir_store *store, sqlite3_stmt *row,
                                    struct weir_run *run, struct weir_error *err)
{
	size_t count = (size_t)sqlite3_column_int64(row, COUNT);
	struct weir_series_table *table;
	struct weir_series *series;
	enum weir_run_table which = WEIR_RUN_STAGES;
	enum weir_status status = check_row(store, row, &which, err);

	if (status)
		return status;
	table = weir_run_table(run, which);
	if (table->count >= WEIR_RUN_MAX_SERIES)
		return weir_store_damaged(store, "a run with too many series", err);
	series = weir_series_get(table, weir_store_text(row, NAME));
	if (series->count > 0)
		return weir_store_damaged(store, "a series that is there twice", err);
	series->higher_is_better = strcmp(weir_store_text(row, BETTER), "higher") == 0;
	series->unit = weir_alloc_text(weir_store_text(row, UNIT));
	series->value = weir_grow(NULL, &series->capacity, count, sizeof(*series->value));
	series->count = count;
	if (weir_codec_decode(sqlite3_column_blob(row, SAMPLES),
	                      (size_t)sqlite3_column_bytes(row, SAMPLES),
	                      weir_series_salt(which, series), series->value, count, err)) {
		weir_fail_in(err, "%s %.200s", weir_run_table_name(which), series->name);
		return weir_store_damaged(store, err ? err->message : "samples", err);
	}
	return WEIR_OK;
}

static enum weir_status prepare_series(const struct weir_store *store,
                                       const struct weir_store_pick *pick, sqlite3_stmt **select,
                                       struct weir_error *err)
{
	enum weir_status status;

	if (pick->series)
		status = weir_store_prepare(store,
		                            "SELECT " SERIES_COLUMNS " FROM series"
		                            " WHERE run = ?1 AND kind = ?2 AND name = ?3",
		                            select, err);
	else
		status = weir_store_prepare(store,
		                            "SELECT " SERIES_COLUMNS " FROM series WHERE run = ?1"
		                            " ORDER BY kind, name",
		                            select, err);
	if (status)
		return status;
	sqlite3_bind_int64(*select, 1, pick->run);
	if (pick->series) {
		weir_store_bind_text(*select, 2, weir_run_table_name(pick->table));
		weir_store_bind_text(*select, 3, pick->series);
	}
	return WEIR_OK;
}

enum weir_status weir_store_read_run(const struct weir_store *store,
                                     const struct weir_store_pick *pick, struct weir_run *run,
                                     struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status = read_labels(store, pick->run, run, err);

	if (status || pick->bare)
		return status;
	status = prepare_series(store, pick, &select, err);
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row)
			status = read_series(store, select, run, err);
	}
	sqlite3_finalize(select);
	return status;
}

/* --- the runs of a name --- */

enum { ID, CURRENT, RECORDED, DIGEST, BOUND, CAUSE, SEAL }; /* columns of the statements below */

#define RUN_COLUMNS "m.run, m.current, m.recorded, r.digest, r.bound, r.cause, r.seal"
#define OF_MEMBERS  " FROM member m CROSS JOIN run r ON r.id = m.run WHERE m.baseline = ?1"
#define NEWEST      " ORDER BY m.current DESC, m.recorded DESC, m.id DESC LIMIT ?2"

static enum weir_status check_head(const struct weir_store *store, sqlite3_stmt *row,
                                   struct weir_error *err)
{
	const char *recorded = weir_store_text(row, RECORDED);
	const char *bound = weir_store_text(row, BOUND);
	enum weir_bound known;

	if (!recorded || !weir_recorded_valid(recorded))
		return weir_store_damaged(store, "a run without a time", err);
	if (sqlite3_column_bytes(row, DIGEST) != WEIR_SHA256_SIZE ||
	    sqlite3_column_bytes(row, SEAL) != WEIR_SHA256_SIZE)
		return weir_store_damaged(store, "a run without a digest", err);
	if (bound && !weir_bound_parse(bound, &known))
		return weir_store_damaged(store, "a run with an unknown bound", err);
	return WEIR_OK;
}

enum weir_status weir_store_check_seal(const struct weir_store *store,
                                       const struct weir_baseline_run *run, const void *digest,
                                       const void *seal, struct weir_error *err)
{
	uint8_t expected[WEIR_SHA256_SIZE];

	weir_run_seal(run, digest, expected);
	if (memcmp(seal, expected, sizeof(expected)) != 0)
		return weir_store_damaged(
			store,
			"verdict, labels or number of series of a run are not what was recorded",
			err);
	return WEIR_OK;
}

static enum weir_status count_series(const struct weir_store *store, int64_t id,
                                     struct weir_baseline_run *run, struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	enum weir_run_table table;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT kind, count(*), sum(count) FROM series WHERE run = ?1 GROUP BY kind",
		&select, err);

	if (!status)
		sqlite3_bind_int64(select, 1, id);
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (status || !row)
			break;
		if (!weir_store_text(select, 0) ||
		    !weir_run_table_parse(weir_store_text(select, 0), &table))
			continue;
		if (table == WEIR_RUN_STAGES)
			run->stages = (size_t)sqlite3_column_int64(select, 1);
		if (table == WEIR_RUN_OPERATORS)
			run->operators = (size_t)sqlite3_column_int64(select, 1);
		run->series += (size_t)sqlite3_column_int64(select, 1);
		run->samples += (size_t)sqlite3_column_int64(select, 2);
	}
	sqlite3_finalize(select);
	return status;
}

enum weir_status weir_store_load_run(const struct weir_store *store,
                                     const struct weir_store_query *query, sqlite3_stmt *row,
                                     struct weir_baseline *baseline, struct weir_error *err)
{
	struct weir_store_pick pick = {sqlite3_column_int64(row, ID), query->bare, query->table,
	                               query->series};
	struct weir_baseline_run *run;
	enum weir_status status = check_head(store, row, err);

	if (status)
		return status;
	run = weir_baseline_take(baseline, weir_run_new(), weir_store_text(row, RECORDED));
	run->history = sqlite3_column_int(row, CURRENT) == 0;
	run->bound = weir_baseline_text(baseline, weir_store_text(row, BOUND));
	run->cause = weir_baseline_text(baseline, weir_store_text(row, CAUSE));
	run->id = weir_store_id_text(baseline, sqlite3_column_blob(row, DIGEST));
	status = weir_store_read_run(store, &pick, run->run, err);
	if (!status)
		status = count_series(store, pick.run, run, err);
	if (!status)
		status = weir_store_check_seal(store, run, sqlite3_column_blob(row, DIGEST),
		                               sqlite3_column_blob(row, SEAL), err);
	return status;
}

static enum weir_status load_runs(const struct weir_store *store,
                                  const struct weir_store_query *query, int64_t id,
                                  struct weir_baseline *baseline, struct weir_error *err)
{
	const char *sql = query->history ? "SELECT " RUN_COLUMNS OF_MEMBERS NEWEST
	                                 : "SELECT " RUN_COLUMNS OF_MEMBERS
	                                   " AND m.current = 1" NEWEST;
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(store, sql, &select, err);

	if (!status) {
		sqlite3_bind_int64(select, 1, id);
		sqlite3_bind_int64(select, 2, query->newest ? (sqlite3_int64)query->newest : -1);
	}
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row)
			status = weir_store_load_run(store, query, select, baseline, err);
	}
	sqlite3_finalize(select);
	return status;
}

/* History is read after what is current, and pruned runs after it, each newest first; in the end
 * the times decide. */
static void put_oldest_first(struct weir_baseline *baseline)
{
	struct weir_baseline_run *runs = baseline->runs;

	for (size_t i = 0, j = baseline->count; i + 1 < j; i++) {
		struct weir_baseline_run swap = runs[i];

		runs[i] = runs[--j];
		runs[j] = swap;
	}
	/* Few sorted parts: an insertion sort moves each run of a later part once. */
	for (size_t i = 1; i < baseline->count; i++) {
		struct weir_baseline_run moving = runs[i];
		size_t at = i;

		for (; at > 0 && strcmp(runs[at - 1].recorded, moving.recorded) > 0; at--)
			runs[at] = runs[at - 1];
		runs[at] = moving;
	}
}

static enum weir_status load(const struct weir_store *store, const struct weir_store_query *query,
                             struct weir_baseline *baseline, struct weir_error *err)
{
	bool found;
	int64_t id;
	enum weir_status status = weir_store_find_name(store, query->name, &id, &found, err);

	if (!status && found)
		status = load_runs(store, query, id, baseline, err);
	if (!status && found)
		status = weir_store_mark_pinned(store, id, baseline, err);
	if (!status && found && query->history && !query->newest)
		status = weir_store_load_pruned(store, id, baseline, err);
	if (!status && baseline->count == 0)
		status = weir_store_no_baseline(store, query->name, err);
	return status;
}

enum weir_status weir_store_load(struct weir_store *store, const struct weir_store_query *query,
                                 struct weir_baseline **out, struct weir_error *err)
{
	struct weir_baseline *baseline;
	enum weir_status status = weir_store_begin_reading(store, err);

	if (status)
		return status;
	baseline = weir_baseline_new(query->name);
	status = weir_store_end(store, load(store, query, baseline, err), err);
	if (status) {
		weir_baseline_free(baseline);
		return status;
	}
	put_oldest_first(baseline);
	*out = baseline;
	return WEIR_OK;
}

enum weir_status weir_store_load_from(const char *path, const struct weir_store_query *query,
                                      struct weir_baseline **out, struct weir_error *err)
{
	struct weir_store *store;
	enum weir_status status = weir_store_open(path, WEIR_STORE_READ, &store, err);

	if (status)
		return status;
	status = weir_store_load(store, query, out, err);
	weir_store_free(store);
	return status;
}
