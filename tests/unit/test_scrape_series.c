/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a page that count for a metric, and those that repeat others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"

static const struct weir_stage_aliases no_aliases;

struct bench {
	struct weir_profile *profile;
	struct weir_scrape_figures figures;
};

static void add_text(struct bench *bench, const char *text)
{
	bench->profile = bench->profile ? bench->profile : weir_profile_new();
	scrape_of(&weir_reader_prometheus, bench->profile, text);
}

static const struct weir_scrape_figures *collect(struct bench *bench)
{
	assert_true(weir_scrape_figures_collect(bench->profile, &no_aliases, &bench->figures));
	return &bench->figures;
}

static void release(struct bench *bench)
{
	weir_scrape_figures_release(&bench->figures);
	weir_profile_free(bench->profile);
}

static void a_sum_and_its_parts_are_counted_once(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "sglang:num_running_reqs{priority=\"\",tp_rank=\"0\"} 14\n"
	                 "sglang:num_running_reqs{priority=\"-1\",tp_rank=\"0\"} 5\n"
	                 "sglang:num_running_reqs{priority=\"0\",tp_rank=\"0\"} 9\n"
	                 "sglang:num_queue_reqs{priority=\"0\",tp_rank=\"0\"} 2\n"
	                 "sglang:num_queue_reqs{priority=\"1\",tp_rank=\"0\"} 1\n"
	                 "sglang:token_usage{priority=\"\"} 0.5\n"
	                 "sglang:token_usage{priority=\"0\"} 0.1\n");
	collect(&bench);
	assert_near(bench.figures.running, 14, 0);
	assert_near(bench.figures.waiting, 3, 0); /* no series states the sum */
	assert_near(bench.figures.cache_usage, 0.5, 0);
	release(&bench);
}

static void labels_of_engines_and_kinds_divide_no_sum(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "nv_trt_llm_request_metrics 99\n"
	                 "nv_trt_llm_request_metrics{request_type=\"waiting\"} 3\n");
	collect(&bench);
	assert_near(bench.figures.waiting, 3, 0);
	release(&bench);
	bench = (struct bench){0};
	add_text(&bench, "vllm:num_requests_running 3\n"
	                 "vllm:num_requests_running{engine=\"1\"} 4\n");
	collect(&bench);
	assert_near(bench.figures.running, 7, 0);
	release(&bench);
}

static void ranks_of_an_engine_state_the_same_requests(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "# TYPE sglang:num_running_reqs gauge\n"
	                 "sglang:num_running_reqs{tp_rank=\"0\"} 4\n"
	                 "sglang:num_running_reqs{tp_rank=\"1\"} 4\n"
	                 "# TYPE sglang:num_retracted_requests_total counter\n"
	                 "sglang:num_retracted_requests_total{tp_rank=\"0\"} 6\n"
	                 "sglang:num_retracted_requests_total{tp_rank=\"1\"} 6\n"
	                 "# TYPE sglang:token_usage gauge\n"
	                 "sglang:token_usage{dp_rank=\"0\",tp_rank=\"0\"} 0.5\n"
	                 "sglang:token_usage{dp_rank=\"0\",tp_rank=\"1\"} 0.5\n"
	                 "sglang:token_usage{dp_rank=\"1\",tp_rank=\"0\"} 0.7\n");
	collect(&bench);
	assert_near(bench.figures.running, 4, 0);
	assert_near(bench.figures.preemptions, 6, 0);
	assert_near(bench.figures.cache_usage, 0.6, 1e-12);
	release(&bench);
}

static void only_totals_lose_their_suffix(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs 4\n"
	                 "sglang:num_running_reqs_total 100\n"
	                 "sglang:num_requests_total 40\n"
	                 "# TYPE sglang:num_queue_reqs_total counter\n"
	                 "sglang:num_queue_reqs_total 70\n");
	collect(&bench);
	assert_near(bench.figures.running, 4, 0);
	assert_near(bench.figures.requests, 40, 0);
	assert_true(isnan(bench.figures.waiting));
	release(&bench);
}

