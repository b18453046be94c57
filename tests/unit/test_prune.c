/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/exchange.h"
#include "baselines/store.h"
#include "engine/analysis/compare/history.h"
#include "engine/pipeline/pruning.h"
#include "tests/unit/make_store.h"

static size_t prune(struct test_store *test, size_t keep, const char *before)
{
	const struct weir_store_choice choice = {.name = "main", .keep = keep, .before = before};
	struct weir_baseline *leaving = NULL;
	struct weir_error err = {0};
	size_t pruned;

	if (weir_prune(test->store, &choice, false, &leaving, &pruned, &err))
		fail_msg("%s", err.message);
	weir_baseline_free(leaving);
	return pruned;
}

/* Returns the stored bytes of the samples of a baseline; "" means the whole store. */
static uint64_t bytes_of(struct test_store *test, const char *name)
{
	struct weir_store_list *list;
	struct weir_error err = {0};
	uint64_t bytes = 0;

	if (weir_store_list(test->store, &list, &err) ||
	    weir_store_measure(test->store, list, &err))
		fail_msg("%s", err.message);
	if (!*name)
		bytes = list->sample_bytes;
	for (size_t i = 0; i < list->count; i++)
		if (strcmp(list->rows[i].name, name) == 0)
			bytes = list->rows[i].sample_bytes;
	weir_store_list_free(list);
	return bytes;
}

static size_t prune_to(struct test_store *test, uint64_t bytes, size_t keep)
{
	const struct weir_store_choice choice = {.name = "main", .most_bytes = bytes, .keep = keep};
	struct weir_baseline *leaving = NULL;
	struct weir_error err = {0};
	size_t pruned;

	if (weir_prune(test->store, &choice, false, &leaving, &pruned, &err))
		fail_msg("%s", err.message);
	weir_baseline_free(leaving);
	return pruned;
}

static struct weir_baseline *load(struct test_store *test, bool history)
{
	const struct weir_store_query query = {.name = "main", .history = history};
	struct weir_baseline *baseline;
	struct weir_error err = {0};

	if (weir_store_load(test->store, &query, &baseline, &err))
		fail_msg("%s", err.message);
	return baseline;
}

static double value_of(const struct weir_baseline *baseline, size_t run, const char *label)
{
	struct weir_history_metric metric;

	assert_true(weir_history_parse(label, &metric));
	return weir_history_value(baseline->runs[run].run, &metric);
}

static void assert_sound(struct test_store *test, uint64_t runs, uint64_t pruned)
{
	struct weir_store_health health;
	struct weir_error err = {0};

	if (weir_store_verify(test->store, &health, &err))
		fail_msg("%s", err.message);
	assert_int_equal(health.runs, runs);
	assert_int_equal(health.pruned, pruned);
}

static void the_size_of_the_samples_counts_a_shared_run_once(void **state)
{
	struct test_store *test = *state;
	uint64_t one;

	assert_int_equal(bytes_of(test, ""), 0);
	test_record(test, "main", 1, 4);
	test_record(test, "next", 4, 4);
	one = bytes_of(test, "next");
	assert_true(one > 0);
	assert_true(bytes_of(test, "main") > 3 * one / 2);
	assert_int_equal(bytes_of(test, ""), bytes_of(test, "main"));
}

static void the_oldest_runs_beyond_a_size_are_pruned(void **state)
{
	struct test_store *test = *state;
	uint64_t all;

	test_record(test, "main", 1, 9);
	test_record(test, "newest", 4, 9);
	all = bytes_of(test, "main");
	assert_int_equal(prune_to(test, all, 0), 0);
	assert_int_equal(prune_to(test, all - 1, 0), 1);
	/* Exactly the newest six fit. */
	assert_int_equal(prune_to(test, bytes_of(test, "newest"), 0), 2);
	assert_int_equal(bytes_of(test, "main"), bytes_of(test, "newest"));
	assert_int_equal(prune_to(test, bytes_of(test, "newest"), 0), 0);
	/* Another limit keeps more; without one, the newest run stays. */
	assert_int_equal(prune_to(test, 1, 4), 2);
	assert_int_equal(prune_to(test, 1, 0), 3);
	assert_int_equal(test_count(test, "main", false), 1);
	assert_int_equal(test_count(test, "main", true), 9);
	assert_sound(test, 6, 8);
}

