/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Visiting the runs of a baseline one after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/pruning.h"
#include "tests/unit/make_store.h"

struct seen {
	const struct weir_baseline *expected;
	size_t count, most;
	enum weir_status fails;
};

static enum weir_status see(void *context, struct weir_baseline_run *run, bool *enough,
                            struct weir_error *err)
{
	struct seen *seen = context;
	const struct weir_baseline_run *expected = &seen->expected->runs[seen->count];

	assert_true(seen->count < seen->expected->count);
	assert_string_equal(run->id, expected->id);
	assert_string_equal(run->recorded, expected->recorded);
	assert_int_equal(run->history, expected->history);
	assert_int_equal(run->pruned, expected->pruned);
	assert_int_equal(run->run->label_count, expected->run->label_count);
	assert_int_equal(run->run->stages.count, expected->run->stages.count);
	assert_memory_equal(run->run->stages.items[0].value, expected->run->stages.items[0].value,
	                    expected->run->stages.items[0].count * sizeof(double));
	seen->count++;
	*enough = seen->count == seen->most;
	return seen->fails ? weir_fail(err, seen->fails, "no more of this") : WEIR_OK;
}

/* Current runs, history of a promotion, and pruned runs between them; more than one batch. */
static struct weir_baseline *make_history(struct test_store *test)
{
	const struct weir_store_query query = {.name = "main", .history = true};
	struct weir_baseline *leaving, *all;
	struct weir_store_counts counts;
	struct weir_error err = {0};
	size_t pruned;

	test_record(test, "main", 1, 40);
	test_record(test, "next", 21, 60);
	assert_int_equal(weir_store_promote(test->store, "next", "main", &counts, &err), WEIR_OK);
	assert_int_equal(weir_prune(test->store,
	                            &(struct weir_store_choice){
					    .name = "main", .before = "2999", .keep = 45},
	                            false, &leaving, &pruned, &err),
	                 WEIR_OK);
	assert_int_equal(pruned, 15);
	weir_baseline_free(leaving);
	assert_int_equal(weir_store_load(test->store, &query, &all, &err), WEIR_OK);
	assert_int_equal(all->count, 60);
	return all;
}

static void runs_come_whole_and_in_the_order_of_a_load(void **state)
{
	struct test_store *test = *state;
	struct seen seen = {.expected = make_history(test)};
	struct weir_error err = {0};

	assert_int_equal(weir_store_each(test->store, "main", see, &seen, &err), WEIR_OK);
	assert_int_equal(seen.count, 60);
	weir_baseline_free((struct weir_baseline *)seen.expected);
}

static void a_visitor_may_stop(void **state)
{
	static const size_t after[] = {1, 15, 16, 17, 40, 60};
	struct test_store *test = *state;
	struct weir_baseline *all = make_history(test);
	struct weir_error err = {0};

	for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
		struct seen seen = {.expected = all, .most = after[i]};

		assert_int_equal(weir_store_each(test->store, "main", see, &seen, &err), WEIR_OK);
		assert_int_equal(seen.count, after[i]);
	}
	weir_baseline_free(all);
}

static void the_failure_of_a_visitor_is_returned(void **state)
{
	struct test_store *test = *state;
	struct seen seen = {.expected = make_history(test), .fails = WEIR_E_USAGE};
	struct weir_error err = {0};

	assert_int_equal(weir_store_each(test->store, "main", see, &seen, &err), WEIR_E_USAGE);
	assert_int_equal(seen.count, 1);
	assert_string_equal(err.message, "no more of this");
	weir_baseline_free((struct weir_baseline *)seen.expected);
}

static void an_unknown_name_is_no_baseline(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *all = make_history(test);
	struct seen seen = {.expected = all};
	struct weir_error err = {0};

	assert_int_equal(weir_store_each(test->store, "mian", see, &seen, &err),
	                 WEIR_E_NO_BASELINE);
	assert_int_equal(seen.count, 0);
	assert_non_null(strstr(err.message, "did you mean main?"));
	weir_baseline_free(all);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(runs_come_whole_and_in_the_order_of_a_load,
	                                        test_store_setup, test_store_teardown),
		cmocka_unit_test_setup_teardown(a_visitor_may_stop, test_store_setup,
	                                        test_store_teardown),
		cmocka_unit_test_setup_teardown(the_failure_of_a_visitor_is_returned,
	                                        test_store_setup, test_store_teardown),
		cmocka_unit_test_setup_teardown(an_unknown_name_is_no_baseline, test_store_setup,
	                                        test_store_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
