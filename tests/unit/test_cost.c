/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The cost of requests: a worked example by hand, and the effect of unknown inputs. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/requests/cost.h"
#include "tests/unit/near.h"

#define ROUNDING 1e-14 /* relative: a few operations on doubles */

enum stage { QUEUE, PREFILL, DECODE, STAGES };

/*
 * One device at 12 an hour serves 10,000 requests in an hour and is busy half of it. A request
 * takes 0.08 s of prefill, four to a batch, and 1.6 s of decode, sixteen to a batch.
 */
struct example {
	struct weir_cost_stage stages[STAGES];
	struct weir_cost_inputs in;
};

static void set_up(struct example *example)
{
	example->stages[QUEUE] = (struct weir_cost_stage){WEIR_COST_OTHER, 0};
	example->stages[PREFILL] =
		(struct weir_cost_stage){WEIR_COST_PREFILL, weir_cost_gpu_s(0.08, 1, 4)};
	example->stages[DECODE] =
		(struct weir_cost_stage){WEIR_COST_DECODE, weir_cost_gpu_s(1.6, 1, 16)};
	example->in = weir_cost_unknown();
	example->in.currency = "USD";
	example->in.source = "weir.json";
	example->in.per_gpu_hour = 12;
	example->in.gpus = 1;
	example->in.window_s = 3600;
	example->in.requests = 10000;
	example->in.input_tokens = 5e6;
	example->in.cached_tokens = 0;
	example->in.output_tokens = 1e6;
	example->in.gpu_busy = 0.5;
	example->in.padding_waste = 0.25;
	example->in.gap_share = 0.1;
	example->in.stages = example->stages;
	example->in.stage_count = STAGES;
}

static void the_worked_example_comes_out(void **state)
{
	struct example example;
	struct weir_cost cost;
	double stage[STAGES];

	(void)state;
	set_up(&example);
	weir_cost_of(&example.in, &cost, stage);
	assert_near(example.stages[PREFILL].gpu_s, 0.02, ROUNDING);
	assert_near(example.stages[DECODE].gpu_s, 0.1, ROUNDING);
	assert_near(cost.total, 12, ROUNDING);
	assert_near(cost.per_request, 0.0012, ROUNDING);
	assert_near(cost.scale, 1.5, ROUNDING);
	assert_true(cost.scale > WEIR_COST_SCALE_HIGH);
	assert_near(stage[QUEUE], 0, 0);
	assert_near(stage[PREFILL], 0.0001, ROUNDING);
	assert_near(stage[DECODE], 0.0005, ROUNDING);
	assert_near(cost.per_request_idle, 0.0006, ROUNDING);
	assert_near(cost.per_million_input_tokens, 0.40, ROUNDING);
	assert_near(cost.per_million_output_tokens, 10.0, ROUNDING);
	assert_near(cost.output_tokens_per_unit, 1e6 / 12, ROUNDING);
	assert_near(cost.tokens_per_unit, 5e5, ROUNDING);
	assert_near(cost.per_million_tokens, 2, ROUNDING);
	assert_string_equal(cost.currency, "USD");
	assert_string_equal(cost.source, "weir.json");
}

static void stages_and_idle_time_sum_to_the_whole(void **state)
{
	struct example example;
	struct weir_cost cost;
	double stage[STAGES];

	(void)state;
	set_up(&example);
	for (int percent = 1; percent <= 100; percent++) {
		example.in.gpu_busy = percent / 100.0;
		weir_cost_of(&example.in, &cost, stage);
		assert_near(stage[PREFILL] + stage[DECODE], cost.per_request_busy, ROUNDING);
		assert_near(stage[PREFILL] + stage[DECODE] + cost.per_request_idle,
		            cost.per_request, ROUNDING);
	}
}

static void padding_and_gaps_are_parts_of_the_busy_time(void **state)
{
	struct example example;
	struct weir_cost cost;

	(void)state;
	set_up(&example);
	weir_cost_of(&example.in, &cost, NULL);
	assert_near(cost.per_request_padding, 0.0006 * 0.25, ROUNDING);
	assert_near(cost.per_request_gaps, 0.0006 * 0.1, ROUNDING);
	/* Copies occupy the device and have no padding. */
	example.stages[DECODE].part = WEIR_COST_OTHER;
	weir_cost_of(&example.in, &cost, NULL);
	assert_near(cost.per_request_padding, 0.0001 * 0.25, ROUNDING);
	example.in.stage_count = 0;
	weir_cost_of(&example.in, &cost, NULL);
	assert_near(cost.per_request_padding, 0.0006 * 0.25, ROUNDING);
}