/* Each chunk observes the mean since the first token: that is a time per output token. */
static void a_time_per_output_token_of_sglang_has_bounds(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape_stage *token;

	(void)state;
	add_text(&bench, "# TYPE sglang:time_per_output_token_seconds histogram\n"
	                 "sglang:time_per_output_token_seconds_bucket{le=\"0.05\"} 40\n"
	                 "sglang:time_per_output_token_seconds_bucket{le=\"0.1\"} 90\n"
	                 "sglang:time_per_output_token_seconds_bucket{le=\"+Inf\"} 100\n"
	                 "sglang:time_per_output_token_seconds_sum 8\n");
	collect(&bench);
	assert_int_equal(bench.figures.stage_count, 1);
	token = &bench.figures.stages[0];
	assert_near(token->at[WEIR_LEVEL_P50].low, 0.05e9, 1e-12);
	assert_true(token->at[WEIR_LEVEL_P50].high <= 0.1e9);
	assert_int_equal(token->occupied, 3);
	assert_int_equal(bench.figures.findings.smoothed, 0);
	release(&bench);
}

#define INFERRED(model, executions, infer_us)                                                      \
	"nv_inference_count{model=\"" model "\"} 1000\n"                                           \
	"nv_inference_exec_count{model=\"" model "\"} " executions "\n"                            \
	"nv_inference_compute_infer_duration_us{model=\"" model "\"} " infer_us "\n"

static void a_page_without_requests_has_inferences_and_times_of_one(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, INFERRED("e", "1000", "60000") INFERRED("a", "50", "50000")
	                         INFERRED("b", "1000", "10000"));
	collect(&bench);
	assert_true(isnan(bench.figures.requests));
	assert_near(bench.figures.inferences, 1000, 0);
	assert_true(bench.figures.ensembles);
	assert_int_equal(bench.figures.stage_count, 3);
	assert_string_equal(bench.figures.stages[0].name, "e/compute_infer");
	assert_near(bench.figures.stages[0].count, 1000, 0);
	assert_near(bench.figures.stages[0].mean_ns, 6e4, 1e-9);
	assert_true(isnan(bench.figures.batch_size));
	assert_int_equal(bench.figures.batch_count, 2);
	assert_near(bench.figures.batches[0].size, 20, 0);
	assert_near(bench.figures.batches[1].size, 1, 0);
	release(&bench);
}

#define TOKENS                                                                                     \
	"vllm:prompt_tokens_total{model_name=\"m\"} 2400\n"                                        \
	"vllm:generation_tokens_total{model_name=\"m\"} 96000\n"
#define OF_TGI "tgi_queue_size 3\ntgi_batch_current_size 8\n"

static void names_of_tgi_beside_vllm_are_of_vllm(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, TOKENS OF_TGI);
	collect(&bench);
	assert_string_equal(bench.figures.server, "vLLM");
	assert_near(bench.figures.running, 8, 0);
	assert_near(bench.figures.waiting, 3, 0);
	assert_near(bench.figures.prompt_tokens, 2400, 0);
	assert_near(bench.figures.generation_tokens, 96000, 0);
	release(&bench);
}

static void states_of_vllm_go_before_those_with_names_of_tgi(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, TOKENS OF_TGI "vllm:num_requests_running{model_name=\"m\"} 5\n");
	collect(&bench);
	assert_near(bench.figures.running, 5, 0);
	assert_true(isnan(bench.figures.waiting));
	release(&bench);
}

static void counters_of_tokens_alone_name_their_server(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, TOKENS);
	collect(&bench);
	assert_string_equal(bench.figures.server, "vLLM");
	release(&bench);
	bench = (struct bench){0};
	add_text(&bench, TOKENS "sglang:prompt_tokens_total 3\n");
	collect(&bench);
	assert_null(bench.figures.server);
	release(&bench);
}

#define STEP(model, queue_us, whole_us, infer_us)                                                  \
	"nv_inference_request_success{model=\"" model "\"} 100\n"                                  \
	"nv_inference_request_duration_us{model=\"" model "\"} " whole_us "\n"                     \
	"nv_inference_queue_duration_us{model=\"" model "\"} " queue_us "\n"                       \
	"nv_inference_compute_input_duration_us{model=\"" model "\"} 0\n"                          \
	"nv_inference_compute_infer_duration_us{model=\"" model "\"} " infer_us "\n"               \
	"nv_inference_compute_output_duration_us{model=\"" model "\"} 0\n"