static void pinned_runs_take_their_part_of_the_size(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *all;
	struct weir_error err = {0};
	size_t changed;

	test_record(test, "main", 1, 9);
	test_record(test, "fits", 1, 1);
	test_record(test, "fits", 8, 9);
	all = load(test, true);
	assert_int_equal(weir_store_pin(test->store, "main", all->runs[0].id, true, &changed, &err),
	                 WEIR_OK);
	weir_baseline_free(all);
	/* The pinned first run and the newest two. */
	assert_int_equal(prune_to(test, bytes_of(test, "fits"), 0), 6);
	all = load(test, true);
	assert_false(all->runs[0].pruned);
	assert_true(all->runs[1].pruned);
	assert_true(all->runs[6].pruned);
	assert_false(all->runs[7].pruned);
	weir_baseline_free(all);
	assert_int_equal(bytes_of(test, "main"), bytes_of(test, "fits"));
}

static void the_newest_runs_keep_their_samples(void **state)
{
	struct test_store *test = *state;

	test_record(test, "shares", 2, 2);
	test_record(test, "main", 1, 9);
	assert_int_equal(prune(test, 9, NULL), 0);
	assert_int_equal(prune(test, 4, NULL), 5);
	assert_int_equal(test_count(test, "main", false), 4);
	assert_int_equal(test_count(test, "main", true), 9);
	assert_sound(test, 5, 5); /* and the one that another name holds */
	assert_int_equal(test_count(test, "shares", false), 1);
	assert_int_equal(prune(test, 4, NULL), 0);
}

static void history_shows_the_same_figures_after_pruning(void **state)
{
	static const char *const labels[] = {"stage:decode",       "stage:decode:p90",
	                                     "stage:decode:p95",   "stage:decode:p99",
	                                     "stage:decode:shift", "operator:decode/aten::mm",
	                                     "stage:prefill",      "metric:tokens_per_s"};
	struct test_store *test = *state;
	struct weir_baseline *before, *after;

	test_record(test, "main", 1, 6);
	before = load(test, true);
	assert_int_equal(prune(test, 1, NULL), 5);
	after = load(test, true);
	assert_int_equal(after->count, before->count);
	for (size_t i = 0; i < before->count; i++) {
		assert_string_equal(after->runs[i].id, before->runs[i].id);
		assert_string_equal(after->runs[i].recorded, before->runs[i].recorded);
		assert_int_equal(after->runs[i].pruned, i < 5);
		assert_int_equal(after->runs[i].samples > 0, true);
		assert_string_equal(weir_run_label(after->runs[i].run, "driver"),
		                    weir_run_label(before->runs[i].run, "driver"));
		for (size_t l = 0; l < sizeof labels / sizeof *labels; l++)
			assert_true(value_of(after, i, labels[l]) ==
			            value_of(before, i, labels[l]));
	}
	weir_baseline_free(before);
	weir_baseline_free(after);
}

static void without_a_count_current_runs_stay(void **state)
{
	struct test_store *test = *state;
	struct weir_store_counts counts;

	test_record(test, "main", 1, 4);
	assert_int_equal(prune(test, 0, "2026-12-01T00:00:00Z"), 0);
	test_record(test, "next", 5, 6);
	assert_int_equal(weir_store_promote(test->store, "next", "main", &counts, NULL), WEIR_OK);
	assert_int_equal(prune(test, 0, "2026-11-01T00:00:01Z"), 0);
	assert_int_equal(prune(test, 0, "2026-11-01T00:00:02Z"), 1);
	assert_int_equal(prune(test, 0, "2026-12-01T00:00:00Z"), 3);
	assert_int_equal(test_count(test, "main", false), 2);
}

static void age_and_count_must_both_hold(void **state)
{
	struct test_store *test = *state;

	test_record(test, "main", 1, 6);
	assert_int_equal(prune(test, 3, "2026-11-01T00:00:02Z"), 1);
	assert_int_equal(prune(test, 5, "2026-12-01T00:00:00Z"), 0);
	assert_int_equal(prune(test, 3, "2026-12-01T00:00:00Z"), 2);
}

static void a_pinned_run_keeps_its_samples(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *baseline;
	struct weir_store_list *list;
	char id[13];
	size_t changed;

	test_record(test, "main", 1, 6);
	baseline = load(test, true);
	snprintf(id, sizeof id, "%.12s", baseline->runs[1].id);
	weir_baseline_free(baseline);
	assert_int_equal(weir_store_pin(test->store, "main", id, true, &changed, NULL), WEIR_OK);
	assert_int_equal(changed, 1);
	assert_int_equal(weir_store_pin(test->store, "main", id, true, &changed, NULL), WEIR_OK);
	assert_int_equal(changed, 0);
	assert_int_equal(prune(test, 2, NULL), 3);
	baseline = load(test, true);
	assert_true(baseline->runs[1].pinned && !baseline->runs[1].pruned);
	assert_true(baseline->runs[0].pruned && !baseline->runs[0].pinned);
	weir_baseline_free(baseline);
	assert_int_equal(weir_store_list(test->store, &list, NULL), WEIR_OK);
	assert_int_equal(list->rows[0].pinned, 1);
	assert_int_equal(list->rows[0].pruned, 3);
	weir_store_list_free(list);
	assert_int_equal(weir_store_pin(test->store, "main", id, false, &changed, NULL), WEIR_OK);
	assert_int_equal(prune(test, 2, NULL), 1);
	assert_sound(test, 2, 4);
}

