/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/store_impl.h"
#include "engine/pipeline/advice_record.h"
#include "tests/unit/make_store.h"
#include "tests/unit/near.h"

static struct weir_advice_outcome outcome_of(const char *fix, uint8_t pair)
{
	struct weir_advice_outcome outcome = {
		.fix = fix,
		.device = "NVIDIA H200",
		.promised_ns = 1.1e6,
		.low_ns = 0.9e6,
		.high_ns = 1.2e6,
		.before_ns = 4e6,
		.measured_ns = 1e6,
		.recorded = "2026-11-20T14:00:00Z",
		.before = "before.json",
		.after = "after.json",
	};

	memset(outcome.pair, pair, sizeof outcome.pair);
	return outcome;
}

static enum weir_advice_kept keep(struct test_store *test,
                                  const struct weir_advice_outcome *outcome)
{
	struct weir_error err = {0};
	enum weir_advice_kept kept;

	if (weir_store_keep_advice(test->store, outcome, &kept, &err))
		fail_msg("%s", err.message);
	return kept;
}

static size_t count_kept(struct test_store *test)
{
	struct weir_advice_list *list;
	size_t count;

	assert_int_equal(weir_store_load_advice(test->store, &list, NULL), WEIR_OK);
	count = list->count;
	weir_advice_list_free(list);
	return count;
}

static void an_outcome_comes_back_whole(void **state)
{
	struct test_store *test = *state;
	struct weir_advice_outcome outcome = outcome_of("cuda-graph", 1);
	struct weir_advice_list *list;

	outcome.device = NULL;
	outcome.before_ns = NAN;
	assert_int_equal(keep(test, &outcome), WEIR_ADVICE_ADDED);
	test_store_reopen(test, WEIR_STORE_READ);
	assert_int_equal(weir_store_load_advice(test->store, &list, NULL), WEIR_OK);
	assert_int_equal(list->count, 1);
	assert_string_equal(list->items[0].fix, "cuda-graph");
	assert_null(list->items[0].device);
	assert_near(list->items[0].promised_ns, 1.1e6, 0);
	assert_near(list->items[0].low_ns, 0.9e6, 0);
	assert_near(list->items[0].high_ns, 1.2e6, 0);
	assert_near(list->items[0].before_ns, NAN, 0);
	assert_near(list->items[0].measured_ns, 1e6, 0);
	assert_string_equal(list->items[0].recorded, "2026-11-20T14:00:00Z");
	assert_string_equal(list->items[0].before, "before.json");
	assert_string_equal(list->items[0].after, "after.json");
	assert_memory_equal(list->items[0].pair, outcome.pair, sizeof outcome.pair);
	weir_advice_list_free(list);
}

static void a_pair_has_one_outcome_for_each_fix(void **state)
{
	struct test_store *test = *state;
	struct weir_advice_outcome outcome = outcome_of("cuda-graph", 1);
	struct weir_advice_outcome other = outcome_of("compile", 1);
	struct weir_advice_outcome next = outcome_of("cuda-graph", 2);
	struct weir_store_health health;

	assert_int_equal(keep(test, &outcome), WEIR_ADVICE_ADDED);
	outcome.recorded = "2026-11-21T14:00:00Z";
	outcome.before = "elsewhere/before.json";
	assert_int_equal(keep(test, &outcome), WEIR_ADVICE_KNOWN);
	assert_int_equal(count_kept(test), 1);
	outcome.measured_ns = 1.05e6;
	assert_int_equal(keep(test, &outcome), WEIR_ADVICE_REPLACED);
	assert_int_equal(count_kept(test), 1);
	assert_int_equal(keep(test, &other), WEIR_ADVICE_ADDED);
	assert_int_equal(keep(test, &next), WEIR_ADVICE_ADDED);
	assert_int_equal(count_kept(test), 3);
	assert_int_equal(weir_store_verify(test->store, &health, NULL), WEIR_OK);
	assert_int_equal(health.advice, 3);
}

static void refuse(struct test_store *test, const struct weir_advice_outcome *outcome,
                   enum weir_status expected)
{
	struct weir_error err = {0};
	enum weir_advice_kept kept;

	assert_int_equal(weir_store_keep_advice(test->store, outcome, &kept, &err), expected);
	assert_int_equal(count_kept(test), 0);
}

static void an_outcome_without_steps_is_refused(void **state)
{
	struct test_store *test = *state;
	struct weir_advice_outcome outcome = outcome_of("", 1);
	char *text = malloc(WEIR_RUN_MAX_LABEL + 2);

	refuse(test, &outcome, WEIR_E_FORMAT);
	outcome = outcome_of("cuda-graph", 1);
	outcome.measured_ns = 0;
	refuse(test, &outcome, WEIR_E_FORMAT);
	outcome = outcome_of("cuda-graph", 1);
	outcome.promised_ns = NAN;
	refuse(test, &outcome, WEIR_E_FORMAT);
	outcome = outcome_of("cuda-graph", 1);
	outcome.before_ns = -1;
	refuse(test, &outcome, WEIR_E_FORMAT);
	outcome = outcome_of("cuda-graph", 1);
	outcome.recorded = "today";
	refuse(test, &outcome, WEIR_E_FORMAT);
	assert_non_null(text);
	memset(text, 'a', WEIR_RUN_MAX_LABEL + 1);
	text[WEIR_RUN_MAX_LABEL + 1] = '\0';
	outcome = outcome_of(text, 1);
	refuse(test, &outcome, WEIR_E_LIMIT);
	free(text);
}

