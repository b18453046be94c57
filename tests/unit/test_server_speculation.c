/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profit of speculative decoding, from steps, pages and models. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/near.h"

static double profit_of(double plain_ms, double speculative_ms, int32_t accepted)
{
	struct server_bench bench;
	struct weir_server_log *log;
	double profit;

	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 200; i++) {
		bool plain = i % 2;
		int decodes = 10 + i % 10;
		struct weir_server_row *row = add_server_step(
			log, 0, decodes, (plain ? plain_ms : speculative_ms) + decodes * 0.01);

		row->drafted = plain ? 0 : 4 * decodes;
		row->accepted = plain ? 0 : accepted * decodes;
		row->accept_length = plain ? (double)NAN : 1 + accepted;
	}
	profit = server_figures_of(&bench, NAN)->speculation.profit;
	server_bench_release(&bench);
	return profit;
}

static void speculation_pays_if_it_gains_more_tokens_than_time(void **state)
{
	(void)state;
	assert_near(profit_of(10, 20, 2), 1.5, 0.02);
	assert_near(profit_of(10, 40, 2), 0.75, 0.02);
}

static void sglang_drafts_three_tokens_if_it_states_no_number(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench, "# TYPE sglang:num_running_reqs gauge\n"
	                        "sglang:num_running_reqs 4\n"
	                        "# TYPE sglang:spec_accept_length gauge\n"
	                        "sglang:spec_accept_length 1.15\n");
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->speculation.profit, 1, 1e-9);
	assert_true(figures->speculation.estimated);
	assert_string_equal(server_cause_of(&bench, figures), "speculation-unprofitable");
	assert_int_equal(bench.verdict.bound, WEIR_BOUND_KERNEL);
	server_bench_release(&bench);
}

static void without_step_times_a_draft_costs_a_twentieth_of_a_step(void **state)
{
	struct server_bench bench;
	const struct weir_server_figures *figures;

	(void)state;
	server_bench_init(&bench);
	add_server_page(&bench,
	                "# TYPE vllm:num_requests_running gauge\n"
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
	figures = server_figures_of(&bench, NAN);
	assert_near(figures->speculation.accepted_length, 1.18, 1e-9);
	assert_near(figures->speculation.acceptance, 0.045, 1e-9);
	assert_near(figures->speculation.profit, 1.18 / 1.2, 1e-9);
	assert_true(figures->speculation.estimated);
	assert_int_equal(figures->speculation.positions, 2);
	assert_near(figures->speculation.at[0].accepted, 0.15, 1e-9);
	assert_string_equal(server_cause_of(&bench, figures), "speculation-unprofitable");
	server_bench_release(&bench);
}

/* Returns the profit of `drafts` speculative steps on a page, of which no token is accepted. */
static double profit_of_page(int drafts)
{
	struct server_bench bench;
	struct weir_text page = {0};
	double profit;

	weir_text_printf(&page,
	                 "# TYPE vllm:num_requests_running gauge\n"
	                 "vllm:num_requests_running{engine=\"0\"} 1\n"
	                 "# TYPE vllm:spec_decode_num_drafts_total counter\n"
	                 "vllm:spec_decode_num_drafts_total{engine=\"0\"} %d\n"
	                 "# TYPE vllm:spec_decode_num_draft_tokens_total counter\n"
	                 "vllm:spec_decode_num_draft_tokens_total{engine=\"0\"} %d\n"
	                 "# TYPE vllm:spec_decode_num_accepted_tokens_total counter\n"
	                 "vllm:spec_decode_num_accepted_tokens_total{engine=\"0\"} 0\n",
	                 drafts, 4 * drafts);
	server_bench_init(&bench);
	add_server_page(&bench, page.data);
	profit = server_figures_of(&bench, NAN)->speculation.profit;
	server_bench_release(&bench);
	weir_text_release(&page);
	return profit;
}

static void few_drafts_judge_no_speculation(void **state)
{
	(void)state;
	assert_true(isnan(profit_of_page(99)));
	assert_near(profit_of_page(100), 1 / 1.2, 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(speculation_pays_if_it_gains_more_tokens_than_time),
		cmocka_unit_test(few_drafts_judge_no_speculation),
		cmocka_unit_test(sglang_drafts_three_tokens_if_it_states_no_number),
		cmocka_unit_test(without_step_times_a_draft_costs_a_twentieth_of_a_step),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
