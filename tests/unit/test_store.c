/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "baselines/db_sqlite.h"
#include "baselines/store_impl.h"
#include "engine/base/text.h"
#include "tests/unit/make_store.h"

static void assert_same_run(const struct weir_run *a, const struct weir_run *b)
{
	uint8_t left[WEIR_SHA256_SIZE], right[WEIR_SHA256_SIZE];

	weir_run_digest(a, left);
	weir_run_digest(b, right);
	assert_memory_equal(left, right, sizeof(left));
}

static void a_run_comes_back_whole(void **state)
{
	struct test_store *test = *state;
	struct weir_store_query query = {.name = "main"};
	struct weir_run *expected = test_run(7);
	const struct weir_series *metric;
	struct weir_baseline *baseline;

	test_record(test, "main", 7, 7);
	test_store_reopen(test, WEIR_STORE_READ);
	assert_int_equal(weir_store_load(test->store, &query, &baseline, NULL), WEIR_OK);
	assert_int_equal(baseline->count, 1);
	assert_string_equal(baseline->runs[0].recorded, "2026-11-01T00:00:07Z");
	assert_null(baseline->runs[0].bound);
	assert_int_equal(strlen(baseline->runs[0].id), 64);
	assert_int_equal(baseline->runs[0].stages, 2);
	assert_int_equal(baseline->runs[0].operators, 1);
	assert_int_equal(baseline->runs[0].samples, 81);
	assert_same_run(baseline->runs[0].run, expected);
	metric = weir_series_find(&baseline->runs[0].run->metrics, "tokens_per_s");
	assert_true(metric->higher_is_better);
	assert_string_equal(metric->unit, "1/s");
	weir_baseline_free(baseline);
	weir_run_free(expected);
}

static void the_same_content_is_the_same_run(void **state)
{
	struct test_store *test = *state;
	struct weir_store_counts counts = test_record(test, "main", 1, 3);
	struct weir_store_health health;

	assert_int_equal(counts.added, 3);
	counts = test_record(test, "main", 1, 4);
	assert_int_equal(counts.added, 1);
	assert_int_equal(counts.known, 3);
	assert_int_equal(counts.held, 4);
	counts = test_record(test, "other", 1, 4); /* stored once for both names */
	assert_int_equal(counts.added, 4);
	assert_int_equal(weir_store_verify(test->store, &health, NULL), WEIR_OK);
	assert_int_equal(health.runs, 4);
	assert_int_equal(health.baselines, 2);
	assert_int_equal(health.samples, 4 * 81);
}

static void a_digest_sees_content_and_nothing_else(void **state)
{
	struct weir_run *a = weir_run_new(), *b = weir_run_new();
	uint8_t left[WEIR_SHA256_SIZE], right[WEIR_SHA256_SIZE];

	(void)state;
	weir_series_push(weir_series_get(&a->stages, "x"), 1);
	weir_series_push(weir_series_get(&a->stages, "y"), 0.0);
	weir_run_set_label(a, "k", "v");
	weir_run_set_label(a, "l", "w");
	weir_run_set_label(b, "l", "w"); /* another order */
	weir_run_set_label(b, "k", "v");
	weir_series_push(weir_series_get(&b->stages, "y"), -0.0);
	weir_series_push(weir_series_get(&b->stages, "x"), 1);
	assert_same_run(a, b);
	weir_run_digest(a, left);
	weir_series_push(weir_series_get(&b->calls, "x"), 1);
	weir_run_digest(b, right);
	assert_memory_not_equal(left, right, sizeof(left));
	weir_run_set_label(a, "k", "V");
	weir_run_digest(a, right);
	assert_memory_not_equal(left, right, sizeof(left));
	weir_run_free(a);
	weir_run_free(b);
}

static void a_verdict_is_kept_and_can_come_later(void **state)
{
	struct test_store *test = *state;
	struct weir_store_query query = {.name = "main", .bare = true};
	struct weir_store_counts counts;
	struct weir_baseline *baseline = weir_baseline_new("main"), *stored;

	test_record(test, "main", 1, 1);
	weir_baseline_take(baseline, test_run(1), "2026-11-02T00:00:00Z");
	baseline->runs[0].bound = "memory";
	baseline->runs[0].cause = "bandwidth";
	assert_int_equal(weir_store_record(test->store, baseline, &counts, NULL), WEIR_OK);
	assert_int_equal(counts.added, 0);
	baseline->runs[0].bound = "runtime"; /* the first verdict stays */
	assert_int_equal(weir_store_record(test->store, baseline, &counts, NULL), WEIR_OK);
	assert_int_equal(weir_store_load(test->store, &query, &stored, NULL), WEIR_OK);
	assert_string_equal(stored->runs[0].bound, "memory");
	assert_string_equal(stored->runs[0].cause, "bandwidth");
	assert_string_equal(stored->runs[0].recorded, "2026-11-01T00:00:01Z");
	weir_baseline_free(stored);
	weir_baseline_free(baseline);
}

