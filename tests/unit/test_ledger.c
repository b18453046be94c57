/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums of segments, and the features that are quotients of them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/rank/features.h"
#include "engine/analysis/rank/ledger.h"
#include "tests/unit/near.h"

#define EXACT 1e-15

/* A ledger is nothing but sums of 64 bits. */
#define SUMS (sizeof(struct weir_ledger) / sizeof(int64_t))
_Static_assert(sizeof(struct weir_ledger) % sizeof(int64_t) == 0, "a ledger holds int64_t only");

static void number_sums(struct weir_ledger *ledger, int64_t from)
{
	int64_t sums[SUMS];

	for (size_t i = 0; i < SUMS; i++)
		sums[i] = from + (int64_t)i;
	memcpy(ledger, sums, sizeof sums);
}

static void adding_a_ledger_adds_every_sum(void **state)
{
	struct weir_ledger to, from;
	int64_t sums[SUMS];

	(void)state;
	number_sums(&to, 1000);
	number_sums(&from, 20);
	weir_ledger_add(&to, &from);
	memcpy(sums, &to, sizeof sums);
	for (size_t i = 0; i < SUMS; i++)
		assert_int_equal(sums[i], 1020 + 2 * (int64_t)i);
}

static void sums_stay_at_the_end_of_int64(void **state)
{
	struct weir_ledger to = {.total_ns = INT64_MAX - 1}, from = {.total_ns = 2};

	(void)state;
	to.idle_ns[WEIR_IDLE_OTHER] = INT64_MAX;
	from.idle_ns[WEIR_IDLE_OTHER] = INT64_MAX;
	weir_ledger_add(&to, &from);
	assert_int_equal(to.total_ns, INT64_MAX);
	assert_int_equal(to.idle_ns[WEIR_IDLE_OTHER], INT64_MAX);
}

/* Stages of host work count idle time as theirs: then less than `ns` is late without work. */
static void time_without_work_is_subtracted_from_all_sums_that_hold_it(void **state)
{
	static const int64_t no_work_ns[] = {99, 100, 101}, left_ns[] = {0, 0, 1};

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		struct weir_ledger ledger = {.total_ns = 1000, .busy_ns = 300};

		ledger.bound_ns[WEIR_BOUND_UNDETERMINED] = 500;
		ledger.bound_ns[WEIR_BOUND_RUNTIME] = 50;
		ledger.idle_ns[WEIR_IDLE_HOST_IDLE] = 400;
		ledger.idle_ns[WEIR_IDLE_PYTHON] = 60;
		ledger.late_ns[WEIR_LATE_NO_WORK] = no_work_ns[i];
		ledger.late_ns[WEIR_LATE_DISPATCH] = 70;
		weir_ledger_drop_no_work(&ledger, 100);
		assert_int_equal(ledger.total_ns, 900);
		assert_int_equal(ledger.busy_ns, 300);
		assert_int_equal(ledger.bound_ns[WEIR_BOUND_UNDETERMINED], 400);
		assert_int_equal(ledger.bound_ns[WEIR_BOUND_RUNTIME], 50);
		assert_int_equal(ledger.idle_ns[WEIR_IDLE_HOST_IDLE], 300);
		assert_int_equal(ledger.idle_ns[WEIR_IDLE_PYTHON], 60);
		assert_int_equal(ledger.late_ns[WEIR_LATE_NO_WORK], left_ns[i]);
		assert_int_equal(ledger.late_ns[WEIR_LATE_DISPATCH], 70);
	}
}

