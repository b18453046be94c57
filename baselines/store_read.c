/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "baselines/codec.h"
#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/model/bound.h"

/* --- one run --- */

static enum weir_status read_labels(const struct weir_store *store,
                                    struct weir_db_statement *select, struct weir_run *run,
                                    struct weir_error *err)
{
	bool row = true;
	enum weir_status status = WEIR_OK;

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row && run->label_count >= WEIR_RUN_MAX_LABELS)
			status = weir_store_damaged(store, "a run with too many labels", err);
		else if (!status && row && weir_db_text(select, 0) && weir_db_text(select, 1))
			weir_run_set_label(run, weir_db_text(select, 0), weir_db_text(select, 1));
	}
	return status;
}

enum { KIND, NAME, UNIT, BETTER, COUNT, SAMPLES }; /* columns of the statements below */

#define SERIES_COLUMNS "kind, name, unit, better, count, samples"

/* A row of the table series whose texts and count make sense. */
static enum weir_status check_row(const struct weir_store *store, struct weir_db_statement *row,
                                  enum weir_run_table *table, struct weir_error *err)
{
	const char *kind = weir_db_text(row, KIND);
	int64_t count = weir_db_int(row, COUNT);

	if (!kind || !weir_run_table_parse(kind, table) || !weir_db_text(row, NAME) ||
	    !weir_db_text(row, BETTER))
		return weir_store_damaged(store, "a series without a name or a kind", err);
	if (count < 1 || count > WEIR_CODEC_MAX_VALUES)
		return weir_store_damaged(store, "a series with an impossible count", err);
	return WEIR_OK;
}

static enum weir_status read_series(const struct weir_store *store, struct weir_db_statement *row,
                                    struct weir_run *run, struct weir_error *err)
{
	size_t count = (size_t)weir_db_int(row, COUNT);
	struct weir_series_table *table;
	struct weir_series *series;
	enum weir_run_table which = WEIR_RUN_STAGES;
	enum weir_status status = check_row(store, row, &which, err);

	if (status)
		return status;
	table = weir_run_table(run, which);
	if (table->count >= WEIR_RUN_MAX_SERIES)
		return weir_store_damaged(store, "a run with too many series", err);
	series = weir_series_get(table, weir_db_text(row, NAME));
	if (series->count > 0)
		return weir_store_damaged(store, "a series that is there twice", err);
	series->higher_is_better = strcmp(weir_db_text(row, BETTER), "higher") == 0;
	series->unit = weir_alloc_text(weir_db_text(row, UNIT));
	series->value = weir_grow(NULL, &series->capacity, count, sizeof(*series->value));
	series->count = count;
	if (weir_codec_decode(weir_db_blob(row, SAMPLES), weir_db_size(row, SAMPLES),
	                      weir_series_salt(which, series), series->value, count, err)) {
		weir_fail_in(err, "%s %.200s", weir_run_table_name(which), series->name);
		return weir_store_damaged(store, err ? err->message : "samples", err);
	}
	return WEIR_OK;
}

static enum weir_status count_series(struct weir_db_statement *select,
                                     struct weir_baseline_run *run, struct weir_error *err)
{
	enum weir_run_table table;
	bool row = true;
	enum weir_status status = WEIR_OK;

	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (status || !row)
			break;
		if (!weir_db_text(select, 0) ||
		    !weir_run_table_parse(weir_db_text(select, 0), &table))
			continue;
		if (table == WEIR_RUN_STAGES)
			run->stages = (size_t)weir_db_int(select, 1);
		if (table == WEIR_RUN_OPERATORS)
			run->operators = (size_t)weir_db_int(select, 1);
		run->series += (size_t)weir_db_int(select, 1);
		run->samples += (size_t)weir_db_int(select, 2);
	}
	return status;
}

/* The queries for one run. All of them are sent before the rows of the first are read, so that a
 * server answers them together. */
struct queries {
	struct weir_db_statement *labels, *series, *counts; /* NULL: not wanted */
};

static void release_queries(struct queries *queries)
{
	weir_db_finalize(queries->labels);
	weir_db_finalize(queries->series);
	weir_db_finalize(queries->counts);
	*queries = (struct queries){0};
}