static void without_utilization_stages_cost_what_they_account_for(void **state)
{
	struct example example;
	struct weir_cost cost;
	double stage[STAGES];

	(void)state;
	set_up(&example);
	example.in.gpu_busy = NAN;
	weir_cost_of(&example.in, &cost, stage);
	assert_true(isnan(cost.scale) && isnan(cost.per_request_busy));
	assert_true(isnan(cost.per_request_idle));
	assert_near(cost.per_request, 0.0012, ROUNDING);
	assert_near(stage[PREFILL], 12.0 / 3600 * 0.02, ROUNDING);
	assert_near(stage[DECODE], 12.0 / 3600 * 0.1, ROUNDING);
	/* The stages account for more than was paid for: together they cost no more than the
	 * request. */
	example.stages[DECODE].gpu_s = 1;
	weir_cost_of(&example.in, &cost, stage);
	assert_near(stage[PREFILL] + stage[DECODE], cost.per_request, ROUNDING);
}

static void an_unknown_stage_leaves_the_others_unscaled(void **state)
{
	struct example example;
	struct weir_cost cost;
	double stage[STAGES];

	(void)state;
	set_up(&example);
	example.stages[PREFILL].gpu_s = NAN;
	weir_cost_of(&example.in, &cost, stage);
	assert_true(isnan(cost.scale) && isnan(stage[PREFILL]));
	assert_near(stage[DECODE], 12.0 / 3600 * 0.1, ROUNDING);
	assert_true(isnan(cost.per_million_input_tokens));
	assert_true(isnan(cost.per_million_output_tokens));
	assert_near(cost.per_request_idle, 0.0006, ROUNDING);
}

static void a_bill_takes_precedence_over_the_price(void **state)
{
	struct example example;
	struct weir_cost cost;
	double stage[STAGES];

	(void)state;
	set_up(&example);
	example.in.total = 24;
	weir_cost_of(&example.in, &cost, stage);
	assert_near(cost.total, 24, 0);
	assert_near(cost.per_gpu_hour, 24, ROUNDING);
	assert_near(stage[DECODE], 0.001, ROUNDING);
	/* No number of devices is needed. */
	example.in.gpus = example.in.per_gpu_hour = NAN;
	weir_cost_of(&example.in, &cost, stage);
	assert_near(cost.per_request, 0.0024, ROUNDING);
	assert_near(stage[DECODE], 0.001, ROUNDING);
	assert_true(isnan(cost.per_gpu_hour) && isnan(cost.scale));
}

static void without_inputs_every_cost_is_unknown(void **state)
{
	struct weir_cost_stage stage = {WEIR_COST_COMPUTE, 1};
	struct weir_cost_inputs in = weir_cost_unknown();
	struct weir_cost cost;
	double stage_cost = 0;

	(void)state;
	in.stages = &stage;
	in.stage_count = 1;
	weir_cost_of(&in, &cost, &stage_cost);
	assert_true(isnan(stage_cost) && isnan(cost.per_gpu_hour) && isnan(cost.gpus));
	assert_true(isnan(cost.total) && isnan(cost.per_request) && isnan(cost.scale));
	assert_true(isnan(cost.per_request_busy) && isnan(cost.per_request_idle));
	assert_true(isnan(cost.per_request_padding) && isnan(cost.per_request_gaps));
	assert_true(isnan(cost.per_million_tokens) && isnan(cost.per_million_input_tokens));
	assert_true(isnan(cost.per_million_output_tokens) && isnan(cost.tokens_per_unit));
	assert_true(isnan(cost.output_tokens_per_unit));
	assert_null(cost.currency);
}

/* An unknown input makes exactly those outputs unknown that depend on it. */
static void an_unknown_input_hides_only_the_figures_that_need_it(void **state)
{
	struct example example;
	struct weir_cost cost;

	(void)state;
	set_up(&example);
	example.in.requests = NAN;
	weir_cost_of(&example.in, &cost, NULL);
	assert_true(isnan(cost.per_request) && isnan(cost.scale));
	assert_near(cost.tokens_per_unit, 5e5, ROUNDING);
	set_up(&example);
	example.in.input_tokens = NAN;
	weir_cost_of(&example.in, &cost, NULL);
	assert_true(isnan(cost.tokens_per_unit) && isnan(cost.per_million_input_tokens));
	assert_near(cost.output_tokens_per_unit, 1e6 / 12, ROUNDING);
	set_up(&example);
	example.in.cached_tokens = NAN;
	weir_cost_of(&example.in, &cost, NULL);
	assert_true(isnan(cost.per_million_input_tokens));
	assert_near(cost.per_million_output_tokens, 10, ROUNDING);
	set_up(&example);
	example.in.padding_waste = NAN;
	weir_cost_of(&example.in, &cost, NULL);
	assert_true(isnan(cost.per_request_padding));
	assert_near(cost.per_request_gaps, 0.00006, ROUNDING);
}

