/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"

#define HEAD                                                                                       \
	"{\"metadata\": {\"version\": 2, \"guidellm_version\": \"0.5\"}, \"config\": {\"spec\": "  \
	"{\"backend\": {\"model\": \"org/m\", \"api_key\": \"secret\"}}}, \"benchmarks\": ["
#define DIST(mean, median, p95, count)                                                             \
	"{\"successful\": {\"mean\": " mean ", \"median\": " median ", \"max\": 2.0, "             \
	"\"count\": " count ", \"percentiles\": {\"p001\": 0.1, \"p50\": " median                  \
	", \"p95\": " p95 ", \"p999\": 9.9}}, \"errored\": {\"mean\": 77.0, \"count\": 0}}"
#define E2E      DIST("1.0", "0.9", "1.5", "4")
#define TTFT     DIST("100.0", "90.0", "150.0", "4")
#define NTPOT    DIST("9.9", "9.5", "12.0", "404")
#define ITL      DIST("9.0", "8.9", "10.0", "400")
#define LENGTH   DIST("101.0", "100.0", "110.0", "4")
#define TOKENS   DIST("40.5", "0.1", "0.2", "404")
#define NONE     DIST("0.0", "0.0", "0.0", "0")
#define REQUESTS DIST("0.4", "0.1", "0.2", "4")
#define METRICS                                                                                    \
	"\"metrics\": {\"request_latency\": " E2E ", \"time_to_first_token_ms\": " TTFT            \
	", \"time_per_output_token_ms\": " NTPOT ", \"inter_token_latency_ms\": " ITL              \
	", \"output_token_count\": " LENGTH ", \"output_tokens_per_second\": " TOKENS              \
	", \"prompt_tokens_per_second\": " NONE ", \"requests_per_second\": " REQUESTS "}, "
#define POINT(strategy, successful, errored, requests)                                             \
	"{\"type_\": \"generative_benchmark\", \"config\": {\"strategy\": " strategy               \
	", \"backend\": {\"model\": \"org/m\", \"api_key\": \"secret\", \"target\": \"host\"}}, "  \
	"\"scheduler_metrics\": {\"requests_made\": {\"successful\": " successful                  \
	", \"errored\": " errored ", \"incomplete\": 1, \"total\": 10}, "                          \
	"\"request_targeted_start_delay_avg\": 0.0025}, " METRICS                                  \
	"\"requests\": {\"successful\": [" requests "], \"errored\": [], \"incomplete\": [], "     \
	"\"total\": null}, \"start_time\": 1786678147.5, \"end_time\": 1786678157.5, "             \
	"\"duration\": 10.0}"
#define CONSTANT(rate) "{\"type_\": \"constant\", \"rate\": " rate ", \"max_concurrency\": 512}"
#define RECORD(due, sent, first, last, end, output)                                                \
	"{\"request_id\": \"secret\", \"info\": {\"status\": \"completed\", \"timings\": {"        \
	"\"targeted_start\": " due ", \"request_start\": " sent                                    \
	", \"first_token_iteration\": " first ", \"last_token_iteration\": " last                  \
	", \"token_iterations\": 9, \"request_end\": " end "}}, \"input_metrics\": "               \
	"{\"text_tokens\": 32}, \"output_metrics\": {\"text_tokens\": " output "}}"
#define RECORDS                                                                                    \
	RECORD("1786678148.25", "1786678148.75", "1786678148.850000001", "1786678149.0",           \
	       "1786678149.25", "4")                                                               \
	", " RECORD("1786678147.25", "1786678147.25", "null", "null", "1786678147.75", "null")
#define ONE(requests) HEAD POINT(CONSTANT("0.5"), "2", "3", requests) "]}"