static void the_newest_runs_are_found(void **state)
{
	struct test_store *test = *state;
	struct weir_store_query query = {.name = "main", .newest = 2};
	struct weir_baseline *baseline;

	test_record(test, "main", 1, 9);
	assert_int_equal(weir_store_load(test->store, &query, &baseline, NULL), WEIR_OK);
	assert_int_equal(baseline->count, 2);
	assert_string_equal(baseline->runs[0].recorded, "2026-11-01T00:00:08Z");
	assert_string_equal(baseline->runs[1].recorded, "2026-11-01T00:00:09Z");
	weir_baseline_free(baseline);
}

static void one_series_can_be_read_alone(void **state)
{
	struct test_store *test = *state;
	struct weir_store_query query = {
		.name = "main", .table = WEIR_RUN_OPERATORS, .series = "decode/aten::mm"};
	struct weir_baseline *baseline;

	test_record(test, "main", 1, 2);
	assert_int_equal(weir_store_load(test->store, &query, &baseline, NULL), WEIR_OK);
	assert_int_equal(baseline->runs[1].run->operators.count, 1);
	assert_int_equal(baseline->runs[1].run->operators.items[0].count, 20);
	assert_int_equal(baseline->runs[1].run->stages.count, 0);
	weir_baseline_free(baseline);
}

static void a_promotion_replaces_and_keeps_history(void **state)
{
	struct test_store *test = *state;
	struct weir_store_counts counts;
	struct weir_store_health health;
	struct weir_error err = {0};

	test_record(test, "main", 1, 5);
	test_record(test, "next", 5, 8); /* 5 is in both */
	assert_int_equal(weir_store_promote(test->store, "next", "main", &counts, &err), WEIR_OK);
	assert_int_equal(counts.added, 3);
	assert_int_equal(counts.held, 4);
	assert_int_equal(counts.retired, 4);
	assert_int_equal(test_count(test, "main", false), 4);
	assert_int_equal(test_count(test, "main", true), 8);
	assert_int_equal(test_count(test, "next", true), 4);
	test_record(test, "main", 1, 1); /* recorded again: current again */
	assert_int_equal(test_count(test, "main", false), 5);
	assert_int_equal(test_count(test, "main", true), 8);
	assert_int_equal(weir_store_promote(test->store, "nobody", "main", &counts, &err),
	                 WEIR_E_NO_BASELINE);
	assert_int_equal(weir_store_promote(test->store, "main", "main", &counts, &err),
	                 WEIR_E_USAGE);
	assert_int_equal(test_count(test, "main", false), 5);
	assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_OK);
}

static void what_is_removed_is_gone_with_its_runs(void **state)
{
	struct test_store *test = *state;
	struct weir_store_health health;
	struct weir_store_list *list;
	size_t runs;

	test_record(test, "main", 1, 5);
	test_record(test, "next", 4, 6);
	assert_int_equal(weir_store_list(test->store, &list, NULL), WEIR_OK);
	assert_int_equal(list->count, 2);
	assert_string_equal(list->rows[0].name, "main");
	assert_int_equal(list->rows[0].runs, 5);
	assert_string_equal(list->rows[0].first, "2026-11-01T00:00:01Z");
	assert_string_equal(list->rows[0].last, "2026-11-01T00:00:05Z");
	assert_string_equal(list->rows[0].gpu, "NVIDIA H200");
	weir_store_list_free(list);
	assert_int_equal(weir_store_remove(test->store, "main", &runs, NULL), WEIR_OK);
	assert_int_equal(runs, 5);
	assert_int_equal(weir_store_remove(test->store, "main", &runs, NULL), WEIR_E_NO_BASELINE);
	assert_int_equal(weir_store_verify(test->store, &health, NULL), WEIR_OK);
	assert_int_equal(health.runs, 3);
	assert_int_equal(health.series, 3 * 5);
}

