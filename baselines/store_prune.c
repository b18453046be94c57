/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drops the samples of old runs and keeps their quantiles; pins runs that must keep their samples.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/text.h"

#define FIRST_VERSION 3 /* of the schema with pins */

/* ---- runs to prune ---- */

/* ?2: number of newest runs that stay; ?3: only runs recorded before; ?4: 0 for
 * history only, else 1. */
#define PRUNABLE                                                                                   \
	"SELECT " WEIR_STORE_RUN_COLUMNS " FROM"                                                   \
	" (SELECT id, run, current, recorded FROM member WHERE baseline = ?1"                      \
	"  ORDER BY current DESC, recorded DESC, id DESC LIMIT 9223372036854775807 OFFSET ?2) m"   \
	" CROSS JOIN run r WHERE r.id = m.run"                                                     \
	" AND m.recorded < ?3 AND m.current <= ?4"                                                 \
	" AND NOT EXISTS (SELECT 1 FROM pin p WHERE p.member = m.id)"
#define OLDEST_FIRST " ORDER BY m.recorded, m.id"

/* Members beyond ?5 bytes of samples, if the pinned ones come first and then the newest. */
#define BEYOND_SIZE                                                                                \
	" AND m.id IN (SELECT t.id FROM"                                                           \
	" (SELECT u.id, sum(u.bytes) OVER (ORDER BY u.pinned DESC, u.current DESC,"                \
	"   u.recorded DESC, u.id DESC) AS held FROM"                                              \
	"  (SELECT n.id, n.current, n.recorded,"                                                   \
	"    (SELECT count(*) FROM pin p WHERE p.member = n.id) AS pinned,"                        \
	"    (SELECT coalesce(sum(length(s.samples)), 0) FROM series s WHERE s.run = n.run)"       \
	"     AS bytes FROM member n WHERE n.baseline = ?1) u) t WHERE t.held > ?5)"

static enum weir_status load_prunable(const struct weir_store *store, int64_t id,
                                      const struct weir_store_choice *choice,
                                      struct weir_baseline *baseline, struct weir_error *err)
{
	const struct weir_store_query query = {.name = choice->name};
	size_t keep = choice->keep || !choice->most_bytes ? choice->keep : 1;
	struct weir_db_statement *select = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		choice->most_bytes ? PRUNABLE BEYOND_SIZE OLDEST_FIRST : PRUNABLE OLDEST_FIRST,
		&select, err);

	if (!status) {
		weir_db_bind_int(select, 1, id);
		weir_db_bind_int(select, 2, (int64_t)keep);
		weir_db_bind_text(select, 3, choice->before ? choice->before : "9999");
		weir_db_bind_int(select, 4, keep != 0);
		if (choice->most_bytes)
			weir_db_bind_int(select, 5, (int64_t)choice->most_bytes);
	}
	if (!status)
		status = weir_store_load_runs(store, &query, select, baseline, err);
	weir_db_finalize(select);
	return status;
}

struct choosing {
	const struct weir_store_choice *choice;
	struct weir_baseline *out;
};

static enum weir_status choose(struct weir_store *store, void *context, struct weir_error *err)
{
	struct choosing *choosing = context;
	int64_t id;
	enum weir_status status = weir_store_need_known(store, choosing->choice->name, &id, err);

	weir_baseline_free(choosing->out);
	choosing->out = weir_baseline_new(choosing->choice->name);
	if (!status && store->version >= FIRST_VERSION)
		status = load_prunable(store, id, choosing->choice, choosing->out, err);
	return status;
}

static bool holds_digest(const struct weir_baseline *baseline,
                         const uint8_t digest[WEIR_SHA256_SIZE])
{
	for (size_t i = 0; i < baseline->count; i++) {
		uint8_t own[WEIR_SHA256_SIZE];

		weir_run_digest(baseline->runs[i].run, own);
		if (memcmp(own, digest, WEIR_SHA256_SIZE) == 0)
			return true;
	}
	return false;
}

/* Removes the spared runs from those that were chosen. Returns their number. */
static size_t spare_runs(struct weir_baseline *chosen, const struct weir_baseline *spared)
{
	size_t kept = 0, before = chosen->count;

	for (size_t i = 0; i < before; i++) {
		uint8_t digest[WEIR_SHA256_SIZE];

		if (weir_store_parse_id(chosen->runs[i].id, digest) && holds_digest(spared, digest))
			weir_run_free(chosen->runs[i].run);
		else
			chosen->runs[kept++] = chosen->runs[i];
	}
	chosen->count = kept;
	return before - kept;
}

enum weir_status weir_store_prunable(struct weir_store *store,
                                     const struct weir_store_choice *choice,
                                     struct weir_baseline **out, struct weir_error *err)
{
	struct choosing choosing = {.choice = choice};
	enum weir_status status = weir_store_transact(store, false, choose, &choosing, err);

