/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Figures of the logs and pages of random servers, against tests/data/random_servers: rows with
 * steps or intervals, of one to three engines, with any of their figures missing, on and beside the
 * limits of the states that weir names; and whole reports and runs of such servers beside requests.
 * `WEIR_UPDATE_SERVERS=1 test_random_servers` rewrites the files. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tests/unit/fixture_report.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS  48
#define REPORTS 24

/* A server in the making. */
struct making {
	uint64_t seed;
	int steady; /* mean number of requests that run */
	int kv;     /* usual share of the cache in use, in percent */
	bool preempts;
	bool steps, loaded, speculates, stated;
};

static int below(struct making *to, int limit)
{
	return (int)(next_number(&to->seed) % (uint64_t)limit);
}

static int any(struct making *to, const int *list, size_t count)
{
	return list[next_number(&to->seed) % count];
}

#define ANY(to, ...)                                                                               \
	any(to, (const int[]){__VA_ARGS__}, sizeof((const int[]){__VA_ARGS__}) / sizeof(int))

static void draw_step(struct making *to, struct weir_server_row *row)
{
	int decodes = ANY(to, 0, to->steady, to->steady, to->steady + 1, 2 * to->steady);
	int prompt = ANY(to, -1, 0, 0, 1, 900, 1024);

	row->decode_requests = ANY(to, decodes, decodes, decodes, -1);
	row->decode_tokens = ANY(to, decodes, decodes, 3 * decodes, -1);
	row->prefill_tokens = prompt;
	row->prefill_requests = ANY(to, prompt > 0, prompt > 0, -1);
	row->duration_ns = (int64_t)1000000 * (10 + decodes / 2 + (prompt > 0 ? prompt / 40 : 0));
	row->duration_ns += below(to, 3) * (int64_t)500000;
}

static void draw_interval(struct making *to, struct weir_server_row *row)
{
	row->prompt_rate = ANY(to, 0, 500, 1000, 2000);
	row->decode_rate = ANY(to, 30, 40, 40, 41) * to->steady;
	if (below(to, 9) == 0)
		row->prompt_rate = NAN;
}

static void draw_gauges(struct making *to, struct weir_server_row *row)
{
	row->running = to->steady + ANY(to, -1, 0, 0, 0, 1);
	row->waiting = to->loaded ? ANY(to, 0, 1, 5, to->steady) : ANY(to, 0, 0, 0, 1);
	row->kv_usage = ANY(to, to->kv, to->kv, to->kv, to->kv - 1, to->kv + 5) / 100.0;
	row->preempted = to->preempts ? ANY(to, -1, 0, 0, 0, 0, 1) : 0;
	row->cached_tokens = ANY(to, -1, 0, 128);
	row->hit_rate = ANY(to, 0, 25, 50) / 100.0;
	if (to->speculates) {
		row->drafted = 3 * to->steady;
		row->accepted = ANY(to, 0, 1, 2) * to->steady;
		row->accept_length = 1 + ANY(to, 0, 5, 12) / 10.0;
	}
	if (below(to, 8) == 0)
		row->running = -1;
	if (below(to, 8) == 0)
		row->waiting = -1;
}

static void add_log(struct making *to, struct server_bench *bench)
{
	enum weir_server_product product = (enum weir_server_product)below(to, 3);
	struct weir_server_log *log = add_server_log(bench, product);
	int engines = ANY(to, 1, 1, 2, 3), rows = ANY(to, 3, 12, 40, 90);
	int64_t at_ns = START;

	for (int e = 1; e < engines; e++)
		weir_server_log_engine(log, e == 1 ? "001" : "002", 3);
	if (to->stated) {
		log->settings.max_running = ANY(to, to->steady, to->steady + 1, 256);
		log->settings.max_step_tokens = ANY(to, 1000, 1024, 1100, 8192);
		log->settings.kv_tokens = ANY(to, 4000, 60000);
		log->settings.chunked_prefill = below(to, 2);
		log->settings.draft_tokens = ANY(to, -1, 3, 4);
		log->settings.memory_share = ANY(to, 50, 90) / 100.0;
	}
	for (int i = 0; i < rows; i++) {
		bool step = to->steps && below(to, 12) > 0;
		struct weir_server_row row =
			weir_server_row_unknown(step ? WEIR_SERVER_STEP : WEIR_SERVER_INTERVAL);

		if (step)
			draw_step(to, &row);
		else
			draw_interval(to, &row);
		draw_gauges(to, &row);
		at_ns += step ? row.duration_ns : ANY(to, 1, 10, 10, 10, 200, 201) * SECOND;
		row.at_ns = at_ns;
		row.engine = (uint32_t)below(to, engines);
		weir_server_log_add(log, &row);
	}
}

