/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small runs, and a store in a temporary folder. */
#ifndef WEIR_TESTS_UNIT_MAKE_STORE_H
#define WEIR_TESTS_UNIT_MAKE_STORE_H

#include "baselines/store.h"

struct test_store {
	char folder[64];
	char path[96]; /* path of the store: FOLDER/sub/baselines.db */
	struct weir_store *store;
};

/* Setup and teardown of cmocka: *state is a struct test_store with an open, empty store. */
int test_store_setup(void **state);
int test_store_teardown(void **state);
void test_store_reopen(struct test_store *test, enum weir_store_access access);

/* Returns a run with two stages, an operator, its calls and a metric; `number` determines its
 * values. */
struct weir_run *test_run(unsigned number);
/* Records the runs first..last (inclusive), each a second later than the one before. */
struct weir_store_counts test_record(struct test_store *test, const char *name, unsigned first,
                                     unsigned last);
/* Returns the number of runs of a baseline; 0 if there is no such baseline. */
size_t test_count(struct test_store *test, const char *name, bool history);

#endif
