/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/pipeline/several_runs.h"
#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/benchmarks/"

#define PYTEST(stats)                                                                              \
	"{\"machine_info\": {\"node\": \"n\", \"python_version\": \"3.11.2\", \"cpu\": "           \
	"{\"brand_raw\": \"Example\"}}, \"commit_info\": {\"id\": \"abc\"}, \"benchmarks\": "      \
	"[{\"name\": \"test_a\", \"fullname\": \"t.py::test_a\", \"stats\": " stats "}], "         \
	"\"datetime\": \"2026-11-22T12:00:00\", \"version\": \"4.0.0\"}"

#define GOOGLE(entries)                                                                            \
	"{\"context\": {\"host_name\": \"n\", \"num_cpus\": 2}, \"benchmarks\": [" entries "]}"
#define REPETITION(name, time, unit)                                                               \
	"{\"name\": \"" name "\", \"run_name\": \"" name "\", \"run_type\": \"iteration\", "       \
	"\"iterations\": 100, \"real_time\": " time ", \"cpu_time\": 1, \"time_unit\": \"" unit    \
	"\"}"
#define FIVE(name)                                                                                 \
	REPETITION(name, "5", "us")                                                                \
	"," REPETITION(name, "1", "us") "," REPETITION(name, "2", "us") "," REPETITION(            \
		name, "3", "us") "," REPETITION(name, "4", "us")
#define AGGREGATE(name, which, time)                                                               \
	"{\"name\": \"" name "_" which "\", \"run_name\": \"" name                                 \
	"\", \"run_type\": \"aggregate\", \"aggregate_name\": \"" which "\", \"real_time\": " time \
	", \"time_unit\": \"ms\"}"

#define HYPERFINE(results) "{\"results\": [" results "]}"
#define COMMAND(name, times, codes)                                                                \
	"{\"command\": \"" name "\", \"mean\": 1, \"stddev\": 0, \"median\": 1, \"times\": "       \
	"[" times "], \"exit_codes\": [" codes "]}"

#define MESSAGE(id, counts, times, unit)                                                           \
	"{\"reason\": \"benchmark-complete\", \"id\": \"" id                                       \
	"\", \"report_directory\": \"r\", \"iteration_count\": [" counts                           \
	"], \"measured_values\": [" times "], \"unit\": \"" unit "\"}\n"
#define SAMPLE(counts, times)                                                                      \
	"{\"sampling_mode\": \"Flat\", \"iters\": [" counts "], \"times\": [" times "]}"

static size_t count_runs(const struct weir_input *input)
{
	size_t count = 0;

	for (const struct weir_run *run = input->run; run; run = run->next)
		count++;
	return count;
}

/* ---- pytest-benchmark ---- */

static void rounds_of_pytest_are_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_pytest_benchmark,
	                   PYTEST("{\"median\": 2e-6, \"data\": [1e-6, 0, 2e-6, 3e-6]}"), profile);

	(void)state;
	reading_expects_stage(input->run, "t.py::test_a", 3, (const double[]){1e3, 2e3, 3e3});
	assert_int_equal(input->run->metrics.count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 0);
	assert_string_equal(weir_run_label(input->run, "cpu"), "Example");
	assert_string_equal(weir_run_label(input->run, "commit"), "abc");
	weir_profile_free(profile);
}

static void pytest_without_rounds_gives_the_median_and_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_pytest_benchmark, PYTEST("{\"median\": 2e-6}"), profile);

	(void)state;
	reading_expects_figure(input->run, "t.py::test_a", 2000, false, "ns");
	assert_int_equal(input->run->stages.count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void statistics_of_pytest_are_labels(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(
			&weir_reader_pytest_benchmark,
			PYTEST("{\"median\": 2e-6, \"mean\": 3e-6, \"min\": 1e-6, \"max\": null, "
	                       "\"stddev\": -1, \"rounds\": 5, \"iterations\": 10}"),
			profile)
			->run;
	static const char *const keys[] = {"/mean_ns", "/min_ns", "/rounds", "/iterations"};
	static const char *const values[] = {"3000", "1000", "5", "10"};
	struct weir_text key = {0};

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		weir_text_clear(&key);
		weir_text_printf(&key, "%s%s", run->metrics.items[0].name, keys[i]);
		assert_string_equal(weir_run_label(run, key.data), values[i]);
	}
	for (size_t i = 0; i < run->label_count; i++) {
		assert_null(strstr(run->labels[i].key, "max_ns"));
		assert_null(strstr(run->labels[i].key, "stddev_ns"));
	}
	weir_text_release(&key);
	weir_profile_free(profile);
}

