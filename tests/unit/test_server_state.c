/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/fixture_server.h"
#include "tests/unit/near.h"

/* ---- waiting, KV cache, slots ---- */

static void waiting_is_a_share_of_the_time(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_server_interval(log, 0, 8, i < 3 ? 2 : 0, i < 3 ? 0.95 : 0.5);
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->waiting_share, 0.3, 1e-9);
	assert_near(figures->kv_full_share, 1, 0);
	assert_near(figures->queue_of_latency, 0.6 / 8.6, 1e-9);
	assert_near(figures->kv.p50, 0.5, 0);
	assert_near(figures->kv.max, 0.95, 0);
	assert_near(figures->running.mean, 8, 1e-9);
	assert_near(figures->waiting.max, 2, 0);
	server_bench_release(&bench);
}

/* vLLM prints a line for each step, without gauges, and one for each interval, in the same second.
 */
static void intervals_among_steps_cover_the_time_between_them(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 11; i++) {
		int64_t at_ns;

		add_server_interval(log, 0, 8, i > 5 ? 2 : 0, 0.5);
		at_ns = log->rows[log->count - 1].at_ns;
		for (int s = 0; s < 20; s++) {
			struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

			row.duration_ns = (int64_t)5e8;
			row.at_ns = at_ns + (s < 10 ? 0 : (int64_t)9e9);
			row.decode_requests = row.decode_tokens = 8;
			weir_server_log_add(log, &row);
		}
	}
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->waiting_share, 0.5, 0.05);
	server_bench_release(&bench);
}

static const char *cause_of_kv(struct server_bench *bench, double kv, int32_t running,
                               int64_t slots)
{
	struct weir_server_log *log;

	server_bench_init(bench);
	log = add_server_log(bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = slots;
	for (int i = 0; i < 12; i++)
		add_server_interval(log, 0, running, 5, kv);
	return server_cause_of(bench, server_figures_of(bench, NAN));
}

static void a_cache_that_is_full_while_requests_wait_is_the_cause(void **state)
{
	struct server_bench bench;

	(void)state;
	assert_string_equal(cause_of_kv(&bench, 0.90, 10, 256), "kv-capacity");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_MEMORY);
	server_bench_release(&bench);
	/* One more request of a quarter of the cache does not fit. */
	assert_string_equal(cause_of_kv(&bench, 0.76, 3, 256), "kv-capacity");
	server_bench_release(&bench);
	assert_string_not_equal(cause_of_kv(&bench, 0.74, 3, 256), "kv-capacity");
	server_bench_release(&bench);
}

static void a_cache_is_full_earlier_while_slots_are_free(void **state)
{
	static const struct {
		double kv;
		int slots;
		const char *cause;
	} sides[] = {
		{0.80, 256, "kv-capacity"}, {0.79, 256, "queue-saturated"}, {0.89, 40, "slots"}};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct server_bench bench;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		log->settings.max_running = sides[s].slots;
		for (int i = 0; i < 12; i++)
			add_server_interval(log, 0, 40, 20, sides[s].kv);
		assert_string_equal(server_cause_of(&bench, server_figures_of(&bench, NAN)),
		                    sides[s].cause);
		server_bench_release(&bench);
	}
}

static void unknown_slots_are_not_free(void **state)
{
	static const struct {
		int rows, step;
		const char *cause;
	} cases[] = {{3, 0, ""}, {12, 1, "kv-capacity"}};

	(void)state;
	for (size_t c = 0; c < 2; c++) {
		struct server_bench bench;
		const struct weir_server_figures *figures;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_SGLANG);
		for (int i = 0; i < cases[c].rows; i++)
			add_server_interval(log, 0, 40 + i * cases[c].step, 20, 0.82);
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(isnan(figures->kv_full_share), cases[c].step == 0);
		assert_string_equal(server_cause_of(&bench, figures), cases[c].cause);
		server_bench_release(&bench);
	}
}

