/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/shelf.h"
#include "tests/unit/summaries.h"

#define PERF  "samples/perf_analyzer/"
#define MODEL "samples/model_analyzer/"

#define HEADER                                                                                     \
	"Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server "  \
	"Compute Input,Server Compute Infer,Server Compute Output,Client Recv,p50 latency,p95 "    \
	"latency\n"
#define ROW "1,70.0,220,2100,60,200,11700,20,0,13900,19700\n"
#define ANALYZER                                                                                   \
	"Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec),p99 Latency (ms)\n"

static const struct weir_reader *const perf = &weir_reader_perf_analyzer_csv;
static const struct weir_reader *const analyzer = &weir_reader_model_analyzer;

static void one_load_is_a_run_with_labels(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, HEADER ROW);
	summary_expect(&summary, "inference_throughput", 70, "inferences/s");
	summary_expect(&summary, "mean_client_send_ms", 0.22, "ms");
	summary_expect(&summary, "mean_network_ms", 2.1, "ms");
	summary_expect(&summary, "mean_queue_ms", 0.06, "ms");
	summary_expect(&summary, "mean_h2d_ms", 0.2, "ms");
	summary_expect(&summary, "mean_compute_ms", 11.7, "ms");
	summary_expect(&summary, "mean_d2h_ms", 0.02, "ms");
	summary_expect(&summary, "mean_client_recv_ms", 0, "ms");
	summary_expect(&summary, "p50_latency_ms", 13.9, "ms");
	summary_expect(&summary, "p95_latency_ms", 19.7, "ms");
	assert_int_equal(summary.input->run->metrics.count, 10);
	assert_string_equal(weir_run_label(summary.input->run, "concurrency"), "1");
	assert_int_equal(summary.input->run->stages.count, 0); /* means are not samples */
	summary_expect_warning(&summary, WEIR_WARN_MEANS_ONLY, 1);
	summary_free(&summary);
}

/* Joined tables: of devices, of inferences and of the idle server. */
static void tables_in_one_file_join_by_their_keys(void **state)
{
	static const char text[] =
		"Model,GPU ID,Batch,Concurrency,Model Config Path,GPU Memory Usage (MB)\n"
		"m,0,1,2,m_i0,1000.0\nm,1,1,2,m_i0,1100.0\n\n"
		"Model,Batch,Concurrency,Model Config Path,Satisfies Constraints,"
		"Throughput (infer/sec),p99 Latency (ms)\n"
		"m,1,2,m_i0,Yes,195.0,11.0\nm,1,1,m_i0,Yes,164.0,8.5\n\n"
		"Model,Batch,Concurrency,Model Config Path,RAM Usage (MB)\n"
		"m,1,2,m_i0,2000.0\n\n"
		"Model,GPU ID,GPU Memory Usage (MB),GPU Utilization (%)\nserver,0,277.0,0.0\n";
	struct summary_case summary = summary_new(analyzer);

	(void)state;
	summary_read(&summary, text);
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@2/gpu@0/gpu_memory_mb", 1000, "MB");
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@2/gpu@1/gpu_memory_mb", 1100, "MB");
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@2/inference_throughput", 195,
	               "inferences/s");
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@2/p99_latency_ms", 11, "ms");
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@2/host_memory_mb", 2000, "MB");
	summary_expect(&summary, "m/m_i0/batch@1/concurrency@1/p99_latency_ms", 8.5, "ms");
	summary_expect(&summary, "server/gpu@0/gpu_memory_mb", 277, "MB");
	assert_int_equal(summary.input->run->metrics.count, 2 + 2 * 2 + 1 + 2);
	summary_expect_warning(&summary, WEIR_WARN_RAGGED_ROW, 0);
	summary_expect_warning(&summary, WEIR_WARN_DUPLICATE, 0);
	summary_free(&summary);
	reading_survives_damage(analyzer, text);
}

