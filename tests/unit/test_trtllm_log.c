/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/server_rows.h"

#define LOG &weir_reader_trtllm_log

static void each_form_of_an_iteration_is_a_step(void **state)
{
	(void)state;
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	server_rows_print(&text,
	                  reading_file(LOG, "tests/data/serverlog/trtllm.log", profile)->server);
	assert_string_equal(text.data, "step \"0\" at=1739526000000 ns=12500000 prefills=1 "
	                               "prompt=1024 decodes=4 tokens=4 running=5\n"
	                               "step \"11\" at=1739526001000 ns=10000000 prefills=0 "
	                               "prompt=0 decodes=4 tokens=4 running=4 waiting=5 kv=0.25\n"
	                               "step \"\" at=1725130628000 prefills=0 prompt=0 decodes=5 "
	                               "running=5 waiting=94 preempted=0 kv=0.75\n");
	weir_text_release(&text);
	weir_profile_free(profile);
}

static void a_line_of_json_may_hold_several_records(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"[{\"iter\":1,\"iterLatencyMS\":0.0,\"numActiveRequests\":1},"
		"{\"iter\":2,\"iterLatencyMS\":13.25,\"hostStepTimeMS\":7.5,\"attentionDpRank\":1,"
		"\"numQueuedRequests\":6,\"numActiveRequests\":4,"
		"\"inflightBatchingStats\":{\"numContextRequests\":1,\"numCtxTokens\":700,"
		"\"numGenRequests\":2,\"numPausedRequests\":1,\"numScheduledRequests\":3},"
		"\"kvCacheStats\":{\"cacheHitRate\":0.25,\"maxNumBlocks\":100,\"usedNumBlocks\":25}"
		","
		"\"specDecStats\":{\"acceptanceLength\":2.5,\"numAcceptedTokens\":15,"
		"\"numDraftTokens\":30},\"timestamp\":\"07-25-2025 16:54:34.140189\"}]\n",
		"step \"\"\n"
		"step \"1\" at=1753462474140 ns=7500000 prefills=1 prompt=700 decodes=2 running=3 "
		"waiting=7 preempted=1 drafted=30 accepted=15 kv=0.25 length=2.5 hits=0.25\n");
}

static void settings_come_from_start_lines_and_records(void **state)
{
	(void)state;
	server_rows_expect_settings(
		LOG,
		"[TensorRT-LLM] TensorRT-LLM version: 1\n[x] max_seq_len=9, max_num_requests=256, "
		"max_num_tokens=8192\n"
		"trtllm-serve m --kv_cache_free_gpu_memory_fraction 0.8 --enable_chunked_prefill\n"
		"Allocated 1 GiB for max tokens in paged KV cache (220480).\n"
		"iter = 1, currank_total_requests = 0/0, host_step_time = 1ms\n",
		"256,8192,220480,-1,1,0.8,1,0");
	assert_string_equal(
		reading_claims("{\"iter\":1,\"iterLatencyMS\":1.5,\"kvCacheStats\":{}}\n"),
		"trtllm-log");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(
		LOG, "{\"iter\":1,\"iterLatencyMS\":1.5,\"kvCacheStats\":{\"maxNumBlocks\":3}}"
		     "\niter = 1, currank_total_requests = 0/0, host_step_time = 1ms\n");
	reading_refuses(LOG, "TensorRT-LLM version: 1\n", WEIR_E_EMPTY, "print_iter_log");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_of_an_iteration_is_a_step),
		cmocka_unit_test(a_line_of_json_may_hold_several_records),
		cmocka_unit_test(settings_come_from_start_lines_and_records),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