static void a_server_without_tokens_is_not_short_of_cache(void **state)
{
	static const struct {
		int stalled;
		const char *cause;
	} cases[] = {{5, "kv-capacity"}, {6, ""}, {12, ""}};

	(void)state;
	for (size_t c = 0; c < 3; c++) {
		struct server_bench bench;
		struct weir_server_log *log;
		const struct weir_server_figures *figures;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		for (int i = 0; i < 12; i++) {
			struct weir_server_row *row = add_server_interval(log, 0, 40, 20, 0.95);

			if (i < cases[c].stalled)
				row->prompt_rate = row->decode_rate = 0;
		}
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(figures->busy_intervals, 12);
		assert_int_equal(figures->stalled_intervals, cases[c].stalled);
		assert_string_equal(server_cause_of(&bench, figures), cases[c].cause);
		server_bench_release(&bench);
	}
}

static void an_interval_with_any_token_is_no_stall(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	add_server_interval(log, 0, 40, 20, 0.95)->prompt_rate = 0;
	add_server_interval(log, 0, 40, 20, 0.95)->decode_rate = 0;
	*add_server_interval(log, 0, 40, 20, 0.95) = (struct weir_server_row){
		.at_ns = START + 2 * TEN_S,
		.kind = WEIR_SERVER_INTERVAL,
		.running = 40,
		.waiting = 20,
		.kv_usage = 0.95,
		.prompt_rate = NAN,
		.decode_rate = 0,
	};
	add_server_interval(log, 0, 0, 20, 0.95)->decode_rate = 0;
	log->rows[3].prompt_rate = 0; /* nothing runs */
	assert_int_equal(server_figures_of(&bench, NAN)->stalled_intervals, 0);
	server_bench_release(&bench);
}

static void rates_that_do_not_fall_surely_are_no_interference(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_step_tokens = 8192;
	for (int i = 0; i < 18; i++) {
		struct weir_server_row *row = add_server_interval(log, 0, 10, 0, 0.3);

		row->prompt_rate = 5000 + 5000 * (i % 6);
		row->decode_rate = 300 + 37 * (i * 7 % 18);
	}
	assert_true(isnan(server_figures_of(&bench, NAN)->prefill_interference));
	server_bench_release(&bench);
}

static void taken_slots_are_the_cause_if_the_cache_has_room(void **state)
{
	struct server_bench bench;

	(void)state;
	assert_string_equal(cause_of_kv(&bench, 0.40, 8, 8), "slots");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_BATCHING);
	server_bench_release(&bench);
	assert_string_equal(cause_of_kv(&bench, 0.40, 61, 64), "slots");
	server_bench_release(&bench);
	assert_string_not_equal(cause_of_kv(&bench, 0.40, 60, 64), "slots");
	server_bench_release(&bench);
	assert_string_equal(cause_of_kv(&bench, 0.95, 8, 8), "kv-capacity");
	server_bench_release(&bench);
	/* Without the setting, the flat maximum is the limit. */
	assert_string_equal(cause_of_kv(&bench, 0.40, 8, -1), "slots");
	server_bench_release(&bench);
}

static void a_maximum_that_is_reached_once_is_no_limit(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 12; i++)
		add_server_interval(log, 0, 40 + i, 5, 0.3);
	figures = server_figures_of(&bench, NAN);
	assert_true(isnan(figures->slot_limit));
	assert_string_equal(server_cause_of(&bench, figures), "queue-saturated");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_HARDWARE);
	server_bench_release(&bench);
}

/* Returns the limit of slots that rows without the setting show. */
static double flat_limit(size_t rows, int32_t running, int32_t last)
{
	struct server_bench bench;
	struct weir_server_log *log;
	double limit;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (size_t i = 0; i < rows; i++)
		add_server_interval(log, 0, i + 1 < rows ? running : last, 5, 0.3);
	limit = server_figures_of(&bench, NAN)->slot_limit;
	server_bench_release(&bench);
	return limit;
}

static void four_equal_rows_are_a_limit_if_no_other_waits(void **state)
{
	(void)state;
	assert_near(flat_limit(4, 8, 8), 8, 0);
	assert_true(isnan(flat_limit(3, 8, 8)));
	assert_true(isnan(flat_limit(4, 7, 7)));
	assert_true(isnan(flat_limit(5, 8, 7)));
	assert_near(flat_limit(6, 8, 7), 8, 0);
	assert_near(flat_limit(5, 7, 7), 7, 0);
}