/* Four load points: no request completed in one, and two have the same rate. */
static const char *write_sweep(struct weir_text *text)
{
	weir_text_puts(text, HEAD);
	weir_text_puts(text, POINT(CONSTANT("2.0"), "4", "0", "") ", ");
	weir_text_puts(text, POINT("{\"type_\": \"concurrent\", \"max_concurrency\": 16}", "2", "0",
	                           RECORDS) ", ");
	weir_text_puts(text, POINT("{\"type_\": \"throughput\"}", "0", "9", "") ", ");
	weir_text_puts(text, POINT(CONSTANT("2"), "4", "0", "") "]}");
	return text->data;
}

static const struct weir_reader *const reader = &weir_reader_guidellm;

static void one_load_point_without_records_is_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, ONE(""), profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_null(input->requests);
	reading_expects_figure(run, "mean_e2el_ms", 1000, false, "ms");
	reading_expects_figure(run, "p95_ttft_ms", 150, false, "ms");
	reading_expects_figure(run, "mean_itl_ms", 9, false, "ms");
	reading_expects_figure(run, "mean_ntpot_ms", 9.9, false,
	                       "ms"); /* includes the first token */
	reading_expects_figure(run, "mean_tpot_ms", 9, false, "ms");
	reading_expects_figure(run, "request_throughput", 0.4, true, "1/s");
	reading_expects_figure(run, "output_throughput", 40.5, true, "tokens/s");
	reading_expects_figure(run, "mean_client_queue_ms", 2.5, false, "ms");
	assert_string_equal(weir_run_label(run, "strategy"), "constant");
	assert_string_equal(weir_run_label(run, "request_rate"), "0.5");
	assert_string_equal(weir_run_label(run, "model"), "org/m");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_LOAD_NOT_REACHED].count, 0);
	weir_profile_free(profile);
}

#define OLD_RECORD(due, sent, first, last, end)                                                    \
	"{\"type_\": \"generative_text_response\", \"scheduler_info\": "                           \
	"{\"targeted_start_time\": " due "}, \"prompt\": \"secret\", \"prompt_tokens\": 20, "      \
	"\"output_tokens\": 11, \"start_time\": " sent ", \"end_time\": " end                      \
	", \"first_token_time\": " first ", \"last_token_time\": " last "}"
#define OLD_TOKENS(mean) ", \"tokens_per_second\": " DIST(mean, "1", "1", "9")
/* 0.4 requests per second of 20 + 101 tokens each: 48.4 tokens per second. */
#define OLD(strategy, total, requests)                                                             \
	"{\"benchmarks\": [{\"type_\": \"generative_benchmark\", \"run_id\": \"x\", \"args\": "    \
	"{\"profile\": {\"type_\": \"sweep\"}, \"strategy\": " strategy "}, \"run_stats\": "       \
	"{\"requests_made\": {\"successful\": 9, \"errored\": 0, \"incomplete\": 0, \"total\": "   \
	"9}, "                                                                                     \
	"\"request_start_time_targeted_delay_avg\": 0.5}, \"worker\": {\"backend_model\": "        \
	"\"org/m\", \"backend_target\": \"host\"}, \"request_loader\": {\"data\": \"secret\"}, "   \
	"\"metrics\": {\"request_latency\": " E2E ", \"time_to_first_token_ms\": " TTFT            \
	", \"time_per_output_token_ms\": " NTPOT ", \"inter_token_latency_ms\": " ITL              \
	", \"prompt_token_count\": " DIST(                                                         \
		"20.0", "20", "20",                                                                \
		"4") ", \"output_token_count\": " LENGTH ", \"requests_per_second\": " REQUESTS    \
		     ", \"output_tokens_per_second\": " TOKENS                                     \
		     OLD_TOKENS(total) "}, \"request_totals\": {\"successful\": 2, \"errored\": "  \
				       "3, \"incomplete\": 1, "                                    \
				       "\"total\": 6}, \"requests\": {\"successful\": [" requests  \
				       "], \"errored\": [], \"incomplete\": []}, \"duration\": "   \
				       "10.0}]}"

