/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests on the time axis of a server: shifts of clocks, the limit of what must be covered, rows
 * of one time, and the states of random logs against tests/data/joined/figures.txt, which
 * `WEIR_UPDATE_JOINED=1 test_joined` rewrites. */
#include <math.h>
#include <stdio.h>

#include "engine/analysis/server/joined.h"
#include "tests/unit/fixture_server.h"
#include "tests/unit/near.h"
#include "tests/unit/record.h"

#define QUARTER  (900 * SECOND)
#define ROUNDS   40
#define REQUESTS 6

static struct weir_server_figures unknown(bool from_log)
{
	return (struct weir_server_figures){
		.from_log = from_log, .from_pages = !from_log, .joined = {NAN, NAN, NAN, NAN}};
}

static struct weir_joined_figures joined_of(const struct server_bench *bench,
                                            const struct weir_joined_span *spans, size_t count)
{
	struct weir_server_figures figures = unknown(true);

	weir_server_join(bench->profile, spans, count, &figures);
	return figures.joined;
}

/* Appends a step of decodes, with prompts if it is mixed. */
static void add_step(struct weir_server_log *log, int64_t end_ns, int64_t duration_ns, bool mixed)
{
	struct weir_server_row row = weir_server_row_unknown(WEIR_SERVER_STEP);

	row.at_ns = end_ns;
	row.duration_ns = duration_ns;
	row.decode_tokens = 8;
	row.prefill_tokens = mixed ? 512 : 0;
	weir_server_log_add(log, &row);
}

/* Adds steps of a quarter of an hour from a time on. */
static struct weir_server_log *
add_quarters(struct server_bench *bench, enum weir_server_clock clock, int64_t from_ns, int count)
{
	struct weir_server_log *log = add_server_log(bench, WEIR_PRODUCT_VLLM);

	log->clock = clock;
	for (int i = 0; i < count; i++)
		add_step(log, from_ns + (i + 1) * QUARTER, QUARTER, false);
	return log;
}

/* ---- clocks ---- */

/* Returns the covered share of a request that begins at `at_ns` and lasts two quarters, beside a
 * log of six whose rows begin two quarters before it by a clock that is `shift_ns` late. */
static double covered_by(enum weir_server_clock clock, int64_t at_ns, int64_t shift_ns)
{
	struct weir_joined_span span = {at_ns, at_ns + 2 * QUARTER};
	struct server_bench bench;
	double covered;

	server_bench_init(&bench);
	(void)add_quarters(&bench, clock, at_ns - 2 * QUARTER - shift_ns, 6);
	covered = joined_of(&bench, &span, 1).covered;
	server_bench_release(&bench);
	return covered;
}