/* One load in two tables has labels, as in one table; a row that is there again is dropped. */
static void one_load_in_two_tables_has_labels(void **state)
{
	struct summary_case summary = summary_new(analyzer);

	(void)state;
	summary_read(&summary, ANALYZER "m,2,8,c,100.0,3.5\n"
	                                "Model,Batch,Concurrency,Model Config Path,RAM Usage (MB)\n"
	                                "m,2,8,c,50\nm,2,8,c,60\n" ANALYZER "m,2,8,c,90.0,4.5\n");
	summary_expect(&summary, "inference_throughput", 100, "inferences/s");
	summary_expect(&summary, "p99_latency_ms", 3.5, "ms");
	summary_expect(&summary, "host_memory_mb", 50, "MB");
	assert_int_equal(summary.input->run->metrics.count, 3);
	assert_string_equal(weir_run_label(summary.input->run, "concurrency"), "8");
	summary_expect_warning(&summary, WEIR_WARN_DUPLICATE, 2);
	summary_free(&summary);
}

static void several_loads_are_one_run_with_names(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, HEADER ROW "4,84.0,1,2,3,4,5,6,7,8000,9000\n");
	summary_expect(&summary, "concurrency@1/p95_latency_ms", 19.7, "ms");
	summary_expect(&summary, "concurrency@4/p95_latency_ms", 9, "ms");
	summary_expect(&summary, "concurrency@4/inference_throughput", 84, "inferences/s");
	assert_int_equal(summary.input->run->label_count, 0);
	summary_free(&summary);
	summary = summary_new(perf);
	summary_read(&summary, "Request Rate,Inferences/Second,p99 latency\n10.5,9,1\n20,19,2\n");
	summary_expect(&summary, "request_rate@10.5/p99_latency_ms", 0.001, "ms");
	summary_free(&summary);
}

/* perf_client of 2020, before input and output were apart. */
static void compute_in_one_column_is_read(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, "Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,"
	                       "Server Queue,Server Compute,Client Recv,p50 latency\n"
	                       "1,160.8,68,1291,38,4801,7,6212\n");
	summary_expect(&summary, "mean_compute_ms", 4.801, "ms");
	summary_free(&summary);
}

/* Model Analyzer writes the total of several models and the figure of each. */
static void the_total_of_several_models_counts(void **state)
{
	struct summary_case summary = summary_new(analyzer);

	(void)state;
	summary_read(
		&summary, ANALYZER
		"\"a,b\",\"[1,1]\",\"[4,8]\",\"a_0,b_0\",\"421.0, [184.5,236.5]\",\"52.5, "
		"[40.25,64.75]\"\n"
		"\"a,b\",\"[1,1]\",\"[4,16]\",\"a_0,b_0\",\"500.5, [200,300.5]\",\"6x, [1,2]\"\n");
	summary_expect(&summary, "a,b/a_0,b_0/batch@[1,1]/concurrency@[4,8]/inference_throughput",
	               421, "inferences/s");
	summary_expect(&summary, "a,b/a_0,b_0/batch@[1,1]/concurrency@[4,8]/p99_latency_ms", 52.5,
	               "ms");
	summary_expect(&summary, "a,b/a_0,b_0/batch@[1,1]/concurrency@[4,16]/inference_throughput",
	               500.5, "inferences/s");
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 1);
	summary_free(&summary);
}

static void columns_are_found_by_name(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, "p99.9 latency,Unheard Of,Server Queue,pX latency,p200 latency,"
	                       "Concurrency,Inferences/Second,Response Throughput,Avg latency\r\n"
	                       "5000,x,7,1,1,2,10,30,1500\r\n");
	summary_expect(&summary, "p99.9_latency_ms", 5, "ms");
	summary_expect(&summary, "mean_queue_ms", 0.007, "ms");
	summary_expect(&summary, "response_throughput", 30, "responses/s");
	summary_expect(&summary, "mean_latency_ms", 1.5, "ms");
	assert_int_equal(summary.input->run->metrics.count, 5);
	summary_free(&summary);
}

