/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Features of the profile from annotated steps, kernels and waits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/rank/features.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_report *report;
};

static void desk_open(struct desk *desk, struct weir_trace *first, struct weir_trace *second)
{
	const struct weir_analysis_options options = {.percentile = 0.95};
	struct weir_error err = {0};

	desk->profile = weir_profile_new();
	weir_profile_add_input(desk->profile, "trace")->trace = first;
	if (second)
		weir_profile_add_input(desk->profile, "trace")->trace = second;
	if (weir_analysis_new(desk->profile, &options, &desk->analysis, &err))
		fail_msg("%s", err.message);
	desk->report = weir_report_new(desk->profile);
	weir_analysis_report(desk->analysis, desk->report);
}

static void desk_close(struct desk *desk)
{
	weir_report_free(desk->report);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

static double feature(const struct desk *desk, enum weir_feature_id id)
{
	return desk->report->features[id];
}

/* Steps that a server annotates with their batch. */
struct server {
	struct make_trace *make;
	int64_t at_ns;
};

static void add_step(struct server *server, const char *name, int64_t duration_ns)
{
	make_host(server->make, WEIR_HOST_ANNOTATION, 0, name, server->at_ns,
	          server->at_ns + duration_ns);
	make_launch(server->make, server->at_ns + 10, server->at_ns + 20, server->at_ns + 30,
	            server->at_ns + 100);
	server->at_ns += duration_ns + 50;
}

static void add_batches(struct server *server, const char *stage, int count, int rows, int padded,
                        int64_t duration_ns)
{
	char name[64];

	(void)snprintf(name, sizeof name, "%s[bs=%d/%d tok=%d]", stage, rows, padded, rows);
	for (int i = 0; i < count; i++)
		add_step(server, name, duration_ns);
}

static double flat_ratio(int small_count, int small_rows, int full_count)
{
	struct server server = {.make = make_trace_new()};
	struct desk desk;
	double ratio;

	add_batches(&server, "decode", small_count, small_rows, 8, 900);
	add_batches(&server, "decode", full_count, 8, 8, 1200);
	add_batches(&server, "decode", 7, 5, 8, 5000); /* between half and the largest */
	desk_open(&desk, make_trace_finish(server.make), NULL);
	ratio = feature(&desk, WEIR_F_FLAT_STEP_RATIO);
	desk_close(&desk);
	return ratio;
}

static void steps_of_half_a_batch_are_compared_with_full_ones(void **state)
{
	(void)state;
	assert_near(flat_ratio(5, 4, 5), 0.75, 1e-12);
	assert_near(flat_ratio(5, 1, 5), 0.75, 1e-12);
	assert_near(flat_ratio(5, 0, 5), NAN, 0); /* no rows: no batch */
	assert_near(flat_ratio(4, 4, 5), NAN, 0);
	assert_near(flat_ratio(5, 4, 4), NAN, 0);
}

static void the_stage_with_most_such_steps_is_compared(void **state)
{
	struct server server = {.make = make_trace_new()};
	struct desk desk;

	(void)state;
	add_batches(&server, "prefill", 6, 1, 8, 1000);
	add_batches(&server, "prefill", 5, 8, 8, 2000);
	add_batches(&server, "decode", 5, 1, 8, 300);
	add_batches(&server, "decode", 6, 4, 4, 400); /* as many: the first one stays */
	desk_open(&desk, make_trace_finish(server.make), NULL);
	assert_near(feature(&desk, WEIR_F_FLAT_STEP_RATIO), 0.5, 1e-12);
	desk_close(&desk);
	server = (struct server){.make = make_trace_new()};
	add_batches(&server, "prefill", 6, 1, 8, 1000);
	add_batches(&server, "prefill", 5, 8, 8, 2000);
	add_batches(&server, "decode", 6, 1, 8, 300);
	add_batches(&server, "decode", 6, 4, 4, 400);
	desk_open(&desk, make_trace_finish(server.make), NULL);
	assert_near(feature(&desk, WEIR_F_FLAT_STEP_RATIO), 0.75, 1e-12);
	desk_close(&desk);
}

static void padding_is_counted_where_both_sizes_are_stated(void **state)
{
	struct server server = {.make = make_trace_new()}, other = {.make = make_trace_new()};
	struct desk desk;

	(void)state;
	add_batches(&server, "decode", 3, 6, 8, 500);
	add_step(&server, "decode[bs=100 tok=1]", 500);
	add_step(&server, "decode[tok=1]", 500);
	add_batches(&other, "decode", 2, 0, 8, 500);
	desk_open(&desk, make_trace_finish(server.make), make_trace_finish(other.make));
	assert_near(feature(&desk, WEIR_F_PADDING_WASTE), 1 - 18. / 40, 1e-12);
	desk_close(&desk);
	server = (struct server){.make = make_trace_new()};
	add_step(&server, "decode[bs=100 tok=1]", 500);
	desk_open(&desk, make_trace_finish(server.make), NULL);
	assert_near(feature(&desk, WEIR_F_PADDING_WASTE), NAN, 0);
	desk_close(&desk);
}

/* An operator and its backward pass are one; of two operators the longer one is the top. */
static void an_operator_and_its_gradient_are_one(void **state)
{
	static const char *const names[] = {"aten::conv", "aten::conv_backward_input",
	                                    "aten::convolution", "aten::conv_backward_weight"};
	static const int64_t lengths[] = {10, 20, 35, 6};
	struct make_trace *make = make_trace_new();
	struct desk desk;

	(void)state;
	for (int i = 0; i < 4; i++) {
		int64_t at = INT64_C(1000) * i;

		make_host(make, WEIR_HOST_OP, 0, names[i], at, at + 100);
		make_call(make, 0, "cudaLaunchKernel", at + 10, at + 20, (uint64_t)i + 1);
		make_kernel(make, 0, names[i], at + 200, at + 200 + lengths[i], (uint64_t)i + 1);
	}
	desk_open(&desk, make_trace_finish(make), NULL);
	assert_near(feature(&desk, WEIR_F_TOP_OPERATOR_SHARE), 36. / 71, 1e-12);
	assert_near(feature(&desk, WEIR_F_TOP_OPERATOR_MODELLED), 0, 0);
	assert_near(feature(&desk, WEIR_F_KERNEL_P50_NS), 15, 0);
	assert_near(feature(&desk, WEIR_F_GRAPH_SHARE), 0, 0);
	desk_close(&desk);
}

static void graphs_are_counted_by_their_time(void **state)
{
	struct make_trace *make = make_trace_new();
	struct desk desk;

	(void)state;
	make_launch(make, 0, 10, 20, 50);
	make_call(make, 0, "cudaGraphLaunch", 60, 70, 900);
	make_device(make, &(struct make_device_row){.name = "a",
	                                            .start_ns = 100,
	                                            .end_ns = 170,
	                                            .correlation = 900,
	                                            .flags = WEIR_DEVICE_IN_GRAPH});
	desk_open(&desk, make_trace_finish(make), NULL);
	assert_near(feature(&desk, WEIR_F_GRAPH_SHARE), 0.7, 1e-12);
	desk_close(&desk);
}

/* A share needs device time, if only a nanosecond. */
static void a_graph_of_a_nanosecond_has_a_share(void **state)
{
	(void)state;
	for (int64_t ns = 0; ns < 3; ns++) {
		struct make_trace *make = make_trace_new();
		struct desk desk;

		make_call(make, 0, "cudaGraphLaunch", 0, 10, 900);
		make_device(make, &(struct make_device_row){.name = "a",
		                                            .start_ns = 100,
		                                            .end_ns = 100 + ns,
		                                            .correlation = 900,
		                                            .flags = WEIR_DEVICE_IN_GRAPH});
		make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
		                                            .name = "copy",
		                                            .start_ns = 200,
		                                            .end_ns = 200});
		desk_open(&desk, make_trace_finish(make), NULL);
		assert_near(feature(&desk, WEIR_F_GRAPH_SHARE), ns > 0 ? 1 : NAN, 0);
		desk_close(&desk);
	}
}

