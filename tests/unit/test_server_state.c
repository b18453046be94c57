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

#include "engine/analysis/rank/features.h"
#include "engine/analysis/server/figures.h"
#include "engine/analysis/server/joined.h"
#include "engine/model/telemetry.h"
#include "engine/readers/readers.h"
#include "rules/evaluate.h"
#include "rules/ruleset.h"
#include "tests/unit/make_scrape.h"
#include "tests/unit/near.h"

#define SECOND INT64_C(1000000000)
#define START  (INT64_C(1700000000) * SECOND)
#define TEN_S  (10 * SECOND)

struct bench {
	struct weir_profile *profile;
	struct weir_arena *arena;
	struct weir_ruleset *rules;
	double values[WEIR_F_COUNT];
	struct weir_verdict verdict;
};

static void setup(struct bench *bench)
{
	*bench = (struct bench){.profile = weir_profile_new(), .arena = weir_arena_new()};
}

static void release(struct bench *bench)
{
	weir_ruleset_free(bench->rules);
	weir_profile_free(bench->profile);
	weir_arena_free(bench->arena);
}

static struct weir_server_log *add_log(struct bench *bench, enum weir_server_product product)
{
	struct weir_server_log *log = weir_server_log_new(product);

	weir_profile_add_input(bench->profile, "log")->server = log;
	log->clock = WEIR_SERVER_CLOCK_UNIX;
	weir_server_log_engine(log, "000", 3);
	return log;
}

static void add_page(struct bench *bench, const char *text)
{
	scrape_of(&weir_reader_prometheus, bench->profile, text);
}

static const struct weir_server_figures *figures_of(struct bench *bench, double requests)
{
	const struct weir_server_figures *figures =
		weir_server_figures_of(bench->profile, requests, bench->arena);

	assert_non_null(figures);
	return figures;
}

/* Judges the figures by the rules about servers, and returns the cause; "": no rule holds. */
static const char *cause_of(struct bench *bench, const struct weir_server_figures *figures)
{
	const struct weir_subject subject = {WEIR_SUBJECT_SERVER, NULL, bench->values};
	const double shares[WEIR_BOUND_COUNT] = {0};
	struct weir_error err = {0};

	if (!bench->rules &&
	    weir_ruleset_load_embedded(&weir_features, &bench->rules, &err) != WEIR_OK)
		fail_msg("%s", err.message);
	weir_features_clear(bench->values);
	weir_server_features(figures, bench->values);
	weir_ruleset_judge(bench->rules, &subject, shares, &bench->verdict, NULL);
	return bench->verdict.cause ? bench->verdict.cause : "";
}

/* Appends an interval of ten seconds. */
static struct weir_server_row *add_interval(struct weir_server_log *log, uint32_t engine,
                                            int32_t running, int32_t waiting, double kv)
{
	struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_INTERVAL);

	row.at_ns = START + (int64_t)log->count * TEN_S;
	row.engine = engine;
	row.running = running;
	row.waiting = waiting;
	row.kv_usage = kv;
	row.prompt_rate = 1000;
	row.decode_rate = 500;
	weir_server_log_add(log, &row);
	return &log->rows[log->count - 1];
}

/* Appends a step; at_ns is its end, right behind the last one. */
static struct weir_server_row *add_step(struct weir_server_log *log, int32_t prefill,
                                        int32_t decodes, double ms)
{
	struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

	row.duration_ns = (int64_t)(ms * 1e6);
	row.at_ns = (log->count ? log->rows[log->count - 1].at_ns : START) + row.duration_ns;
	row.prefill_tokens = prefill;
	row.prefill_requests = prefill > 0;
	row.decode_requests = row.decode_tokens = decodes;
	row.running = decodes + row.prefill_requests;
	row.waiting = 0;
	row.kv_usage = 0.3;
	weir_server_log_add(log, &row);
	return &log->rows[log->count - 1];
}

/* ---- waiting, KV cache, slots ---- */

