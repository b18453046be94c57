/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include <sqlite3.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/base/text.h"
#include "engine/readers/sql/sqldb.h"

#define BUDGET_STEP     10000 /* instructions between two calls of the progress handler */
#define STEPS_PER_BYTE  16    /* instructions; a scan takes about one for each byte */
#define STEPS_AT_LEAST  INT64_C(20000000)
#define MAX_ROW_BYTES   (64 << 20)
#define MAX_SCHEMA_TEXT (1 << 20)
#define MAX_COLUMNS     512
/* SQLite's own limits for what it parses. The schema may hold views with any number of terms: they
 * are parsed with it, and never run. */
#define MAX_DEPTH    1000
#define MAX_COMPOUND 500
#define ROW_BYTES    8      /* rows of the tables that are read take more bytes */
#define EXACT_FLOAT  0x1p53 /* integers up to this are exact in a double */

/* Offset of the page size in the header: two bytes, big endian; 1 stands for 65536. */
#define PAGE_SIZE_AT 16
/* Offsets of the journal modes in the header: 1 is a rollback journal, 2 a write-ahead log. */
#define WRITE_VERSION_AT 18
#define READ_VERSION_AT  19

struct weir_sqldb {
	sqlite3 *handle;
	uint64_t size;  /* bytes */
	int64_t budget; /* calls of the progress handler that are left */
	char **tables;  /* names of the ordinary tables */
	size_t table_count, table_capacity;
};

struct setting {
	int code, value;
};

static void take_row(void *context)
{
	(void)context;
	free(weir_realloc(NULL, MAX_ROW_BYTES));
}

/* Fails as damage or ends the call. SQLite says that memory ran out also where a damaged page
 * states a size that no memory has: if there is memory for the largest row, it is that. */
static enum weir_status fail_without_memory(struct weir_error *err)
{
	if (!weir_memory_try(take_row, NULL))
		weir_out_of_memory();
	return weir_fail(err, WEIR_E_FORMAT,
	                 "the SQLite database is damaged: a size in it is larger than any memory; "
	                 "write it again");
}

/* Fails with the message of a result code. The text does not quote the file. */
static enum weir_status fail_with(int code, struct weir_error *err)
{
	const char *reason = sqlite3_errstr(code);

	switch (code & 0xff) {
	case SQLITE_NOTADB:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "not an SQLite database: it does not begin like one, or is "
		                 "encrypted");
	case SQLITE_CORRUPT:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the SQLite database is damaged or cut off (%s): write it again",
		                 reason);
	case SQLITE_INTERRUPT:
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the database takes more work to read than its size explains: it "
		                 "is damaged, or not what it seems");
	case SQLITE_TOOBIG:
		return weir_fail(err, WEIR_E_LIMIT, "a row of the database is larger than %d bytes",
		                 MAX_ROW_BYTES);
	case SQLITE_NOMEM:
		return fail_without_memory(err);
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

static enum weir_status prepare(struct weir_sqldb *db, const char *sql, sqlite3_stmt **out,
                                struct weir_error *err)
{
	int code = sqlite3_prepare_v2(db->handle, sql, -1, out, NULL);

	return code == SQLITE_OK ? WEIR_OK : fail_with(code, err);
}

static enum weir_status step(sqlite3_stmt *statement, bool *more, struct weir_error *err)
{
	int code = sqlite3_step(statement);

	*more = code == SQLITE_ROW;
	return code == SQLITE_ROW || code == SQLITE_DONE ? WEIR_OK : fail_with(code, err);
}

