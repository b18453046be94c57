/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes, windows and prices from several inputs of one run. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/requests/cost.h"
#include "engine/analysis/requests/joining.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"

#define MS INT64_C(1000000)

static const struct server_load busy_half = {
	.requests = 500,
	.interval_ns = 4 * MS,
	.largest = 8,
	.step_ns = 2 * MS,
	.row_ns = MS / 5,
	.tokens = 50,
	.padded_tokens = 100,
};

/* Returns a monitor over the time of the requests with this utilisation, ten samples a second. */
static struct weir_telemetry *monitor(const struct weir_requests *requests, double utilization,
                                      int64_t shift_ns)
{
	struct weir_telemetry *telemetry = weir_telemetry_new();
	uint32_t device = weir_telemetry_device(telemetry, "0", 1);

	weir_telemetry_name_device(telemetry, device, "Device", 6);
	for (int64_t at = requests->start_ns[0]; at < requests->start_ns[requests->count - 1];
	     at += 100 * MS) {
		struct weir_telemetry_sample *sample = weir_telemetry_add(telemetry);

		sample->at_ns = at + shift_ns;
		sample->device = device;
		sample->has_reasons = true;
		sample->reasons = WEIR_CLOCKS_POWER_CAP;
		sample->value[WEIR_GAUGE_UTILIZATION] = utilization;
	}
	return telemetry;
}

struct joined {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

static void join(struct joined *joined, const struct weir_settings *settings)
{
	const struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .settings = settings};
	struct weir_error err;

	assert_int_equal(weir_analysis_new(joined->profile, &options, &joined->analysis, &err),
	                 WEIR_OK);
	joined->report = weir_report_new(joined->profile);
	weir_analysis_report(joined->analysis, joined->report);
}

static struct joined join_monitor(double utilization, int64_t shift_ns)
{
	struct joined joined = {.profile = weir_profile_new()};
	struct weir_requests *requests = make_server(&busy_half);

	weir_profile_add_input(joined.profile, "requests")->requests = requests;
	weir_profile_add_input(joined.profile, "monitor")->telemetry =
		monitor(requests, utilization, shift_ns);
	join(&joined, NULL);
	return joined;
}

static void release(struct joined *joined)
{
	weir_report_free(joined->report);
	weir_analysis_free(joined->analysis);
	weir_profile_free(joined->profile);
}

static size_t notes(const struct weir_report *report, const char *code)
{
	size_t count = 0;

	for (size_t i = 0; i < report->note_count; i++)
		count += strcmp(report->notes[i].code, code) == 0;
	return count;
}

static void a_monitor_that_agrees_is_no_note(void **state)
{
	struct joined joined = join_monitor(0.5, 0);

	(void)state;
	assert_true(joined.report->has_telemetry && joined.report->telemetry.aligned);
	assert_int_equal(notes(joined.report, "contradiction"), 0);
	assert_int_equal(notes(joined.report, "other_time"), 0);
	assert_int_equal(notes(joined.report, "power_cap"), 1);
	release(&joined);
}

static void a_monitor_that_sees_another_device_contradicts(void **state)
{
	struct joined joined = join_monitor(0.01, 0);

	(void)state;
	assert_int_equal(notes(joined.report, "contradiction"), 1);
	release(&joined);
}

static void a_monitor_of_another_day_gets_a_note(void **state)
{
	struct joined joined = join_monitor(0.5, INT64_C(86400000) * 30 * MS);

	(void)state;
	assert_false(joined.report->telemetry.aligned);
	assert_int_equal(notes(joined.report, "other_time"), 1);
	assert_int_equal(notes(joined.report, "contradiction"), 0);
	release(&joined);
}

