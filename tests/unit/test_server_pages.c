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
		cmocka_unit_test(local_time_is_shifted_to_the_requests),
		cmocka_unit_test(requests_of_another_time_are_not_joined),
		cmocka_unit_test(hostile_rows_stay_within_bounds),
		cmocka_unit_test(only_the_first_rank_of_an_engine_counts),
		cmocka_unit_test(many_pages_of_a_file_are_thinned),
		cmocka_unit_test(nothing_is_known_of_other_pages),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