/* Allows statements to read columns of tables and to list the columns, and nothing else. */
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
		{SQLITE_LIMIT_LENGTH, MAX_ROW_BYTES},
		{SQLITE_LIMIT_SQL_LENGTH, MAX_SCHEMA_TEXT},
		{SQLITE_LIMIT_COLUMN, MAX_COLUMNS},
		{SQLITE_LIMIT_EXPR_DEPTH, MAX_DEPTH},
		{SQLITE_LIMIT_COMPOUND_SELECT, MAX_COMPOUND},
		{SQLITE_LIMIT_ATTACHED, 0},
		{SQLITE_LIMIT_TRIGGER_DEPTH, 0},
		{SQLITE_LIMIT_WORKER_THREADS, 0},
	};

	for (size_t i = 0; i < sizeof(switches) / sizeof(switches[0]); i++) {
		int code = sqlite3_db_config(db->handle, switches[i].code, switches[i].value, NULL);

		if (code != SQLITE_OK)
			return fail_with(code, err);
	}
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		sqlite3_limit(db->handle, limits[i].code, limits[i].value);
	/* If a mapped file shrinks, reading it kills the program. */
	int code = sqlite3_exec(db->handle, "PRAGMA mmap_size=0; PRAGMA cell_size_check=ON", NULL,
	                        NULL, NULL);
	if (code != SQLITE_OK)
		return fail_with(code, err);
	db->budget = (STEPS_AT_LEAST + (int64_t)db->size * STEPS_PER_BYTE) / BUDGET_STEP;
	sqlite3_progress_handler(db->handle, BUDGET_STEP, spend, db);
	sqlite3_set_authorizer(db->handle, authorize, db);
	return WEIR_OK;
}

/* Checks that the size is a whole number of pages: SQLite would fill a missing rest with zeros. */
static enum weir_status check_size(const char *head, size_t len, uint64_t size,
                                   struct weir_error *err)
{
	const unsigned char *bytes = (const unsigned char *)head + PAGE_SIZE_AT;
	uint64_t page;

	if (len < PAGE_SIZE_AT + 2)
		return fail_with(SQLITE_NOTADB, err);
	page = (uint64_t)bytes[0] << 8 | bytes[1];
	page = page == 1 ? 65536 : page;
	if (!weir_sqldb_begins(head, len) || !page)
		return fail_with(SQLITE_NOTADB, err);
	return size % page ? fail_with(SQLITE_CORRUPT, err) : WEIR_OK;
}

/* Fails if there is a journal: it holds pages that the file lacks, or that must be undone. */
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

/* Adds "file:" and the path, with the characters escaped that have a meaning in a URI. */
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
	return code == SQLITE_OK ? WEIR_OK : fail_with(code, err);
}

/* Switches the database from write-ahead log to rollback journal, because one in memory cannot have
 * a log. */
static void leave_log_mode(char *data, size_t len)
{
	if (len > READ_VERSION_AT && data[WRITE_VERSION_AT] == 2 && data[READ_VERSION_AT] == 2)
		data[WRITE_VERSION_AT] = data[READ_VERSION_AT] = 1;
}

static enum weir_status open_held(struct weir_sqldb *db, struct weir_source *source,
                                  struct weir_error *err)
{
	char *data;
	size_t len;
	enum weir_status status = weir_source_hold(source, WEIR_SQL_MAX_HELD, &data, &len, err);
	int code;

	if (status)
		return status;
	if (weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "the compressed database is damaged: %s",
		                 weir_source_damage(source));
	if (!len)
		return weir_fail(err, WEIR_E_EMPTY, "the file is empty");
	status = check_size(data, len, len, err);
	if (status)
		return status;
	leave_log_mode(data, len);
	db->size = len;
	code = sqlite3_open_v2(":memory:", &db->handle,
	                       SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX |
	                               SQLITE_OPEN_PRIVATECACHE,
	                       NULL);
	if (code == SQLITE_OK)
		code = sqlite3_deserialize(db->handle, "main", (unsigned char *)data,
		                           (sqlite3_int64)db->size, (sqlite3_int64)db->size,
		                           SQLITE_DESERIALIZE_READONLY);
	return code == SQLITE_OK ? WEIR_OK : fail_with(code, err);
}

