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

#include "engine/analysis/server/joined.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/near.h"

/* ---- pages ---- */

static void add_made_page(struct server_bench *bench, int64_t at_s, double requests,
                          double preemptions, int waiting, double kv)
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
	add_server_page(bench, text);
}

static void counters_are_summed_over_restarts(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_made_page(&bench, 0, 100, 10, 0, 0.5);
	add_made_page(&bench, 15, 180, 30, 0, 0.5);
	add_made_page(&bench, 30, 20, 5, 0, 0.5); /* restarted */
	add_made_page(&bench, 45, 60, 6, 0, 0.5);
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->requests, 80 + 20 + 40, 0);
	assert_near(figures->preemptions, 20 + 5 + 1, 0);
	assert_int_equal(figures->restarts, 1);
	assert_near(figures->kv_tokens, 16000, 0);
	assert_near(figures->memory_share, 0.9, 0);
	server_bench_release(&bench);
}

static void a_single_page_counts_from_the_start(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_made_page(&bench, 0, 600, 12, 30, 0.93);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->single);
	assert_near(figures->preemptions_per_thousand, 20, 1e-9);
	assert_string_equal(server_cause_of(&bench, figures), "kv-capacity");
	assert_int_equal(bench.verdict.confidence, WEIR_CONFIDENCE_LOW);
	server_bench_release(&bench);
}

static void pages_a_day_apart_are_moments_and_no_span(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_made_page(&bench, 0, 600, 12, 30, 0.93);
	add_made_page(&bench, 86400, 90000, 13, 0, 0.2);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->far_apart);
	assert_int_equal(figures->gaps, 1);
	assert_int_equal(figures->longest_gap_ns, 86400 * SECOND);
	assert_true(isnan(figures->waiting_share) && isnan(figures->kv.p95));
	assert_near(figures->kv.max, 0.93, 0);
	assert_true(isnan(figures->throughput_plateau));
	assert_string_equal(server_cause_of(&bench, figures), "");
	server_bench_release(&bench);
}

static void a_gap_of_twenty_intervals_has_no_weight(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	for (int i = 0; i < 8; i++)
		add_made_page(&bench, (int64_t)i * 15 + (i >= 4 ? 1000 : 0), 100 + i, 0,
		              i >= 4 ? 10 : 0, 0.5);
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->gaps, 1);
	assert_false(figures->far_apart);
	assert_near(figures->waiting_share, 0.5, 1e-9);
	server_bench_release(&bench);
}

static void the_order_of_pages_and_logs_does_not_matter(void **state)
{
	static const int orders[][4] = {{0, 1, 2, 3}, {3, 2, 1, 0}, {2, 0, 3, 1}};
	struct weir_server_figures first = {.product = ""};

	(void)state;
	for (size_t o = 0; o < 3; o++) {
		struct server_bench bench;
		const struct weir_server_figures *figures;

		server_bench_init(&bench);
		for (size_t i = 0; i < 4; i++) {
			int p = orders[o][i];
			struct weir_server_log *log = add_server_log(&bench, WEIR_PRODUCT_VLLM);

			add_made_page(&bench, (int64_t)p * 15, 100 + 50 * p, 4 * p, p,
			              0.2 * p + 0.1);
			for (int r = 0; r < 10; r++)
				add_server_interval(log, 0, 5 + p, (r + p) % 3, 0.1 * p)->at_ns +=
					(int64_t)p * 5 * SECOND;
		}
		figures = server_figures_of(&bench, NAN);
		if (o == 0)
			first = *figures;
		assert_near(figures->waiting_share, first.waiting_share, 0);
		assert_near(figures->running.p95, first.running.p95, 0);
		assert_near(figures->kv.mean, first.kv.mean, 0);
		assert_near(figures->preemptions, first.preemptions, 0);
		assert_near(figures->requests, first.requests, 0);
		assert_near(figures->imbalance, first.imbalance, 0);
		server_bench_release(&bench);
	}
}

