/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Drives SQLite: opens and configures files, runs statements, names its errors. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "baselines/db_sqlite.h"
#include "engine/base/arena.h"
#include "engine/base/embed.h"
#include "engine/base/text.h"

#define APPLICATION_ID INT64_C(0x77656972) /* "weir"; also in the application_id pragma below */
#define MAX_ROW_BYTES  (64 << 20)
#define RETRY_MS       20

struct sqlite_db {
	struct weir_db base;
	sqlite3 *handle;
};

struct sqlite_statement {
	struct weir_db_statement base;
	sqlite3_stmt *statement;
};

static const char *const migrations[WEIR_DB_VERSION] = {
	"baselines/schema/0001_init.sql",
	"baselines/schema/0002_advice.sql",
	"baselines/schema/0003_life.sql",
};

static sqlite3 *handle_of(const struct weir_db *db)
{
	return ((const struct sqlite_db *)(const void *)db)->handle;
}

static sqlite3_stmt *inner(struct weir_db_statement *statement)
{
	return ((struct sqlite_statement *)(void *)statement)->statement;
}

struct sqlite3 *weir_db_sqlite_handle(struct weir_db *db)
{
	return db->driver == &weir_db_sqlite ? handle_of(db) : NULL;
}

/* --- errors --- */

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

static enum weir_status fail_with_system_reason(const struct weir_db *db, const char *words,
                                                struct weir_error *err)
{
	int system = sqlite3_system_errno(handle_of(db));

	if (system)
		return weir_fail(err, WEIR_E_STORE, "%s %s: %s", db->label, words,
		                 strerror(system));
	return weir_fail(err, WEIR_E_STORE, "%s %s", db->label, words);
}

static enum weir_status fail(const struct weir_db *db, struct weir_error *err)
{
	int code = sqlite3_errcode(handle_of(db)) & 0xff;

	if (code == SQLITE_NOMEM)
		weir_out_of_memory();
	if (code == SQLITE_CORRUPT)
		return weir_db_damaged(db, sqlite3_errmsg(handle_of(db)), err);
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++) {
		if (reasons[i].code != code)
			continue;
		if (code == SQLITE_IOERR || code == SQLITE_CANTOPEN)
			return fail_with_system_reason(db, reasons[i].words, err);
		return weir_fail(err, WEIR_E_STORE, "%s %s", db->label, reasons[i].words);
	}
	return weir_fail(err, WEIR_E_STORE, "%s: %s", db->label, sqlite3_errmsg(handle_of(db)));
}

/* --- statements --- */