static void waiting_is_a_share_of_the_time(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_interval(log, 0, 8, i < 3 ? 2 : 0, i < 3 ? 0.95 : 0.5);
	figures = figures_of(&bench, NAN);
	assert_near(figures->waiting_share, 0.3, 1e-9);
	assert_near(figures->kv_full_share, 1, 0);
	assert_near(figures->queue_of_latency, 0.6 / 8.6, 1e-9);
	assert_near(figures->kv.p50, 0.5, 0);
	assert_near(figures->kv.max, 0.95, 0);
	assert_near(figures->running.mean, 8, 1e-9);
	assert_near(figures->waiting.max, 2, 0);
	release(&bench);
}

static const char *cause_of_kv(struct bench *bench, double kv, int32_t running, int64_t slots)
{
	struct weir_server_log *log;

	setup(bench);
	log = add_log(bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = slots;
	for (int i = 0; i < 12; i++)
		add_interval(log, 0, running, 5, kv);
	return cause_of(bench, figures_of(bench, NAN));
}

static void a_cache_that_is_full_while_requests_wait_is_the_cause(void **state)
{
	struct bench bench;

	(void)state;
	assert_string_equal(cause_of_kv(&bench, 0.90, 10, 256), "kv-capacity");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_MEMORY);
	release(&bench);
	/* One more request of a tenth of the cache does not fit. */
	assert_string_equal(cause_of_kv(&bench, 0.88, 7, 256), "kv-capacity");
	release(&bench);
	assert_string_not_equal(cause_of_kv(&bench, 0.80, 10, 256), "kv-capacity");
	release(&bench);
}

static void servers_that_reserve_cache_are_full_earlier(void **state)
{
	static const struct {
		double kv;
		const char *cause;
	} sides[] = {{0.80, "kv-capacity"}, {0.79, "queue-saturated"}};

	(void)state;
	for (size_t s = 0; s < 2; s++) {
		struct bench bench;
		struct weir_server_log *log;

		setup(&bench);
		log = add_log(&bench, WEIR_PRODUCT_SGLANG);
		log->settings.max_running = 256;
		for (int i = 0; i < 12; i++)
			add_interval(log, 0, 40, 20, sides[s].kv);
		assert_string_equal(cause_of(&bench, figures_of(&bench, NAN)), sides[s].cause);
		release(&bench);
	}
}

static void rates_that_do_not_fall_surely_are_no_interference(void **state)
{
	struct bench bench;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_step_tokens = 8192;
	for (int i = 0; i < 18; i++) {
		struct weir_server_row *row = add_interval(log, 0, 10, 0, 0.3);

		row->prompt_rate = 5000 + 5000 * (i % 6);
		row->decode_rate = 300 + 37 * (i * 7 % 18);
	}
	assert_true(isnan(figures_of(&bench, NAN)->prefill_interference));
	release(&bench);
}

static void taken_slots_are_the_cause_if_the_cache_has_room(void **state)
{
	struct bench bench;

	(void)state;
	assert_string_equal(cause_of_kv(&bench, 0.40, 8, 8), "slots");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_BATCHING);
	release(&bench);
	assert_string_equal(cause_of_kv(&bench, 0.40, 61, 64), "slots");
	release(&bench);
	assert_string_not_equal(cause_of_kv(&bench, 0.40, 60, 64), "slots");
	release(&bench);
	assert_string_equal(cause_of_kv(&bench, 0.95, 8, 8), "kv-capacity");
	release(&bench);
	/* Without the setting, the flat maximum is the limit. */
	assert_string_equal(cause_of_kv(&bench, 0.40, 8, -1), "slots");
	release(&bench);
}

static void a_maximum_that_is_reached_once_is_no_limit(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 12; i++)
		add_interval(log, 0, 40 + i, 5, 0.3);
	figures = figures_of(&bench, NAN);
	assert_true(isnan(figures->slot_limit));
	assert_string_equal(cause_of(&bench, figures), "queue-saturated");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_HARDWARE);
	release(&bench);
}

