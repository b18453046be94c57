/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists, removes and promotes names. */
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"

#define FIRST_VERSION_WITH_PINS 3 /* of the schema */

/* --- list --- */

static const char *keep_text(struct weir_store_list *list, const char *text)
{
	return text ? weir_arena_copy(list->arena, text, strlen(text)) : NULL;
}

/* Columns of the members; one index covers them. */
static enum weir_status count_members(const struct weir_store *store, int64_t id,
                                      struct weir_store_list *list, struct weir_store_row *row,
                                      struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool found;
	enum weir_status status = weir_store_prepare(
		store,
		"SELECT coalesce(sum(current), 0), count(*), min(recorded), max(recorded),"
		" max(CASE WHEN current = 1 THEN recorded END) FROM member WHERE baseline = ?1",
		&select, err);

	if (status)
		return status;
	weir_db_bind_int(select, 1, id);
	status = weir_db_step(select, &found, err);
	if (!status && found) {
		row->runs = (uint64_t)weir_db_int(select, 0);
		row->history = (uint64_t)weir_db_int(select, 1) - row->runs;
		row->first = keep_text(list, weir_db_text(select, 2));
		row->last = keep_text(list, weir_db_text(select, 3));
		row->newest = keep_text(list, weir_db_text(select, 4));
	}
	weir_db_finalize(select);
	return status;
}

static enum weir_status find_gpu(const struct weir_store *store, int64_t id,
                                 struct weir_store_list *list, struct weir_store_row *row,
                                 struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	bool found;
	enum weir_status status =
		weir_store_prepare(store,
	                           "SELECT value FROM label WHERE key = 'gpu' AND run ="
	                           " (SELECT run FROM member WHERE baseline = ?1 AND current = 1"
	                           " ORDER BY recorded DESC, id DESC LIMIT 1)",
	                           &select, err);

	if (status)
		return status;
	weir_db_bind_int(select, 1, id);
	status = weir_db_step(select, &found, err);
	if (!status && found)
		row->gpu = keep_text(list, weir_db_text(select, 0));
	weir_db_finalize(select);
	return status;
}

/* Counts pins and pruned runs, which a store of an older version does not have. */
static enum weir_status count_kept(const struct weir_store *store, struct weir_store_row *row,
                                   struct weir_error *err)
{
	int64_t pinned = 0, pruned = 0;
	bool found;
	enum weir_status status;

	if (store->version < FIRST_VERSION_WITH_PINS)
		return WEIR_OK;
	status = weir_store_number(
		store,
		"SELECT count(*) FROM pin p CROSS JOIN member m WHERE m.id = p.member"
		" AND m.baseline = (SELECT id FROM baseline WHERE name = ?1)",
		row->name, &pinned, &found, err);
	if (!status)
		status = weir_store_number(store,
		                           "SELECT count(*) FROM pruned WHERE baseline ="
		                           " (SELECT id FROM baseline WHERE name = ?1)",
		                           row->name, &pruned, &found, err);
	row->pinned = (uint64_t)pinned;
	row->pruned = (uint64_t)pruned;
	return status;
}

static enum weir_status add_row(const struct weir_store *store, struct weir_db_statement *name,
                                size_t *capacity, struct weir_store_list *list,
                                struct weir_error *err)
{
	struct weir_store_row row = {.name = keep_text(list, weir_db_text(name, 1))};
	int64_t id = weir_db_int(name, 0);
	enum weir_status status = count_members(store, id, list, &row, err);

	if (!status)
		status = find_gpu(store, id, list, &row, err);
	if (!status && row.name)
		status = count_kept(store, &row, err);
	if (status || !row.name)
		return status;
	list->rows = weir_grow(list->rows, capacity, list->count + 1, sizeof(*list->rows));
	list->rows[list->count++] = row;
	return WEIR_OK;
}

static enum weir_status list_names(struct weir_store *store, void *context, struct weir_error *err)
{
	struct weir_store_list *list = context;
	struct weir_db_statement *select = NULL;
	size_t capacity = 0;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, name FROM baseline ORDER BY name", &select, err);

	free(list->rows);
	list->rows = NULL;
	list->count = 0;
	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (!status && row)
			status = add_row(store, select, &capacity, list, err);
	}
	weir_db_finalize(select);
	return status;
}

enum weir_status weir_store_list(struct weir_store *store, struct weir_store_list **out,
                                 struct weir_error *err)
{
	struct weir_store_list *list = weir_alloc(sizeof(*list));
	enum weir_status status;

	list->arena = weir_arena_new();
	status = weir_store_transact(store, false, list_names, list, err);
	if (status) {
		weir_store_list_free(list);
		return status;
	}
	*out = list;
	return WEIR_OK;
}

static enum weir_status measure(struct weir_store *store, void *context, struct weir_error *err)
{
	struct weir_store_list *list = context;
	int64_t bytes = 0;
	bool found;
	enum weir_status status = weir_store_number(
		store, "SELECT CAST(coalesce(sum(length(samples)), 0) AS BIGINT) FROM series", NULL,
		&bytes, &found, err);

	list->sample_bytes = (uint64_t)bytes;
	for (size_t i = 0; !status && i < list->count; i++) {
		status = weir_store_number(
			store,
			"SELECT CAST(coalesce(sum(length(s.samples)), 0) AS BIGINT)"
			" FROM member m CROSS JOIN series s WHERE s.run = m.run"
			" AND m.baseline = (SELECT id FROM baseline WHERE name = ?1)",
			list->rows[i].name, &bytes, &found, err);
		list->rows[i].sample_bytes = (uint64_t)bytes;
	}
	return status;
}