static void cells_of_devices_give_the_largest(void **state)
{
	static const char header[] = "Concurrency,Inferences/Second,Max GPU Memory Usage\n";
	struct summary_case summary = summary_new(perf);
	struct weir_text text = {0};

	(void)state;
	weir_text_printf(&text, "%s1,5,GPU-a:1572864000;GPU-b:734003200;,\n2,5,GPU-a:5;x,\n",
	                 header);
	summary_read(&summary, text.data);
	summary_expect(&summary, "concurrency@1/max_gpu_memory_bytes", 1572864000, "B");
	summary_expect(&summary, "concurrency@2/max_gpu_memory_bytes", 0, NULL);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 1);
	summary_expect_warning(&summary, WEIR_WARN_RAGGED_ROW, 0); /* one comma too many */
	weir_text_release(&text);
	summary_free(&summary);
}

static void rows_that_fit_no_header_are_counted(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, HEADER ROW "2,70.0,220\n3,1,1,1,1,1,1,1,1,1,1,9\n\n"
	                                  "4,N/A,1,1,1,-1,1,1,1,1,1\n");
	summary_expect_warning(&summary, WEIR_WARN_RAGGED_ROW, 2);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 2);
	summary_expect(&summary, "concurrency@4/mean_h2d_ms", 0, NULL);
	summary_expect(&summary, "concurrency@4/mean_d2h_ms", 0.001, "ms");
	summary_free(&summary);
}

static void the_first_of_equal_loads_counts(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, HEADER ROW HEADER "1,50.0,220,2100,60,200,11700,20,0,13900,29700\n");
	summary_expect(&summary, "p95_latency_ms", 19.7, "ms");
	summary_expect_warning(&summary, WEIR_WARN_DUPLICATE, 1);
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 0);
	summary_free(&summary);
}

static void loads_without_an_answer_are_left_out(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, HEADER ROW "9,0,0,0,0,0,0,0,0,0,0\n");
	summary_expect(&summary, "p95_latency_ms", 19.7, "ms");
	summary_expect_warning(&summary, WEIR_WARN_SKIPPED_EVENT, 1);
	summary_free(&summary);
	reading_refuses(perf, HEADER "9,0,0,0,0,0,0,0,0,0,0\n", WEIR_E_FORMAT,
	                "no request completed under any load");
}

static void tables_without_figures_are_refused(void **state)
{
	(void)state;
	reading_refuses(perf, HEADER, WEIR_E_EMPTY, "expected Inferences/Second");
	reading_refuses(perf, "a,b\n1,2\n", WEIR_E_EMPTY, "no figure in this table");
	reading_refuses(analyzer, "", WEIR_E_EMPTY, "expected Throughput (infer/sec)");
	reading_refuses(analyzer,
	                "Model,GPU UUID,GPU Memory Usage (MB),GPU Power Usage (W)\n"
	                "triton-server,GPU-1,200.0,20.5\n",
	                WEIR_E_FORMAT,
	                "the idle server before any model, without a request (gpu_memory_mb 200, "
	                "gpu_power_w 20.5); pass metrics-model-inference.csv");
}

static void more_figures_than_a_run_holds_are_refused(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, HEADER);
	for (int i = 0; i < 500; i++)
		weir_text_printf(&text, "%d,70.0,220,2100,60,200,11700,20,0,13900,19700\n", i);
	reading_refuses(perf, text.data, WEIR_E_LIMIT, "more than 4096 figures");
	weir_text_release(&text);
}

static void searches_name_model_configuration_and_load(void **state)
{
	struct summary_case summary = summary_new(analyzer);

	(void)state;
	summary_read(&summary, ANALYZER "m,2,8,\"m_config_1: a_0, b_1\",2865.9,3.7\n"
	                                "m,2,4,\"m_config_1: a_0, b_1\",1800,2.1\n");
	summary_expect(&summary, "m/m_config_1: a_0, b_1/batch@2/concurrency@8/p99_latency_ms", 3.7,
	               "ms");
	summary_expect(&summary,
	               "m/m_config_1: a_0, b_1/batch@2/concurrency@4/inference_throughput", 1800,
	               "inferences/s");
	summary_free(&summary);
	summary = summary_new(analyzer);
	summary_read(&summary, ANALYZER "m,2,8,m_config_1,2865.9,3.7\n");
	summary_expect(&summary, "p99_latency_ms", 3.7, "ms");
	assert_string_equal(weir_run_label(summary.input->run, "model_config"), "m_config_1");
	assert_string_equal(weir_run_label(summary.input->run, "batch_size"), "2");
	summary_free(&summary);
}