static void a_price_makes_the_costs_of_requests_add_up_to_the_time_paid_for(void **state)
{
	struct joined joined = {.profile = weir_profile_new()};
	struct weir_settings settings = weir_no_settings;
	const struct weir_cost *cost;
	double stages = 0, hours;

	(void)state;
	settings.cost_per_gpu_hour = 3.6;
	settings.cost_source = "test";
	weir_profile_add_input(joined.profile, "requests")->requests = make_server(&busy_half);
	join(&joined, &settings);
	cost = joined.report->requests.cost;
	assert_non_null(cost);
	hours = (double)joined.report->span_ns / 3.6e12;
	assert_near(cost->total, 3.6 * hours, 1e-9);
	assert_near(cost->per_request * (double)busy_half.requests, cost->total, 1e-9);
	assert_near(cost->per_request_busy + cost->per_request_idle, cost->per_request, 1e-9);
	assert_near(cost->per_request_padding, 0.5 * cost->per_request_busy, 1e-6);
	assert_near(cost->scale, 1, 1e-6);
	for (size_t i = 0; i < joined.report->stage_count; i++)
		if (!isnan(joined.report->stages[i].cost_usd))
			stages += joined.report->stages[i].cost_usd;
	assert_near(stages, cost->per_request_busy, 1e-9);
	assert_int_equal(notes(joined.report, "cost"), 1); /* one device is assumed */
	release(&joined);
}

static void without_a_price_there_is_no_cost(void **state)
{
	struct joined joined = join_monitor(0.5, 0);

	(void)state;
	assert_null(joined.report->requests.cost);
	for (size_t i = 0; i < joined.report->stage_count; i++)
		assert_true(isnan(joined.report->stages[i].cost_usd));
	release(&joined);
}

/* Returns a trace with one kernel; base_ns 0: its time of day is unknown. */
static struct weir_trace *one_kernel(int64_t base_ns)
{
	struct weir_trace *trace = weir_trace_new();

	trace->base_ns = base_ns;
	weir_device_columns_reserve(&trace->device, 1);
	trace->device.start_ns[0] = 10;
	trace->device.end_ns[0] = 20;
	trace->device.count = 1;
	return trace;
}

static void only_timelines_with_a_time_of_day_extend_the_common_time(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_stretch stretch;

	(void)state;
	weir_profile_add_input(profile, "a")->trace = one_kernel(0);
	stretch = weir_traces_stretch(profile);
	assert_int_equal(stretch.start_ns, stretch.end_ns);
	weir_profile_add_input(profile, "b")->trace = one_kernel(1000);
	weir_profile_add_input(profile, "c")->trace = one_kernel(500);
	stretch = weir_traces_stretch(profile);
	assert_int_equal(stretch.start_ns, 510);
	assert_int_equal(stretch.end_ns, 1020);
	weir_profile_add_input(profile, "d")->trace = one_kernel(INT64_MAX);
	stretch = weir_traces_stretch(profile);
	assert_int_equal(stretch.end_ns, 1020);
	weir_profile_free(profile);
}

static void host_work_dates_a_timeline_without_a_device(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_trace *trace = weir_trace_new();
	struct weir_stretch stretch;

	(void)state;
	trace->base_ns = 1000;
	weir_host_columns_reserve(&trace->host, 3);
	trace->host.start_ns[0] = 30;
	trace->host.end_ns[0] = 50;
	trace->host.start_ns[1] = 10;
	trace->host.end_ns[1] = 40;
	trace->host.start_ns[2] = 90; /* without a length */
	trace->host.end_ns[2] = 90;
	trace->host.count = 3;
	weir_profile_add_input(profile, "a")->trace = trace;
	stretch = weir_traces_stretch(profile);
	assert_int_equal(stretch.start_ns, 1010);
	assert_int_equal(stretch.end_ns, 1050);
	weir_device_columns_reserve(&trace->device, 1);
	trace->device.start_ns[0] = 35;
	trace->device.end_ns[0] = 36;
	trace->device.count = 1;
	stretch = weir_traces_stretch(profile);
	assert_int_equal(stretch.start_ns, 1035);
	assert_int_equal(stretch.end_ns, 1036);
	weir_profile_free(profile);
}

