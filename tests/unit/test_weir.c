/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The library as programs use it: weir.h. */
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/include/weir/weir.h"

#define TRACE  "tests/data/kineto/norm_softmax.pt.trace.json.gz"
#define NATIVE "tests/data/runs/none-01.json"

/* ---- a machine whose memory ends: the linker puts these in the place of calloc() and realloc()
 * ---- */

static atomic_long allowed = LONG_MAX; /* allocations until all of them fail */

/* NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming): linker's names */
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
/* NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming) */

static bool may_allocate(void)
{
	return atomic_fetch_sub(&allowed, 1) > 0;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return may_allocate() ? __real_calloc(count, size) : NULL;
}

void *__wrap_realloc(void *old, size_t size)
{
	return may_allocate() ? __real_realloc(old, size) : NULL;
}

/* ---- classification ---- */

static struct weir_result *classify(const char *path, const struct weir_options *options)
{
	struct weir_result *result = weir_classify_files(&path, 1, options);

	if (weir_result_error(result))
		fail_msg("%s", weir_result_error(result));
	return result;
}

static bool contains(const char *text, const char *key, const char *value)
{
	char member[512];

	snprintf(member, sizeof member, "\"%s\": \"%s\"", key, value);
	return strstr(text, member) != NULL;
}

static void getters_say_what_the_report_says(void **state)
{
	static const char *const bounds[] = {"batching",      "runtime",  "kernel",      "memory",
	                                     "communication", "hardware", "unattributed"};
	struct weir_result *result = classify(TRACE, NULL);
	const char *json = weir_result_render(result, "json");
	double sum = 0;

	(void)state;
	assert_int_equal(weir_result_code(result), 0);
	assert_non_null(json);
	assert_true(contains(json, "bound", weir_result_bound(result)));
	assert_true(contains(json, "cause", weir_result_cause(result)));
	assert_true(contains(json, "confidence", weir_result_confidence(result)));
	assert_true(contains(json, "rule", weir_result_rule(result)));
	assert_true(contains(json, "headline", weir_result_headline(result)));
	assert_true(contains(json, "next", weir_result_next(result)));
	assert_true(weir_result_share(result) > 0 && weir_result_share(result) <= 1);
	for (size_t i = 0; i < sizeof bounds / sizeof *bounds; i++)
		sum += weir_result_attribution(result, bounds[i]);
	assert_true(fabs(sum - 1) < 1e-9);
	assert_true(isnan(weir_result_attribution(result, "luck")));
	assert_null(weir_result_verdict(result)); /* of a gate only */
	weir_result_free(result);
}

static void rows_come_until_there_are_no_more(void **state)
{
	struct weir_result *result = classify(TRACE, NULL);
	struct weir_recommendation_entry advice;
	struct weir_operator_entry operator, before = {.call = {.total_ns = INFINITY}};
	struct weir_stage_entry stage;
	struct weir_row_entry row;
	size_t count = 0;

	(void)state;
	while (weir_result_operator(result, count, &operator, sizeof operator)) {
		assert_non_null(operator.name);
		assert_non_null(operator.bound);
		assert_true(operator.call.count> 0);
		assert_true(operator.call.total_ns <= before.call.total_ns);
		before = operator;
		count++;
	}
	assert_int_equal(count, 2);
	assert_true(weir_result_stage(result, 0, &stage, sizeof stage));
	assert_non_null(stage.name);
	assert_true(stage.duration.p50_ns > 0 && stage.duration.p50_ns <= stage.duration.p99_ns);
	assert_false(weir_result_stage(result, 1000, &stage, sizeof stage));
	assert_true(weir_result_recommendation(result, 0, &advice, sizeof advice));
	assert_non_null(advice.title);
	assert_false(weir_result_row(result, 0, &row, sizeof row)); /* of a gate only */
	weir_result_free(result);
}

