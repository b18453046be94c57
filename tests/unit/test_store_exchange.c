/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "baselines/exchange.h"
#include "tests/unit/make_store.h"

static struct weir_baseline *load_all(struct test_store *test, const char *name)
{
	struct weir_store_query query = {.name = name, .history = true};
	struct weir_baseline *baseline;
	struct weir_error err = {0};

	if (weir_store_load(test->store, &query, &baseline, &err))
		fail_msg("%s", err.message);
	return baseline;
}

static enum weir_status read_text(const char *text, struct weir_baseline **out,
                                  struct weir_error *err)
{
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("base.json", text, strlen(text), &source, err),
	                 WEIR_OK);
	status = weir_baseline_read(source, out, err);
	weir_source_free(source);
	return status;
}

static void an_exported_baseline_is_imported_as_it_was(void **state)
{
	struct test_store *test = *state;
	struct weir_text first = {0}, second = {0};
	struct weir_baseline *stored, *read;
	struct weir_store_counts counts;
	struct weir_error err = {0};
	size_t runs;

	test_record(test, "main", 1, 4);
	test_record(test, "next", 3, 6);
	assert_int_equal(weir_store_promote(test->store, "next", "main", &counts, &err), WEIR_OK);
	stored = load_all(test, "main");
	stored->runs[1].bound = "memory";
	stored->runs[1].cause = "bandwidth";
	weir_baseline_write(stored, &first);
	assert_int_equal(read_text(first.data, &read, &err), WEIR_OK);
	/* Imports over existing runs, and into a store without them. */
	assert_int_equal(weir_store_record(test->store, read, &counts, &err), WEIR_OK);
	assert_int_equal(counts.known, 6);
	assert_int_equal(counts.added, 0);
	assert_int_equal(weir_store_remove(test->store, "main", &runs, &err), WEIR_OK);
	assert_int_equal(weir_store_remove(test->store, "next", &runs, &err), WEIR_OK);
	assert_int_equal(weir_store_record(test->store, read, &counts, &err), WEIR_OK);
	assert_int_equal(counts.added, 6);
	assert_int_equal(counts.held, 4);
	weir_baseline_free(read);
	weir_baseline_free(stored);
	stored = load_all(test, "main");
	weir_baseline_write(stored, &second);
	assert_string_equal(first.data, second.data);
	weir_baseline_free(stored);
	weir_text_release(&first);
	weir_text_release(&second);
}

#define HEAD "{\"schema\":\"weir.baseline/1\",\"name\":\"main\",\"unit\":\"ns\",\"runs\":["
#define RUN  "{\"recorded\":\"2026-11-20T14:00:00Z\","

static const struct {
	const char *text, *says;
} refused[] = {
	{"", "base.json"},
	{"[]", "expected an object"},
	{"{\"schema\":\"weir.run/1\"}", "schema: expected \"weir.baseline/1\""},
	{HEAD "]}", "runs: expected a list of runs"},
	{HEAD "1]}", "runs[0]: expected an object"},
	{HEAD "{}]}", "runs[0]: recorded: expected a time"},
	{HEAD RUN "\"stages\":{}}]}", "runs[0]: a run without samples"},
	{HEAD RUN "\"stages\":{\"a\":[]}}]}", "runs[0]: stages: a: no values"},
	{HEAD RUN "\"stages\":{\"a\":[1,null]}}]}", "runs[0]: stages.a: [1]: expected a number"},
	{HEAD RUN "\"stages\":{\"a\":[1,-2]}}]}", "runs[0]: stages: a: [1]: expected a number"},
	{HEAD RUN "\"stages\":{\"a\":[1e999]}}]}", "expected a number"},
	{HEAD RUN "\"stages\":{\"a\":3}}]}", "stages.a: expected a list"},
	{HEAD RUN "\"stages\":{\"a\":[1],\"a\":[2]}}]}", "stages.a: given twice"},
	{HEAD RUN "\"labels\":{\"k\":1},\"stages\":{\"a\":[1]}}]}", "labels.k: expected text"},
	{HEAD RUN "\"bound\":\"moon\",\"stages\":{\"a\":[1]}}]}", "bound: \"moon\""},
	{HEAD RUN "\"stage\":{\"a\":[1]}}]}", "stage"},
	{HEAD RUN "\"stages\":{\"a\":[1]},\"metrics\":{\"m\":{\"values\":[1]}}}]}",
         "metrics.m: better"},
	{HEAD RUN "\"stages\":{\"a\":[1]},\"metrics\":{\"m\":[1]}}]}", "metrics.m: expected"},
	{"{\"schema\":\"weir.baseline/1\",\"name\":\"-x\",\"unit\":\"ns\",\"runs\":[]}",
         "name: expected"},
	{"{\"schema\":\"weir.baseline/1\",\"name\":\"x\",\"unit\":\"ms\",\"runs\":[]}",
         "unit: expected \"ns\""},
};

static void a_wrong_document_is_refused_by_place(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		struct weir_baseline *baseline = NULL;
		struct weir_error err = {0};

		if (!read_text(refused[i].text, &baseline, &err))
			fail_msg("taken: %s", refused[i].text);
		assert_null(baseline);
		if (!strstr(err.message, refused[i].says))
			fail_msg("%s: %s", refused[i].text, err.message);
	}
}

static void a_hand_written_document_is_taken(void **state)
{
	struct weir_baseline *baseline;
	struct weir_error err = {0};

	(void)state;
	if (read_text(HEAD RUN "\"stages\":{\"decode\":[571234,0.25]},\"calls\":{\"x\":[0]},"
	                       "\"metrics\":{\"m\":{\"values\":[-1.5],\"better\":\"higher\"}}}]}",
	              &baseline, &err))
		fail_msg("%s", err.message);
	assert_int_equal(baseline->count, 1);
	assert_false(baseline->runs[0].history);
	assert_true(baseline->runs[0].run->stages.items[0].value[1] == 0.25);
	assert_true(baseline->runs[0].run->metrics.items[0].higher_is_better);
	assert_null(baseline->runs[0].run->metrics.items[0].unit);
	weir_baseline_free(baseline);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_exported_baseline_is_imported_as_it_was,
	                                        test_store_setup, test_store_teardown),
		cmocka_unit_test(a_wrong_document_is_refused_by_place),
		cmocka_unit_test(a_hand_written_document_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
