/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Requests of simulated servers: causes of waiting, and shares at a percentile. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/features.h"
#include "engine/analysis/requests/serving.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"

#define MS INT64_C(1000000)

/* A load that keeps the device half busy; each case below changes one aspect. */
static const struct server_load plain = {
	.requests = 2000,
	.interval_ns = 4 * MS,
	.largest = 32,
	.before_ns = MS / 20,
	.after_ns = MS / 20,
	.assembly_ns = MS / 20,
	.copy_ns = MS / 10,
	.step_ns = 2 * MS,
	.row_ns = MS / 5,
	.tokens = 100,
	.padded_tokens = 104,
};

struct measured {
	struct weir_profile *profile;
	struct weir_serving *serving;
	double values[WEIR_F_COUNT];
};

static struct measured measure_table(struct weir_requests *requests, double percentile)
{
	struct measured out = {.profile = weir_profile_new()};

	weir_profile_add_input(out.profile, "requests")->requests = requests;
	out.serving = weir_serving_new(out.profile, percentile, &weir_no_settings);
	weir_features_clear(out.values);
	if (out.serving)
		weir_serving_features(out.serving, out.values);
	return out;
}

static struct measured measure(const struct server_load *load)
{
	return measure_table(make_server(load), 0.95);
}

static void release(struct measured *measured)
{
	weir_serving_free(measured->serving);
	weir_profile_free(measured->profile);
}

static struct weir_requests *one_request(int64_t latency_ns, int64_t part_ns)
{
	struct weir_requests *requests = weir_requests_new();
	struct weir_request request = weir_request_unknown();

	requests->time_base = WEIR_TIME_UNIX;
	weir_requests_add_part(requests, weir_requests_stage(requests, "compute", 7), part_ns);
	request.end_ns = latency_ns;
	weir_requests_add(requests, &request);
	weir_requests_finish(requests);
	return requests;
}

static double largest_path(const double *values)
{
	return values[WEIR_F_PATH_MAX];
}

static void a_long_batch_window_is_waiting_while_nothing_works(void **state)
{
	struct server_load load = plain;
	struct measured measured;

	(void)state;
	load.window_ns = 100 * MS;
	load.interval_ns = 20 * MS;
	measured = measure(&load);
	assert_true(measured.values[WEIR_F_PATH_BATCHING] > 0.9);
	assert_true(measured.values[WEIR_F_WAIT_IDLE] > 0.9);
	assert_true(measured.values[WEIR_F_COMPUTE_BUSY] < 0.1);
	release(&measured);
}

static void a_full_device_is_waiting_behind_computation_with_full_batches(void **state)
{
	struct server_load load = plain;
	struct measured measured;

	(void)state;
	load.interval_ns = MS / 10;
	measured = measure(&load);
	assert_true(measured.values[WEIR_F_WAIT_COMPUTE] > 0.9);
	assert_true(measured.values[WEIR_F_COMPUTE_BUSY] > 0.9);
	assert_true(measured.values[WEIR_F_BATCH_FILL] > 0.9);
	assert_true(measured.values[WEIR_F_PATH_COMPUTE] == largest_path(measured.values));
	release(&measured);
}

static void a_queue_behind_the_host_is_host_time(void **state)
{
	struct server_load load = plain;
	struct measured before, after;

	(void)state;
	load.before_ns = 3 * MS;
	before = measure(&load);
	assert_true(before.values[WEIR_F_PATH_HOST] == largest_path(before.values));
	assert_true(before.values[WEIR_F_AFTER_OF_HOST] < 0.1);
	assert_true(before.values[WEIR_F_WAIT_HOST] > before.values[WEIR_F_WAIT_COMPUTE]);
	release(&before);
	load.before_ns = plain.before_ns;
	load.after_ns = 3 * MS;
	after = measure(&load);
	assert_true(after.values[WEIR_F_PATH_HOST] == largest_path(after.values));
	assert_true(after.values[WEIR_F_AFTER_OF_HOST] > 0.9);
	release(&after);
}