static void devices_are_numbered_not_named(void **state)
{
	struct summary_case summary = summary_new(analyzer);

	(void)state;
	summary_read(&summary, "Model,GPU UUID,Batch,GPU Memory Usage (MB),GPU Utilization (%)\n"
	                       "m,GPU-a,1,870.3,5\nm,GPU-b,1,12.5,0\nn,GPU-b,1,13.5,0\n");
	summary_expect(&summary, "m/batch@1/gpu@0/gpu_memory_mb", 870.3, "MB");
	summary_expect(&summary, "m/batch@1/gpu@1/gpu_memory_mb", 12.5, "MB");
	summary_expect(&summary, "n/batch@1/gpu@1/gpu_memory_mb", 13.5, "MB");
	reading_expects_figure(summary.input->run, "m/batch@1/gpu@0/gpu_utilization_pct", 5, true,
	                       "%");
	assert_int_equal(summary.input->run->metrics.count, 6);
	summary_free(&summary);
}

#define SETTINGS "*** Measurement Settings ***\n  Batch size: 2\n  Latency limit: 0 msec\n\n"
#define BLOCK(load, throughput, us)                                                                \
	load "\n  Client: \n    Request count: 60\n    Throughput: " throughput                    \
	     " infer/sec\n    Avg latency: " us " usec (standard deviation 7 usec)\n"              \
	     "    p50 latency: " us " usec\n    p99.9 latency: " us " usec\n"                      \
	     "    Avg gRPC time: 900 usec ((un)marshal request/response 3 usec + response "        \
	     "wait 897 usec)\n"                                                                    \
	     "  Server: \n    Inference count: 72\n    Avg request latency: 800 usec (overhead "   \
	     "4 usec + queue 30 usec + compute input 200 usec + compute infer 500 usec + "         \
	     "compute output 66 usec)\n\n"

static void the_text_of_one_load_is_a_run_with_labels(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, SETTINGS BLOCK("Request concurrency: 4", "17.5", "9500"));
	summary_expect(&summary, "inference_throughput", 17.5, "inferences/s");
	summary_expect(&summary, "mean_latency_ms", 9.5, "ms");
	summary_expect(&summary, "p50_latency_ms", 9.5, "ms");
	summary_expect(&summary, "p99.9_latency_ms", 9.5, "ms");
	summary_expect(&summary, "mean_queue_ms", 0.03, "ms");
	summary_expect(&summary, "mean_h2d_ms", 0.2, "ms");
	summary_expect(&summary, "mean_compute_ms", 0.5, "ms");
	summary_expect(&summary, "mean_d2h_ms", 0.066, "ms");
	summary_expect(&summary, "mean_overhead_ms", 0.004, "ms");
	summary_expect(&summary, "mean_request_response_ms", 0.003, "ms");
	summary_expect(&summary, "mean_response_wait_ms", 0.897, "ms");
	summary_expect(&summary, "mean_client_request_ms", 0.9, "ms");
	summary_expect(&summary, "mean_server_request_ms", 0.8, "ms");
	assert_int_equal(summary.input->run->metrics.count, 13);
	assert_string_equal(weir_run_label(summary.input->run, "completed"), "60");
	assert_string_equal(weir_run_label(summary.input->run, "server_inferences"), "72");
	assert_string_equal(weir_run_label(summary.input->run, "concurrency"), "4");
	summary_expect_warning(&summary, WEIR_WARN_MEANS_ONLY, 1);
	summary_expect_warning(&summary, WEIR_WARN_TRUNCATED, 0);
	summary_free(&summary);
}