static void reports_of_older_versions_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	static const char text[] = OLD(CONSTANT("0.5"), "48.4", "");
	const struct weir_input *input = reading_of(reader, text, profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_string_equal(reading_claims(text), "guidellm");
	reading_expects_figure(run, "mean_e2el_ms", 1000, false, "ms");
	reading_expects_figure(run, "p95_ttft_ms", 150, false, "ms");
	reading_expects_figure(run, "mean_itl_ms", 9, false, "ms");
	reading_expects_figure(run, "request_throughput", 0.4, true, "1/s");
	reading_expects_figure(run, "total_token_throughput", 48.4, true, "tokens/s");
	reading_expects_figure(run, "mean_client_queue_ms", 500, false, "ms");
	assert_null(weir_series_find(&run->metrics, "mean_ntpot_ms")); /* another definition */
	assert_string_equal(weir_run_label(run, "strategy"), "constant");
	assert_string_equal(weir_run_label(run, "request_rate"), "0.5");
	assert_string_equal(weir_run_label(run, "model"), "org/m");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	reading_survives_damage(reader, text);
	weir_profile_free(profile);
}

static void requests_of_older_versions_wait_only_for_a_rate(void **state)
{
	static const char *const parts[] = {
		"client_queue=500000000 time_to_first_token=250000000 decode=500000000 tail=0",
		"time_to_first_token=250000000 decode=500000000 tail=0",
	};
	static const char *const texts[] = {
		OLD(CONSTANT("0.5"), "48.4",
	            OLD_RECORD("1749157168.0", "1749157168.5", "1749157168.75", "1749157169.25",
	                       "1749157169.25") ", " OLD_RECORD("1749157169.0", "1749157169.5",
	                                                        "1749157169.75", "1749157170.25",
	                                                        "1749157170.25")),
		OLD("{\"type_\": \"synchronous\"}", "48.4",
	            OLD_RECORD("1749157168.0", "1749157168.5", "1749157168.75", "1749157169.25",
	                       "1749157169.25") ", " OLD_RECORD("1749157169.0", "1749157169.5",
	                                                        "1749157169.75", "1749157170.25",
	                                                        "1749157170.25")),
	};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, texts[i], profile);

		assert_int_equal(input->requests->count, 2);
		assert_false(input->requests->sampled);
		reading_expects_parts(input->requests, 0, parts[i]);
		weir_profile_free(profile);
	}
}

/* Version 0.2 counts the output of a request several times. */
static void a_rate_of_tokens_that_others_contradict_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, OLD(CONSTANT("0.5"), "129.2", ""), profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "total_token_throughput"));
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

static void a_count_of_zero_makes_zeros_unknown(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, ONE(""), profile)->run;

	(void)state;
	assert_null(weir_series_find(&run->metrics, "input_throughput"));
	assert_null(weir_series_find(&run->metrics, "total_token_throughput"));
	weir_profile_free(profile);
}

static void records_become_requests_from_when_they_were_due(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, ONE(RECORDS), profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_true(requests->client);
	assert_false(requests->sampled);
	assert_int_equal(requests->failed, 3);
	assert_near(requests->duration_s, 10, 0);
	assert_near(requests->requested_per_s, 0.5, 0);
	assert_int_equal(requests->start_ns[0], 1786678147250000000);
	reading_expects_parts(requests, 0, "client_queue=0");
	assert_int_equal(requests->output_tokens[0], 9); /* outputs counted by the client */
	assert_int_equal(requests->start_ns[1], 1786678148250000000);
	reading_expects_parts(requests, 1,
	                      "client_queue=500000000 time_to_first_token=100000001 "
	                      "decode=149999999 tail=250000000");
	assert_int_equal(requests->first_token_ns[1], 600000001);
	assert_int_equal(requests->tokens[1], 32);
	assert_int_equal(requests->output_tokens[1], 4);
	weir_profile_free(profile);
}