static void a_queue_below_a_plateau_of_throughput_has_no_cause(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 24; i++) {
		struct weir_server_row *row =
			add_server_interval(log, 0, 40 + i, i < 12 ? 20 : 0, 0.3);

		row->decode_rate = i < 12 ? 100 : 3000;
	}
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->throughput_plateau < 0.8);
	assert_true(figures->waiting_growth < 0);
	assert_string_equal(server_cause_of(&bench, figures), "");
	server_bench_release(&bench);
}

/* The first and the last part of the time count like the others. */
static void the_highest_throughput_of_any_part_is_the_plateau(void **state)
{
	(void)state;
	for (int fast = 0; fast < 24; fast += 22) {
		const struct weir_server_figures *figures;
		struct server_bench bench;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		for (int i = 0; i < 24; i++) {
			struct weir_server_row *row = add_server_interval(log, 0, 40, 20, 0.3);

			row->prompt_rate = NAN;
			row->decode_rate = i == fast || i == fast + 1 ? 2000 : 500;
		}
		figures = server_figures_of(&bench, NAN);
		assert_near(figures->throughput_plateau, 0.25, 0.02);
		server_bench_release(&bench);
	}
}

static void a_log_pauses_after_twenty_usual_intervals(void **state)
{
	(void)state;
	for (int64_t more_ns = 0; more_ns < 2; more_ns++) {
		const struct weir_server_figures *figures;
		struct server_bench bench;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		for (int i = 0; i < 24; i++) {
			struct weir_server_row *row = add_server_interval(log, 0, 8, 0, 0.5);

			if (i >= 12)
				row->at_ns += 19 * TEN_S + more_ns;
		}
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(figures->gaps, more_ns);
		server_bench_release(&bench);
	}
}

static void a_healthy_server_gets_no_alarm(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = 64;
	for (int i = 0; i < 18; i++)
		add_server_interval(log, 0, 30 + i % 5, i % 6 == 0, 0.5);
	assert_string_equal(server_cause_of(&bench, server_figures_of(&bench, NAN)), "");
	server_bench_release(&bench);
}

static void a_short_queue_is_no_cause_however_often_it_is_seen(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 18; i++)
		add_server_interval(log, 0, 100, 4, 0.95);
	assert_string_equal(server_cause_of(&bench, server_figures_of(&bench, NAN)), "");
	server_bench_release(&bench);
}

/* ---- preemption ---- */

