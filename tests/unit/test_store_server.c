/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Promises that only a store on a server must keep. tests/postgresql runs it with WEIR_TEST_STORE;
 * without a server its tests about addresses run. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/address.h"
#include "baselines/store_impl.h"
#include "tests/unit/make_store.h"

static void an_address_is_no_file(void **state)
{
	static const struct {
		const char *path;
		bool server;
	} cases[] = {
		{"postgresql://host/db", true}, {"postgres://u@h/db", true},
		{"service=weir", true},         {"host=h dbname=weir", true},
		{"dbname=weir", true},          {".weir/baselines.db", false},
		{"./service=weir", false},      {"postgresql", false},
		{"servicestore.db", false},     {"/tmp/host=x", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
		if (weir_address_is_server(cases[i].path) != cases[i].server)
			fail_msg("%s", cases[i].path);
}

static void a_label_has_no_password(void **state)
{
	static const struct {
		const char *address, *label;
	} cases[] = {
		{"postgresql://u:pw@h:5433/db?sslmode=require", "postgresql://u@h:5433/db"},
		{"host=h port=5433 user=u password='p w' dbname=db", "postgresql://u@h:5433/db"},
		{"postgresql://u:pw@/db?host=/run/pg&port=1",
	         "postgresql://u@/db?host=/run/pg&port=1"},
		{"postgresql://u:pw@a,b:5433/db", "postgresql://u@/db?host=a,b&port=,5433"},
		{"postgresql://u%40x:pw@[::1]:5433/db",
	         "postgresql://u%40x@/db?host=%3A%3A1&port=5433"},
		{"postgresql://u:p@w@h/db", "postgresql://..."},
		{"postgresql://u:p/w@h/db", "postgresql://..."},
		{"postgresql://u:p?w@h/db", "postgresql://..."},
		{"postgresql://u:pw@h:x/db", "postgresql://..."},
		{"user=u password=p w", "postgresql://..."},
		{"service=weir", "postgresql:///?service=weir"},
		{"a.db", "a.db"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		char *label = weir_address_label(cases[i].address);

		assert_string_equal(label, cases[i].label);
		free(label);
	}
}

/* Skips a test that needs a server. */
static void need_server(void)
{
	if (!test_store_is_server()) {
		print_message("skipped: WEIR_TEST_STORE names no server\n");
		skip();
	}
}

/* Makes the next `count` insertions of a member fail with a conflict. Numbers of a sequence are not
 * rolled back. */
static void add_conflicts(struct test_store *test, int count)
{
	char sql[512];

	snprintf(sql, sizeof sql,
	         "CREATE SEQUENCE tries; CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS"
	         " $$ BEGIN IF nextval('weir.tries') <= %d THEN RAISE EXCEPTION 'conflict'"
	         " USING ERRCODE = '40001'; END IF; RETURN NEW; END $$;"
	         "CREATE TRIGGER fail BEFORE INSERT ON member FOR EACH ROW EXECUTE FUNCTION fail()",
	         count);
	test_store_sql(test, "", sql);
}

static enum weir_status record_one(struct test_store *test, struct weir_store_counts *counts,
                                   struct weir_error *err)
{
	struct weir_baseline *baseline = weir_baseline_new("main");
	enum weir_status status;

	weir_baseline_take(baseline, test_run(1), "2026-11-01T00:00:00Z");
	status = weir_store_record(test->store, baseline, counts, err);
	weir_baseline_free(baseline);
	return status;
}

static void a_conflict_is_tried_again_a_bounded_number_of_times(void **state)
{
	struct test_store *test = *state;
	struct weir_store_counts counts;
	struct weir_error err = {0};

	need_server();
	add_conflicts(test, WEIR_DB_MAX_TRIES - 1);
	assert_int_equal(record_one(test, &counts, &err), WEIR_OK);
	assert_int_equal(counts.added, 1);
	assert_int_equal(counts.held, 1);
	test_store_renew(test);
	add_conflicts(test, WEIR_DB_MAX_TRIES);
	assert_int_equal(record_one(test, &counts, &err), WEIR_E_STORE);
	assert_non_null(strstr(err.message, "is changed by other processes at the same time"));
	assert_int_equal(test_count(test, "main", true), 0);
}

static void verify_sees_a_trigger(void **state)
{
	struct test_store *test = *state;
	struct weir_store_health health;
	struct weir_error err = {0};

	need_server();
	assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_OK);
	add_conflicts(test, 0);
	assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_E_STORE);
	assert_non_null(strstr(err.message, "a trigger changes what is stored"));
}

static void a_killed_connection_is_opened_again(void **state)
{
	static const char kill_sql[] = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
				       " WHERE application_name = 'weir'";
	struct test_store *test = *state;
	struct weir_store_counts counts;
	struct weir_error err = {0};

	need_server();
	test_store_sql(test, "", kill_sql);
	assert_int_equal(record_one(test, &counts, &err), WEIR_OK);
	assert_int_equal(counts.added, 1);
	test_store_sql(test, "", kill_sql);
	assert_int_equal(test_count(test, "main", true), 1);
}

static void commits_wait_for_the_disk(void **state)
{
	struct test_store *test = *state;
	int64_t is_on = 0;

	need_server();
	assert_int_equal(setenv("PGOPTIONS", "-c synchronous_commit=off", 1), 0);
	test_store_reopen(test, WEIR_STORE_WRITE);
	assert_int_equal(unsetenv("PGOPTIONS"), 0);
	assert_int_equal(weir_db_numbers(test->store->db,
	                                 "SELECT CAST(current_setting('synchronous_commit') = 'on'"
	                                 " AS int)",
	                                 0, &is_on, 1, NULL),
	                 WEIR_OK);
	assert_int_equal(is_on, 1);
}

static void a_long_name_of_a_series_is_kept(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *baseline = weir_baseline_new("main"), *stored;
	struct weir_store_query query = {.name = "main"};
	struct weir_store_counts counts;
	struct weir_run *run = weir_run_new();
	char name[WEIR_RUN_MAX_NAME + 1];
	struct weir_error err = {0};
	uint32_t seed = 1;

	for (size_t i = 0; i < WEIR_RUN_MAX_NAME; i++) { /* an index cannot compress it */
		seed = seed * 1664525 + 1013904223;
		name[i] = (char)('!' + seed / 65536 % 90);
	}
	name[WEIR_RUN_MAX_NAME] = '\0';
	weir_series_push(weir_series_get(&run->stages, name), 1);
	weir_baseline_take(baseline, run, "2026-11-01T00:00:00Z");
	if (weir_store_record(test->store, baseline, &counts, &err))
		fail_msg("%s", err.message);
	assert_int_equal(weir_store_load(test->store, &query, &stored, &err), WEIR_OK);
	assert_string_equal(stored->runs[0].run->stages.items[0].name, name);
	weir_baseline_free(stored);
	weir_baseline_free(baseline);
}

int main(void)
{
#define STORE_TEST(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, test_store_setup, test_store_teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_is_no_file),
		cmocka_unit_test(a_label_has_no_password),
		STORE_TEST(a_conflict_is_tried_again_a_bounded_number_of_times),
		STORE_TEST(verify_sees_a_trigger),
		STORE_TEST(a_killed_connection_is_opened_again),
		STORE_TEST(commits_wait_for_the_disk),
		STORE_TEST(a_long_name_of_a_series_is_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
