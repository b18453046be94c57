/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Idle time without events behind copies to the host. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/timeline/result_gaps.h"
#include "engine/model/bound.h"
#include "tests/unit/make_trace.h"

#define MIB 1048576

/* Longest gap behind a copy of 1 MiB: 10.48576 ms. */
#define LONGEST_NS 10485760

/* Finds the gap of that length behind one work; the trace has no other idle time. */
static struct weir_result_gaps gap_behind(const char *name, enum weir_device_kind kind,
                                          int64_t bytes, int64_t gap_ns, enum weir_idle idle)
{
	struct make_trace *make = make_trace_new();
	struct weir_segment items[] = {
		{.start_ns = 0, .end_ns = 100, .row = 0, .busy = 1},
		{.start_ns = 100, .end_ns = 150, .row = WEIR_NONE, .idle = WEIR_IDLE_DISPATCH},
		{.start_ns = 150, .end_ns = 150 + gap_ns, .row = WEIR_NONE, .idle = (uint8_t)idle},
	};
	struct weir_segments segments = {.items = items, .count = 3};
	struct weir_result_gaps gaps = {0};
	struct weir_timeline timeline;
	struct weir_trace *trace;

	make_device(make, &(struct make_device_row){
				  .kind = kind, .name = name, .end_ns = 100, .bytes = bytes});
	trace = make_trace_finish(make);
	weir_timeline_init(&timeline, trace);
	weir_result_gaps_find(&timeline, &segments, &gaps);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
	return gaps;
}

#define DOWN "Memcpy DtoH (Device -> Pageable)"

static void a_silence_behind_a_large_result_may_be_work_on_it(void **state)
{
	struct weir_result_gaps gaps =
		gap_behind(DOWN, WEIR_DEVICE_COPY, MIB, LONGEST_NS, WEIR_IDLE_HOST_IDLE);

	(void)state;
	assert_int_equal(gaps.no_work_ns, LONGEST_NS);
	assert_int_equal(gaps.behind_ns, LONGEST_NS);
	assert_int_equal(gaps.count, 1);
}

static void other_silences_are_not_behind_results(void **state)
{
	static const struct {
		const char *name;
		enum weir_device_kind kind;
		int64_t bytes, gap_ns;
	} cases[] = {
		{DOWN, WEIR_DEVICE_COPY, MIB - 1, 1000},
		{DOWN, WEIR_DEVICE_COPY, -1, 1000},
		{DOWN, WEIR_DEVICE_COPY, MIB, LONGEST_NS + 1},
		{"Memcpy HtoD (Pageable -> Device)", WEIR_DEVICE_COPY, MIB, 1000},
		{"copy_DtoH_kernel", WEIR_DEVICE_KERNEL, MIB, 1000},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct weir_result_gaps gaps =
			gap_behind(cases[i].name, cases[i].kind, cases[i].bytes, cases[i].gap_ns,
		                   WEIR_IDLE_HOST_IDLE);

		assert_int_equal(gaps.no_work_ns, cases[i].gap_ns);
		assert_int_equal(gaps.behind_ns, 0);
		assert_int_equal(gaps.count, 0);
	}
}

static void time_with_a_cause_is_not_counted(void **state)
{
	struct weir_result_gaps gaps =
		gap_behind(DOWN, WEIR_DEVICE_COPY, MIB, 1000, WEIR_IDLE_PYTHON);

	(void)state;
	assert_int_equal(gaps.no_work_ns, 0);
	assert_int_equal(gaps.count, 0);
}

static void no_segments_have_no_gaps(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_segments segments = {0};
	struct weir_result_gaps gaps = {0};
	struct weir_timeline timeline;
	struct weir_trace *trace = make_trace_finish(make);

	(void)state;
	weir_timeline_init(&timeline, trace);
	weir_result_gaps_find(&timeline, &segments, &gaps);
	assert_int_equal(gaps.no_work_ns, 0);
	weir_timeline_release(&timeline);
	weir_trace_free(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_silence_behind_a_large_result_may_be_work_on_it),
		cmocka_unit_test(other_silences_are_not_behind_results),
		cmocka_unit_test(time_with_a_cause_is_not_counted),
		cmocka_unit_test(no_segments_have_no_gaps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