static void local_clocks_are_up_to_14_hours_ahead_and_12_behind(void **state)
{
	/* The log reaches two quarters of an hour beyond the request on each side. A clock that is
	 * up to two quarters further off still covers it; with one more, half of it, or nothing if
	 * only the first row would meet it, whose beginning does not count. */
	static const struct {
		int quarters;
		double covered;
	} cases[] = {
		{0, 1},    {3, 1},  {4, 1},   {5, 1},   {-3, 1},  {-4, 1},  {-5, 1},
		{-6, 1},   {7, 1},  {1, 1},   {-1, 1},  {48, 1},  {49, 1},  {50, 1},
		{51, 0.5}, {52, 0}, {-56, 1}, {-57, 1}, {-58, 1}, {-59, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double covered =
			covered_by(WEIR_SERVER_CLOCK_LOCAL, START, cases[i].quarters * QUARTER);

		if (covered != cases[i].covered)
			fail_msg("%d quarters: %g", cases[i].quarters, covered);
	}
}

static void only_clocks_of_unknown_zones_are_shifted(void **state)
{
	(void)state;
	assert_near(covered_by(WEIR_SERVER_CLOCK_UNIX, START, 0), 1, 1e-12);
	assert_near(covered_by(WEIR_SERVER_CLOCK_UNIX, START, 3 * QUARTER), 0.5, 1e-12);
	assert_near(covered_by(WEIR_SERVER_CLOCK_UNIX, START, 12 * QUARTER), 0, 0);
	assert_true(isnan(covered_by(WEIR_SERVER_CLOCK_NONE, START, 0)));
}

static void each_engine_has_its_own_shift(void **state)
{
	struct weir_joined_span span = {START, START + 2 * QUARTER};
	struct server_bench bench;

	(void)state;
	server_bench_init(&bench);
	add_quarters(&bench, WEIR_SERVER_CLOCK_LOCAL, START - 11 * QUARTER, 6)->product =
		WEIR_PRODUCT_SGLANG;
	(void)add_quarters(&bench, WEIR_SERVER_CLOCK_UNIX, START - 2 * QUARTER, 6);
	assert_near(joined_of(&bench, &span, 1).covered, 1, 1e-12);
	server_bench_release(&bench);
}

static void engines_up_to_the_end_of_their_room_are_joined(void **state)
{
	struct weir_joined_span span = {START, START + 2 * QUARTER};
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	/* The room grows from 16 on, so that the address sanitizer sees a read behind it. */
	for (int i = 0; i < 48; i++) {
		char name[8];
		int length = snprintf(name, sizeof name, "%03d", i % 16);

		(void)add_server_interval(log, 0, 8, 0, 0.3);
		log->rows[i].at_ns = START + i / 16 * QUARTER;
		log->rows[i].engine = weir_server_log_engine(log, name, (size_t)length);
	}
	assert_near(joined_of(&bench, &span, 1).covered, 1, 1e-12);
	assert_true(isnan(joined_of(&bench, &span, 1).in_mixed));
	server_bench_release(&bench);
}

static void the_smallest_shift_that_covers_most_is_taken(void **state)
{
	/* The log begins some quarters before or behind the request. One of its steps is mixed:
	 * that under the request with the shift next to 0. */
	static const struct {
		int from, mixed;
	} cases[] = {
		{-8, 6}, /* rows to -2, end at the request's end */
		{2, 1},  /* the first row's time is its end */
		{-3, 3}, /* no shift */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_joined_span span = {START + QUARTER / 3, START + QUARTER / 2};
		struct weir_joined_figures joined;
		struct server_bench bench;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_quarters(&bench, WEIR_SERVER_CLOCK_LOCAL, START + cases[i].from * QUARTER,
		                   7);
		log->rows[cases[i].mixed].prefill_tokens = 512;
		joined = joined_of(&bench, &span, 1);
		assert_near(joined.covered, 1, 1e-12);
		if (joined.in_mixed != 1)
			fail_msg("from %d: %g", cases[i].from, joined.in_mixed);
		server_bench_release(&bench);
	}
}

/* Returns noon of a day in UTC. */
static int64_t noon_of(int year, int month, int day)
{
	static const int before[] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
	int leaps = (year - 1) / 4 - (year - 1) / 100 + (year - 1) / 400 - 477;
	bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
	int days = (year - 1970) * 365 + leaps + before[month - 1] + (leap && month > 2) + day - 1;

	return (days * INT64_C(86400) + 43200) * SECOND;
}

static void a_log_without_a_year_takes_that_of_the_requests(void **state)
{
	static const struct {
		int year, month, day;
	} days[] = {
		{2023, 1, 1},  {2023, 2, 28}, {2023, 3, 1},   {2023, 12, 31}, {2024, 2, 28},
		{2024, 2, 29}, {2024, 3, 1},  {2024, 12, 31}, {2000, 2, 29},  {2000, 3, 1},
		{2100, 2, 28}, {2100, 3, 1},  {1972, 3, 1},   {1973, 3, 1},   {2020, 12, 31},
	};

	(void)state;
	for (size_t i = 0; i < sizeof days / sizeof *days; i++) {
		int64_t at_ns = noon_of(days[i].year, days[i].month, days[i].day);
		int64_t shift_ns = at_ns - noon_of(1972, days[i].month, days[i].day);

		for (int hours = -14; hours <= 12; hours += 13) {
			double covered = covered_by(WEIR_SERVER_CLOCK_YEARLESS, at_ns,
			                            shift_ns + 4 * QUARTER * hours);
			/* Half a day on, the log's day may be another one of the year. */
			bool same_side = hours == -1 || days[i].month != 3 || days[i].day != 1;

			if (covered != 1 && same_side)
				fail_msg("%d-%d-%d, %d hours: %g", days[i].year, days[i].month,
				         days[i].day, hours, covered);
		}
	}
}

static void the_year_changes_at_midnight(void **state)
{
	int64_t half_a_day = 43200 * SECOND;
	int64_t last_ns = noon_of(2023, 12, 31) + half_a_day - SECOND;
	int64_t first_ns = noon_of(2024, 1, 1) - half_a_day;

	(void)state;
	assert_near(covered_by(WEIR_SERVER_CLOCK_YEARLESS, last_ns,
	                       noon_of(2023, 12, 31) - noon_of(1972, 12, 31)),
	            1, 0);
	assert_near(covered_by(WEIR_SERVER_CLOCK_YEARLESS, first_ns,
	                       noon_of(2024, 1, 1) - noon_of(1972, 1, 1)),
	            1, 0);
}

static void a_29th_of_february_is_the_1st_of_march_in_another_year(void **state)
{
	int64_t at_ns = noon_of(2023, 3, 1);

	(void)state;
	assert_near(covered_by(WEIR_SERVER_CLOCK_YEARLESS, at_ns, at_ns - noon_of(1972, 2, 29)), 1,
	            0);
}

static void times_that_cannot_be_compared_are_left_out(void **state)
{
	static const struct {
		int64_t at_ns[3];
		bool known;
	} cases[] = {
		{{START, START + SECOND, START + 2 * SECOND}, true},
		{{0, START + SECOND, START + 2 * SECOND}, true},
		{{-1, START + SECOND, START + 2 * SECOND}, false},
		{{START, START + SECOND, INT64_MAX / 2 - 1}, true},
		{{START, START + SECOND, INT64_MAX / 2}, false},
	};
	struct weir_joined_span span = {START, START + 2 * SECOND};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct server_bench bench;
		struct weir_server_log *log;

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		for (size_t r = 0; r < 3; r++)
			add_step(log, cases[i].at_ns[r], SECOND, false);
		assert_int_equal(!isnan(joined_of(&bench, &span, 1).covered), cases[i].known);
		assert_true(isnan(joined_of(&bench, &span, 0).covered));
		server_bench_release(&bench);
	}
	for (int rows = 1; rows <= 2; rows++) {
		struct server_bench bench;

		server_bench_init(&bench);
		(void)add_quarters(&bench, WEIR_SERVER_CLOCK_UNIX, START, rows);
		assert_int_equal(!isnan(joined_of(&bench, &span, 1).covered), rows > 1);
		server_bench_release(&bench);
	}
}