/* Runs that must be refused, without storing any part of them. */
static void refuse(struct test_store *test, struct weir_run *run, const char *recorded,
                   enum weir_status expected)
{
	struct weir_baseline *baseline = weir_baseline_new("main");
	struct weir_store_counts counts;
	struct weir_error err = {0};

	weir_baseline_take(baseline, test_run(1), "2026-11-01T00:00:00Z");
	weir_baseline_take(baseline, run, recorded);
	assert_int_equal(weir_store_record(test->store, baseline, &counts, &err), expected);
	assert_int_equal(test_count(test, "main", true), 0);
	weir_baseline_free(baseline);
}

static struct weir_run *run_with(const char *name, double value)
{
	struct weir_run *run = weir_run_new();

	weir_series_push(weir_series_get(&run->stages, name), value);
	return run;
}

static void a_bad_run_stops_the_whole_recording(void **state)
{
	struct test_store *test = *state;
	struct weir_run *many = weir_run_new();
	char name[16];

	refuse(test, weir_run_new(), "2026-11-01T00:00:00Z", WEIR_E_EMPTY);
	refuse(test, run_with("a", -1), "2026-11-01T00:00:00Z", WEIR_E_FORMAT);
	refuse(test, run_with("a", 1.0 / 0.0), "2026-11-01T00:00:00Z", WEIR_E_FORMAT);
	refuse(test, run_with("\xc0\x80", 1), "2026-11-01T00:00:00Z", WEIR_E_FORMAT);
	refuse(test, run_with("a", 1), "2026-11-31T00:00:00Z", WEIR_E_FORMAT);
	refuse(test, run_with("a", 1), "2025-02-29T00:00:00Z", WEIR_E_FORMAT);
	refuse(test, run_with("a", 1), "yesterday", WEIR_E_FORMAT);
	for (int i = 0; i <= WEIR_RUN_MAX_SERIES; i++) {
		snprintf(name, sizeof(name), "%d", i);
		weir_series_push(weir_series_get(&many->stages, name), 1);
	}
	refuse(test, many, "2026-11-01T00:00:00Z", WEIR_E_LIMIT);
	assert_true(weir_recorded_valid("2024-02-29T23:59:59Z"));
	assert_int_equal(weir_baseline_check_name("-x", NULL), WEIR_E_USAGE);
	assert_int_equal(weir_baseline_check_name("a\nb", NULL), WEIR_E_USAGE);
	assert_int_equal(weir_baseline_check_name("", NULL), WEIR_E_USAGE);
	assert_int_equal(weir_baseline_check_name("m\xE2\x80\xAEx", NULL),
	                 WEIR_E_USAGE);                                               /* U+202E */
	assert_int_equal(weir_baseline_check_name("m\xC2\x9Bx", NULL), WEIR_E_USAGE); /* U+009B */
	assert_int_equal(weir_baseline_check_name("main h200/größe", NULL), WEIR_OK);
}

static void a_store_that_is_not_there_is_no_baseline(void **state)
{
	struct test_store *test = *state;
	struct weir_store_query query = {.name = "main"};
	struct weir_store *store = NULL;
	struct weir_baseline *baseline;
	struct weir_error err = {0};

	assert_int_equal(weir_store_load(test->store, &query, &baseline, &err), WEIR_E_NO_BASELINE);
	test_store_delete(test);
	for (int i = 0; i < 2; i++) /* reading creates nothing */
		assert_int_equal(weir_store_open(test->path, WEIR_STORE_READ, &store, &err),
		                 WEIR_E_NO_BASELINE);
	if (!test_store_is_server())
		assert_int_not_equal(access(test->path, F_OK), 0);
	assert_int_equal(weir_store_open(test->folder, WEIR_STORE_READ, &store, &err),
	                 WEIR_E_STORE);
	assert_int_equal(weir_store_open(test->folder, WEIR_STORE_WRITE, &store, &err),
	                 WEIR_E_STORE);
}