/* Returns true if a row of the schema is a table with rows; virtual tables run code. */
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
	enum weir_status status = prepare(
		db, "SELECT name, sql, rootpage FROM main.sqlite_master WHERE type = 'table'",
		&statement, err);

	while (!status && !(status = step(statement, &more, err)) && more)
		status = add_table(db, statement, err);
	sqlite3_finalize(statement);
	return status;
}

/* Opens a plain file in place, after a check of its head; anything else as the source holds it. */
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
		return open_held(db, source, err);
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

bool weir_sqldb_is_store(const char *head, size_t len)
{
	/* The application_id in the header of the database, which baselines/db_sqlite.c sets. */
	enum { APPLICATION_AT = 68 };

	return weir_sqldb_begins(head, len) && len >= APPLICATION_AT + 4 &&
	       memcmp(head + APPLICATION_AT, "weir", 4) == 0;
}

bool weir_sqldb_has_prefix(const struct weir_sqldb *db, const char *prefix)
{
	for (size_t i = 0; i < db->table_count; i++)
		if (strncasecmp(db->tables[i], prefix, strlen(prefix)) == 0)
			return true;
	return false;
}

#define ROCPROF_V1                                                                                 \
	"it is a database of rocprof v1, which is not read: pass its *.json (Chrome trace) or "    \
	"record with rocprofv3"

/* Known databases, by the prefix of one of their tables; longer prefixes come first. */
static const struct {
	const char *prefix, *hint;
} known[] = {
	{"META_DATA_EXPORT", "it is an export of Nsight Systems (--input-format nsys)"},
	{"rocpd_info_", "it is a database of rocprofv3 (--input-format rocpd)"},
	{"rocpd_", "it is a database of RPD (rocmProfileData), which is not read: convert it with "
                   "rpd2tracing.py to JSON and pass that, or record with rocprofv3"},
	{"StringTable", "it is a database of nvprof, which is not read: record with nsys profile, "
                        "and export with nsys export --type sqlite"},
};

const char *weir_sqldb_hint(const struct weir_sqldb *db)
{
	if (weir_sqldb_has(db, "OPS") && weir_sqldb_has(db, "COPY"))
		return ROCPROF_V1;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (weir_sqldb_has_prefix(db, known[i].prefix))
			return known[i].hint;
	return "it is a database of another program";
}

/* ---- rows of a table ---- */

/* Finds out which of the columns the table has. *key_place: position of the first column in the
 * primary key, from 1; 0: not part of it. */
static enum weir_status find_columns(struct weir_sqldb *db, const char *table,
                                     const char *const *columns, bool *found, int *key_place,
                                     struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct weir_text sql = {0};
	enum weir_status status;
	bool more;

	weir_text_printf(&sql, "PRAGMA main.table_info(\"%s\")", table);
	status = prepare(db, sql.data, &statement, err);
	weir_text_release(&sql);
	while (!status && !(status = step(statement, &more, err)) && more) {
		const char *name = (const char *)sqlite3_column_text(statement, 1);

		for (int i = 0; name && columns[i]; i++) {
			if (strcasecmp(name, columns[i]) != 0)
				continue;
			found[i] = true;
			if (i == 0)
				*key_place = sqlite3_column_int(statement, 5);
		}
	}
	sqlite3_finalize(statement);
	return status;
}

/* Adds the columns that exist to the statement. Returns false if none does. */
static bool select_columns(struct weir_sqlscan *scan, const char *const *columns, const bool *found,
                           struct weir_text *sql)
{
	int places = 0;

	weir_text_puts(sql, "SELECT ");
	for (int i = 0; i < WEIR_SQL_MAX_COLUMNS; i++)
		scan->place[i] = -1;
	for (int i = 0; columns[i]; i++) {
		if (!found[i])
			continue;
		weir_text_printf(sql, "%s\"%s\"", places ? "," : "", columns[i]);
		scan->place[i] = places++;
	}
	/* Reads in the order of the rows, even if an index has all columns. */
	weir_text_printf(sql, " FROM main.\"%s\" NOT INDEXED", scan->table);
	return places > 0;
}