static void a_rotated_log_is_one_engine(void **state)
{
	struct server_bench bench;

	(void)state;
	server_bench_init(&bench);
	for (int file = 1; file >= 0; file--) {
		struct weir_server_log *log = add_server_log(&bench, WEIR_PRODUCT_VLLM);

		for (int i = 0; i < 10; i++)
			add_server_interval(log, 0, file ? 20 : 4, 0, 0.3)->at_ns +=
				(int64_t)file * 10 * TEN_S;
	}
	assert_int_equal(server_figures_of(&bench, NAN)->engine_count, 1);
	server_bench_release(&bench);
}

static void pages_complete_a_log(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 10; i++)
		add_server_interval(log, 0, 8, 4, 0.5);
	add_made_page(&bench, 0, 0, 0, 0, 0.97);
	add_made_page(&bench, 60, 100, 30, 0, 0.4);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->from_log && figures->from_pages);
	assert_near(figures->waiting_share, 1, 0);
	assert_near(figures->kv.max, 0.97, 0);
	assert_near(figures->preemptions, 30, 0);
	assert_near(figures->preemptions_per_thousand, 300, 1e-9);
	server_bench_release(&bench);
}

/* Twenty intervals, the first half with a full cache; clock: that of the log. */
static struct weir_joined_figures join_of(enum weir_server_clock clock, int64_t ahead_ns,
                                          int64_t start_s, int64_t end_s)
{
	const struct weir_joined_span span = {START + start_s * SECOND, START + end_s * SECOND};
	struct weir_joined_figures joined;
	struct weir_server_figures figures;
	struct weir_server_log *log;
	struct server_bench bench;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	log->clock = clock;
	for (int i = 0; i < 20; i++)
		add_server_interval(log, 0, 8, 4, i < 10 ? 0.95 : 0.3)->at_ns += ahead_ns;
	figures = *server_figures_of(&bench, NAN);
	weir_server_join(bench.profile, &span, 1, &figures);
	joined = figures.joined;
	server_bench_release(&bench);
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

/* A clock may begin with the log; a time before it is no time. */
static void rows_from_the_beginning_of_time_are_joined(void **state)
{
	int64_t first_s = -START / SECOND;
	struct weir_joined_figures joined =
		join_of(WEIR_SERVER_CLOCK_UNIX, -START, first_s + 70, first_s + 110);

	(void)state;
	assert_near(joined.covered, 1, 1e-6);
	joined = join_of(WEIR_SERVER_CLOCK_UNIX, -START - 1, first_s + 70, first_s + 110);
	assert_true(isnan(joined.covered));
}

/* A server whose clock has whole seconds: each second holds ten steps of 100 ms, half of them with
 * prompts; a line at its end states that requests wait for a full cache until 10 s. */
static struct weir_joined_figures join_of_steps(int64_t start_s, int64_t end_s)
{
	const struct weir_joined_span span = {START + start_s * SECOND, START + end_s * SECOND};
	struct weir_joined_figures joined;
	struct weir_server_figures figures;
	struct weir_server_log *log;
	struct server_bench bench;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int second = 1; second <= 20; second++) {
		for (int i = 0; i < 10; i++) {
			struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

			row.at_ns = START + second * SECOND;
			row.duration_ns = SECOND / 10;
			row.prefill_tokens = i % 2 ? 100 : 0;
			row.decode_tokens = row.decode_requests = 8;
			weir_server_log_add(log, &row);
		}
		add_server_interval(log, 0, 8, 4, second <= 10 ? 0.95 : 0.3)->at_ns =
			START + second * SECOND;
	}
	figures = *server_figures_of(&bench, NAN);
	weir_server_join(bench.profile, &span, 1, &figures);
	joined = figures.joined;
	server_bench_release(&bench);
	return joined;
}

static void steps_of_a_coarse_clock_share_its_second(void **state)
{
	struct weir_joined_figures joined = join_of_steps(5, 15);

	(void)state;
	assert_near(joined.covered, 1, 1e-6);
	assert_near(joined.in_mixed, 0.5, 1e-6);
	assert_near(joined.in_kv_wait, 0.5, 1e-6);
}