/* A program that was compiled before `cause` was there, and one compiled with a later header. */
static void rows_fit_programs_of_other_versions(void **state)
{
	struct weir_result *result = classify(TRACE, NULL);
	struct {
		struct weir_stage_entry stage;
		double of_a_later_version;
	} later = {.of_a_later_version = 41};
	struct weir_stage_entry stage;
	const char *mark = "not written";

	(void)state;
	stage.cause = mark;
	assert_true(weir_result_stage(result, 0, &stage, offsetof(struct weir_stage_entry, cause)));
	assert_non_null(stage.name);
	assert_ptr_equal(stage.cause, mark);
	assert_true(weir_result_stage(result, 0, &later.stage, sizeof later));
	assert_non_null(later.stage.name);
	assert_true(later.of_a_later_version == 0);
	weir_result_free(result);
}

static void *slurp(const char *path, size_t *size)
{
	FILE *stream = fopen(path, "rb");
	void *data = malloc(1 << 20);

	assert_non_null(stream);
	assert_non_null(data);
	*size = fread(data, 1, 1 << 20, stream);
	assert_in_range(*size, 1, (1 << 20) - 1);
	fclose(stream);
	return data;
}

static void memory_and_files_give_the_same_report(void **state)
{
	struct weir_buffer buffer = {.name = TRACE};
	void *data = slurp(TRACE, &buffer.size);
	struct weir_result *from_memory, *from_file = classify(TRACE, NULL);

	(void)state;
	buffer.data = data;
	from_memory = weir_classify_memory(&buffer, 1, NULL);
	free(data); /* it is needed no longer */
	assert_null(weir_result_error(from_memory));
	assert_string_equal(weir_result_render(from_memory, "json"),
	                    weir_result_render(from_file, "json"));
	weir_result_free(from_memory);
	weir_result_free(from_file);
}

static void a_buffer_that_is_no_profile_is_named(void **state)
{
	const struct weir_buffer buffer = {"odd.bin", "what is this", 12};
	struct weir_result *result = weir_classify_memory(&buffer, 1, NULL);

	(void)state;
	assert_int_equal(weir_result_code(result), 7);
	assert_int_equal(strncmp(weir_result_error(result), "odd.bin: ", 9), 0);
	assert_null(weir_result_bound(result));
	assert_true(isnan(weir_result_share(result)));
	assert_null(weir_result_render(result, "json"));
	assert_non_null(weir_result_error(result)); /* it still says why */
	weir_result_free(result);
}

/* ---- options ---- */

static void note_progress(void *context, const char *path, unsigned long long done,
                          unsigned long long total)
{
	assert_string_equal(path, TRACE);
	assert_true(done <= total);
	++*(int *)context;
}

static void options_are_those_of_the_program(void **state)
{
	static const char *const what_if[] = {"dispatch=0", "kernel=0.5"};
	struct weir_what_if_entry entry;
	struct weir_options options;
	struct weir_result *result;
	int calls = 0;

	(void)state;
	weir_options_init(&options, sizeof options);
	options.percentile = 50;
	options.whole_window = 1;
	options.device = "NVIDIA A100-SXM4-80GB";
	options.what_if = what_if;
	options.what_if_count = 2;
	options.progress = note_progress;
	options.progress_context = &calls;
	result = classify(TRACE, &options);
	assert_true(weir_result_what_if(result, 1, &entry, sizeof entry));
	assert_string_equal(entry.class_name, "kernel");
	assert_true(entry.factor == 0.5 && entry.speedup >= 1);
	assert_false(weir_result_what_if(result, 2, &entry, sizeof entry));
	assert_true(calls > 0);
	weir_result_free(result);
}

static void assert_refused(const struct weir_options *options, const char *message)
{
	const char *path = NATIVE;
	struct weir_result *result = weir_classify_files(&path, 1, options);

	assert_int_equal(weir_result_code(result), 2);
	assert_string_equal(weir_result_error(result), message);
	weir_result_free(result);
}

static void odd_options_are_refused(void **state)
{
	static const char *const what_if[] = {"luck=0"};
	struct weir_options options;

	(void)state;
	memset(&options, 0, sizeof options);
	assert_refused(&options, "the options were not set up with weir_options_init()");
	weir_options_init(&options, sizeof options);
	options.percentile = 100;
	assert_refused(&options,
	               "options.percentile is 100; expected a number above 0 and below 100");
	weir_options_init(&options, sizeof options);
	options.cost_per_gpu_hour = -1;
	assert_refused(&options, "options.cost_per_gpu_hour is -1; expected a price above 0");
	weir_options_init(&options, sizeof options);
	options.device = "Abacus";
	assert_refused(&options, "Abacus is not in the device table (rules/devices.json)");
	weir_options_init(&options, sizeof options);
	options.what_if = what_if;
	options.what_if_count = 1;
	{
		const char *path = NATIVE;
		struct weir_result *result = weir_classify_files(&path, 1, &options);

		assert_int_equal(weir_result_code(result), 2);
		assert_int_equal(strncmp(weir_result_error(result), "options.what_if: ", 17), 0);
		weir_result_free(result);
	}
}

