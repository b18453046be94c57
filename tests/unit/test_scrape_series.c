/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The series of a page that count for a metric, and those that repeat others. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sum_and_its_parts_are_counted_once),
		cmocka_unit_test(labels_of_engines_and_kinds_divide_no_sum),
		cmocka_unit_test(ranks_of_an_engine_state_the_same_requests),
		cmocka_unit_test(only_totals_lose_their_suffix),
		cmocka_unit_test(a_page_without_requests_has_inferences_and_times_of_one),
		cmocka_unit_test(a_time_per_output_token_of_sglang_has_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