/* An engine with a queue logs ten rows each second; one with room logs one row in 10 s. */
static void engines_weigh_by_the_time_between_their_rows(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_SGLANG);
	log->settings.max_running = 64;
	weir_server_log_engine(log, "1", 1);
	for (int second = 0; second < 100; second++) {
		for (int i = 0; i < 10; i++)
			add_server_interval(log, 0, 64, second < 50 ? 100 : 0, 0.2)->at_ns =
				START + second * SECOND;
		if (second % 10 == 0)
			add_server_interval(log, 1, 3, 0, 0.01)->at_ns = START + second * SECOND;
	}
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->running.mean, 67, 1e-6);
	assert_near(figures->unbalanced_wait, 0.5, 0.01);
	assert_near(figures->waiting.mean, 50, 2);
	server_bench_release(&bench);
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
	struct server_bench bench;
	const struct weir_joined_span span = {START, START + SECOND};
	struct weir_server_figures figures;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_SGLANG);
	for (int i = 0; i < 20; i++) {
		struct weir_server_row *row =
			add_server_interval(log, 0, INT32_MAX, INT32_MAX, 1e300);

		row->at_ns = i % 2 ? INT64_MAX - i : INT64_MIN + 1 + i;
		row->engine = i == 7 ? 12345 : 0;
		row->preempted = row->drafted = row->accepted = INT32_MAX;
		row->prompt_rate = row->decode_rate = 1e308;
		row->duration_ns = INT64_MAX;
		row->kind = i % 3 == 0 ? WEIR_SERVER_STEP : WEIR_SERVER_INTERVAL;
	}
	figures = *server_figures_of(&bench, 0);
	assert_true(figures.waiting_share <= 1);
	weir_server_join(bench.profile, &span, 1, &figures);
	server_bench_release(&bench);
}

/* Adds a page of two engines with the requests that wait for two reasons. */
static void add_reasons(struct server_bench *bench, int64_t at_s, int capacity, int deferred)
{
	char text[1024];
	long long ms = (long long)(START / SECOND + at_s) * 1000;

	snprintf(text, sizeof text,
	         "# TYPE vllm:num_requests_running gauge\n"
	         "vllm:num_requests_running{engine=\"0\"} 8 %lld\n"
	         "vllm:num_requests_running{engine=\"1\"} 8 %lld\n"
	         "# TYPE vllm:num_requests_waiting_by_reason gauge\n"
	         "vllm:num_requests_waiting_by_reason{engine=\"0\",reason=\"capacity\"} %d %lld\n"
	         "vllm:num_requests_waiting_by_reason{engine=\"0\",reason=\"deferred\"} %d %lld\n"
	         "vllm:num_requests_waiting_by_reason{engine=\"1\",reason=\"capacity\"} 1 %lld\n",
	         ms, ms, capacity, ms, deferred, ms, ms);
	add_server_page(bench, text);
}

static void waiting_requests_are_counted_by_reason(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_reasons(&bench, 0, 4, 2);
	add_reasons(&bench, 15, 6, 0);
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->reason_count, 2);
	assert_string_equal(figures->reasons[0].name, "capacity");
	assert_near(figures->reasons[0].mean, 5 + 1, 0); /* added over the engines */
	assert_string_equal(figures->reasons[1].name, "deferred");
	assert_near(figures->reasons[1].mean, 1, 0);
	server_bench_release(&bench);
}

static void only_the_first_rank_of_an_engine_counts(void **state)
{
	struct server_bench bench;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench, "# TYPE sglang:num_running_reqs gauge\n"
	                        "sglang:num_running_reqs{tp_rank=\"0\",dp_rank=\"0\"} 5\n"
	                        "sglang:num_running_reqs{tp_rank=\"1\",dp_rank=\"0\"} 5\n"
	                        "sglang:num_running_reqs{tp_rank=\"0\",dp_rank=\"1\"} 7\n");
	assert_near(server_figures_of(&bench, NAN)->running.mean, 12, 0);
	assert_int_equal(server_figures_of(&bench, NAN)->engine_count, 2);
	server_bench_release(&bench);
}