static void waiting_for_copies_is_not_waiting_for_computation(void **state)
{
	struct server_load load = plain;
	struct measured measured;

	(void)state;
	load.copy_ns = 6 * MS;
	load.step_ns = MS;
	load.row_ns = 0;
	measured = measure(&load);
	assert_true(measured.values[WEIR_F_PATH_COPY] == largest_path(measured.values));
	assert_true(measured.values[WEIR_F_WAIT_COPY] > measured.values[WEIR_F_WAIT_COMPUTE]);
	release(&measured);
}

static void step_time_independent_of_the_batch_is_flat(void **state)
{
	struct server_load load = plain;
	struct measured flat, steep;

	(void)state;
	load.row_ns = 0;
	flat = measure(&load);
	assert_true(flat.values[WEIR_F_FLAT_STEP_RATIO] > 0.99);
	release(&flat);
	load.row_ns = MS;
	load.step_ns = 0;
	load.interval_ns = MS;
	steep = measure(&load);
	assert_true(steep.values[WEIR_F_FLAT_STEP_RATIO] < 0.6);
	release(&steep);
}

static void padding_is_the_share_of_padded_tokens_without_text(void **state)
{
	struct server_load load = plain;
	struct measured measured;

	(void)state;
	load.padded_tokens = 400;
	measured = measure(&load);
	assert_near(measured.values[WEIR_F_PADDING_WASTE], 0.75, 1e-12);
	assert_near(measured.values[WEIR_F_PATH_PADDING],
	            0.75 * measured.values[WEIR_F_PATH_COMPUTE], 1e-12);
	release(&measured);
	load.padded_tokens = 0;
	measured = measure(&load);
	assert_true(isnan(measured.values[WEIR_F_PADDING_WASTE]));
	release(&measured);
}

/* Combines all changes of the cases above. */
static void the_shares_of_a_percentile_add_up_to_its_time(void **state)
{
	(void)state;
	for (unsigned bits = 0; bits < 64; bits++) {
		struct server_load load = plain;
		struct measured measured;
		double sum = 0;

		load.requests = 300;
		load.window_ns = bits & 1 ? 30 * MS : 0;
		load.before_ns = bits & 2 ? 3 * MS : MS / 20;
		load.after_ns = bits & 4 ? 3 * MS : 0;
		load.copy_ns = bits & 8 ? 5 * MS : MS / 10;
		load.interval_ns = bits & 16 ? MS / 3 : 5 * MS;
		load.offsets = bits & 32;
		measured = measure(&load);
		for (int i = 0; i < WEIR_SPENT_COUNT; i++)
			sum += weir_band_share(&measured.serving->band[WEIR_AT_ASKED],
			                       (enum weir_spent)i);
		assert_near(sum, 1, 1e-9);
		sum = 0;
		for (size_t s = 0; s <= measured.serving->requests->stage_count; s++)
			sum += weir_band_stage_share(&measured.serving->band[WEIR_AT_ASKED], s);
		assert_near(sum, 1, 1e-9);
		assert_near(measured.values[WEIR_F_WAIT_IDLE] +
		                    measured.values[WEIR_F_WAIT_COMPUTE] +
		                    measured.values[WEIR_F_WAIT_COPY] +
		                    measured.values[WEIR_F_WAIT_HOST],
		            1, 1e-6);
		release(&measured);
	}
}

static void where_parts_start_may_be_stated_or_follow_from_their_order(void **state)
{
	struct server_load load = plain;
	struct measured stated, derived;

	(void)state;
	load.interval_ns = MS;
	derived = measure(&load);
	load.offsets = true;
	stated = measure(&load);
	for (int i = 0; i < WEIR_F_COUNT; i++)
		if (!isnan(derived.values[i]))
			assert_near(stated.values[i], derived.values[i], 1e-12);
	release(&stated);
	release(&derived);
}

static void contention_with_host_work_is_host_time(void **state)
{
	struct server_load load = plain;
	struct measured quiet, slowed;

	(void)state;
	load.before_ns = 2 * MS;
	load.interval_ns = 8 * MS;
	quiet = measure(&load);
	assert_near(quiet.values[WEIR_F_HOST_SLOWDOWN], 1, 0.05);
	assert_near(quiet.serving->contention.stolen, 0, 0);
	load.interference = 4;
	slowed = measure(&load);
	assert_near(slowed.values[WEIR_F_HOST_SLOWDOWN], 4, 0.2);
	assert_true(slowed.serving->contention.stolen > 0.3);
	assert_true(slowed.values[WEIR_F_PATH_HOST] > quiet.values[WEIR_F_PATH_HOST] + 0.1);
	release(&quiet);
	release(&slowed);
}

