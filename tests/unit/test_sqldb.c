/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Untrusted databases: the values that are read, and the files that are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/readers/sql/sqldb.h"
#include "tests/unit/database.h"

static const char *const columns[] = {"a", "b", "absent", NULL};

/* The source of the database that is open; it holds the bytes. */
static struct weir_source *source_of_db;

static struct weir_sqldb *open_bytes(const struct bytes *bytes)
{
	struct weir_source *source;
	struct weir_error err = {0};
	struct weir_sqldb *db = NULL;

	assert_int_equal(weir_source_open_memory("test", bytes->data, bytes->len, &source, &err),
	                 WEIR_OK);
	if (weir_sqldb_open(source, &db, &err))
		fail_msg("%s", err.message);
	source_of_db = source;
	return db;
}

static void close_db(struct weir_sqldb *db)
{
	weir_sqldb_close(db);
	weir_source_free(source_of_db);
	source_of_db = NULL;
}

/* Reads a whole table. */
static enum weir_status read_all(struct weir_sqldb *db, const char *table, uint64_t *rows,
                                 struct weir_error *err)
{
	struct weir_sqlscan scan;
	bool more;
	enum weir_status status = weir_sqlscan_open(&scan, db, table, columns, err);

	while (!status && !(status = weir_sqlscan_next(&scan, &more, err)) && more)
		;
	*rows = scan.row;
	weir_sqlscan_close(&scan);
	return status;
}

static void expect_refused(const struct bytes *bytes, enum weir_status status, const char *part)
{
	struct weir_source *source;
	struct weir_error err = {0};
	struct weir_sqldb *db = NULL;
	uint64_t rows;
	enum weir_status got;

	assert_int_equal(weir_source_open_memory("test", bytes->data, bytes->len, &source, &err),
	                 WEIR_OK);
	got = weir_sqldb_open(source, &db, &err);
	if (!got) {
		got = read_all(db, "t", &rows, &err);
		close_db(db);
	}
	weir_source_free(source);
	assert_int_equal(got, status);
	if (!strstr(err.message, part) || strchr(err.message, '\n'))
		fail_msg("\"%s\" is not in the line: %s", part, err.message);
}

static void columns_are_found_by_name(void **state)
{
	struct bytes bytes = database_bytes("CREATE TABLE t(x, b TEXT, A INTEGER);"
	                                    "INSERT INTO t VALUES(9,'two',1),(9,NULL,-3)");
	struct weir_sqldb *db = open_bytes(&bytes);
	struct weir_sqlscan scan;
	int64_t value = 77;
	bool more;

	(void)state;
	assert_int_equal(weir_sqlscan_open(&scan, db, "T", columns, NULL), WEIR_OK);
	assert_true(weir_sqlscan_has(&scan, 0));
	assert_false(weir_sqlscan_has(&scan, 2));
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_true(more && weir_sqlscan_int(&scan, 0, &value));
	assert_int_equal(value, 1);
	assert_true(weir_slice_equals(weir_sqlscan_text(&scan, 1), "two"));
	assert_false(weir_sqlscan_int(&scan, 1, &value));
	assert_false(weir_sqlscan_int(&scan, 2, &value));
	assert_int_equal(weir_sqlscan_text(&scan, 2).length, 0);
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_true(more && weir_sqlscan_int(&scan, 0, &value));
	assert_int_equal(value, -3);
	assert_int_equal(weir_sqlscan_text(&scan, 1).length, 0);
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_false(more);
	weir_sqlscan_close(&scan);
	close_db(db);
	free(bytes.data);
}

static void whole_numbers_may_be_stored_as_floats(void **state)
{
	struct bytes bytes = database_bytes("CREATE TABLE t(a REAL);"
	                                    "INSERT INTO t VALUES(12.0),(12.5),(1e300),(9e999)");
	struct weir_sqldb *db = open_bytes(&bytes);
	struct weir_sqlscan scan;
	int64_t value = 0;
	bool more;

	(void)state;
	assert_int_equal(weir_sqlscan_open(&scan, db, "t", columns, NULL), WEIR_OK);
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_true(weir_sqlscan_int(&scan, 0, &value));
	assert_int_equal(value, 12);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
		assert_true(more);
		assert_false(weir_sqlscan_int(&scan, 0, &value));
	}
	weir_sqlscan_close(&scan);
	close_db(db);
	free(bytes.data);
}