static void a_queue_below_a_plateau_of_throughput_has_no_cause(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 24; i++) {
		struct weir_server_row *row = add_interval(log, 0, 40 + i, i < 12 ? 20 : 0, 0.3);

		row->decode_rate = i < 12 ? 100 : 3000;
	}
	figures = figures_of(&bench, NAN);
	assert_true(figures->throughput_plateau < 0.8);
	assert_true(figures->waiting_growth < 0);
	assert_string_equal(cause_of(&bench, figures), "");
	release(&bench);
}

static void a_healthy_server_gets_no_alarm(void **state)
{
	struct bench bench;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = 64;
	for (int i = 0; i < 18; i++)
		add_interval(log, 0, 30 + i % 5, i % 6 == 0, 0.5);
	assert_string_equal(cause_of(&bench, figures_of(&bench, NAN)), "");
	release(&bench);
}

static void a_short_queue_is_no_cause_however_often_it_is_seen(void **state)
{
	struct bench bench;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 18; i++)
		add_interval(log, 0, 100, 4, 0.95);
	assert_string_equal(cause_of(&bench, figures_of(&bench, NAN)), "");
	release(&bench);
}

/* ---- preemption ---- */

static const char *cause_of_preemptions(struct bench *bench, int32_t each, double requests,
                                        int32_t waiting)
{
	struct weir_server_log *log;

	setup(bench);
	log = add_log(bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_interval(log, 0, 10, waiting, 0.97)->preempted = each;
	return cause_of(bench, figures_of(bench, requests));
}

static void preempted_requests_from_one_in_ten_on_are_the_cause(void **state)
{
	struct bench bench;

	(void)state;
	assert_string_equal(cause_of_preemptions(&bench, 10, 1000, 0), "preemption");
	assert_near(bench.values[WEIR_F_PREEMPTIONS_PER_THOUSAND], 100, 0);
	release(&bench);
	assert_string_equal(cause_of_preemptions(&bench, 9, 1000, 0), "");
	release(&bench);
	/* A third of the time is waiting: more than a tenth of the requests. */
	assert_string_equal(cause_of_preemptions(&bench, 10, 1000, 5), "kv-capacity");
	release(&bench);
	assert_string_equal(cause_of_preemptions(&bench, 40, 1000, 5), "preemption");
	release(&bench);
}

static void recomputation_is_estimated_from_the_mean_context(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.kv_tokens = 10000;
	for (int i = 0; i < 10; i++)
		add_interval(log, 0, 10, 0, 1)->preempted = 2;
	figures = figures_of(&bench, NAN);
	/* 20 requests of 1,000 tokens beside 100,000 prompt tokens. */
	assert_near(figures->recomputed_share, 20000.0 / 120000, 1e-9);
	assert_true(isnan(figures->preemptions_per_thousand));
	assert_string_equal(cause_of(&bench, figures), "preemption");
	release(&bench);
}

/* ---- steps ---- */

/* Steps of decodes of 10 + decodes / 10 ms, and one of prompts in `every` steps. */
static void add_steps(struct weir_server_log *log, int every, double mixed_ms)
{
	for (int i = 0; i < 400; i++) {
		int decodes = 10 + i % 20;

		if (i % every == 0)
			add_step(log, 2000, decodes, mixed_ms + 10 + decodes / 10.0);
		else
			add_step(log, 0, decodes, 10 + decodes / 10.0);
	}
}

static void prompts_add_what_exceeds_a_step_of_the_same_decodes(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_steps(add_log(&bench, WEIR_PRODUCT_VLLM), 4, 60);
	figures = figures_of(&bench, NAN);
	assert_int_equal(figures->phases[WEIR_STEP_DECODE].count, 300);
	assert_int_equal(figures->phases[WEIR_STEP_MIXED].count, 100);
	assert_int_equal(figures->phases[WEIR_STEP_PREFILL].count, 0);
	assert_near(figures->prefill_interference, 15 / (15 + 11.95), 1e-2);
	assert_near(figures->stall_ratio, 72.8 / 12, 0.05);
	assert_false(figures->interference_estimated);
	assert_string_equal(cause_of(&bench, figures), "prefill-interference");
	release(&bench);
}

static void prompts_in_small_steps_are_no_interference(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_steps(add_log(&bench, WEIR_PRODUCT_VLLM), 2, 20);
	figures = figures_of(&bench, NAN);
	assert_true(figures->prefill_interference > 0.2);
	assert_string_equal(cause_of(&bench, figures), "");
	release(&bench);
	setup(&bench);
	add_steps(add_log(&bench, WEIR_PRODUCT_VLLM), 40, 100);
	figures = figures_of(&bench, NAN);
	assert_true(figures->prefill_interference < 0.2 && figures->stall_ratio > 4);
	assert_string_equal(cause_of(&bench, figures), "");
	release(&bench);
}

static void steps_of_prompts_alone_delay_running_decodes(void **state)
{
	struct bench bench;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_TRTLLM);
	for (int i = 0; i < 100; i++)
		if (i % 5 == 0)
			add_step(log, 4000, 0, 80)->running = 11;
		else
			add_step(log, 0, 10, 10);
	assert_near(figures_of(&bench, NAN)->prefill_interference, 0.8 * 80 / (80 + 40) / 0.8,
	            1e-6);
	release(&bench);
}