/* Members that its header did not have yet are not read. */
static void options_of_an_older_program_are_taken(void **state)
{
	struct weir_options options;
	const char *path = NATIVE;
	struct weir_result *result;

	(void)state;
	weir_options_init(&options, offsetof(struct weir_options, percentile));
	options.percentile = 1000;
	result = weir_classify_files(&path, 1, &options);
	assert_null(weir_result_error(result));
	weir_result_free(result);
}

/* ---- documents ---- */

static void every_format_works_or_says_why_not(void **state)
{
	static const char *const plain[] = {"text", "json", "markdown", "html"};
	static const char *const drawn[] = {"flame", "folded", "speedscope", "annotated"};
	struct weir_result *without = classify(TRACE, NULL), *with, *native;
	struct weir_options options;

	(void)state;
	weir_options_init(&options, sizeof options);
	options.drawings = 1;
	with = classify(TRACE, &options);
	native = classify(NATIVE, &options);
	for (size_t i = 0; i < 4; i++) {
		assert_non_null(weir_result_render(without, plain[i]));
		assert_true(strlen(weir_result_render(with, plain[i])) > 100);
		assert_true(strlen(weir_result_render(with, drawn[i])) > 100);
		assert_null(weir_result_render(without, drawn[i]));
		assert_int_equal(weir_result_code(without), 2);
		assert_non_null(strstr(weir_result_error(without), "set options.drawings"));
		assert_null(weir_result_render(native, drawn[i]));
		assert_int_equal(weir_result_code(native), 7);
		assert_non_null(strstr(weir_result_error(native), "no input holds one"));
	}
	assert_null(weir_result_render(with, "nonsense"));
	assert_int_equal(weir_result_code(with), 2);
	assert_non_null(weir_result_render(with, "json")); /* the failure is not kept */
	assert_int_equal(weir_result_code(with), 0);
	weir_result_free(without);
	weir_result_free(with);
	weir_result_free(native);
}

/* ---- gate ---- */

static const char *const baseline[] = {
	"tests/data/runs/none-01.json", "tests/data/runs/none-02.json",
	"tests/data/runs/none-03.json", "tests/data/runs/none-04.json",
	"tests/data/runs/none-06.json",
};
static const char *const slow[] = {"tests/data/runs/slow5-05.json",
                                   "tests/data/runs/slow5-20.json"};
static const char *const same[] = {"tests/data/runs/none-14.json", "tests/data/runs/none-18.json",
                                   "tests/data/runs/none-09.json"};

static void a_gate_tells_slower_runs_from_equal_ones(void **state)
{
	struct weir_result *result = weir_gate_files(baseline, 5, slow, 2, NULL);
	struct weir_row_entry row;

	(void)state;
	assert_null(weir_result_error(result));
	assert_int_equal(weir_result_code(result), 1);
	assert_string_equal(weir_result_verdict(result), "regression");
	assert_true(weir_result_row(result, 0, &row, sizeof row)); /* worst first */
	assert_string_equal(row.outcome, "regression");
	assert_true(row.change > row.margin && row.low <= row.change && row.change <= row.high);
	assert_non_null(strstr(weir_result_render(result, "junit"), "<testsuite"));
	assert_non_null(strstr(weir_result_render(result, "json"), "weir.gate/1"));
	assert_int_equal(weir_result_code(result), 1); /* rendering does not change it */
	assert_null(weir_result_bound(result));        /* of a classification only */
	weir_result_free(result);

	result = weir_gate_files(baseline, 5, same, 3, NULL);
	assert_null(weir_result_error(result));
	assert_int_equal(weir_result_code(result), 0);
	assert_string_not_equal(weir_result_verdict(result), "regression");
	weir_result_free(result);
}