static const char *cause_of_preemptions(struct server_bench *bench, int32_t each, double requests,
                                        int32_t waiting)
{
	struct weir_server_log *log;

	server_bench_init(bench);
	log = add_server_log(bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_server_interval(log, 0, 10, waiting, 0.97)->preempted = each;
	return server_cause_of(bench, server_figures_of(bench, requests));
}

static void preempted_requests_from_one_in_ten_on_are_the_cause(void **state)
{
	struct server_bench bench;

	(void)state;
	assert_string_equal(cause_of_preemptions(&bench, 10, 1000, 0), "preemption");
	assert_near(bench.values[WEIR_F_PREEMPTIONS_PER_THOUSAND], 100, 0);
	server_bench_release(&bench);
	assert_string_equal(cause_of_preemptions(&bench, 9, 1000, 0), "");
	server_bench_release(&bench);
	/* A third of the time is waiting, for the same cache. */
	assert_string_equal(cause_of_preemptions(&bench, 9, 1000, 5), "kv-capacity");
	server_bench_release(&bench);
	assert_string_equal(cause_of_preemptions(&bench, 10, 1000, 5), "preemption");
	server_bench_release(&bench);
}

static void recomputation_is_estimated_from_the_mean_context(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.kv_tokens = 10000;
	for (int i = 0; i < 10; i++)
		add_server_interval(log, 0, 10, 0, 1)->preempted = 2;
	figures = server_figures_of(&bench, NAN);
	/* 20 requests of 1,000 tokens beside 100,000 prompt tokens. */
	assert_near(figures->recomputed_share, 20000.0 / 120000, 1e-9);
	assert_true(isnan(figures->preemptions_per_thousand));
	assert_string_equal(server_cause_of(&bench, figures), "preemption");
	server_bench_release(&bench);
}

/* ---- steps ---- */

/* Steps of decodes of 10 + decodes / 10 ms, and one of prompts in `every` steps. */
static void add_steps(struct weir_server_log *log, int every, double mixed_ms)
{
	for (int i = 0; i < 400; i++) {
		int decodes = 10 + i % 20;

		if (i % every == 0)
			add_server_step(log, 2000, decodes, mixed_ms + 10 + decodes / 10.0);
		else
			add_server_step(log, 0, decodes, 10 + decodes / 10.0);
	}
}

static void prompts_add_what_exceeds_a_step_of_the_same_decodes(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_steps(add_server_log(&bench, WEIR_PRODUCT_VLLM), 4, 60);
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->phases[WEIR_STEP_DECODE].count, 300);
	assert_int_equal(figures->phases[WEIR_STEP_MIXED].count, 100);
	assert_int_equal(figures->phases[WEIR_STEP_PREFILL].count, 0);
	assert_near(figures->prefill_interference, 15 / (15 + 11.95), 1e-2);
	assert_near(figures->stall_ratio, 72.8 / 12, 0.05);
	assert_false(figures->interference_estimated);
	assert_string_equal(server_cause_of(&bench, figures), "prefill-interference");
	server_bench_release(&bench);
}

static void prompts_in_small_steps_are_no_interference(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_steps(add_server_log(&bench, WEIR_PRODUCT_VLLM), 2, 20);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->prefill_interference > 0.2);
	assert_string_equal(server_cause_of(&bench, figures), "");
	server_bench_release(&bench);
	server_bench_init(&bench);
	add_steps(add_server_log(&bench, WEIR_PRODUCT_VLLM), 40, 100);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->prefill_interference < 0.2 && figures->stall_ratio > 4);
	assert_string_equal(server_cause_of(&bench, figures), "");
	server_bench_release(&bench);
}

static void steps_of_prompts_alone_delay_running_decodes(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_TRTLLM);
	for (int i = 0; i < 100; i++)
		if (i % 5 == 0)
			add_server_step(log, 4000, 0, 80)->running = 11;
		else
			add_server_step(log, 0, 10, 10);
	assert_near(server_figures_of(&bench, NAN)->prefill_interference,
	            0.8 * 80 / (80 + 40) / 0.8, 1e-6);
	server_bench_release(&bench);
}

static void growth_is_that_of_twice_the_batch(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++)
		add_server_step(log, 0, 1 + i % 64, 1 + i % 64);
	assert_near(server_figures_of(&bench, NAN)->step_growth, 2, 0.03);
	server_bench_release(&bench);
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++)
		add_server_step(log, 0, 1 + i % 64, 20);
	assert_near(server_figures_of(&bench, NAN)->step_growth, 1, 1e-6);
	server_bench_release(&bench);
}

/* Intervals in which each decode loses the time that prompts take: 1 / 50,000 s a token. */
static void add_rates(struct weir_server_log *log, double most)
{
	for (int i = 0; i < 18; i++) {
		struct weir_server_row *row = add_server_interval(log, 0, 10, 0, 0.3);

		row->prompt_rate = most * (i % 6 + 1) / 6;
		row->decode_rate = 10 * 50 * (1 - row->prompt_rate / 50000);
	}
}

static void speculation_that_loses_hides_interference_in_rates(void **state)
{
	static const struct {
		double length;
		const char *cause;
	} cases[] = {{1.19, "speculation-unprofitable"}, {1.21, "prefill-interference"}};

	(void)state;
	for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
		struct server_bench bench;
		struct weir_server_log *log;
		const struct weir_server_figures *figures;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		log->settings.max_step_tokens = 8192;
		log->settings.draft_tokens = 4; /* a step takes 1.2 times as long */
		add_rates(log, 30000);
		for (size_t i = 0; i < log->count; i++)
			log->rows[i].accept_length = cases[c].length;
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(isnan(figures->prefill_interference), c == 0);
		assert_string_equal(server_cause_of(&bench, figures), cases[c].cause);
		server_bench_release(&bench);
	}
}