/* ---- states ---- */

static void half_of_the_time_must_be_covered(void **state)
{
	struct weir_joined_span spans[] = {{START - 10 * SECOND, START + 10 * SECOND},
	                                   {START - 5 * SECOND, START + 5 * SECOND}};
	struct weir_joined_figures joined;
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	for (int i = 0; i < 20; i++)
		add_step(log, START + (i + 1) * SECOND, SECOND, i < 4);
	joined = joined_of(&bench, spans, 2);
	assert_near(joined.covered, 0.5, 1e-12);
	assert_near(joined.in_mixed, 8.0 / 15, 1e-12);
	assert_near(joined.in_kv_wait, 0, 0);
	assert_near(joined.in_preemption, 0, 0);
	/* A tenth of a second less. */
	spans[0].start_ns -= SECOND / 10;
	joined = joined_of(&bench, spans, 2);
	assert_near(joined.covered, 15 / 30.1, 1e-12);
	assert_true(isnan(joined.in_mixed));
	assert_true(isnan(joined.in_kv_wait));
	assert_true(isnan(joined.in_preemption));
	server_bench_release(&bench);
}

static void rows_of_one_time_lie_one_behind_the_other(void **state)
{
	static const struct {
		int milliseconds; /* of each of three steps, of which the middle one is mixed */
		double from, to;  /* of the mixed step, in seconds before the time of the three */
	} cases[] = {
		{200, 0.4, 0.2},         /* they fit into the second since the row before */
		{400, 2.0 / 3, 1.0 / 3}, /* too long: each takes a third of the second */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		int64_t end_ns = START + 2 * SECOND;
		struct weir_joined_span span = {end_ns - SECOND / 2, end_ns};
		struct server_bench bench;
		struct weir_server_log *log;
		struct weir_joined_figures joined;
		double rows = fmin(0.5, 3 * cases[i].milliseconds / 1e3);

		server_bench_init(&bench);
		log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
		add_step(log, START + SECOND, SECOND, false);
		for (int s = 0; s < 3; s++)
			add_step(log, end_ns, cases[i].milliseconds * (SECOND / 1000), s == 1);
		joined = joined_of(&bench, &span, 1);
		assert_near(joined.covered, rows / 0.5, 1e-6);
		assert_near(joined.in_mixed, (fmin(cases[i].from, 0.5) - cases[i].to) / rows, 1e-6);
		server_bench_release(&bench);
	}
}

static void a_row_reaches_back_a_million_seconds_at_most(void **state)
{
	int64_t million_ns = 1000000 * SECOND, end_ns = START + million_ns / 100 * 105;
	struct weir_joined_span span = {START, end_ns};
	struct server_bench bench;
	struct weir_server_log *log;

	(void)state;
	server_bench_init(&bench);
	log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
	add_step(log, START, SECOND, false);
	add_step(log, end_ns, 2 * million_ns, false);
	assert_near(joined_of(&bench, &span, 1).covered, 1 / 1.05, 1e-9);
	server_bench_release(&bench);
}

