/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/analysis/scrape/buckets.h"
#include "engine/analysis/scrape/scrape_metrics.h"
#include "engine/analysis/scrape/scrape_stages.h"
#include "engine/readers/readers.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"
#include "tests/unit/shelf.h"

#define DATA    "tests/data/scrape/"
#define SAMPLES "samples/prometheus/"

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

static void add_path(struct bench *bench, const char *path)
{
	struct weir_error err = {0};

	bench->profile = bench->profile ? bench->profile : weir_profile_new();
	if (weir_read_path(bench->profile, path, NULL, &err))
		fail_msg("%s", err.message);
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

static const struct weir_scrape_stage *stage_of(const struct weir_scrape_figures *figures,
                                                const char *name)
{
	for (size_t i = 0; i < figures->stage_count; i++)
		if (strcmp(figures->stages[i].name, name) == 0)
			return &figures->stages[i];
	fail_msg("no stage %s", name);
	return NULL;
}

static void expect_mean(const struct weir_scrape_figures *figures, const char *name,
                        const char *kind, double count, double mean_ms)
{
	const struct weir_scrape_stage *stage = stage_of(figures, name);

	assert_string_equal(stage->kind, kind);
	assert_near(stage->count, count, 0);
	assert_near(stage->mean_ns, mean_ms * 1e6, 1e-9);
	assert_near(stage->total_ns, mean_ms * 1e6 * count, 1e-9);
}

static void triton_s_totals_are_means_over_requests(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape_figures *figures;

	(void)state;
	add_path(&bench, DATA "triton.prom");
	figures = collect(&bench);
	assert_near(figures->requests, 4000, 0);
	assert_near(figures->failed, 3, 0);
	assert_near(figures->batch_size, 4, 0);
	assert_near(figures->waiting, 21, 0);
	expect_mean(figures, "queue", "queue", 4000, 3);
	expect_mean(figures, "compute_input", "h2d", 3000, 0.4);
	expect_mean(figures, "compute_infer", "compute", 3000, 20);
	expect_mean(figures, "compute_output", "d2h", 3000, 2.0 / 3);
	expect_mean(figures, "e2e", "other", 4000, 20);
	expect_mean(figures, "overhead", "other", 4000, 20 - 3 - 0.3 - 15 - 0.5);
	assert_true(isnan(stage_of(figures, "queue")->at[WEIR_LEVEL_P95].low));
	assert_false(figures->findings.one_page);
	release(&bench);
}

/* Returns the time beside the parts of 100 requests of 1 ms that compute for so long, in us a
 * request; NAN: no such stage. */
static double overhead_us(int infer_us)
{
	struct bench bench = {0};
	const struct weir_scrape_figures *figures;
	char text[512];
	double us = NAN;

	(void)snprintf(text, sizeof text,
	               "nv_inference_request_success{model=\"a\"} 100\n"
	               "nv_inference_request_duration_us{model=\"a\"} 100000\n"
	               "nv_inference_queue_duration_us{model=\"a\"} 10000\n"
	               "nv_inference_compute_input_duration_us{model=\"a\"} 10000\n"
	               "nv_inference_compute_infer_duration_us{model=\"a\"} %d\n"
	               "nv_inference_compute_output_duration_us{model=\"a\"} 10000\n",
	               infer_us);
	add_text(&bench, text);
	figures = collect(&bench);
	for (size_t i = 0; i < figures->stage_count; i++)
		if (strcmp(figures->stages[i].name, "overhead") == 0)
			us = figures->stages[i].mean_ns / 1000;
	release(&bench);
	return us;
}

/* A page may be read between two of its counters; parts that exceed the whole by more are wrong. */
static void parts_may_exceed_their_request_by_a_hundredth(void **state)
{
	(void)state;
	assert_near(overhead_us(60000), 100, 1e-9);
	assert_near(overhead_us(69999), 0.01, 1e-9);
	assert_near(overhead_us(70000), 0, 0);
	assert_near(overhead_us(70999), 0, 0);
	assert_true(isnan(overhead_us(71001)));
}

static void vllm_s_histograms_are_stages_with_bounds(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape_figures *figures;
	const struct weir_scrape_stage *queue;

	(void)state;
	add_path(&bench, DATA "vllm-both.prom");
	figures = collect(&bench);
	assert_near(figures->requests, 600, 0);
	assert_int_equal(figures->wall_ns, 60000000000);
	assert_near(figures->cache_usage, 0.93, 1e-12);
	assert_near(figures->running, 3, 0);
	queue = stage_of(figures, "queue");
	assert_string_equal(queue->kind, "queue");
	assert_near(queue->count, 600, 0);
	assert_true(queue->at[WEIR_LEVEL_P95].low >= 2.5e9);
	assert_true(queue->at[WEIR_LEVEL_P95].high <= 5e9);
	assert_true(queue->resolution_limited);
	assert_string_equal(figures->stages[0].name, "frontend");
	assert_string_equal(figures->stages[0].kind, "preprocess");
	/* inference = prefill + decode, up to the rounding of sums */
	assert_near(stage_of(figures, "inference")->total_ns,
	            stage_of(figures, "prefill")->total_ns + stage_of(figures, "decode")->total_ns,
	            1e-9);
	release(&bench);
}

static void two_files_in_the_wrong_order_are_swapped(void **state)
{
	struct bench right = {0}, wrong = {0}, both = {0};

	(void)state;
	add_path(&both, DATA "vllm-both.prom");
	add_path(&right, DATA "vllm-before.prom");
	add_path(&right, DATA "vllm-after.prom");
	add_path(&wrong, DATA "vllm-after.prom");
	add_path(&wrong, DATA "vllm-before.prom");
	collect(&both);
	collect(&right);
	collect(&wrong);
	assert_int_equal(right.figures.findings.resets, 0);
	assert_int_equal(wrong.figures.findings.resets, 0);
	for (size_t i = 0; i < both.figures.stage_count; i++) {
		assert_near(right.figures.stages[i].total_ns, both.figures.stages[i].total_ns, 0);
		assert_near(wrong.figures.stages[i].total_ns, both.figures.stages[i].total_ns, 0);
	}
	release(&both);
	release(&right);
	release(&wrong);
}

#define PAGE(start, requests, buckets)                                                             \
	"process_start_time_seconds " start "\n# TYPE vllm:request_success_total counter\n"        \
	"vllm:request_success_total{model_name=\"m\"} " requests "\n" buckets
#define E2E(labels, low, all, sum)                                                                 \
	"# TYPE vllm:e2e_request_latency_seconds histogram\n"                                      \
	"vllm:e2e_request_latency_seconds_bucket{" labels ",le=\"1.0\"} " low "\n"                 \
	"vllm:e2e_request_latency_seconds_bucket{" labels ",le=\"+Inf\"} " all "\n"                \
	"vllm:e2e_request_latency_seconds_sum{" labels "} " sum "\n"                               \
	"vllm:e2e_request_latency_seconds_count{" labels "} " all "\n"
#define M "model_name=\"m\""

static void another_start_of_the_process_is_a_restart(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "9")));
	add_text(&bench, PAGE("200", "30", E2E(M, "20", "30", "40")));
	collect(&bench);
	assert_int_equal(bench.figures.findings.resets, 2);
	assert_near(bench.figures.requests, 30, 0);
	assert_near(stage_of(&bench.figures, "e2e")->count, 30, 0);
	assert_int_equal(bench.figures.wall_ns, -1);
	release(&bench);
}