static void late_time_belongs_to_a_class_by_cause_stage_and_position(void **state)
{
	const uint8_t before = WEIR_SEGMENT_BEFORE, sync = WEIR_SEGMENT_AFTER_SYNC;
	const struct {
		enum weir_idle idle;
		uint8_t flags;
		const char *kind;
		enum weir_late late;
	} rows[] = {
		{WEIR_IDLE_HOST_WORK, 0, NULL, WEIR_LATE_AFTER},
		{WEIR_IDLE_HOST_WORK, before, NULL, WEIR_LATE_BEFORE},
		{WEIR_IDLE_HOST_WORK, 0, "compute", WEIR_LATE_AFTER},
		{WEIR_IDLE_HOST_WORK, 0, "preprocess", WEIR_LATE_BEFORE},
		{WEIR_IDLE_HOST_WORK, 0, "batch_assembly", WEIR_LATE_BEFORE},
		{WEIR_IDLE_HOST_WORK, before, "postprocess", WEIR_LATE_AFTER},
		{WEIR_IDLE_INPUT, before, NULL, WEIR_LATE_BEFORE},
		{WEIR_IDLE_INPUT, 0, "preprocess", WEIR_LATE_BEFORE},
		{WEIR_IDLE_DISPATCH, before, NULL, WEIR_LATE_DISPATCH},
		{WEIR_IDLE_DISPATCH, sync, NULL, WEIR_LATE_SYNC},
		{WEIR_IDLE_DISPATCH, sync, "postprocess", WEIR_LATE_AFTER},
		{WEIR_IDLE_PYTHON, 0, "compute", WEIR_LATE_DISPATCH},
		{WEIR_IDLE_PYTHON, sync, "batch_assembly", WEIR_LATE_BEFORE},
		{WEIR_IDLE_HOST_SYNC, 0, "preprocess", WEIR_LATE_SYNC},
		{WEIR_IDLE_ALLOCATOR, sync, "preprocess", WEIR_LATE_ALLOCATOR},
		{WEIR_IDLE_COMPILE_LOAD, sync, "preprocess", WEIR_LATE_LOAD},
		{WEIR_IDLE_GARBAGE, sync, "preprocess", WEIR_LATE_GARBAGE},
		{WEIR_IDLE_LIKELY_GARBAGE, before, NULL, WEIR_LATE_GARBAGE},
		{WEIR_IDLE_LOCK, sync, NULL, WEIR_LATE_DISPATCH},
		{WEIR_IDLE_LOCK, before, "preprocess", WEIR_LATE_DISPATCH},
		{WEIR_IDLE_HOST_IDLE, sync, "preprocess", WEIR_LATE_NO_WORK},
		{WEIR_IDLE_BATCH_WINDOW, sync, "batch_assembly", WEIR_LATE_NO_WORK},
		{WEIR_IDLE_LAUNCH_LATENCY, 0, "preprocess", WEIR_LATE_DISPATCH},
		{WEIR_IDLE_LAUNCH_LATENCY, sync, NULL, WEIR_LATE_SYNC},
		{WEIR_IDLE_OTHER, sync, NULL, WEIR_LATE_SYNC},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		const struct weir_segment segment = {.idle = (uint8_t)rows[i].idle,
		                                     .flags = rows[i].flags};

		assert_int_equal(weir_late_class(&segment, rows[i].kind), rows[i].late);
	}
}

static void every_cause_of_idle_time_has_its_bound(void **state)
{
	static const enum weir_bound bounds[WEIR_IDLE_COUNT] = {
		[WEIR_IDLE_DISPATCH] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_PYTHON] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_HOST_WORK] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_INPUT] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_HOST_SYNC] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_COMPILE_LOAD] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_GARBAGE] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_LIKELY_GARBAGE] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_LOCK] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_LAUNCH_LATENCY] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_INTER_KERNEL] = WEIR_BOUND_RUNTIME,
		[WEIR_IDLE_BATCH_WINDOW] = WEIR_BOUND_BATCHING,
		[WEIR_IDLE_ALLOCATOR] = WEIR_BOUND_MEMORY,
		[WEIR_IDLE_DEPENDENCY_COMM] = WEIR_BOUND_COMMUNICATION,
		[WEIR_IDLE_HOST_IDLE] = WEIR_BOUND_UNDETERMINED,
		[WEIR_IDLE_DEPENDENCY] = WEIR_BOUND_UNDETERMINED,
		[WEIR_IDLE_PROFILER] = WEIR_BOUND_UNDETERMINED,
		[WEIR_IDLE_UNRECORDED] = WEIR_BOUND_UNDETERMINED,
		[WEIR_IDLE_UNLINKED] = WEIR_BOUND_UNDETERMINED,
		[WEIR_IDLE_OTHER] = WEIR_BOUND_UNDETERMINED,
	};

	(void)state;
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++)
		assert_int_equal(weir_idle_bound((enum weir_idle)idle), bounds[idle]);
}

