/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/classify.h"
#include "engine/pipeline/fix_examples.h"
#include "tests/unit/near.h"

/* Reads one example of the fix cuda-graph. */
static enum weir_status parse(const char *example, struct weir_fix_examples *out,
                              struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status;

	*err = (struct weir_error){0};
	weir_text_printf(&text, "{\"fixes\": [{\"id\": \"cuda-graph\", \"examples\": [%s]}]}",
	                 example);
	status = weir_fix_examples_parse(out, "f.json", text.data, text.length, err);
	weir_text_release(&text);
	return status;
}

static const char small[] =
	"{\"device\": \"NVIDIA H100 80GB HBM3\", \"steps\": 5, \"calls\": ["
	"{\"op\": \"aten::add\", \"dims\": [[64, 32]], \"types\": [\"float\"], \"kernel\": \"k\","
	" \"us\": 4, \"host_us\": 30, \"repeat\": 20},"
	"{\"op\": \"aten::item\", \"kernel\": \"Memcpy DtoH\", \"kind\": \"memcpy\", \"bytes\": 4,"
	" \"us\": 1, \"sync\": true},"
	"{\"op\": \"work\", \"host_us\": 300}],"
	" \"expect\": {\"found\": true, \"step_us\": [1, 2]}}";

static void an_example_becomes_a_trace(void **state)
{
	struct weir_fix_examples *examples = weir_fix_examples_new();
	struct weir_text trace = {0};
	struct weir_buffer buffer = {.name = "example.json"};
	const struct weir_classify_request request = {.buffers = &buffer, .buffer_count = 1};
	struct weir_classification *classification;
	const struct weir_report *report;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(parse(small, examples, &err), WEIR_OK);
	assert_int_equal(examples->count, 1);
	weir_fix_example_traces(&examples->items[0], &trace);
	buffer.data = trace.data;
	buffer.size = trace.length;
	if (weir_classify(&request, &classification, &err))
		fail_msg("%s", err.message);
	report = weir_classification_report(classification);
	assert_string_equal(report->devices[0].name, "NVIDIA H100 80GB HBM3");
	assert_string_equal(report->operators[0].name, "aten::add");
	assert_near(report->operators[0].call.p50_ns, 4000, 1e-6);
	/* 20 operators and the copy with its wait, then host work, and the gaps between steps */
	assert_near(report->iteration.p50_ns, 1e3 * (20 * 30 + 10 + 300 + 4), 0.01);
	weir_classification_free(classification);
	weir_text_release(&trace);
	weir_fix_examples_free(examples);
}

static void an_example_fails_outside_its_range(void **state)
{
	struct weir_fix_examples *examples = weir_fix_examples_new();
	struct weir_fix_trial trial;
	struct weir_error err = {0};
	struct weir_fix_example *example;

	(void)state;
	assert_int_equal(parse(small, examples, &err), WEIR_OK);
	example = &examples->items[0];
	example->call_count = 1;
	assert_int_equal(weir_fix_example_run(example, &trial, &err), WEIR_OK);
	assert_true(trial.found);
	assert_false(trial.passed);
	example->low_us = 80;
	example->high_us = 110;
	assert_int_equal(weir_fix_example_run(example, &trial, &err), WEIR_OK);
	assert_true(trial.passed);
	example->low_us = example->high_us = NAN;
	example->found = false;
	assert_int_equal(weir_fix_example_run(example, &trial, &err), WEIR_OK);
	assert_false(trial.passed);
	example->fix = "overlap-input";
	assert_int_equal(weir_fix_example_run(example, &trial, &err), WEIR_OK);
	assert_true(trial.passed);
	weir_fix_examples_free(examples);
}

