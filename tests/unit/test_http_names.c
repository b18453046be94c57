/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics by the names of requests: those of Gatling and JMeter. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA "tests/data/http_load/"

/* Samples, errors, mean and throughput. */
#define JMETER(name, samples, errors)                                                              \
	"\"" name "\":{\"transaction\":\"" name "\",\"sampleCount\":" samples                      \
	",\"errorCount\":" errors ",\"meanResTime\":4.5,\"pct1ResTime\":9,\"throughput\":10}"

#define GATLING(ok, ko)                                                                            \
	"\"stats\":{\"numberOfRequests\":{\"total\":\"9\",\"ok\":\"" ok "\",\"ko\":\"" ko          \
	"\"},\"meanResponseTime\":{\"ok\":\"44\",\"ko\":\"-\"},\"percentiles1\":{\"ok\":\"40\"},"  \
	"\"meanNumberOfRequestsPerSecond\":{\"total\":\"9\",\"ok\":\"4.5\"}}"
#define REQUEST(key, path, stats)                                                                  \
	"\"" key "\":{\"type\":\"REQUEST\",\"name\":\"x\",\"path\":\"" path "\"," stats "}"

static double figure_of(const struct weir_input *input, const char *name)
{
	const struct weir_series *series = weir_series_find(&input->run->metrics, name);

	return series ? series->value[0] : NAN;
}

static void statistics_of_jmeter_are_of_each_name_and_over_all(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_jmeter_stats, DATA "jmeter.json", profile);

	(void)state;
	reading_expects_figure(input->run, "median_latency_ms", 31, false, "ms");
	reading_expects_figure(input->run, "p90_latency_ms", 66, false, "ms");
	reading_expects_figure(input->run, "request@POST /embed/p99_latency_ms", 38.9, false, "ms");
	reading_expects_figure(input->run, "request@POST /embed/request_throughput", 10.047224,
	                       true, "1/s");
	reading_expects_label(input->run, "completed", "592");
	reading_expects_label(input->run, "failed", "28");
	reading_expects_label(input->run, "request@POST /generate/failed", "8");
	assert_string_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].detail,
	                    "all 20 requests of \"GET /gone\" failed");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].count, 1);
	weir_profile_free(profile);
}

static void the_rate_of_jmeter_is_that_of_completed_requests(void **state)
{
	static const struct {
		const char *text;
		double rate;
	} cases[] = {
		{"{" JMETER("Total", "100", "0") "}", 10},
		{"{" JMETER("Total", "100", "20") "}", 8},
		{"{" JMETER("a/b/c", "100", "20") "}", NAN},
		{"{" JMETER("a/b/c", "100", "20") "," JMETER("Total", "100", "50") "}", 5},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_of(&weir_reader_jmeter_stats, cases[i].text, profile);
		double rate = figure_of(input, "request_throughput");

		assert_true(isnan(cases[i].rate) ? isnan(rate) : fabs(rate - cases[i].rate) < 1e-9);
		/* a name alone is not repeated */
		assert_int_equal(input->run->metrics.count, i ? 4 : 3);
		assert_true(isnan(cases[i].rate) ==
		            (figure_of(input, "request@a/b/c/request_throughput") == 8));
		weir_profile_free(profile);
	}
	reading_refuses(&weir_reader_jmeter_stats, "{" JMETER("Total", "100", "100") "}",
	                WEIR_E_FORMAT, "no request completed");
	reading_refuses(&weir_reader_jmeter_stats, "{\"Total\":{\"sampleCount\":\"many\"}}",
	                WEIR_E_EMPTY, "no times and no rate");
}

static void too_many_names_are_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "{");
	for (int i = 0; i < 2000; i++)
		weir_text_printf(&text,
		                 "%s\"%d\":{\"sampleCount\":9,\"errorCount\":0,\"meanResTime\":1,"
		                 "\"pct1ResTime\":9,\"throughput\":5}",
		                 i ? "," : "", i);
	weir_text_puts(&text, "}");
	reading_refuses(&weir_reader_jmeter_stats, text.data, WEIR_E_LIMIT,
	                "group requests by name");
	weir_text_release(&text);
}

static void both_files_of_gatling_say_the_same(void **state)
{
	static const char *const files[] = {DATA "gatling_global.json", DATA "gatling.json"};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input =
			reading_file(&weir_reader_gatling, files[i], profile);

		assert_int_equal(input->run->metrics.count, i ? 29 : 10);
		reading_expects_figure(input->run, "mean_latency_ms", 34, false, "ms");
		reading_expects_figure(input->run, "p75_latency_ms", 49, false, "ms");
		reading_expects_figure(input->run, "p99_latency_ms", 126, false, "ms");
		reading_expects_figure(input->run, "request_throughput", 29.6, true, "1/s");
		reading_expects_label(input->run, "completed", "592");
		reading_expects_label(input->run, "failed", "8");
		assert_string_equal(input->warnings[WEIR_WARN_FAILED_COUNTED].detail,
		                    "8 of 600 requests failed");
		weir_profile_free(profile);
	}
}

static void groups_of_gatling_are_left_out(void **state)
{
	static const char text
		[] = "{\"type\":\"GROUP\",\"name\":\"All Requests\",\"path\":\"\"," GATLING("8", "1") ",\"contents\":{" REQUEST(
			"r1", "a",
			GATLING("6",
	                        "0")) ","
				      "\"g\":{\"type\":\"GROUP\",\"path\":\"b\"," GATLING("3", "0") ",\"contents\":{" REQUEST(
					      "r2", "b / c",
					      GATLING("2", "1")) "}}," REQUEST("r3", "none",
	                                                                       GATLING("0",
	                                                                               "3")) "}}";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_gatling, text, profile);

	(void)state;
	assert_string_equal(reading_claims(text), "gatling");
	reading_expects_label(input->run, "completed", "8");
	reading_expects_label(input->run, "request@a/completed", "6");
	reading_expects_label(input->run, "request@b / c/completed", "2");
	reading_expects_label(input->run, "request@b / c/failed", "1");
	reading_expects_label(input->run, "request@b/completed", NULL);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
	reading_refuses(&weir_reader_gatling, "{" GATLING("0", "9") "}", WEIR_E_FORMAT,
	                "no request completed");
	reading_survives_damage(&weir_reader_gatling, text);
}

static void damaged_statistics_are_read_or_refused(void **state)
{
	static const char unnamed[] = "{\"\":{\"sampleCount\":1,\"meanResTime\":2}}";

	(void)state;
	reading_survives_damage(&weir_reader_jmeter_stats,
	                        "{" JMETER("a", "100", "20") "," JMETER("Total", "100", "50") "}");
	reading_survives_damage(&weir_reader_gatling, "{\"name\":\"a\"," GATLING("8", "1") "}");
	reading_survives_damage(&weir_reader_jmeter_stats, unnamed);
	assert_string_equal(reading_claims("{\"Total\":{\"sampleCount\":1}}"), "none");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statistics_of_jmeter_are_of_each_name_and_over_all),
		cmocka_unit_test(the_rate_of_jmeter_is_that_of_completed_requests),
		cmocka_unit_test(too_many_names_are_refused),
		cmocka_unit_test(both_files_of_gatling_say_the_same),
		cmocka_unit_test(groups_of_gatling_are_left_out),
		cmocka_unit_test(damaged_statistics_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