static void pins_name_exactly_one_run_or_all_current_ones(void **state)
{
	struct test_store *test = *state;
	struct weir_error err = {0};
	size_t changed;

	test_record(test, "main", 1, 3);
	assert_int_equal(weir_store_pin(test->store, "main", "", true, &changed, NULL), WEIR_OK);
	assert_int_equal(changed, 3);
	assert_int_equal(weir_store_pin(test->store, "main", "zz", true, &changed, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "0 runs of main have an id that begins with zz"));
	assert_int_equal(weir_store_pin(test->store, "nain", "", true, &changed, NULL),
	                 WEIR_E_NO_BASELINE);
}

static void a_pruned_run_that_is_recorded_again_is_whole(void **state)
{
	struct test_store *test = *state;
	struct weir_baseline *baseline;

	test_record(test, "main", 1, 3);
	assert_int_equal(prune(test, 2, NULL), 1);
	test_record(test, "main", 1, 1);
	baseline = load(test, true);
	assert_int_equal(baseline->count, 3);
	assert_false(baseline->runs[0].pruned);
	weir_baseline_free(baseline);
	assert_int_equal(prune(test, 2, NULL), 1);
	assert_sound(test, 2, 1);
}

static void export_and_import_keep_pins_and_pruned_runs(void **state)
{
	struct test_store *test = *state;
	struct weir_text first = {0}, second = {0};
	struct weir_baseline *baseline, *read;
	struct weir_store_counts counts;
	struct weir_source *source;
	struct weir_error err = {0};
	size_t runs, changed;

	test_record(test, "main", 1, 4);
	assert_int_equal(prune(test, 2, NULL), 2);
	assert_int_equal(weir_store_pin(test->store, "main", "", true, &changed, NULL), WEIR_OK);
	baseline = load(test, true);
	weir_baseline_write(baseline, &first);
	weir_baseline_free(baseline);
	assert_int_equal(weir_store_remove(test->store, "main", &runs, NULL), WEIR_OK);
	assert_int_equal(runs, 2);
	assert_int_equal(weir_source_open_memory("export", first.data, first.length, &source, NULL),
	                 WEIR_OK);
	if (weir_baseline_read(source, &read, &err))
		fail_msg("%s", err.message);
	weir_source_free(source);
	assert_int_equal(weir_store_record(test->store, read, &counts, &err), WEIR_OK);
	assert_int_equal(counts.added, 4);
	assert_int_equal(counts.held, 2);
	weir_baseline_free(read);
	baseline = load(test, true);
	weir_baseline_write(baseline, &second);
	assert_string_equal(first.data, second.data);
	weir_baseline_free(baseline);
	weir_text_release(&first);
	weir_text_release(&second);
	assert_sound(test, 2, 2);
}

static void a_changed_summary_is_found(void **state)
{
	struct test_store *test = *state;
	struct weir_store_health health;
	struct weir_error err = {0};

	test_record(test, "main", 1, 3);
	assert_int_equal(prune(test, 2, NULL), 1);
	test_store_sql(test, "UPDATE pruned SET summary = replace(summary, '1743.5', '1843.5')",
	               NULL);
	assert_int_equal(weir_store_verify(test->store, &health, &err), WEIR_E_STORE);
	assert_non_null(strstr(err.message, "a pruned run is not what its seal says"));
}

#define STORE_TEST(name)                                                                           \
	cmocka_unit_test_setup_teardown(name, test_store_setup, test_store_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		STORE_TEST(the_size_of_the_samples_counts_a_shared_run_once),
		STORE_TEST(the_oldest_runs_beyond_a_size_are_pruned),
		STORE_TEST(pinned_runs_take_their_part_of_the_size),
		STORE_TEST(the_newest_runs_keep_their_samples),
		STORE_TEST(history_shows_the_same_figures_after_pruning),
		STORE_TEST(without_a_count_current_runs_stay),
		STORE_TEST(age_and_count_must_both_hold),
		STORE_TEST(a_pinned_run_keeps_its_samples),
		STORE_TEST(pins_name_exactly_one_run_or_all_current_ones),
		STORE_TEST(a_pruned_run_that_is_recorded_again_is_whole),
		STORE_TEST(export_and_import_keep_pins_and_pruned_runs),
		STORE_TEST(a_changed_summary_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