static void growth_is_that_of_twice_the_batch(void **state)
{
	struct bench bench;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++)
		add_step(log, 0, 1 + i % 64, 1 + i % 64);
	assert_near(figures_of(&bench, NAN)->step_growth, 2, 0.03);
	release(&bench);
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++)
		add_step(log, 0, 1 + i % 64, 20);
	assert_near(figures_of(&bench, NAN)->step_growth, 1, 1e-6);
	release(&bench);
}

/* Intervals in which each decode loses the time that prompts take: 1 / 50,000 s a token. */
static void add_rates(struct weir_server_log *log, double most)
{
	for (int i = 0; i < 18; i++) {
		struct weir_server_row *row = add_interval(log, 0, 10, 0, 0.3);

		row->prompt_rate = most * (i % 6 + 1) / 6;
		row->decode_rate = 10 * 50 * (1 - row->prompt_rate / 50000);
	}
}

static void rates_of_intervals_stand_for_steps(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	log->settings.max_step_tokens = 8192;
	add_rates(log, 30000);
	figures = figures_of(&bench, NAN);
	assert_true(figures->interference_estimated);
	assert_near(figures->prefill_interference, 0.35, 1e-6);
	/* 8,192 tokens take 164 ms, a step of decodes 20 ms. */
	assert_near(figures->stall_ratio, 1 + 8192 / 50000.0 / 0.02, 1e-6);
	assert_string_equal(cause_of(&bench, figures), "prefill-interference");
	release(&bench);
}

/* ---- speculation ---- */

static double profit_of(double plain_ms, double speculative_ms, int32_t accepted)
{
	struct bench bench;
	struct weir_server_log *log;
	double profit;

	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++) {
		bool plain = i % 2;
		int decodes = 10 + i % 10;
		struct weir_server_row *row = add_step(
			log, 0, decodes, (plain ? plain_ms : speculative_ms) + decodes * 0.01);

		row->drafted = plain ? 0 : 4 * decodes;
		row->accepted = plain ? 0 : accepted * decodes;
		row->accept_length = plain ? (double)NAN : 1 + accepted;
	}
	profit = figures_of(&bench, NAN)->speculation.profit;
	release(&bench);
	return profit;
}

static void speculation_pays_if_it_gains_more_tokens_than_time(void **state)
{
	(void)state;
	assert_near(profit_of(10, 20, 2), 1.5, 0.02);
	assert_near(profit_of(10, 40, 2), 0.75, 0.02);
}

