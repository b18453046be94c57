/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows the runs of a name one after the other, so that few are in memory at a time. */
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

#define FIRST_VERSION 3 /* of the schema with pruned runs */
#define TIME_SIZE     40

/* A pruned run that was not visited yet. */
struct waiting {
	int64_t id;
	char recorded[TIME_SIZE];
};

struct visiting {
	const char *name;
	weir_store_visit *visit;
	void *context;
	struct waiting *pruned; /* owned; oldest first */
	size_t pruned_count, pruned_at;
	/* A transaction that is tried again skips the runs that were visited: their number, and the
	 * id of the last one. */
	size_t seen, at;
	char last[2 * WEIR_SHA256_SIZE + 1];
	bool enough;
};

static enum weir_status fail_changed(const struct visiting *visiting, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_STORE,
	                 "the connection was lost, and meanwhile %s has changed: try again",
	                 visiting->name);
}

static enum weir_status show(struct visiting *visiting, struct weir_baseline_run *run,
                             struct weir_error *err)
{
	enum weir_status status;

	visiting->at++;
	if (visiting->at < visiting->seen)
		return WEIR_OK;
	if (visiting->at == visiting->seen)
		return strcmp(run->id, visiting->last) == 0 ? WEIR_OK : fail_changed(visiting, err);
	status = visiting->visit(visiting->context, run, &visiting->enough, err);
	visiting->seen = visiting->at;
	memcpy(visiting->last, run->id, sizeof visiting->last);
	return status;
}

static enum weir_status show_all(struct visiting *visiting, struct weir_baseline *batch,
                                 struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && !visiting->enough && i < batch->count; i++)
		status = show(visiting, &batch->runs[i], err);
	return status;
}

/* ---- pruned runs ---- */

static enum weir_status list_pruned(const struct weir_store *store, int64_t id,
                                    struct visiting *visiting, struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	size_t capacity = visiting->pruned_count = visiting->pruned_at = 0;
	bool row = true;
	enum weir_status status;

	free(visiting->pruned);
	visiting->pruned = NULL;
	if (store->version < FIRST_VERSION)
		return WEIR_OK;
	status = weir_store_prepare(
		store,
		"SELECT id, recorded FROM pruned p WHERE baseline = ?1 AND" WEIR_STORE_STILL_PRUNED
		" ORDER BY recorded, id",
		&select, err);
	if (!status)
		weir_db_bind_int(select, 1, id);
	while (!status && row) {
		const char *recorded;
		struct waiting *item;

		status = weir_db_step(select, &row, err);
		if (status || !row)
			break;
		recorded = weir_db_text(select, 1);
		if (!recorded || strlen(recorded) >= TIME_SIZE) {
			status = weir_store_damaged(store, "a pruned run without a time", err);
			break;
		}
		visiting->pruned = weir_grow(visiting->pruned, &capacity,
		                             visiting->pruned_count + 1, sizeof *visiting->pruned);
		item = &visiting->pruned[visiting->pruned_count++];
		item->id = weir_db_int(select, 0);
		memcpy(item->recorded, recorded, strlen(recorded) + 1);
	}
	weir_db_finalize(select);
	return status;
}

/* Shows the pruned runs that were recorded until a time; NULL: all of them. */
static enum weir_status show_pruned(const struct weir_store *store, struct visiting *visiting,
                                    const char *until, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	while (!status && !visiting->enough && visiting->pruned_at < visiting->pruned_count) {
		const struct waiting *item = &visiting->pruned[visiting->pruned_at];
		struct weir_baseline *one;

		if (until && strcmp(item->recorded, until) > 0)
			break;
		one = weir_baseline_new(visiting->name);
		status = weir_store_load_one_pruned(store, item->id, one, err);
		if (!status)
			status = show_all(visiting, one, err);
		weir_baseline_free(one);
		visiting->pruned_at++;
	}
	return status;
}

/* ---- all runs ---- */

/* Shows the next runs that have samples, and the pruned ones between them. */
static enum weir_status show_batch(const struct weir_store *store, struct visiting *visiting,
                                   struct weir_db_statement *rows, bool *more,
                                   struct weir_error *err)
{
	const struct weir_store_query query = {.name = visiting->name};
	struct weir_baseline *batch = weir_baseline_new(visiting->name);
	enum weir_status status = weir_store_load_batch(store, &query, rows, more, batch, err);

	for (size_t i = 0; !status && !visiting->enough && i < batch->count; i++) {
		status = show_pruned(store, visiting, batch->runs[i].recorded, err);
		if (!status && !visiting->enough)
			status = show(visiting, &batch->runs[i], err);
	}
	weir_baseline_free(batch);
	return status;
}

static enum weir_status visit_all(struct weir_store *store, void *context, struct weir_error *err)
{
	struct visiting *visiting = context;
	struct weir_db_statement *rows = NULL;
	bool more = true;
	int64_t id;
	enum weir_status status = weir_store_need_known(store, visiting->name, &id, err);

	visiting->at = 0;
	if (!status)
		status = list_pruned(store, id, visiting, err);
	if (!status)
		status = weir_store_prepare(store,
		                            "SELECT " WEIR_STORE_RUN_COLUMNS
		                            " FROM member m CROSS JOIN run r WHERE r.id = m.run"
		                            " AND m.baseline = ?1"
		                            " ORDER BY m.recorded, m.current, m.id",
		                            &rows, err);
	if (!status)
		weir_db_bind_int(rows, 1, id);
	while (!status && more && !visiting->enough)
		status = show_batch(store, visiting, rows, &more, err);
	weir_db_finalize(rows);
	if (!status)
		status = show_pruned(store, visiting, NULL, err);
	if (!status && visiting->at < visiting->seen)
		status = fail_changed(visiting, err);
	if (!status && visiting->at == 0)
		status = weir_store_no_baseline(store, visiting->name, err);
	return status;
}

enum weir_status weir_store_each(struct weir_store *store, const char *name,
                                 weir_store_visit *visit, void *context, struct weir_error *err)
{
	struct visiting visiting = {.name = name, .visit = visit, .context = context};
	enum weir_status status = weir_store_transact(store, false, visit_all, &visiting, err);

	free(visiting.pruned);
	return status;
}