static void texts_are_cut(void **state)
{
	struct bytes bytes = database_bytes(
		"CREATE TABLE t(b); INSERT INTO t VALUES('ab' || char(0) || 'cd'),"
		"('x' || replace(hex(zeroblob(40000)), '00', char(233)) || 'y'), (x'41')");
	struct weir_sqldb *db = open_bytes(&bytes);
	struct weir_sqlscan scan;
	bool more;

	(void)state;
	assert_int_equal(weir_sqlscan_open(&scan, db, "t", columns, NULL), WEIR_OK);
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_true(weir_slice_equals(weir_sqlscan_text(&scan, 1), "ab"));
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_int_equal(weir_sqlscan_text(&scan, 1).length, WEIR_SQL_MAX_TEXT - 1);
	assert_int_equal(weir_sqlscan_next(&scan, &more, NULL), WEIR_OK);
	assert_int_equal(weir_sqlscan_text(&scan, 1).length, 0);
	weir_sqlscan_close(&scan);
	close_db(db);
	free(bytes.data);
}

static void only_ordinary_tables_are_tables(void **state)
{
	struct bytes bytes = database_bytes("CREATE TABLE base(a); INSERT INTO base VALUES(1);"
	                                    "CREATE VIEW v AS SELECT a FROM base;"
	                                    "CREATE VIRTUAL TABLE f USING fts5(a)");
	struct weir_sqldb *db = open_bytes(&bytes);
	struct weir_error err = {0};
	uint64_t rows;

	(void)state;
	assert_true(weir_sqldb_has(db, "base"));
	assert_true(weir_sqldb_has_prefix(db, "BA"));
	assert_false(weir_sqldb_has(db, "v"));
	assert_false(weir_sqldb_has(db, "f"));
	assert_false(weir_sqldb_has(db, "sqlite_master"));
	assert_int_equal(read_all(db, "v", &rows, &err), WEIR_OK);
	assert_int_equal(rows, 0);
	close_db(db);
	free(bytes.data);
}

#define TEN   "+1+1+1+1+1+1+1+1+1+1"
#define FORTY TEN TEN TEN TEN

static const struct {
	const char *sql;
} hostile_schemas[] = {
	/* An index in another order, expressions, a trigger, a table without row ids. */
	{"CREATE TABLE t(b, a); CREATE INDEX i ON t(a, b);"
         "INSERT INTO t VALUES('z', 2),('y', 1)"},
	{"CREATE TABLE t(b, a, c AS (a || b) STORED); INSERT INTO t VALUES('z', 2),('y', 1)"},
	{"CREATE TABLE t(b, a PRIMARY KEY) WITHOUT ROWID; INSERT INTO t VALUES('z', 2),('y', 1)"},
	{"CREATE TABLE t(b, a CHECK(abs(a) < 9));"
         "CREATE TRIGGER r BEFORE INSERT ON t BEGIN SELECT 1; END;"
         "INSERT INTO t VALUES('z', 2),('y', 1)"},
	/* Views as rocprofv3 writes them: unions, and a deep expression. */
	{"CREATE TABLE t(b, a); INSERT INTO t VALUES('z', 2),('y', 1);"
         "CREATE VIEW busy AS SELECT a FROM t UNION ALL SELECT b FROM t UNION ALL SELECT 3"},
	{"CREATE TABLE t(b, a); INSERT INTO t VALUES('z', 2),('y', 1);"
         "CREATE VIEW v AS SELECT a" FORTY FORTY " AS a FROM t"},
};

static void nothing_of_the_schema_is_run(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(hostile_schemas) / sizeof(hostile_schemas[0]); i++) {
		struct bytes bytes = database_bytes(hostile_schemas[i].sql);
		struct weir_sqldb *db = open_bytes(&bytes);
		struct weir_error err = {0};
		uint64_t rows;

		assert_int_equal(read_all(db, "t", &rows, &err), WEIR_OK);
		assert_int_equal(rows, 2);
		close_db(db);
		free(bytes.data);
	}
}

