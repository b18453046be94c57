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
#include <libpq-fe.h>
#include <sqlite3.h>

#include "baselines/address.h"
#include "tests/unit/make_store.h"

void test_store_reopen(struct test_store *test, enum weir_store_access access)
{
	struct weir_error err = {0};

	weir_store_free(test->store);
	test->store = NULL;
	if (weir_store_open(test->path, access, &test->store, &err))
		fail_msg("%s", err.message);
}

bool test_store_is_server(void)
{
	const char *address = getenv("WEIR_TEST_STORE");

	return address && weir_address_is_server(address);
}

static PGconn *connect_to_server(const struct test_store *test)
{
	PGconn *connection = PQconnectdb(test->path);

	if (PQstatus(connection) != CONNECTION_OK)
		fail_msg("%s", PQerrorMessage(connection));
	PQclear(PQexec(connection, "SET search_path = weir"));
	PQclear(PQexec(connection, "SET client_min_messages = warning"));
	return connection;
}

static void run_on_server(PGconn *connection, const char *sql)
{
	PGresult *result = PQexec(connection, sql);

	if (PQresultStatus(result) != PGRES_COMMAND_OK && PQresultStatus(result) != PGRES_TUPLES_OK)
		fail_msg("%s: %s", sql, PQerrorMessage(connection));
	PQclear(result);
}

void test_store_sql(const struct test_store *test, const char *file, const char *server)
{
	const char *sql = server && test_store_is_server() ? server : file;
	char *reason = NULL;
	sqlite3 *handle = NULL;
	PGconn *connection;

	if (test_store_is_server()) {
		connection = connect_to_server(test);
		run_on_server(connection, sql);
		PQfinish(connection);
		return;
	}
	assert_int_equal(sqlite3_open(test->path, &handle), SQLITE_OK);
	if (sqlite3_exec(handle, sql, NULL, NULL, &reason) != SQLITE_OK)
		fail_msg("%s: %s", sql, reason);
	sqlite3_close(handle);
}

struct test_lock test_store_lock(const struct test_store *test)
{
	struct test_lock lock = {0};

	if (test_store_is_server()) {
		lock.server = connect_to_server(test);
		run_on_server(lock.server, "SELECT pg_advisory_lock(2003134834)");
		return lock;
	}
	assert_int_equal(sqlite3_open(test->path, &lock.file), SQLITE_OK);
	assert_int_equal(sqlite3_exec(lock.file, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
	return lock;
}

void test_store_unlock(struct test_lock *lock)
{
	sqlite3_close(lock->file);
	PQfinish(lock->server);
	*lock = (struct test_lock){0};
}

void test_store_delete(struct test_store *test)
{
	char path[300];

	weir_store_free(test->store);
	test->store = NULL;
	if (test_store_is_server()) {
		test_store_sql(test, "", "DROP SCHEMA IF EXISTS weir CASCADE");
		return;
	}
	remove(test->path);
	snprintf(path, sizeof(path), "%s-wal", test->path);
	remove(path);
	snprintf(path, sizeof(path), "%s-shm", test->path);
	remove(path);
}

void test_store_renew(struct test_store *test)
{
	test_store_delete(test);
	test_store_reopen(test, WEIR_STORE_WRITE);
}

int test_store_setup(void **state)
{
	const char *place = getenv("TMPDIR");
	struct test_store *test = calloc(1, sizeof(*test));

	assert_non_null(test);
	snprintf(test->folder, sizeof(test->folder), "%.40s/weir.XXXXXX", place ? place : "/tmp");
	assert_non_null(mkdtemp(test->folder));
	if (test_store_is_server())
		snprintf(test->path, sizeof(test->path), "%s", getenv("WEIR_TEST_STORE"));
	else
		snprintf(test->path, sizeof(test->path), "%s/sub/baselines.db", test->folder);
	test_store_renew(test);
	*state = test;
	return 0;
}

int test_store_teardown(void **state)
{
	struct test_store *test = *state;
	char path[128];

	test_store_delete(test);
	snprintf(path, sizeof(path), "%s/sub", test->folder);
	remove(path);
	remove(test->folder);
	free(test);
	return 0;
}

struct weir_run *test_run(unsigned number)
{
	struct weir_run *run = weir_run_new();
	struct weir_series *metric;

	for (unsigned i = 0; i < 20; i++) {
		weir_series_push(weir_series_get(&run->stages, "decode"),
		                 571000 + number * 10 + i * 7 % 13);
		weir_series_push(weir_series_get(&run->stages, "prefill"), 1.0 / (number + i + 1));
		weir_series_push(weir_series_get(&run->operators, "decode/aten::mm"),
		                 80000 + i % 3);
		weir_series_push(weir_series_get(&run->calls, "decode/aten::mm"), 112);
	}
	metric = weir_series_get(&run->metrics, "tokens_per_s");
	weir_series_push(metric, 1743.5);
	metric->higher_is_better = true;
	metric->unit = calloc(1, 4);
	assert_non_null(metric->unit);
	memcpy(metric->unit, "1/s", 4);
	weir_run_set_label(run, "gpu", "NVIDIA H200");
	weir_run_set_label(run, "driver", number % 2 ? "580.1" : "580.2");
	return run;
}

struct weir_store_counts test_record(struct test_store *test, const char *name, unsigned first,
                                     unsigned last)
{
	struct weir_baseline *baseline = weir_baseline_new(name);
	struct weir_store_counts counts;
	struct weir_error err = {0};

	for (unsigned i = first; i <= last; i++) {
		char recorded[32];

		snprintf(recorded, sizeof(recorded), "2026-11-%02uT%02u:%02u:%02uZ",
		         1 + i / 86400 % 28, i / 3600 % 24, i / 60 % 60, i % 60);
		weir_baseline_take(baseline, test_run(i), recorded);
	}
	if (weir_store_record(test->store, baseline, &counts, &err))
		fail_msg("%s", err.message);
	weir_baseline_free(baseline);
	return counts;
}

size_t test_count(struct test_store *test, const char *name, bool history)
{
	struct weir_store_query query = {.name = name, .history = history, .bare = true};
	struct weir_baseline *baseline;
	size_t count;

	if (weir_store_load(test->store, &query, &baseline, NULL))
		return 0;
	count = baseline->count;
	weir_baseline_free(baseline);
	return count;
}