static void statistics_beyond_the_limit_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "x");
	char name[16];

	(void)state;
	input->run = weir_run_new();
	for (unsigned i = 0; i < WEIR_BENCHMARK_MAX_LABELS; i++) {
		snprintf(name, sizeof(name), "b%u", i);
		weir_benchmark_statistic(input, name, "mean_ns", 1);
	}
	assert_int_equal(input->warnings[WEIR_WARN_THINNED].count, 0);
	weir_benchmark_statistic(input, "another", "mean_ns", 1);
	assert_int_equal(input->warnings[WEIR_WARN_THINNED].count, 1);
	assert_int_equal(input->run->label_count, WEIR_BENCHMARK_MAX_LABELS);
	weir_profile_free(profile);
}

static void odd_results_of_pytest_are_refused(void **state)
{
	static const struct weir_reader *const reader = &weir_reader_pytest_benchmark;

	(void)state;
	reading_refuses(reader, PYTEST("{\"ops\": 2}"), WEIR_E_FORMAT,
	                "benchmarks[0]: stats.median: expected a time above 0");
	reading_refuses(reader, PYTEST("null"), WEIR_E_FORMAT, "stats");
	reading_refuses(reader, PYTEST("{\"data\": [\"1\"]}"), WEIR_E_FORMAT,
	                "benchmarks[0]: stats.data: [0]: expected a time");
	reading_refuses(reader, PYTEST("{\"data\": []}"), WEIR_E_EMPTY, "no times");
	reading_refuses(reader, "{\"machine_info\": {}, \"benchmarks\": {}}", WEIR_E_FORMAT,
	                "benchmarks: expected");
}

/* ---- Google Benchmark ---- */

static void ten_repetitions_of_google_are_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_google_benchmark,
		GOOGLE(FIVE("BM_a") "," FIVE("BM_a") "," AGGREGATE("BM_a", "median", "9")),
		profile);

	(void)state;
	reading_expects_stage(input->run, "BM_a", 10,
	                      (const double[]){5e3, 1e3, 2e3, 3e3, 4e3, 5e3, 1e3, 2e3, 3e3, 4e3});
	assert_int_equal(input->run->metrics.count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 0);
	weir_profile_free(profile);
}

static void fewer_repetitions_become_their_median(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_google_benchmark,
	                   GOOGLE(FIVE("BM_a") "," REPETITION("BM_b", "3", "ns") "," REPETITION(
				   "BM_b", "4", "ns")),
	                   profile);

	(void)state;
	reading_expects_figure(input->run, "BM_a", 3000, false, "ns");
	reading_expects_figure(input->run, "BM_b", 3.5, false, "ns");
	assert_int_equal(input->run->stages.count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

static void of_aggregates_the_median_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_google_benchmark,
		GOOGLE(AGGREGATE("BM_a", "mean", "1") "," AGGREGATE(
			"BM_a", "median",
			"2") "," AGGREGATE("BM_a", "BigO",
	                                   "3") ",{\"name\": \"BM_old_median\", \"real_time\": 7, "
	                                        "\"time_unit\": \"ns\"}"),
		profile);

	(void)state;
	reading_expects_figure(input->run, "BM_a", 2e6, false, "ns");
	reading_expects_figure(input->run, "BM_old", 7, false, "ns");
	assert_int_equal(input->run->metrics.count, 2);
	weir_profile_free(profile);
}

static void a_benchmark_with_an_error_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_google_benchmark,
		GOOGLE("{\"name\": \"BM_x\", \"error_occurred\": true, \"error_message\": \"no\", "
	               "\"real_time\": 0, \"time_unit\": \"ns\"}," REPETITION("BM_a", "1", "s")),
		profile);

	(void)state;
	reading_expects_figure(input->run, "BM_a", 1e9, false, "ns");
	assert_int_equal(input->run->metrics.count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_MEASUREMENT].count, 1);
	weir_profile_free(profile);
}