/* Reads a database after a row of its schema was overwritten. */
static void a_false_entry_of_the_schema_is_not_read(void **state)
{
	static const char *const lies[] = {
		"sql = 'CREATE VIEW t AS SELECT 1 AS a, 2 AS b'",
		"sql = 'CREATE VIRTUAL TABLE t USING fts5(a)'",
		"rootpage = 0",
		"rootpage = 9999",
		"sql = 'CREATE TABLE t(a, a)'",
		"sql = 'CREATE TABLE t(a INTEGER DEFAULT (load_extension(1)))'",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		char sql[256];
		struct bytes bytes =
			database_bytes("CREATE TABLE t(a, b); INSERT INTO t VALUES(1, 2)");
		struct weir_source *source;
		struct weir_error err = {0};
		struct weir_sqldb *db = NULL;
		uint64_t rows = 0;

		snprintf(sql, sizeof(sql),
		         "PRAGMA writable_schema = ON; UPDATE sqlite_master SET %s", lies[i]);
		bytes = database_changed(bytes, sql);
		assert_int_equal(weir_source_open_memory("t", bytes.data, bytes.len, &source, &err),
		                 WEIR_OK);
		if (!weir_sqldb_open(source, &db, &err) && !read_all(db, "t", &rows, &err))
			assert_true(rows <= 1);
		else if (!*err.message || strchr(err.message, '\n'))
			fail_msg("no line: %s", err.message);
		close_db(db);
		weir_source_free(source);
		free(bytes.data);
	}
}

#define MANY                                                                                       \
	"CREATE TABLE t(a, b);"                                                                    \
	"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 2000) "          \
	"INSERT INTO t SELECT i, 'text ' || i FROM n"

static void other_files_are_refused(void **state)
{
	struct bytes text = plain_bytes("not a database, though long enough to look at closely, "
	                                "or it would be refused for its length alone: 100 bytes",
	                                109);

	(void)state;
	expect_refused(&text, WEIR_E_FORMAT, "not an SQLite database");
	free(text.data);
}

static void a_database_cut_at_any_page_is_refused(void **state)
{
	struct bytes bytes = database_bytes(MANY);
	size_t whole = bytes.len;

	(void)state;
	assert_true(whole > (size_t)20 * 512);
	for (bytes.len = 512; bytes.len < whole; bytes.len += 512)
		expect_refused(&bytes, WEIR_E_FORMAT, "damaged or cut off");
	free(bytes.data);
}

/* With any page overwritten, the database is read, or refused with one line. */
static void damaged_pages_are_survived(void **state)
{
	struct bytes bytes = database_bytes(MANY);
	unsigned refused = 0;

	(void)state;
	for (size_t page = 0; page < bytes.len / 512; page++) {
		struct bytes copy = plain_bytes(bytes.data, bytes.len);
		struct weir_source *source;
		struct weir_error err = {0};
		struct weir_sqldb *db = NULL;
		uint64_t rows;

		for (size_t i = page ? 0 : 100; i < 512; i += 3)
			copy.data[page * 512 + i] ^= (uint8_t)(0x5b + i * 7);
		assert_int_equal(weir_source_open_memory("t", copy.data, copy.len, &source, &err),
		                 WEIR_OK);
		if (weir_sqldb_open(source, &db, &err) || read_all(db, "t", &rows, &err)) {
			refused++;
			assert_true(*err.message && !strchr(err.message, '\n'));
		}
		close_db(db);
		weir_source_free(source);
		free(copy.data);
	}
	assert_true(refused > 0);
	free(bytes.data);
}

/* A record that states the largest sizes anywhere is read, or refused as damaged: SQLite takes some
 * of them for memory that has run out. */
