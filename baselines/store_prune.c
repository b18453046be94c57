/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops the samples of old runs and keeps their quantiles; pins runs that must keep their samples.
 */
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/text.h"

#define FIRST_VERSION 3 /* of the schema with pins */

/* ---- runs to prune ---- */

/* ?2: number of newest runs that stay; ?3: only runs recorded before; ?4: only history. */
static const char prunable_sql[] =
	"SELECT m.run, m.current, m.recorded, r.digest, r.bound, r.cause, r.seal FROM"
	" (SELECT id, run, current, recorded FROM member WHERE baseline = ?1"
	"  ORDER BY current DESC, recorded DESC, id DESC LIMIT -1 OFFSET ?2) m"
	" CROSS JOIN run r ON r.id = m.run"
	" WHERE m.recorded < ?3 AND (?4 = 0 OR m.current = 0)"
	" AND NOT EXISTS (SELECT 1 FROM pin WHERE member = m.id)"
	" ORDER BY m.recorded, m.id";

static enum weir_status load_prunable(const struct weir_store *store, int64_t id,
                                      const struct weir_store_choice *choice,
                                      struct weir_baseline *baseline, struct weir_error *err)
{
	const struct weir_store_query query = {.name = choice->name};
	sqlite3_stmt *select = NULL;
	bool row = true;
	enum weir_status status = weir_store_prepare(store, prunable_sql, &select, err);

	if (!status) {
		sqlite3_bind_int64(select, 1, id);
		sqlite3_bind_int64(select, 2, (sqlite3_int64)choice->keep);
		weir_store_bind_text(select, 3, choice->before ? choice->before : "9999");
		sqlite3_bind_int(select, 4, choice->keep == 0);
	}
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (!status && row)
			status = weir_store_load_run(store, &query, select, baseline, err);
	}
	sqlite3_finalize(select);
	return status;
}

enum weir_status weir_store_prunable(struct weir_store *store,
                                     const struct weir_store_choice *choice,
                                     struct weir_baseline **out, struct weir_error *err)
{
	struct weir_baseline *baseline;
	int64_t id;
	enum weir_status status = weir_store_begin_reading(store, err);

	if (status)
		return status;
	baseline = weir_baseline_new(choice->name);
	status = weir_store_need_known(store, choice->name, &id, err);
	if (!status && store->version >= FIRST_VERSION)
		status = load_prunable(store, id, choice, baseline, err);
	status = weir_store_end(store, status, err);
	if (status)
		weir_baseline_free(baseline);
	else
		*out = baseline;
	return status;
}

/* ---- pruning ---- */

/* A run as a member of a baseline: numbers in the store. */
struct member {
	bool found;
	int64_t id, run;
};

/* Finds an unpinned member by the digest of its run. */
static enum weir_status find_member(const struct weir_store *store, int64_t baseline,
                                    const uint8_t digest[WEIR_SHA256_SIZE], struct member *out,
                                    struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"SELECT m.id, m.run FROM run r CROSS JOIN member m ON m.baseline = ?1 AND m.run = "
		"r.id"
		" WHERE r.digest = ?2 AND NOT EXISTS (SELECT 1 FROM pin WHERE member = m.id)",
		&select, err);

	*out = (struct member){0};
	if (status)
		return status;
	sqlite3_bind_int64(select, 1, baseline);
	sqlite3_bind_blob(select, 2, digest, WEIR_SHA256_SIZE, SQLITE_STATIC);
	status = weir_store_step(store, select, &out->found, err);
	if (!status && out->found) {
		out->id = sqlite3_column_int64(select, 0);
		out->run = sqlite3_column_int64(select, 1);
	}
	sqlite3_finalize(select);
	return status;
}

static enum weir_status prune_one(const struct weir_store *store, int64_t baseline,
                                  const struct weir_baseline_run *run, size_t *pruned,
                                  struct weir_error *err)
{
	uint8_t digest[WEIR_SHA256_SIZE];
	struct member member;
	enum weir_status status;

