/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Batches found from requests, and what they show. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/requests/executions.h"
#include "engine/base/arena.h"
#include "tests/unit/near.h"

#define MOST 16

static const enum weir_part_class classes[] = {WEIR_PART_QUEUE, WEIR_PART_COMPUTE};

/* Adds a request that waits for wait_ns, then computes for compute_ns. */
static void add(struct weir_requests *requests, int64_t start_ns, int64_t wait_ns,
                int64_t compute_ns)
{
	struct weir_request request = weir_request_unknown();

	weir_requests_add_part(requests, weir_requests_stage(requests, "queue", 5), wait_ns);
	weir_requests_add_part(requests, weir_requests_stage(requests, "compute", 7), compute_ns);
	request.start_ns = start_ns;
	request.end_ns = start_ns + wait_ns + compute_ns;
	request.tokens = 10;
	weir_requests_add(requests, &request);
}

static struct weir_requests *empty_table(void)
{
	struct weir_requests *requests = weir_requests_new();

	requests->time_base = WEIR_TIME_UNIX;
	return requests;
}

/* Returns the executions of two requests that differ by these times. */
static struct weir_executions two_requests(int64_t start_ns, int64_t compute_ns)
{
	struct weir_requests *requests = empty_table();
	struct weir_executions out;

	add(requests, 0, 100000, 1000000);
	add(requests, start_ns, 100000, 1000000 + compute_ns);
	weir_requests_finish(requests);
	weir_executions_find(&out, requests, classes);
	weir_requests_free(requests);
	return out;
}

static void requests_that_compute_together_are_one_execution(void **state)
{
	static const struct {
		int64_t start_ns, compute_ns;
		size_t count;
	} rows[] = {{0, 0, 1},     {20000, 0, 1}, {20001, 0, 2},    {0, 1500, 1},    {0, 1501, 2},
	            {0, -1500, 1}, {0, -1501, 2}, {20000, 1500, 1}, {20001, 1500, 2}};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weir_executions got = two_requests(rows[i].start_ns, rows[i].compute_ns);

		assert_int_equal(got.count, rows[i].count);
		assert_int_equal(got.items[0].rows, 3 - rows[i].count);
		assert_near(got.items[0].size, rows[i].count == 1 ? 2 : NAN, 0);
		assert_near(got.items[0].tokens, rows[i].count == 1 ? 20 : 10, 0);
		assert_int_equal(got.items[0].start_ns, 100000);
		assert_int_equal(got.items[0].dispatch_ns,
		                 100000 + (rows[i].count == 1 ? rows[i].start_ns : 0));
		free(got.items);
	}
}

/* Three small executions of 10 ns, and three of 30 ns with the largest size but for `less`. */
static double step_ratio(double small, double less, size_t small_count, size_t full_count)
{
	struct weir_execution items[MOST];
	struct weir_executions executions = {items, 0};
	struct weir_requests *requests = empty_table();
	struct weir_batch_figures figures;

	for (size_t i = 0; i < small_count + full_count; i++) {
		double size = i < small_count                     ? small
		              : i + 1 == small_count + full_count ? 10
		                                                  : 10 - less;

		items[executions.count++] = (struct weir_execution){
			.start_ns = (int64_t)i * 100,
			.compute_ns = i < small_count ? 10 : 30,
			.size = size,
			.tokens = NAN,
			.rows = (uint32_t)size,
		};
	}
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	weir_requests_free(requests);
	return figures.flat_step_ratio;
}

static void step_time_is_compared_between_small_and_full_batches(void **state)
{
	(void)state;
	assert_near(step_ratio(5, 1, 3, 3), 1.0 / 3, 1e-12);
	assert_true(isnan(step_ratio(6, 1, 3, 3))); /* more than half */
	assert_true(isnan(step_ratio(5, 2, 3, 3))); /* less than nine tenths */
	assert_true(isnan(step_ratio(5, 1, 2, 3)));
	assert_true(isnan(step_ratio(5, 1, 3, 2)));
}

static void batches_are_whole_if_the_file_has_half_of_their_requests(void **state)
{
	struct weir_execution item = {.size = 10, .rows = 5};
	const struct weir_executions executions = {&item, 1};

	(void)state;
	assert_true(weir_executions_batch(&executions));
	item.rows = 4;
	assert_false(weir_executions_batch(&executions));
}

