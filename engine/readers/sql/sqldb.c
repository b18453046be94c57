/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "engine/base/arena.h"
#include "engine/readers/sql/sqldb_impl.h"

#define BUDGET_STEP     10000 /* instructions between two looks at the budget */
#define STEPS_PER_BYTE  16    /* a scan takes about one instruction a byte */
#define STEPS_AT_LEAST  INT64_C(20000000)
#define MAX_ROW_BYTES   (64 << 20)
#define MAX_SCHEMA_TEXT (1 << 20)
#define MAX_DEPTH       32
#define MAX_COLUMNS     512

/* Where the header says how large a page is: two bytes, the higher first, and 1 stands for 65536.
 */
#define PAGE_SIZE_AT 16
/* Where the header says how the file is written: 1 for a rollback journal, 2 for a log. */
#define WRITE_VERSION_AT 18
#define READ_VERSION_AT  19

struct setting {
	int code, value;
};

enum weir_status weir_sqldb_failed(int code, struct weir_error *err)
{
	const char *reason = sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_NOTADB:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "not an SQLite database: it does not begin like one, or is "
		                 "encrypted");
	case SQLITE_CORRUPT:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the database is damaged or cut off (%s): write it again", reason);
	case SQLITE_INTERRUPT:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the database takes more work to read than its size explains: it "
		                 "is damaged, or not what it seems");
	case SQLITE_TOOBIG:
		return weir_fail(err, WEIR_E_LIMIT, "a row of the database is larger than %d bytes",
		                 MAX_ROW_BYTES);
	case SQLITE_NOMEM:
		weir_out_of_memory();
		return weir_fail(err, WEIR_E_INTERNAL, "out of memory");
	case SQLITE_IOERR:
	case SQLITE_CANTOPEN:
		return weir_fail(err, WEIR_E_IO, "cannot read the database: %s", reason);
	default:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the database cannot be read (%s): its schema may be damaged, "
		                 "write it again",
		                 reason);
	}
}

enum weir_status weir_sqldb_prepare(struct weir_sqldb *db, const char *sql, sqlite3_stmt **out,
                                    struct weir_error *err)
{
	int code = sqlite3_prepare_v2(db->handle, sql, -1, out, NULL);

	return code == SQLITE_OK ? WEIR_OK : weir_sqldb_failed(code, err);
}

enum weir_status weir_sqldb_step(sqlite3_stmt *statement, bool *more, struct weir_error *err)
{
	int code = sqlite3_step(statement);

	*more = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? WEIR_OK : weir_sqldb_failed(code, err);
}

/* Reading columns of tables, and asking which there are: nothing else. */
static int authorize(void *context, int action, const char *first, const char *second,
                     const char *database, const char *trigger)
{
	(void)context;
	(void)second;
	(void)database;
	if (trigger)
		return SQLITE_DENY;
	if (action == SQLITE_SELECT || action == SQLITE_READ)
		return SQLITE_OK;
	return action == SQLITE_PRAGMA && strcmp(first, "table_info") == 0 ? SQLITE_OK
	                                                                   : SQLITE_DENY;
}

static int spend(void *context)
{
	struct weir_sqldb *db = context;

	return --db->budget < 0;
}

static enum weir_status harden(struct weir_sqldb *db, struct weir_error *err)
{
	static const struct setting switches[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_FTS3_TOKENIZER, 0},
		{SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
		{SQLITE_DBCONFIG_DQS_DML, 0},
		{SQLITE_DBCONFIG_DQS_DDL, 0},
	};
	static const struct setting limits[] = {
		{SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES}, {SQLITE_LIMIT_SQL_LENGTH, MAX_SCHEMA_TEXT},
		{SQLITE_LIMIT_COLUMN, MAX_COLUMNS},   {SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH},
		{SQLITE_LIMIT_COMPOUND_SELECT, 1},    {SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 0},      {SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		int code = sqlite3_db_config(db->handle, switches[i].code, switches[i].value, NULL);

		if (code != SQLITE_OK)
			return weir_sqldb_failed(code, err);
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db->handle, limits[i].code, limits[i].value);
	/* A mapped file that shrinks would end the program. */
	int code = sqlite3_exec(db->handle, "PRAGMA mmap_size=0; PRAGMA cell_size_check=ON", NULL,
	                        NULL, NULL);
	if (code != SQLITE_OK)
		return weir_sqldb_failed(code, err);
	db->budget = (STEPS_AT_LEAST + (int64_t)db->size * STEPS_PER_BYTE) / BUDGET_STEP;
	sqlite3_progress_handler(db->handle, BUDGET_STEP, spend, db);
	sqlite3_set_authorizer(db->handle, authorize, db);
	return WEIR_OK;
}

/* SQLite fills what is missing of the last page with zeros. */
static enum weir_status check_size(const char *head, size_t len, uint64_t size,
                                   struct weir_error *err)
{
	const unsigned char *bytes = (const unsigned char *)head + PAGE_SIZE_AT;
	uint64_t page;