static void one_page_counts_from_the_start(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "9")));
	collect(&bench);
	assert_true(bench.figures.findings.one_page);
	assert_near(stage_of(&bench.figures, "e2e")->mean_ns, 0.9e9, 1e-12);
	assert_int_equal(bench.figures.findings.new_series, 0);
	release(&bench);
}

static void a_new_series_counts_from_zero(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "9")));
	add_text(&bench, PAGE("100", "15", E2E(M ",engine=\"1\"", "4", "5", "4")));
	collect(&bench);
	assert_int_equal(bench.figures.findings.new_series, 1);
	assert_near(stage_of(&bench.figures, "e2e")->count, 5, 0);
	assert_near(bench.figures.requests, 5, 0);
	release(&bench);
}

static void a_new_series_without_a_count_changes_nothing(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "9")));
	add_text(&bench,
	         PAGE("100", "15", E2E(M, "9", "15", "12") E2E(M ",engine=\"1\"", "0", "0", "0")));
	collect(&bench);
	assert_int_equal(bench.figures.findings.new_series, 0);
	assert_near(stage_of(&bench.figures, "e2e")->count, 5, 0);
	release(&bench);
}

static void engines_are_added_and_models_kept_apart(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench,
	         E2E(M ",engine=\"0\"", "8", "10", "9") E2E(M ",engine=\"1\"", "2", "10", "29"));
	collect(&bench);
	assert_near(stage_of(&bench.figures, "e2e")->count, 20, 0);
	assert_near(stage_of(&bench.figures, "e2e")->mean_ns, 1.9e9, 1e-12);
	weir_scrape_figures_release(&bench.figures);
	add_text(&bench, "tgi_request_success 3\n# TYPE tgi_request_duration histogram\n"
	                 "tgi_request_duration_bucket{le=\"+Inf\"} 3\ntgi_request_duration_sum "
	                 "6\ntgi_request_duration_count 3\n");
	collect(&bench);
	assert_near(stage_of(&bench.figures, "vLLM m/e2e")->count, 20, 0);
	assert_near(stage_of(&bench.figures, "TGI/e2e")->mean_ns, 2e9, 1e-12);
	release(&bench);
}

