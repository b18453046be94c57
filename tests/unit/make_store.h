/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small runs, and a store in a temporary folder; or in the database of the server whose address the
 * environment variable WEIR_TEST_STORE holds. Everything that weir stored there is dropped. */
#ifndef WEIR_TESTS_UNIT_MAKE_STORE_H
#define WEIR_TESTS_UNIT_MAKE_STORE_H

#include "baselines/store.h"

struct test_store {
	char folder[64];
	char path[256]; /* path of the store: FOLDER/sub/baselines.db, or the address */
	struct weir_store *store;
};

/* Setup and teardown of cmocka: *state is a struct test_store with an open, empty store. */
int test_store_setup(void **state);
int test_store_teardown(void **state);
void test_store_reopen(struct test_store *test, enum weir_store_access access);
/* Deletes the store and opens a new one. */
void test_store_renew(struct test_store *test);
/* Deletes the store and leaves nothing open. */
void test_store_delete(struct test_store *test);

bool test_store_is_server(void);
/* Runs statements over another connection; `server` in place of `file` on a server unless it is
 * NULL. Fails the test if they fail. */
void test_store_sql(const struct test_store *test, const char *file, const char *server);

/* Another connection that holds the lock of writers until it is released. */
struct test_lock {
	struct sqlite3 *file;
	struct pg_conn *server;
};
struct test_lock test_store_lock(const struct test_store *test);
void test_store_unlock(struct test_lock *lock);

/* Returns a run with two stages, an operator, its calls and a metric; `number` determines its
 * values. */
struct weir_run *test_run(unsigned number);
/* Records the runs first..last (inclusive), each a second later than the one before. */
struct weir_store_counts test_record(struct test_store *test, const char *name, unsigned first,
                                     unsigned last);
/* Returns the number of runs of a baseline; 0 if there is no such baseline. */
size_t test_count(struct test_store *test, const char *name, bool history);

#endif
