/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synchronisation records by stream and correlation, and clocks of ranks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/analysis/path/path_index.h"
#include "tests/unit/make_trace.h"

#define DAY_NS (INT64_C(86400) * 1000000000)

struct desk {
	struct weir_profile *profile;
	struct weir_analysis *analysis;
	struct weir_path_index index;
};

/* Records waits of streams 0 and 1, and of the host; correlation 0 belongs to no call. */
static struct weir_trace *with_waits(void)
{
	static const struct {
		const char *kind;
		int64_t stream;
		uint64_t correlation;
	} rows[] = {
		{"Event Synchronize", 7, 40},  {"Stream Wait Event", 0, 20},
		{"Stream Wait Event", 1, 12},  {"Stream Wait Event", 0, 0},
		{"Stream Synchronize", 0, 50}, {"Stream Wait Event", 1, 11},
		{"Context Synchronize", 0, 0}, {"Stream Wait Event", 1, 30},
	};
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	make_call(make, 0, "cudaLaunchKernel", 10, 20, 10);
	make_kernel(make, 1, "a", 100, 200, 10);
	make_call(make, 0, "cudaLaunchKernel", 30, 40, 25);
	make_kernel(make, 0, "b", 120, 300, 25);
	make_call(make, 0, "cudaLaunchKernel", 50, 60, 31);
	make_kernel(make, 1, "c", 400, 500, 31);
	make_call(make, 0, "cudaLaunchKernel", 61, 70, 35);
	make_kernel(make, 1, "d", 500, 600, 35);
	make_kernel(make, 1, "unlinked", 700, 800, 0);
	make_call(make, 0, "cudaEventSynchronize", 80, 90, 40);
	make_call(make, 0, "cudaStreamSynchronize", 91, 95, 50);
	make_call(make, 0, "cudaDeviceSynchronize", 96, 99, 60);
	make_call(make, 0, "cudaFuncGetAttributes", 99, 100, 0);
	trace = make_trace_finish(make);
	trace->syncs = weir_grow(NULL, &trace->sync_capacity, 8, sizeof *trace->syncs);
	for (size_t i = 0; i < 8; i++)
		trace->syncs[i] = (struct weir_sync_event){
			.stream = rows[i].stream,
			.correlation = rows[i].correlation,
			.kind_name =
				weir_names_add(trace->names, rows[i].kind, strlen(rows[i].kind)),
		};
	trace->sync_count = 8;
	return trace;
}

static void desk_open(struct desk *desk)
{
	struct weir_analysis_options options = {.percentile = 0.95};
	struct weir_error err;

	desk->profile = weir_profile_new();
	weir_profile_add_input(desk->profile, "trace")->trace = with_waits();
	assert_int_equal(weir_analysis_new(desk->profile, &options, &desk->analysis, &err),
	                 WEIR_OK);
	weir_path_index_init(&desk->index, &desk->analysis->ranks[0]);
}

static void desk_close(struct desk *desk)
{
	weir_path_index_release(&desk->index);
	weir_analysis_free(desk->analysis);
	weir_profile_free(desk->profile);
}

static uint32_t device_row(const struct desk *desk, const char *name)
{
	const struct weir_trace *trace = desk->index.rank->trace;
	uint32_t row = 0;

	while (strcmp(weir_names_text(trace->names, trace->device.name[row]), name) != 0)
		row++;
	return row;
}

static uint32_t host_row(const struct desk *desk, const char *name)
{
	const struct weir_trace *trace = desk->index.rank->trace;
	uint32_t row = 0;

	while (strcmp(weir_names_text(trace->names, trace->host.name[row]), name) != 0)
		row++;
	return row;
}

static uint64_t stream_wait_of(const struct desk *desk, const char *name)
{
	const struct weir_sync_event *wait =
		weir_path_stream_wait(&desk->index, device_row(desk, name));

	return wait ? wait->correlation : 0;
}

static void work_waits_for_the_last_record_of_its_stream_since_the_work_before(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk);
	assert_int_equal(stream_wait_of(&desk, "a"), 0); /* all waits are later */
	assert_int_equal(stream_wait_of(&desk, "b"), 20);
	assert_int_equal(stream_wait_of(&desk, "c"), 30); /* the last of three */
	assert_int_equal(stream_wait_of(&desk, "d"), 0);  /* c has waited for it */
	assert_int_equal(stream_wait_of(&desk, "unlinked"), 0);
	desk_close(&desk);
}

static uint64_t host_wait_of(const struct desk *desk, const char *name)
{
	const struct weir_sync_event *wait =
		weir_path_host_wait(&desk->index, host_row(desk, name));

	return wait ? wait->correlation : 0;
}