static void samples_replace_figures_unless_some_are_missing(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, ONE(RECORDS), profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "mean_ttft_ms"));
	reading_expects_figure(input->run, "request_throughput", 0.4, true, "1/s");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 0);
	input = reading_of(reader, HEAD POINT(CONSTANT("1"), "100", "0", RECORDS) "]}", profile);
	assert_null(input->requests); /* a sample, beside means of all */
	assert_string_equal(weir_run_label(input->run, "listed_requests"), "2");
	assert_string_equal(weir_run_label(input->run, "completed"), "100");
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	reading_expects_figure(input->run, "mean_ttft_ms", 100, false, "ms");
	weir_profile_free(profile);
}

static void load_points_of_a_sweep_have_separate_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input = reading_of(reader, write_sweep(&text), profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_null(input->requests); /* requests under several loads are not one population */
	reading_expects_figure(run, "constant@2/mean_ttft_ms", 100, false, "ms");
	reading_expects_figure(run, "constant@2#2/mean_ttft_ms", 100, false, "ms");
	reading_expects_stage(run, "concurrent@16/e2e", 2, (double[]){500000000, 500000000});
	reading_expects_stage(run, "concurrent@16/ttft", 1, (double[]){100000001});
	assert_null(weir_series_find(&run->metrics, "concurrent@16/mean_ttft_ms"));
	/* No request completed there. */
	assert_null(weir_series_find(&run->metrics, "throughput/mean_ttft_ms"));
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 9);
	assert_null(weir_run_label(run, "request_rate"));
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_rate_of_input_above_that_of_all_tokens_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		HEAD "{\"config\": {}, \"scheduler_metrics\": {\"requests_made\": "
		     "{\"successful\": 8, \"total\": 8}}, \"metrics\": {\"request_totals\": "
		     "{\"successful\": 6, \"total\": 6}, \"request_latency\": " E2E
		     ", \"prompt_tokens_per_second\": " DIST(
			     "129", "1", "2", "9") ", \"tokens_per_second\": " DIST("107", "1", "2",
	                                                                            "9") "}}]}",
		profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "input_throughput"));
	reading_expects_figure(input->run, "total_token_throughput", 107, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	/* metrics leave out the requests of the warm-up */
	assert_string_equal(weir_run_label(input->run, "completed"), "6");
	weir_profile_free(profile);
}

static void rows_of_its_csv_are_load_points_named_as_in_json(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(reader, "tests/data/guidellm/benchmarks.csv", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "concurrent@2/mean_e2el_ms", 1000, false, "ms");
	reading_expects_figure(run, "concurrent@2/p95_e2el_ms", 1300, false, "ms");
	reading_expects_figure(run, "concurrent@8/mean_ttft_ms", 222, false, "ms");
	reading_expects_figure(run, "concurrent@8/p99_ttft_ms", 440, false, "ms");
	reading_expects_figure(run, "concurrent@8/mean_itl_ms", 22, false, "ms");
	reading_expects_figure(run, "concurrent@8/mean_ntpot_ms", 26, false, "ms");
	reading_expects_figure(run, "concurrent@8/mean_tpot_ms", 22, false, "ms");
	reading_expects_figure(run, "concurrent@8/output_throughput", 300, true, "tokens/s");
	assert_string_equal(weir_run_label(run, "model"), "tiny-model");
	assert_string_equal(weir_run_label(run, "guidellm"), "0.7.3");
	assert_string_equal(weir_run_label(run, "concurrent@2/completed"), "100");
	assert_string_equal(weir_run_label(run, "concurrent@8/failed"), "3");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 0);
	weir_profile_free(profile);
}

#define CSV_HEAD                                                                                   \
	"Run Info,Benchmark,Timings,Request Counts,Request Latency,Time to First Token\n"          \
	"Profile,Strategy,Duration,Successful,Successful Sec,Successful ms\n,,Sec,,Mean,Mean\n"