static void division_by_zero_is_unknown(void **state)
{
	struct example example;
	struct weir_cost cost;

	(void)state;
	set_up(&example);
	example.in.requests = 0;
	example.in.output_tokens = 0;
	example.in.cached_tokens = 5e6;
	weir_cost_of(&example.in, &cost, NULL);
	assert_true(isnan(cost.per_request) && isnan(cost.scale));
	assert_true(isnan(cost.per_million_input_tokens) && isnan(cost.per_million_output_tokens));
	assert_near(cost.output_tokens_per_unit, 0, 0);
}

static void a_busy_share_above_one_counts_as_one(void **state)
{
	struct example example;
	struct weir_cost cost;

	(void)state;
	set_up(&example);
	example.in.gpu_busy = 1.001;
	weir_cost_of(&example.in, &cost, NULL);
	assert_near(cost.per_request_idle, 0, 0);
	assert_near(cost.per_request_busy, 0.0012, ROUNDING);
}

static void device_seconds_are_shared_by_the_batch(void **state)
{
	(void)state;
	assert_near(weir_cost_gpu_s(2, 4, 8), 1, 0);
	assert_near(weir_cost_gpu_s(2, 0, 1), 0, 0);
	assert_true(isnan(weir_cost_gpu_s(2, 1, 0)));
	assert_true(isnan(weir_cost_gpu_s(2, 1, NAN)));
	assert_true(isnan(weir_cost_gpu_s(NAN, 1, 1)));
	assert_true(isnan(weir_cost_gpu_s(-1, 1, 1)));
}

/* ---- the requests of a run ---- */

/* Two requests in a window of a second: 0.2 s of prefill alone, and 0.4 s of decode in a batch of
 * two, half of whose padded tokens are real. */
struct run {
	struct weir_profile *profile;
	struct weir_requests *requests;
	struct weir_serving *serving;
};

static void add_request(struct weir_requests *requests, int64_t start_ns, int64_t batch,
                        const char *stage, int64_t duration_ns)
{
	struct weir_request request = weir_request_unknown();

	weir_requests_add_part_at(requests, weir_requests_stage(requests, stage, strlen(stage)), 0,
	                          duration_ns);
	request.start_ns = start_ns;
	request.end_ns = start_ns + duration_ns;
	request.batch_size = batch;
	request.tokens = 100;
	request.output_tokens = 50;
	weir_requests_add(requests, &request);
}

static struct run run_of(const char *first, const char *second)
{
	struct run run = {.profile = weir_profile_new(), .requests = weir_requests_new()};

	run.requests->time_base = WEIR_TIME_UNIX;
	add_request(run.requests, 1000000000, 1, first, 200000000);
	add_request(run.requests, 1600000000, 2, second, 400000000);
	weir_profile_add_input(run.profile, "requests")->requests = run.requests;
	run.serving = weir_serving_new(run.profile, 0.95, &weir_no_settings);
	assert_non_null(run.serving);
	return run;
}

static void run_release(struct run *run)
{
	weir_serving_free(run->serving);
	weir_profile_free(run->profile);
}

static const struct weir_price hourly = {
	.currency = "USD", .source = "test", .per_gpu_hour = 3600, .total = NAN, .covered = 1};

static struct weir_cost cost_of(const char *first, const char *second)
{
	struct run run = run_of(first, second);
	double stage[WEIR_MAX_REQUEST_STAGES];
	struct weir_cost cost;

	assert_true(weir_serving_cost(run.serving, &hourly, 1, &cost, stage));
	run_release(&run);
	return cost;
}

/* A device costs one a second: 0.2 of prefill, 0.4 of decode, of which half is another request's.
 * Input and output tokens share the second by the device seconds of prefill and decode, 1 to 1. */
static void stages_named_prefill_and_decode_price_their_tokens(void **state)
{
	static const char *const decodes[] = {"model decode", "Generate", "token_generation"};
	struct weir_cost cost;

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		cost = cost_of("compute_Prefill", decodes[i]);
		assert_near(cost.total, 1, 1e-12);
		assert_near(cost.per_request, 0.5, 1e-12);
		assert_near(cost.per_request_busy, 0.3, 1e-12);
		assert_near(cost.scale, 0.6 / 0.4, 1e-12);
		assert_near(cost.per_million_input_tokens, 1e6 * 0.5 / 200, 1e-12);
		assert_near(cost.per_million_output_tokens, 1e6 * 0.5 / 100, 1e-12);
		assert_near(cost.per_million_tokens, 1e6 / 300, 1e-12);
	}
	cost = cost_of("compute", "inference");
	assert_true(isnan(cost.per_million_input_tokens));
	assert_near(cost.per_million_tokens, 1e6 / 300, 1e-12);
}