static void rates_of_intervals_stand_for_steps(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_step_tokens = 8192;
	add_rates(log, 30000);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->interference_estimated);
	assert_near(figures->prefill_interference, 0.35, 1e-6);
	/* 8,192 tokens take 164 ms, a step of decodes 20 ms. */
	assert_near(figures->stall_ratio, 1 + 8192 / 50000.0 / 0.02, 1e-6);
	assert_string_equal(server_cause_of(&bench, figures), "prefill-interference");
	server_bench_release(&bench);
}

static void one_engine_of_four_shows_no_interference(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	add_rates(log, 30000);
	weir_server_log_engine(log, "1", 1);
	weir_server_log_engine(log, "2", 1);
	weir_server_log_engine(log, "3", 1);
	for (uint32_t engine = 1; engine < 4; engine++)
		for (int i = 0; i < 18; i++) {
			struct weir_server_row *row = add_server_interval(log, engine, 10, 0, 0.3);

			row->prompt_rate = 5000 * (i % 6 + 1);
			row->decode_rate = 500;
		}
	assert_true(isnan(server_figures_of(&bench, NAN)->prefill_interference));
	server_bench_release(&bench);
}

/* Steps while five requests wait: `full` of 20 hold the tokens that a step may hold. */
static double share_of_full_steps(int full, int32_t tokens)
{
	struct server_bench bench;
	struct weir_server_log *log;
	double share;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_SGLANG);
	log->settings.max_step_tokens = 2048;
	for (int i = 0; i < 20; i++)
		add_server_interval(log, 0, 40, 5, 0.3)->prefill_tokens = i < full ? tokens : 100;
	share = server_figures_of(&bench, NAN)->full_steps;
	server_bench_release(&bench);
	return share;
}

static void steps_of_nine_tenths_of_their_tokens_are_full(void **state)
{
	(void)state;
	assert_near(share_of_full_steps(10, 1844), 0.5, 1e-9);
	assert_near(share_of_full_steps(10, 1843), 0, 0);
}

/* Intervals of a server whose step takes 20 ms at any batch; every number of requests holds for
 * `each` rows. */
static double growth_of_rates(int each)
{
	struct server_bench bench;
	struct weir_server_log *log;
	double growth;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 60; i++) {
		int running = 10 + 15 * (i / each % 3);

		add_server_interval(log, 0, running, 0, 0.3)->decode_rate =
			50 * (each > 1 ? running : 25);
	}
	growth = server_figures_of(&bench, NAN)->step_growth;
	server_bench_release(&bench);
	return growth;
}

static void rates_show_growth_only_while_the_batch_is_steady(void **state)
{
	(void)state;
	assert_near(growth_of_rates(10), 1, 1e-6);
	assert_true(isnan(growth_of_rates(1)));
}

/* ---- engines ---- */