enum weir_status weir_store_measure(struct weir_store *store, struct weir_store_list *list,
                                    struct weir_error *err)
{
	return weir_store_transact(store, false, measure, list, err);
}

void weir_store_list_free(struct weir_store_list *list)
{
	if (!list)
		return;
	weir_arena_free(list->arena);
	free(list->rows);
	free(list);
}

/* --- members --- */

struct leaving {
	int64_t member, run;
};

static enum weir_status find_members(const struct weir_store *store, int64_t baseline,
                                     struct leaving **leaving, size_t *count,
                                     struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	size_t capacity = 0;
	bool row = true;
	enum weir_status status = weir_store_prepare(
		store, "SELECT id, run FROM member WHERE baseline = ?1", &select, err);

	if (!status)
		weir_db_bind_int(select, 1, baseline);
	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (status || !row)
			break;
		*leaving = weir_grow(*leaving, &capacity, *count + 1, sizeof(**leaving));
		(*leaving)[*count].member = weir_db_int(select, 0);
		(*leaving)[(*count)++].run = weir_db_int(select, 1);
	}
	weir_db_finalize(select);
	return status;
}

/* Deleting a run deletes its labels and series. */
enum weir_status weir_store_drop_member(const struct weir_store *store, int64_t member, int64_t run,
                                        struct weir_error *err)
{
	enum weir_status status =
		weir_store_with_ids(store, "DELETE FROM member WHERE id = ?1", member, 0, err);

	if (!status)
		status = weir_store_with_ids(store,
		                             "DELETE FROM run WHERE id = ?1 AND NOT EXISTS"
		                             " (SELECT 1 FROM member m WHERE m.run = ?1)",
		                             run, 0, err);
	return status;
}

static enum weir_status drop_members(const struct weir_store *store, int64_t baseline,
                                     size_t *dropped, struct weir_error *err)
{
	struct leaving *leaving = NULL;
	enum weir_status status;

	*dropped = 0;
	status = find_members(store, baseline, &leaving, dropped, err);
	for (size_t i = 0; !status && i < *dropped; i++)
		status = weir_store_drop_member(store, leaving[i].member, leaving[i].run, err);
	free(leaving);
	return status;
}

/* --- remove and promote --- */

struct removal {
	const char *name;
	size_t *runs;
};

static enum weir_status remove_name(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct removal *removal = context;
	int64_t id;
	enum weir_status status = weir_store_need_known(store, removal->name, &id, err);

	if (!status)
		status = drop_members(store, id, removal->runs, err);
	if (!status)
		status = weir_store_with_ids(store, "DELETE FROM baseline WHERE id = ?1", id, 0,
		                             err);
	return status;
}

enum weir_status weir_store_remove(struct weir_store *store, const char *name, size_t *runs,
                                   struct weir_error *err)
{
	*runs = 0;
	return weir_store_transact(store, true, remove_name, &(struct removal){name, runs}, err);
}

static const char retire_sql[] =
	"UPDATE member SET current = 0 WHERE baseline = ?2 AND current = 1 AND NOT EXISTS"
	" (SELECT 1 FROM member f WHERE f.baseline = ?1 AND f.run = member.run AND f.current = 1)";

static const char revive_sql[] =
	"UPDATE member SET current = 1 WHERE baseline = ?2 AND current = 0 AND EXISTS"
	" (SELECT 1 FROM member f WHERE f.baseline = ?1 AND f.run = member.run AND f.current = 1)";

static const char adopt_sql[] = "INSERT INTO member (baseline, run, current, recorded)"
				" SELECT CAST(?2 AS BIGINT), run, 1, recorded FROM member WHERE "
				"baseline = ?1 AND current = 1"
				" ORDER BY recorded, id ON CONFLICT (baseline, run) DO NOTHING";

struct promotion {
	const char *from, *to;
	struct weir_store_counts *counts;
};

static enum weir_status promote(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct promotion *promotion = context;
	const char *from = promotion->from, *to = promotion->to;
	struct weir_store_counts *counts = promotion->counts;
	int64_t source, target;
	enum weir_status status = weir_store_need_known(store, from, &source, err);

	*counts = (struct weir_store_counts){0};
	if (!status)
		status = weir_store_need_name(store, to, &target, err);
	if (!status)
		status = weir_store_with_ids(store, retire_sql, source, target, err);
	counts->retired = status ? 0 : (size_t)weir_db_changes(store->db);
	if (!status)
		status = weir_store_with_ids(store, revive_sql, source, target, err);
	if (!status)
		status = weir_store_with_ids(store, adopt_sql, source, target, err);
	counts->added = (size_t)weir_db_changes(store->db);
	if (!status)
		status = weir_store_count_held(store, to, &counts->held, err);
	if (!status && counts->held == 0)
		status = weir_store_no_baseline(store, from, err);
	if (!status)
		counts->known = counts->held - counts->added;
	return status;
}

enum weir_status weir_store_promote(struct weir_store *store, const char *from, const char *to,
                                    struct weir_store_counts *counts, struct weir_error *err)
{
	enum weir_status status = weir_baseline_check_name(to, err);

	*counts = (struct weir_store_counts){0};
	if (!status && strcmp(from, to) == 0)
		status = weir_fail(err, WEIR_E_USAGE, "%s cannot be promoted to itself", from);
	if (status)
		return status;
	return weir_store_transact(store, true, promote, &(struct promotion){from, to, counts},
	                           err);
}