/* Long texts compute longer and overlap with more host work without being slowed down. */
static void long_steps_are_no_contention(void **state)
{
	struct server_load load = plain;
	struct measured measured;

	(void)state;
	load.before_ns = 2 * MS;
	load.row_ns = 3 * MS;
	load.interval_ns = 5 * MS;
	measured = measure(&load);
	assert_true(!(measured.values[WEIR_F_HOST_SLOWDOWN] >= WEIR_CONTENTION_MIN));
	assert_near(measured.serving->contention.stolen, 0, 0);
	release(&measured);
}

/* Reads a table of one request that failed and one of a request that was answered, in this order.
 */
static void failed_tables_are_counted_beside_answered_ones(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_requests *failed = one_request(3 * MS, MS), *answered = one_request(2 * MS, MS);
	struct weir_serving *serving;

	(void)state;
	failed->all_failed = true;
	weir_profile_add_input(profile, "requests")->requests = failed;
	serving = weir_serving_new(profile, 0.95, &weir_no_settings);
	assert_true(serving->requests->all_failed);
	assert_int_equal(serving->requests->count, 1);
	weir_serving_free(serving);
	weir_profile_add_input(profile, "requests")->requests = answered;
	serving = weir_serving_new(profile, 0.95, &weir_no_settings);
	assert_false(serving->requests->all_failed);
	assert_int_equal(serving->requests->count, 1);
	assert_int_equal(serving->requests->failed, 1);
	assert_near(serving->latency_ns[0], 2e6, 1e-9);
	weir_serving_free(serving);
	weir_profile_free(profile);
}

static void goodput_counts_requests_that_keep_every_limit(void **state)
{
	const struct weir_slo limits[] = {
		{"stage:request", WEIR_METRIC_P99, 50},
		{"stage:comp*", WEIR_METRIC_P50, 30},
		{"stage:decode", WEIR_METRIC_P99, 1},
	};
	struct weir_settings settings = weir_no_settings;
	struct weir_requests *requests = one_request(40, 20); /* within both limits */
	struct weir_profile *profile = weir_profile_new();
	struct weir_request request = weir_request_unknown();
	struct weir_serving *serving;

	(void)state;
	weir_requests_add_part(requests, 0, 35); /* computes too long */
	request.end_ns = 45;
	weir_requests_add(requests, &request);
	request.end_ns = 60; /* takes too long */
	weir_requests_add(requests, &request);
	requests->failed = 1;
	weir_requests_finish(requests);
	weir_profile_add_input(profile, "a")->requests = requests;
	serving = weir_serving_new(profile, 0.95, &settings);
	assert_true(isnan(serving->goodput));
	weir_serving_free(serving);
	settings.slos = limits;
	settings.slo_count = 3;
	serving = weir_serving_new(profile, 0.95, &settings);
	assert_near(serving->goodput, 0.25, 1e-12);
	weir_serving_free(serving);
	settings.slos = &limits[2]; /* of a stage that does not occur */
	settings.slo_count = 1;
	serving = weir_serving_new(profile, 0.95, &settings);
	assert_true(isnan(serving->goodput));
	weir_serving_free(serving);
	weir_profile_free(profile);
}

static void batches_are_found_where_sizes_are_not_stated(void **state)
{
	struct server_load load = plain;
	struct measured stated, found;

	(void)state;
	load.interval_ns = MS;
	stated = measure(&load);
	load.unstated_batches = true;
	found = measure(&load);
	assert_near(found.serving->batches.sizes.mean, stated.serving->batches.sizes.mean, 1e-9);
	assert_near(found.values[WEIR_F_BATCH_MAX], stated.values[WEIR_F_BATCH_MAX], 0);
	release(&found);
	release(&stated);
}