/* Requests from 2,000 to 3,000 ns. */
static size_t notes_about_times(const char *code, int64_t trace_base_ns, bool dated)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_requests requests = {.time_base = dated ? WEIR_TIME_UNIX : WEIR_TIME_MONOTONIC};
	struct weir_serving serving = {.requests = &requests,
	                               .load = {.start_ns = 2000, .end_ns = 3000}};
	struct weir_report *report = weir_report_new(profile);
	size_t count;

	weir_profile_add_input(profile, "a")->trace = one_kernel(trace_base_ns);
	report->has_requests = report->has_gpu = true;
	weir_join(profile, &serving, report);
	count = notes(report, code);
	weir_report_free(report);
	weir_profile_free(profile);
	return count;
}

/* The kernel runs from 10 to 20 ns after the beginning of its trace. */
static void a_timeline_and_requests_overlap_or_get_a_note(void **state)
{
	(void)state;
	assert_int_equal(notes_about_times("other_time", 1980, true), 1); /* ends at the start */
	assert_int_equal(notes_about_times("other_time", 1981, true), 0);
	assert_int_equal(notes_about_times("other_time", 2989, true), 0);
	assert_int_equal(notes_about_times("other_time", 2990, true), 1); /* starts at the end */
	assert_int_equal(notes_about_times("by_stage", 2500, true), 0);
	assert_int_equal(notes_about_times("by_stage", 2500, false), 1);
	assert_int_equal(notes_about_times("by_stage", 0, true), 1);
	assert_int_equal(notes_about_times("other_time", 0, true), 0);
}

static void a_monitor_without_times_says_so(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	report->has_telemetry = true;
	weir_profile_add_input(profile, "a")->trace = one_kernel(1000);
	weir_join(profile, NULL, report);
	assert_int_equal(notes(report, "other_time"), 1);
	assert_non_null(strstr(report->notes[0].text, "have no times"));
	report->note_count = 0;
	report->telemetry.span_ns = 1;
	weir_join(profile, NULL, report);
	assert_non_null(strstr(report->notes[0].text, "do not overlap"));
	report->note_count = 0;
	report->telemetry.aligned = true;
	weir_join(profile, NULL, report);
	assert_int_equal(report->note_count, 0);
	weir_report_free(report);
	weir_profile_free(profile);
}

/* ---- devices ---- */

static size_t contradictions(const char *first, const char *second, const char *seen)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_device_summary devices[] = {{.name = first}, {.name = second}};
	size_t count;

	report->has_telemetry = true;
	report->telemetry.device_name = seen;
	report->devices = devices;
	report->device_count = 2;
	weir_join(profile, NULL, report);
	count = notes(report, "contradiction");
	report->device_count = 0;
	weir_join(profile, NULL, report);
	assert_int_equal(notes(report, "contradiction"), count);
	weir_report_free(report);
	weir_profile_free(profile);
	return count;
}

static void a_monitor_of_another_device_contradicts_the_timeline(void **state)
{
	(void)state;
	assert_int_equal(contradictions("A", "B", "A"), 0);
	assert_int_equal(contradictions("A", "B", "B"), 0);
	assert_int_equal(contradictions("A", "B", "C"), 1);
	assert_int_equal(contradictions("A", NULL, "C"), 1);
	assert_int_equal(contradictions("A", "B", NULL), 0);
	assert_int_equal(contradictions(NULL, "B", "C"), 0);
}

/* ---- clients ---- */