static void old_and_new_names_of_one_metric_count_once(void **state)
{
	static const char page[] =
		"# TYPE vllm:inter_token_latency_seconds histogram\n"
		"vllm:inter_token_latency_seconds_bucket{le=\"+Inf\"} 7\n"
		"vllm:inter_token_latency_seconds_sum 7\nvllm:inter_token_latency_seconds_count 7\n"
		"# TYPE vllm:time_per_output_token_seconds histogram\n"
		"vllm:time_per_output_token_seconds_bucket{le=\"+Inf\"} 7\n"
		"vllm:time_per_output_token_seconds_sum 7\n"
		"vllm:time_per_output_token_seconds_count 7\n"
		"vllm:gpu_cache_usage_perc 0.5\nvllm:kv_cache_usage_perc 0.5\n";
	struct bench bench = {0};

	(void)state;
	add_text(&bench, page);
	collect(&bench);
	assert_near(stage_of(&bench.figures, "itl")->count, 7, 0);
	assert_near(bench.figures.cache_usage, 0.5, 0);
	release(&bench);
}

#define PHASE(name, sum)                                                                           \
	"# TYPE vllm:request_" name "_time_seconds histogram\n"                                    \
	"vllm:request_" name "_time_seconds_bucket{le=\"+Inf\"} 4\n"                               \
	"vllm:request_" name "_time_seconds_sum " sum "\n"                                         \
	"vllm:request_" name "_time_seconds_count 4\n"

static void phases_that_do_not_add_up_are_counted(void **state)
{
	struct bench good = {0}, bad = {0};

	(void)state;
	add_text(&good, PHASE("prefill", "1") PHASE("decode", "3") PHASE("inference", "4.21"));
	add_text(&bad, PHASE("prefill", "1") PHASE("decode", "3") PHASE("inference", "4.22"));
	collect(&good);
	collect(&bad);
	assert_int_equal(good.figures.findings.broken_sums, 0);
	assert_int_equal(bad.figures.findings.broken_sums, 1);
	release(&good);
	release(&bad);
}

static void smoothed_gaps_have_a_mean_and_no_quantiles(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape_stage *gap;

	(void)state;
	add_text(&bench, "# TYPE sglang:inter_token_latency_seconds histogram\n"
	                 "sglang:inter_token_latency_seconds_bucket{le=\"0.01\"} 90\n"
	                 "sglang:inter_token_latency_seconds_bucket{le=\"+Inf\"} 100\n"
	                 "sglang:inter_token_latency_seconds_sum 2\n"
	                 "# TYPE sglang:per_stage_req_latency_seconds histogram\n"
	                 "sglang:per_stage_req_latency_seconds_bucket{stage=\"tokenize\",le=\"1\"} "
	                 "4\n"
	                 "sglang:per_stage_req_latency_seconds_bucket{stage=\"tokenize\","
	                 "le=\"+Inf\"} 4\n"
	                 "sglang:per_stage_req_latency_seconds_sum{stage=\"tokenize\"} 2\n");
	collect(&bench);
	gap = stage_of(&bench.figures, "itl");
	assert_near(gap->mean_ns, 0.02e9, 1e-12);
	assert_true(isnan(gap->at[WEIR_LEVEL_P50].estimate));
	assert_int_equal(bench.figures.findings.smoothed, 1);
	assert_string_equal(bench.figures.server, "SGLang");
	assert_string_equal(stage_of(&bench.figures, "tokenize")->kind, "preprocess");
	release(&bench);
}

static void a_quantile_beyond_the_last_bucket_has_bounds_and_no_estimate(void **state)
{
	const struct weir_scrape_stage *stage;
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "# TYPE sglang:e2e_request_latency_seconds histogram\n"
	                 "sglang:e2e_request_latency_seconds_bucket{le=\"1\"} 0\n"
	                 "sglang:e2e_request_latency_seconds_bucket{le=\"60\"} 6\n"
	                 "sglang:e2e_request_latency_seconds_bucket{le=\"+Inf\"} 10\n"
	                 "sglang:e2e_request_latency_seconds_sum 500\n"
	                 "sglang:e2e_request_latency_seconds_count 10\n");
	collect(&bench);
	stage = stage_of(&bench.figures, "e2e");
	assert_true(!isnan(stage->at[WEIR_LEVEL_P50].estimate));
	assert_true(isnan(stage->at[WEIR_LEVEL_P95].estimate));
	assert_near(stage->at[WEIR_LEVEL_P95].low, 60e9, 1e-3);
	assert_true(stage->resolution_limited);
	release(&bench);
}