static void without_step_times_a_draft_costs_a_twentieth_of_a_step(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_page(&bench, "# TYPE vllm:num_requests_running gauge\n"
	                 "vllm:num_requests_running{engine=\"0\"} 4\n"
	                 "# TYPE vllm:spec_decode_num_drafts_total counter\n"
	                 "vllm:spec_decode_num_drafts_total{engine=\"0\"} 1000\n"
	                 "# TYPE vllm:spec_decode_num_draft_tokens_total counter\n"
	                 "vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} 4000\n"
	                 "# TYPE vllm:spec_decode_num_accepted_tokens_total counter\n"
	                 "vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} 180\n"
	                 "# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total counter\n"
	                 "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
	                 "position=\"0\"} 150\n"
	                 "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
	                 "position=\"1\"} 30\n");
	figures = figures_of(&bench, NAN);
	assert_near(figures->speculation.accepted_length, 1.18, 1e-9);
	assert_near(figures->speculation.acceptance, 0.045, 1e-9);
	assert_near(figures->speculation.profit, 1.18 / 1.2, 1e-9);
	assert_true(figures->speculation.estimated);
	assert_int_equal(figures->speculation.positions, 2);
	assert_near(figures->speculation.at[0].accepted, 0.15, 1e-9);
	assert_string_equal(cause_of(&bench, figures), "speculation-unprofitable");
	release(&bench);
}

/* ---- engines ---- */

static const char *cause_of_engines(struct bench *bench, int32_t busy, int32_t busy_waiting,
                                    int32_t other_waiting)
{
	struct weir_server_log *log;

	setup(bench);
	log = add_log(bench, WEIR_PRODUCT_VLLM);
	log->settings.max_running = 64;
	weir_server_log_engine(log, "001", 3);
	weir_server_log_engine(log, "002", 3);
	for (int i = 0; i < 12; i++)
		for (uint32_t e = 0; e < 3; e++) {
			struct weir_server_row *row =
				add_interval(log, e, e ? 10 : busy,
			                     e ? other_waiting : busy_waiting, e ? 0.2 : 0.95);

			row->at_ns = START + i * TEN_S + e;
		}
	return cause_of(bench, figures_of(bench, NAN));
}

static void a_queue_at_one_engine_while_others_have_room_is_imbalance(void **state)
{
	struct bench bench;

	(void)state;
	assert_string_equal(cause_of_engines(&bench, 30, 20, 0), "engine-imbalance");
	assert_near(bench.values[WEIR_F_ENGINE_IMBALANCE], 5, 1e-9);
	assert_near(bench.values[WEIR_F_UNBALANCED_WAIT], 1, 1e-9);
	release(&bench);
	assert_string_not_equal(cause_of_engines(&bench, 30, 20, 5), "engine-imbalance");
	release(&bench);
	assert_string_equal(cause_of_engines(&bench, 12, 0, 0), "");
	release(&bench);
}

static void engines_are_summed_after_they_are_kept_apart(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	cause_of_engines(&bench, 30, 20, 5);
	figures = figures_of(&bench, NAN);
	assert_int_equal(figures->engine_count, 3);
	assert_near(figures->running.max, 50, 0);
	assert_near(figures->waiting.mean, 30, 1e-9);
	assert_string_equal(figures->engines[0].name, "000");
	assert_near(figures->engines[0].kv_peak, 0.95, 0);
	release(&bench);
}

/* ---- pages ---- */

static void add_made_page(struct bench *bench, int64_t at_s, double requests, double preemptions,
                          int waiting, double kv)
{
	char text[2048];
	long long ms = (long long)(START / SECOND + at_s) * 1000;

	snprintf(text, sizeof text,
	         "# TYPE vllm:num_requests_running gauge\n"
	         "vllm:num_requests_running{engine=\"0\"} 20 %lld\n"
	         "# TYPE vllm:num_requests_waiting gauge\n"
	         "vllm:num_requests_waiting{engine=\"0\"} %d %lld\n"
	         "# TYPE vllm:kv_cache_usage_perc gauge\n"
	         "vllm:kv_cache_usage_perc{engine=\"0\"} %g %lld\n"
	         "# TYPE vllm:request_success_total counter\n"
	         "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\"} %g %lld\n"
	         "# TYPE vllm:num_preemptions_total counter\n"
	         "vllm:num_preemptions_total{engine=\"0\"} %g %lld\n"
	         "# TYPE vllm:cache_config_info gauge\n"
	         "vllm:cache_config_info{engine=\"0\",block_size=\"16\",num_gpu_blocks=\"1000\","
	         "gpu_memory_utilization=\"0.9\"} 1 %lld\n",
	         ms, waiting, ms, kv, ms, requests, ms, preemptions, ms, ms);
	add_page(bench, text);
}

