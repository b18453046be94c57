/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opens a store: checks that the file is a store of weir, migrates its schema, and configures the
 * connection. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "baselines/store_impl.h"
#include "engine/base/arena.h"
#include "engine/base/embed.h"
#include "engine/base/text.h"

#define APPLICATION_ID INT64_C(0x77656972) /* "weir"; also in the application_id pragma below */
#define MAX_ROW_BYTES  (64 << 20)
#define RETRY_MS       20

/* In order; the number of those that ran is the database's user_version. */
static const char *const migrations[] = {
	"baselines/schema/0001_init.sql",
	"baselines/schema/0002_advice.sql",
	"baselines/schema/0003_life.sql",
};

#define VERSION ((int64_t)(sizeof(migrations) / sizeof(migrations[0])))

/* --- identification --- */

struct outline {
	int64_t application, version, objects;
};

static enum weir_status read_outline(const struct weir_store *store, struct outline *outline,
                                     struct weir_error *err)
{
	bool found;
	enum weir_status status = weir_store_number(store, "PRAGMA application_id", NULL,
	                                            &outline->application, &found, err);

	if (!status)
		status = weir_store_number(store, "PRAGMA user_version", NULL, &outline->version,
		                           &found, err);
	if (!status)
		status = weir_store_number(store, "SELECT count(*) FROM sqlite_schema", NULL,
		                           &outline->objects, &found, err);
	return status;
}

/* All three as of one moment: another process may be creating the store right now. */
static enum weir_status look(struct weir_store *store, struct outline *outline,
                             struct weir_error *err)
{
	enum weir_status status = weir_store_begin_reading(store, err);

	if (status)
		return status;
	return weir_store_end(store, read_outline(store, outline, err), err);
}

static bool is_empty(const struct outline *outline)
{
	return outline->application == 0 && outline->version == 0 && outline->objects == 0;
}

static enum weir_status judge_outline(const struct weir_store *store, const struct outline *outline,
                                      struct weir_error *err)
{
	if (is_empty(outline))
		return WEIR_OK;
	if (outline->application != APPLICATION_ID || outline->version < 1)
		return weir_fail(err, WEIR_E_STORE,
		                 "%s is no baseline store: it is a database of something else",
		                 store->path);
	if (outline->version > VERSION)
		return weir_fail(
			err, WEIR_E_STORE,
			"%s was written by a newer weir (schema %lld, this one knows %lld)",
			store->path, (long long)outline->version, (long long)VERSION);
	return WEIR_OK;
}

/* --- schema --- */

/* Runs the migrations with the indexes from..to - 1. */
static enum weir_status run_migrations(const struct weir_store *store, int64_t from, int64_t to,
                                       struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (int64_t i = from; !status && i < to && i < VERSION; i++) {
		const struct weir_embedded *script = weir_embedded_find(migrations[i]);

		if (!script)
			return weir_fail(err, WEIR_E_INTERNAL, "%s is not built in", migrations[i]);
		status = weir_store_exec(store, script->data, err);
	}
	return status;
}

static enum weir_status stamp(const struct weir_store *store, struct weir_error *err)
{
	char *sql = sqlite3_mprintf("PRAGMA application_id = %lld; PRAGMA user_version = %lld",
	                            (long long)APPLICATION_ID, (long long)VERSION);
	enum weir_status status;

	if (!sql)
		weir_out_of_memory();
	status = weir_store_exec(store, sql, err);
	sqlite3_free(sql);
	return status;
}

/* Another process may have done it by the time that it is our turn. */
static enum weir_status migrate(struct weir_store *store, struct weir_error *err)
{
	struct outline outline;
	enum weir_status status = weir_store_begin_writing(store, err);

	if (status)
		return status;
	status = read_outline(store, &outline, err);
	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status && outline.version < VERSION) {
		status = run_migrations(store, outline.version, VERSION, err);
		if (!status)
			status = stamp(store, err);
	}
	if (!status)
		store->version = VERSION;
	return weir_store_end(store, status, err);
}

/* Every table and index with the text that made it; what ANALYZE adds is no matter. */
static const char outline_sql[] =
	"SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '')"
	" FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_stat%' ESCAPE '~' ORDER BY type, name";

