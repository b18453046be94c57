/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Integers of rows by the id of the row, and texts that become names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/readers/sql/sqlindex.h"
#include "tests/unit/database.h"

static const char *const columns[] = {"id", "a", "absent", "b", NULL};

/* The source of the database that is open; it holds the bytes. */
static struct weir_source *source_of_db;

static struct weir_sqldb *open_sql(const char *sql, struct bytes *bytes)
{
	struct weir_source *source;
	struct weir_sqldb *db = NULL;
	struct weir_error err = {0};

	*bytes = database_bytes(sql);
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

static void rows_are_found_by_their_id_in_any_order(void **state)
{
	struct bytes bytes;
	struct weir_sqldb *db = open_sql("CREATE TABLE t(id, a, b);"
	                                 "INSERT INTO t VALUES(7,70,'x'),(-3,30,3),(5,50,5),"
	                                 "(7,71,7),(NULL,1,1),('text',2,2),(5,51,5),(6,NULL,6)",
	                                 &bytes);
	struct weir_sqlindex index;
	const int64_t *row;

	(void)state;
	assert_int_equal(weir_sqlindex_open(&index, db, "t", columns, NULL), WEIR_OK);
	assert_int_equal(index.count, 4);
	row = weir_sqlindex_find(&index, 7);
	assert_int_equal(row[0], 70);
	assert_int_equal(row[1], WEIR_SQL_NULL);
	assert_int_equal(row[2], WEIR_SQL_NULL);
	row = weir_sqlindex_find(&index, -3);
	assert_int_equal(row[0], 30);
	assert_int_equal(row[2], 3);
	assert_int_equal(weir_sqlindex_find(&index, 5)[0], 50);
	assert_int_equal(weir_sqlindex_find(&index, 6)[0], WEIR_SQL_NULL);
	assert_null(weir_sqlindex_find(&index, 0));
	assert_null(weir_sqlindex_find(&index, 8));
	weir_sqlindex_close(&index);
	close_db(db);
	free(bytes.data);
}

static void a_missing_table_has_no_rows(void **state)
{
	struct bytes bytes;
	struct weir_sqldb *db = open_sql("CREATE TABLE t(b)", &bytes);
	struct weir_sqlindex index;
	struct weir_sqlnames names;

	(void)state;
	assert_int_equal(weir_sqlindex_open(&index, db, "absent", columns, NULL), WEIR_OK);
	assert_null(weir_sqlindex_find(&index, 0));
	weir_sqlindex_close(&index);
	assert_int_equal(weir_sqlnames_open(&names, db, "absent", "id", "a", NULL), WEIR_OK);
	weir_sqlnames_close(&names);
	close_db(db);
	free(bytes.data);
}

static void a_text_becomes_one_name(void **state)
{
	struct bytes bytes;
	struct weir_sqldb *db = open_sql("CREATE TABLE t(id INTEGER PRIMARY KEY, a TEXT);"
	                                 "INSERT INTO t VALUES(1,'one'),(2,'two'),(3,'one')",
	                                 &bytes);
	struct weir_names *texts = weir_names_new();
	struct weir_sqlnames names;
	uint32_t one, two, again, none;

	(void)state;
	assert_int_equal(weir_sqlnames_open(&names, db, "t", "id", "a", NULL), WEIR_OK);
	weir_sqlnames_find(&names, 1, texts, &one, NULL);
	weir_sqlnames_find(&names, 2, texts, &two, NULL);
	weir_sqlnames_find(&names, 3, texts, &again, NULL);
	weir_sqlnames_find(&names, 4, texts, &none, NULL);
	assert_string_equal(weir_names_text(texts, two), "two");
	assert_int_equal(one, again);
	assert_string_equal(weir_names_text(texts, none), "");
	weir_sqlnames_close(&names);
	weir_names_free(texts);
	close_db(db);
	free(bytes.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_found_by_their_id_in_any_order),
		cmocka_unit_test(a_missing_table_has_no_rows),
		cmocka_unit_test(a_text_becomes_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