/* Adds a page of SGLang, whose scheduler states ranks and whose front end does not. */
static void add_sglang_page(struct server_bench *bench, int at_s, const char *ranks, int requests)
{
	struct weir_text text = {0};
	long long ms = (START / SECOND + at_s) * 1000;

	weir_text_puts(&text, "# TYPE sglang:num_running_reqs gauge\n");
	for (const char *rank = ranks; *rank; rank++)
		weir_text_printf(&text,
		                 "sglang:num_running_reqs{model_name=\"m\",tp_rank=\"0\",dp_rank="
		                 "\"%c\"} 4 %lld\n",
		                 *rank, ms);
	weir_text_puts(&text, "# TYPE sglang:num_retracted_requests_total counter\n");
	for (const char *rank = ranks; *rank; rank++)
		weir_text_printf(&text,
		                 "sglang:num_retracted_requests_total{model_name=\"m\",tp_rank="
		                 "\"0\",dp_rank=\"%c\"} %d %lld\n",
		                 *rank, requests / 5, ms);
	weir_text_printf(&text,
	                 "# TYPE sglang:num_requests_total counter\n"
	                 "sglang:num_requests_total{model_name=\"m\"} %d %lld\n"
	                 "sglang:num_requests_total{model_name=\"another\"} 7000 %lld\n"
	                 "# TYPE sglang:prompt_tokens_total counter\n"
	                 "sglang:prompt_tokens_total{model_name=\"m\"} %d %lld\n",
	                 requests, ms, ms, 100 * requests, ms);
	add_server_page(bench, text.data);
	weir_text_release(&text);
}

static void totals_of_a_server_count_for_its_engines(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	for (size_t engines = 1; engines <= 2; engines++) {
		server_bench_init(&bench);
		for (int i = 0; i < 8; i++)
			add_sglang_page(&bench, 15 * i, engines == 1 ? "0" : "01", 50 * i);
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(figures->engine_count, engines);
		assert_near(figures->requests, 350, 0);
		assert_near(figures->prompt_tokens_per_s, 100 * 350 / 105.0, 1e-9);
		assert_near(figures->preemptions_per_thousand, 200 * (double)engines, 1e-9);
		assert_string_equal(server_cause_of(&bench, figures), "preemption");
		server_bench_release(&bench);
	}
}

static void pages_are_ordered_by_counters_if_one_has_no_time(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench,
	                "# TYPE vllm:num_requests_running gauge\n"
	                "vllm:num_requests_running{engine=\"0\"} 20\n"
	                "# TYPE vllm:request_success_total counter\n"
	                "vllm:request_success_total{engine=\"0\",finished_reason=\"stop\"} 300\n");
	add_made_page(&bench, 0, 100, 10, 0, 0.5);
	add_made_page(&bench, 15, 180, 30, 0, 0.5);
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->requests, 300 - 100, 0);
	assert_int_equal(figures->restarts, 0);
	server_bench_release(&bench);
}

static void lines_that_a_log_leaves_out_are_counted(void **state)
{
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	add_server_interval(log, 0, 1, 0, 0.5);
	add_server_interval(log, 0, 1, 0, 0.5);
	log->left_out = 5;
	assert_int_equal(server_figures_of(&bench, NAN)->left_out, 5);
	server_bench_release(&bench);
}

static void many_pages_of_a_file_are_thinned(void **state)
{
	struct weir_text text = {0};
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	for (int i = 0; i < 3000; i++)
		weir_text_printf(&text,
		                 "# TYPE vllm:num_requests_running gauge\n"
		                 "vllm:num_requests_running %d %lld000\n"
		                 "# TYPE vllm:request_success_total counter\n"
		                 "vllm:request_success_total %d %lld000\n",
		                 i % 10, (long long)(START / SECOND) + (long long)i * 15, i * 3,
		                 (long long)(START / SECOND) + (long long)i * 15);
	add_server_page(&bench, text.data);
	weir_text_release(&text);
	assert_in_range(bench.profile->inputs[0].scrape->between_count,
	                WEIR_MAX_SCRAPES_BETWEEN / 2, WEIR_MAX_SCRAPES_BETWEEN);
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->requests, 2999 * 3, 0);
	assert_int_equal(figures->span_ns, INT64_C(2999) * 15 * SECOND);
	assert_int_equal(figures->gaps, 0);
	server_bench_release(&bench);
}

static void nothing_is_known_of_other_pages(void **state)
{
	struct server_bench bench;

	(void)state;
	server_bench_init(&bench);
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	add_server_page(&bench, "# TYPE up gauge\nup 1\n");
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	add_server_log(&bench, WEIR_PRODUCT_VLLM);
	assert_null(weir_server_figures_of(bench.profile, NAN, bench.arena));
	server_bench_release(&bench);
}