static void add_gauge(struct weir_text *page, const char *name, int engine, double value,
                      long long ms)
{
	weir_text_printf(page, "# TYPE vllm:%s gauge\nvllm:%s{engine=\"%d\"} %g %lld\n", name, name,
	                 engine, value, ms);
}

static void add_counter(struct weir_text *page, const char *name, int engine, double value,
                        long long ms)
{
	weir_text_printf(page, "# TYPE vllm:%s counter\nvllm:%s{engine=\"%d\"} %g %lld\n", name,
	                 name, engine, value, ms);
}

static void add_pages(struct making *to, struct server_bench *bench)
{
	int pages = ANY(to, 1, 2, 3, 8), done = below(to, 100), lost = 0, drafts = 0;
	long long ms = (long long)START / 1000000;

	for (int i = 0; i < pages; i++) {
		struct weir_text page = {0};

		ms += ANY(to, 1000, 15000, 15000, 15000, 320000);
		done = ANY(to, done, done + 10, done + 10, done + 80, 5);
		lost += to->preempts ? ANY(to, 0, 1, 8) : 0;
		drafts += ANY(to, 0, 30);
		add_gauge(&page, "num_requests_running", 0, to->steady + below(to, 3), ms);
		add_gauge(&page, "num_requests_waiting", 0, to->loaded ? below(to, 9) : 0, ms);
		add_gauge(&page, "kv_cache_usage_perc", 0, to->kv / 100.0, ms);
		add_counter(&page, "request_success_total", 0, done, ms);
		add_counter(&page, "num_preemptions_total", 0, lost, ms);
		add_counter(&page, "prompt_tokens_total", 0, done * 500.0, ms);
		add_counter(&page, "generation_tokens_total", 0, done * 120.0, ms);
		add_counter(&page, "prefix_cache_queries_total", 0, done * 500.0, ms);
		add_counter(&page, "prefix_cache_hits_total", 0, done * 90.0, ms);
		if (to->speculates) {
			add_counter(&page, "spec_decode_num_drafts_total", 0, drafts, ms);
			add_counter(&page, "spec_decode_num_draft_tokens_total", 0, 3.0 * drafts,
			            ms);
			add_counter(&page, "spec_decode_num_accepted_tokens_total", 0, 1.5 * drafts,
			            ms);
		}
		add_server_page(bench, page.data);
		weir_text_release(&page);
	}
}

/* ---- the record ---- */

/* Adds the lines of the report from the state of the server on, without indentation. */
static void add_figures(struct weir_text *out, const struct weir_server_figures *figures)
{
	struct weir_report *report = fixture_report_minimal();
	struct weir_text text;
	const char *at;

	report->server = figures;
	text = fixture_write("json", report, 80, 20);
	at = strstr(text.data, "\n  \"server\": ");
	assert_non_null(at);
	for (at++; *at; at += strcspn(at, "\n"), at += *at == '\n') {
		at += strspn(at, " ");
		weir_text_add(out, at, strcspn(at, "\n") + 1);
	}
	weir_text_release(&text);
	fixture_report_free(report);
}

/* Fills the profile of the bench with a log, pages, or both. */
static void draw(struct making *to, unsigned round, struct server_bench *bench)
{
	to->steady = ANY(to, 1, 4, 8, 40);
	to->kv = ANY(to, 20, 50, 74, 79, 80, 89, 90, 95);
	to->preempts = below(to, 4) == 0;
	to->steps = below(to, 2);
	to->loaded = below(to, 3) > 0;
	to->speculates = below(to, 3) == 0;
	to->stated = below(to, 3) > 0;
	if (round % 3 != 2)
		add_log(to, bench);
	if (round % 3 != 0)
		add_pages(to, bench);
}

static void describe(unsigned round, struct weir_text *out)
{
	struct making to = {.seed = 7000 + round};
	struct server_bench bench;
	const struct weir_server_figures *figures;

	server_bench_init(&bench);
	draw(&to, round, &bench);
	figures = server_figures_of(&bench, ANY(&to, 0, 10, 400));
	weir_text_printf(out, "cause \"%s\"\n", server_cause_of(&bench, figures));
	for (size_t f = 0; f < WEIR_F_COUNT; f++)
		if (!isnan(bench.values[f]))
			weir_text_printf(out, "%s %.9g\n", weir_features.items[f].id,
			                 bench.values[f]);
	add_figures(out, figures);
	server_bench_release(&bench);
}

static void random_servers_keep_every_figure(void **state)
{
	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++) {
		struct weir_text text = {0};
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_servers/%u.txt", round);
		describe(round, &text);
		record_check(path, &text, "WEIR_UPDATE_SERVERS");
		weir_text_release(&text);
	}
}