	if (status) {
		weir_baseline_free(choosing.out);
		return status;
	}
	*out = choosing.out;
	if (choice->spared)
		*choice->spared_count = spare_runs(*out, choice->spared);
	return WEIR_OK;
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
	struct weir_db_statement *select = NULL;
	enum weir_status status = weir_store_prepare(
		store,
		"SELECT m.id, m.run FROM run r CROSS JOIN member m WHERE m.baseline = ?1"
		" AND m.run = r.id AND r.digest = ?2"
		" AND NOT EXISTS (SELECT 1 FROM pin p WHERE p.member = m.id)",
		&select, err);

	*out = (struct member){0};
	if (status)
		return status;
	weir_db_bind_int(select, 1, baseline);
	weir_db_bind_blob(select, 2, digest, WEIR_SHA256_SIZE);
	status = weir_db_step(select, &out->found, err);
	if (!status && out->found) {
		out->id = weir_db_int(select, 0);
		out->run = weir_db_int(select, 1);
	}
	weir_db_finalize(select);
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

struct pruning {
	const struct weir_baseline *leaving;
	size_t *pruned;
};

static enum weir_status prune_runs(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct pruning *pruning = context;
	const struct weir_baseline *leaving = pruning->leaving;
	int64_t id;
	enum weir_status status = weir_store_need_known(store, leaving->name, &id, err);

	*pruning->pruned = 0;
	for (size_t i = 0; !status && i < leaving->count; i++)
		status = prune_one(store, id, &leaving->runs[i], pruning->pruned, err);
	return status;
}

enum weir_status weir_store_prune(struct weir_store *store, const struct weir_baseline *leaving,
                                  size_t *pruned, struct weir_error *err)
{
	*pruned = 0;
	return weir_store_transact(store, true, prune_runs, &(struct pruning){leaving, pruned},
	                           err);
}

/* ---- pins ---- */

/* True if the digest of the row begins with the hexadecimal digits. */
static bool begins_with(struct weir_db_statement *row, const char *id)
{
	char hex[2 * WEIR_SHA256_SIZE + 1];
	const uint8_t *digest = weir_db_blob(row, 2);

	if (!digest || weir_db_size(row, 2) != WEIR_SHA256_SIZE)
		return false;
	for (size_t i = 0; i < WEIR_SHA256_SIZE; i++)
		snprintf(hex + 2 * i, 3, "%02x", digest[i]);
	return strncmp(hex, id, strlen(id)) == 0;
}

/* Finds the members whose run has an id that begins with the text; "" means all current runs. */
static enum weir_status find_pinned(const struct weir_store *store, int64_t baseline,
                                    const char *id, int64_t **members, size_t *count,
                                    struct weir_error *err)
{
	struct weir_db_statement *select = NULL;
	size_t capacity = 0;
	bool row = true;
	enum weir_status status =
		weir_store_prepare(store,
	                           "SELECT m.id, m.current, r.digest FROM member m CROSS JOIN run r"
	                           " WHERE r.id = m.run AND m.baseline = ?1",
	                           &select, err);

	if (!status)
		weir_db_bind_int(select, 1, baseline);
	while (!status && row) {
		status = weir_db_step(select, &row, err);
		if (status || !row)
			break;
		if (*id ? !begins_with(select, id) : weir_db_int(select, 1) != 1)
			continue;
		*members = weir_grow(*members, &capacity, *count + 1, sizeof **members);
		(*members)[(*count)++] = weir_db_int(select, 0);
	}
	weir_db_finalize(select);
	return status;
}

struct pins {
	const char *name, *id;
	bool pinned;
	size_t *changed;
};

static enum weir_status set_pins(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct pins *pins = context;
	const char *name = pins->name, *id = pins->id;
	const char *sql = pins->pinned
	                          ? "INSERT INTO pin (member) VALUES (?1) ON CONFLICT DO NOTHING"
	                          : "DELETE FROM pin WHERE member = ?1";
	int64_t baseline, *members = NULL;
	size_t count = 0;
	enum weir_status status = weir_store_need_known(store, name, &baseline, err);

	*pins->changed = 0;
	if (!status)
		status = find_pinned(store, baseline, id, &members, &count, err);
	if (!status && *id && count != 1)
		status = weir_fail(err, WEIR_E_USAGE,
		                   "%zu runs of %s have an id that begins with "
		                   "%.64s (weir baseline show %s lists them)",
		                   count, name, id, name);
	for (size_t i = 0; !status && i < count; i++) {
		status = weir_store_with_ids(store, sql, members[i], 0, err);
		*pins->changed += !status && weir_db_changes(store->db) > 0;
	}
	free(members);
	return status;
}

enum weir_status weir_store_pin(struct weir_store *store, const char *name, const char *id,
                                bool pinned, size_t *changed, struct weir_error *err)
{
	*changed = 0;
	return weir_store_transact(store, true, set_pins, &(struct pins){name, id, pinned, changed},
	                           err);
}