static void verify_sees_outcomes_that_were_changed_by_hand(void **state)
{
	static const struct {
		const char *sql, *on_server; /* NULL: the same */
	} changes[] = {
		{"UPDATE advice SET measured_ns = 1100000", NULL},
		{"UPDATE advice SET low_ns = 1", NULL},
		{"UPDATE advice SET before_ns = NULL", NULL},
		{"UPDATE advice SET device = NULL", NULL},
		{"UPDATE advice SET fix = 'compile'", NULL},
		{"UPDATE advice SET after = 'b'", NULL},
		{"UPDATE advice SET recorded = 'now'", NULL},
		{"UPDATE advice SET pair = zeroblob(32)",
	         "UPDATE advice SET pair = decode(repeat('00', 32), 'hex')"},
		{"UPDATE advice SET seal = zeroblob(32)",
	         "UPDATE advice SET seal = decode(repeat('00', 32), 'hex')"},
	};
	struct test_store *test = *state;
	struct weir_advice_outcome outcome = outcome_of("cuda-graph", 1);
	struct weir_store_health health;
	struct weir_error err = {0};

	for (size_t i = 0; i < WEIR_COUNT_OF(changes); i++) {
		test_store_sql(test, "DELETE FROM advice", NULL);
		keep(test, &outcome);
		assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_OK);
		test_store_sql(test, changes[i].sql, changes[i].on_server);
		if (weir_store_verify(test->store, &health, &err) != WEIR_E_STORE)
			fail_msg("not seen: %s", changes[i].sql);
	}
}

/* Takes the store back to the first version of the schema. */
static void make_old(struct test_store *test)
{
	test_store_sql(test,
	               "DROP TABLE advice; DROP TABLE pin; DROP TABLE pruned;"
	               "PRAGMA user_version = 1",
	               "DROP TABLE advice, pin, pruned; UPDATE store SET version = 1");
}

static void a_store_of_version_1_migrates(void **state)
{
	const enum weir_store_access ways[] = {WEIR_STORE_READ, WEIR_STORE_WRITE};
	struct test_store *test = *state;
	struct weir_advice_outcome outcome = outcome_of("cuda-graph", 1);
	struct weir_store_health health;

	test_record(test, "main", 1, 3);
	for (size_t i = 0; i < WEIR_COUNT_OF(ways); i++) {
		make_old(test);
		test_store_reopen(test, ways[i]);
		assert_int_equal(test->store->version, 3);
		assert_int_equal(test_count(test, "main", false), 3);
		assert_int_equal(count_kept(test), 0);
		assert_int_equal(weir_store_verify(test->store, &health, NULL), WEIR_OK);
		test_store_reopen(test, WEIR_STORE_WRITE);
	}
	assert_int_equal(keep(test, &outcome), WEIR_ADVICE_ADDED);
}

/* ---- the record of each fix ---- */

static void a_record_counts_by_fix(void **state)
{
	static const double measured_ns[] = {1e6, 1.1e6, 2.2e6}; /* errors 10 %, 0, 50 % */
	struct test_store *test = *state;
	struct weir_advice_record *records;
	struct weir_advice_list *list;
	size_t count;

	for (size_t i = 0; i < WEIR_COUNT_OF(measured_ns); i++) {
		struct weir_advice_outcome outcome = outcome_of("cuda-graph", (uint8_t)i);

		outcome.measured_ns = measured_ns[i];
		keep(test, &outcome);
		if (i == 0) {
			outcome = outcome_of("compile", (uint8_t)i);
			keep(test, &outcome);
		}
	}
	assert_int_equal(weir_store_load_advice(test->store, &list, NULL), WEIR_OK);
	records = weir_advice_records(list, &count);
	assert_int_equal(count, 2);
	assert_string_equal(records[0].fix, "compile");
	assert_int_equal(records[0].tried, 1);
	assert_string_equal(records[1].fix, "cuda-graph");
	assert_int_equal(records[1].tried, 3);
	assert_int_equal(records[1].within, 2);
	assert_near(records[1].median_error, 0.1, 1e-9);
	free(records);
	weir_advice_list_free(list);
}

static void no_outcome_is_no_record(void **state)
{
	struct test_store *test = *state;
	struct weir_advice_list *list;
	size_t count;

	assert_int_equal(weir_store_load_advice(test->store, &list, NULL), WEIR_OK);
	free(weir_advice_records(list, &count));
	assert_int_equal(count, 0);
	weir_advice_list_free(list);
}

int main(void)
{
#define STORE_TEST(test)                                                                           \
	cmocka_unit_test_setup_teardown(test, test_store_setup, test_store_teardown)
	const struct CMUnitTest tests[] = {
		STORE_TEST(an_outcome_comes_back_whole),
		STORE_TEST(a_pair_has_one_outcome_for_each_fix),
		STORE_TEST(an_outcome_without_steps_is_refused),
		STORE_TEST(verify_sees_outcomes_that_were_changed_by_hand),
		STORE_TEST(a_store_of_version_1_migrates),
		STORE_TEST(a_record_counts_by_fix),
		STORE_TEST(no_outcome_is_no_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
