/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs of random profiles, as `weir convert` writes them, against tests/data/random_runs: ranks
 * that differ, steps that are set apart, requests, samples, and runs of other tools.
 * `WEIR_UPDATE_RUNS=1 test_random_runs` rewrites the files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS 24
#define MS     INT64_C(1000000)

static void add_label(struct weir_trace *trace, const char *key, const char *value)
{
	trace->labels = weir_grow(trace->labels, &trace->label_capacity, trace->label_count + 1,
	                          sizeof *trace->labels);
	trace->labels[trace->label_count++] =
		(struct weir_label){weir_names_add(trace->names, key, strlen(key)),
	                            weir_names_add(trace->names, value, strlen(value))};
}

static void give_labels(struct weir_trace *trace, int round)
{
	static const char *const values[] = {"999", "1000", "12040", "99999", "100000", "6.1.2"};
	const char *value = values[round % 6];

	add_label(trace, "profiler", "an unknown label");
	add_label(trace, round % 2 ? "hip_runtime_version" : "cuda_runtime_version", value);
	add_label(trace, round % 2 ? "hip_driver_version" : "cuda_driver_version", value);
	if (round % 3 > 0)
		trace->devices[0].name = weir_names_add(trace->names, "NVIDIA H200", 11);
}

/* Adds ranks that do the same, each with one device that is slower than that of the others; in
 * every fourth round the last one does something else. */
static void add_ranks(struct weir_profile *profile, uint64_t *seed, int round)
{
	const int ranks = 1 + round % 3;
	const uint64_t first = *seed;

	for (int rank = 0; rank < ranks; rank++) {
		uint64_t same = first;
		bool other = rank > 0 && rank + 1 == ranks && round % 4 == 1;
		struct weir_trace *trace = random_trace(other ? seed : &same);

		for (size_t i = 0; i < trace->device.count; i++)
			if (trace->device.device[i] == rank % 2)
				trace->device.end_ns[i] +=
					trace->device.end_ns[i] - trace->device.start_ns[i];
		give_labels(trace, round);
		trace->rank = rank;
		*seed = rank == 0 ? same : *seed;
		weir_profile_add_input(profile, "trace")->trace = trace;
	}
}

static struct weir_requests *draw_requests(uint64_t *seed)
{
	struct server_load load = {
		.requests = 30, .largest = 4, .interval_ns = 8 * MS, .offsets = true};

	load.before_ns = (int64_t)(next_number(seed) % 3) * MS;
	load.step_ns = (int64_t)(1 + next_number(seed) % 9) * MS;
	load.tokens = (int64_t)(next_number(seed) % 2) * 100;
	return make_server(&load);
}

static struct weir_telemetry *draw_samples(uint64_t *seed, size_t devices)
{
	static const char *const ids[] = {"0", "1"};
	struct weir_telemetry *telemetry = weir_telemetry_new();

	for (size_t i = 0; i < devices && i < WEIR_COUNT_OF(ids); i++) {
		uint32_t device = weir_telemetry_device(telemetry, ids[i], 1);
		struct weir_telemetry_sample *sample = weir_telemetry_add(telemetry);

		if (next_number(seed) % 2)
			weir_telemetry_name_device(telemetry, device, "NVIDIA L4", 9);
		sample->device = device;
		sample->at_ns = WEIR_NO_TIME;
		sample->value[WEIR_GAUGE_UTILIZATION] = 0.5;
	}
	return telemetry;
}

/* A run of another tool, with some of the names that a timeline gives. */
static struct weir_run *draw_run(uint64_t *seed)
{
	static const char *const names[] = {"prefill", "decode_7", "step"};
	struct weir_run *run = weir_run_new();

	for (unsigned t = 0; t < WEIR_RUN_METRICS; t++)
		for (size_t i = 0; i < 3; i++)
			for (size_t v = next_number(seed) % 4; v > 0; v--)
				weir_series_push(
					weir_series_get(weir_run_table(run, (enum weir_run_table)t),
				                        names[i]),
					(double)(next_number(seed) % 1000));
	weir_run_add_metric(run, "tokens_per_s", (double)(next_number(seed) % 1000), "1/s", true);
	weir_run_add_metric(run, "loss", (double)(next_number(seed) % 1000), NULL, false);
	weir_run_set_label(run, "model", "a model");
	return run;
}

static struct weir_profile *draw(uint64_t *seed, int round)
{
	struct weir_profile *profile = weir_profile_new();

	if (round % 4 != 3)
		add_ranks(profile, seed, round);
	if (round % 4 > 1)
		weir_profile_add_input(profile, "requests")->requests = draw_requests(seed);
	if (round % 4 == 3)
		for (size_t devices = 0; devices < 3; devices++)
			weir_profile_add_input(profile, "monitor")->telemetry =
				draw_samples(seed, devices);
	if (round % 3 == 0)
		for (int i = 0; i < 2; i++)
			weir_profile_add_input(profile, "run")->run = draw_run(seed);
	return profile;
}

static void runs_of_random_profiles_keep_every_value(void **state)
{
	uint64_t seed = 53;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct weir_analysis_options options = {.steady = round % 2,
		                                              .percentile = 0.95};
		struct weir_profile *profile = draw(&seed, round);
		struct weir_text text = {0};
		char path[64];

		(void)snprintf(path, sizeof path, "tests/data/random_runs/%d.txt", round);
		report_record_add_run(profile, &options, &text);
		record_check(path, &text, "WEIR_UPDATE_RUNS");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_of_random_profiles_keep_every_value),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
