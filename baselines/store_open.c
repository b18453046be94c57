/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a store: checks that the database is a store of weir, and migrates its schema. */
#include <stdlib.h>
#include <string.h>

#include "baselines/address.h"
#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/embed.h"

/* --- schema --- */

static enum weir_status judge_outline(const struct weir_store *store,
                                      const struct weir_db_outline *outline, struct weir_error *err)
{
	if (outline->is_empty)
		return WEIR_OK;
	if (outline->is_foreign)
		return weir_fail(err, WEIR_E_STORE,
		                 "%s is no baseline store: it is a database of something else",
		                 store->path);
	if (outline->version > WEIR_DB_VERSION)
		return weir_fail(
			err, WEIR_E_STORE,
			"%s was written by a newer weir (schema %lld, this one knows %lld)",
			store->path, (long long)outline->version, (long long)WEIR_DB_VERSION);
	return WEIR_OK;
}

/* Runs the migrations that the database lacks. */
static enum weir_status run_migrations(const struct weir_store *store, int64_t from,
                                       struct weir_error *err)
{
	const char *const *migrations = store->db->driver->migrations;
	enum weir_status status = WEIR_OK;

	for (int64_t i = from; !status && i < WEIR_DB_VERSION; i++) {
		const struct weir_embedded *script = weir_embedded_find(migrations[i]);

		if (!script)
			return weir_fail(err, WEIR_E_INTERNAL, "%s is not built in", migrations[i]);
		status = weir_db_exec(store->db, script->data, err);
	}
	return status;
}

/* Another process may have done it by the time that it is our turn. */
static enum weir_status migrate(struct weir_store *store, void *context, struct weir_error *err)
{
	const struct weir_db_driver *driver = store->db->driver;
	struct weir_db_outline outline;
	enum weir_status status = driver->outline(store->db, &outline, err);

	(void)context;
	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status && outline.is_empty)
		status = driver->create(store->db, err);
	if (!status && outline.version < WEIR_DB_VERSION) {
		status = run_migrations(store, outline.version, err);
		if (!status)
			status = driver->stamp(store->db, WEIR_DB_VERSION, err);
	}
	if (!status)
		store->version = WEIR_DB_VERSION;
	return status;
}

/* --- opening --- */

static const struct weir_db_driver *driver_of(const char *path)
{
	return weir_address_is_server(path) ? &weir_db_postgresql : &weir_db_sqlite;
}

static enum weir_status prepare_to_read(struct weir_store *store, struct weir_error *err)
{
	const struct weir_db_driver *driver = store->db->driver;
	struct weir_db_outline outline;
	enum weir_status status = driver->outline(store->db, &outline, err);

	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status && outline.is_empty)
		return weir_fail(err, WEIR_E_NO_BASELINE, "%s holds no baselines yet", store->path);
	store->version = status ? 0 : outline.version;
	/* A store that cannot be written is read as the version that it has. */
	if (!status && outline.version < WEIR_DB_VERSION && outline.is_writable)
		status = weir_store_transact(store, true, migrate, NULL, err);
	if (!status)
		status = driver->check_schema(store->db, store->version, err);
	return status ? status : driver->refuse_writing(store->db, err);
}

static enum weir_status refuse_migration(const struct weir_store *store,
                                         const struct weir_db_outline *outline,
                                         struct weir_error *err)
{
	if (outline->is_empty)
		return weir_fail(err, WEIR_E_STORE,
		                 "%s holds no store yet, and this user may not create one: record "
		                 "once as its owner",
		                 store->path);
	return weir_fail(err, WEIR_E_STORE,
	                 "%s has schema %lld, this weir writes %lld, and this user may not migrate "
	                 "it: run weir baseline verify as its owner",
	                 store->path, (long long)outline->version, (long long)WEIR_DB_VERSION);
}

static enum weir_status prepare_to_write(struct weir_store *store, struct weir_error *err)
{
	const struct weir_db_driver *driver = store->db->driver;
	struct weir_db_outline outline;
	enum weir_status status = driver->outline(store->db, &outline, err);

	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status && !outline.is_writable && outline.version < WEIR_DB_VERSION)
		return refuse_migration(store, &outline, err);
	if (!status)
		status = driver->allow_writing(store->db, err);
	store->version = status ? 0 : outline.version;
	if (!status && outline.version < WEIR_DB_VERSION)
		status = weir_store_transact(store, true, migrate, NULL, err);
	return status ? status : driver->check_schema(store->db, store->version, err);
}

static enum weir_status open_to_read(struct weir_store *store, const char *path,
                                     struct weir_error *err)
{
	struct weir_error first = {0};
	bool opened = false;
	enum weir_status status = driver_of(path)->open(path, false, &store->db, &first);

	store->path = store->db ? store->db->label : NULL;
	if (!status && store->db)
		status = prepare_to_read(store, &first);
	if (status == WEIR_E_STORE && store->db) {
		status = store->db->driver->retreat(store->db, &opened, err);
		if (opened)
			return status ? status : prepare_to_read(store, err);
		status = WEIR_E_STORE;
	}
	return status ? weir_fail(err, status, "%s", first.message) : WEIR_OK;
}

static enum weir_status open_to_write(struct weir_store *store, const char *path,
                                      struct weir_error *err)
{
	enum weir_status status = driver_of(path)->open(path, true, &store->db, err);

	store->path = store->db ? store->db->label : NULL;
	return status || !store->db ? status : prepare_to_write(store, err);
}

enum weir_status weir_store_open(const char *path, enum weir_store_access access,
                                 struct weir_store **out, struct weir_error *err)
{
	struct weir_store *store = weir_alloc(sizeof(*store));
	enum weir_status status = access == WEIR_STORE_WRITE ? open_to_write(store, path, err)
	                                                     : open_to_read(store, path, err);

	if (status) {
		weir_store_free(store);
		return status;
	}
	*out = store;
	return WEIR_OK;
}

void weir_store_free(struct weir_store *store)
{
	if (!store)
		return;
	weir_db_close(store->db);
	free(store);
}
