/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define FOLDER  "tests/data/memory_timeline/"
#define SAMPLE  "samples/kineto/hta_memory_timeline.raw.gz"
#define CAPTURE "tests/data/captures/memory_timeline_decode."

static const struct weir_reader *const reader = &weir_reader_memory_timeline;

/* Changes and totals of one run agree. */
static void the_peak_and_what_it_was_made_of_are_kept(void **state)
{
	static const char *const files[] = {FOLDER "raw.json", FOLDER "totals.json"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_run *run = reading_file(reader, files[i], profile)->run;

		reading_expects_figure(run, "memory_peak_bytes", 4096 + 1024 + 512 + 8192, false,
		                       "B");
		reading_expects_figure(run, "memory_at_peak_parameter_bytes", 4096, false, "B");
		reading_expects_figure(run, "memory_at_peak_activation_bytes", 8192, false, "B");
		reading_expects_figure(run, "memory_at_peak_gradient_bytes", 512, false, "B");
		reading_expects_figure(run, "memory_at_peak_unknown_bytes", 1024, false, "B");
		reading_expects_figure(run, "memory_end_bytes", 4096 + 1024, false, "B");
		assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
		weir_profile_free(profile);
	}
}

static void what_was_there_before_is_the_start(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(reader, FOLDER "raw.json", profile)->run;

	(void)state;
	reading_expects_figure(run, "memory_start_bytes", 4096 + 1024, false, "B");
	weir_profile_free(profile);
}

static void what_is_no_change_is_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, "[[1, 2, 64, 0], [2, 9, 1, 0], [3, 2, 1, 8], [4, 2], {}]", profile);

	(void)state;
	reading_expects_figure(input->run, "memory_peak_bytes", 64, false, "B");
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 4);
	weir_profile_free(profile);
}

/* Sums of hostile numbers do not overflow. */
static void sums_stay_in_range(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		"[[1, 2, 9223372036854775807, 0], [1, 2, 5, 0], [1, 2, 99999999999999999999, 0]]",
		profile);

	(void)state;
	reading_expects_figure(input->run, "memory_peak_bytes", 5, false, "B");
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 2);
	weir_profile_free(profile);
}

static void what_holds_no_change_is_refused(void **state)
{
	(void)state;
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "no change of memory");
	reading_refuses(reader, "[[1, 2, 3], []]", WEIR_E_EMPTY, "no change of memory");
}

static void timelines_are_known_by_their_numbers(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("[[-1, 1, 37888, 7], [-1, 1, 512, 7]]"),
	                    "memory_timeline");
	assert_string_equal(reading_claims("[[1795180884568574, 1795180884568575, 3, 4, 5"),
	                    "memory_timeline");
	assert_string_equal(reading_claims("[[1, 2], [3, 4]]"), "none");
	assert_string_equal(reading_claims("[1, 2, 3, 4]"), "none");
	assert_string_equal(reading_claims("[[{\"traceId\": 1}]]"), "none");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(reader, "[[-1, 1, 64, 0], [5, 2, 32, 4], [6, 4, -32, 4]]");
	reading_survives_damage(
		reader, "[[1, 2], [[0, 1, 2, 3, 4, 5, 6, 7, 8], [0, 1, 2, 3, 4, 5, 6, 7, 9]]]");
}

/* PyTorch wrote both files from one run. */
static void both_exports_of_a_run_have_the_same_peak(void **state)
{
	static const char *const files[] = {CAPTURE "json.gz", CAPTURE "raw.json.gz"};

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();

		reading_expects_figure(reading_file(reader, files[i], profile)->run,
		                       "memory_peak_bytes", 1151494672, false, "B");
		weir_profile_free(profile);
	}
}

static void a_sample_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_sample(SAMPLE, reader, NULL, profile);

	(void)state;
	reading_expects_figure(input->run, "memory_peak_bytes", 3082832104, false, "B");
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_peak_and_what_it_was_made_of_are_kept),
		cmocka_unit_test(what_was_there_before_is_the_start),
		cmocka_unit_test(what_is_no_change_is_counted),
		cmocka_unit_test(sums_stay_in_range),
		cmocka_unit_test(what_holds_no_change_is_refused),
		cmocka_unit_test(timelines_are_known_by_their_numbers),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(both_exports_of_a_run_have_the_same_peak),
		cmocka_unit_test(a_sample_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