/* Waiting for a late host moves from communication to the runtime. */
static void an_attribution_moves_waits_for_a_late_host(void **state)
{
	struct weir_ledger ledger = {.total_ns = 1000};
	struct weir_attribution out;

	(void)state;
	ledger.bound_ns[WEIR_BOUND_COMMUNICATION] = 300;
	ledger.bound_ns[WEIR_BOUND_RUNTIME] = 50;
	ledger.bound_ns[WEIR_BOUND_MEMORY] = 7;
	ledger.wait_ns[WEIR_LATE_BY_HOST] = 80;
	ledger.wait_ns[WEIR_LATE_BY_DEVICE] = 5;
	weir_attribution_from_ledger(&out, &ledger);
	assert_int_equal(out.total_ns, 1000);
	assert_int_equal(out.ns[WEIR_BOUND_COMMUNICATION], 220);
	assert_int_equal(out.ns[WEIR_BOUND_RUNTIME], 130);
	assert_int_equal(out.ns[WEIR_BOUND_MEMORY], 7);
	assert_int_equal(out.ns[WEIR_BOUND_KERNEL], 0);
}

/* ---- features ---- */

/* A ledger whose sums are all different, so that no feature can read the wrong one. */
static struct weir_ledger distinct_ledger(void)
{
	struct weir_ledger ledger;

	number_sums(&ledger, 100);
	ledger.total_ns = 100000;
	ledger.matched_ns = ledger.work_ns[WEIR_WORK_COMM];
	return ledger;
}

static void each_share_is_its_sum_over_the_total(void **state)
{
	const struct weir_ledger l = distinct_ledger();
	const struct {
		enum weir_feature_id id;
		int64_t ns;
	} rows[] = {
		{WEIR_F_GPU_ACTIVE, l.busy_ns},
		{WEIR_F_GPU_IDLE, l.total_ns - l.busy_ns},
		{WEIR_F_IDLE_LAUNCH_LATENCY, l.idle_ns[WEIR_IDLE_LAUNCH_LATENCY]},
		{WEIR_F_IDLE_INTER_KERNEL, l.idle_ns[WEIR_IDLE_INTER_KERNEL]},
		{WEIR_F_IDLE_DEPENDENCY,
	         l.idle_ns[WEIR_IDLE_DEPENDENCY] + l.idle_ns[WEIR_IDLE_DEPENDENCY_COMM]},
		{WEIR_F_IDLE_PROFILER, l.idle_ns[WEIR_IDLE_PROFILER]},
		{WEIR_F_IDLE_UNEXPLAINED,
	         l.idle_ns[WEIR_IDLE_UNLINKED] + l.idle_ns[WEIR_IDLE_OTHER]},
		{WEIR_F_LATE_DISPATCH, l.late_ns[WEIR_LATE_DISPATCH]},
		{WEIR_F_LATE_SYNC, l.late_ns[WEIR_LATE_SYNC]},
		{WEIR_F_LATE_BEFORE, l.late_ns[WEIR_LATE_BEFORE]},
		{WEIR_F_LATE_AFTER, l.late_ns[WEIR_LATE_AFTER]},
		{WEIR_F_LATE_LOAD, l.late_ns[WEIR_LATE_LOAD] + l.compiler_ns},
		{WEIR_F_LATE_GARBAGE, l.late_ns[WEIR_LATE_GARBAGE]},
		{WEIR_F_LIKELY_GARBAGE, l.idle_ns[WEIR_IDLE_LIKELY_GARBAGE]},
		{WEIR_F_LATE_LOCK, l.idle_ns[WEIR_IDLE_LOCK]},
		{WEIR_F_LATE_ALLOCATOR, l.late_ns[WEIR_LATE_ALLOCATOR]},
		{WEIR_F_LATE_NO_WORK, l.late_ns[WEIR_LATE_NO_WORK]},
		{WEIR_F_SHARE_BATCHING, l.bound_ns[WEIR_BOUND_BATCHING]},
		{WEIR_F_SHARE_RUNTIME, l.bound_ns[WEIR_BOUND_RUNTIME]},
		{WEIR_F_SHARE_KERNEL, l.bound_ns[WEIR_BOUND_KERNEL]},
		{WEIR_F_SHARE_MEMORY, l.bound_ns[WEIR_BOUND_MEMORY]},
		{WEIR_F_SHARE_COMMUNICATION, l.bound_ns[WEIR_BOUND_COMMUNICATION]},
		{WEIR_F_SHARE_HARDWARE, l.bound_ns[WEIR_BOUND_HARDWARE]},
		{WEIR_F_SHARE_UNATTRIBUTED, l.bound_ns[WEIR_BOUND_UNDETERMINED]},
		{WEIR_F_COMPUTE, l.work_ns[WEIR_WORK_COMPUTE]},
		{WEIR_F_EXPOSED_COMMUNICATION, l.work_ns[WEIR_WORK_COMM]},
		{WEIR_F_EXPOSED_TRANSFER, l.copy_ns[WEIR_COPY_TRANSFER]},
		{WEIR_F_LOCAL_COPY, l.copy_ns[WEIR_COPY_LOCAL]},
		{WEIR_F_BANDWIDTH_LIMITED, l.bandwidth_ns},
		{WEIR_F_NEAR_ROOF, l.roof_ns},
		{WEIR_F_BELOW_ROOF, l.slow_ns},
		{WEIR_F_SHORT_KERNELS, l.short_ns},
		{WEIR_F_UNMODELLED, l.unmodelled_ns},
		{WEIR_F_EXPOSED_WAIT_HOST, l.wait_ns[WEIR_LATE_BY_HOST]},
		{WEIR_F_LATE_RANK, l.wait_ns[WEIR_LATE_BY_HOST] + l.longest_ns},
	};
	double values[WEIR_F_COUNT], late = 0, wait = 0;

	(void)state;
	weir_features_clear(values);
	weir_features_from_ledger(values, &l);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_near(values[rows[i].id], (double)rows[i].ns / (double)l.total_ns, EXACT);
	for (size_t i = 0; i < WEIR_LATE_COUNT; i++)
		late += (double)l.late_ns[i];
	for (size_t i = 0; i < WEIR_LATE_BY_COUNT; i++)
		wait += (double)l.wait_ns[i];
	assert_near(values[WEIR_F_IDLE_LATE], late / (double)l.total_ns, EXACT);
	assert_near(values[WEIR_F_EXPOSED_WAIT], wait / (double)l.total_ns, EXACT);
	assert_near(values[WEIR_F_KERNELS], (double)l.kernels, EXACT);
	assert_near(values[WEIR_F_KERNELS_PER_STEP], (double)l.kernels / (double)l.steps, EXACT);
	assert_true(isnan(values[WEIR_F_WAVES]));
}