static void counters_are_summed_over_restarts(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_made_page(&bench, 0, 100, 10, 0, 0.5);
	add_made_page(&bench, 15, 180, 30, 0, 0.5);
	add_made_page(&bench, 30, 20, 5, 0, 0.5); /* restarted */
	add_made_page(&bench, 45, 60, 6, 0, 0.5);
	figures = figures_of(&bench, NAN);
	assert_near(figures->requests, 80 + 20 + 40, 0);
	assert_near(figures->preemptions, 20 + 5 + 1, 0);
	assert_int_equal(figures->restarts, 1);
	assert_near(figures->kv_tokens, 16000, 0);
	assert_near(figures->memory_share, 0.9, 0);
	release(&bench);
}

static void a_single_page_counts_from_the_start(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_made_page(&bench, 0, 600, 12, 30, 0.93);
	figures = figures_of(&bench, NAN);
	assert_true(figures->single);
	assert_near(figures->preemptions_per_thousand, 20, 1e-9);
	assert_string_equal(cause_of(&bench, figures), "kv-capacity");
	assert_int_equal(bench.verdict.confidence, WEIR_CONFIDENCE_LOW);
	release(&bench);
}

static void pages_a_day_apart_are_moments_and_no_span(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	add_made_page(&bench, 0, 600, 12, 30, 0.93);
	add_made_page(&bench, 86400, 90000, 13, 0, 0.2);
	figures = figures_of(&bench, NAN);
	assert_true(figures->far_apart);
	assert_int_equal(figures->gaps, 1);
	assert_int_equal(figures->longest_gap_ns, 86400 * SECOND);
	assert_true(isnan(figures->waiting_share) && isnan(figures->kv.p95));
	assert_near(figures->kv.max, 0.93, 0);
	assert_true(isnan(figures->throughput_plateau));
	assert_string_equal(cause_of(&bench, figures), "");
	release(&bench);
}

static void a_gap_of_twenty_intervals_has_no_weight(void **state)
{
	struct bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	for (int i = 0; i < 8; i++)
		add_made_page(&bench, i * 15 + (i >= 4 ? 1000 : 0), 100 + i, 0, i >= 4 ? 10 : 0,
		              0.5);
	figures = figures_of(&bench, NAN);
	assert_int_equal(figures->gaps, 1);
	assert_false(figures->far_apart);
	assert_near(figures->waiting_share, 0.5, 1e-9);
	release(&bench);
}

static void the_order_of_pages_and_logs_does_not_matter(void **state)
{
	static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
	struct weir_server_figures first = {.product = ""};

	(void)state;
	for (size_t o = 0; o < 3; o++) {
		struct bench bench;
		const struct weir_server_figures *figures;

		setup(&bench);
		for (size_t i = 0; i < 4; i++) {
			int p = orders[o][i];
			struct weir_server_log *log = add_log(&bench, WEIR_PRODUCT_VLLM);

			add_made_page(&bench, p * 15, 100 + 50 * p, 4 * p, p, 0.2 * p + 0.1);
			for (int r = 0; r < 10; r++)
				add_interval(log, 0, 5 + p, (r + p) % 3, 0.1 * p)->at_ns +=
					p * 5 * SECOND;
		}
		figures = figures_of(&bench, NAN);
		if (o == 0)
			first = *figures;
		assert_near(figures->waiting_share, first.waiting_share, 0);
		assert_near(figures->running.p95, first.running.p95, 0);
		assert_near(figures->kv.mean, first.kv.mean, 0);
		assert_near(figures->preemptions, first.preemptions, 0);
		assert_near(figures->requests, first.requests, 0);
		assert_near(figures->imbalance, first.imbalance, 0);
		release(&bench);
	}
}