static void overhead_of_an_ensemble_is_without_the_queues_of_its_steps(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape_stage *found = NULL;

	(void)state;
	add_text(&bench, STEP("e", "100", "100000", "60000") STEP("a", "30000", "80000", "50000")
	                         STEP("b", "5000", "15000", "10000"));
	collect(&bench);
	for (size_t i = 0; i < bench.figures.stage_count; i++)
		if (strcmp(bench.figures.stages[i].name, "e/overhead") == 0)
			found = &bench.figures.stages[i];
	assert_near(found ? found->total_ns : -1, (100000 - 100 - 60000 - 35000) * 1e3, 1e-9);
	release(&bench);
}

static void an_engine_behind_triton_states_its_own_work(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, INFERRED("tensorrt_llm", "1000",
	                          "50000") "nv_trt_llm_general_metrics{general_type=\"iteration_"
	                                   "counter\"} 400\n"
	                                   "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type="
	                                   "\"max\"} 80\n"
	                                   "# TYPE nv_llm_output_token_len histogram\n"
	                                   "nv_llm_output_token_len_count{response_metric_type="
	                                   "\"total_output_tokens\"} 1000\n"
	                                   "nv_llm_output_token_len_sum{response_metric_type="
	                                   "\"total_output_tokens\"} 6400\n"
	                                   "nv_llm_output_token_len_bucket{response_metric_type="
	                                   "\"total_output_tokens\","
	                                   "le=\"+Inf\"} 1000\n");
	collect(&bench);
	assert_true(isnan(bench.figures.batch_size));
	assert_int_equal(bench.figures.batch_count, 0);
	assert_near(bench.figures.engine_steps, 400, 0);
	assert_near(bench.figures.generation_tokens, 6400, 0);
	assert_true(isnan(bench.figures.prompt_tokens));
	assert_near(bench.figures.cache_blocks, 80, 0);
	release(&bench);
}

static void durations_in_one_bucket_have_bounds_alone(void **state)
{
	struct bench bench = {0};
	const struct weir_quantile_estimate *p95;

	(void)state;
	add_text(&bench, "# TYPE vllm:e2e_request_latency_seconds histogram\n"
	                 "vllm:e2e_request_latency_seconds_bucket{le=\"1.0\"} 5\n"
	                 "vllm:e2e_request_latency_seconds_bucket{le=\"2.5\"} 5\n"
	                 "vllm:e2e_request_latency_seconds_bucket{le=\"+Inf\"} 5\n"
	                 "vllm:e2e_request_latency_seconds_count 5\n"
	                 "vllm:e2e_request_latency_seconds_sum 2.4\n");
	collect(&bench);
	p95 = &bench.figures.stages[0].at[WEIR_LEVEL_P95];
	assert_true(isnan(p95->estimate));
	assert_true(p95->low >= 0);
	assert_near(p95->high, 1e9, 0);
	assert_true(bench.figures.stages[0].resolution_limited);
	release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sum_and_its_parts_are_counted_once),
		cmocka_unit_test(labels_of_engines_and_kinds_divide_no_sum),
		cmocka_unit_test(ranks_of_an_engine_state_the_same_requests),
		cmocka_unit_test(only_totals_lose_their_suffix),
		cmocka_unit_test(a_page_without_requests_has_inferences_and_times_of_one),
		cmocka_unit_test(a_time_per_output_token_of_sglang_has_bounds),
		cmocka_unit_test(names_of_tgi_beside_vllm_are_of_vllm),
		cmocka_unit_test(states_of_vllm_go_before_those_with_names_of_tgi),
		cmocka_unit_test(counters_of_tokens_alone_name_their_server),
		cmocka_unit_test(overhead_of_an_ensemble_is_without_the_queues_of_its_steps),
		cmocka_unit_test(an_engine_behind_triton_states_its_own_work),
		cmocka_unit_test(durations_in_one_bucket_have_bounds_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