static void parts_of_a_share_are_quotients_of_its_sums(void **state)
{
	const struct weir_ledger l = distinct_ledger();
	const int64_t *late = l.late_ns;
	double values[WEIR_F_COUNT];
	double runtime_late =
		(double)(late[WEIR_LATE_DISPATCH] + late[WEIR_LATE_SYNC] + late[WEIR_LATE_BEFORE] +
	                 late[WEIR_LATE_AFTER] + late[WEIR_LATE_LOAD] + late[WEIR_LATE_GARBAGE] +
	                 l.compiler_ns);
	double memory = (double)l.bound_ns[WEIR_BOUND_MEMORY];

	(void)state;
	weir_features_clear(values);
	weir_features_from_ledger(values, &l);
	assert_near(values[WEIR_F_LATE_OF_RUNTIME],
	            runtime_late / (double)l.bound_ns[WEIR_BOUND_RUNTIME], EXACT);
	assert_near(values[WEIR_F_BEFORE_OF_LATE], (double)late[WEIR_LATE_BEFORE] / runtime_late,
	            EXACT);
	assert_near(values[WEIR_F_AFTER_OF_LATE], (double)late[WEIR_LATE_AFTER] / runtime_late,
	            EXACT);
	assert_near(values[WEIR_F_LOAD_OF_LATE],
	            (double)(late[WEIR_LATE_LOAD] + l.compiler_ns) / runtime_late, EXACT);
	assert_near(values[WEIR_F_GARBAGE_OF_LATE], (double)late[WEIR_LATE_GARBAGE] / runtime_late,
	            EXACT);
	assert_near(values[WEIR_F_SYNC_OF_DISPATCH],
	            (double)late[WEIR_LATE_SYNC] /
	                    (double)(late[WEIR_LATE_SYNC] + late[WEIR_LATE_DISPATCH]),
	            EXACT);
	assert_near(values[WEIR_F_TRANSFER_OF_MEMORY],
	            (double)l.copy_ns[WEIR_COPY_TRANSFER] / memory, EXACT);
	assert_near(values[WEIR_F_ALLOCATOR_OF_MEMORY],
	            (double)l.idle_ns[WEIR_IDLE_ALLOCATOR] / memory, EXACT);
}