static size_t client_notes(int64_t client_ns, bool server_is_client)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_requests served = {.time_base = WEIR_TIME_UNIX, .client = server_is_client};
	struct weir_serving serving = {.requests = &served};
	struct weir_report *report = weir_report_new(profile);
	struct weir_requests *client = weir_requests_new();
	struct weir_request request = weir_request_unknown();
	struct weir_requests *none = weir_requests_new();
	size_t count;

	client->client = none->client = true;
	request.start_ns = 1000;
	request.end_ns = 1000 + client_ns;
	weir_requests_add(client, &request);
	weir_profile_add_input(profile, "none")->requests = none;
	weir_profile_add_input(profile, "client")->requests = client;
	report->requests.latency.p95_ns = 1000;
	weir_join(profile, &serving, report);
	count = notes(report, "client_latency");
	weir_report_free(report);
	weir_profile_free(profile);
	return count;
}

static void a_client_that_waits_a_quarter_longer_gets_a_note(void **state)
{
	(void)state;
	assert_int_equal(client_notes(1250, false), 0);
	assert_int_equal(client_notes(1251, false), 1);
	assert_int_equal(client_notes(1251, true), 0);
}

static void a_sample_of_requests_is_stated_or_concluded(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_requests requests = {.time_base = WEIR_TIME_UNIX, .count = 20};
	struct weir_serving serving = {.requests = &requests, .batches = {.coverage = 0.25}};
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	weir_join(profile, &serving, report);
	assert_int_equal(notes(report, "sampled"), 0);
	serving.sampled = true;
	weir_join(profile, &serving, report);
	assert_int_equal(notes(report, "sampled"), 1);
	assert_non_null(strstr(report->notes[0].text, "about 25 %"));
	report->note_count = 0;
	requests.sampled = true;
	weir_join(profile, &serving, report);
	assert_int_equal(notes(report, "sampled"), 1);
	assert_non_null(strstr(report->notes[0].text, "holds a sample"));
	weir_report_free(report);
	weir_profile_free(profile);
}

static void percentiles_of_fewer_than_twenty_requests_are_rough(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_requests requests = {.time_base = WEIR_TIME_UNIX, .count = 20};
	struct weir_serving serving = {.requests = &requests};
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	weir_join(profile, &serving, report);
	assert_int_equal(notes(report, "few_requests"), 0);
	requests.count = 19;
	weir_join(profile, &serving, report);
	assert_int_equal(notes(report, "few_requests"), 1);
	assert_string_equal(report->notes[0].text,
	                    "19 requests: p95 and p99 of fewer than 20 are rough");
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Requests without times of day follow each other in no known distance. */
static void only_requests_with_times_have_a_span(void **state)
{
	const enum weir_time_base bases[] = {WEIR_TIME_UNIX, WEIR_TIME_NONE};

	(void)state;
	for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
		struct joined joined = {.profile = weir_profile_new()};
		struct weir_requests *requests = make_server(&busy_half);

		requests->time_base = bases[i];
		weir_profile_add_input(joined.profile, "requests")->requests = requests;
		join(&joined, NULL);
		assert_true((joined.report->span_ns > 0) == (bases[i] == WEIR_TIME_UNIX));
		release(&joined);
	}
}

static void notes_have_a_limit(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	for (int i = 0; i < 1000; i++)
		weir_report_note(report, "code", "note %d", i);
	assert_int_equal(report->note_count, 32);
	assert_string_equal(report->notes[31].text, "note 31");
	weir_report_free(report);
	weir_profile_free(profile);
}

/* Joins two tables of requests; returns the number of notes about tables that are left out. */
static size_t left_out_notes(enum weir_time_base base, bool client)
{
	struct joined joined = {.profile = weir_profile_new()};
	struct server_load load = busy_half;
	struct weir_requests *other;
	size_t count;

	weir_profile_add_input(joined.profile, "a")->requests = make_server(&load);
	load.requests = 100;
	other = make_server(&load);
	other->time_base = base;
	other->client = client;
	weir_profile_add_input(joined.profile, "b")->requests = other;
	join(&joined, NULL);
	count = notes(joined.report, "left_out");
	release(&joined);
	return count;
}

