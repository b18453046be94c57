/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What every reader in the table owes: a sample that it and no other reads, of a golden case and of
 * a fuzz target's corpus; and a file that its tool wrote itself, where there is one to be had.
 */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA     "tests/data/"
#define PROFILES "../shared/profiles/"
#define SAMPLES  "../shared/samples/"

/* Nothing that the tool wrote is at hand: the sample is made after what is known of the format. */
#define NONE_AT_HAND NULL

struct row {
	const struct weir_reader *reader;
	const char *symbol;
	const char *sample; /* small, in the project */
	const char *real;   /* in the project, or beside it */
};

#define ROW(name, sample, real)                                                                    \
	{                                                                                          \
		&weir_reader_##name, "weir_reader_" #name, DATA sample, real                       \
	}

/* One line a reader, in the order of registry.c. */
/* clang-format off */
static const struct row rows[] = {
	ROW(aiperf, "aiperf/records.jsonl", SAMPLES "aiperf/docs_records.jsonl"),
	ROW(amd, "monitors/amd-monitor.csv", NONE_AT_HAND),
	ROW(bench, "bench/serve-5.json", NONE_AT_HAND),
	ROW(chrome, "chrome/pairs.json", SAMPLES "trace-event/trace-event__simple.json"),
	ROW(cprofile, "host_profiles/stats.prof", PROFILES "misc/cprofile.pstats"),
	ROW(dcgmi, "monitors/dcgmi.txt", NONE_AT_HAND),
	ROW(focus, "focus/two_hours.csv", SAMPLES "focus/commitment_discount_usage_scenario_1.csv"),
	ROW(folded, "host_profiles/stacks.folded", SAMPLES "folded/self_pyspy_raw.txt"),
	ROW(genai_perf, "genai_perf/streaming.csv", SAMPLES "perf_analyzer/genai_perf_expected_streaming.csv"),
	ROW(guidellm, "guidellm/sweep.json", SAMPLES "guidellm/guidellm_report_v2.json"),
	ROW(inference_perf, "inference_perf/requests.json",
	    SAMPLES "inference_perf/batch_size_stage_0_lifecycle_metrics.json"),
	ROW(jaeger, "spans/jaeger.json", SAMPLES "jaeger/ui_01.json"),
	ROW(key_averages, "key_averages/table.txt", PROFILES "key_averages/large_matmul.txt"),
	ROW(kineto, "kineto/malloc_churn.pt.trace.json.gz", DATA "kineto/malloc_churn.pt.trace.json.gz"),
	ROW(lmdeploy, "lmdeploy/serve.jsonl", NONE_AT_HAND),
	ROW(memory_timeline, "memory_timeline/raw.json",
	    PROFILES "memory_timeline/llm_decode_eager_b1_stack.memory_timeline.raw.json.gz"),
	ROW(model_analyzer, "load_points/model_analyzer_inference.csv",
	    SAMPLES "model_analyzer/single-model-inference.csv"),
	ROW(native, "native/three_stages.json", DATA "runs/none-01.json"),
	ROW(ncu, "ncu/raw.csv", PROFILES "ncu/small.raw.csv.gz"),
	ROW(nsys, "nsys/export.sqlite", PROFILES "nsys/decode.sqlite"),
	ROW(nsys_stats, "nsys_stats/summaries.csv", PROFILES "nsys/stats_csv/decode_cuda_gpu_kern_sum.csv"),
	ROW(onnxruntime, "onnxruntime/profile.json", PROFILES "misc/onnxruntime_profile.json.gz"),
	ROW(openmetrics, "scrape/written.om", SAMPLES "prometheus/promtool_dump-openmetrics-test.prom"),
	ROW(otlp, "spans/triton.otlp.json", PROFILES "serving_otlp/saturated.otlp.json.gz"),
	ROW(perf_analyzer, "perf_analyzer/chat.json", NONE_AT_HAND),
	ROW(perf_analyzer_csv, "load_points/perf_analyzer_one.csv", SAMPLES "perf_analyzer/docs_latency_report.csv"),
	ROW(perf_script, "host_profiles/clock.perf.txt", SAMPLES "perf/own_cpuclock_default.perf.txt"),
	ROW(prices, "prices/one.csv", DATA "prices/one.csv"),
	ROW(prometheus, "scrape/triton.prom", SAMPLES "prometheus/triton_scrape_excerpt.prom"),
	ROW(requests, "requests/served.jsonl", DATA "requests/slow_tokenizer.jsonl"),
	ROW(rocpd, "rocpd/run.db", NONE_AT_HAND),
	ROW(rocprof, "rocprof/4711_kernel_trace.csv", SAMPLES "rocm/rocprofv3_kernel_trace.csv"),
	ROW(rocprof_json, "rocprof_json/results.json", SAMPLES "rocm/tl_908_results.json.gz"),
	ROW(smi_dmon, "monitors/dmon.txt", PROFILES "telemetry/dmon.txt"),
	ROW(smi_query, "monitors/capped.csv", PROFILES "serving/saturated/nvidia-smi.csv"),
	ROW(speedscope, "host_profiles/sampled.speedscope.json", SAMPLES "speedscope/self_pyspy.speedscope.json"),
	ROW(triton, "triton/served.json", SAMPLES "triton/docs_example_2.json"),
	ROW(trtexec, "trtexec/layers.json", NONE_AT_HAND),
	ROW(trtllm, "trtllm/report.json", NONE_AT_HAND),
	ROW(wrapper, "wrapper/batches.json", NONE_AT_HAND),
	ROW(xla, "xla/trace.json", PROFILES "misc/jax/jax.trace.json.gz"),
	ROW(zipkin, "spans/zipkin.json", NONE_AT_HAND),
};
/* clang-format on */