static void another_schema_is_refused(void **state)
{
	static const struct {
		const char *sql, *on_server, *says;
	} cases[] = {
		{"PRAGMA user_version = 4", "UPDATE store SET version = 4",
	         "was written by a newer weir"},
		{"PRAGMA application_id = 1", "DROP TABLE store",
	         "is a database of something else"},
		{"CREATE TABLE more (x)", "CREATE TABLE more (x INTEGER)",
	         "its tables are not those of weir"},
		{"CREATE TRIGGER t AFTER INSERT ON run BEGIN DELETE FROM run; END",
	         "CREATE RULE t AS ON INSERT TO run DO ALSO DELETE FROM run",
	         "its tables are not those of weir"},
		{"DROP INDEX member_by_age", NULL, "its tables are not those of weir"},
	};
	struct test_store *test = *state;
	struct weir_store *store = NULL;
	struct weir_error err = {0};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		test_store_renew(test);
		test_store_sql(test, cases[i].sql, cases[i].on_server);
		weir_store_free(test->store);
		test->store = NULL;
		assert_int_equal(weir_store_open(test->path, WEIR_STORE_READ, &store, &err),
		                 WEIR_E_STORE);
		assert_int_equal(weir_store_open(test->path, WEIR_STORE_WRITE, &store, &err),
		                 WEIR_E_STORE);
		if (!strstr(err.message, cases[i].says))
			fail_msg("%s: %s", cases[i].sql, err.message);
	}
}

/* Another job that never finishes its transaction. */
static void a_locked_store_gives_up_in_time(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *baseline = weir_baseline_new("main");
	struct weir_store_counts counts;
	struct weir_error err = {0};
	struct test_lock lock;

	weir_baseline_take(baseline, test_run(1), "2026-11-01T00:00:00Z");
	assert_int_equal(setenv("PGOPTIONS", "-c lock_timeout=50", 1), 0);
	test_store_reopen(test, WEIR_STORE_WRITE);
	if (!test_store_is_server())
		sqlite3_busy_timeout(weir_db_sqlite_handle(test->store->db), 50);
	lock = test_store_lock(test);
	assert_int_equal(weir_store_record(test->store, baseline, &counts, &err), WEIR_E_STORE);
	assert_non_null(strstr(err.message, "is locked by another process"));
	assert_int_equal(test_count(test, "main", true), 0); /* readers do not wait */
	test_store_unlock(&lock);
	assert_int_equal(weir_store_record(test->store, baseline, &counts, &err), WEIR_OK);
	assert_int_equal(unsetenv("PGOPTIONS"), 0);
	weir_baseline_free(baseline);
}

/* Content that is well-formed but wrong, which integrity_check cannot detect. */
static void verify_sees_what_was_changed_by_hand(void **state)
{
	static const struct {
		const char *sql, *on_server; /* NULL: the same */
	} changes[] = {
		{"UPDATE run SET bound = 'memory'", NULL},
		{"UPDATE label SET value = 'other' WHERE key = 'gpu'", NULL},
		{"UPDATE series SET count = 19 WHERE name = 'decode'", NULL},
		{"UPDATE series SET better = 'lower'", NULL},
		{"UPDATE series SET unit = 's' WHERE kind = 'metrics'", NULL},
		{"UPDATE series SET name = 'x' WHERE name = 'prefill'", NULL},
		{"UPDATE series SET samples = (SELECT samples FROM series WHERE name = 'prefill')",
	         NULL},
		{"UPDATE series SET samples = zeroblob(40) WHERE name = 'prefill'",
	         "UPDATE series SET samples = decode(repeat('00', 40), 'hex')"
	         " WHERE name = 'prefill'"},
		{"DELETE FROM series WHERE kind = 'calls'", NULL},
		{"DELETE FROM label WHERE key = 'gpu'", NULL},
		{"DELETE FROM member", NULL},
		{"UPDATE member SET recorded = 'now'", NULL},
		{"PRAGMA foreign_keys = OFF; UPDATE member SET run = 77",
	         "SET session_replication_role = replica; UPDATE member SET run = 77"},
		{"UPDATE run SET digest = zeroblob(32)",
	         "UPDATE run SET digest = decode(repeat('00', 32), 'hex')"},
	};
	struct test_store *test = *state;
	struct weir_store_health health;
	struct weir_error err = {0};

	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		test_store_renew(test);
		test_record(test, "main", 1, 1);
		assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_OK);
		test_store_sql(test, changes[i].sql, changes[i].on_server);
		if (weir_store_verify(test->store, &health, &err) != WEIR_E_STORE)
			fail_msg("not seen: %s", changes[i].sql);
		assert_non_null(strstr(err.message, test->store->path));
	}
}

/* --- query plans --- */

#define MAX_STATEMENTS 100

struct seen {
	char *sql[MAX_STATEMENTS];
	size_t count;
};

static int see(unsigned kind, void *context, void *statement, void *text)
{
	struct seen *seen = context;
	const char *sql = sqlite3_sql(statement);

	(void)kind;
	(void)text;
	for (size_t i = 0; i < seen->count; i++)
		if (strcmp(seen->sql[i], sql) == 0)
			return 0;
	assert_true(seen->count < MAX_STATEMENTS);
	seen->sql[seen->count] = strdup(sql);
	assert_non_null(seen->sql[seen->count++]);
	return 0;
}

