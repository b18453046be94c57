/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Every reader of readers.def has a sample that it alone reads, a golden case and a fuzz target
 * that read the sample; and it reads files that its tool wrote, where there are any. */
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
#include "tests/unit/shelf.h"

#define DATA     "tests/data/"
#define PROFILES "profiles/"
#define SAMPLES  "samples/"

struct row {
	const struct weir_reader *reader;
	const char *symbol;
	const char *sample;
};

static const struct row rows[] = {
#define READER(name, sample) {&weir_reader_##name, "weir_reader_" #name, DATA sample},
#include "engine/readers/readers.def"
#undef READER
};

/* Files that the tools themselves wrote: our captures, or files of the shelf. We have no such file
 * for the other readers, whose samples follow the documentation of the format. */
static const struct {
	const struct weir_reader *reader;
	const char *path;
} written[] = {
	{&weir_reader_ab, DATA "http_load/ab.txt"},
	{&weir_reader_aiperf, SAMPLES "aiperf/docs_records.jsonl"},
	{&weir_reader_autocannon, DATA "http_load/autocannon.txt"},
	{&weir_reader_chrome, SAMPLES "trace-event/trace-event__simple.json"},
	{&weir_reader_cprofile, DATA "captures/cprofile.pstats"},
	{&weir_reader_focus, SAMPLES "focus/commitment_discount_usage_scenario_1.csv"},
	{&weir_reader_folded, SAMPLES "folded/self_pyspy_raw.txt"},
	{&weir_reader_genai_perf, SAMPLES "perf_analyzer/genai_perf_expected_streaming.csv"},
	{&weir_reader_google_benchmark, DATA "benchmarks/google.json"},
	{&weir_reader_guidellm, SAMPLES "guidellm/guidellm_report_v2.json"},
	{&weir_reader_hyperfine, DATA "benchmarks/hyperfine.json"},
	{&weir_reader_inference_perf,
         SAMPLES "inference_perf/batch_size_stage_0_lifecycle_metrics.json"},
	{&weir_reader_jaeger, SAMPLES "jaeger/ui_01.json"},
	{&weir_reader_key_averages, DATA "captures/key_averages_large_matmul.txt"},
	{&weir_reader_kineto, DATA "kineto/malloc_churn.pt.trace.json.gz"},
	{&weir_reader_memory_timeline, DATA "captures/memory_timeline_decode.raw.json.gz"},
	{&weir_reader_model_analyzer, SAMPLES "model_analyzer/single-model-inference.csv"},
	{&weir_reader_native, DATA "runs/none-01.json"},
	{&weir_reader_ncu, DATA "captures/ncu_small.raw.csv.gz"},
	{&weir_reader_nsys, DATA "captures/nsys_decode.sqlite"},
	{&weir_reader_nsys_stats, DATA "captures/nsys_decode_cuda_gpu_kern_sum.csv"},
	{&weir_reader_onnxruntime, DATA "captures/onnxruntime.json.gz"},
	{&weir_reader_openmetrics, SAMPLES "prometheus/promtool_dump-openmetrics-test.prom"},
	{&weir_reader_otlp, DATA "captures/long_prefill.otlp.json.gz"},
	{&weir_reader_part, DATA "part/two_ranks.part"},
	{&weir_reader_perf_analyzer_csv, SAMPLES "perf_analyzer/docs_latency_report.csv"},
	{&weir_reader_perf_script, SAMPLES "perf/own_cpuclock_default.perf.txt"},
	{&weir_reader_prometheus, SAMPLES "prometheus/triton_scrape_excerpt.prom"},
	{&weir_reader_pytest_benchmark, DATA "benchmarks/pytest.json"},
	{&weir_reader_requests, DATA "requests/slow_tokenizer.jsonl"},
	{&weir_reader_rocprof, SAMPLES "rocm/rocprofv3_kernel_trace.csv"},
	{&weir_reader_rocprof_json, SAMPLES "rocm/tl_908_results.json.gz"},
	{&weir_reader_siege, DATA "http_load/siege.txt"},
	{&weir_reader_smi_dmon, DATA "monitors/h200.dmon.txt"},
	{&weir_reader_smi_query, DATA "monitors/h200.nvidia-smi.csv.gz"},
	{&weir_reader_speedscope, SAMPLES "speedscope/self_pyspy.speedscope.json"},
	{&weir_reader_triton, SAMPLES "triton/docs_example_2.json"},
	{&weir_reader_wrk, DATA "http_load/wrk.txt"},
	{&weir_reader_xla, DATA "captures/jax.trace.json.gz"},
};

#define ROWS    (sizeof(rows) / sizeof(rows[0]))
#define WRITTEN (sizeof(written) / sizeof(written[0]))

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

static void expect_read(const struct weir_reader *reader, const char *path)
{
	struct weir_profile *profile = weir_profile_new();

	reading_file(reader, path, profile);
	weir_profile_free(profile);
}

static void every_sample_is_read_by_its_reader(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++)
		expect_read(rows[i].reader, rows[i].sample);
}

static void files_that_tools_wrote_are_read(void **state)
{
	size_t missing = 0;

	(void)state;
	for (size_t i = 0; i < WRITTEN; i++) {
		const char *path = written[i].path;

		if (strncmp(path, DATA, strlen(DATA)) != 0)
			path = shelf_find(path);
		if (path)
			expect_read(written[i].reader, path);
		else
			missing++;
	}
	if (missing)
		shelf_skip("some files of real tools are not on the shelf");
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

/* The fuzz target that has the folder of the sample as its corpus, see tests/CMakeLists.txt. */
static void every_reader_is_fuzzed_with_its_sample(void **state)
{
	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		const char *folder = rows[i].sample + strlen(DATA);
		struct weir_text path = {0}, source;

		weir_text_printf(&path, "tests/fuzz/fuzz_%.*s.c", (int)strcspn(folder, "/"),
		                 folder);
		source = file_text(path.data);
		weir_text_add(&source, "", 1);
		if (!mentions(source.data, rows[i].symbol))
			fail_msg("%s does not read with %s", path.data, rows[i].symbol);
		weir_text_release(&source);
		weir_text_release(&path);
	}
}

/* Puts the commands of all golden cases one after another. */
static struct weir_text golden_commands(void)
{
	DIR *stream = opendir("tests/golden");
	struct weir_text all = {0};
	struct dirent *entry;

	assert_non_null(stream);
	while ((entry = readdir(stream)) != NULL) {
		struct weir_text path = {0}, text;

		weir_text_printf(&path, "tests/golden/%s/cmd", entry->d_name);
		if (access(path.data, R_OK) == 0) {
			text = file_text(path.data);
			weir_text_add(&all, text.data, text.length);
			weir_text_release(&text);
		}
		weir_text_release(&path);
	}
	closedir(stream);
	weir_text_add(&all, "", 1);
	return all;
}

static void every_reader_has_a_golden_case(void **state)
{
	struct weir_text commands = golden_commands();

	(void)state;
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
		cmocka_unit_test(every_sample_is_read_by_its_reader),
		cmocka_unit_test(files_that_tools_wrote_are_read),
		cmocka_unit_test(a_sample_cut_anywhere_is_read_or_refused_in_one_line),
		cmocka_unit_test(every_reader_is_fuzzed_with_its_sample),
		cmocka_unit_test(every_reader_has_a_golden_case),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