#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void every_reader_is_in_this_table(void **state)
{
	size_t count = 0;

	(void)state;
	while (weir_readers[count])
		count++;
	assert_int_equal(count, ROWS);
	for (size_t i = 0; i < ROWS; i++)
		if (weir_readers[i] != rows[i].reader)
			fail_msg("row %zu is %s: the table has another reader there", i,
			         rows[i].symbol);
}

static struct weir_text file_text(const char *path)
{
	struct weir_text text = {0};
	FILE *file = fopen(path, "rb");
	char part[4096];
	size_t length;

	if (!file)
		fail_msg("cannot open %s", path);
	while ((length = fread(part, 1, sizeof(part), file)) > 0)
		weir_text_add(&text, part, length);
	fclose(file);
	return text;
}

static void expect_read(const struct row *row, const char *path)
{
	struct weir_profile *profile = weir_profile_new();

	reading_sample(path, row->reader, NULL, profile);
	weir_profile_free(profile);
}

static void every_sample_is_read_by_its_reader(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		expect_read(&rows[i], rows[i].sample);
}

static void what_tools_wrote_is_read_too(void **state)
{
	size_t missing = 0;

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		if (rows[i].real && access(rows[i].real, R_OK) == 0)
			expect_read(&rows[i], rows[i].real);
		missing += rows[i].real && access(rows[i].real, R_OK) != 0;
	}
	if (missing)
		print_message("skipped: %zu files beside the project are not there\n", missing);
}

#define CUTS 64

static void a_sample_cut_anywhere_is_read_or_refused_in_one_line(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct weir_text text = file_text(rows[i].sample);

		for (size_t cut = 0; cut < CUTS; cut++)
			reading_survives(rows[i].reader, text.data, text.length * cut / CUTS);
		weir_text_release(&text);
	}
}

/* All files of a folder that end so, one after another. */
static void add_files(struct weir_text *all, const char *folder, const char *ending)
{
	DIR *stream = opendir(folder);
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL) {
		struct weir_text path = {0}, text;

		weir_text_printf(&path, "%s/%s%s", folder, entry->d_name, ending);
		if (entry->d_name[0] != '.' && access(path.data, R_OK) == 0) {
			text = file_text(path.data);
			weir_text_add(all, text.data, text.length);
			weir_text_release(&text);
		}
		weir_text_release(&path);
	}
	closedir(stream);
	weir_text_add(all, "", 1);
}

static bool is_word(char c)
{
	return c == '_' || (c >= 'a' && c <= 'z');
}

static bool mentions(const char *text, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(text, word); at; at = strstr(at + 1, word))
		if (!is_word(at[length]))
			return true;
	return false;
}

static void every_reader_is_fuzzed(void **state)
{
	struct weir_text sources = {0};

	(void)state;
	add_files(&sources, "tests/fuzz", "");
	for (size_t i = 0; i < ROWS; i++)
		if (!mentions(sources.data, rows[i].symbol))
			fail_msg("no fuzz target reads with %s", rows[i].symbol);
	weir_text_release(&sources);
}

/* The corpus of a target is a folder of the samples. */
static void every_sample_is_in_a_corpus(void **state)
{
	struct weir_text list = file_text("tests/CMakeLists.txt");

	(void)state;
	weir_text_add(&list, "", 1);
	for (size_t i = 0; i < ROWS; i++) {
		struct weir_text folder = {0};

		/* Captures are too large for one: its corpus is written by hand. */
		if (rows[i].reader == &weir_reader_kineto)
			continue;
		weir_text_add(&folder, rows[i].sample,
		              (size_t)(strrchr(rows[i].sample, '/') - rows[i].sample));
		if (!mentions(list.data, folder.data))
			fail_msg("%s is no corpus of a fuzz target", folder.data);
		weir_text_release(&folder);
	}
	weir_text_release(&list);
}

static void every_reader_has_a_golden_case(void **state)
{
	struct weir_text commands = {0};

	(void)state;
	add_files(&commands, "tests/golden", "/cmd");
	for (size_t i = 0; i < ROWS; i++) {
		const char *name = strrchr(rows[i].sample, '/') + 1;

		if (!strstr(commands.data, name))
			fail_msg("no golden case reads %s", rows[i].sample);
	}
	weir_text_release(&commands);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_reader_is_in_this_table),
		cmocka_unit_test(every_sample_is_read_by_its_reader),
		cmocka_unit_test(what_tools_wrote_is_read_too),
		cmocka_unit_test(a_sample_cut_anywhere_is_read_or_refused_in_one_line),
		cmocka_unit_test(every_reader_is_fuzzed),
		cmocka_unit_test(every_sample_is_in_a_corpus),
		cmocka_unit_test(every_reader_has_a_golden_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