/* Reads the query plan; returns the number of steps that scan a table whose size grows with the
 * runs. */
static size_t count_scans(sqlite3 *handle, const char *sql)
{
	static const char *const large[] = {"member", "run", "r", "m", "f", "series", "label"};
	char *explain = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", sql);
	sqlite3_stmt *plan = NULL;
	size_t scans = 0;

	assert_int_equal(sqlite3_prepare_v2(handle, explain, -1, &plan, NULL), SQLITE_OK);
	while (sqlite3_step(plan) == SQLITE_ROW) {
		const char *detail = (const char *)sqlite3_column_text(plan, 3);

		for (size_t i = 0; i < sizeof(large) / sizeof(large[0]); i++) {
			size_t length = strlen(large[i]);

			if (strncmp(detail, "SCAN ", 5) == 0 &&
			    strncmp(detail + 5, large[i], length) == 0 &&
			    (detail[5 + length] == ' ' || !detail[5 + length])) {
				print_message("%s\n  %s\n", sql, detail);
				scans++;
			}
		}
		assert_null(strstr(detail, "TEMP B-TREE"));
	}
	sqlite3_finalize(plan);
	sqlite3_free(explain);
	return scans;
}

static void use_everything(struct test_store *test)
{
	struct weir_store_query query = {.name = "main", .newest = 3};
	struct weir_store_counts counts;
	struct weir_baseline *baseline;
	struct weir_store_list *list;
	size_t runs;

	test_record(test, "main", 11, 14);
	assert_int_equal(weir_store_load(test->store, &query, &baseline, NULL), WEIR_OK);
	weir_baseline_free(baseline);
	query.history = true;
	query.series = "decode";
	assert_int_equal(weir_store_load(test->store, &query, &baseline, NULL), WEIR_OK);
	weir_baseline_free(baseline);
	assert_int_equal(weir_store_list(test->store, &list, NULL), WEIR_OK);
	weir_store_list_free(list);
	assert_int_equal(weir_store_promote(test->store, "main", "next", &counts, NULL), WEIR_OK);
	assert_int_equal(weir_store_remove(test->store, "next", &runs, NULL), WEIR_OK);
}

static void nothing_but_verify_scans_a_large_table(void **state)
{
	struct test_store *test = *state;
	sqlite3 *handle = weir_db_sqlite_handle(test->store->db);
	struct seen seen = {0};
	size_t scans = 0, plans = 0;

	if (!handle) {
		print_message("skipped: only SQLite's plans can be compared\n");
		skip();
	}
	test_record(test, "main", 1, 10);
	sqlite3_trace_v2(handle, SQLITE_TRACE_STMT, see, &seen);
	use_everything(test);
	sqlite3_trace_v2(handle, 0, NULL, NULL);
	for (size_t i = 0; i < seen.count; i++) {
		if (strstr(seen.sql[i], "FROM") || strstr(seen.sql[i], "UPDATE")) {
			scans += count_scans(handle, seen.sql[i]);
			plans++;
		}
		free(seen.sql[i]);
	}
	assert_int_equal(scans, 0);
	assert_true(plans > 12);
	/* A query without an index must be found. */
	assert_int_equal(count_scans(handle, "SELECT count(bound) FROM run"), 1);
}

int main(void)
{
#define STORE_TEST(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, test_store_setup, test_store_teardown)
	const struct CMUnitTest tests[] = {
		STORE_TEST(a_run_comes_back_whole),
		STORE_TEST(the_same_content_is_the_same_run),
		cmocka_unit_test(a_digest_sees_content_and_nothing_else),
		STORE_TEST(a_verdict_is_kept_and_can_come_later),
		STORE_TEST(the_newest_runs_are_found),
		STORE_TEST(one_series_can_be_read_alone),
		STORE_TEST(a_promotion_replaces_and_keeps_history),
		STORE_TEST(what_is_removed_is_gone_with_its_runs),
		STORE_TEST(a_bad_run_stops_the_whole_recording),
		STORE_TEST(a_store_that_is_not_there_is_no_baseline),
		STORE_TEST(another_schema_is_refused),
		STORE_TEST(a_locked_store_gives_up_in_time),
		STORE_TEST(verify_sees_what_was_changed_by_hand),
		STORE_TEST(nothing_but_verify_scans_a_large_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