static const char *cause_of_engines(struct server_bench *bench, int32_t busy, int32_t busy_waiting,
                                    int32_t other_waiting)
{
	struct weir_server_log *log;

	server_bench_init(bench);
	log = add_server_log(bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = 64;
	weir_server_log_engine(log, "001", 3);
	weir_server_log_engine(log, "002", 3);
	for (int i = 0; i < 12; i++)
		for (uint32_t e = 0; e < 3; e++) {
			struct weir_server_row *row = add_server_interval(
				log, e, e ? 10 : busy, e ? other_waiting : busy_waiting,
				e ? 0.2 : 0.95);

			row->at_ns = START + i * TEN_S + e;
		}
	return server_cause_of(bench, server_figures_of(bench, NAN));
}

static void a_queue_at_one_engine_while_others_have_room_is_imbalance(void **state)
{
	struct server_bench bench;

	(void)state;
	assert_string_equal(cause_of_engines(&bench, 30, 20, 0), "engine-imbalance");
	assert_near(bench.values[WEIR_F_ENGINE_IMBALANCE], 5, 1e-9);
	assert_near(bench.values[WEIR_F_UNBALANCED_WAIT], 1, 1e-9);
	server_bench_release(&bench);
	assert_string_not_equal(cause_of_engines(&bench, 30, 20, 5), "engine-imbalance");
	server_bench_release(&bench);
	assert_string_equal(cause_of_engines(&bench, 12, 0, 0), "");
	server_bench_release(&bench);
}

/* Logs of other days are no imbalance; the loads of an hour are one situation. */
static void engines_of_other_times_are_not_compared(void **state)
{
	static const struct {
		int64_t later_s;
		bool compared;
	} cases[] = {{3600, true}, {3601, false}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct server_bench bench;
		struct weir_server_log *log;
		const struct weir_server_figures *figures;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_SGLANG);
		weir_server_log_engine(log, "001", 3);
		add_server_interval(log, 0, 10, 0, 0.5)->at_ns = START;
		add_server_interval(log, 1, 30, 20, 0.95)->at_ns =
			START + cases[i].later_s * SECOND;
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(!isnan(figures->imbalance), cases[i].compared);
		assert_int_equal(!isnan(figures->unbalanced_wait), cases[i].compared);
		server_bench_release(&bench);
	}
}

static void engines_are_summed_after_they_are_kept_apart(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	cause_of_engines(&bench, 30, 20, 5);
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->engine_count, 3);
	assert_near(figures->running.max, 50, 0);
	assert_near(figures->waiting.mean, 30, 1e-9);
	assert_string_equal(figures->engines[0].name, "000");
	assert_near(figures->engines[0].kv_peak, 0.95, 0);
	server_bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_is_a_share_of_the_time),
		cmocka_unit_test(intervals_among_steps_cover_the_time_between_them),
		cmocka_unit_test(a_cache_that_is_full_while_requests_wait_is_the_cause),
		cmocka_unit_test(a_cache_is_full_earlier_while_slots_are_free),
		cmocka_unit_test(unknown_slots_are_not_free),
		cmocka_unit_test(a_server_without_tokens_is_not_short_of_cache),
		cmocka_unit_test(an_interval_with_any_token_is_no_stall),
		cmocka_unit_test(rates_that_do_not_fall_surely_are_no_interference),
		cmocka_unit_test(taken_slots_are_the_cause_if_the_cache_has_room),
		cmocka_unit_test(a_maximum_that_is_reached_once_is_no_limit),
		cmocka_unit_test(four_equal_rows_are_a_limit_if_no_other_waits),
		cmocka_unit_test(a_queue_below_a_plateau_of_throughput_has_no_cause),
		cmocka_unit_test(the_highest_throughput_of_any_part_is_the_plateau),
		cmocka_unit_test(a_log_pauses_after_twenty_usual_intervals),
		cmocka_unit_test(a_healthy_server_gets_no_alarm),
		cmocka_unit_test(a_short_queue_is_no_cause_however_often_it_is_seen),
		cmocka_unit_test(preempted_requests_from_one_in_ten_on_are_the_cause),
		cmocka_unit_test(recomputation_is_estimated_from_the_mean_context),
		cmocka_unit_test(prompts_add_what_exceeds_a_step_of_the_same_decodes),
		cmocka_unit_test(prompts_in_small_steps_are_no_interference),
		cmocka_unit_test(steps_of_prompts_alone_delay_running_decodes),
		cmocka_unit_test(growth_is_that_of_twice_the_batch),
		cmocka_unit_test(rates_of_intervals_stand_for_steps),
		cmocka_unit_test(speculation_that_loses_hides_interference_in_rates),
		cmocka_unit_test(one_engine_of_four_shows_no_interference),
		cmocka_unit_test(steps_of_nine_tenths_of_their_tokens_are_full),
		cmocka_unit_test(rates_show_growth_only_while_the_batch_is_steady),
		cmocka_unit_test(a_queue_at_one_engine_while_others_have_room_is_imbalance),
		cmocka_unit_test(engines_of_other_times_are_not_compared),
		cmocka_unit_test(engines_are_summed_after_they_are_kept_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