#define TRITON_MODEL(model, requests, infer_us)                                                    \
	"nv_inference_request_success{model=\"" model "\"} " requests "\n"                         \
	"nv_inference_request_failure{model=\"" model "\"} 10\n"                                   \
	"nv_inference_count{model=\"" model "\"} " requests "\n"                                   \
	"nv_inference_exec_count{model=\"" model "\"} 50\n"                                        \
	"nv_inference_request_duration_us{model=\"" model "\"} " infer_us "0\n"                    \
	"nv_inference_compute_infer_duration_us{model=\"" model "\"} " infer_us "\n"

static void expect_requests(const char *page, double requests, bool ensembles)
{
	struct bench bench = {0};

	add_text(&bench, page);
	collect(&bench);
	assert_near(bench.figures.requests, requests, 1e-9);
	assert_int_equal(bench.figures.ensembles, ensembles);
	release(&bench);
}

static void requests_of_an_ensemble_count_once(void **state)
{
	(void)state;
	expect_requests(TRITON_MODEL("e", "100", "600") TRITON_MODEL("a", "100", "500")
	                        TRITON_MODEL("b", "100", "100"),
	                100, true);
	/* Requests that reach a step directly count as well. */
	expect_requests(TRITON_MODEL("e", "100", "600") TRITON_MODEL("a", "140", "500")
	                        TRITON_MODEL("b", "100", "100"),
	                140, true);
	/* A step that takes nearly all of the time is not an ensemble of the others. */
	expect_requests(TRITON_MODEL("e", "100", "601") TRITON_MODEL("a", "100", "600")
	                        TRITON_MODEL("b", "100", "1"),
	                100, true);
	/* Two models with as many requests, but not with the same times. */
	expect_requests(TRITON_MODEL("a", "100", "500") TRITON_MODEL("b", "100", "100"), 200,
	                false);
	expect_requests(TRITON_MODEL("ensemble", "100", "600") TRITON_MODEL("b", "100", "100"), 200,
	                false);
}

#define COUNTED(model, requests) "nv_inference_request_success{model=\"" model "\"} " requests "\n"

static void an_ensemble_without_times_is_known_by_its_name(void **state)
{
	(void)state;
	expect_requests(COUNTED("ensemble", "23760") COUNTED("preprocessing", "23760")
	                        COUNTED("tensorrt_llm", "23760") COUNTED("postprocessing", "23760"),
	                23760, true);
	expect_requests(COUNTED("tensorrt_llm_bls", "500") COUNTED("tensorrt_llm", "502")
	                        COUNTED("ensemble", "0"),
	                502, true);
	expect_requests(COUNTED("left", "500") COUNTED("right", "500"), 1000, false);
	expect_requests(COUNTED("ensembles", "500") COUNTED("right", "500"), 1000, false);
	expect_requests(COUNTED("ensemble", "500") COUNTED("right", "900"), 1400, false);
}

static void an_ensemble_adds_no_batches_and_its_latency_is_that_of_a_request(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, TRITON_MODEL("e", "100", "600") TRITON_MODEL("a", "100", "500")
	                         TRITON_MODEL("b", "100", "100"));
	collect(&bench);
	assert_near(bench.figures.batch_size, 2, 0);
	assert_near(bench.figures.failed, 10, 0);
	assert_true(stage_of(&bench.figures, "e/e2e")->whole_request);
	assert_false(stage_of(&bench.figures, "a/e2e")->whole_request);
	release(&bench);
}

static void gauges_keep_their_first_and_last_value(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "# TYPE vllm:request_success counter\nvllm:request_success_total 1\n"
	                 "vllm:num_requests_running 0\n");
	add_text(&bench, "# TYPE vllm:request_success counter\nvllm:request_success_total 2\n"
	                 "vllm:num_requests_running 64\n");
	collect(&bench);
	assert_near(bench.figures.running, 32, 0);
	assert_near(bench.figures.running_at.first, 0, 0);
	assert_near(bench.figures.running_at.last, 64, 0);
	assert_true(isnan(bench.figures.waiting_at.last));
	release(&bench);
}

