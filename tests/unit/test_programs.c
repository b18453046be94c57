/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Executions of compiled programs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/timeline/programs.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"

#define OUTER "PjRtCApiLoadedExecutable::Execute"
#define INNER "[0] PjRtStreamExecutorRawLoadedExecutable::Execute"

/* Counts the programs of a trace, which it frees. left_out: a device row that is not analysed. */
static struct weir_programs count(struct make_trace *make, uint32_t left_out)
{
	struct weir_trace *trace = make_trace_finish(make);
	struct weir_programs programs = {0};
	struct weir_timeline timeline;
	uint32_t *rows = weir_alloc((trace->device.count + 1) * sizeof *rows);

	weir_timeline_init(&timeline, trace);
	if (left_out != WEIR_NONE)
		rows[left_out] = WEIR_NONE;
	weir_programs_count(&timeline, rows, &programs);
	weir_timeline_release(&timeline);
	free(rows);
	weir_trace_free(trace);
	return programs;
}

static void launch(struct make_trace *make, const char *kernel, int64_t at_ns)
{
	static uint64_t correlation;

	make_call(make, 0, "cuLaunchKernel", at_ns, at_ns + 1, ++correlation);
	make_kernel(make, 0, kernel, at_ns + 2, at_ns + 3, correlation);
}

/* Three executions: two kernels, one kernel of another name, one of the first name. */
static struct make_trace *three_programs(const char *outer)
{
	struct make_trace *make = make_trace_new();

	make_host(make, WEIR_HOST_ANNOTATION, 0, outer, 0, 20);
	make_host(make, WEIR_HOST_ANNOTATION, 0, INNER, 1, 19);
	launch(make, "wrapped_add", 2);
	launch(make, "input_reduce_fusion", 10);
	make_host(make, WEIR_HOST_ANNOTATION, 0, outer, 20, 40);
	launch(make, "wrapped_multiply", 22);
	make_host(make, WEIR_HOST_ANNOTATION, 0, outer, 40, 60);
	launch(make, "wrapped_add", 42);
	launch(make, "copy", 70); /* outside every execution */
	return make;
}

static void nested_executions_count_as_one(void **state)
{
	struct weir_programs programs = count(three_programs(OUTER), WEIR_NONE);

	(void)state;
	assert_int_equal(programs.executions, 3);
	assert_int_equal(programs.works, 4);
	assert_int_equal(programs.kinds, 2);
}

static void work_that_is_not_analysed_is_left_out(void **state)
{
	struct weir_programs programs = count(three_programs(OUTER), 2);

	(void)state;
	assert_int_equal(programs.executions, 2);
	assert_int_equal(programs.works, 3);
	assert_int_equal(programs.kinds, 1);
}

static void a_trace_without_executions_has_no_programs(void **state)
{
	struct make_trace *make = make_trace_new();
	struct weir_programs programs;

	(void)state;
	make_host(make, WEIR_HOST_OP, 0, "aten::add", 0, 20);
	launch(make, "add", 2);
	programs = count(make, WEIR_NONE);
	assert_int_equal(programs.executions, 0);
	assert_int_equal(programs.works, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nested_executions_count_as_one),
		cmocka_unit_test(work_that_is_not_analysed_is_left_out),
		cmocka_unit_test(a_trace_without_executions_has_no_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
