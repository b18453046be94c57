/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Host code without operators that moves to the device: array code and loops over boxes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16    "\"c10::BFloat16\""
#define TWO     "[" BF16 ", " BF16 "]"
#define PRODUCT "nvjet_gemm"
#define SINGLE  "[\"float\", \"Scalar\"]"

/* The host passes time behind a copy of results, without an event; returns what the fix makes of
 * it. */
static struct advice_result behind_results(int64_t bytes, double silent_us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pinned)", 80, bytes);
	advice_step_pass(step, silent_us);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	return result;
}

/* The same with a frame of Python around the time. */
static struct advice_result behind_frame(const char *frame, int64_t bytes, double us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pinned)", 80, bytes);
	advice_step_frame(step, frame, us);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	return result;
}

/* Array code takes 0.1 to 10 ns for a byte; text and compression take longer. */
static void work_as_fast_as_array_code_moves_to_the_device(void **state)
{
	static const struct {
		int64_t bytes;
		double silent_us;
		bool found;
	} cases[] = {
		{1000000, 9900, true}, {1000000, 10100, false}, {4000000, 410, true},
		{4000000, 380, false}, {262144, 2000, true},    {262143, 2000, false},
		{-1, 2000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (behind_results(cases[i].bytes, cases[i].silent_us).found != cases[i].found)
			fail_msg("case %zu", i);
}

/* The time of the work does not say what it is: a frame of NumPy does. */
static void only_work_without_a_name_is_supposed(void **state)
{
	(void)state;
	assert_true(behind_results(1000000, 2000).supposed);
	assert_false(behind_results(1000000, 10100).supposed);
	assert_false(
		behind_frame("numpy/lib/_function_base_impl.py(4267): quantile", 1000000, 20000)
			.supposed);
}

/* A step that prepares an input before it pins and copies it: work without events, and a copy in an
 * operator. */
static struct advice_result before_input(double silent_us, const char *around, double copy_us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_pass(step, silent_us);
	advice_step_view(step, "aten::lift_fresh", "[[3, 3, 512, 512]]", SINGLE, NULL);
	advice_step_begin(step, around, "[[3, 3, 512, 512], []]", SINGLE, NULL);
	advice_step_begin(step, "aten::copy_", "[[3, 3, 512, 512], [3, 3, 512, 512], []]", TWO,
	                  NULL);
	advice_step_pass(step, copy_us);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 200, 9437184);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 9000);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	return result;
}

/* The operator that fills pinned memory prepares the copy that stays. */
static void a_copy_to_pinned_memory_is_not_moved(void **state)
{
	(void)state;
	assert_true(before_input(0, "aten::contiguous", 2000).found);
	assert_false(before_input(0, "aten::_pin_memory", 2000).found);
}

/* Operators that move as well do not say what the longer rest of the work is. */
static void work_is_supposed_if_most_of_it_has_no_name(void **state)
{
	(void)state;
	assert_true(before_input(30000, "aten::contiguous", 29000).supposed);
	assert_false(before_input(30000, "aten::contiguous", 31000).supposed);
}

/* 16 operators of 6 us remain of the host's work, and little of the copy. */
static void the_device_does_the_work_of_array_code(void **state)
{
	struct advice_result result = behind_results(4000000, 4000);

	(void)state;
	assert_near(result.before_us - result.after_us, 4000 + 80 - 16 * 6, 0.05);
}

/* Frames of NumPy say what the host does, however long it takes: 3 quantiles of 3.8 MB took 10 ns a
 * byte. Other frames say that it is something else. */
static void array_code_with_a_name_moves_whatever_its_time(void **state)
{
	static const struct {
		const char *frame;
		int64_t bytes;
		double us;
		bool found;
	} cases[] = {
		{"<built-in method partition of numpy.ndarray object at 0x7f>", 1000000, 20000,
	         true},
		{"numpy/lib/_function_base_impl.py(4267): quantile", 1000000, 20000, true},
		{"numpy/lib/_function_base_impl.py(4267): quantile", 262143, 20000, false},
		{"numpy/lib/_function_base_impl.py(4267): quantile", 4000000, 410, true},
		{"numpy/lib/_function_base_impl.py(4267): quantile", 4000000, 390, false},
		{"numpy/lib/_npyio_impl.py(500): save", 1000000, 2000, false},
		{"<built-in function compress>", 1000000, 2000, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (behind_frame(cases[i].frame, cases[i].bytes, cases[i].us).found !=
		    cases[i].found)
			fail_msg("case %zu", i);
}

/* The host passes time before it copies an input, which it wraps as a tensor or not. */
static bool moves_input(const char *wrapped)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_pass(step, 4000);
	if (wrapped)
		advice_step_view(step, "aten::lift_fresh", wrapped, "[\"float\"]", NULL);
	advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 80, 1048576);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	return result.found;
}