/* The whole is known to be nothing, and so are its parts; one nanosecond already has parts. */
static void a_part_of_nothing_is_nothing_and_no_time_has_no_features(void **state)
{
	struct weir_ledger ledger = {.total_ns = 10};
	double values[WEIR_F_COUNT];

	(void)state;
	weir_features_clear(values);
	weir_features_from_ledger(values, &ledger);
	assert_near(values[WEIR_F_TRANSFER_OF_MEMORY], 0, 0);
	assert_near(values[WEIR_F_LATE_OF_RUNTIME], 0, 0);
	assert_true(isnan(values[WEIR_F_KERNELS_PER_STEP]));
	ledger.bound_ns[WEIR_BOUND_MEMORY] = ledger.copy_ns[WEIR_COPY_TRANSFER] = 1;
	ledger.steps = 1;
	ledger.kernels = 3;
	weir_features_from_ledger(values, &ledger);
	assert_near(values[WEIR_F_TRANSFER_OF_MEMORY], 1, 0);
	assert_near(values[WEIR_F_KERNELS_PER_STEP], 3, 0);
	weir_features_clear(values);
	ledger.total_ns = 0;
	weir_features_from_ledger(values, &ledger);
	for (size_t i = 0; i < WEIR_F_COUNT; i++)
		assert_true(isnan(values[i]));
	ledger.total_ns = 1;
	weir_features_from_ledger(values, &ledger);
	assert_near(values[WEIR_F_GPU_IDLE], 1, 0);
}

static void waits_are_known_when_half_of_the_communication_is_matched(void **state)
{
	struct weir_ledger ledger = {.total_ns = 1000};
	double values[WEIR_F_COUNT];

	(void)state;
	ledger.work_ns[WEIR_WORK_COMM] = 101;
	ledger.wait_ns[WEIR_LATE_BY_HOST] = 10;
	for (int64_t matched_ns = 50; matched_ns <= 51; matched_ns++) {
		ledger.matched_ns = matched_ns;
		weir_features_clear(values);
		weir_features_from_ledger(values, &ledger);
		assert_near(values[WEIR_F_EXPOSED_WAIT], matched_ns == 50 ? NAN : 0.01, EXACT);
	}
	ledger.work_ns[WEIR_WORK_COMM] = 100;
	ledger.matched_ns = 50;
	weir_features_from_ledger(values, &ledger);
	assert_near(values[WEIR_F_EXPOSED_WAIT], 0.01, EXACT);
	/* Without any communication nothing is matched. */
	ledger.work_ns[WEIR_WORK_COMM] = ledger.matched_ns = 0;
	weir_features_clear(values);
	weir_features_from_ledger(values, &ledger);
	assert_true(isnan(values[WEIR_F_EXPOSED_WAIT]));
	ledger.matched_ns = 1;
	weir_features_from_ledger(values, &ledger);
	assert_near(values[WEIR_F_EXPOSED_WAIT], 0.01, EXACT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(adding_a_ledger_adds_every_sum),
		cmocka_unit_test(sums_stay_at_the_end_of_int64),
		cmocka_unit_test(time_without_work_is_subtracted_from_all_sums_that_hold_it),
		cmocka_unit_test(late_time_belongs_to_a_class_by_cause_stage_and_position),
		cmocka_unit_test(every_cause_of_idle_time_has_its_bound),
		cmocka_unit_test(an_attribution_moves_waits_for_a_late_host),
		cmocka_unit_test(each_share_is_its_sum_over_the_total),
		cmocka_unit_test(parts_of_a_share_are_quotients_of_its_sums),
		cmocka_unit_test(a_part_of_nothing_is_nothing_and_no_time_has_no_features),
		cmocka_unit_test(waits_are_known_when_half_of_the_communication_is_matched),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
