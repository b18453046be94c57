/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

enum weir_status weir_store_damaged(const struct weir_store *store, const char *what,
                                    struct weir_error *err)
{
	return weir_db_damaged(store->db, what, err);
}

enum weir_status weir_store_prepare(const struct weir_store *store, const char *sql,
                                    struct weir_db_statement **out, struct weir_error *err)
{
	return weir_db_prepare(store->db, sql, out, err);
}

enum weir_status weir_store_number(const struct weir_store *store, const char *sql,
                                   const char *text, int64_t *out, bool *found,
                                   struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	if (text)
		weir_db_bind_text(statement, 1, text);
	status = weir_db_step(statement, found, err);
	*out = !status && *found ? weir_db_int(statement, 0) : 0;
	weir_db_finalize(statement);
	return status;
}

/* --- transactions --- */

enum weir_status weir_store_transact(struct weir_store *store, bool writes, weir_store_body *body,
                                     void *context, struct weir_error *err)
{
	unsigned tried = 0;
	enum weir_status status;

	do {
		if (err)
			*err = (struct weir_error){0};
		status = weir_db_begin(store->db, writes, err);
		if (!status)
			status = body(store, context, err);
		if (!status)
			status = weir_db_commit(store->db, err);
		if (status)
			weir_db_rollback(store->db);
	} while (status == WEIR_E_STORE && weir_db_again(store->db, ++tried));
	return status;
}

/* --- names --- */

enum weir_status weir_store_find_name(const struct weir_store *store, const char *name, int64_t *id,
                                      bool *found, struct weir_error *err)
{
	return weir_store_number(store, "SELECT id FROM baseline WHERE name = ?1", name, id, found,
	                         err);
}

enum weir_status weir_store_need_name(const struct weir_store *store, const char *name, int64_t *id,
                                      struct weir_error *err)
{
	struct weir_db_statement *insert = NULL;
	bool found;
	enum weir_status status = weir_store_find_name(store, name, id, &found, err);

	if (status || found)
		return status;
	status = weir_store_prepare(store, "INSERT INTO baseline (name) VALUES (?1) RETURNING id",
	                            &insert, err);
	if (status)
		return status;
	weir_db_bind_text(insert, 1, name);
	status = weir_db_step(insert, &found, err);
	if (!status && found)
		*id = weir_db_int(insert, 0);
	weir_db_finalize(insert);
	return status;
}

enum weir_status weir_store_count_held(const struct weir_store *store, const char *name,
                                       size_t *held, struct weir_error *err)
{
	int64_t count = 0;
	bool found;
	enum weir_status status =
		weir_store_number(store,
	                          "SELECT count(*) FROM member WHERE current = 1 AND"
	                          " baseline = (SELECT id FROM baseline WHERE name = ?1)",
	                          name, &count, &found, err);

	*held = (size_t)count;
	return status;
}

/* Finds the nearest name, for a suggestion; empty if no name is near or the query fails. */
static void find_nearest(const struct weir_store *store, const char *name, struct weir_text *out)
{
	struct weir_db_statement *select = NULL;
	size_t least = SIZE_MAX;
	bool row = true;

	if (weir_store_prepare(store, "SELECT name FROM baseline ORDER BY name", &select, NULL))
		return;
	while (!weir_db_step(select, &row, NULL) && row) {
		const char *known[] = {weir_db_text(select, 0), NULL};
		size_t distance;

		if (!known[0] || !weir_text_nearest(name, known))
			continue;
		distance = weir_text_distance(name, known[0]);
		if (distance >= least)
			continue;
		least = distance;
		weir_text_clear(out);
		weir_text_puts(out, known[0]);
	}
	weir_db_finalize(select);
}

enum weir_status weir_store_no_baseline(const struct weir_store *store, const char *name,
                                        struct weir_error *err)
{
	struct weir_text nearest = {0};
	enum weir_status status;

	find_nearest(store, name, &nearest);
	if (nearest.length)
		status =
			weir_fail(err, WEIR_E_NO_BASELINE, "no baseline %s in %s; did you mean %s?",
		                  name, store->path, nearest.data);
	else
		status = weir_fail(err, WEIR_E_NO_BASELINE,
		                   "no baseline %s in %s (weir baseline list shows all names)",
		                   name, store->path);
	weir_text_release(&nearest);
	return status;
}

enum weir_status weir_store_need_known(const struct weir_store *store, const char *name,
                                       int64_t *id, struct weir_error *err)
{
	bool found;
	enum weir_status status = weir_store_find_name(store, name, id, &found, err);

	return status || found ? status : weir_store_no_baseline(store, name, err);
}

enum weir_status weir_store_with_ids(const struct weir_store *store, const char *sql, int64_t first,
                                     int64_t second, struct weir_error *err)
{
	struct weir_db_statement *statement = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	weir_db_bind_int(statement, 1, first);
	if (strstr(sql, "?2"))
		weir_db_bind_int(statement, 2, second);
	status = weir_db_run(statement, err);
	weir_db_finalize(statement);
	return status;
}