static void kinds_of_a_family_are_told_by_a_label(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "nv_trt_llm_request_metrics{model=\"m\",request_type=\"scheduled\"} 4\n"
	                 "nv_trt_llm_request_metrics{model=\"m\",request_type=\"max\"} 512\n"
	                 "nv_trt_llm_request_metrics{model=\"m\",request_type=\"waiting\"} 3\n"
	                 "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=\"used\"} 20\n"
	                 "nv_trt_llm_kv_cache_block_metrics{kv_cache_block_type=\"max\"} 80\n");
	collect(&bench);
	assert_near(bench.figures.running, 4, 0);
	assert_near(bench.figures.waiting, 3, 0);
	assert_near(bench.figures.cache_usage, 0.25, 0);
	release(&bench);
}

static void old_names_of_sglang_are_known(void **state)
{
	const struct weir_scrape_stage *gap;
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "# TYPE sglang:waiting_request_latency_seconds histogram\n"
	                 "sglang:waiting_request_latency_seconds_bucket{le=\"+Inf\"} 4\n"
	                 "sglang:waiting_request_latency_seconds_sum 40\n"
	                 "# TYPE sglang:time_per_output_token_seconds histogram\n"
	                 "sglang:time_per_output_token_seconds_bucket{le=\"0.1\"} 70\n"
	                 "sglang:time_per_output_token_seconds_bucket{le=\"+Inf\"} 100\n"
	                 "sglang:time_per_output_token_seconds_sum 7\n"
	                 "sglang:request_success_total{finished_reason=\"stop\"} 3\n"
	                 "sglang:num_requests_waiting 5\n");
	collect(&bench);
	expect_mean(&bench.figures, "queue", "queue", 4, 10000);
	gap = stage_of(&bench.figures, "tpot");
	assert_near(gap->mean_ns, 0.07e9, 1e-12);
	assert_true(gap->at[WEIR_LEVEL_P50].high <= 0.1e9);
	assert_near(bench.figures.requests, 3, 0);
	assert_near(bench.figures.waiting, 5, 0);
	release(&bench);
}

static void names_are_known_after_any_prefix(void **state)
{
	static const struct {
		const char *name, *stage;
		enum weir_server server;
	} cases[] = {
		{"vllm:request_queue_time_seconds", "queue", WEIR_SERVER_VLLM},
		{"kserve_vllm:request_queue_time_seconds", "queue", WEIR_SERVER_VLLM},
		{"ray_vllm_request_queue_time_seconds", "queue", WEIR_SERVER_VLLM},
		{"sglang:queue_time_seconds", "queue", WEIR_SERVER_SGLANG},
		{"lmdeploy:iter_token_latency", "itl", WEIR_SERVER_LMDEPLOY},
		{"tgi_request_validation_duration", "tokenize", WEIR_SERVER_TGI},
		{"gen_ai_server_time_to_first_token_seconds", "ttft", WEIR_SERVER_GENAI},
		{"nv_inference_first_response_histogram_ms", "ttft", WEIR_SERVER_TRITON},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct weir_scraped_row *row =
			weir_scraped_find(cases[i].name, strlen(cases[i].name));

		if (!row) {
			fail_msg("%s is not known", cases[i].name);
			continue;
		}
		assert_string_equal(row->stage, cases[i].stage);
		assert_int_equal(row->server, cases[i].server);
	}
	assert_null(weir_scraped_find("env_inference_count", 19));
	assert_null(weir_scraped_find("vllm:", 5));
	assert_null(weir_scraped_find("go_goroutines", 13));
}

static void a_page_without_a_known_server_has_no_figures(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, "go_goroutines{a=\"b\"} 7\n");
	assert_false(weir_scrape_figures_collect(bench.profile, &no_aliases, &bench.figures));
	release(&bench);
}

/* 64 models have separate groups, and 256 pages are compared. */
static void metrics_beyond_the_limits_are_counted(void **state)
{
	char page[66 * 64];
	struct bench bench = {0};
	size_t length = 0;

	(void)state;
	for (int i = 0; i < 66; i++)
		length += (size_t)snprintf(page + length, sizeof page - length,
		                           "vllm:num_requests_running{model_name=\"m%d\"} 1\n", i);
	add_text(&bench, page);
	assert_int_equal(collect(&bench)->findings.left_out, 2);
	assert_near(bench.figures.running, 66, 0);
	weir_scrape_figures_release(&bench.figures);
	for (int i = 0; i < 256; i++)
		add_text(&bench, "vllm:num_requests_running{model_name=\"m0\"} 1\n");
	assert_int_equal(collect(&bench)->findings.left_out, 1);
	release(&bench);
}

static void quantiles_that_contradict_their_sum_are_counted(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_path(&bench, shelf_need(SAMPLES "triton_scrape_excerpt.prom"));
	collect(&bench);
	assert_int_equal(bench.figures.findings.absurd_summaries, 2);
	expect_mean(&bench.figures, "e2e", "other", 3, 442.655);
	expect_mean(&bench.figures, "queue", "queue", 3, 0.145 / 3);
	assert_near(bench.figures.batch_size, 1, 0);
	release(&bench);
}

