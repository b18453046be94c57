/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/server_rows.h"

#define LOG &weir_reader_vllm_log

#define ITERATION(n, rest)                                                                         \
	"Iteration(" n "): 1 context requests, 512 context tokens, 17 generation requests, 18 "    \
	"generation tokens, iteration elapsed time: 12.34 ms" rest "\n"
#define COUNTS " ns=12340000 prefills=1 prompt=512 decodes=17 tokens=18"
#define STATS(engine, extra, kv)                                                                   \
	engine "Avg prompt throughput: 1.5 tokens/s, Avg generation throughput: 345.6 tokens/s, "  \
	       "Running: 12 reqs, Waiting: 3 reqs, " extra "GPU KV cache usage: " kv               \
	       "%, Prefix cache hit rate: 12.5%\n"
#define FIGURES " in=1.5 out=345.6 hits=0.125\n"

static void an_iteration_is_a_step_of_its_engine(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"(EngineCore_DP1 pid=9) INFO 01-02 00:00:01 [core.py:387] " ITERATION(
			"0", "") "Engine 002: " ITERATION("7",
	                                                  " (dummy), GPU KV cache usage: "
	                                                  "50.0%") "\x1b[1;36m(EngineCore "
								   "pid=9)\x1b[0;"
								   "0m " ITERATION("8", ", kv "
	                                                                                "cache: "
	                                                                                "5.0% (3/9 "
	                                                                                "blocks, 4 "
	                                                                                "tokens)"),
		"step \"1\" at=63158401000" COUNTS "\n"
		"step \"2\"" COUNTS " kv=0.5\n"
		"step \"0\"" COUNTS " kv=0.05\n");
}

static void statistics_of_v1_are_an_interval(void **state)
{
	(void)state;
	server_rows_expect(LOG,
	                   STATS("Engine 003: ", "", "50.0")
	                           STATS("Engine 000: ", "Deferred: 2 reqs, Preemptions: 4, ",
	                                 "93.0") STATS("2 Engines Aggregated: ", "", "0.0"),
	                   "interval \"3\" running=12 waiting=3 kv=0.5" FIGURES
	                   "interval \"0\" running=12 waiting=3 preempted=4 kv=0.93" FIGURES
	                   "interval \"all\" running=12 waiting=3 kv=0" FIGURES);
}

static void speculation_belongs_to_its_interval(void **state)
{
	(void)state;
	static const char spec[] =
		"SpecDecoding metrics: Mean acceptance length: 2.25, Accepted throughput: 1.00 "
		"tokens/s, Drafted throughput: 2.00 tokens/s, Accepted: 125 tokens, Drafted: 300 "
		"tokens, Per-position acceptance rate: 0.700, 0.500, Avg Draft acceptance rate: "
		"41.0%\n";
	struct weir_text text = {0};

	weir_text_printf(&text, "%s%s%s", STATS("Engine 000: ", "", "50.0"), spec,
	                 "SpecDecoding metrics: Draft acceptance rate: nan%, Accepted: 0 tokens, "
	                 "Drafted: 0 tokens\n");
	server_rows_expect(LOG, text.data,
	                   "interval \"0\" running=12 waiting=3 drafted=300 accepted=125 kv=0.5 "
	                   "in=1.5 out=345.6 length=2.25 hits=0.125\n"
	                   "interval \"0\" drafted=0 accepted=0\n");
	weir_text_release(&text);
}

static void shares_by_position_state_the_tokens_of_a_draft(void **state)
{
	(void)state;
	struct weir_profile *profile = weir_profile_new();
	static const char spec[] = "SpecDecoding metrics: Accepted: 0 tokens, Drafted: 300 tokens, "
				   "Per-position acceptance rate: 0.000, 0.000, 0.000, "
				   "Avg Draft acceptance rate: 0.0%\n";

	assert_int_equal(reading_of(LOG, spec, profile)->server->settings.draft_tokens, 3);
	weir_profile_free(profile);
}

