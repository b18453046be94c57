/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole reports of random traces, against tests/data/random_reports: they hold what no program
 * does, such as ranges that do not nest, so that they reach what other tests do not ask for. In the
 * second half of the rounds times lie on a grid, so that rows touch and gaps are as long as limits.
 * A few captured programs show what random traces do not have: models, stacks and graphs.
 * `WEIR_UPDATE_REPORTS=1 test_random_reports` rewrites the files. */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/readers/reader.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/make_server.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"
#include "tests/unit/record.h"
#include "tests/unit/report_record.h"

#define ROUNDS 20
#define EXACT  8  /* the first round on a grid */
#define SERVED 40 /* rounds with requests */
#define MS     INT64_C(1000000)
#define DEVICE "NVIDIA H100 80GB HBM3"

static struct weir_trace *draw(uint64_t *seed, int round)
{
	static const int64_t grids[] = {500, 1000, 5000, 10000};
	struct weir_trace *trace = random_trace_on_grid(seed, round < EXACT ? 1 : grids[round % 4]);

	advice_give_shape(trace, "aten::mm", "[[512, 512], [512, 512]]", "[\"float\", \"float\"]");
	advice_give_shape(trace, "aten::add", "[[64, 512], [512], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	return trace;
}

static void check(const char *kind, int round, struct weir_profile *profile,
                  const struct weir_analysis_options *options)
{
	struct weir_text text = {0};
	char path[64];

	(void)snprintf(path, sizeof path, "tests/data/random_reports/%s%d.txt", kind, round);
	report_record_add(profile, options, &text);
	weir_profile_free(profile);
	record_check(path, &text, "WEIR_UPDATE_REPORTS");
	weir_text_release(&text);
}

/* Each run has one to three ranks. */
static void reports_of_random_traces_keep_every_figure(void **state)
{
	uint64_t seed = 41;

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		const struct weir_analysis_options options = {.steady = round % 2,
		                                              .percentile = 0.95,
		                                              .device_name =
		                                                      round % 3 ? DEVICE : NULL};
		struct weir_profile *profile = weir_profile_new();

		for (int rank = 0; rank <= round % 3; rank++)
			weir_profile_add_input(profile, "trace")->trace = draw(&seed, round);
		check("", round, profile, &options);
	}
}

/* ---- requests ---- */

static int64_t any(uint64_t *seed, const int64_t *list, size_t count)
{
	return list[next_number(seed) % count];
}