	if (len < PAGE_SIZE_AT + 2)
		return weir_sqldb_failed(SQLITE_NOTADB, err);
	page = (uint64_t)bytes[0] << 8 | bytes[1];
	page = page == 1 ? 65536 : page;
	if (!weir_sqldb_begins(head, len) || !page)
		return weir_sqldb_failed(SQLITE_NOTADB, err);
	return size % page ? weir_sqldb_failed(SQLITE_CORRUPT, err) : WEIR_OK;
}

/* A journal holds what the file lacks, or what must come out of it again. */
static enum weir_status check_journals(const char *path, struct weir_error *err)
{
	static const char *const endings[] = {"-journal", "-wal"};
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; !status && i < sizeof(endings) / sizeof(endings[0]); i++) {
		struct weir_text beside = {0};
		struct stat about;

		weir_text_printf(&beside, "%s%s", path, endings[i]);
		if (stat(beside.data, &about) == 0 && about.st_size > 0)
			status = weir_fail(err, WEIR_E_IO,
			                   "a journal lies beside it (*%s): it is still being "
			                   "written, or was not finished; write it again",
			                   endings[i]);
		weir_text_release(&beside);
	}
	return status;
}

/* "file:" and the path, whatever its characters mean in a URI. */
static void add_uri(struct weir_text *uri, const char *path)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/._-~";

	weir_text_puts(uri, *path == '/' ? "file://" : "file:");
	for (; *path; path++) {
		if (strchr(plain, *path))
			weir_text_add(uri, path, 1);
		else
			weir_text_printf(uri, "%%%02X", (unsigned)(unsigned char)*path);
	}
	weir_text_puts(uri, "?mode=ro&immutable=1");
}

static enum weir_status open_in_place(struct weir_sqldb *db, const char *path,
                                      struct weir_error *err)
{
	enum weir_status status = check_journals(path, err);
	struct weir_text uri = {0};
	int code;

	if (status)
		return status;
	add_uri(&uri, path);
	code = sqlite3_open_v2(uri.data, &db->handle,
	                       SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX |
	                               SQLITE_OPEN_PRIVATECACHE,
	                       NULL);
	weir_text_release(&uri);
	return code == SQLITE_OK ? WEIR_OK : weir_sqldb_failed(code, err);
}

static enum weir_status spool(struct weir_source *source, struct weir_text *image,
                              struct weir_error *err)
{
	const char *data;
	size_t len;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &len, err)) && len) {
		if (len > WEIR_SQL_MAX_SPOOL - image->length)
			return weir_fail(err, WEIR_E_LIMIT,
			                 "a database of more than %u bytes that is no plain file: "
			                 "put it into one first",
			                 WEIR_SQL_MAX_SPOOL);
		weir_text_add(image, data, len);
	}
	if (!status && weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "the compressed database is damaged: %s",
		                 weir_source_damage(source));
	return status;
}

/* A database in memory has no log: what one held is in the file, or journals tell. */
static void take_out_of_log(struct weir_text *image)
{
	if (image->length > READ_VERSION_AT && image->data[WRITE_VERSION_AT] == 2 &&
	    image->data[READ_VERSION_AT] == 2)
		image->data[WRITE_VERSION_AT] = image->data[READ_VERSION_AT] = 1;
}

static enum weir_status open_copy(struct weir_sqldb *db, struct weir_source *source,
                                  struct weir_error *err)
{
	enum weir_status status = spool(source, &db->image, err);
	int code;