static void cumulative_numbers_of_v0_become_differences(void **state)
{
	(void)state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	server_rows_print(&text,
	                  reading_file(LOG, "tests/data/serverlog/vllm_v0.log", profile)->server);
	assert_string_equal(
		text.data,
		"interval \"\" at=66193553000 running=2 waiting=5 preempted=1 drafted=120 "
		"accepted=60 kv=0.008 in=558.7 out=127.4 length=2.4 hits=0.9435\n"
		"interval \"\" at=66193558000 running=2 waiting=0 drafted=60 accepted=12 "
		"kv=0.008 in=0 out=99.5 length=1.6\n");
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void settings_come_from_arguments_and_start_lines(void **state)
{
	(void)state;
	server_rows_expect_settings(
		LOG,
		"vLLM API server version 1\nnon-default args: {'max_num_seqs': 64, "
		"'gpu_memory_utilization': 0.85, 'speculative_config': {'num_speculative_tokens': "
		"3}}\n"
		"Initializing a V1 LLM engine (v1) with config: chunked_prefill_enabled=False\n"
		"Chunked prefill is enabled with max_num_batched_tokens=8192.\n"
		"GPU KV cache size: 123,456 tokens\n" ITERATION("1",
	                                                        "") "vLLM API server version 1\n",
		"64,8192,123456,3,1,0.85,2,0");
	server_rows_expect_settings(LOG,
	                            "vllm serve m --max-num-seqs 8 --no-enable-x "
	                            "--max-num-batched-tokens=99\n" ITERATION("1", ""),
	                            "8,99,-1,-1,-1,-1,0,0");
}

static void times_of_containers_are_unix_times(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"2025-07-15T12:34:56.789012345Z INFO 07-15 12:34:50 [c.py:1] " ITERATION("1", ""),
		"step \"0\" at=1752582896789" COUNTS "\n");
	server_rows_expect(LOG,
	                   "{\"log\":\""
	                   "Iteration(1): 1 context requests, 512 context tokens, 17 generation "
	                   "requests, 18 generation tokens, iteration elapsed time: 12.34 "
	                   "ms\\n\",\"stream\":\"stdout\",\"time\":\"2025-07-15T12:34:56Z\"}\n",
	                   "step \"0\" at=1752582896000" COUNTS "\n");
}

static void damage_is_counted_and_the_rest_read(void **state)
{
	(void)state;
	server_rows_expect_warned(LOG, STATS("Engine 000: ", "", "x") ITERATION("1", ""),
	                          WEIR_WARN_BAD_NUMBER, 1);
	server_rows_expect_warned(LOG, ITERATION("1", "") "Iteration(2): 1 con",
	                          WEIR_WARN_TRUNCATED, 1);
	server_rows_expect_warned(LOG, ITERATION("1", "") "INFO: 1 - \"POST /v1 HTTP/1.1\" 200 OK",
	                          WEIR_WARN_TRUNCATED, 0);
	server_rows_expect_warned(LOG, ITERATION("1", "") "INFO: 1 - \"POST /v1 HTTP/1.1\" 20",
	                          WEIR_WARN_TRUNCATED, 1);
	reading_survives_damage(LOG, "INFO 07-15 12:30:01 [c.py:1] " STATS(
					     "Engine 001: ", "", "9.5") ITERATION("1", ""));
	reading_refuses(LOG, "vLLM API server version 1\n", WEIR_E_EMPTY,
	                "--enable-logging-iteration-details");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iteration_is_a_step_of_its_engine),
		cmocka_unit_test(statistics_of_v1_are_an_interval),
		cmocka_unit_test(speculation_belongs_to_its_interval),
		cmocka_unit_test(shares_by_position_state_the_tokens_of_a_draft),
		cmocka_unit_test(cumulative_numbers_of_v0_become_differences),
		cmocka_unit_test(settings_come_from_arguments_and_start_lines),
		cmocka_unit_test(times_of_containers_are_unix_times),
		cmocka_unit_test(damage_is_counted_and_the_rest_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