static void a_rotated_log_is_one_engine(void **state)
{
	struct bench bench;

	(void)state;
	setup(&bench);
	for (int file = 1; file >= 0; file--) {
		struct weir_server_log *log = add_log(&bench, WEIR_PRODUCT_VLLM);

		for (int i = 0; i < 10; i++)
			add_interval(log, 0, file ? 20 : 4, 0, 0.3)->at_ns += file * 10 * TEN_S;
	}
	assert_int_equal(figures_of(&bench, NAN)->engine_count, 1);
	release(&bench);
}

static void pages_complete_a_log(void **state)
{
	struct bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_interval(log, 0, 8, 4, 0.5);
	add_made_page(&bench, 0, 0, 0, 0, 0.97);
	add_made_page(&bench, 60, 100, 30, 0, 0.4);
	figures = figures_of(&bench, NAN);
	assert_true(figures->from_log && figures->from_pages);
	assert_near(figures->waiting_share, 1, 0);
	assert_near(figures->kv.max, 0.97, 0);
	assert_near(figures->preemptions, 30, 0);
	assert_near(figures->preemptions_per_thousand, 300, 1e-9);
	release(&bench);
}

/* Twenty intervals, the first half with a full cache; clock: that of the log. */
static struct weir_joined_figures join_of(enum weir_server_clock clock, int64_t ahead_ns,
                                          int64_t start_s, int64_t end_s)
{
	const struct weir_joined_span span = {START + start_s * SECOND, START + end_s * SECOND};
	struct weir_joined_figures joined;
	struct weir_server_figures figures;
	struct weir_server_log *log;
	struct bench bench;

	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_VLLM);
	log->clock = clock;
	for (int i = 0; i < 20; i++)
		add_interval(log, 0, 8, 4, i < 10 ? 0.95 : 0.3)->at_ns += ahead_ns;
	figures = *figures_of(&bench, NAN);
	weir_server_join(bench.profile, &span, 1, &figures);
	joined = figures.joined;
	release(&bench);
	return joined;
}

static void requests_are_placed_on_the_time_axis_of_the_server(void **state)
{
	struct weir_joined_figures joined = join_of(WEIR_SERVER_CLOCK_UNIX, 0, 70, 110);

	(void)state;
	assert_near(joined.covered, 1, 1e-6);
	assert_near(joined.in_kv_wait, 0.5, 1e-6);
	assert_near(joined.in_preemption, 0, 0);
	assert_true(isnan(joined.in_mixed));
}

static void local_time_is_shifted_to_the_requests(void **state)
{
	/* 14 November 2023 is day 317 of its year, and day 318 of 1972. */
	int64_t year = (START / SECOND / 86400 - 318 - 730) * 86400 * SECOND;
	struct weir_joined_figures joined =
		join_of(WEIR_SERVER_CLOCK_LOCAL, 7200 * SECOND, 10, 180);

	(void)state;
	assert_near(joined.in_kv_wait, 80.0 / 170, 1e-3);
	joined = join_of(WEIR_SERVER_CLOCK_YEARLESS, -year + 7200 * SECOND, 10, 180);
	assert_near(joined.covered, 1, 1e-6);
	assert_near(joined.in_kv_wait, 80.0 / 170, 1e-3);
}

static void requests_of_another_time_are_not_joined(void **state)
{
	(void)state;
	assert_true(isnan(join_of(WEIR_SERVER_CLOCK_UNIX, 0, 5000, 5100).in_kv_wait));
	assert_true(isnan(join_of(WEIR_SERVER_CLOCK_UNIX, 0, 150, 300).in_kv_wait));
	assert_true(isnan(join_of(WEIR_SERVER_CLOCK_NONE, 0, 10, 100).in_kv_wait));
}