/* ---- several engines and what they exchange ---- */

#define PART(name, labels, value) "# TYPE " name " gauge\n" name labels " " value "\n"
#define TOTAL_OF(name, value)     "# TYPE " name "_total counter\n" name "_total " value "\n"

static void requests_that_wait_for_a_transfer_are_communication(void **state)
{
	static const struct {
		const char *transfers;
		double share;
		const char *cause;
	} cases[] = {{PART("sglang:num_decode_transfer_queue_reqs", "", "2"), 0.2, "kv-transfer"},
	             {PART("sglang:num_decode_transfer_queue_reqs", "", "1.9"), 1.9 / 9.9, ""},
	             {"", NAN, ""}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct server_bench bench;
		const struct weir_server_figures *figures;
		char text[1024];

		server_bench_init(&bench);
		snprintf(text, sizeof text, "%s%s",
		         PART("sglang:num_running_reqs", "", "8")
		                 PART("sglang:num_queue_reqs", "", "0"),
		         cases[i].transfers);
		add_server_page(&bench, text);
		figures = server_figures_of(&bench, NAN);
		assert_near(figures->transfer_share, cases[i].share, 1e-9);
		assert_string_equal(server_cause_of(&bench, figures), cases[i].cause);
		server_bench_release(&bench);
	}
}

static void transfers_and_other_caches_are_figures(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(
		&bench,
		PART("vllm:num_requests_running", "",
	             "8") "# TYPE vllm:nixl_xfer_time_seconds histogram\n"
			  "vllm:nixl_xfer_time_seconds_bucket{le=\"+Inf\"} 4\n"
			  "vllm:nixl_xfer_time_seconds_sum 0.5\nvllm:nixl_xfer_time_seconds_count "
			  "4\n"
			  "# TYPE vllm:nixl_bytes_transferred histogram\n"
			  "vllm:nixl_bytes_transferred_bucket{le=\"+Inf\"} 4\n"
			  "vllm:nixl_bytes_transferred_sum 4000\n"
			  "vllm:nixl_bytes_transferred_count 4\n" TOTAL_OF(
				  "vllm:nixl_num_failed_transfers",
				  "3") TOTAL_OF("vllm:nixl_num_kv_expired_reqs", "2")
				  TOTAL_OF("vllm:external_prefix_cache_queries", "200")
					  TOTAL_OF("vllm:external_prefix_cache_hits", "50")
						  TOTAL_OF("vllm:mm_cache_queries", "0")
							  TOTAL_OF("vllm:mm_cache_hits", "0"));
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->transfer_ns, 0.125e9, 1);
	assert_near(figures->transfer_bytes, 1000, 0);
	assert_near(figures->transfers_failed, 3, 0);
	assert_near(figures->transfers_expired, 2, 0);
	assert_near(figures->external_hit_rate, 0.25, 0);
	assert_true(isnan(figures->media_hit_rate)); /* nothing was looked up */
	assert_true(isnan(figures->adapters_max));
	server_bench_release(&bench);
}

/* The page keeps each set of adapters that ever was; its value is the time. */
static void the_newest_set_of_adapters_holds(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(
		&bench,
		PART("vllm:num_requests_running", "",
	             "8") "# TYPE vllm:lora_requests_info gauge\n"
			  "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"a,b\","
			  "waiting_lora_adapters=\"c,d,e\"} 1.7e9\n"
			  "vllm:lora_requests_info{max_lora=\"2\",running_lora_adapters=\"\","
			  "waiting_lora_adapters=\"\"} 1.6e9\n");
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->adapters_running, 2, 0);
	assert_near(figures->adapters_waiting, 3, 0);
	assert_near(figures->adapters_max, 2, 0);
	server_bench_release(&bench);
}