static void a_real_page_gives_its_means(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_path(&bench, shelf_need(SAMPLES "vllm_scrape_2024-06_excerpt.prom"));
	collect(&bench);
	assert_true(bench.figures.findings.one_page);
	expect_mean(&bench.figures, "ttft", "other", 1, 313.26723098754883);
	expect_mean(&bench.figures, "itl", "other", 6, 190.16313552856445 / 6);
	expect_mean(&bench.figures, "e2e", "other", 1, 503.4303665161133);
	assert_near(bench.figures.generation_tokens, 7, 0);
	release(&bench);
}

/* A histogram that was read while it changed: its counts fall by 3. */
static void the_largest_fall_along_buckets_is_reported(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "9")));
	add_text(&bench, PAGE("100", "30", E2E(M, "33", "30", "20")));
	collect(&bench);
	assert_int_equal(bench.figures.findings.forced, 1);
	assert_near(bench.figures.findings.largest_dip, 5, 0); /* 25 below 1 s, of 20 */
	release(&bench);
}

static void a_sum_that_is_infinite_is_unknown(void **state)
{
	struct bench bench = {0};
	const struct weir_scrape *page;
	struct weir_buckets buckets;
	size_t histograms = 0;

	(void)state;
	add_text(&bench, PAGE("100", "10", E2E(M, "8", "10", "+Inf")));
	collect(&bench);
	assert_int_equal(bench.figures.findings.inconsistent, 0);
	assert_true(!isinf(stage_of(&bench.figures, "e2e")->mean_ns));
	page = bench.profile->inputs[0].scrape;
	for (uint32_t s = 0; s < page->series_count; s++) {
		weir_buckets_read(&buckets, page, s);
		assert_true(isnan(buckets.sum));
		histograms += buckets.count == 2;
		weir_buckets_release(&buckets);
	}
	assert_int_equal(histograms, 1);
	release(&bench);
}

/* ---- time stamps ---- */

/* Early SGLang states the share alone; running totals, if there are any, hold for the whole run. */
static void the_share_of_hits_is_taken_where_no_total_states_it(void **state)
{
	static const char share[] = "# TYPE sglang:cache_hit_rate gauge\n"
				    "sglang:cache_hit_rate{model_name=\"m\"} 0.4\n"
				    "# TYPE sglang:prompt_tokens_total counter\n"
				    "sglang:prompt_tokens_total{model_name=\"m\"} 100\n";
	static const char total[] = "# TYPE sglang:cached_tokens_total counter\n"
				    "sglang:cached_tokens_total{model_name=\"m\"} 25\n";
	struct weir_text both = {0};
	struct bench bench = {0};

	(void)state;
	add_text(&bench, share);
	assert_near(collect(&bench)->cache_hit_rate, 0.4, 1e-12);
	release(&bench);
	weir_text_puts(&both, share);
	weir_text_puts(&both, total);
	bench = (struct bench){0};
	add_text(&bench, both.data);
	assert_near(collect(&bench)->cache_hit_rate, 0.25, 1e-12);
	release(&bench);
	weir_text_release(&both);
}

static void stamp(struct bench *bench, size_t input, int64_t at_ns)
{
	bench->profile->inputs[input].scrape->at_ns = at_ns;
}

/* Adds pages of one process, which have served a number of requests at these times. */
static void add_stamped(struct bench *bench, const char *requests, const char *all, int64_t at_ns)
{
	char page[1024];

	(void)snprintf(page, sizeof page,
	               "process_start_time_seconds 100\n# TYPE vllm:request_success_total counter\n"
	               "vllm:request_success_total{model_name=\"m\"} %s\n"
	               "# TYPE vllm:e2e_request_latency_seconds histogram\n"
	               "vllm:e2e_request_latency_seconds_bucket{model_name=\"m\",le=\"+Inf\"} %s\n"
	               "vllm:e2e_request_latency_seconds_sum{model_name=\"m\"} %s\n"
	               "vllm:e2e_request_latency_seconds_count{model_name=\"m\"} %s\n",
	               requests, all, all, all);
	add_text(bench, page);
	stamp(bench, bench->profile->input_count - 1, at_ns);
}

static void stamped_pages_are_read_in_order_of_time(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_stamped(&bench, "30", "30", 3000);
	add_stamped(&bench, "10", "10", 1000);
	add_stamped(&bench, "20", "20", 2500);
	collect(&bench);
	assert_int_equal(bench.figures.findings.resets, 0);
	assert_near(bench.figures.requests, 20, 0);
	assert_int_equal(bench.figures.wall_ns, 2000);
	release(&bench);
}