static void turns_and_ranks_differ(void **state)
{
	static const char example[] =
		"{\"device\": \"d\", \"ranks\": 2, \"steps\": 1, \"calls\": ["
		"{\"repeat\": 3, \"calls\": [{\"op\": \"aten::select\", \"scalars\": "
		"[\"{turn}\"]}]},"
		"{\"op\": \"m\", \"kernel\": \"gemm\", \"us\": [100, 300]},"
		"{\"op\": \"r\", \"kernel\": \"nccl\", \"us\": 50, \"collective\":"
		" {\"name\": \"allreduce\", \"dtype\": \"Float\"}}],"
		" \"expect\": {\"found\": false}}";
	struct weir_fix_examples *examples = weir_fix_examples_new();
	struct weir_text traces[WEIR_EXAMPLE_RANKS] = {0};
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(parse(example, examples, &err), WEIR_OK);
	weir_fix_example_traces(&examples->items[0], traces);
	assert_non_null(strstr(traces[0].data, "\"Concrete Inputs\":[\"0\"]"));
	assert_non_null(strstr(traces[0].data, "\"Concrete Inputs\":[\"2\"]"));
	assert_null(strstr(traces[0].data, "\"Concrete Inputs\":[\"3\"]"));
	/* The first rank waits for the second one: 300 - 100 us longer than the message takes. */
	assert_non_null(strstr(traces[0].data, "\"dur\":250"));
	assert_non_null(strstr(traces[1].data, "\"dur\":50"));
	assert_non_null(strstr(traces[1].data, "\"rank\":1"));
	assert_null(strstr(traces[0].data, "ProfilerStep"));
	for (size_t r = 0; r < 2; r++)
		weir_text_release(&traces[r]);
	weir_fix_examples_free(examples);
}

static void faults_name_their_place(void **state)
{
	static const struct {
		const char *example, *says;
	} cases[] = {
		{"{}", "f.json: cuda-graph: examples[0]: device: is missing"},
		{"{\"device\": \"d\", \"calls\": []}", "calls: expected 1 to"},
		{"{\"device\": \"d\", \"calls\": [{}]}", "calls[0]: op: is missing"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"kernel\": \"k\"}]}",
	         "calls[0]: us: is missing"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"us\": 1}]}",
	         "calls[0]: kernel: is missing"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"kernel\": \"k\", \"us\": -1}]}",
	         "us: expected a number from 0"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"kernel\": \"k\", \"us\": 1,"
	         " \"kind\": \"dance\"}]}",
	         "kind: expected kernel, memcpy or memset"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"dims\": [[1]], \"types\": "
	         "[]}]}",
	         "types: expected 1 entries"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\", \"size\": 1}]}", "size"},
		{"{\"device\": \"d\", \"ranks\": 2, \"calls\": [{\"op\": \"a\", \"host_us\": "
	         "[1, 2, 3]}]}",
	         "host_us: expected 2 numbers, one per rank"},
		{"{\"device\": \"d\", \"ranks\": 2, \"calls\": [{\"op\": \"a\", \"host_us\": "
	         "[1, -2]}]}",
	         "host_us: expected numbers from 0"},
		{"{\"device\": \"d\", \"ranks\": 9, \"calls\": [{\"op\": \"a\"}]}",
	         "ranks: expected a number from 1 to 8"},
		{"{\"device\": \"d\", \"steps\": 1.5, \"calls\": [{\"op\": \"a\"}]}",
	         "steps: expected a whole number"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\"}]}", "expect.found: is missing"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\"}],"
	         " \"expect\": {\"found\": false, \"step_us\": [1, 2]}}",
	         "expect: step_us: only with"},
		{"{\"device\": \"d\", \"calls\": [{\"op\": \"a\"}],"
	         " \"expect\": {\"found\": true, \"step_us\": [2, 1]}}",
	         "expect: step_us: expected [low, high]"},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct weir_fix_examples *examples = weir_fix_examples_new();
		struct weir_error err;

		assert_int_equal(parse(cases[i].example, examples, &err), WEIR_E_USAGE);
		if (!strstr(err.message, cases[i].says))
			fail_msg("%s: %s", cases[i].says, err.message);
		weir_fix_examples_free(examples);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_example_becomes_a_trace),
		cmocka_unit_test(an_example_fails_outside_its_range),
		cmocka_unit_test(turns_and_ranks_differ),
		cmocka_unit_test(faults_name_their_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