static enum weir_status compare_rows(const struct weir_store *store, sqlite3_stmt *actual,
                                     sqlite3_stmt *expected, struct weir_error *err)
{
	bool more = true;

	while (more) {
		const char *a, *b;
		bool wanted = sqlite3_step(expected) == SQLITE_ROW;
		enum weir_status status = weir_store_step(store, actual, &more, err);

		if (status)
			return status;
		a = more ? weir_store_text(actual, 0) : "";
		b = wanted ? weir_store_text(expected, 0) : "";
		if (!a || !b || strcmp(a, b) != 0)
			return weir_store_damaged(store, "its tables are not those of weir", err);
	}
	return WEIR_OK;
}

/* Compares the tables with those of a fresh database of the same version: a damaged or foreign
 * schema must not answer questions. */
static enum weir_status check_schema(const struct weir_store *store, struct weir_error *err)
{
	struct weir_store fresh = {.path = store->path};
	sqlite3_stmt *actual = NULL, *expected = NULL;
	enum weir_status status = WEIR_OK;

	if (sqlite3_open(":memory:", &fresh.handle) != SQLITE_OK)
		status = weir_fail(err, WEIR_E_INTERNAL, "SQLite does not start");
	if (!status)
		status = run_migrations(&fresh, 0, store->version, err);
	if (!status)
		status = weir_store_prepare(&fresh, outline_sql, &expected, err);
	if (!status)
		status = weir_store_prepare(store, outline_sql, &actual, err);
	if (!status)
		status = compare_rows(store, actual, expected, err);
	sqlite3_finalize(actual);
	sqlite3_finalize(expected);
	sqlite3_close(fresh.handle);
	return status;
}

/* --- the connection --- */

/* Write-ahead logging is a property of the file. To turn it on, SQLite needs the file for itself
 * and does not wait for that, so the waiting is ours. File systems without shared memory keep the
 * rollback journal, which is as safe. */
static enum weir_status need_log(const struct weir_store *store, struct weir_error *err)
{
	int waited = 0, code;

	do {
		code = sqlite3_exec(store->handle, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if ((code & 0xff) != SQLITE_BUSY)
			break;
		sqlite3_sleep(RETRY_MS);
		waited += RETRY_MS;
	} while (waited < WEIR_STORE_PATIENCE_MS);
	return code == SQLITE_OK ? WEIR_OK : weir_store_fail(store, err);
}

static enum weir_status configure(const struct weir_store *store, struct weir_error *err)
{
	sqlite3_extended_result_codes(store->handle, 1);
	sqlite3_busy_timeout(store->handle, WEIR_STORE_PATIENCE_MS);
	sqlite3_limit(store->handle, SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES);
	sqlite3_limit(store->handle, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(store->handle, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(store->handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return weir_store_exec(store,
	                       "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"
	                       "PRAGMA synchronous = FULL",
	                       err);
}

static enum weir_status prepare_to_read(struct weir_store *store, struct weir_error *err)
{
	struct outline outline;
	enum weir_status status = look(store, &outline, err);

	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status && is_empty(&outline))
		return weir_fail(err, WEIR_E_NO_BASELINE, "%s holds no baselines yet", store->path);
	store->version = status ? 0 : outline.version;
	/* A store that cannot be written is read as the version that it has. */
	if (!status && outline.version < VERSION && sqlite3_db_readonly(store->handle, "main") != 1)
		status = migrate(store, err);
	if (!status)
		status = check_schema(store, err);
	return status ? status : weir_store_exec(store, "PRAGMA query_only = ON", err);
}

static enum weir_status prepare_to_write(struct weir_store *store, struct weir_error *err)
{
	struct outline outline;
	enum weir_status status = WEIR_OK;

	if (sqlite3_db_readonly(store->handle, "main") == 1)
		return weir_fail(err, WEIR_E_STORE, "%s is read-only", store->path);
	status = look(store, &outline, err);
	if (!status)
		status = judge_outline(store, &outline, err);
	if (!status)
		status = need_log(store, err);
	store->version = status ? 0 : outline.version;
	if (!status && outline.version < VERSION)
		status = migrate(store, err);
	return status ? status : check_schema(store, err);
}

/* --- the file --- */

/* "./" keeps SQLite from reading ":memory:" as something else than a file. */
static char *file_name(const char *path, const char *suffix)
{
	struct weir_text name = {0};

	weir_text_printf(&name, "%s%s%s", *path == '/' ? "" : "./", path, suffix);
	return name.data;
}

static enum weir_status make_folders(const char *path, struct weir_error *err)
{
	char *folder = file_name(path, "");
	enum weir_status status = WEIR_OK;

	for (char *at = strchr(folder + 1, '/'); !status && at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(folder, 0777) != 0 && errno != EEXIST && errno != EISDIR)
			status = weir_fail(err, WEIR_E_STORE, "%s: cannot create the folder %s: %s",
			                   path, folder, strerror(errno));
		*at = '/';
	}
	free(folder);
	return status;
}

static enum weir_status find_file(const char *path, enum weir_store_access access,
                                  struct weir_error *err)
{
	struct stat info;