/* Reading a file is as fast as array code: a large array shows what it is. */
static void inputs_that_are_arrays_are_computed_on_the_device(void **state)
{
	(void)state;
	assert_true(moves_input("[[512, 512]]"));
	assert_true(moves_input("[[256, 256]]"));
	assert_false(moves_input("[[256, 255]]"));
	assert_false(moves_input(NULL));
}

/* Boxes and scores come to the host, where nothing is recorded for `silent_us`. */
struct silent_boxes {
	const char *boxes, *scores, *types;
	double silent_us;
	bool suppressed; /* by an operator before them */
};

static struct advice_result behind_boxes(const struct silent_boxes *of)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	if (of->suppressed)
		advice_step_op(step, "torchvision::nms", "[[1200, 4], [1200], []]", TWO,
		               "nms_kernel_impl", 100);
	advice_step_begin(step, "aten::copy_", of->boxes, of->types, NULL);
	advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pageable)", 2, 8192);
	advice_step_end(step);
	advice_step_begin(step, "aten::clone", of->scores, of->types, NULL);
	advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pageable)", 2, 2048);
	advice_step_end(step);
	advice_step_pass(step, of->silent_us);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	return result;
}

static void boxes_that_a_loop_suppresses_are_suppressed_on_the_device(void **state)
{
	static const char floats[] = "[\"float\", \"float\"]";
	static const struct {
		struct silent_boxes of;
		bool found;
	} cases[] = {
		{{"[[512, 4], []]", "[[512], []]", floats, 5000, false}, true},
		{{"[[511, 4], []]", "[[511], []]", floats, 5000, false}, false},
		{{"[[1, 512, 4], []]", "[[1, 512], []]", floats, 5000, false}, true},
		/* Rows of five are no boxes; one score a box. */
		{{"[[512, 5], []]", "[[512], []]", floats, 5000, false}, false},
		{{"[[512, 4], []]", "[[511], []]", floats, 5000, false}, false},
		{{"[[512, 4], []]", "[[512], []]", "[\"long\", \"long\"]", 5000, false}, false},
		/* From one microsecond a box to one for each pair, 130.8 ms. */
		{{"[[512, 4], []]", "[[512], []]", floats, 513, false}, true},
		{{"[[512, 4], []]", "[[512], []]", floats, 505, false}, false},
		{{"[[512, 4], []]", "[[512], []]", floats, 130800, false}, true},
		{{"[[512, 4], []]", "[[512], []]", floats, 130850, false}, false},
		{{"[[512, 4], []]", "[[512], []]", floats, 5000, true}, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (behind_boxes(&cases[i].of).found != cases[i].found)
			fail_msg("case %zu", i);
}

static void the_device_decides_on_the_boxes_of_a_loop_one_by_one(void **state)
{
	static const struct silent_boxes few = {"[[512, 4], []]", "[[512], []]",
	                                        "[\"float\", \"float\"]", 5000, false},
					 more = {"[[1024, 4], []]", "[[1024], []]",
	                                         "[\"float\", \"float\"]", 5000, false};
	struct advice_result result = behind_boxes(&few);

	(void)state;
	/* 0.28 us each, eight operators of 6 us, and a wait for their count. */
	assert_near(result.before_us - result.after_us, 5000 - 512 * 0.28 - 8 * 6 - 10, 0.001);
	assert_near(behind_boxes(&more).after_us - result.after_us, 512 * 0.28, 1e-6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_that_a_loop_suppresses_are_suppressed_on_the_device),
		cmocka_unit_test(the_device_decides_on_the_boxes_of_a_loop_one_by_one),
		cmocka_unit_test(work_as_fast_as_array_code_moves_to_the_device),
		cmocka_unit_test(only_work_without_a_name_is_supposed),
		cmocka_unit_test(a_copy_to_pinned_memory_is_not_moved),
		cmocka_unit_test(work_is_supposed_if_most_of_it_has_no_name),
		cmocka_unit_test(the_device_does_the_work_of_array_code),
		cmocka_unit_test(array_code_with_a_name_moves_whatever_its_time),
		cmocka_unit_test(inputs_that_are_arrays_are_computed_on_the_device),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