static void hostile_rows_stay_within_bounds(void **state)
{
	struct bench bench;
	const struct weir_joined_span span = {START, START + SECOND};
	struct weir_server_figures figures;
	struct weir_server_log *log;

	(void)state;
	setup(&bench);
	log = add_log(&bench, WEIR_PRODUCT_SGLANG);
	for (int i = 0; i < 20; i++) {
		struct weir_server_row *row = add_interval(log, 0, INT32_MAX, INT32_MAX, 1e300);

		row->at_ns = i % 2 ? INT64_MAX - i : INT64_MIN + 1 + i;
		row->engine = i == 7 ? 12345 : 0;
		row->preempted = row->drafted = row->accepted = INT32_MAX;
		row->prompt_rate = row->decode_rate = 1e308;
		row->duration_ns = INT64_MAX;
		row->kind = i % 3 == 0 ? WEIR_SERVER_STEP : WEIR_SERVER_INTERVAL;
	}
	figures = *figures_of(&bench, 0);
	assert_true(figures.waiting_share <= 1);
	weir_server_join(bench.profile, &span, 1, &figures);
	release(&bench);
}

static void nothing_is_known_of_other_pages(void **state)
{
	struct bench bench;

	(void)state;
	setup(&bench);
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	add_page(&bench, "# TYPE up gauge\nup 1\n");
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	add_log(&bench, WEIR_PRODUCT_VLLM);
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(waiting_is_a_share_of_the_time),
		cmocka_unit_test(a_cache_that_is_full_while_requests_wait_is_the_cause),
		cmocka_unit_test(servers_that_reserve_cache_are_full_earlier),
		cmocka_unit_test(rates_that_do_not_fall_surely_are_no_interference),
		cmocka_unit_test(taken_slots_are_the_cause_if_the_cache_has_room),
		cmocka_unit_test(a_maximum_that_is_reached_once_is_no_limit),
		cmocka_unit_test(a_queue_below_a_plateau_of_throughput_has_no_cause),
		cmocka_unit_test(a_healthy_server_gets_no_alarm),
		cmocka_unit_test(a_short_queue_is_no_cause_however_often_it_is_seen),
		cmocka_unit_test(preempted_requests_from_one_in_ten_on_are_the_cause),
		cmocka_unit_test(recomputation_is_estimated_from_the_mean_context),
		cmocka_unit_test(prompts_add_what_exceeds_a_step_of_the_same_decodes),
		cmocka_unit_test(prompts_in_small_steps_are_no_interference),
		cmocka_unit_test(steps_of_prompts_alone_delay_running_decodes),
		cmocka_unit_test(growth_is_that_of_twice_the_batch),
		cmocka_unit_test(rates_of_intervals_stand_for_steps),
		cmocka_unit_test(speculation_pays_if_it_gains_more_tokens_than_time),
		cmocka_unit_test(without_step_times_a_draft_costs_a_twentieth_of_a_step),
		cmocka_unit_test(a_queue_at_one_engine_while_others_have_room_is_imbalance),
		cmocka_unit_test(engines_are_summed_after_they_are_kept_apart),
		cmocka_unit_test(counters_are_summed_over_restarts),
		cmocka_unit_test(a_single_page_counts_from_the_start),
		cmocka_unit_test(pages_a_day_apart_are_moments_and_no_span),
		cmocka_unit_test(a_gap_of_twenty_intervals_has_no_weight),
		cmocka_unit_test(the_order_of_pages_and_logs_does_not_matter),
		cmocka_unit_test(a_rotated_log_is_one_engine),
		cmocka_unit_test(pages_complete_a_log),
		cmocka_unit_test(requests_are_placed_on_the_time_axis_of_the_server),
		cmocka_unit_test(local_time_is_shifted_to_the_requests),
		cmocka_unit_test(requests_of_another_time_are_not_joined),
		cmocka_unit_test(hostile_rows_stay_within_bounds),
		cmocka_unit_test(nothing_is_known_of_other_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