static void the_text_of_several_loads_is_one_run(void **state)
{
	static const char text[] = SETTINGS BLOCK("Request Rate: 20 inference requests per seconds",
	                                          "17", "9000")
		BLOCK("Request Rate: 40 inference requests per seconds", "30", "11000") BLOCK(
			"Request Rate: 80 inference requests per seconds", "0",
			"0") "Inferences/Second vs. Client Average Batch Latency\n"
			     "Request Rate: 20, throughput: 17 infer/sec, latency 9000 usec\n";
	struct summary_case summary = summary_new(perf);

	(void)state;
	assert_string_equal(reading_claims(text), perf->name);
	summary_read(&summary, text);
	summary_expect(&summary, "request_rate@20/inference_throughput", 17, "inferences/s");
	summary_expect(&summary, "request_rate@40/mean_latency_ms", 11, "ms");
	assert_int_equal(summary.input->run->metrics.count, 2 * 13);
	summary_expect_warning(&summary, WEIR_WARN_SKIPPED_EVENT, 1);
	summary_free(&summary);
	reading_survives_damage(perf, text);
}

/* The times of an ensemble's models are not those of the ensemble. */
static void composing_models_are_passed_over(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, "Request concurrency: 1\n  Client: \n    Request count: 60\n"
	                       "    Throughput: 17 infer/sec\n    p50 latency: 900 usec\n"
	                       "  Server: \n    Avg request latency: 800 usec (overhead 1 usec + "
	                       "queue 30 usec + compute 700 usec)\n\n  Composing models: \n"
	                       "  part, version: 1\n    Avg request latency: 90 usec (queue 9 usec "
	                       "+ compute infer 80 usec)\n");
	summary_expect(&summary, "mean_queue_ms", 0.03, "ms");
	summary_expect(&summary, "mean_compute_ms", 0.7, "ms");
	summary_free(&summary);
}

static void every_part_of_the_servers_time_is_kept(void **state)
{
	struct summary_case summary = summary_new(perf);

	(void)state;
	summary_read(&summary, "Request concurrency: 1\n  Client: \n    Request count: 60\n"
	                       "    Throughput: 17 infer/sec\n"
	                       "    Avg HTTP time: 900 usec (send/recv 5 usec + response wait 895 "
	                       "usec)\n"
	                       "  Server: \n    Avg request latency: 800 usec (overhead 1 usec + "
	                       "queue 30 usec + Cache hit/miss 7 usec + compute 700 usec + odd)\n");
	summary_expect(&summary, "mean_queue_ms", 0.03, "ms");
	summary_expect(&summary, "mean_compute_ms", 0.7, "ms");
	summary_expect(&summary, "mean_cache_hit_miss_ms", 0.007, "ms");
	summary_expect(&summary, "mean_request_response_ms", 0.005, "ms");
	summary_expect(&summary, "mean_response_wait_ms", 0.895, "ms");
	summary_expect_warning(&summary, WEIR_WARN_BAD_NUMBER, 1);
	summary_free(&summary);
}

static void text_without_a_finished_load_is_refused(void **state)
{
	static const char start[] = SETTINGS "Request concurrency: 4\n  Client: \n"
					     "    Request count: 60\n    Throughput: ";

	(void)state;
	reading_refuses(perf,
	                SETTINGS "Request concurrency: 4\n  Client: \n"
	                         "    Request count: 0\n    Throughput: 0 infer/sec\n",
	                WEIR_E_EMPTY, "no load with a throughput");
	assert_string_equal(reading_claims(start), "none");
}

static void names_have_no_control_bytes(void **state)
{
	static const char text[] = ANALYZER "a\0b,1,1,\"x\ny\",10,1\nm,1,1,c,10,1\n";
	struct summary_case summary = summary_new(analyzer);
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(summary_try(&summary, text, sizeof text - 1, &err), WEIR_OK);
	summary_expect(&summary, "a?b/x?y/batch@1/concurrency@1/p99_latency_ms", 1, "ms");
	summary_free(&summary);
}

static int bits(const struct weir_reader *reader, const char *text)
{
	return weir_sniff_reader(reader, text, strlen(text));
}

static void tables_are_known_by_their_headers(void **state)
{
	(void)state;
	assert_int_equal(bits(perf, HEADER ROW), 8 * (11 + 17));
	assert_int_equal(bits(perf, "\n\"Request Rate\",\"Inferences/Second\",x\n"), 8 * (12 + 17));
	assert_int_equal(bits(perf, "Concurrency,Throughput\n"), 0);
	assert_int_equal(bits(perf, ""), 0);
	assert_true(bits(analyzer, ANALYZER) > 0);
	assert_true(bits(analyzer, "Model,GPU UUID,GPU Memory Usage (MB)\n") > 0);
	assert_int_equal(bits(analyzer, "Model,Year\nx,1\n"), 0);
	assert_int_equal(bits(analyzer, HEADER), 0);
	assert_int_equal(bits(perf, ANALYZER), 0);
}

