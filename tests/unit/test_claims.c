/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each file of a format is claimed by its reader, and by no other reader with any bit: two
 * claims are an error to the user, and a wrong claim is a wrong reading. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/shelf.h"

#define DATA    "tests/data/"
#define SAMPLES "samples/"

struct claim {
	const char *path;
	const struct weir_reader *reader; /* NULL: no reader */
};

static void expect_claim(const char *path, const struct weir_reader *reader)
{
	struct weir_source *source;
	struct weir_error err = {0};
	const char *head = "";
	size_t len = 0;

	if (weir_source_open(path, &source, &err) || weir_source_head(source, &head, &len, &err))
		fail_msg("%s", err.message);
	for (size_t i = 0; weir_readers[i]; i++) {
		int bits = weir_sniff_reader(weir_readers[i], head, len);

		if ((bits > 0) != (weir_readers[i] == reader))
			fail_msg("%s: %s claims %d bits", path, weir_readers[i]->name, bits);
	}
	weir_source_free(source);
}

static void our_files_are_claimed_by_one_reader(void **state)
{
	static const struct claim claims[] = {
		{DATA "bench/job.log", &weir_reader_bench},
		{DATA "bench/serve-5.json", &weir_reader_bench},
		{DATA "bench/sglang.jsonl", &weir_reader_bench},
		{DATA "bench/summary.json", &weir_reader_bench},
		{DATA "bench/throughput.json", &weir_reader_bench},
		{DATA "guidellm/requests.json", &weir_reader_guidellm},
		{DATA "guidellm/sweep.json", &weir_reader_guidellm},
		{DATA "inference_perf/requests.json", &weir_reader_inference_perf},
		{DATA "inference_perf/stage_0.json", &weir_reader_inference_perf},
		{DATA "inference_perf/stage_1.json", &weir_reader_inference_perf},
		{DATA "lmdeploy/serve.jsonl", &weir_reader_lmdeploy},
		{DATA "lmdeploy/throughput.csv", &weir_reader_lmdeploy},
		{DATA "trtllm/report.json", &weir_reader_trtllm},
		{DATA "trtllm/requests.json", &weir_reader_trtllm},
		{DATA "wrapper/batches.json", &weir_reader_wrapper},
		{DATA "wrapper/configurations.json", &weir_reader_wrapper},
		{DATA "wrapper/latency.json", &weir_reader_wrapper},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
		expect_claim(claims[i].path, claims[i].reader);
}

static void real_files_are_claimed_by_one_reader_or_none(void **state)
{
	static const struct claim claims[] = {
		{SAMPLES "guidellm/guidellm_report_v2.json", &weir_reader_guidellm},
		{SAMPLES "inference_perf/batch_size_stage_0_lifecycle_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/batch_size_stage_3_lifecycle_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/batch_size_stage_6_lifecycle_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/batch_size_summary_lifecycle_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/batch_size_stage_0_prometheus_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/batch_size_summary_prometheus_metrics.json",
	         &weir_reader_inference_perf},
		{SAMPLES "inference_perf/golden_vllm_queries.txt", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(claims) / sizeof(claims[0]); i++)
		expect_claim(shelf_need(claims[i].path), claims[i].reader);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(our_files_are_claimed_by_one_reader),
		cmocka_unit_test(real_files_are_claimed_by_one_reader_or_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