static void odd_results_of_google_are_refused(void **state)
{
	static const struct weir_reader *const reader = &weir_reader_google_benchmark;

	(void)state;
	reading_refuses(reader, GOOGLE(REPETITION("a", "1", "min")), WEIR_E_FORMAT,
	                "time_unit: expected ns, us, ms or s, not \"min\"");
	reading_refuses(reader,
	                GOOGLE("{\"name\": \"a\", \"run_type\": \"iteration\", "
	                       "\"items_per_second\": 3}"),
	                WEIR_E_FORMAT, "throughput alone");
	reading_refuses(reader, GOOGLE(""), WEIR_E_EMPTY, "no times");
	reading_refuses(reader, GOOGLE("1"), WEIR_E_FORMAT, "benchmarks[0]: expected an object");
}

/* ---- hyperfine ---- */

static void each_time_of_hyperfine_is_a_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_hyperfine,
		HYPERFINE(COMMAND("a", "0.5, 0.25, 1", "0, 0, 0") "," COMMAND("b", "2, 3", "0, 0")),
		profile);

	(void)state;
	assert_int_equal(count_runs(input), 3);
	reading_expects_figure(input->run, "a", 0.5, false, "s");
	reading_expects_figure(input->run, "b", 2, false, "s");
	reading_expects_figure(input->run->next, "a", 0.25, false, "s");
	reading_expects_figure(input->run->next->next, "a", 1, false, "s");
	assert_null(weir_series_find(&input->run->next->next->metrics, "b"));
	assert_string_equal(weir_run_label(input->run->next, "run"), "2");
	weir_profile_free(profile);
}

static void times_of_failed_commands_are_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_hyperfine,
	                   HYPERFINE(COMMAND("a", "1, 2, 3, 4", "1, 0, null, 0")), profile);

	(void)state;
	assert_int_equal(count_runs(input), 2);
	reading_expects_figure(input->run, "a", 2, false, "s");
	reading_expects_figure(input->run->next, "a", 4, false, "s");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_MEASUREMENT].count, 2);
	weir_profile_free(profile);
}

/* hyperfine subtracts the time of the shell. */
static void a_time_of_0_of_hyperfine_counts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_hyperfine,
	                   HYPERFINE(COMMAND("a", "9e-6, 0.0, -1", "0, 0, 0")), profile);

	(void)state;
	assert_int_equal(count_runs(input), 2);
	reading_expects_figure(input->run, "a", 9e-6, false, "s");
	reading_expects_figure(input->run->next, "a", 0, false, "s");
	assert_int_equal(input->warnings[WEIR_WARN_ZERO_TIME].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	weir_profile_free(profile);
}

static void odd_results_of_hyperfine_are_refused(void **state)
{
	static const struct weir_reader *const reader = &weir_reader_hyperfine;

	(void)state;
	reading_refuses(reader, HYPERFINE(COMMAND("a", "1", "0") "," COMMAND("a", "1", "0")),
	                WEIR_E_FORMAT, "results[1]: a second benchmark has the name \"a\"");
	reading_refuses(reader, HYPERFINE("{\"command\": \"a\", \"mean\": 1}"), WEIR_E_FORMAT,
	                "times: missing");
	reading_refuses(reader, HYPERFINE(COMMAND("a", "1", "7")), WEIR_E_EMPTY, "no times");
	reading_refuses(reader, HYPERFINE(""), WEIR_E_EMPTY, "no times");
}

/* ---- criterion ---- */

static void samples_of_criterion_are_times_per_iteration(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_criterion,
	                   MESSAGE("g/a", "1, 2", "10, 30", "us") "{\"reason\": "
	                                                          "\"group-complete\"}\n",
	                   profile);

	(void)state;
	reading_expects_stage(input->run, "g/a", 2, (const double[]){10e3, 15e3});
	weir_profile_free(profile);
}

static void the_path_names_the_benchmark_of_a_sample(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_criterion,
	                     "tests/data/cargo/criterion/tokenize/short/new/sample.json", profile);

	(void)state;
	assert_non_null(weir_series_find(&input->run->stages, "tokenize/short"));
	weir_profile_free(profile);
}