static void sizes_beyond_any_memory_are_damage(void **state)
{
	struct bytes bytes = database_bytes(
		"CREATE TABLE t (x INTEGER, y INTEGER, z TEXT, a TEXT, b TEXT); INSERT INTO t "
		"VALUES (1, 2, 'host name', 'kernel version', 'Linux 6.1.0 of a machine'), "
		"(3, 4, 'a second row', 'driver version', 'device environment TOKEN=a'), "
		"(5, 6, 'a third row', 'runtime version', 'another environment TOKEN=b')");
	unsigned without_memory = 0;

	(void)state;
	for (size_t at = 512; at + 14 <= bytes.len; at++) {
		struct bytes copy = plain_bytes(bytes.data, bytes.len);
		struct weir_error err = {0};
		struct weir_sqldb *db;
		uint64_t rows;

		memset(copy.data + at, 0xff, 14);
		db = open_bytes(&copy);
		if (read_all(db, "t", &rows, &err)) {
			assert_int_equal(err.status, WEIR_E_FORMAT);
			without_memory += strstr(err.message, "larger than any memory") != NULL;
		}
		close_db(db);
		free(copy.data);
	}
	assert_true(without_memory > 0);
	free(bytes.data);
}

/* A page that is its own child. */
static void pages_in_a_circle_are_refused(void **state)
{
	struct bytes bytes = database_bytes(MANY);
	uint8_t *root = bytes.data + 512; /* page 2: the table's, an inner one */

	(void)state;
	assert_int_equal(root[0], 5);
	root[8] = root[9] = root[10] = 0;
	root[11] = 2;
	expect_refused(&bytes, WEIR_E_FORMAT, "damaged");
	free(bytes.data);
}

static enum weir_status open_path(const char *path, struct weir_error *err)
{
	struct weir_source *source;
	struct weir_sqldb *db = NULL;
	uint64_t rows = 0;
	enum weir_status status = weir_source_open(path, &source, err);

	if (status)
		return status;
	status = weir_sqldb_open(source, &db, err);
	if (!status) {
		assert_int_equal(weir_source_stored_bytes(source), weir_source_stored_size(source));
		status = read_all(db, "t", &rows, err);
		assert_int_equal(rows, 2000);
	}
	close_db(db);
	weir_source_free(source);
	return status;
}

static void a_file_is_read_in_place_and_left_as_it_is(void **state)
{
	static const char *const names[] = {"plain.sqlite", "odd name?mode=rwc#%41.sqlite"};
	struct bytes bytes = database_bytes(MANY);
	struct stat before, after;
	struct weir_error err = {0};

	(void)state;
	make_folder();
	for (size_t i = 0; i < 2; i++) {
		const char *path = write_file(names[i], bytes.data, bytes.len);

		assert_int_equal(chmod(path, 0400), 0);
		assert_int_equal(stat(path, &before), 0);
		if (open_path(path, &err))
			fail_msg("%s", err.message);
		assert_int_equal(stat(path, &after), 0);
		assert_int_equal(before.st_mtime, after.st_mtime);
		assert_int_equal(before.st_size, after.st_size);
		assert_int_equal(unlink(path), 0);
	}
	remove_folder(); /* fails where a file was left beside */
	free(bytes.data);
}

static void a_compressed_database_is_read_too(void **state)
{
	struct bytes bytes = database_bytes(MANY), packed = gzip_bytes(bytes.data, bytes.len);
	struct weir_error err = {0};

	(void)state;
	make_folder();
	assert_int_equal(open_path(write_file("a.gz", packed.data, packed.len), &err), WEIR_OK);
	assert_int_equal(open_path(write_file("a.gz", packed.data, packed.len / 2), &err),
	                 WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "compressed"));
	remove_folder();
	free(bytes.data);
	free(packed.data);
}

static void a_database_being_written_is_refused(void **state)
{
	static const char *const journals[] = {"a.sqlite-wal", "a.sqlite-journal"};
	struct bytes bytes = database_bytes(MANY);
	struct weir_error err = {0};

	(void)state;
	make_folder();
	for (size_t i = 0; i < 2; i++) {
		write_file(journals[i], "x", 1);
		assert_int_equal(open_path(write_file("a.sqlite", bytes.data, bytes.len), &err),
		                 WEIR_E_IO);
		assert_non_null(strstr(err.message, "journal lies beside it"));
		write_file(journals[i], "", 0); /* an empty one holds nothing back */
		assert_int_equal(open_path(write_file("a.sqlite", bytes.data, bytes.len), &err),
		                 WEIR_OK);
	}
	remove_folder();
	free(bytes.data);
}