	if (!weir_store_parse_id(run->id, digest))
		return weir_fail(err, WEIR_E_INTERNAL, "a run without an id cannot be pruned");
	status = find_member(store, baseline, digest, &member, err);
	if (status || !member.found)
		return status; /* another process pinned or dropped it */
	status = weir_store_keep_summary(store, baseline, digest, run, err);
	if (!status)
		status = weir_store_drop_member(store, member.id, member.run, err);
	*pruned += !status;
	return status;
}

static enum weir_status prune_runs(const struct weir_store *store,
                                   const struct weir_baseline *leaving, size_t *pruned,
                                   struct weir_error *err)
{
	int64_t id;
	enum weir_status status = weir_store_need_known(store, leaving->name, &id, err);

	for (size_t i = 0; !status && i < leaving->count; i++)
		status = prune_one(store, id, &leaving->runs[i], pruned, err);
	return status;
}

enum weir_status weir_store_prune(struct weir_store *store, const struct weir_baseline *leaving,
                                  size_t *pruned, struct weir_error *err)
{
	enum weir_status status = weir_store_begin_writing(store, err);

	*pruned = 0;
	return status ? status
	              : weir_store_end(store, prune_runs(store, leaving, pruned, err), err);
}

/* ---- pins ---- */

/* Finds the members whose run has an id that begins with the text; "" means all current runs. */
static const char pinned_sql[] =
	"SELECT m.id FROM member m CROSS JOIN run r ON r.id = m.run WHERE m.baseline = ?1"
	" AND (CASE WHEN ?2 = '' THEN m.current = 1 ELSE substr(lower(hex(r.digest)), 1, "
	"length(?2)) = ?2 END)";

static enum weir_status find_pinned(const struct weir_store *store, int64_t baseline,
                                    const char *id, int64_t **members, size_t *count,
                                    struct weir_error *err)
{
	sqlite3_stmt *select = NULL;
	size_t capacity = 0;
	bool row = true;
	enum weir_status status = weir_store_prepare(store, pinned_sql, &select, err);

	if (!status) {
		sqlite3_bind_int64(select, 1, baseline);
		weir_store_bind_text(select, 2, id);
	}
	while (!status && row) {
		status = weir_store_step(store, select, &row, err);
		if (status || !row)
			break;
		*members = weir_grow(*members, &capacity, *count + 1, sizeof **members);
		(*members)[(*count)++] = sqlite3_column_int64(select, 0);
	}
	sqlite3_finalize(select);
	return status;
}

static enum weir_status set_pins(const struct weir_store *store, const char *name, const char *id,
                                 bool pinned, size_t *changed, struct weir_error *err)
{
	const char *sql = pinned ? "INSERT INTO pin (member) VALUES (?1) ON CONFLICT DO NOTHING"
	                         : "DELETE FROM pin WHERE member = ?1";
	int64_t baseline, *members = NULL;
	size_t count = 0;
	enum weir_status status = weir_store_need_known(store, name, &baseline, err);

	if (!status)
		status = find_pinned(store, baseline, id, &members, &count, err);
	if (!status && *id && count != 1)
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%zu runs of %s have an id that begins with "
		                   "%.64s (weir baseline show %s lists them)",
		                   count, name, id, name);
	for (size_t i = 0; !status && i < count; i++) {
		status = weir_store_with_ids(store, sql, members[i], 0, err);
		*changed += !status && sqlite3_changes(store->handle) > 0;
	}
	free(members);
	return status;
}

enum weir_status weir_store_pin(struct weir_store *store, const char *name, const char *id,
                                bool pinned, size_t *changed, struct weir_error *err)
{
	enum weir_status status = weir_store_begin_writing(store, err);

	*changed = 0;
	return status ? status
	              : weir_store_end(store, set_pins(store, name, id, pinned, changed, err), err);
}