	if (status)
		return status;
	if (!db->image.length)
		return weir_fail(err, WEIR_E_EMPTY, "empty: there is not one byte in it");
	status = check_size(db->image.data, db->image.length, db->image.length, err);
	if (status)
		return status;
	take_out_of_log(&db->image);
	db->size = db->image.length;
	code = sqlite3_open_v2(":memory:", &db->handle,
	                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX |
	                               SQLITE_OPEN_PRIVATECACHE,
	                       NULL);
	if (code == SQLITE_OK)
		code = sqlite3_deserialize(db->handle, "main", (unsigned char *)db->image.data,
		                           (sqlite3_int64)db->size, (sqlite3_int64)db->size,
		                           SQLITE_DESERIALIZE_READONLY);
	return code == SQLITE_OK ? WEIR_OK : weir_sqldb_failed(code, err);
}

/* Virtual tables have rows in the schema too, and code behind them. */
static bool is_ordinary(sqlite3_stmt *statement)
{
	static const char create[] = "CREATE TABLE ";
	const char *sql = (const char *)sqlite3_column_text(statement, 1);

	return sql && strncasecmp(sql, create, sizeof(create) - 1) == 0 &&
	       sqlite3_column_int64(statement, 2) > 0;
}

static enum weir_status add_table(struct weir_sqldb *db, sqlite3_stmt *statement,
                                  struct weir_error *err)
{
	const char *name = (const char *)sqlite3_column_text(statement, 0);
	size_t size;

	if (!name || strchr(name, '"') || !is_ordinary(statement))
		return WEIR_OK;
	if (db->table_count == WEIR_SQL_MAX_TABLES)
		return weir_fail(err, WEIR_E_LIMIT, "a database of more than %u tables",
		                 WEIR_SQL_MAX_TABLES);
	size = strlen(name) + 1;
	db->tables = weir_grow(db->tables, &db->table_capacity, db->table_count + 1,
	                       sizeof(*db->tables));
	db->tables[db->table_count] = weir_alloc(size);
	memcpy(db->tables[db->table_count++], name, size);
	return WEIR_OK;
}

static enum weir_status list_tables(struct weir_sqldb *db, struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	bool more;
	enum weir_status status = weir_sqldb_prepare(
		db, "SELECT name, sql, rootpage FROM main.sqlite_master WHERE type = 'table'",
		&statement, err);

	while (!status && !(status = weir_sqldb_step(statement, &more, err)) && more)
		status = add_table(db, statement, err);
	sqlite3_finalize(statement);
	return status;
}

/* In place where there is a file; its head is looked at first. */
static enum weir_status open_source(struct weir_sqldb *db, struct weir_source *source,
                                    struct weir_error *err)
{
	const char *head, *path;
	size_t len;
	enum weir_status status = weir_source_head(source, &head, &len, err);

	if (status)
		return status;
	db->size = weir_source_stored_size(source);
	path = weir_source_take_file(source);
	if (!path)
		return open_copy(db, source, err);
	status = check_size(head, len, db->size, err);
	return status ? status : open_in_place(db, path, err);
}

enum weir_status weir_sqldb_open(struct weir_source *source, struct weir_sqldb **out,
                                 struct weir_error *err)
{
	struct weir_sqldb *db = weir_alloc(sizeof(*db));
	enum weir_status status = open_source(db, source, err);

	if (!status)
		status = harden(db, err);
	if (!status)
		status = list_tables(db, err);
	if (status) {
		weir_sqldb_close(db);
		return status;
	}
	*out = db;
	return WEIR_OK;
}

void weir_sqldb_close(struct weir_sqldb *db)
{
	if (!db)
		return;
	sqlite3_close(db->handle);
	for (size_t i = 0; i < db->table_count; i++)
		free(db->tables[i]);
	free(db->tables);
	weir_text_release(&db->image);
	free(db);
}

bool weir_sqldb_has(const struct weir_sqldb *db, const char *table)
{
	for (size_t i = 0; i < db->table_count; i++)
		if (strcasecmp(db->tables[i], table) == 0)
			return true;
	return false;
}

const char *weir_sqldb_table(const struct weir_sqldb *db, size_t index)
{
	return index < db->table_count ? db->tables[index] : NULL;
}

bool weir_sqldb_begins(const char *head, size_t len)
{
	return len >= sizeof(WEIR_SQL_MAGIC) &&
	       !memcmp(head, WEIR_SQL_MAGIC, sizeof(WEIR_SQL_MAGIC));
}

bool weir_sqldb_has_prefix(const struct weir_sqldb *db, const char *prefix)
{
	for (size_t i = 0; i < db->table_count; i++)
		if (strncasecmp(db->tables[i], prefix, strlen(prefix)) == 0)
			return true;
	return false;
}