	if (stat(path, &info) == 0) {
		if (S_ISREG(info.st_mode))
			return WEIR_OK;
		return weir_fail(err, WEIR_E_STORE, "%s is no baseline store: it is %s", path,
		                 S_ISDIR(info.st_mode) ? "a folder" : "not a file");
	}
	if (errno == ENOENT && access == WEIR_STORE_WRITE)
		return make_folders(path, err);
	if (errno == ENOENT)
		return weir_fail(err, WEIR_E_NO_BASELINE, "no baselines: there is no file %s",
		                 path);
	return weir_fail(err, WEIR_E_STORE, "%s cannot be opened: %s", path, strerror(errno));
}

/* A file or folder where nothing can be written, and no log beside the file: then nobody is
 * writing, and the file may be read as it stands. */
static bool can_be_read_only(const struct weir_store *store)
{
	char *log = file_name(store->path, "-wal");
	int code = sqlite3_errcode(store->handle) & 0xff;
	struct stat info;
	bool logged = stat(log, &info) == 0 && info.st_size > 0;

	free(log);
	return !logged && (code == SQLITE_CANTOPEN || code == SQLITE_READONLY);
}

/* "file:./a%20b?immutable=1" */
static char *immutable_name(const char *path)
{
	struct weir_text name = {0};

	weir_text_puts(&name, *path == '/' ? "file:" : "file:./");
	for (; *path; path++)
		weir_text_printf(&name, strchr("?#%", *path) ? "%%%02X" : "%c",
		                 (unsigned char)*path);
	weir_text_puts(&name, "?immutable=1");
	return name.data;
}

static enum weir_status connect(struct weir_store *store, char *name, int flags,
                                struct weir_error *err)
{
	int code;

	sqlite3_close(store->handle);
	store->handle = NULL;
	code = sqlite3_open_v2(name, &store->handle, flags, NULL);
	free(name);
	if (!store->handle)
		weir_out_of_memory();
	if (code != SQLITE_OK)
		return weir_store_fail(store, err);
	return configure(store, err);
}

static enum weir_status open_to_read(struct weir_store *store, struct weir_error *err)
{
	struct weir_error first = {0};
	enum weir_status status =
		connect(store, file_name(store->path, ""), SQLITE_OPEN_READWRITE, &first);

	if (!status)
		status = prepare_to_read(store, &first);
	if (status == WEIR_E_STORE && can_be_read_only(store)) {
		status = connect(store, immutable_name(store->path),
		                 SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
		return status ? status : prepare_to_read(store, err);
	}
	return status ? weir_fail(err, status, "%s", first.message) : WEIR_OK;
}

static enum weir_status open_to_write(struct weir_store *store, struct weir_error *err)
{
	enum weir_status status = connect(store, file_name(store->path, ""),
	                                  SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, err);

	return status ? status : prepare_to_write(store, err);
}

enum weir_status weir_store_open(const char *path, enum weir_store_access access,
                                 struct weir_store **out, struct weir_error *err)
{
	enum weir_status status = find_file(path, access, err);
	struct weir_store *store;
	struct weir_text copy = {0};

	if (status)
		return status;
	weir_text_puts(&copy, path);
	store = weir_alloc(sizeof(*store));
	store->path = copy.data;
	store->access = access;
	status = access == WEIR_STORE_WRITE ? open_to_write(store, err) : open_to_read(store, err);
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
	sqlite3_close(store->handle);
	free(store->path);
	free(store);
}