static void a_single_step_makes_mixed_steps_known(void **state)
{
	struct weir_joined_span span = {START, START + TEN_S};

	(void)state;
	for (int first = 0; first < 2; first++)
		for (int step = 0; step < 2; step++) {
			struct server_bench bench;
			struct weir_server_log *log;

			server_bench_init(&bench);
			log = add_server_log(&bench, WEIR_PRODUCT_VLLM);
			if (first && step)
				add_step(log, START, SECOND, false);
			for (int i = 0; i < 3; i++)
				(void)add_server_interval(log, 0, 8, 0, 0.3);
			if (!first && step)
				add_step(log, START + TEN_S, TEN_S, true);
			/* The step covers all of the request. */
			span.start_ns = first && step ? START - SECOND : START;
			span.end_ns = first && step ? START : START + TEN_S;
			assert_int_equal(isnan(joined_of(&bench, &span, 1).in_mixed), !step);
			server_bench_release(&bench);
		}
}

/* ---- the record ---- */

static int below(uint64_t *seed, int limit)
{
	return (int)(next_number(seed) % (uint64_t)limit);
}

/* Appends rows of one to three engines, on a clock that is coarse or not. */
static void draw_log(uint64_t *seed, struct weir_server_log *log)
{
	int engines = 1 + below(seed, 3), kinds = below(seed, 4), coarse = below(seed, 2);
	int64_t at_ns = START;

	log->clock = below(seed, 3) ? WEIR_SERVER_CLOCK_UNIX : WEIR_SERVER_CLOCK_LOCAL;
	log->settings.max_running = below(seed, 2) ? 64 : -1;
	for (int e = 1; e < engines; e++)
		(void)weir_server_log_engine(log, e == 1 ? "001" : "002", 3);
	for (int i = 0; i < 60; i++) {
		bool step = kinds == 3 || (kinds > 0 && below(seed, 4) > 0);
		struct weir_server_row row =
			weir_server_row_unknown(step ? WEIR_SERVER_STEP : WEIR_SERVER_INTERVAL);

		at_ns += (coarse ? below(seed, 2) * 2 : 1 + below(seed, 3)) * SECOND / 2;
		row.at_ns = at_ns;
		row.engine = (uint32_t)below(seed, engines);
		row.duration_ns = step ? (1 + below(seed, 19)) * SECOND / 10 : -1;
		row.prefill_tokens = below(seed, 3) * 400 - 1;
		row.decode_tokens = below(seed, 3) * 8 - 1;
		row.waiting = below(seed, 4) - 1;
		row.running = 8;
		row.prompt_rate = row.decode_rate = below(seed, 5) * 10;
		row.kv_usage = below(seed, 2) ? 0.95 : 0.3;
		row.preempted = below(seed, 4) - 1;
		weir_server_log_add(log, &row);
	}
}

static void describe(unsigned round, struct weir_text *out)
{
	uint64_t seed = 900 + round;
	struct weir_joined_span spans[REQUESTS];
	struct weir_joined_figures joined;
	struct server_bench bench;

	server_bench_init(&bench);
	for (int logs = 1 + below(&seed, 2); logs > 0; logs--)
		draw_log(&seed, add_server_log(&bench, (enum weir_server_product)below(&seed, 3)));
	for (size_t i = 0; i < REQUESTS; i++) {
		spans[i].start_ns = START + below(&seed, 220) * (SECOND / 10);
		spans[i].end_ns = spans[i].start_ns + below(&seed, 90) * (SECOND / 10);
	}
	joined = joined_of(&bench, spans, REQUESTS);
	weir_text_printf(out, "%u: covered %.9g, mixed %.9g, kv %.9g, preemption %.9g\n", round,
	                 joined.covered, joined.in_mixed, joined.in_kv_wait, joined.in_preemption);
	server_bench_release(&bench);
}

static void random_logs_keep_every_figure(void **state)
{
	struct weir_text text = {0};

	(void)state;
	for (unsigned round = 0; round < ROUNDS; round++)
		describe(round, &text);
	record_check("tests/data/joined/figures.txt", &text, "WEIR_UPDATE_JOINED");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(local_clocks_are_up_to_14_hours_ahead_and_12_behind),
		cmocka_unit_test(only_clocks_of_unknown_zones_are_shifted),
		cmocka_unit_test(each_engine_has_its_own_shift),
		cmocka_unit_test(engines_up_to_the_end_of_their_room_are_joined),
		cmocka_unit_test(the_smallest_shift_that_covers_most_is_taken),
		cmocka_unit_test(a_log_without_a_year_takes_that_of_the_requests),
		cmocka_unit_test(the_year_changes_at_midnight),
		cmocka_unit_test(a_29th_of_february_is_the_1st_of_march_in_another_year),
		cmocka_unit_test(times_that_cannot_be_compared_are_left_out),
		cmocka_unit_test(half_of_the_time_must_be_covered),
		cmocka_unit_test(rows_of_one_time_lie_one_behind_the_other),
		cmocka_unit_test(a_row_reaches_back_a_million_seconds_at_most),
		cmocka_unit_test(a_single_step_makes_mixed_steps_known),
		cmocka_unit_test(random_logs_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