static void a_damaged_csv_is_read_around_or_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, CSV_HEAD "{,synchronous,10,5,2,100\nx,y,1\n", profile);

	(void)state;
	reading_expects_figure(input->run, "mean_e2el_ms", 2000, false, "ms");
	assert_string_equal(weir_run_label(input->run, "completed"), "5");
	assert_int_equal(input->warnings[WEIR_WARN_TRUNCATED].count, 1);
	weir_profile_free(profile);
	reading_refuses(reader, CSV_HEAD, WEIR_E_EMPTY, "without a whole row");
}

static void a_rate_that_was_not_reached_is_a_warning(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader, HEAD POINT(CONSTANT("9"), "4", "0", "") "]}", profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_LOAD_NOT_REACHED].count, 1);
	weir_profile_free(profile);
}

/* Expects contradictions of 4 requests of 101 tokens with 0.4 requests/s and 40.5 tokens/s. */
static void expect_contradictions(const char *duration, const char *more, uint64_t count)
{
	static const char stated[] = "\"duration\": 10.0}";
	const char *point = POINT(CONSTANT("0.5"), "4", "0", "");
	const char *end = strstr(point, stated);
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	weir_text_printf(&text, HEAD "%.*s\"duration\": %s%s}]}", (int)(end - point), point,
	                 duration, more);
	input = reading_of(reader, text.data, profile);
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, count);
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void rates_that_are_not_totals_over_the_duration_are_warned_of(void **state)
{
	(void)state;
	expect_contradictions("10.4", "", 0);
	expect_contradictions("10.6", "", 2);
	expect_contradictions("10.6", ", \"warmup_duration\": 0.0, \"cooldown_duration\": null", 2);
	/* Requests of the warm-up are counted, but are not in the metrics. */
	expect_contradictions("10.6", ", \"warmup_duration\": 0.5", 0);
	expect_contradictions("10.6", ", \"cooldown_duration\": 0.5", 0);
}

static void keys_hosts_and_ids_are_not_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_of(reader, ONE(RECORDS), profile)->run;

	(void)state;
	for (size_t i = 0; i < run->label_count; i++) {
		assert_null(strstr(run->labels[i].value, "secret"));
		assert_null(strstr(run->labels[i].value, "host"));
	}
	weir_profile_free(profile);
}

static void damage_is_read_around_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(reader, ONE(RECORDS));
	reading_refuses(reader, HEAD "]}", WEIR_E_EMPTY, "no timing in this report");
	reading_refuses(reader, HEAD POINT(CONSTANT("1"), "0", "4", "") "]}", WEIR_E_FORMAT,
	                "no request completed");
	reading_refuses(reader, "[]", WEIR_E_EMPTY, "no timing");
	reading_refuses(reader, HEAD, WEIR_E_FORMAT, "ends in the middle");
}

static void reports_are_known_by_the_version_that_wrote_them(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(ONE("")), reader->name);
	assert_string_equal(reading_claims("{\"benchmarks\": []}"), "none");
	assert_string_equal(reading_claims("{\"metadata\": {\"version\": 2}, \"benchmarks\": []}"),
	                    "none");
}

static void the_real_report_is_a_sweep_of_two(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_sample("samples/guidellm/guidellm_report_v2.json", reader, NULL, profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "constant@2/mean_e2el_ms", 19.78909969329834, false, "ms");
	reading_expects_figure(run, "constant@4/mean_ttft_ms", 9.78386402130127, false, "ms");
	reading_expects_figure(run, "constant@4/p95_itl_ms", 1.274177006312779, false, "ms");
	assert_string_equal(weir_run_label(run, "model"), "e2e-mock-model");
	weir_profile_free(profile);
}

#define TABLE_HEAD                                                                                 \
	"|=============|======|======|\n| Benchmark   | TTFT       ||\n| Strategy    | ms        " \
	" "                                                                                        \
	"||\n|             | Mdn  | p95  |\n|-------------|------|------|\n"
#define TABLE_END "|=============|======|======|\n"

