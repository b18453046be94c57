/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Silences in which a compiler makes the kernel that is launched next, or does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/timeline/cold_start.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/scene.h"

#define US INT64_C(1000)

struct silence {
	int64_t ns;           /* before the launch */
	int64_t load_ns;      /* before the return of the launch; 0: nothing is loaded */
	const char *call;     /* that launches */
	bool inside_operator; /* is the launch */
};

static const struct silence usual = {WEIR_JUST_IN_TIME_LEAST_NS, 200 * US, "cuLaunchKernelEx",
                                     false};

static int64_t loading_ns(const struct silence *silence)
{
	struct make_trace *make = make_trace_new();
	int64_t at_ns = 100 * US + silence->ns, ns;
	struct scene scene;

	make_host(make, WEIR_HOST_OP, 0, "aten::first", 0, 100 * US);
	make_launch(make, 10 * US, 15 * US, 16 * US, 20 * US);
	if (silence->inside_operator)
		make_host(make, WEIR_HOST_OP, 0, "aten::mm", at_ns, at_ns + 10 * US);
	make_call(make, 0, silence->call, at_ns, at_ns + 5 * US, 77);
	make_kernel(make, 0, "tuned", at_ns + 6 * US, at_ns + 9 * US, 77);
	if (silence->load_ns)
		make_host(make, WEIR_HOST_OVERHEAD, 1, "Lazy Function Loading",
		          at_ns + 5 * US - silence->load_ns, at_ns + 5 * US - silence->load_ns + 1);
	scene_init(&scene, make_trace_finish(make), false);
	ns = scene_idle_ns(&scene, WEIR_IDLE_COMPILE_LOAD);
	scene_release(&scene);
	return ns;
}

/* Loading itself, of 1 ns, has its own record. */
static void assert_compiles(const struct silence *silence, bool expected)
{
	int64_t ns = loading_ns(silence);

	if (expected)
		assert_in_range(ns, silence->ns, silence->ns + 1);
	else
		assert_in_range(ns, 0, 1);
}

static void a_silence_before_the_launch_of_loaded_code_compiles_it(void **state)
{
	struct silence silence = usual;

	(void)state;
	assert_compiles(&silence, true);
	silence.call = "hipModuleLaunchKernel";
	assert_compiles(&silence, true);
	silence.call = "cudaLaunchKernel"; /* compiled with the program */
	assert_compiles(&silence, false);
	silence = usual;
	silence.inside_operator = true; /* of a library */
	assert_compiles(&silence, false);
}

static void a_compilation_lasts(void **state)
{
	struct silence silence = usual;

	(void)state;
	silence.ns--;
	assert_compiles(&silence, false);
}

static void the_driver_loads_what_was_compiled_just_before_its_launch(void **state)
{
	struct silence silence = usual;

	(void)state;
	silence.load_ns = 0; /* the kernel is known: the program waited for something else */
	assert_compiles(&silence, false);
	silence.load_ns = 1;
	assert_compiles(&silence, true);
	silence.load_ns = WEIR_JUST_IN_TIME_LOAD_NS + 5 * US - 1;
	assert_compiles(&silence, true);
	silence.load_ns++;
	assert_compiles(&silence, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_silence_before_the_launch_of_loaded_code_compiles_it),
		cmocka_unit_test(a_compilation_lasts),
		cmocka_unit_test(the_driver_loads_what_was_compiled_just_before_its_launch),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