static void tables_on_another_clock_are_left_out_with_a_note(void **state)
{
	struct weir_requests *plain = make_server(&busy_half);
	enum weir_time_base base = plain->time_base;

	(void)state;
	weir_requests_free(plain);
	assert_int_equal(left_out_notes(base, false), 0);
	assert_int_equal(left_out_notes(WEIR_TIME_NONE, false), 1);
	assert_int_equal(left_out_notes(base, true), 0); /* a client beside a server */
}

/* Returns the notes of this code about a report with these figures of a monitor. */
static size_t notes_about(const char *code, const struct weir_telemetry_figures *telemetry,
                          double compute_busy)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	size_t count;

	report->has_telemetry = true;
	report->telemetry = *telemetry;
	report->requests.compute_busy = compute_busy;
	weir_join(profile, NULL, report);
	count = notes(report, code);
	weir_report_free(report);
	weir_profile_free(profile);
	return count;
}

static void a_monitor_contradicts_requests_from_a_difference_on(void **state)
{
	struct weir_telemetry_figures telemetry = {
		.aligned = true, .samples = 10, .devices = 1, .utilization_all = 0.25};

	(void)state;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.25 + 0.3499), 0);
	assert_int_equal(notes_about("contradiction", &telemetry, 0.25 + 0.3501), 1);
	assert_int_equal(notes_about("contradiction", &telemetry, NAN), 0);
	telemetry.samples = 9;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.9), 0);
	telemetry.samples = 10;
	telemetry.devices = 2;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.9), 0);
	telemetry.devices = 1;
	telemetry.aligned = false;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.9), 0);
	telemetry.aligned = true;
	telemetry.utilization_all = NAN;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.9), 0);
	telemetry.utilization_all = 0.95;
	assert_int_equal(notes_about("contradiction", &telemetry, 0.5), 1);
}

static void reduced_clocks_get_a_note_from_a_tenth_of_the_time_on(void **state)
{
	struct weir_telemetry_figures telemetry = {.power_capped = 0.1, .thermal_capped = 0.0999};

	(void)state;
	assert_int_equal(notes_about("power_cap", &telemetry, NAN), 1);
	assert_int_equal(notes_about("thermal", &telemetry, NAN), 0);
	telemetry = (struct weir_telemetry_figures){.power_capped = 0.0999, .thermal_capped = 0.1};
	assert_int_equal(notes_about("power_cap", &telemetry, NAN), 0);
	assert_int_equal(notes_about("thermal", &telemetry, NAN), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_monitor_that_agrees_is_no_note),
		cmocka_unit_test(a_monitor_that_sees_another_device_contradicts),
		cmocka_unit_test(a_monitor_of_another_day_gets_a_note),
		cmocka_unit_test(a_price_makes_the_costs_of_requests_add_up_to_the_time_paid_for),
		cmocka_unit_test(without_a_price_there_is_no_cost),
		cmocka_unit_test(only_timelines_with_a_time_of_day_extend_the_common_time),
		cmocka_unit_test(host_work_dates_a_timeline_without_a_device),
		cmocka_unit_test(a_timeline_and_requests_overlap_or_get_a_note),
		cmocka_unit_test(a_monitor_without_times_says_so),
		cmocka_unit_test(a_monitor_of_another_device_contradicts_the_timeline),
		cmocka_unit_test(a_client_that_waits_a_quarter_longer_gets_a_note),
		cmocka_unit_test(a_sample_of_requests_is_stated_or_concluded),
		cmocka_unit_test(percentiles_of_fewer_than_twenty_requests_are_rough),
		cmocka_unit_test(only_requests_with_times_have_a_span),
		cmocka_unit_test(notes_have_a_limit),
		cmocka_unit_test(tables_on_another_clock_are_left_out_with_a_note),
		cmocka_unit_test(a_monitor_contradicts_requests_from_a_difference_on),
		cmocka_unit_test(reduced_clocks_get_a_note_from_a_tenth_of_the_time_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