static void odd_results_of_criterion_are_refused(void **state)
{
	static const struct weir_reader *const reader = &weir_reader_criterion;

	(void)state;
	reading_refuses(reader, MESSAGE("a", "1", "2", "cycles"), WEIR_E_FORMAT,
	                "unit: expected ns, us, ms or s, not \"cycles\"");
	reading_refuses(reader, SAMPLE("1, 2", "3"), WEIR_E_FORMAT,
	                "2 numbers of iterations, but 1 times");
	reading_refuses(reader, SAMPLE("0", "3"), WEIR_E_FORMAT, "a number of iterations");
	reading_refuses(reader, SAMPLE("", ""), WEIR_E_EMPTY, "no times");
}

/* ---- CSV ---- */

static void rows_become_runs_and_stages(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_samples,
	                                            "run,stage,value,unit\n"
	                                            "x,a,1,s\n"
	                                            "y,a,2,ms\n"
	                                            "x,a,3,us\n"
	                                            "x,b,4,ns\n"
	                                            "x,b,-1,ns\n"
	                                            "x,b,inf,ns\n"
	                                            "x,b\n",
	                                            profile);

	(void)state;
	assert_int_equal(count_runs(input), 2);
	reading_expects_stage(input->run, "a", 2, (const double[]){1e9, 3e3});
	reading_expects_stage(input->run, "b", 1, (const double[]){4});
	reading_expects_stage(input->run->next, "a", 1, (const double[]){2e6});
	assert_string_equal(weir_run_label(input->run->next, "run"), "y");
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	weir_profile_free(profile);
}

static void without_a_column_run_the_file_is_one_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_samples, "name,value,unit\na,1,ns\na,2,ns", profile);

	(void)state;
	assert_int_equal(count_runs(input), 1);
	assert_int_equal(input->run->label_count, 0);
	reading_expects_stage(input->run, "a", 2, (const double[]){1, 2});
	weir_profile_free(profile);
}

static void odd_tables_are_refused(void **state)
{
	static const struct weir_reader *const reader = &weir_reader_samples;

	(void)state;
	reading_refuses(reader, "name,value,unit\na,1,GB/s\n", WEIR_E_FORMAT,
	                "line 2: unit: expected ns, us, ms or s, not \"GB/s\"");
	reading_refuses(reader, "name,value\na,1\n", WEIR_E_FORMAT, "expected the columns");
	reading_refuses(reader, "name,value,unit\n,1,s\n", WEIR_E_FORMAT,
	                "line 2: expected the name of a benchmark");
	reading_refuses(reader, "name,value,unit\n", WEIR_E_EMPTY, "no times");
}

/* Expects that a table with `count` rows is read, and that one more is refused. */
static void expect_limit(const char *row, unsigned count, const char *message)
{
	struct weir_text text = {0};
	struct weir_profile *profile = weir_profile_new();

	weir_text_puts(&text, "unit,value,name,run\n");
	for (unsigned i = 0; i < count; i++)
		weir_text_printf(&text, "ns,1,%s%u\n", row, i);
	reading_of(&weir_reader_samples, text.data, profile);
	weir_text_printf(&text, "ns,1,%s%u\n", row, count);
	reading_refuses(&weir_reader_samples, text.data, WEIR_E_LIMIT, message);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void names_and_runs_of_a_table_are_limited(void **state)
{
	(void)state;
	expect_limit("n", WEIR_BENCHMARK_MAX_NAMES, "more than 4096 benchmarks");
	expect_limit("n,", WEIR_BENCHMARK_MAX_RUNS, "more than 10000 runs");
}

static void names_are_limited(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "name,value,unit\n");
	weir_text_repeat(&text, "x", WEIR_BENCHMARK_MAX_NAME);
	weir_text_puts(&text, ",1,s\n");
	reading_of(&weir_reader_samples, text.data, profile);
	weir_text_repeat(&text, "x", WEIR_BENCHMARK_MAX_NAME + 1);
	weir_text_puts(&text, ",1,s\n");
	reading_refuses(&weir_reader_samples, text.data, WEIR_E_LIMIT,
	                "the name is longer than 1024 bytes");
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* ---- all ---- */

static void one_run_of_several_can_be_chosen(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_hyperfine, HYPERFINE(COMMAND("a", "1, 2, 3", "0, 0, 0")), profile);
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_several_runs_choose(profile, 0, &err), WEIR_E_USAGE);
	assert_int_equal(weir_several_runs_choose(profile, 4, &err), WEIR_E_USAGE);
	assert_int_equal(weir_several_runs_choose(profile, 3, &err), WEIR_OK);
	assert_int_equal(count_runs(input), 1);
	reading_expects_figure(input->run, "a", 3, false, "s");
	assert_int_equal(weir_several_runs_choose(profile, 0, &err), WEIR_OK);
	assert_int_equal(weir_several_runs_choose(profile, 1, &err), WEIR_OK);
	assert_int_equal(weir_several_runs_choose(profile, 2, &err), WEIR_E_USAGE);
	weir_profile_free(profile);
}