/* The header announces a write-ahead log; without such a file, the database is complete. */
static void a_database_with_a_log_is_read_without_it(void **state)
{
	struct bytes bytes = database_bytes(MANY);
	struct weir_error err = {0};
	struct weir_sqldb *db;

	(void)state;
	bytes.data[18] = bytes.data[19] = 2;
	db = open_bytes(&bytes);
	close_db(db);
	make_folder();
	if (open_path(write_file("a.sqlite", bytes.data, bytes.len), &err))
		fail_msg("%s", err.message);
	remove_folder();
	free(bytes.data);
}

static void texts_are_found_with_and_without_a_key(void **state)
{
	static const char *const schemas[] = {
		"CREATE TABLE s(id INTEGER PRIMARY KEY, value TEXT);",
		"CREATE TABLE s(id INTEGER, value TEXT);",
		"CREATE TABLE s(value TEXT, id INT PRIMARY KEY) WITHOUT ROWID;",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(schemas) / sizeof(schemas[0]); i++) {
		char sql[256];
		struct weir_sqltexts *texts;
		struct weir_slice text;
		struct weir_sqldb *db;
		struct bytes bytes;

		snprintf(sql, sizeof(sql),
		         "%s INSERT INTO s(id, value) VALUES(40,'forty'),(-7,'minus'),(5,NULL)",
		         schemas[i]);
		bytes = database_bytes(sql);
		db = open_bytes(&bytes);
		assert_int_equal(weir_sqltexts_open(db, "s", "id", "value", &texts, NULL), WEIR_OK);
		assert_int_equal(weir_sqltexts_find(texts, 40, &text, NULL), WEIR_OK);
		assert_true(weir_slice_equals(text, "forty"));
		assert_int_equal(weir_sqltexts_find(texts, -7, &text, NULL), WEIR_OK);
		assert_true(weir_slice_equals(text, "minus"));
		assert_int_equal(weir_sqltexts_find(texts, 5, &text, NULL), WEIR_OK);
		assert_int_equal(text.length, 0);
		assert_int_equal(weir_sqltexts_find(texts, 41, &text, NULL), WEIR_OK);
		assert_int_equal(text.length, 0);
		weir_sqltexts_close(texts);
		close_db(db);
		free(bytes.data);
	}
}

static void databases_of_other_profilers_get_a_hint(void **state)
{
	static const struct {
		const char *sql, *part;
	} cases[] = {
		{"CREATE TABLE OPS(a); CREATE TABLE COPY(a); CREATE TABLE KERN(a)", "rocprof v1"},
		{"CREATE TABLE OPS(a); CREATE TABLE KERN(a)", "another program"},
		{"CREATE TABLE rocpd_op(a)", "RPD"},
		{"CREATE TABLE rocpd_info_agent(a)", "rocprofv3"},
		{"CREATE TABLE t(a)", "another program"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = database_bytes(cases[i].sql);
		struct weir_sqldb *db = open_bytes(&bytes);

		assert_non_null(strstr(weir_sqldb_hint(db), cases[i].part));
		close_db(db);
		free(bytes.data);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(whole_numbers_may_be_stored_as_floats),
		cmocka_unit_test(texts_are_cut),
		cmocka_unit_test(only_ordinary_tables_are_tables),
		cmocka_unit_test(nothing_of_the_schema_is_run),
		cmocka_unit_test(databases_of_other_profilers_get_a_hint),
		cmocka_unit_test(a_false_entry_of_the_schema_is_not_read),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(a_database_cut_at_any_page_is_refused),
		cmocka_unit_test(damaged_pages_are_survived),
		cmocka_unit_test(sizes_beyond_any_memory_are_damage),
		cmocka_unit_test(pages_in_a_circle_are_refused),
		cmocka_unit_test(a_file_is_read_in_place_and_left_as_it_is),
		cmocka_unit_test(a_compressed_database_is_read_too),
		cmocka_unit_test(a_database_being_written_is_refused),
		cmocka_unit_test(a_database_with_a_log_is_read_without_it),
		cmocka_unit_test(texts_are_found_with_and_without_a_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