static enum weir_status send(const struct weir_store *store, const char *sql,
                             const struct weir_store_pick *pick, struct weir_db_statement **out,
                             struct weir_error *err)
{
	enum weir_status status = weir_store_prepare(store, sql, out, err);

	if (status)
		return status;
	weir_db_bind_int(*out, 1, pick->run);
	if (strstr(sql, "?3")) {
		weir_db_bind_text(*out, 2, weir_run_table_name(pick->table));
		weir_db_bind_text(*out, 3, pick->series);
	}
	return weir_db_send(*out, err);
}

static enum weir_status send_queries(const struct weir_store *store,
                                     const struct weir_store_pick *pick, bool counted,
                                     struct queries *queries, struct weir_error *err)
{
	enum weir_status status =
		send(store, "SELECT key, value FROM label WHERE run = ?1 ORDER BY key", pick,
	             &queries->labels, err);

	if (!status && !pick->bare)
		status = send(store,
		              pick->series ? "SELECT " SERIES_COLUMNS " FROM series"
		                             " WHERE run = ?1 AND kind = ?2 AND name = ?3"
		                           : "SELECT " SERIES_COLUMNS " FROM series WHERE run = ?1"
		                             " ORDER BY kind, name",
		              pick, &queries->series, err);
	if (!status && counted)
		status = send(store,
		              "SELECT kind, count(*), CAST(sum(count) AS BIGINT) FROM series"
		              " WHERE run = ?1 GROUP BY kind",
		              pick, &queries->counts, err);
	return status;
}

static enum weir_status read_queries(const struct weir_store *store, struct queries *queries,
                                     struct weir_run *run, struct weir_error *err)
{
	bool row = queries->series != NULL;
	enum weir_status status = read_labels(store, queries->labels, run, err);

	while (!status && row) {
		status = weir_db_step(queries->series, &row, err);
		if (!status && row)
			status = read_series(store, queries->series, run, err);
	}
	return status;
}

enum weir_status weir_store_read_run(const struct weir_store *store,
                                     const struct weir_store_pick *pick, struct weir_run *run,
                                     struct weir_error *err)
{
	struct queries queries = {0};
	enum weir_status status = send_queries(store, pick, false, &queries, err);

	if (!status)
		status = read_queries(store, &queries, run, err);
	release_queries(&queries);
	return status;
}

/* --- the runs of a name --- */

enum { ID, CURRENT, RECORDED, DIGEST, BOUND, CAUSE, SEAL }; /* WEIR_STORE_RUN_COLUMNS */

#define AHEAD 16 /* runs whose queries travel together */

#define OF_MEMBERS " FROM member m CROSS JOIN run r WHERE r.id = m.run AND m.baseline = ?1"
#define NEWEST     " ORDER BY m.current DESC, m.recorded DESC, m.id DESC LIMIT ?2"

static enum weir_status check_head(const struct weir_store *store, struct weir_db_statement *row,
                                   struct weir_error *err)
{
	const char *recorded = weir_db_text(row, RECORDED);
	const char *bound = weir_db_text(row, BOUND);
	enum weir_bound known;

	if (!recorded || !weir_recorded_valid(recorded))
		return weir_store_damaged(store, "a run without a time", err);
	if (weir_db_size(row, DIGEST) != WEIR_SHA256_SIZE ||
	    weir_db_size(row, SEAL) != WEIR_SHA256_SIZE)
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

/* A run of the baseline whose labels and series are still to be read. */
struct pending {
	int64_t id;
	uint8_t digest[WEIR_SHA256_SIZE], seal[WEIR_SHA256_SIZE];
	struct queries queries;
};

/* Appends the run of a row without its labels and series. */
static enum weir_status take_head(const struct weir_store *store, struct weir_db_statement *row,
                                  struct weir_baseline *baseline, struct pending *pending,
                                  struct weir_error *err)
{
	struct weir_baseline_run *run;
	enum weir_status status = check_head(store, row, err);