static void several_runs_are_no_part_of_one_run(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_run *further;
	struct weir_error err = {0};

	(void)state;
	reading_of(&weir_reader_hyperfine, HYPERFINE(COMMAND("a", "1, 2", "0, 0")), profile);
	assert_int_equal(weir_several_runs_take(profile, &further, &err), WEIR_OK);
	assert_non_null(further);
	weir_run_free(further);
	reading_of(&weir_reader_hyperfine, HYPERFINE(COMMAND("a", "1, 2", "0, 0")), profile);
	assert_int_equal(weir_several_runs_take(profile, &further, &err), WEIR_E_FORMAT);
	assert_null(further);
	weir_profile_free(profile);
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_pytest_benchmark,
	                        PYTEST("{\"median\": 2, \"data\": [1e-6, 2e-6]}"));
	reading_survives_damage(&weir_reader_google_benchmark,
	                        GOOGLE(FIVE("BM_a") "," AGGREGATE("BM_b", "median", "9")));
	reading_survives_damage(&weir_reader_hyperfine, HYPERFINE(COMMAND("a", "1, 2", "0, 1")));
	reading_survives_damage(&weir_reader_criterion, MESSAGE("g/a", "1, 2", "10, 30", "us")
	                                                        MESSAGE("b", "1", "2", "ns"));
	reading_survives_damage(&weir_reader_criterion, SAMPLE("1, 2", "3, 4"));
	reading_survives_damage(&weir_reader_samples, "name,value,unit,run\n\"a\",1,s,1\nb,2,ms,2");
}

static void other_benchmark_results_are_refused_with_a_way_out(void **state)
{
	struct weir_error err = {0};
	struct weir_profile *profile = weir_profile_new();
	static const char text[] = "{\"benchmarks\": [{\"runs\": []}], \"version\": \"1.0\"}";
	const struct weir_read_options options = {0};

	(void)state;
	assert_int_equal(
		weir_read_memory(profile, "other.json", text, strlen(text), &options, &err),
		WEIR_E_FORMAT);
	assert_non_null(strstr(err.message, "name,value,unit"));
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rounds_of_pytest_are_samples),
		cmocka_unit_test(pytest_without_rounds_gives_the_median_and_a_warning),
		cmocka_unit_test(statistics_of_pytest_are_labels),
		cmocka_unit_test(statistics_beyond_the_limit_are_counted),
		cmocka_unit_test(odd_results_of_pytest_are_refused),
		cmocka_unit_test(ten_repetitions_of_google_are_samples),
		cmocka_unit_test(fewer_repetitions_become_their_median),
		cmocka_unit_test(of_aggregates_the_median_is_read),
		cmocka_unit_test(a_benchmark_with_an_error_is_left_out),
		cmocka_unit_test(odd_results_of_google_are_refused),
		cmocka_unit_test(each_time_of_hyperfine_is_a_run),
		cmocka_unit_test(times_of_failed_commands_are_left_out),
		cmocka_unit_test(a_time_of_0_of_hyperfine_counts),
		cmocka_unit_test(odd_results_of_hyperfine_are_refused),
		cmocka_unit_test(samples_of_criterion_are_times_per_iteration),
		cmocka_unit_test(the_path_names_the_benchmark_of_a_sample),
		cmocka_unit_test(odd_results_of_criterion_are_refused),
		cmocka_unit_test(rows_become_runs_and_stages),
		cmocka_unit_test(without_a_column_run_the_file_is_one_run),
		cmocka_unit_test(odd_tables_are_refused),
		cmocka_unit_test(names_and_runs_of_a_table_are_limited),
		cmocka_unit_test(names_are_limited),
		cmocka_unit_test(one_run_of_several_can_be_chosen),
		cmocka_unit_test(several_runs_are_no_part_of_one_run),
		cmocka_unit_test(damaged_files_are_read_or_refused),
		cmocka_unit_test(other_benchmark_results_are_refused_with_a_way_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