/* Executions of 10 ns begin alone, those of 30 ns during host work. */
static struct weir_contention contention_of(uint32_t alone, uint32_t beside, double size)
{
	struct weir_execution items[16];
	const struct weir_executions executions = {items, alone + beside};
	struct weir_intervals host = {0};
	struct weir_contention out;

	for (uint32_t i = 0; i < alone + beside; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = i < alone ? 10 : 30,
		                                   .size = i < alone ? 4 : size,
		                                   .tokens = NAN,
		                                   .rows = 4};
	weir_intervals_push(&host, INT64_C(100) * alone, 10000);
	out = weir_contention_measure(&executions, &host);
	weir_intervals_release(&host);
	return out;
}

static void contention_needs_five_executions_of_either_kind(void **state)
{
	struct weir_contention enough = contention_of(5, 5, 4);

	(void)state;
	assert_near(enough.slowdown, 3, 1e-12);
	assert_near(enough.stolen, 5.0 * 20 / (5 * 10 + 5 * 30), 1e-12);
	assert_true(isnan(contention_of(4, 6, 4).slowdown));
	assert_true(isnan(contention_of(6, 4, 4).slowdown));
	assert_near(contention_of(4, 6, 4).stolen, 0, 0);
}

static void sizes_between_the_same_powers_of_two_are_compared(void **state)
{
	(void)state;
	assert_true(isnan(contention_of(5, 5, 3).slowdown));
	assert_near(contention_of(5, 5, 7).slowdown, 3, 1e-12);
	assert_true(isnan(contention_of(5, 5, 8).slowdown));
}

static void only_the_time_beyond_the_median_alone_is_stolen(void **state)
{
	struct weir_execution items[10];
	const struct weir_executions executions = {items, 10};
	struct weir_intervals host = {0};
	struct weir_contention out;

	(void)state;
	for (int i = 0; i < 10; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = i < 5    ? 10
		                                                 : i == 5 ? 10
		                                                 : i == 6 ? 4
		                                                          : 30,
		                                   .size = 4,
		                                   .tokens = NAN,
		                                   .rows = 4};
	weir_intervals_push(&host, 500, 10000);
	out = weir_contention_measure(&executions, &host);
	weir_intervals_release(&host);
	assert_near(out.slowdown, 3, 1e-12);
	assert_near(out.stolen, 3 * 20. / (5 * 10 + 10 + 4 + 3 * 30), 1e-12);
}

/* Seven executions of 4 rows begin during host work, the last of which takes long, then five of 16
 * rows: the time beyond the median is summed for each size apart. */
static void each_size_sums_its_own_time(void **state)
{
	struct weir_execution items[22];
	const struct weir_executions executions = {items, 22};
	struct weir_intervals host = {0};
	struct weir_contention out;

	(void)state;
	for (int i = 0; i < 22; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = i < 10    ? 10
		                                                 : i == 16 ? 90
		                                                           : 30,
		                                   .size = i < 5 || (i >= 10 && i < 17) ? 4 : 16,
		                                   .tokens = NAN,
		                                   .rows = 4};
	weir_intervals_push(&host, 1000, 10000);
	out = weir_contention_measure(&executions, &host);
	weir_intervals_release(&host);
	assert_near(out.slowdown, 3, 1e-12);
	assert_near(out.stolen, (11 * 20. + 80) / (10 * 10 + 11 * 30 + 90), 1e-12);
}

/* Five executions of `alone_ns` begin alone, and five of 30 ns during host work. */
static double slowdown_of(double size, double tokens, int64_t alone_ns)
{
	struct weir_execution items[10];
	const struct weir_executions executions = {items, 10};
	struct weir_intervals host = {0};
	struct weir_contention out;

	for (int i = 0; i < 10; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = i < 5 ? alone_ns : 30,
		                                   .size = size,
		                                   .tokens = tokens,
		                                   .rows = 1};
	weir_intervals_push(&host, 500, 10000);
	out = weir_contention_measure(&executions, &host);
	weir_intervals_release(&host);
	return out.slowdown;
}

