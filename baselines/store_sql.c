/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/text.h"

static const struct {
	int code; /* primary result code of SQLite */
	const char *words;
} reasons[] = {
	{SQLITE_BUSY, "is locked by another process, also after 10 seconds"},
	{SQLITE_LOCKED, "is locked"},
	{SQLITE_READONLY, "is read-only"},
	{SQLITE_FULL, "cannot grow: the disk is full"},
	{SQLITE_NOTADB, "is no baseline store: it is not an SQLite database"},
	{SQLITE_CANTOPEN, "cannot be opened"},
	{SQLITE_IOERR, "cannot be read or written"},
	{SQLITE_PERM, "may not be opened"},
};

static enum weir_status fail_with_system_reason(const struct weir_store *store, const char *words,
                                                struct weir_error *err)
{
	int system = sqlite3_system_errno(store->handle);

	if (system)
		return weir_fail(err, WEIR_E_STORE, "%s %s: %s", store->path, words,
		                 strerror(system));
	return weir_fail(err, WEIR_E_STORE, "%s %s", store->path, words);
}

enum weir_status weir_store_fail(const struct weir_store *store, struct weir_error *err)
{
	int code = sqlite3_errcode(store->handle) & 0xff;

	if (code == SQLITE_NOMEM)
		weir_out_of_memory();
	if (code == SQLITE_CORRUPT)
		return weir_store_damaged(store, sqlite3_errmsg(store->handle), err);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].code != code)
			continue;
		if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
			return fail_with_system_reason(store, reasons[i].words, err);
		return weir_fail(err, WEIR_E_STORE, "%s %s", store->path, reasons[i].words);
	}
	return weir_fail(err, WEIR_E_STORE, "%s: %s", store->path, sqlite3_errmsg(store->handle));
}

enum weir_status weir_store_damaged(const struct weir_store *store, const char *what,
                                    struct weir_error *err)
{
	return weir_fail(err, WEIR_E_STORE, "%s is damaged: %s", store->path, what);
}

enum weir_status weir_store_exec(const struct weir_store *store, const char *sql,
                                 struct weir_error *err)
{
	if (sqlite3_exec(store->handle, sql, NULL, NULL, NULL) != SQLITE_OK)
		return weir_store_fail(store, err);
	return WEIR_OK;
}

enum weir_status weir_store_prepare(const struct weir_store *store, const char *sql,
                                    sqlite3_stmt **out, struct weir_error *err)
{
	if (sqlite3_prepare_v2(store->handle, sql, -1, out, NULL) != SQLITE_OK)
		return weir_store_fail(store, err);
	return WEIR_OK;
}

enum weir_status weir_store_step(const struct weir_store *store, sqlite3_stmt *statement, bool *row,
                                 struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	int code = sqlite3_step(statement);

	*row = code == SQLITE_ROW;
	if (*row)
		return WEIR_OK;
	if (code != SQLITE_DONE)
		status = weir_store_fail(store, err);
	sqlite3_reset(statement);
	return status;
}

enum weir_status weir_store_run(const struct weir_store *store, sqlite3_stmt *statement,
                                struct weir_error *err)
{
	bool row = true;
	enum weir_status status = WEIR_OK;

	while (!status && row)
		status = weir_store_step(store, statement, &row, err);
	return status;
}

void weir_store_bind_text(sqlite3_stmt *statement, int index, const char *text)
{
	/* A text that is refused for its length leaves NULL, which the schema refuses. */
	sqlite3_bind_text(statement, index, text, -1, SQLITE_STATIC);
}

const char *weir_store_text(sqlite3_stmt *statement, int column)
{
	return (const char *)sqlite3_column_text(statement, column);
}

enum weir_status weir_store_number(const struct weir_store *store, const char *sql,
                                   const char *text, int64_t *out, bool *found,
                                   struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	if (text)
		weir_store_bind_text(statement, 1, text);
	status = weir_store_step(store, statement, found, err);
	*out = !status && *found ? sqlite3_column_int64(statement, 0) : 0;
	sqlite3_finalize(statement);
	return status;
}

/* --- transactions --- */

static enum weir_status begin(struct weir_store *store, const char *sql, struct weir_error *err)
{
	enum weir_status status = weir_store_exec(store, sql, err);

	store->in_transaction = !status;
	return status;
}

enum weir_status weir_store_begin_writing(struct weir_store *store, struct weir_error *err)
{
	return begin(store, "BEGIN IMMEDIATE", err);
}

enum weir_status weir_store_begin_reading(struct weir_store *store, struct weir_error *err)
{
	return begin(store, "BEGIN", err);
}

enum weir_status weir_store_end(struct weir_store *store, enum weir_status status,
                                struct weir_error *err)
{
	if (!status)
		status = weir_store_exec(store, "COMMIT", err);
	/* After some failures SQLite has rolled back itself; the second attempt is harmless. */
	if (status)
		sqlite3_exec(store->handle, "ROLLBACK", NULL, NULL, NULL);
	store->in_transaction = false;
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
	sqlite3_stmt *insert = NULL;
	bool found;
	enum weir_status status = weir_store_find_name(store, name, id, &found, err);

	if (status || found)
		return status;
	status = weir_store_prepare(store, "INSERT INTO baseline (name) VALUES (?1)", &insert, err);
	if (status)
		return status;
	weir_store_bind_text(insert, 1, name);
	status = weir_store_run(store, insert, err);
	sqlite3_finalize(insert);
	*id = sqlite3_last_insert_rowid(store->handle);
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
	sqlite3_stmt *select = NULL;
	size_t least = SIZE_MAX;
	bool row = true;

	if (weir_store_prepare(store, "SELECT name FROM baseline ORDER BY name", &select, NULL))
		return;
	while (!weir_store_step(store, select, &row, NULL) && row) {
		const char *known[] = {weir_store_text(select, 0), NULL};
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
	sqlite3_finalize(select);
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
	sqlite3_stmt *statement = NULL;
	enum weir_status status = weir_store_prepare(store, sql, &statement, err);

	if (status)
		return status;
	sqlite3_bind_int64(statement, 1, first);
	if (sqlite3_bind_parameter_count(statement) > 1)
		sqlite3_bind_int64(statement, 2, second);
	status = weir_store_run(store, statement, err);
	sqlite3_finalize(statement);
	return status;
}