/* The order of the arguments decides among pages of one instant. */
static void pages_of_one_instant_keep_their_order(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_stamped(&bench, "10", "10", 1000);
	add_stamped(&bench, "15", "15", 2000);
	add_stamped(&bench, "40", "40", 2000);
	collect(&bench);
	assert_near(bench.figures.requests, 30, 0);
	assert_int_equal(bench.figures.findings.resets, 0);
	release(&bench);
}

static int64_t wall_of(int64_t first_ns, int64_t second_ns)
{
	struct bench bench = {0};
	int64_t wall_ns;

	add_stamped(&bench, "10", "10", first_ns);
	add_stamped(&bench, "20", "20", second_ns);
	collect(&bench);
	wall_ns = bench.figures.wall_ns;
	release(&bench);
	return wall_ns;
}

static void wall_time_needs_two_stamps_that_differ(void **state)
{
	(void)state;
	assert_int_equal(wall_of(1000, 1001), 1);
	assert_int_equal(wall_of(0, 1001), 1001);
	assert_int_equal(wall_of(1000, 1000), -1);
	assert_int_equal(wall_of(1000, WEIR_NO_TIME), -1);
	assert_int_equal(wall_of(WEIR_NO_TIME, 1000), -1);
	assert_int_equal(wall_of(-5, 1000), -1);
}

static int64_t wall_of_uptimes(const char *first, const char *second)
{
	const char *const uptimes[] = {first, second};
	struct bench bench = {0};
	int64_t wall_ns;

	for (size_t i = 0; i < 2; i++) {
		char page[256];

		(void)snprintf(page, sizeof page,
		               "process_uptime_seconds %s\n"
		               "# TYPE vllm:request_success_total counter\n"
		               "vllm:request_success_total{model_name=\"m\"} %zu\n",
		               uptimes[i], 10 + i);
		add_text(&bench, page);
	}
	collect(&bench);
	wall_ns = bench.figures.wall_ns;
	release(&bench);
	return wall_ns;
}

static void without_stamps_the_uptime_gives_the_wall_time(void **state)
{
	(void)state;
	assert_int_equal(wall_of_uptimes("100", "160"), 60000000000);
	assert_int_equal(wall_of_uptimes("100", "100.5"), 500000000);
	assert_int_equal(wall_of_uptimes("100", "100"), -1);
	assert_int_equal(wall_of_uptimes("100", "1e10"), -1);
}

/* ---- summaries ---- */

static size_t absurd(const char *quantiles, const char *count, const char *sum)
{
	struct bench bench = {0};
	char page[1024];
	size_t found;

	(void)snprintf(page, sizeof page,
	               "# TYPE nv_inference_request_success counter\n"
	               "nv_inference_request_success{model=\"m\",version=\"1\"} 3\n"
	               "# TYPE nv_inference_request_summary_us summary\n%s"
	               "nv_inference_request_summary_us_count{model=\"m\",version=\"1\"} %s\n"
	               "nv_inference_request_summary_us_sum{model=\"m\",version=\"1\"} %s\n",
	               quantiles, count, sum);
	add_text(&bench, page);
	collect(&bench);
	found = bench.figures.findings.absurd_summaries;
	release(&bench);
	return found;
}

#define Q(level, value)                                                                            \
	"nv_inference_request_summary_us{model=\"m\",version=\"1\",quantile=\"" level "\"} " value \
	"\n"

static void quantiles_far_below_the_mean_are_counted(void **state)
{
	(void)state;
	assert_int_equal(absurd(Q("0.5", "10") Q("0.9", "10"), "3", "300"), 0);
	assert_int_equal(absurd(Q("0.5", "10") Q("0.9", "10"), "3", "301"), 1);
	assert_int_equal(absurd(Q("0.5", "9") Q("0.9", "10"), "3", "301"), 0);
	assert_int_equal(absurd(Q("0.5", "0") Q("0.9", "0"), "3", "301"), 0);
	assert_int_equal(absurd(Q("0.5", "NaN") Q("0.9", "10"), "3", "301"), 1);
	assert_int_equal(absurd(Q("0.5", "10"), "0", "0"), 1);
	assert_int_equal(absurd(Q("0.5", "NaN"), "0", "0"), 0);
	assert_int_equal(absurd("", "3", "301"), 0);
}

#define ONE_OF(family, seconds)                                                                    \
	"# TYPE " family " histogram\n" family "_bucket{model_name=\"m\",le=\"+Inf\"} 1\n" family  \
	"_sum{model_name=\"m\"} " seconds "\n" family "_count{model_name=\"m\"} 1\n"