static void a_call_finds_the_record_of_its_wait(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk);
	/* Records without a correlation belong to no call. */
	assert_int_equal(desk.index.host_wait_count, 2);
	assert_int_equal(desk.index.stream_wait_count, 4);
	assert_int_equal(host_wait_of(&desk, "cudaEventSynchronize"), 40);
	assert_int_equal(host_wait_of(&desk, "cudaStreamSynchronize"), 50);
	assert_int_equal(host_wait_of(&desk, "cudaDeviceSynchronize"), 0);
	assert_int_equal(host_wait_of(&desk, "cudaFuncGetAttributes"), 0);
	assert_int_equal(host_wait_of(&desk, "cudaLaunchKernel"), 0);
	desk_close(&desk);
}

static void work_precedes_later_calls_on_its_stream(void **state)
{
	struct desk desk;
	uint32_t row;

	(void)state;
	desk_open(&desk);
	row = device_row(&desk, "b");
	assert_true(weir_path_precedes(&desk.index, row, -1, 0));
	assert_true(weir_path_precedes(&desk.index, row, 0, 0));
	assert_false(weir_path_precedes(&desk.index, row, 1, 0));
	assert_true(weir_path_precedes(&desk.index, row, 0, 26));
	assert_false(weir_path_precedes(&desk.index, row, 0, 25));
	desk_close(&desk);
}

static void work_is_counted_by_its_end(void **state)
{
	struct desk desk;

	(void)state;
	desk_open(&desk);
	assert_int_equal(weir_path_ended(&desk.index, 199), 0);
	assert_int_equal(weir_path_ended(&desk.index, 200), 1);
	assert_int_equal(weir_path_ended(&desk.index, 300), 2);
	assert_int_equal(weir_path_ended(&desk.index, 800), 5);
	assert_int_equal(desk.index.by_end[1], device_row(&desk, "b"));
	assert_int_equal(desk.index.before[device_row(&desk, "a")], WEIR_NONE);
	assert_int_equal(desk.index.before[device_row(&desk, "c")], device_row(&desk, "a"));
	desk_close(&desk);
}

static int64_t shift(int64_t first_ns, int64_t own_ns, bool aligned, int64_t offset_ns)
{
	struct weir_trace first = {.base_ns = first_ns}, own = {.base_ns = own_ns};
	struct weir_rank ranks[2] = {{.trace = &first}, {.trace = &own}};

	ranks[1].waits.aligned = aligned;
	ranks[1].waits.offset_ns = offset_ns;
	return weir_clock_shift(ranks, 1);
}

static void clocks_differ_by_their_bases_within_a_day(void **state)
{
	(void)state;
	assert_int_equal(shift(1, 5, false, 7), 4);
	assert_int_equal(shift(5, 1, false, 7), -4);
	assert_int_equal(shift(5, 1, true, 7), 3);
	assert_int_equal(shift(0, 5, true, 7), 7);
	assert_int_equal(shift(5, 0, true, 7), 7);
	assert_int_equal(shift(1, 1 + DAY_NS, false, 0), DAY_NS);
	assert_int_equal(shift(1, 2 + DAY_NS, true, 7), 7);
	assert_int_equal(shift(1 + DAY_NS, 1, false, 0), -DAY_NS);
	assert_int_equal(shift(2 + DAY_NS, 1, true, 7), 7);
}

static void a_shifted_time_stays_within_the_clock(void **state)
{
	(void)state;
	assert_int_equal(weir_clock_shifted(5, 3), 8);
	assert_int_equal(weir_clock_shifted(5, 0), 5);
	assert_int_equal(weir_clock_shifted(5, -8), -3);
	assert_true(weir_clock_shifted(INT64_MAX - 3, 3) == INT64_MAX);
	assert_true(weir_clock_shifted(INT64_MAX - 2, 3) == INT64_MAX);
	assert_true(weir_clock_shifted(INT64_MAX - 4, 3) == INT64_MAX - 1);
	assert_true(weir_clock_shifted(INT64_MIN + 3, -3) == INT64_MIN);
	assert_true(weir_clock_shifted(INT64_MIN + 2, -3) == INT64_MIN);
	assert_true(weir_clock_shifted(INT64_MIN + 4, -3) == INT64_MIN + 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			work_waits_for_the_last_record_of_its_stream_since_the_work_before),
		cmocka_unit_test(a_call_finds_the_record_of_its_wait),
		cmocka_unit_test(work_precedes_later_calls_on_its_stream),
		cmocka_unit_test(work_is_counted_by_its_end),
		cmocka_unit_test(clocks_differ_by_their_bases_within_a_day),
		cmocka_unit_test(a_shifted_time_stays_within_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
