/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The choice of a reader for a database; a foreign database beside profiles is skipped. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/database.h"
#include "tests/unit/reading.h"

/* Makes a database with enough tables for the schema to exceed any head of the file. */
#define MANY_TABLES 900

static const char *claims_source(struct weir_source *source)
{
	const struct weir_reader *reader = NULL;
	struct weir_error err = {0};
	enum weir_status status = weir_reader_choose(source, &reader, &err);

	weir_source_free(source);
	return status ? "none" : reader->name;
}

static const char *claims_file(struct bytes bytes)
{
	struct weir_source *source;
	const char *path = write_file("some.db", bytes.data, bytes.len);

	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	free(bytes.data);
	return claims_source(source);
}

static const char *claims_pipe(const struct bytes *bytes)
{
	struct weir_source *source;

	assert_int_equal(weir_source_open_memory("test", bytes->data, bytes->len, &source, NULL),
	                 WEIR_OK);
	return claims_source(source);
}

/* Makes the tables of another program, then those of `sql`. */
static struct bytes many_tables(const char *sql)
{
	struct weir_text text = {0};
	struct bytes bytes;

	for (int i = 0; i < MANY_TABLES; i++)
		weir_text_printf(&text,
		                 "CREATE TABLE table_%04d(first INTEGER, second TEXT, third REAL,"
		                 " fourth INTEGER, fifth TEXT, sixth REAL, seventh INTEGER);",
		                 i);
	weir_text_puts(&text, sql);
	bytes = database_bytes(text.data);
	assert_true(bytes.len > 2 * (size_t)WEIR_HEAD_SIZE);
	weir_text_release(&text);
	return bytes;
}

static void each_reader_claims_its_own(void **state)
{
	static const struct {
		const char *sql, *reader;
	} cases[] = {
		{"CREATE TABLE META_DATA_EXPORT(name, value)", "nsys"},
		{"CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(a); CREATE TABLE StringIds(a)", "nsys"},
		{"CREATE TABLE rocpd_info_agent_00(a); CREATE TABLE rocpd_metadata_00(a)", "rocpd"},
		{"CREATE TABLE a(b)", "none"},
		{"CREATE TABLE notes(text); INSERT INTO notes VALUES('META_DATA_EXPORT')", "none"},
		{"CREATE TABLE StringIds(a)", "none"},
		{"CREATE TABLE rocpd_op(a); CREATE TABLE rocpd_api(a)", "none"},
		{"PRAGMA application_id = 0x77656972; CREATE TABLE runs(a)", "none"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_string_equal(claims_file(database_bytes(cases[i].sql)), cases[i].reader);
		assert_string_equal(claims_file(many_tables(cases[i].sql)), cases[i].reader);
	}
	assert_string_equal(claims_file(database_export("")), "nsys");
	assert_string_equal(claims_file(database_of("tests/data/rocpd/run.sql", "")), "rocpd");
}

static void a_compressed_database_is_told_by_its_tables_too(void **state)
{
	struct bytes bytes = many_tables("CREATE TABLE rocpd_info_agent_00(a)");
	struct bytes packed = gzip_bytes(bytes.data, bytes.len);

	(void)state;
	assert_string_equal(claims_file(packed), "rocpd");
	free(bytes.data);
}

static void of_a_pipe_the_head_decides(void **state)
{
	static const struct {
		const char *sql, *reader;
	} cases[] = {
		{"CREATE TABLE META_DATA_EXPORT(name, value)", "nsys"},
		{"CREATE TABLE rocpd_info_agent_00(a)", "rocpd"},
		{"CREATE TABLE a(b)", "none"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct bytes bytes = database_bytes(cases[i].sql);

		assert_string_equal(claims_pipe(&bytes), cases[i].reader);
		free(bytes.data);
	}
}

static void a_foreign_database_does_not_fail_a_folder(void **state)
{
	static const char run[] =
		"{\"schema\":\"weir.run/1\",\"unit\":\"ms\",\"stages\":{\"a\":[1]}}";
	struct bytes foreign = many_tables(""), cut = many_tables("");
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	cut.data[100] = 99; /* no kind of page */
	write_file("cache.db", foreign.data, foreign.len);
	write_file("damaged.db", cut.data, cut.len);
	write_file("some.db", foreign.data, foreign.len);
	write_file("run.json", run, sizeof(run) - 1);
	if (weir_read_path(profile, path_in_folder(""), NULL, &err))
		fail_msg("%s", err.message);
	assert_int_equal(profile->input_count, 1);
	assert_string_equal(profile->inputs[0].format, "weir.run");
	weir_profile_free(profile);

	profile = weir_profile_new();
	assert_int_equal(weir_read_path(profile, path_in_folder("cache.db"), NULL, &err),
	                 WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "not a profile: an SQLite database without tables"));
	weir_profile_free(profile);
	free(foreign.data);
	free(cut.data);
}

/* A database of ours that cannot be read fails the whole folder, instead of being skipped
 * silently. */
static void a_damaged_export_is_not_passed_over(void **state)
{
	struct bytes bytes = database_export("");
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	write_file("export.sqlite", bytes.data, bytes.len / 1024 * 512);
	assert_int_equal(weir_read_path(profile, path_in_folder(""), NULL, &err), WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "damaged or cut off"));
	free(bytes.data);
	weir_profile_free(profile);
}

static int set_up(void **state)
{
	(void)state;
	make_folder();
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	remove_folder();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(each_reader_claims_its_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_compressed_database_is_told_by_its_tables_too,
	                                        set_up, tear_down),
		cmocka_unit_test(of_a_pipe_the_head_decides),
		cmocka_unit_test_setup_teardown(a_foreign_database_does_not_fail_a_folder, set_up,
	                                        tear_down),
		cmocka_unit_test_setup_teardown(a_damaged_export_is_not_passed_over, set_up,
	                                        tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