/* Returns true if the time without work is set apart: `stages` stages of a millisecond each, and
 * between them the thread does nothing for gap_ns. The device works in the last 800 us of each. */
static bool sets_silence_apart(int stages, int64_t gap_ns, bool named)
{
	static const char *const names[] = {"prefill", "decode"};
	struct make_trace *make = make_trace_new();
	struct desk desk;
	bool apart;

	for (int i = 0; i < 4; i++) {
		int64_t at = i * (1000000 + gap_ns);

		if (named)
			make_host(make, WEIR_HOST_ANNOTATION, 0, names[i % stages], at,
			          at + 1000000);
		else
			make_host(make, WEIR_HOST_OP, 0, "aten::mm", at, at + 1000000);
		make_launch(make, at, at + 10, at + 200000, at + 1000000);
	}
	desk_open(&desk, make_trace_finish(make), NULL);
	apart = weir_report_has_note(desk.report, WEIR_NOTE_NO_WORK);
	assert_int_equal(desk.report->attribution.total_ns, apart ? 3800000 : 3800000 + 3 * gap_ns);
	desk_close(&desk);
	return apart;
}

/* The silence is 3 x gap_ns of 3800000 + 3 x gap_ns, so half of the time at 3800000. */
static void more_silence_than_anything_else_is_no_time_to_judge(void **state)
{
	(void)state;
	for (int stages = 1; stages <= 2; stages++) {
		assert_false(sets_silence_apart(stages, 1266666, true));
		assert_true(sets_silence_apart(stages, 1266667, true));
		assert_true(sets_silence_apart(stages, 90000000, true));
		assert_false(sets_silence_apart(stages, 90000000, false));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(steps_of_half_a_batch_are_compared_with_full_ones),
		cmocka_unit_test(the_stage_with_most_such_steps_is_compared),
		cmocka_unit_test(padding_is_counted_where_both_sizes_are_stated),
		cmocka_unit_test(an_operator_and_its_gradient_are_one),
		cmocka_unit_test(graphs_are_counted_by_their_time),
		cmocka_unit_test(a_graph_of_a_nanosecond_has_a_share),
		cmocka_unit_test(more_silence_than_anything_else_is_no_time_to_judge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