static void executions_without_size_or_time_are_not_compared(void **state)
{
	(void)state;
	assert_near(slowdown_of(1, NAN, 10), 3, 1e-12);
	assert_near(slowdown_of(0.5, NAN, 10), NAN, 0);
	assert_near(slowdown_of(0, NAN, 10), NAN, 0);
	assert_near(slowdown_of(NAN, NAN, 10), NAN, 0);
	assert_near(slowdown_of(NAN, 1, 10), 3, 1e-12);
	assert_near(slowdown_of(4, 0, 10), NAN, 0); /* tokens come before sizes */
	assert_near(slowdown_of(ldexp(1, 62), NAN, 10), 3, 1e-12);
	assert_near(slowdown_of(ldexp(1, 63), NAN, 10), 3, 1e-12);
	assert_near(slowdown_of(ldexp(1, 900), NAN, 10), 3, 1e-12);
	assert_near(slowdown_of(4, NAN, 1), 30, 1e-12);
	assert_near(slowdown_of(4, NAN, 0), NAN, 0);
}

static void executions_without_size_are_in_no_quantile(void **state)
{
	struct weir_execution items[9];
	const struct weir_executions executions = {items, 9};
	struct weir_requests *requests = empty_table();
	struct weir_batch_figures figures;

	(void)state;
	for (int i = 0; i < 9; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = i < 4 ? 10 : 30,
		                                   .size = i % 4 == 3 ? (double)NAN
		                                           : i < 4    ? 2
		                                                      : 10,
		                                   .tokens = NAN,
		                                   .rows = 10};
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	assert_near(figures.sizes.mean, 46.0 / 7, 1e-12);
	assert_near(figures.sizes.p50, 10, 0);
	assert_near(figures.sizes.max, 10, 0);
	assert_near(figures.flat_step_ratio, NAN, 0);
	items[3].size = 2;
	items[7].size = 10;
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	assert_near(figures.flat_step_ratio, 1.0 / 3, 1e-12);
	/* No time has no ratio to another. */
	for (int i = 4; i < 9; i++)
		items[i].compute_ns = 0;
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	assert_near(figures.flat_step_ratio, NAN, 0);
	weir_requests_free(requests);
}

static void host_time_is_that_before_and_after_of_every_request(void **state)
{
	static const enum weir_part_class all[] = {WEIR_PART_BEFORE, WEIR_PART_AFTER};
	struct weir_requests *requests = empty_table();
	struct weir_intervals host = {0};

	(void)state;
	add(requests, 0, 10, 10); /* as all of it is host work here */
	add(requests, 100, 5, 5);
	weir_requests_finish(requests);
	weir_host_time_of(requests, all, &host);
	assert_int_equal(weir_intervals_total(&host), 30);
	assert_int_equal(host.count, 2);
	weir_host_time_of(requests, classes, &host);
	assert_int_equal(weir_intervals_total(&host), 0);
	weir_intervals_release(&host);
	weir_requests_free(requests);
}

static void a_step_s_tokens_are_the_median_of_the_known(void **state)
{
	struct weir_execution items[4];
	const struct weir_executions executions = {items, 4};
	struct weir_requests *requests = empty_table();
	struct weir_batch_figures figures;

	(void)state;
	for (int i = 0; i < 4; i++)
		items[i] = (struct weir_execution){.start_ns = INT64_C(100) * i,
		                                   .compute_ns = 10,
		                                   .size = 4,
		                                   .tokens = i == 0 ? (double)NAN : 10.0 * i,
		                                   .rows = 4};
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	assert_near(figures.step_tokens, 20, 0);
	items[0].rows = items[1].rows = items[2].rows = items[3].rows = 1; /* no batches */
	weir_batch_figures(&executions, requests, classes, 0, &figures);
	assert_near(figures.step_tokens, NAN, 0);
	weir_requests_free(requests);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_that_compute_together_are_one_execution),
		cmocka_unit_test(step_time_is_compared_between_small_and_full_batches),
		cmocka_unit_test(batches_are_whole_if_the_file_has_half_of_their_requests),
		cmocka_unit_test(contention_needs_five_executions_of_either_kind),
		cmocka_unit_test(sizes_between_the_same_powers_of_two_are_compared),
		cmocka_unit_test(only_the_time_beyond_the_median_alone_is_stolen),
		cmocka_unit_test(each_size_sums_its_own_time),
		cmocka_unit_test(executions_without_size_or_time_are_not_compared),
		cmocka_unit_test(executions_without_size_are_in_no_quantile),
		cmocka_unit_test(host_time_is_that_before_and_after_of_every_request),
		cmocka_unit_test(a_step_s_tokens_are_the_median_of_the_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
