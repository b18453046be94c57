/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "tests/unit/server_rows.h"

#define LOG &weir_reader_sglang_log

#define PREFILL(sep) "Prefill batch" sep "#new-seq: 2, #new-token: 640, #cached-token: 128, "

static void each_form_of_a_batch_of_prompts_is_read(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"[16:43:29 TP0] " PREFILL(
			". ") "cache hit rate: 12.50%, token usage: 0.04, #running-req: 1, "
			      "#queue-req: 38\n"
			      "[16:43:30] " PREFILL(
				      " [12], ") "full token usage: 0.14, swa token usage: 0.35, "
						 "mamba usage: 0.2, #running-req: 1, #queue-req: "
						 "7, #prealloc-req: 2, #inflight-req: 3, input "
						 "throughput (token/s): 5.50, \n",
		"interval \"TP0\" at=63132209000 prefills=2 prompt=640 cached=128 running=1 "
		"waiting=38 preempted=0 kv=0.04 hits=0.125\n"
		"interval \"\" at=63132210000 prefills=2 prompt=640 cached=128 running=1 waiting=9 "
		"preempted=0 kv=0.35 in=5.5\n");
}

static void each_form_of_decode_steps_is_read(void **state)
{
	(void)state;
	server_rows_expect(LOG,
	                   "[2025-03-01 12:00:00 DP0 TP0] Decode batch. #running-req: 1, #token: "
	                   "133, token usage: 0.50, accept len: 2.30, accept rate: 0.57, cuda "
	                   "graph: True, gen throughput (token/s): 0.23, #queue-req: 0, \n"
	                   "[2025-03-01 12:00:01 DP1 TP0] Decode batch, #running-req: 10, #full "
	                   "token: 512, full token usage: 0.85, pre-allocated usage: 0.10, "
	                   "#prealloc-req: 2, #transfer-req: 1, #retracted-req: 0, npu graph: "
	                   "False, gen throughput (token/s): 1500.5, #queue-req: 3\n",
	                   "interval \"DP0 TP0\" at=1740830400000 decodes=1 running=1 waiting=0 "
	                   "preempted=0 kv=0.5 out=0.23 length=2.3\n"
	                   "interval \"DP1 TP0\" at=1740830401000 decodes=10 running=10 waiting=5 "
	                   "preempted=0 kv=0.85 out=1500.5\n");
}

static void the_time_at_the_end_of_a_line_is_finer_than_its_prefix(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"[2025-07-18 15:32:52 TP0] Prefill batch. #new-seq: 1, #new-token: 20, "
		"#running-req: 0, #queue-req: 0, timestamp: 2025-07-18T15:32:52.498932\n"
		"[2025-07-18 15:32:54 TP0] Decode batch. #running-req: 1, gen throughput "
		"(token/s): 3.13, #queue-req: 0, timestamp: 2025-07-18T15:32:54.159394\n"
		"[2025-07-18 15:32:55 TP0] Decode batch. #running-req: 1, gen throughput "
		"(token/s): 3.13, #queue-req: 0, timestamp: noon\n",
		"interval \"TP0\" at=1752852772498 prefills=1 prompt=20 running=0 waiting=0 "
		"preempted=0\n"
		"interval \"TP0\" at=1752852774159 decodes=1 running=1 waiting=0 preempted=0 "
		"out=3.13\n"
		"interval \"TP0\" at=1752852775000 decodes=1 running=1 waiting=0 preempted=0 "
		"out=3.13\n");
}

static void retractions_count_for_the_next_row_of_their_engine(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"[2025-03-01 12:00:00 TP0] KV cache pool is full. Retract requests. "
		"#retracted_reqs: 2, #new_token_ratio: 0.1 -> 0.3\n"
		"[2025-03-01 12:00:00 TP0] decode out of memory happened, #retracted_reqs: 1, "
		"#new_token_ratio: 0.1 -> 0.3\n"
		"[2025-03-01 12:00:00 TP0] Decode batch. #running-req: 1, #queue-req: 4\n"
		"[2025-03-01 12:00:00 TP0] KV cache pool is full. Retract requests. "
		"#retracted_reqs: 5, #aborted_reqs: 0\n",
		"interval \"TP0\" at=1740830400000 decodes=1 running=1 waiting=4 preempted=8\n");
}

static void settings_are_those_in_effect(void **state)
{
	(void)state;
	server_rows_expect_settings(
		LOG,
		"server_args=ServerArgs(mem_fraction_static=0.88, max_running_requests=None, "
		"chunked_prefill_size=4096, speculative_num_draft_tokens=4)\n"
		"max_total_num_tokens=171008, chunked_prefill_size=8192, max_running_requests=128\n"
		"Decode batch. #running-req: 1, #queue-req: 4\n",
		"128,8192,171008,4,1,0.88,1,0");
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_survives_damage(
		LOG, "[2025-03-01 12:00:00 DP0 TP0] Decode batch [3], #running-req: 1, #token: "
		     "133, token usage: 0.50, gen throughput (token/s): 0.23, #queue-req: 0\n");
	reading_refuses(LOG, "server_args=ServerArgs(x=1)\n", WEIR_E_EMPTY,
	                "--decode-log-interval");
}

/* One log of Ray holds several engines with the same ranks. */
static void actors_of_ray_are_engines(void **state)
{
	(void)state;
	server_rows_expect(
		LOG,
		"(SGLangEngine pid=35) [2025-03-01 12:00:00 TP0] Decode batch. #running-req: 1\n"
		"(SGLangEngine pid=35, ip=10.0.0.2) [2025-03-01 12:00:00 TP0] Decode batch [7], "
		"#running-req: 2\n"
		"(started with pid=35 [2025-03-01 12:00:00 TP0] Decode batch. #running-req: 3\n",
		"interval \"TP0 pid=35\" at=1740830400000 decodes=1 running=1 preempted=0\n"
		"interval \"TP0 pid=35, ip=10.0.0.2\" at=1740830400000 decodes=2 running=2 "
		"preempted=0\n"
		"interval \"TP0\" at=1740830400000 decodes=3 running=3 preempted=0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_form_of_a_batch_of_prompts_is_read),
		cmocka_unit_test(each_form_of_decode_steps_is_read),
		cmocka_unit_test(the_time_at_the_end_of_a_line_is_finer_than_its_prefix),
		cmocka_unit_test(retractions_count_for_the_next_row_of_their_engine),
		cmocka_unit_test(settings_are_those_in_effect),
		cmocka_unit_test(damage_is_survived),
		cmocka_unit_test(actors_of_ray_are_engines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