	if (status)
		return status;
	run = weir_baseline_take(baseline, weir_run_new(), weir_db_text(row, RECORDED));
	run->history = weir_db_int(row, CURRENT) == 0;
	run->bound = weir_baseline_text(baseline, weir_db_text(row, BOUND));
	run->cause = weir_baseline_text(baseline, weir_db_text(row, CAUSE));
	run->id = weir_store_id_text(baseline, weir_db_blob(row, DIGEST));
	*pending = (struct pending){.id = weir_db_int(row, ID)};
	memcpy(pending->digest, weir_db_blob(row, DIGEST), WEIR_SHA256_SIZE);
	memcpy(pending->seal, weir_db_blob(row, SEAL), WEIR_SHA256_SIZE);
	return WEIR_OK;
}

/* Reads labels, series and counts of the runs[0..count) of a baseline. */
static enum weir_status fill(const struct weir_store *store, const struct weir_store_query *query,
                             struct weir_baseline_run *runs, struct pending *pending, size_t count,
                             struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < count; i++) {
		const struct weir_store_pick pick = {pending[i].id, query->bare, query->table,
		                                     query->series};

		status = send_queries(store, &pick, true, &pending[i].queries, err);
	}
	for (size_t i = 0; !status && i < count; i++) {
		status = read_queries(store, &pending[i].queries, runs[i].run, err);
		if (!status)
			status = count_series(pending[i].queries.counts, &runs[i], err);
		if (!status)
			status = weir_store_check_seal(store, &runs[i], pending[i].digest,
			                               pending[i].seal, err);
	}
	for (size_t i = 0; i < count; i++)
		release_queries(&pending[i].queries);
	return status;
}

enum weir_status weir_store_load_batch(const struct weir_store *store,
                                       const struct weir_store_query *query,
                                       struct weir_db_statement *rows, bool *more,
                                       struct weir_baseline *baseline, struct weir_error *err)
{
	struct pending pending[AHEAD];
	size_t count = 0;
	enum weir_status status = WEIR_OK;

	*more = true;
	while (!status && *more && count < AHEAD) {
		status = weir_db_step(rows, more, err);
		if (!status && *more)
			status = take_head(store, rows, baseline, &pending[count], err);
		count += !status && *more;
	}
	if (!status && count > 0)
		status = fill(store, query, baseline->runs + baseline->count - count, pending,
		              count, err);
	return status;
}

enum weir_status weir_store_load_runs(const struct weir_store *store,
                                      const struct weir_store_query *query,
                                      struct weir_db_statement *rows,
                                      struct weir_baseline *baseline, struct weir_error *err)
{
	bool more = true;
	enum weir_status status = WEIR_OK;

	while (!status && more)
		status = weir_store_load_batch(store, query, rows, &more, baseline, err);
	return status;
}

static enum weir_status load_members(const struct weir_store *store,
                                     const struct weir_store_query *query, int64_t id,
                                     struct weir_baseline *baseline, struct weir_error *err)
{
	const char *sql = query->history ? "SELECT " WEIR_STORE_RUN_COLUMNS OF_MEMBERS NEWEST
	                                 : "SELECT " WEIR_STORE_RUN_COLUMNS OF_MEMBERS
	                                   " AND m.current = 1" NEWEST;
	struct weir_db_statement *select = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &select, err);

	if (!status) {
		weir_db_bind_int(select, 1, id);
		weir_db_bind_int(select, 2, query->newest ? (int64_t)query->newest : INT64_MAX);
		status = weir_store_load_runs(store, query, select, baseline, err);
	}
	weir_db_finalize(select);
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

struct loading {
	const struct weir_store_query *query;
	struct weir_baseline *baseline;
};

static enum weir_status load(struct weir_store *store, void *context, struct weir_error *err)
{
	struct loading *loading = context;
	const struct weir_store_query *query = loading->query;
	struct weir_baseline *baseline = weir_baseline_new(query->name);
	bool found;
	int64_t id;
	enum weir_status status = weir_store_find_name(store, query->name, &id, &found, err);

	weir_baseline_free(loading->baseline);
	loading->baseline = baseline;
	if (!status && found)
		status = load_members(store, query, id, baseline, err);
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
	struct loading loading = {.query = query};
	enum weir_status status = weir_store_transact(store, false, load, &loading, err);

	if (status) {
		weir_baseline_free(loading.baseline);
		return status;
	}
	put_oldest_first(loading.baseline);
	*out = loading.baseline;
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