static void without_output_tokens_only_the_sum_has_a_price(void **state)
{
	struct run run = run_of("prefill", "decode");
	struct weir_cost cost;

	(void)state;
	run.requests->output_tokens[1] = -1;
	assert_true(weir_serving_cost(run.serving, &hourly, 1, &cost, NULL));
	assert_near(cost.per_million_tokens, 1e6 / 200, 1e-12);
	assert_true(isnan(cost.per_million_input_tokens));
	assert_true(isnan(cost.per_million_output_tokens) && isnan(cost.output_tokens_per_unit));
	run.requests->tokens[0] = -1;
	assert_true(weir_serving_cost(run.serving, &hourly, 1, &cost, NULL));
	assert_true(isnan(cost.per_million_tokens));
	run_release(&run);
}

static void without_a_price_or_a_window_there_is_no_cost(void **state)
{
	struct run run = run_of("prefill", "decode");
	struct weir_price none = hourly;
	struct weir_cost cost;

	(void)state;
	none.source = NULL;
	assert_false(weir_serving_cost(run.serving, &none, 1, &cost, NULL));
	run.serving->waiting_known = false;
	assert_false(weir_serving_cost(run.serving, &hourly, 1, &cost, NULL));
	run.serving->waiting_known = true;
	run.serving->load.start_ns = run.serving->load.end_ns;
	assert_false(weir_serving_cost(run.serving, &hourly, 1, &cost, NULL));
	run.serving->load.start_ns--;
	assert_true(weir_serving_cost(run.serving, &hourly, 1, &cost, NULL));
	run_release(&run);
}

static struct weir_serving_devices devices_of(uint32_t monitored, uint16_t traced, bool described,
                                              bool with_work)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_trace *trace = weir_trace_new();
	struct weir_telemetry *telemetry = weir_telemetry_new();
	struct weir_trace_device devices[4] = {{0}};
	struct weir_serving_devices found;

	for (uint32_t d = 0; d < monitored; d++)
		weir_telemetry_device(telemetry, d ? "1" : "0", 1);
	devices[1].described = devices[2].described = described;
	trace->devices = devices;
	trace->device_count = traced;
	trace->device.count = with_work;
	weir_profile_add_input(profile, "monitor")->telemetry = telemetry;
	weir_profile_add_input(profile, "trace")->trace = trace;
	found = weir_serving_devices_of(profile);
	trace->device.count = 0;
	trace->device_count = 0;
	trace->devices = NULL;
	weir_profile_free(profile);
	return found;
}

static void devices_are_counted_by_monitors_then_by_timelines(void **state)
{
	static const struct {
		uint32_t monitored;
		uint16_t traced;
		bool described, with_work;
		double count;
		bool assumed;
	} rows[] = {
		{2, 3, true, true, 2, false}, {0, 3, true, true, 2, false},
		{0, 3, false, true, 1, true}, {0, 1, false, true, 1, false},
		{0, 3, true, false, 1, true}, {0, 0, true, true, 1, true},
		{1, 3, true, true, 1, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct weir_serving_devices found = devices_of(
			rows[i].monitored, rows[i].traced, rows[i].described, rows[i].with_work);

		assert_near(found.count, rows[i].count, 0);
		assert_int_equal(found.assumed, rows[i].assumed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_worked_example_comes_out),
		cmocka_unit_test(stages_and_idle_time_sum_to_the_whole),
		cmocka_unit_test(padding_and_gaps_are_parts_of_the_busy_time),
		cmocka_unit_test(without_utilization_stages_cost_what_they_account_for),
		cmocka_unit_test(an_unknown_stage_leaves_the_others_unscaled),
		cmocka_unit_test(a_bill_takes_precedence_over_the_price),
		cmocka_unit_test(without_inputs_every_cost_is_unknown),
		cmocka_unit_test(an_unknown_input_hides_only_the_figures_that_need_it),
		cmocka_unit_test(division_by_zero_is_unknown),
		cmocka_unit_test(a_busy_share_above_one_counts_as_one),
		cmocka_unit_test(device_seconds_are_shared_by_the_batch),
		cmocka_unit_test(stages_named_prefill_and_decode_price_their_tokens),
		cmocka_unit_test(without_output_tokens_only_the_sum_has_a_price),
		cmocka_unit_test(without_a_price_or_a_window_there_is_no_cost),
		cmocka_unit_test(devices_are_counted_by_monitors_then_by_timelines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