static void the_tables_have_a_row_for_each_load_point(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_guidellm, "tests/data/guidellm/tables.txt", profile);
	const struct weir_run *run = input->run;

	(void)state;
	assert_string_equal(input->gives, "native run");
	reading_expects_figure(run, "synchronous/median_e2el_ms", 2100, false, "ms");
	reading_expects_figure(run, "synchronous/p95_ttft_ms", 60.5, false, "ms");
	reading_expects_figure(run, "constant/median_itl_ms", 16.2, false, "ms");
	reading_expects_figure(run, "constant#2/p95_ntpot_ms", 27.2, false, "ms");
	reading_expects_figure(run, "constant#2/output_throughput", 600, true, "tokens/s");
	assert_null(weir_series_find(&run->metrics, "constant#2/median_output_throughput"));
	assert_int_equal(run->metrics.count, 3 * (8 + 4));
	reading_expects_label(run, "model", "org/m");
	assert_int_equal(input->warnings[WEIR_WARN_CONTRADICTION].count, 0);
	assert_int_equal(input->warnings[WEIR_WARN_MEANS_ONLY].count, 1);
	weir_profile_free(profile);
}

/* The request latency is in seconds, although the title says ms. */
static void the_tables_of_older_versions_are_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_file(&weir_reader_guidellm, "tests/data/guidellm/tables_0.3.txt", profile);
	const struct weir_run *run = input->run;

	(void)state;
	reading_expects_figure(run, "constant@2.5/mean_e2el_ms", 3200, false, "ms");
	reading_expects_figure(run, "constant@2.5/p99_itl_ms", 18, false, "ms");
	reading_expects_figure(run, "synchronous/output_throughput", 100, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_FAILED_REQUEST].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_UNFINISHED].count, 56);
	weir_profile_free(profile);
}

static void a_load_without_a_completed_request_is_counted_and_named(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_run *run =
		reading_file(&weir_reader_guidellm, "tests/data/guidellm/tables_0.3.txt", profile)
			->run;

	(void)state;
	assert_string_equal(weir_run_label(run, "constant@9.0/completed"), "0");
	assert_string_equal(weir_run_label(run, "constant@2.5/completed"), "60");
	assert_string_equal(weir_run_label(run, "constant@2.5/failed"), "2");
	assert_null(weir_series_find(&run->metrics, "constant@9.0/request_throughput"));
	weir_profile_free(profile);

	profile = weir_profile_new();
	run = reading_of(reader, write_sweep(&text), profile)->run;
	assert_string_equal(weir_run_label(run, "throughput/completed"), "0");
	assert_string_equal(weir_run_label(run, "throughput/failed"), "9");
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_table_of_one_load_point_has_plain_names(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(&weir_reader_guidellm,
	                   TABLE_HEAD "| concurrent@8 | 45.5 | 0.0 |\n" TABLE_END, profile)
			->run;

	(void)state;
	reading_expects_figure(run, "median_ttft_ms", 45.5, false, "ms");
	assert_int_equal(run->metrics.count, 1);
	reading_expects_label(run, "strategy", "concurrent");
	reading_expects_label(run, "max_concurrency", "8");
	weir_profile_free(profile);
}

/* A log may hold several reports, whose tables repeat. */
static void tables_of_further_reports_are_further_load_points(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(&weir_reader_guidellm,
	                   TABLE_HEAD "| synchronous | 45.5 | 50.5 |\n" TABLE_END "x\n" TABLE_HEAD
	                              "| synchronous | 55.5 | 60.5 |\n" TABLE_END,
	                   profile)
			->run;

	(void)state;
	reading_expects_figure(run, "synchronous/median_ttft_ms", 45.5, false, "ms");
	reading_expects_figure(run, "synchronous#2/median_ttft_ms", 55.5, false, "ms");
	weir_profile_free(profile);
}

static void damaged_tables_are_read_around_or_refused(void **state)
{
	static const char ragged[] = TABLE_HEAD "| a | 1.5 |\n| b | 2.5 | 3.5 |\n" TABLE_END;
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_guidellm, ragged, profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_RAGGED_ROW].count, 1);
	reading_expects_figure(input->run, "median_ttft_ms", 2.5, false, "ms");
	weir_profile_free(profile);
	reading_refuses(
		&weir_reader_guidellm,
		"OpenAIHTTPBackend backend validated with model m\nSetup complete, starting "
		"benchmarks...\n",
		WEIR_E_EMPTY, "without a figure");
	reading_survives_damage(&weir_reader_guidellm, ragged);
	reading_survives_damage(&weir_reader_guidellm,
	                        " backend validated with model m\n" TABLE_HEAD
	                        "| s@2 | 1.5 | 2.5 |\n" TABLE_END TABLE_HEAD "| t | 2 | 3 |\n");
}