enum weir_status weir_sqlscan_open(struct weir_sqlscan *scan, struct weir_sqldb *db,
                                   const char *table, const char *const *columns,
                                   struct weir_error *err)
{
	bool found[WEIR_SQL_MAX_COLUMNS] = {false};
	struct weir_text sql = {0};
	enum weir_status status;
	int key_place = 0;

	*scan = (struct weir_sqlscan){.db = db, .table = table};
	if (!weir_sqldb_has(db, table))
		return WEIR_OK;
	status = find_columns(db, table, columns, found, &key_place, err);
	if (!status && select_columns(scan, columns, found, &sql))
		status = prepare(db, sql.data, &scan->statement, err);
	weir_text_release(&sql);
	return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
}

void weir_sqlscan_close(struct weir_sqlscan *scan)
{
	sqlite3_finalize(scan->statement);
	scan->statement = NULL;
}

enum weir_status weir_sqlscan_next(struct weir_sqlscan *scan, bool *more, struct weir_error *err)
{
	enum weir_status status;

	*more = false;
	if (!scan->statement)
		return WEIR_OK;
	status = step(scan->statement, more, err);
	if (!status && *more && ++scan->row > scan->db->size / ROW_BYTES)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "more rows than a file of %llu bytes can hold: the database is "
		                   "damaged",
		                   (unsigned long long)scan->db->size);
	return status ? weir_fail_in(err, "table %s", scan->table) : WEIR_OK;
}

bool weir_sqlscan_int(const struct weir_sqlscan *scan, int column, int64_t *out)
{
	int place = scan->place[column];
	double value;

	if (place < 0)
		return false;
	switch (sqlite3_column_type(scan->statement, place)) {
	case SQLITE_INTEGER:
		*out = sqlite3_column_int64(scan->statement, place);
		return true;
	case SQLITE_FLOAT: /* some tools write integer columns that hold a NULL as floats */
		value = sqlite3_column_double(scan->statement, place);
		if (!(value > -EXACT_FLOAT && value < EXACT_FLOAT) ||
		    value != (double)(int64_t)value)
			return false;
		*out = (int64_t)value;
		return true;
	default:
		return false;
	}
}

/* Returns the length of the text after the limit is applied, at the boundary of a character. */
static size_t cut_text(const char *text, size_t length)
{
	if (length <= WEIR_SQL_MAX_TEXT)
		return length;
	length = WEIR_SQL_MAX_TEXT;
	while (length && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

static struct weir_slice text_at(sqlite3_stmt *statement, int place)
{
	struct weir_slice text = {"", 0};
	const char *data, *nul;

	if (sqlite3_column_type(statement, place) != SQLITE_TEXT)
		return text;
	data = (const char *)sqlite3_column_text(statement, place);
	if (!data)
		return text;
	text = (struct weir_slice){data, (size_t)sqlite3_column_bytes(statement, place)};
	nul = memchr(data, '\0', text.length);
	text.length = cut_text(data, nul ? (size_t)(nul - data) : text.length);
	return text;
}

struct weir_slice weir_sqlscan_text(const struct weir_sqlscan *scan, int column)
{
	return scan->place[column] < 0 ? (struct weir_slice){"", 0}
	                               : text_at(scan->statement, scan->place[column]);
}

/* ---- texts by number ---- */

struct weir_sqltexts {
	struct weir_sqldb *db;
	sqlite3_stmt *lookup; /* NULL: no texts */
	bool by_key; /* the id is the key of the table; else `rows` has the row of each id */
	int64_t *ids, *rows;
	size_t count, id_capacity, row_capacity;
	struct weir_rowmap of_id;
};

static void add_id(struct weir_sqltexts *texts, int64_t id, int64_t row)
{
	texts->ids =
		weir_grow(texts->ids, &texts->id_capacity, texts->count + 1, sizeof(*texts->ids));
	texts->rows = weir_grow(texts->rows, &texts->row_capacity, texts->count + 1,
	                        sizeof(*texts->rows));
	texts->ids[texts->count] = id;
	texts->rows[texts->count] = row;
	weir_rowmap_add(&texts->of_id, weir_rowmap_hash((uint64_t)id), (uint32_t)texts->count++);
}

/* Returns the first row of an id; -1 if no row has it. */
static int64_t row_of(const struct weir_sqltexts *texts, int64_t id)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&texts->of_id, weir_rowmap_hash((uint64_t)id), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (texts->ids[at] == id)
			return texts->rows[at];
	return -1;
}

static enum weir_status index_ids(struct weir_sqltexts *texts, const char *table, const char *id,
                                  struct weir_error *err)
{
	sqlite3_stmt *statement = NULL;
	struct weir_text sql = {0};
	enum weir_status status;
	bool more;

	weir_text_printf(&sql, "SELECT \"%s\", rowid FROM main.\"%s\" NOT INDEXED", id, table);
	status = prepare(texts->db, sql.data, &statement, err);
	weir_text_release(&sql);
	while (!status && !(status = step(statement, &more, err)) && more) {
		if (texts->count >= texts->db->size / ROW_BYTES || texts->count >= UINT32_MAX - 1)
			status = weir_fail(err, WEIR_E_FORMAT, "more texts than the file can hold");
		else if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER &&
		         row_of(texts, sqlite3_column_int64(statement, 0)) < 0)
			add_id(texts, sqlite3_column_int64(statement, 0),
			       sqlite3_column_int64(statement, 1));
	}
	sqlite3_finalize(statement);
	return status;
}