/* The first token came after 9 s, of which 2 s queueing and 3 s of prefill. */
static void one_request_shows_the_front_end(void **state)
{
	struct bench bench = {0};

	(void)state;
	add_text(&bench, ONE_OF("vllm:time_to_first_token_seconds", "9")
	                         ONE_OF("vllm:request_queue_time_seconds", "2")
	                                 ONE_OF("vllm:request_prefill_time_seconds", "3"));
	collect(&bench);
	expect_mean(&bench.figures, "frontend", "preprocess", 1, 4000);
	assert_true(stage_of(&bench.figures, "frontend")->approximate);
	release(&bench);
}

/* A histogram of four observations, half a second in all, and a count of requests. */
#define OTHER_PAGE(first, requests)                                                                \
	"# TYPE " first " histogram\n" first "_bucket{le=\"0.1\"} 2\n" first                       \
	"_bucket{le=\"+Inf\"} 4\n" first "_sum 0.5\n" first "_count 4\n# TYPE " requests           \
	" counter\n" requests " 4\n"

static void other_servers_pages_are_known(void **state)
{
	static const struct {
		const char *page, *stage;
	} cases[] = {
		{OTHER_PAGE("trtllm_time_to_first_token_seconds", "trtllm_request_success_total"),
	         "ttft"},
		{OTHER_PAGE("trtllm_request_queue_time_seconds", "trtllm_request_success_total"),
	         "queue"},
		{OTHER_PAGE("dynamo_frontend_request_duration_seconds",
	                    "dynamo_frontend_requests_total"),
	         "e2e"},
		/* NIM has no prefix. */
		{OTHER_PAGE("e2e_request_latency_seconds", "request_success_total"), "e2e"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct bench bench = {0};
		const struct weir_scrape_figures *figures;

		add_text(&bench, cases[i].page);
		figures = collect(&bench);
		assert_int_equal(figures->stage_count, 1);
		assert_string_equal(figures->stages[0].name, cases[i].stage);
		assert_near(figures->stages[0].mean_ns, 125e6, 1);
		assert_near(figures->requests, 4, 0);
		release(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_share_of_hits_is_taken_where_no_total_states_it),
		cmocka_unit_test(triton_s_totals_are_means_over_requests),
		cmocka_unit_test(parts_may_exceed_their_request_by_a_hundredth),
		cmocka_unit_test(vllm_s_histograms_are_stages_with_bounds),
		cmocka_unit_test(two_files_in_the_wrong_order_are_swapped),
		cmocka_unit_test(another_start_of_the_process_is_a_restart),
		cmocka_unit_test(one_page_counts_from_the_start),
		cmocka_unit_test(a_new_series_counts_from_zero),
		cmocka_unit_test(a_new_series_without_a_count_changes_nothing),
		cmocka_unit_test(engines_are_added_and_models_kept_apart),
		cmocka_unit_test(old_and_new_names_of_one_metric_count_once),
		cmocka_unit_test(phases_that_do_not_add_up_are_counted),
		cmocka_unit_test(smoothed_gaps_have_a_mean_and_no_quantiles),
		cmocka_unit_test(a_quantile_beyond_the_last_bucket_has_bounds_and_no_estimate),
		cmocka_unit_test(requests_of_an_ensemble_count_once),
		cmocka_unit_test(an_ensemble_without_times_is_known_by_its_name),
		cmocka_unit_test(an_ensemble_adds_no_batches_and_its_latency_is_that_of_a_request),
		cmocka_unit_test(gauges_keep_their_first_and_last_value),
		cmocka_unit_test(kinds_of_a_family_are_told_by_a_label),
		cmocka_unit_test(old_names_of_sglang_are_known),
		cmocka_unit_test(names_are_known_after_any_prefix),
		cmocka_unit_test(a_page_without_a_known_server_has_no_figures),
		cmocka_unit_test(metrics_beyond_the_limits_are_counted),
		cmocka_unit_test(quantiles_that_contradict_their_sum_are_counted),
		cmocka_unit_test(a_real_page_gives_its_means),
		cmocka_unit_test(the_largest_fall_along_buckets_is_reported),
		cmocka_unit_test(a_sum_that_is_infinite_is_unknown),
		cmocka_unit_test(stamped_pages_are_read_in_order_of_time),
		cmocka_unit_test(pages_of_one_instant_keep_their_order),
		cmocka_unit_test(wall_time_needs_two_stamps_that_differ),
		cmocka_unit_test(without_stamps_the_uptime_gives_the_wall_time),
		cmocka_unit_test(quantiles_far_below_the_mean_are_counted),
		cmocka_unit_test(one_request_shows_the_front_end),
		cmocka_unit_test(other_servers_pages_are_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