/* Every fourth request, with batch sizes that count all requests. */
static void a_sample_of_requests_leaves_the_cause_of_waiting_unknown(void **state)
{
	struct server_load load = plain;
	struct weir_requests *all, *some = weir_requests_new();
	struct measured measured;

	(void)state;
	load.interval_ns = MS / 5;
	all = make_server(&load);
	some->time_base = all->time_base;
	for (size_t i = 0; i < all->count; i += 16) {
		struct weir_request request = weir_request_unknown();

		for (uint64_t p = all->part_first[i]; p < all->part_first[i] + all->part_count[i];
		     p++) {
			const char *name = weir_requests_stage_name(all, all->part_stage[p]);

			weir_requests_add_part(some, weir_requests_stage(some, name, strlen(name)),
			                       all->part_ns[p]);
		}
		request.start_ns = all->start_ns[i];
		request.end_ns = all->end_ns[i];
		request.batch_size = all->batch_size[i];
		weir_requests_add(some, &request);
	}
	weir_requests_free(all);
	measured = measure_table(some, 0.95);
	assert_true(measured.serving->sampled);
	assert_true(isnan(measured.values[WEIR_F_WAIT_IDLE]));
	assert_near(measured.values[WEIR_F_PATH_UNKNOWN_WAIT], measured.values[WEIR_F_QUEUE_SHARE],
	            1e-12);
	assert_near(measured.values[WEIR_F_PATH_BATCHING], measured.values[WEIR_F_PATH_ASSEMBLY],
	            1e-12);
	release(&measured);
}

static void one_request_is_its_own_percentile(void **state)
{
	struct measured measured = measure_table(one_request(100, 60), 0.95);

	(void)state;
	for (int b = 0; b < WEIR_AT_COUNT; b++) {
		assert_int_equal(measured.serving->band[b].requests, 1);
		assert_near(weir_band_share(&measured.serving->band[b], WEIR_SPENT_COMPUTE), 0.6,
		            1e-12);
		assert_near(weir_band_share(&measured.serving->band[b], WEIR_SPENT_OTHER), 0.4,
		            1e-12);
	}
	release(&measured);
}

static void parts_longer_than_their_request_share_its_time(void **state)
{
	struct measured measured = measure_table(one_request(100, 400), 0.95);

	(void)state;
	assert_near(measured.serving->band[WEIR_AT_ASKED].total_ns, 100, 0);
	assert_near(weir_band_share(&measured.serving->band[WEIR_AT_ASKED], WEIR_SPENT_COMPUTE), 1,
	            1e-12);
	release(&measured);
}

static void two_files_of_one_server_are_one_run(void **state)
{
	struct server_load load = plain;
	struct weir_profile *profile = weir_profile_new();
	struct weir_serving *serving;

	(void)state;
	load.requests = 50;
	weir_profile_add_input(profile, "a")->requests = make_server(&load);
	load.requests = 70;
	weir_profile_add_input(profile, "b")->requests = make_server(&load);
	weir_profile_add_input(profile, "c")->requests = one_request(5, 5);
	profile->inputs[2].requests->client = true;
	serving = weir_serving_new(profile, 0.95, &weir_no_settings);
	assert_int_equal(serving->requests->count, 120);
	assert_int_equal(serving->left_out, 1);
	for (size_t i = 1; i < serving->requests->count; i++)
		assert_true(serving->requests->start_ns[i - 1] <= serving->requests->start_ns[i]);
	weir_serving_free(serving);
	weir_profile_free(profile);
}

/* Returns requests of a server with a plain load. */
static struct weir_requests *some_requests(size_t count, bool offsets)
{
	struct server_load load = plain;

	load.requests = count;
	load.offsets = offsets;
	return make_server(&load);
}