static void a_gate_names_the_run_that_cannot_be_read(void **state)
{
	const char *const missing[] = {"tests/data/none.json"};
	struct weir_result *result = weir_gate_files(baseline, 5, missing, 1, NULL);

	(void)state;
	assert_int_equal(weir_result_code(result), 7);
	assert_string_equal(weir_result_error(result),
	                    "tests/data/none.json: cannot open: No such file or directory");
	assert_null(weir_result_verdict(result));
	assert_null(weir_result_render(result, "json"));
	weir_result_free(result);
	result = weir_gate_files(baseline, 5, NULL, 0, NULL);
	assert_int_equal(weir_result_code(result), 2);
	weir_result_free(result);
}

/* ---- memory ---- */

/* NOLINTBEGIN(bugprone-macro-parentheses): the arguments are names of members and types */
#define LEAP 7 / 6 /* from one failing allocation to the next one tried */
/* NOLINTEND(bugprone-macro-parentheses) */

/* Calls with ever more memory, until it is enough. */
static void assert_survives(struct weir_result *(*call)(void))
{
	struct weir_result *result;
	long first = 0;
	int code = 9;

	for (; code == 9; first = first * LEAP + 1) {
		atomic_store(&allowed, first);
		result = call();
		atomic_store(&allowed, LONG_MAX);
		code = weir_result_code(result);
		if (code == 9)
			assert_string_equal(weir_result_error(result), "out of memory");
		assert_true(first > 0 || !result);
		weir_result_free(result);
	}
	assert_true(first > 100); /* it did fail on the way */
}

static struct weir_result *classify_and_render(void)
{
	const char *path = TRACE;
	struct weir_result *result = weir_classify_files(&path, 1, NULL);

	weir_result_render(result, "html");
	return result;
}

static struct weir_result *gate_two_files(void)
{
	return weir_gate_files(baseline, 3, same, 3, NULL);
}

static void out_of_memory_is_an_error_wherever_it_happens(void **state)
{
	(void)state;
	assert_survives(classify_and_render);
	assert_survives(gate_two_files);
	weir_result_free(classify(TRACE, NULL)); /* the library works on */
}

static void header_and_library_name_the_same_version(void **state)
{
	char text[32];

	(void)state;
	snprintf(text, sizeof text, "%d.%d.%d", WEIR_VERSION_MAJOR, WEIR_VERSION_MINOR,
	         WEIR_VERSION_PATCH);
	assert_string_equal(weir_version(), text);
	assert_int_equal(weir_version_number(), 10000 * WEIR_VERSION_MAJOR +
	                                                100 * WEIR_VERSION_MINOR +
	                                                WEIR_VERSION_PATCH);
}

static void the_library_fetches_nothing(void **state)
{
	static const char *const addresses[] = {"http://127.0.0.1:1/trace.json", "s3://bucket/key"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_result *result = weir_classify_files(addresses + i, 1, NULL);
		struct weir_result *gated = weir_gate_files(addresses, 1, addresses + 1, 1, NULL);

		assert_non_null(strstr(weir_result_error(result), "fetches no addresses"));
		assert_non_null(strstr(weir_result_error(gated), "fetches no addresses"));
		weir_result_free(result);
		weir_result_free(gated);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(getters_say_what_the_report_says),
		cmocka_unit_test(rows_come_until_there_are_no_more),
		cmocka_unit_test(rows_fit_programs_of_other_versions),
		cmocka_unit_test(memory_and_files_give_the_same_report),
		cmocka_unit_test(a_buffer_that_is_no_profile_is_named),
		cmocka_unit_test(options_are_those_of_the_program),
		cmocka_unit_test(odd_options_are_refused),
		cmocka_unit_test(options_of_an_older_program_are_taken),
		cmocka_unit_test(every_format_works_or_says_why_not),
		cmocka_unit_test(a_gate_tells_slower_runs_from_equal_ones),
		cmocka_unit_test(a_gate_names_the_run_that_cannot_be_read),
		cmocka_unit_test(out_of_memory_is_an_error_wherever_it_happens),
		cmocka_unit_test(header_and_library_name_the_same_version),
		cmocka_unit_test(the_library_fetches_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