static void every_prefix_reads_or_is_refused_with_a_reason(void **state)
{
	(void)state;
	summary_cut_everywhere(perf, HEADER ROW "4,84.0,1,2,3,4,5,6,7,8000,9000\n");
	summary_cut_everywhere(analyzer, ANALYZER "m,2,8,\"m_config_1: a_0, b_1\",2865.9,3.7\n");
}

/* Reads a sample; expects the number of figures and of dropped repeated rows, and one figure. */
static void expect_sample(const char *name, const char *format, unsigned metrics, uint64_t repeated)
{
	const char *path = shelf_need(name);
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	assert_string_equal(profile->inputs[0].format, format);
	if (profile->inputs[0].run->metrics.count != metrics)
		fail_msg("%s: %zu figures, expected %u", path,
		         profile->inputs[0].run->metrics.count, metrics);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_DUPLICATE].count, repeated);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_RAGGED_ROW].count, 0);
	assert_int_equal(profile->inputs[0].warnings[WEIR_WARN_BAD_NUMBER].count, 0);
	weir_profile_free(profile);
}

static void published_tables_read(void **state)
{
	(void)state;
	expect_sample(PERF "docs_latency_report.csv", "perf_analyzer_csv", 4 * 12, 0);
	expect_sample(MODEL "single-model-inference.csv", "model_analyzer", 16 * 2, 0);
	expect_sample(MODEL "request-rate-inference.csv", "model_analyzer", 34 * 2, 0);
	expect_sample(MODEL "ensemble-inference.csv", "model_analyzer", 21 * 2, 0);
	expect_sample(MODEL "bls-inference.csv", "model_analyzer", 38 * 2, 53 - 38);
	expect_sample(MODEL "single-model-gpu.csv", "model_analyzer", 16 * 3, 0);
	expect_sample(MODEL "request-rate-gpu.csv", "model_analyzer", 34 * 3, 0);
	expect_sample(MODEL "ensemble-gpu.csv", "model_analyzer", 21 * 3, 0);
	expect_sample(MODEL "bls-gpu.csv", "model_analyzer", 26 * 3, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_load_is_a_run_with_labels),
		cmocka_unit_test(tables_in_one_file_join_by_their_keys),
		cmocka_unit_test(one_load_in_two_tables_has_labels),
		cmocka_unit_test(several_loads_are_one_run_with_names),
		cmocka_unit_test(compute_in_one_column_is_read),
		cmocka_unit_test(the_total_of_several_models_counts),
		cmocka_unit_test(columns_are_found_by_name),
		cmocka_unit_test(cells_of_devices_give_the_largest),
		cmocka_unit_test(rows_that_fit_no_header_are_counted),
		cmocka_unit_test(the_first_of_equal_loads_counts),
		cmocka_unit_test(loads_without_an_answer_are_left_out),
		cmocka_unit_test(tables_without_figures_are_refused),
		cmocka_unit_test(more_figures_than_a_run_holds_are_refused),
		cmocka_unit_test(searches_name_model_configuration_and_load),
		cmocka_unit_test(devices_are_numbered_not_named),
		cmocka_unit_test(the_text_of_one_load_is_a_run_with_labels),
		cmocka_unit_test(the_text_of_several_loads_is_one_run),
		cmocka_unit_test(composing_models_are_passed_over),
		cmocka_unit_test(every_part_of_the_servers_time_is_kept),
		cmocka_unit_test(text_without_a_finished_load_is_refused),
		cmocka_unit_test(names_have_no_control_bytes),
		cmocka_unit_test(tables_are_known_by_their_headers),
		cmocka_unit_test(every_prefix_reads_or_is_refused_with_a_reason),
		cmocka_unit_test(published_tables_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