static void only_requests_of_the_same_kind_are_one_run(void **state)
{
	static const struct {
		size_t count;
		enum weir_time_base base;
		bool offsets, client;
		size_t all, left_out;
	} cases[] = {
		{1, WEIR_TIME_UNIX, false, false, 51, 0},
		{0, WEIR_TIME_UNIX, false, false, 50, 0},
		{1, WEIR_TIME_MONOTONIC, false, false, 50, 1},
		{1, WEIR_TIME_UNIX, true, false, 50, 1},
		{1, WEIR_TIME_UNIX, false, true, 50, 1},
		{90, WEIR_TIME_UNIX, false, true, 50, 1},
		{90, WEIR_TIME_UNIX, true, false, 90, 1},
		/* The first of equally long ones is taken. */
		{50, WEIR_TIME_MONOTONIC, false, false, 50, 1},
	};

	(void)state;
	for (size_t i = 0; i < 2 * (sizeof cases / sizeof *cases); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_requests *main = some_requests(50, false);
		struct weir_requests *other =
			some_requests(cases[i / 2].count, cases[i / 2].offsets);
		struct weir_serving *serving;

		other->client = cases[i / 2].client;
		main->time_base = WEIR_TIME_UNIX;
		other->time_base = cases[i / 2].base;
		weir_profile_add_input(profile, "a")->requests = i % 2 ? other : main;
		weir_profile_add_input(profile, "b");
		weir_profile_add_input(profile, "c")->requests = i % 2 ? main : other;
		serving = weir_serving_new(profile, 0.95, &weir_no_settings);
		assert_int_equal(serving->requests->count, cases[i / 2].all);
		assert_int_equal(serving->left_out, cases[i / 2].left_out);
		assert_int_equal(serving->merged != NULL, cases[i / 2].all == 51);
		if (cases[i / 2].count == 50)
			assert_ptr_equal(serving->requests, i % 2 ? other : main);
		weir_serving_free(serving);
		weir_profile_free(profile);
	}
}

static void without_requests_there_is_no_analysis(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	weir_profile_add_input(profile, "a")->requests = weir_requests_new();
	weir_profile_add_input(profile, "b");
	assert_null(weir_serving_new(profile, 0.95, &weir_no_settings));
	weir_profile_free(profile);
}

static void concurrency_is_the_mean_number_of_open_requests(void **state)
{
	struct weir_requests *requests = one_request(40, 20);
	struct weir_request request = weir_request_unknown();
	struct measured measured;

	(void)state;
	request.start_ns = 20;
	request.end_ns = 80;
	weir_requests_add(requests, &request);
	weir_requests_finish(requests);
	assert_near(weir_requests_latency(requests, 0), 40, 0);
	assert_near(weir_requests_latency(requests, 1), 60, 0);
	measured = measure_table(requests, 0.95);
	assert_near(weir_serving_concurrency(measured.serving), 100.0 / 80, 1e-12);
	measured.serving->sampled = true;
	assert_true(isnan(weir_serving_concurrency(measured.serving)));
	measured.serving->sampled = false;
	requests->time_base = WEIR_TIME_NONE;
	assert_true(isnan(weir_serving_concurrency(measured.serving)));
	release(&measured);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_long_batch_window_is_waiting_while_nothing_works),
		cmocka_unit_test(a_full_device_is_waiting_behind_computation_with_full_batches),
		cmocka_unit_test(a_queue_behind_the_host_is_host_time),
		cmocka_unit_test(waiting_for_copies_is_not_waiting_for_computation),
		cmocka_unit_test(step_time_independent_of_the_batch_is_flat),
		cmocka_unit_test(padding_is_the_share_of_padded_tokens_without_text),
		cmocka_unit_test(the_shares_of_a_percentile_add_up_to_its_time),
		cmocka_unit_test(where_parts_start_may_be_stated_or_follow_from_their_order),
		cmocka_unit_test(contention_with_host_work_is_host_time),
		cmocka_unit_test(long_steps_are_no_contention),
		cmocka_unit_test(failed_tables_are_counted_beside_answered_ones),
		cmocka_unit_test(goodput_counts_requests_that_keep_every_limit),
		cmocka_unit_test(batches_are_found_where_sizes_are_not_stated),
		cmocka_unit_test(a_sample_of_requests_leaves_the_cause_of_waiting_unknown),
		cmocka_unit_test(one_request_is_its_own_percentile),
		cmocka_unit_test(parts_longer_than_their_request_share_its_time),
		cmocka_unit_test(two_files_of_one_server_are_one_run),
		cmocka_unit_test(only_requests_of_the_same_kind_are_one_run),
		cmocka_unit_test(without_requests_there_is_no_analysis),
		cmocka_unit_test(concurrency_is_the_mean_number_of_open_requests),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