static void requests_that_follow_each_other_have_no_queue_at_the_client(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, HEAD POINT("{\"type_\": \"synchronous\"}", "4", "0", "") "]}", profile);

	(void)state;
	assert_null(weir_series_find(&input->run->metrics, "mean_client_queue_ms"));
	input = reading_of(reader, HEAD POINT(CONSTANT("0.5"), "4", "0", "") "]}", profile);
	reading_expects_figure(input->run, "mean_client_queue_ms", 2.5, false, "ms");
	weir_profile_free(profile);
}

static void a_rate_over_a_negative_cool_down_is_left_out(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_input *input;

	(void)state;
	weir_text_puts(&text, HEAD POINT(CONSTANT("0.5"), "4", "0", ""));
	text.data[--text.length] = '\0';
	weir_text_puts(&text, ", \"warmup_duration\": 1.0, \"cooldown_duration\": -3.5}]}");
	input = reading_of(reader, text.data, profile);
	assert_null(weir_series_find(&input->run->metrics, "request_throughput"));
	reading_expects_figure(input->run, "output_throughput", 40.5, true, "tokens/s");
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_text_release(&text);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_load_point_without_records_is_figures),
		cmocka_unit_test(reports_of_older_versions_are_read),
		cmocka_unit_test(requests_of_older_versions_wait_only_for_a_rate),
		cmocka_unit_test(a_rate_of_tokens_that_others_contradict_is_left_out),
		cmocka_unit_test(a_count_of_zero_makes_zeros_unknown),
		cmocka_unit_test(records_become_requests_from_when_they_were_due),
		cmocka_unit_test(samples_replace_figures_unless_some_are_missing),
		cmocka_unit_test(load_points_of_a_sweep_have_separate_figures),
		cmocka_unit_test(a_rate_of_input_above_that_of_all_tokens_is_left_out),
		cmocka_unit_test(rows_of_its_csv_are_load_points_named_as_in_json),
		cmocka_unit_test(a_damaged_csv_is_read_around_or_refused),
		cmocka_unit_test(a_rate_that_was_not_reached_is_a_warning),
		cmocka_unit_test(rates_that_are_not_totals_over_the_duration_are_warned_of),
		cmocka_unit_test(keys_hosts_and_ids_are_not_kept),
		cmocka_unit_test(damage_is_read_around_or_refused),
		cmocka_unit_test(reports_are_known_by_the_version_that_wrote_them),
		cmocka_unit_test(the_real_report_is_a_sweep_of_two),
		cmocka_unit_test(the_tables_have_a_row_for_each_load_point),
		cmocka_unit_test(a_load_without_a_completed_request_is_counted_and_named),
		cmocka_unit_test(requests_that_follow_each_other_have_no_queue_at_the_client),
		cmocka_unit_test(a_rate_over_a_negative_cool_down_is_left_out),
		cmocka_unit_test(the_tables_of_older_versions_are_read),
		cmocka_unit_test(a_table_of_one_load_point_has_plain_names),
		cmocka_unit_test(tables_of_further_reports_are_further_load_points),
		cmocka_unit_test(damaged_tables_are_read_around_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
