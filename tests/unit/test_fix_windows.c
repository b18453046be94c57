/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of which the trace of several steps, or of several copies, shows that less is needed:
 * windows that move on from step to step, and results of all layers of which the host picks some.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS        8
#define MS           INT64_C(1000000)
#define US           INT64_C(1000)
#define STEP         (10 * MS)
#define DEVICE       "NVIDIA H100 80GB HBM3"
#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Gives the n-th operator of this name this shape. */
static void give(struct weir_trace *trace, const char *op, int n, const char *dims,
                 const char *scalars)
{
	static const char types[] = "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]";

	trace->shapes = weir_grow(trace->shapes, &trace->shape_capacity, trace->shape_count + 1,
	                          sizeof *trace->shapes);
	trace->shapes[trace->shape_count] = (struct weir_shape){
		.dims = weir_names_add(trace->names, dims, strlen(dims)),
		.types = weir_names_add(trace->names, types, strlen(types)),
		.scalars = weir_names_add(trace->names, scalars, strlen(scalars)),
	};
	for (size_t row = 0; row < trace->host.count; row++)
		if (strcmp(weir_names_text(trace->names, trace->host.name[row]), op) == 0 &&
		    n-- == 0)
			trace->host.shape[row] = (uint32_t)trace->shape_count;
	trace->shape_count++;
}

/* ---- windows that move on ---- */

struct window {
	int length, starts[STEPS]; /* rows of 8000 values */
	const char *view;
};

/* Each step copies a window of 1000 rows to the device in 4 ms. Returns what the copy takes
 * afterwards, in ns; NAN: copy-less is not found. */
static double moved_ns(const struct window *window)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	double ns = NAN;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - US);
		make_host(make, WEIR_HOST_OP, 0, window->view, at + 10 * US, at + 15 * US);
		advice_make_copy(make, &(struct advice_copy){"Memcpy HtoD (Pinned -> Device)",
		                                             at + 20 * US, at + 30 * US,
		                                             at + 40 * US, at + 4040 * US,
		                                             INT64_C(32000000), (uint64_t)i + 1});
		make_launch(make, at + 50 * US, at + 60 * US, at + 4050 * US, at + 6 * MS);
		make_call(make, 0, "cudaDeviceSynchronize", at + 70 * US, at + 6 * MS + 10 * US, 0);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::copy_", "[[1000, 8000], [1000, 8000], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	for (int i = 0; i < STEPS; i++) {
		char scalars[64];

		snprintf(scalars, sizeof scalars, "[\"\", \"0\", \"%d\", \"%d\", \"1\"]",
		         window->starts[i], window->starts[i] + window->length);
		give(trace, window->view, i, "[[4000, 8000], [], [], [], []]", scalars);
	}
	advice_run_init(&run, &trace, 1, DEVICE);
	if (advice_run_apply(&run, weir_fix_copy_less))
		ns = run.draft.program.jobs[0].ns;
	advice_run_release(&run);
	return ns;
}

static void only_the_rows_by_which_a_window_moves_are_copied(void **state)
{
	static const struct window steady = {1000, {0, 10, 20, 30, 40, 50, 60, 70}, "aten::slice"},
				   quarter = {1000,
	                                      {0, 250, 500, 750, 1000, 1250, 1500, 1750},
	                                      "aten::slice"},
				   restarts = {1000, {0, 10, 20, 30, 0, 10, 20, 30}, "aten::slice"};

	(void)state;
	assert_near(moved_ns(&steady), 0.01 * 4 * MS + 2000, 0.001);
	assert_near(moved_ns(&quarter), 0.25 * 4 * MS + 2000, 0.001);
	assert_near(moved_ns(&restarts), 0.01 * 4 * MS + 2000, 0.001);
}

static void other_windows_are_copied_whole(void **state)
{
	static const struct window cases[] = {
		/* as many new rows as old ones, and more */
		{1000, {0, 251, 502, 753, 1004, 1255, 1506, 1757}, "aten::slice"},
		/* the same rows: the program may write them anew */
		{1000, {0, 0, 0, 0, 0, 0, 0, 0}, "aten::slice"},
		/* at random */
		{1000, {0, 30, 10, 50, 20, 60, 5, 40}, "aten::slice"},
		/* another tensor */
		{999, {0, 10, 20, 30, 40, 50, 60, 70}, "aten::slice"},
		{1000, {0, 10, 20, 30, 40, 50, 60, 70}, "aten::view"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_true(isnan(moved_ns(&cases[i])));
}

/* ---- results of all layers ---- */

struct layers {
	int copies;
	const char *dims;   /* of the tensor that the host picks from */
	const char *reader; /* of what it picks; NULL: none */
};

/* Each step copies results of several layers in 1 ms each to the host, which picks row 0 of 64. */
static void init_layers(struct advice_run *run, const struct layers *layers)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP, done = at + 10 * US;

		advice_make_step(make, i, at, at + STEP - US);
		for (int c = 0; c < layers->copies; c++) {
			uint64_t id = (uint64_t)i * (uint64_t)layers->copies + (uint64_t)c + 1;

			done += MS;
			advice_make_copy(
				make, &(struct advice_copy){"Memcpy DtoH (Device -> Pinned)",
			                                    at + (20 + 20 * c) * US,
			                                    at + (30 + 20 * c) * US, done + 20 * US,
			                                    done + MS, INT64_C(64) * 8000 * 4, id});
		}
		make_call(make, 0, "cudaStreamSynchronize", at + 200 * US, done + MS + 10 * US, 0);
		done += MS + 20 * US;
		make_host(make, WEIR_HOST_OP, 0, "aten::select", done, done + 5 * US);
		if (layers->reader)
			make_host(make, WEIR_HOST_OP, 0, layers->reader, done + 10 * US,
			          done + 20 * US);
	}
	trace = make_trace_finish(make);
	advice_give_shape(trace, "aten::copy_", "[[64, 8000], [64, 8000], []]",
	                  "[\"float\", \"float\", \"Scalar\"]");
	for (int i = 0; i < STEPS; i++) {
		give(trace, "aten::select", i, layers->dims, "[\"\", \"1\", \"0\"]");
		if (layers->reader)
			give(trace, layers->reader, i, "[[4, 8000], []]", "[\"\"]");
	}
	advice_run_init(run, &trace, 1, DEVICE);
}

static void what_the_host_picks_from_joined_results_is_picked_before(void **state)
{
	static const struct {
		struct layers layers;
		bool found, stays;
	} cases[] = {
		{{4, "[[4, 64, 8000], [], []]", "aten::add"}, true, false},
		{{4, "[[4, 64, 8000], [], []]", NULL}, true, true},
		{{4, "[[4, 64, 8000], [], []]", "aten::view"}, true, true},
		{{4, "[[3, 64, 8000], [], []]", "aten::add"}, false, false},
		{{3, "[[4, 64, 8000], [], []]", "aten::add"}, false, false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_run run;

		init_layers(&run, &cases[i].layers);
		assert_int_equal(advice_run_apply(&run, weir_fix_copy_less), cases[i].found);
		if (cases[i].found)
			assert_int_equal(run.draft.copies_stay, cases[i].stays);
		for (size_t j = 0; cases[i].found && j < run.draft.program.job_count; j++)
			assert_true(run.draft.program.jobs[j].ns < 0.02 * MS);
		advice_run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_the_rows_by_which_a_window_moves_are_copied),
		cmocka_unit_test(other_windows_are_copied_whole),
		cmocka_unit_test(what_the_host_picks_from_joined_results_is_picked_before),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