static void a_sum_and_its_parts_are_one_engine(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench, "sglang:num_running_reqs{priority=\"\",tp_rank=\"0\"} 14\n"
	                        "sglang:num_running_reqs{priority=\"0\",tp_rank=\"0\"} 14\n"
	                        "sglang:num_running_reqs_total 100\n"
	                        "sglang:num_queue_reqs{priority=\"\",tp_rank=\"0\"} 2\n"
	                        "sglang:num_queue_reqs{priority=\"-1\",tp_rank=\"0\"} 2\n");
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->engine_count, 1);
	assert_near(figures->engines[0].running, 14, 0);
	assert_near(figures->engines[0].waiting, 2, 0);
	server_bench_release(&bench);
}

static void queues_have_names(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench, PART("sglang:num_running_reqs", "", "8")
	                                PART("sglang:num_decode_prealloc_queue_reqs", "", "5"));
	figures = server_figures_of(&bench, NAN);
	assert_int_equal(figures->reason_count, 1);
	assert_string_equal(figures->reasons[0].name, "room for a KV cache that arrives");
	assert_near(figures->reasons[0].mean, 5, 0);
	server_bench_release(&bench);
}

/* One moment is no mean: requests cannot wait for longer than up to their first token. */
static void the_first_token_limits_the_queue_of_one_moment(void **state)
{
	static const char page[] = "# TYPE sglang:num_running_reqs gauge\n"
				   "sglang:num_running_reqs 10\n"
				   "# TYPE sglang:num_queue_reqs gauge\n"
				   "sglang:num_queue_reqs 90\n"
				   "# TYPE sglang:time_to_first_token_seconds histogram\n"
				   "sglang:time_to_first_token_seconds_bucket{le=\"+Inf\"} 8\n"
				   "sglang:time_to_first_token_seconds_sum 24\n"
				   "sglang:time_to_first_token_seconds_count 8\n"
				   "# TYPE sglang:e2e_request_latency_seconds histogram\n"
				   "sglang:e2e_request_latency_seconds_bucket{le=\"+Inf\"} 10\n"
				   "sglang:e2e_request_latency_seconds_sum 50\n"
				   "sglang:e2e_request_latency_seconds_count 10\n";
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench, page);
	figures = server_figures_of(&bench, NAN);
	assert_true(figures->queue_of_moments);
	assert_near(figures->queue_limit, 0.6, 1e-9);
	assert_near(figures->queue_of_latency, 0.6, 1e-9);
	server_bench_release(&bench);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(counters_are_summed_over_restarts),
		cmocka_unit_test(a_single_page_counts_from_the_start),
		cmocka_unit_test(pages_a_day_apart_are_moments_and_no_span),
		cmocka_unit_test(a_gap_of_twenty_intervals_has_no_weight),
		cmocka_unit_test(the_order_of_pages_and_logs_does_not_matter),
		cmocka_unit_test(a_rotated_log_is_one_engine),
		cmocka_unit_test(pages_complete_a_log),
		cmocka_unit_test(requests_are_placed_on_the_time_axis_of_the_server),
		cmocka_unit_test(rows_from_the_beginning_of_time_are_joined),
		cmocka_unit_test(local_time_is_shifted_to_the_requests),
		cmocka_unit_test(requests_of_another_time_are_not_joined),
		cmocka_unit_test(steps_of_a_coarse_clock_share_its_second),
		cmocka_unit_test(engines_weigh_by_the_time_between_their_rows),
		cmocka_unit_test(hostile_rows_stay_within_bounds),
		cmocka_unit_test(waiting_requests_are_counted_by_reason),
		cmocka_unit_test(only_the_first_rank_of_an_engine_counts),
		cmocka_unit_test(totals_of_a_server_count_for_its_engines),
		cmocka_unit_test(pages_are_ordered_by_counters_if_one_has_no_time),
		cmocka_unit_test(lines_that_a_log_leaves_out_are_counted),
		cmocka_unit_test(many_pages_of_a_file_are_thinned),
		cmocka_unit_test(nothing_is_known_of_other_pages),
		cmocka_unit_test(requests_that_wait_for_a_transfer_are_communication),
		cmocka_unit_test(transfers_and_other_caches_are_figures),
		cmocka_unit_test(the_newest_set_of_adapters_holds),
		cmocka_unit_test(queues_have_names),
		cmocka_unit_test(a_sum_and_its_parts_are_one_engine),
		cmocka_unit_test(the_first_token_limits_the_queue_of_one_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