static void positions_are_shares_of_at_least_one_draft(void **state)
{
	(void)state;
	for (int drafts = 0; drafts < 4; drafts++) {
		struct server_bench bench;
		const struct weir_server_figures *figures;
		struct weir_text page = {0};

		server_bench_init(&bench);
		add_gauge(&page, "num_requests_running", 0, 4, START / 1000000);
		add_counter(&page, "spec_decode_num_drafts_total", 0, drafts, START / 1000000);
		weir_text_printf(&page,
		                 "# TYPE vllm:spec_decode_num_accepted_tokens_per_pos_total "
		                 "counter\n"
		                 "vllm:spec_decode_num_accepted_tokens_per_pos_total{engine=\"0\","
		                 "position=\"0\"} 2 %" PRId64 "\n",
		                 START / 1000000);
		add_server_page(&bench, page.data);
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(figures->speculation.positions, drafts > 0);
		if (drafts > 0)
			assert_near(figures->speculation.at[0].accepted, fmin(2.0 / drafts, 1),
			            1e-12);
		weir_text_release(&page);
		server_bench_release(&bench);
	}
}

/* The room for engines grows from 16 on, so that the address sanitizer sees a read behind them. */
#define FULL_ROOM 16

static void add_full_log(struct making *to, struct server_bench *bench)
{
	struct weir_server_log *log = add_server_log(bench, WEIR_PRODUCT_VLLM);

	for (int e = 1; e < FULL_ROOM; e++) {
		char name[8];
		int length = snprintf(name, sizeof name, "%03d", e);

		(void)weir_server_log_engine(log, name, (size_t)length);
	}
	for (int i = 0; i < 8 * FULL_ROOM; i++) {
		bool step = i / FULL_ROOM % 4 > 0;
		struct weir_server_row row =
			weir_server_row_unknown(step ? WEIR_SERVER_STEP : WEIR_SERVER_INTERVAL);

		if (step)
			draw_step(to, &row);
		else
			draw_interval(to, &row);
		draw_gauges(to, &row);
		row.at_ns = START + i * SECOND;
		row.engine = (uint32_t)(i % FULL_ROOM);
		weir_server_log_add(log, &row);
	}
}

static void add_full_pages(struct server_bench *bench)
{
	for (int i = 0; i < 3; i++) {
		long long ms = (long long)START / 1000000 + 15000LL * i;
		struct weir_text page = {0};

		for (int e = 0; e < FULL_ROOM; e++) {
			add_gauge(&page, "num_requests_running", e, 4, ms);
			add_gauge(&page, "num_requests_waiting", e, e, ms);
			add_gauge(&page, "kv_cache_usage_perc", e, 0.5, ms);
			add_counter(&page, "generation_tokens_total", e, 100.0 * i, ms);
		}
		add_server_page(bench, page.data);
		weir_text_release(&page);
	}
}

static void engines_up_to_the_end_of_their_room_are_read(void **state)
{
	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct making to = {.seed = 1, .steady = 8, .kv = 80, .speculates = true};
		struct server_bench bench;
		const struct weir_server_figures *figures;

		server_bench_init(&bench);
		if (kind != 1)
			add_full_log(&to, &bench);
		if (kind != 0)
			add_full_pages(&bench);
		figures = server_figures_of(&bench, NAN);
		assert_int_equal(figures->engine_count, FULL_ROOM);
		server_bench_release(&bench);
	}
}

/* Requests that a client measured beside the server, on its clock or on another one. */
static struct weir_requests *draw_requests(struct making *to, unsigned round)
{
	struct server_load load = {.requests = 20, .offsets = true};
	struct weir_requests *requests;

	load.interval_ns = ANY(to, 1, 4) * SECOND;
	load.largest = ANY(to, 1, 4);
	load.step_ns = ANY(to, 2, 10, 30) * SECOND / 10;
	load.before_ns = ANY(to, 0, 3) * SECOND / 10;
	requests = make_server(&load);
	if (round % 5 == 4)
		requests->time_base = WEIR_TIME_MONOTONIC;
	return requests;
}

static void reports_of_servers_and_requests_keep_every_figure(void **state)
{
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};

	(void)state;
	for (unsigned round = 0; round < REPORTS; round++) {
		struct making to = {.seed = 8000 + round};
		struct weir_text text = {0};
		struct server_bench bench;
		char path[64];

		server_bench_init(&bench);
		draw(&to, round, &bench);
		if (round % 4 > 0)
			weir_profile_add_input(bench.profile, "requests")->requests =
				draw_requests(&to, round);
		(void)snprintf(path, sizeof path, "tests/data/random_servers/report%u.txt", round);
		report_record_add(bench.profile, &options, &text);
		report_record_add_run(bench.profile, &options, &text);
		record_check(path, &text, "WEIR_UPDATE_SERVERS");
		weir_text_release(&text);
		server_bench_release(&bench);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_servers_keep_every_figure),
		cmocka_unit_test(positions_are_shares_of_at_least_one_draft),
		cmocka_unit_test(engines_up_to_the_end_of_their_room_are_read),
		cmocka_unit_test(reports_of_servers_and_requests_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