static enum weir_status exec(struct weir_db *db, const char *sql, struct weir_error *err)
{
	if (sqlite3_exec(handle_of(db), sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail(db, err);
	return WEIR_OK;
}

static enum weir_status prepare(struct weir_db *db, const char *sql, struct weir_db_statement **out,
                                struct weir_error *err)
{
	struct sqlite_statement *statement;
	sqlite3_stmt *prepared = NULL;

	if (sqlite3_prepare_v2(handle_of(db), sql, -1, &prepared, NULL) != SQLITE_OK) {
		fail(db, err);
		return WEIR_E_STORE;
	}
	statement = weir_alloc(sizeof *statement);
	statement->base.db = db;
	statement->statement = prepared;
	*out = &statement->base;
	return WEIR_OK;
}

static void finalize(struct weir_db_statement *statement)
{
	sqlite3_finalize(inner(statement));
	free(statement);
}

static void bind_int(struct weir_db_statement *statement, int index, int64_t value)
{
	sqlite3_bind_int64(inner(statement), index, value);
}

static void bind_double(struct weir_db_statement *statement, int index, double value)
{
	sqlite3_bind_double(inner(statement), index, value);
}

static void bind_text(struct weir_db_statement *statement, int index, const char *text)
{
	/* A text that is refused for its length leaves NULL, which the schema refuses. */
	sqlite3_bind_text(inner(statement), index, text, -1, SQLITE_STATIC);
}

static void bind_blob(struct weir_db_statement *statement, int index, const void *data, size_t size)
{
	sqlite3_bind_blob64(inner(statement), index, data, size, SQLITE_STATIC);
}

static enum weir_status step(struct weir_db_statement *statement, bool *row, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	int code = sqlite3_step(inner(statement));

	*row = code == SQLITE_ROW;
	if (*row)
		return WEIR_OK;
	if (code != SQLITE_DONE)
		status = fail(statement->db, err);
	sqlite3_reset(inner(statement));
	return status;
}

static enum weir_status send_later(struct weir_db_statement *statement, struct weir_error *err)
{
	(void)statement;
	(void)err;
	return WEIR_OK;
}

static enum weir_status queue(struct weir_db_statement *statement, struct weir_error *err)
{
	bool row = true;
	enum weir_status status = WEIR_OK;

	while (!status && row)
		status = step(statement, &row, err);
	return status;
}

static bool is_null(struct weir_db_statement *row, int column)
{
	return sqlite3_column_type(inner(row), column) == SQLITE_NULL;
}

static int64_t int_at(struct weir_db_statement *row, int column)
{
	return sqlite3_column_int64(inner(row), column);
}

static double double_at(struct weir_db_statement *row, int column)
{
	return sqlite3_column_double(inner(row), column);
}

static const char *text_at(struct weir_db_statement *row, int column)
{
	const char *text = (const char *)sqlite3_column_text(inner(row), column);

	if (!text && sqlite3_errcode(handle_of(row->db)) == SQLITE_NOMEM)
		weir_out_of_memory();
	return text;
}

static const void *blob_at(struct weir_db_statement *row, int column)
{
	const void *blob = sqlite3_column_blob(inner(row), column);

	if (!blob && sqlite3_errcode(handle_of(row->db)) == SQLITE_NOMEM)
		weir_out_of_memory();
	return blob;
}

static size_t size_at(struct weir_db_statement *row, int column)
{
	return (size_t)sqlite3_column_bytes(inner(row), column);
}

/* --- transactions --- */

static enum weir_status begin(struct weir_db *db, bool writes, struct weir_error *err)
{
	return exec(db, writes ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

static enum weir_status commit(struct weir_db *db, struct weir_error *err)
{
	return exec(db, "COMMIT", err);
}

/* After some failures SQLite has rolled back itself; the second attempt is harmless. */
static void rollback(struct weir_db *db)
{
	sqlite3_exec(handle_of(db), "ROLLBACK", NULL, NULL, NULL);
}

/* Waiting for a lock is SQLite's: its busy timeout. */
static bool again(struct weir_db *db, unsigned tried)
{
	(void)db;
	(void)tried;
	return false;
}

static int64_t changes(const struct weir_db *db)
{
	return sqlite3_changes(handle_of(db));
}

static int64_t total_changes(const struct weir_db *db)
{
	return sqlite3_total_changes(handle_of(db));
}

/* --- schema --- */

static enum weir_status read_outline(struct weir_db *db, struct weir_db_outline *outline,
                                     struct weir_error *err)
{
	int64_t application = 0, objects = 0;
	enum weir_status status =
		weir_db_numbers(db, "PRAGMA application_id", 0, &application, 1, err);

	if (!status)
		status = weir_db_numbers(db, "PRAGMA user_version", 0, &outline->version, 1, err);
	if (!status)
		status = weir_db_numbers(db, "SELECT count(*) FROM sqlite_schema", 0, &objects, 1,
		                         err);
	outline->is_empty = application == 0 && outline->version == 0 && objects == 0;
	outline->is_foreign =
		!outline->is_empty && (application != APPLICATION_ID || outline->version < 1);
	outline->is_writable = sqlite3_db_readonly(handle_of(db), "main") != 1;
	return status;
}

/* All of it as of one moment: another process may be creating the store right now. */
static enum weir_status outline_of(struct weir_db *db, struct weir_db_outline *outline,
                                   struct weir_error *err)
{
	enum weir_status status;

	*outline = (struct weir_db_outline){0};
	if (!sqlite3_get_autocommit(handle_of(db)))
		return read_outline(db, outline, err);
	status = begin(db, false, err);
	if (!status)
		status = read_outline(db, outline, err);
	if (!status)
		status = commit(db, err);
	if (status)
		rollback(db);
	return status;
}

static enum weir_status create(struct weir_db *db, struct weir_error *err)
{
	(void)db;
	(void)err;
	return WEIR_OK;
}

static enum weir_status stamp(struct weir_db *db, int64_t version, struct weir_error *err)
{
	char *sql = sqlite3_mprintf("PRAGMA application_id = %lld; PRAGMA user_version = %lld",
	                            (long long)APPLICATION_ID, (long long)version);
	enum weir_status status;

	if (!sql)
		weir_out_of_memory();
	status = exec(db, sql, err);
	sqlite3_free(sql);
	return status;
}

/* Every table and index with the text that made it; what ANALYZE adds is no matter. */
static const char outline_sql[] =
	"SELECT type || ' ' || name || ' ' || tbl_name || ' ' || coalesce(sql, '')"
	" FROM sqlite_schema WHERE name NOT LIKE 'sqlite~_stat%' ESCAPE '~' ORDER BY type, name";

static enum weir_status compare_rows(struct weir_db_statement *actual,
                                     struct weir_db_statement *expected, struct weir_error *err)
{
	bool more = true;

	while (more) {
		const char *a, *b;
		bool wanted = true;
		enum weir_status status = step(expected, &wanted, err);

		if (!status)
			status = step(actual, &more, err);
		if (status)
			return status;
		a = more ? text_at(actual, 0) : "";
		b = wanted ? text_at(expected, 0) : "";
		if (!a || !b || strcmp(a, b) != 0)
			return weir_db_damaged(actual->db, "its tables are not those of weir", err);
	}
	return WEIR_OK;
}

static enum weir_status make_tables(struct weir_db *db, int64_t version, struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	for (int64_t i = 0; !status && i < version && i < WEIR_DB_VERSION; i++) {
		const struct weir_embedded *script = weir_embedded_find(migrations[i]);

		if (!script)
			return weir_fail(err, WEIR_E_INTERNAL, "%s is not built in", migrations[i]);
		status = exec(db, script->data, err);
	}
	return status;
}

/* Compares the tables with those of a fresh database of the same version: a damaged or foreign
 * schema must not answer questions. */
static enum weir_status check_schema(struct weir_db *db, int64_t version, struct weir_error *err)
{
	struct sqlite_db fresh = {.base = *db};
	struct weir_db_statement *actual = NULL, *expected = NULL;
	enum weir_status status;

	if (sqlite3_open(":memory:", &fresh.handle) != SQLITE_OK)
		weir_out_of_memory(); /* it needs nothing else */
	status = make_tables(&fresh.base, version, err);
	if (!status)
		status = prepare(&fresh.base, outline_sql, &expected, err);
	if (!status)
		status = prepare(db, outline_sql, &actual, err);
	if (!status)
		status = compare_rows(actual, expected, err);
	weir_db_finalize(actual);
	weir_db_finalize(expected);
	sqlite3_close(fresh.handle);
	return status;
}

/* --- the connection --- */

/* Write-ahead logging is a property of the file. To turn it on, SQLite needs the file for itself
 * and does not wait for that, so the waiting is ours. File systems without shared memory keep the
 * rollback journal, which is as safe. */
static enum weir_status need_log(struct weir_db *db, struct weir_error *err)
{
	int waited = 0, code;

	do {
		code = sqlite3_exec(handle_of(db), "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
		if ((code & 0xff) != SQLITE_BUSY)
			break;
		sqlite3_sleep(RETRY_MS);
		waited += RETRY_MS;
	} while (waited < WEIR_DB_PATIENCE_MS);
	return code == SQLITE_OK ? WEIR_OK : fail(db, err);
}

static enum weir_status configure(struct weir_db *db, struct weir_error *err)
{
	sqlite3_extended_result_codes(handle_of(db), 1);
	sqlite3_busy_timeout(handle_of(db), WEIR_DB_PATIENCE_MS);
	sqlite3_limit(handle_of(db), SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES);
	sqlite3_limit(handle_of(db), SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_db_config(handle_of(db), SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(handle_of(db), SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	return exec(db,
	            "PRAGMA foreign_keys = ON; PRAGMA cell_size_check = ON;"
	            "PRAGMA synchronous = FULL",
	            err);
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

static enum weir_status find_file(const char *path, bool writes, struct weir_error *err)
{
	struct stat info;

	if (stat(path, &info) == 0) {
		if (S_ISREG(info.st_mode))
			return WEIR_OK;
		return weir_fail(err, WEIR_E_STORE, "%s is no baseline store: it is %s", path,
		                 S_ISDIR(info.st_mode) ? "a folder" : "not a file");
	}
	if (errno == ENOENT && writes)
		return make_folders(path, err);
	if (errno == ENOENT)
		return weir_fail(err, WEIR_E_NO_BASELINE, "no baselines: there is no file %s",
		                 path);
	return weir_fail(err, WEIR_E_STORE, "%s cannot be opened: %s", path, strerror(errno));
}

/* A file or folder where nothing can be written, and no log beside the file: then nobody is
 * writing, and the file may be read as it stands. */
static bool can_be_read_only(const struct weir_db *db)
{
	char *log = file_name(db->label, "-wal");
	int code = sqlite3_errcode(handle_of(db)) & 0xff;
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

static enum weir_status connect_to(struct weir_db *db, char *name, int flags,
                                   struct weir_error *err)
{
	struct sqlite_db *self = (struct sqlite_db *)(void *)db;
	int code;

	sqlite3_close(self->handle);
	self->handle = NULL;
	code = sqlite3_open_v2(name, &self->handle, flags, NULL);
	free(name);
	if (!self->handle)
		weir_out_of_memory();
	if (code != SQLITE_OK)
		return fail(db, err);
	return configure(db, err);
}

static void close_db(struct weir_db *db)
{
	sqlite3_close(handle_of(db));
	free(db->label);
	free(db);
}

/* A failure to connect for reading is left for retreat(). */
static enum weir_status open_db(const char *path, bool writes, struct weir_db **out,
                                struct weir_error *err)
{
	enum weir_status status = find_file(path, writes, err);
	struct sqlite_db *self;

	if (status)
		return status;
	self = weir_alloc(sizeof *self);
	self->base.driver = &weir_db_sqlite;
	self->base.label = weir_alloc_text(path);
	*out = &self->base;
	status = connect_to(*out, file_name(path, ""),
	                    SQLITE_OPEN_READWRITE | (writes ? SQLITE_OPEN_CREATE : 0), err);
	if (!status && writes && sqlite3_db_readonly(self->handle, "main") == 1)
		status = weir_fail(err, WEIR_E_STORE, "%s is read-only", path);
	return status;
}

static enum weir_status retreat(struct weir_db *db, bool *opened, struct weir_error *err)
{
	*opened = can_be_read_only(db);
	if (!*opened)
		return WEIR_OK;
	return connect_to(db, immutable_name(db->label), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI,
	                  err);
}

static enum weir_status refuse_writing(struct weir_db *db, struct weir_error *err)
{
	return exec(db, "PRAGMA query_only = ON", err);
}

/* --- checks --- */

/* Lets SQLite check its pages, indexes and constraints. */
static enum weir_status check_pages(struct weir_db *db, struct weir_error *err)
{
	struct weir_db_statement *check = NULL;
	bool row = false;
	const char *text = NULL;
	enum weir_status status = prepare(db, "PRAGMA integrity_check(1)", &check, err);

	if (status)
		return status;
	status = step(check, &row, err);
	text = !status && row ? text_at(check, 0) : NULL;
	if (!status && (!text || strcmp(text, "ok") != 0))
		status = weir_db_damaged(db, text ? text : "?", err);
	finalize(check);
	return status;
}

static enum weir_status check_all(struct weir_db *db, struct weir_error *err)
{
	struct weir_db_statement *check = NULL;
	bool row = false;
	enum weir_status status = check_pages(db, err);

	if (!status)
		status = prepare(db, "PRAGMA foreign_key_check", &check, err);
	if (!status)
		status = step(check, &row, err);
	if (!status && row)
		status = weir_db_damaged(db, "a row refers to one that is not there", err);
	weir_db_finalize(check);
	return status;
}

const struct weir_db_driver weir_db_sqlite = {
	.migrations = migrations,
	.open = open_db,
	.close = close_db,
	.outline = outline_of,
	.create = create,
	.stamp = stamp,
	.check_schema = check_schema,
	.allow_writing = need_log,
	.refuse_writing = refuse_writing,
	.retreat = retreat,
	.check = check_all,
	.exec = exec,
	.begin = begin,
	.commit = commit,
	.rollback = rollback,
	.again = again,
	.changes = changes,
	.total_changes = total_changes,
	.prepare = prepare,
	.finalize = finalize,
	.bind_int = bind_int,
	.bind_double = bind_double,
	.bind_text = bind_text,
	.bind_blob = bind_blob,
	.send = send_later,
	.queue = queue,
	.step = step,
	.is_null = is_null,
	.int_at = int_at,
	.double_at = double_at,
	.text_at = text_at,
	.blob_at = blob_at,
	.size_at = size_at,
};