static enum weir_status prepare_lookup(struct weir_sqltexts *texts, const char *table,
                                       const char *id, const char *text, struct weir_error *err)
{
	struct weir_text sql = {0};
	enum weir_status status;

	if (texts->by_key)
		weir_text_printf(&sql, "SELECT \"%s\" FROM main.\"%s\" WHERE \"%s\" = ?", text,
		                 table, id);
	else
		weir_text_printf(&sql, "SELECT \"%s\" FROM main.\"%s\" WHERE rowid = ?", text,
		                 table);
	status = prepare(texts->db, sql.data, &texts->lookup, err);
	weir_text_release(&sql);
	return status;
}

enum weir_status weir_sqltexts_open(struct weir_sqldb *db, const char *table, const char *id,
                                    const char *text, struct weir_sqltexts **out,
                                    struct weir_error *err)
{
	const char *const columns[] = {id, text, NULL};
	struct weir_sqltexts *texts = weir_alloc(sizeof(*texts));
	bool found[2] = {false, false};
	enum weir_status status = WEIR_OK;
	int key_place = 0;

	texts->db = db;
	*out = texts;
	if (weir_sqldb_has(db, table))
		status = find_columns(db, table, columns, found, &key_place, err);
	if (status || !found[0] || !found[1])
		return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
	texts->by_key = key_place == 1;
	if (!texts->by_key)
		status = index_ids(texts, table, id, err);
	if (!status)
		status = prepare_lookup(texts, table, id, text, err);
	return status ? weir_fail_in(err, "table %s", table) : WEIR_OK;
}

void weir_sqltexts_close(struct weir_sqltexts *texts)
{
	if (!texts)
		return;
	sqlite3_finalize(texts->lookup);
	weir_rowmap_release(&texts->of_id);
	free(texts->ids);
	free(texts->rows);
	free(texts);
}

enum weir_status weir_sqltexts_find(struct weir_sqltexts *texts, int64_t id, struct weir_slice *out,
                                    struct weir_error *err)
{
	int64_t key = texts->by_key ? id : row_of(texts, id);
	enum weir_status status;
	bool more;

	*out = (struct weir_slice){"", 0};
	if (!texts->lookup || (!texts->by_key && key < 0))
		return WEIR_OK;
	sqlite3_reset(texts->lookup);
	sqlite3_bind_int64(texts->lookup, 1, key);
	status = step(texts->lookup, &more, err);
	if (!status && more)
		*out = text_at(texts->lookup, 0);
	return status;
}