#define ANY(seed, ...)                                                                             \
	any(seed, (const int64_t[]){__VA_ARGS__},                                                  \
	    sizeof((const int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

/* Simulates a batching server that is idle, busy or too slow, with any stage as its bottleneck. */
static struct weir_requests *draw_requests(uint64_t *seed)
{
	struct server_load load = {.requests = 120};

	load.interval_ns = ANY(seed, 2, 4, 8, 20) * MS;
	load.burst = (size_t)ANY(seed, 1, 1, 6);
	load.window_ns = ANY(seed, 0, 0, 5, 30) * MS;
	load.largest = ANY(seed, 1, 4, 16);
	load.before_ns = ANY(seed, 0, 1, 3) * MS;
	load.after_ns = ANY(seed, 0, 0, 2) * MS;
	load.assembly_ns = ANY(seed, 0, 0, 2) * MS;
	load.copy_ns = ANY(seed, 0, 1, 6) * MS;
	load.interference = ANY(seed, 1, 1, 2);
	load.step_ns = ANY(seed, 1, 5, 12) * MS;
	load.row_ns = ANY(seed, 0, 0, 1) * MS;
	load.tokens = ANY(seed, 0, 100, 100);
	load.padded_tokens = load.tokens ? ANY(seed, 0, 100, 160) : 0;
	load.offsets = ANY(seed, 0, 1);
	load.unstated_batches = ANY(seed, 0, 0, 1);
	return make_server(&load);
}

/* Samples of a device a tenth of a second apart, on both sides of its limits. */
static struct weir_telemetry *draw_samples(uint64_t *seed, int64_t start_ns)
{
	struct weir_telemetry *telemetry = weir_telemetry_new();
	uint32_t device = weir_telemetry_device(telemetry, "0", 1);
	int64_t watts = ANY(seed, 300, 690, 700), clock = ANY(seed, 1980, 1680, 1500);

	for (int i = 0; i < 20; i++) {
		struct weir_telemetry_sample *sample = weir_telemetry_add(telemetry);

		sample->at_ns = start_ns + i * (100 * MS);
		sample->device = device;
		sample->value[WEIR_GAUGE_UTILIZATION] = (double)ANY(seed, 0, 40, 98) / 100;
		sample->value[WEIR_GAUGE_POWER_W] = (double)watts;
		sample->value[WEIR_GAUGE_POWER_LIMIT_W] = 700;
		sample->value[WEIR_GAUGE_SM_CLOCK_MHZ] = (double)clock;
		sample->value[WEIR_GAUGE_SM_CLOCK_MAX_MHZ] = 1980;
		sample->value[WEIR_GAUGE_TEMPERATURE_C] = (double)ANY(seed, 60, 84, 90);
		sample->value[WEIR_GAUGE_SM_ACTIVE] = i % 3 / 4.0;
		sample->value[WEIR_GAUGE_TENSOR_ACTIVE] = i % 4 / 8.0;
		sample->value[WEIR_GAUGE_DRAM_ACTIVE] = i % 5 / 16.0;
		sample->has_reasons = true;
		sample->reasons = clock < 1980 ? WEIR_CLOCKS_POWER_CAP : 0;
	}
	return telemetry;
}

static void reports_of_random_requests_keep_every_figure(void **state)
{
	uint64_t seed = 43;

	(void)state;
	for (int round = 0; round < SERVED; round++) {
		const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
		struct weir_profile *profile = weir_profile_new();
		struct weir_input *input = weir_profile_add_input(profile, "requests");
		int64_t start_ns;

		input->requests = draw_requests(&seed);
		start_ns = input->requests->start_ns[0];
		if (round % 2)
			weir_profile_add_input(profile, "monitor")->telemetry =
				draw_samples(&seed, start_ns);
		check("requests", round, profile, &options);
	}
}

/* ---- programs ---- */

static const char *const programs[] = {
	"angular_spectrum_propagation",
	"bitmap_filter",
	"clip_frames_pageable_upload",
	"crf_tagger",
	"decode_growing_slice",
	"detector_numpy_nms",
	"doc_pooling",
	"evoformer_row_attention",
	"frames_post_compiled",
	"graph_readout_loop",
	"item_tower",
	"lm_score_logits_to_cpu",
	"mask_net_2049_bins",
	"moe_decoder",
	"ocr_lines_cudnn_benchmark",
	"pose_keypoints_one_by_one",
	"robot_obs_upload",
	"seismic_stream",
	"t5_query_encoder",
	"tcn_new_lengths",
	"upload_overlapped",
	"whisper_encoder_eager_attention",
};

static void reports_of_programs_keep_every_figure(void **state)
{
	const struct weir_read_options by_content = {0};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(programs); i++) {
		const struct weir_analysis_options options = {.steady = i % 2, .percentile = 0.95};
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		char path[PATH_MAX];
		const char *only = path;

		(void)snprintf(path, sizeof path, "tests/data/programs/%s.pt.trace.json.gz",
		               programs[i]);
		if (weir_read_paths(profile, &only, 1, &by_content, &err))
			fail_msg("%s", err.message);
		check("program", (int)i, profile, &options);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reports_of_random_traces_keep_every_figure),
		cmocka_unit_test(reports_of_random_requests_keep_every_figure),
		cmocka_unit_test(reports_of_programs_keep_every_figure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
