/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Windows without steps in which an operator prepares for one size after the other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define MS     INT64_C(1000000)
#define US     INT64_C(1000)
#define DEVICE "NVIDIA H100 80GB HBM3"

/* A window of turns. In each of them three operators launch a kernel, and another one, with
 * arguments of its turn, compiles before that. */
struct window {
	int turns;
	const char *const *dims; /* of the operator that compiles; NULL: 1 more in each turn */
	int64_t operator_ns;
	int64_t first_ns; /* compilation before the first turn */
	bool other_names; /* the other operators are not those of the turn before */
};

static int64_t add_operator(struct make_trace *make, const char *name, int64_t at)
{
	make_host(make, WEIR_HOST_OP, 0, name, at, at + 15 * US);
	make_launch(make, at + 5 * US, at + 10 * US, at + 12 * US, at + 18 * US);
	return at + 20 * US;
}

static int64_t add_compilation(struct make_trace *make, int64_t at, int64_t ns)
{
	make_host(make, WEIR_HOST_PYTHON, 0, "triton/compiler/compiler.py(226): compile", at,
	          at + ns);
	return at + ns;
}

static int64_t add_turn(struct make_trace *make, const struct window *window, int turn, int64_t at)
{
	static const char *const names[] = {"aten::mul", "aten::neg", "aten::abs", "aten::exp"};
	int64_t from;

	for (int k = 0; k < 3; k++)
		at = add_operator(make, names[window->other_names ? (turn + k / 2 + 1) % 4 : k],
		                  at);
	from = at;
	add_compilation(make, at + 5 * US, window->operator_ns - 30 * US);
	at += window->operator_ns;
	make_launch(make, at - 20 * US, at - 15 * US, at - 12 * US, at - 6 * US);
	make_host(make, WEIR_HOST_OP, 0, "aten::linear", from, at);
	return at + 5 * US;
}

/* Gives the operators that compile their arguments, one behind the other. */
static void give_dims(struct weir_trace *trace, const struct window *window)
{
	const struct weir_host_columns *host = &trace->host;
	int turn = 0;

	for (size_t row = 0; row < host->count; row++) {
		char dims[48];

		if (host->kind[row] != WEIR_HOST_OP ||
		    host->end_ns[row] - host->start_ns[row] != window->operator_ns)
			continue;
		if (window->dims)
			snprintf(dims, sizeof dims, "%s", window->dims[turn]);
		else
			snprintf(dims, sizeof dims, "[[8, %d], [%d, 64]]", 600 + turn, 600 + turn);
		advice_give_shape(trace, "", dims, "[\"float\", \"float\"]");
		trace->host.shape[row] = (uint32_t)trace->shape_count - 1;
		turn++;
	}
}

/* Returns true if the new shapes are to blame, false if a warm-up helps; one of them it is. */
static bool blames_shapes(const struct window *window)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	struct advice_run run;
	double before_ns;
	int64_t at = 10 * US;
	bool found;

	if (window->first_ns > 0) {
		at = add_operator(make, "aten::mul", at);
		at = add_compilation(make, at, window->first_ns) + 5 * US;
	}
	for (int i = 0; i < window->turns; i++)
		at = add_turn(make, window, i, at);
	trace = make_trace_finish(make);
	give_dims(trace, window);
	advice_run_init(&run, &trace, 1, DEVICE);
	before_ns = advice_run_step_ns(&run);
	found = advice_run_apply(&run, weir_fix_warm_shapes);
	if (found)
		assert_near(before_ns - advice_run_step_ns(&run),
		            (double)(window->turns * window->operator_ns + window->first_ns), 0.05);
	assert_int_equal(advice_run_apply(&run, weir_fix_warm_up), !found);
	advice_run_release(&run);
	return found;
}

static void sizes_that_change_in_each_turn_are_no_start(void **state)
{
	(void)state;
	assert_true(blames_shapes(&(struct window){.turns = 8, .operator_ns = 2 * MS}));
	assert_true(blames_shapes(&(struct window){.turns = 4, .operator_ns = 2 * MS}));
	assert_false(blames_shapes(&(struct window){.turns = 3, .operator_ns = 2 * MS}));
	assert_true(blames_shapes(&(struct window){.turns = 8, .operator_ns = 1 * MS}));
	assert_false(blames_shapes(&(struct window){.turns = 8, .operator_ns = 1 * MS - 1}));
}

/* Half of the compilation, but for that of the first turn, must have another size. */
static void a_start_takes_less_than_the_sizes(void **state)
{
	(void)state;
	assert_true(blames_shapes(
		&(struct window){.turns = 8, .operator_ns = 2 * MS, .first_ns = 11 * MS}));
	assert_false(blames_shapes(
		&(struct window){.turns = 8, .operator_ns = 2 * MS, .first_ns = 13 * MS}));
}

static void operators_that_run_once_belong_to_a_start(void **state)
{
	(void)state;
	assert_false(blames_shapes(
		&(struct window){.turns = 8, .operator_ns = 2 * MS, .other_names = true}));
}

static void one_size_alone_differs_from_turn_to_turn(void **state)
{
	static const char *const same[] = {"[[8, 64]]", "[[8, 64]]", "[[8, 64]]", "[[8, 64]]"};
	static const char *const two[] = {"[[8, 64]]", "[[9, 65]]", "[[10, 66]]", "[[11, 67]]"};
	static const char *const ranks[] = {"[[8]]", "[[8, 1]]", "[[8, 1, 1]]", "[[8, 1, 1, 1]]"};
	static const char *const counts[] = {"[[8]]", "[[8], [8]]", "[[9]]", "[[9], [9]]"};
	static const char *const one[] = {"[[8, 64]]", "[[9, 64]]", "[[9, 32]]", "[[7, 32]]"};
	static const struct {
		const char *const *dims;
		bool found;
	} cases[] = {{same, false}, {two, false}, {ranks, false}, {counts, false}, {one, true}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_int_equal(blames_shapes(&(struct window){
					 .turns = 4, .operator_ns = 2 * MS, .dims = cases[i].dims}),
		                 cases[i].found);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_that_change_in_each_turn_are_no_start),
		cmocka_unit_test(a_start_takes_less_than_the_sizes),
		cmocka_unit_test(operators_that_run_once_belong_to_a_start),
		cmocka_unit_test(one_size_alone_differs_from_turn_to_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
