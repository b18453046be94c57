/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators of the host that move to the device: which ones move, and what that promises. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16    "\"c10::BFloat16\""
#define ONE     "[" BF16 "]"
#define TWO     "[" BF16 ", " BF16 "]"
#define PRODUCT "nvjet_gemm"

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_wait(step);
	advice_step_apply(step, apply, &result);
	return result;
}

/* The host divides 25 MB of pixels before it copies them; `us` is its time. */
static struct advice_step *images(const char *dims, double us, bool copied)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	advice_step_begin(step, "aten::div", dims, "[\"float\", \"Scalar\"]", NULL);
	advice_step_pass(step, us);
	advice_step_end(step);
	if (copied) {
		advice_step_begin(step, "aten::copy_", dims, "[\"float\", \"Scalar\"]", NULL);
		advice_step_copy(step, "Memcpy HtoD (Pageable -> Device)", 500);
		advice_step_end(step);
	}
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	return step;
}

static void the_device_divides_what_is_copied_to_it(void **state)
{
	struct advice_result result;

	(void)state;
	result = result_of(images("[[32, 3, 256, 256], []]", 4000, true), weir_fix_move_to_device);
	assert_true(result.found);
	/* 50 MB at 3.0 TB/s take 17 us instead. */
	assert_near(result.before_us - result.after_us, 4000 - 17, 0.02);
}

static double images_after_us(const char *dims, double us)
{
	return result_of(images(dims, us, true), weir_fix_move_to_device).after_us;
}

static void the_device_takes_as_long_as_the_bytes_need(void **state)
{
	double after_us = images_after_us("[[8, 3, 256, 256], []]", 4000);

	(void)state;
	/* 6.3 MB more are read and written. */
	assert_near(images_after_us("[[16, 3, 256, 256], []]", 4000) - after_us,
	            2 * 6.291456 / 3.015, 0.001);
	/* The host's time does not matter. */
	assert_near(images_after_us("[[8, 3, 256, 256], []]", 2000), after_us, 1e-9);
}

/* The operator displaced the framework's code from the caches, so that first calls took longer. */
static void calls_are_faster_without_a_pass_over_16_megabytes(void **state)
{
	double cold_us = images_after_us("[[4095, 1024], []]", 4000);

	(void)state;
	assert_near(cold_us - images_after_us("[[4096, 1024], []]", 4000), 6.0, 0.01);
}

/* Returns the step with a product of the host before a copy. */
static double multiplied_after_us(const char *dims)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	advice_step_begin(step, "aten::mm", dims, TWO, NULL);
	advice_step_pass(step, 4000);
	advice_step_end(step);
	advice_step_copy(step, "Memcpy HtoD (Pageable -> Device)", 500);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

static void a_product_reaches_half_of_the_rate_of_the_device(void **state)
{
	double us = multiplied_after_us("[[2048, 1024], [1024, 2048]]") -
	            multiplied_after_us("[[1024, 1024], [1024, 2048]]");

	(void)state;
	/* Products sustain 80 % of 989.4 TFLOP/s. */
	assert_near(us, 2 * 1024.0 * 1024 * 2048 / (0.5 * 0.8 * 989.4e6), 0.001);
}

/* Returns the step with pooled regions on the host before a copy. */
static double pooled_after_us(const char *dims)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	advice_step_begin(step, "torchvision::roi_align", dims, "[\"float\", \"Scalar\"]", NULL);
	advice_step_pass(step, 4000);
	advice_step_end(step);
	advice_step_copy(step, "Memcpy HtoD (Pageable -> Device)", 500);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

static void an_operator_without_a_model_passes_over_its_operands_eight_times(void **state)
{
	(void)state;
	assert_near(pooled_after_us("[[512, 4096], []]") - pooled_after_us("[[256, 4096], []]"),
	            8 * 4.194304 / 3.015, 0.001);
}

static void data_that_are_not_copied_stay_on_the_host(void **state)
{
	(void)state;
	assert_false(
		result_of(images("[[32, 3, 256, 256], []]", 4000, false), weir_fix_move_to_device)
			.found);
}

static void short_operators_and_small_tensors_stay_on_the_host(void **state)
{
	(void)state;
	/* The operator takes 2 us beside what passes. */
	assert_true(result_of(images("[[32, 512], []]", 48, true), weir_fix_move_to_device).found);
	assert_false(
		result_of(images("[[32, 512], []]", 47.999, true), weir_fix_move_to_device).found);
	assert_false(result_of(images("[[32, 511], []]", 60, true), weir_fix_move_to_device).found);
}

/* Boxes in 40 kB come to the host, which computes `silent_us` without events, and chooses some. */
static struct advice_step *boxes(const char *op, double us, double silent_us)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_begin(step, "aten::copy_", "[[2000, 4], [2000, 4]]", "[\"float\", \"float\"]",
	                  NULL);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 10);
	advice_step_end(step);
	advice_step_pass(step, silent_us);
	advice_step_begin(step, op, "[[2000, 4], [2000], []]", "[\"float\", \"float\", \"Scalar\"]",
	                  NULL);
	advice_step_pass(step, us);
	advice_step_end(step);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	return step;
}

static void a_long_operator_moves_whatever_its_size(void **state)
{
	static const char nms[] = "torchvision::nms";

	(void)state;
	assert_true(result_of(boxes(nms, 998, 0), weir_fix_move_to_device).found);
	assert_false(result_of(boxes(nms, 997.999, 0), weir_fix_move_to_device).found);
	/* Nothing says that it has a kernel for the device. */
	assert_false(result_of(boxes("mine::nms", 1000, 0), weir_fix_move_to_device).found);
}

static void an_operator_without_elements_stays_on_the_host(void **state)
{
	(void)state;
	assert_true(result_of(images("[[1], []]", 998, true), weir_fix_move_to_device).found);
	assert_false(result_of(images("[[0], []]", 998, true), weir_fix_move_to_device).found);
}

static void a_moved_operator_is_the_place_although_the_next_call_launches(void **state)
{
	struct advice_result result =
		result_of(boxes("torchvision::nms", 1000, 0), weir_fix_move_to_device);

	(void)state;
	assert_string_equal(result.worst_op, "torchvision::nms");
	assert_near(result.places_us, 1002 + 10, 1e-6); /* and the copy */
}

static void silent_code_before_a_moved_operator_moves_with_it(void **state)
{
	struct advice_result without, with, dispatch;

	(void)state;
	without = result_of(boxes("torchvision::nms", 1000, 0), weir_fix_move_to_device);
	with = result_of(boxes("torchvision::nms", 1000, 1000), weir_fix_move_to_device);
	dispatch = result_of(boxes("torchvision::nms", 1000, 150), weir_fix_move_to_device);
	assert_near(with.before_us - without.before_us, 1000, 1e-6);
	/* 16 operators of 6 us in place of 1 ms */
	assert_near(with.after_us - without.after_us, 96, 1e-6);
	/* A shorter silence is the way to the operator. */
	assert_near(dispatch.after_us - without.after_us, 150, 1e-6);
}

static double suppressed_after_us(const char *op, const char *dims)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_begin(step, "aten::copy_", "[[2000, 4], [2000, 4]]", TWO, NULL);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 10);
	advice_step_end(step);
	advice_step_begin(step, op, dims, TWO, NULL);
	advice_step_pass(step, 5000);
	advice_step_end(step);
	return result_of(step, weir_fix_move_to_device).after_us;
}

/* A kernel takes 2 us at least. What stays is counted: five operators, and a return of 10 us. */
static void boxes_are_suppressed_one_by_one(void **state)
{
	double few_us = suppressed_after_us("torchvision::nms", "[[7, 4], [7], []]");

	(void)state;
	assert_near(suppressed_after_us("torchvision::nms", "[[8, 4], [8], []]") - few_us, 0.24,
	            1e-6);
	assert_near(suppressed_after_us("torchvision::nms", "[[4008, 4], [4008], []]") - few_us,
	            1122.24 - 2, 1e-6);
	assert_near(few_us - suppressed_after_us("torchvision::roi_align", "[[7, 4], [7], []]"),
	            5 * 6 + 10, 1e-6);
}

static void a_choice_on_the_host_copies_only_its_result(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 128256]]", TWO, PRODUCT, 300);
	advice_step_begin(step, "aten::copy_", "[[64, 128256], [64, 128256]]", TWO, NULL);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 2000);
	advice_step_end(step);
	advice_step_begin(step, "aten::argmax", "[[64, 128256]]", ONE, NULL);
	advice_step_pass(step, 3000);
	advice_step_end(step);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	/* The host's time and the copy's, less a hundredth of the copy, 16.4 MB at 3.015 TB/s and
	 * the dispatch of an operator. */
	assert_near(result.before_us - result.after_us, 3002 + 2000 - 20 - 5.445 - 6, 1e-5);
	/* Half to twice as long on the device. */
	assert_near(result.after_us - result.low_us, 0.5 * 25.445, 1e-4);
	assert_near(result.high_us - result.after_us, 25.445, 1e-4);
}

/* Returns a step that copies a tensor to the host, runs an operator and the maximum there, and then
 * frees what it read for `free_us`. */
static struct advice_step *maximum(const char *two_dims, const char *dims, const char *before,
                                   double free_us)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 128256]]", TWO, PRODUCT, 300);
	advice_step_begin(step, "aten::copy_", two_dims, TWO, NULL);
	advice_step_copy(step, "Memcpy DtoH (Device -> Pageable)", 2000);
	advice_step_end(step);
	if (before) {
		advice_step_begin(step, before, dims, ONE, NULL);
		advice_step_pass(step, 3000);
		advice_step_end(step);
	}
	advice_step_begin(step, "aten::max", dims, ONE, NULL);
	advice_step_pass(step, 3000);
	advice_step_end(step);
	advice_step_pass(step, free_us);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 300);
	return step;
}

/* 64 x 128256 halves are 16.4 MB; a byte takes at most 0.06 ns to free. */
static void a_large_tensor_of_the_host_is_freed_no_more(void **state)
{
	static const struct {
		double free_us, saved_us;
	} cases[] = {{0, 4970.555}, {900, 5870.555}, {4000, 4970.555 + 985.006}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_result result =
			result_of(maximum("[[64, 128256], [64, 128256]]", "[[64, 128256]]", NULL,
		                          cases[i].free_us),
		                  weir_fix_move_to_device);

		assert_true(result.found);
		assert_near(result.before_us - result.after_us, cases[i].saved_us, 1e-5);
	}
}

/* Runs an operator on 16.4 MB on the host, frees them for `free_us`, and copies the result to the
 * device. */
static struct advice_result prepared(double free_us)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 128256]]", TWO, PRODUCT, 300);
	advice_step_wait(step);
	advice_step_begin(step, "aten::abs", "[[64, 128256]]", ONE, NULL);
	advice_step_pass(step, 3000);
	advice_step_end(step);
	advice_step_pass(step, free_us);
	advice_step_copy(step, "Memcpy HtoD (Pageable -> Device)", 2000);
	return result_of(step, weir_fix_move_to_device);
}

/* A byte takes at most 0.06 ns to free, 985 us for these. */
static void a_tensor_before_a_copy_to_the_device_is_freed_no_more(void **state)
{
	double nothing_us = prepared(0).after_us;

	(void)state;
	assert_near(prepared(900).after_us, nothing_us, 1e-5);
	assert_near(prepared(4000).after_us - nothing_us, 4000 - 985.006, 1e-3);
}

/* ---- the copy ---- */

#define UP        "Memcpy HtoD (Pageable -> Device)"
#define DOWN      "Memcpy DtoH (Device -> Pageable)"
#define PINNED_UP "Memcpy HtoD (Pinned -> Device)"
#define LINK      47250.0 /* bytes/us of pinned copies to or from an H100 */
#define COPY_US   2000.0
#define LOGITS    "[[64, 128256], []]"
#define ELEMENTS  (INT64_C(64) * 128256)
#define HALF      "[" BF16 ", \"Scalar\"]"
#define SINGLE    "[\"float\", \"Scalar\"]"

/* An operator of the host on logits behind a copy from the device, or before one to it. */
struct around {
	const char *copy, *op, *types;
	int64_t bytes;     /* of the copy; 0: not recorded */
	const char *inner; /* types of the copy in the operator; NULL: none */
};

static double after_us_of(const struct around *around, int64_t bytes)
{
	struct advice_step *step = advice_step_new();
	bool up = strstr(around->copy, "HtoD") != NULL;
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	if (!up)
		advice_step_copy_bytes(step, around->copy, COPY_US, bytes);
	advice_step_begin(step, around->op, LOGITS, around->types, NULL);
	if (around->inner)
		advice_step_view(step, "aten::copy_", LOGITS, around->inner, NULL);
	advice_step_pass(step, 3000);
	advice_step_end(step);
	if (up)
		advice_step_copy_bytes(step, around->copy, COPY_US, bytes);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

/* Returns how much longer the copy is promised to take if its bytes are known. */
static double more_us(const struct around *around)
{
	return after_us_of(around, around->bytes) - after_us_of(around, 0);
}

static void a_copy_from_the_device_moves_the_result(void **state)
{
	static const struct {
		struct around around;
		double us; /* of the copy */
	} cases[] = {
		/* As much as now, and half of it: one byte for each half. */
		{{DOWN, "aten::mul", HALF, 2 * ELEMENTS, NULL}, COPY_US},
		{{DOWN, "aten::gt", HALF, 2 * ELEMENTS, NULL}, COPY_US / 2},
		{{DOWN, "aten::isnan", SINGLE, 2 * ELEMENTS, NULL}, COPY_US / 2},
		/* More than now, at the rate of large copies to pageable memory, or at its own. */
		{{DOWN, "aten::mul", SINGLE, 2 * ELEMENTS, NULL}, 4 * ELEMENTS / (0.33 * LINK)},
		{{DOWN, "aten::mul", SINGLE, 3 * ELEMENTS, NULL}, 4 * ELEMENTS / (0.33 * LINK)},
		{{"Memcpy DtoH (Device -> Pinned)", "aten::mul", SINGLE, 2 * ELEMENTS, NULL},
	         2 * COPY_US},
		/* A cast copies into its result; without one the result is not known. */
		{{DOWN, "aten::to", HALF, 2 * ELEMENTS, SINGLE}, 4 * ELEMENTS / (0.33 * LINK)},
		{{DOWN, "aten::to", SINGLE, 4 * ELEMENTS, HALF}, COPY_US / 2},
		{{DOWN, "aten::to", SINGLE, 2 * ELEMENTS, NULL}, COPY_US},
		{{DOWN, "aten::upsample_nearest2d", SINGLE, 2 * ELEMENTS, NULL}, COPY_US},
		/* Next to nothing takes the time of the shortest kernel. */
		{{DOWN, "aten::gt", HALF, 2000 * ELEMENTS, NULL}, 2},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_near(COPY_US + more_us(&cases[i].around), cases[i].us, 0.0005);
}

static void a_copy_to_the_device_moves_the_input_if_that_is_more(void **state)
{
	static const struct {
		struct around around;
		double us; /* of the copy */
	} cases[] = {
		{{UP, "aten::mul", HALF, ELEMENTS, NULL}, COPY_US},
		{{UP, "aten::mul", SINGLE, ELEMENTS, NULL}, 4 * ELEMENTS / (0.33 * LINK)},
		{{UP, "aten::mul", SINGLE, 4 * ELEMENTS, NULL}, COPY_US},
		{{UP, "aten::mul", HALF, 4 * ELEMENTS, NULL}, COPY_US}, /* not its only input */
		{{PINNED_UP, "aten::mul", SINGLE, 2 * ELEMENTS, NULL}, 2 * COPY_US},
		{{PINNED_UP, "aten::mul", SINGLE, 4 * ELEMENTS - 4, NULL}, COPY_US},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++)
		assert_near(COPY_US + more_us(&cases[i].around), cases[i].us, 0.0005);
}

static void a_copy_of_chosen_elements_takes_a_hundredth(void **state)
{
	static const struct {
		int64_t bytes;
		double us; /* of the copy */
	} cases[] = {
		{2 * ELEMENTS, 0.01 * 2 * ELEMENTS / (0.5 * LINK)},
		{6 * ELEMENTS, 0.01 * COPY_US},
		{ELEMENTS / 2, 2}, /* no less than the shortest kernel */
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const struct around around = {DOWN, "aten::argmax", HALF, cases[i].bytes, NULL};

		assert_near(0.01 * COPY_US + more_us(&around), cases[i].us, 0.0005);
	}
}

/* Returns the step with an operator behind a copy that returns late. */
static double returned_after_us(const char *op, double return_us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_returns(step, return_us);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_copy(step, DOWN, COPY_US);
	advice_step_view(step, "aten::view", LOGITS, HALF, NULL);
	advice_step_begin(step, op, LOGITS, HALF, NULL);
	advice_step_pass(step, 3000);
	advice_step_end(step);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

/* The driver copies what a pageable copy brought to where it belongs, before it returns. */
static void a_copy_of_chosen_elements_returns_soon(void **state)
{
	double argmax_us = returned_after_us("aten::argmax", 1);
	double mul_us = returned_after_us("aten::mul", 1);

	(void)state;
	assert_near(returned_after_us("aten::argmax", 9) - argmax_us, 8, 1e-6);
	assert_near(returned_after_us("aten::argmax", 50) - argmax_us, 9, 1e-6);
	assert_near(returned_after_us("aten::mul", 50) - mul_us, 49, 1e-6);
}

static void copies_of_either_vendor_are_copies(void **state)
{
	const struct around cuda = {DOWN, "aten::mul", HALF, 0, NULL};
	const struct around rocm = {"CopyDeviceToHost", "aten::mul", HALF, 0, NULL};

	(void)state;
	assert_near(after_us_of(&rocm, 0), after_us_of(&cuda, 0), 1e-9);
}

/* ---- the ends of the step ---- */

#define PIXELS "[[8, 3, 256, 256], []]"

/* Returns what is saved by an operator of 4 ms before the first launch of the step, or behind its
 * last one. */
static double saved_us(bool first)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int half = 0; half < 2; half++)
		if ((half == 0) == first) {
			if (!first)
				advice_step_copy(step, DOWN, 500);
			advice_step_begin(step, "aten::div", PIXELS, SINGLE, NULL);
			advice_step_pass(step, 4000);
			advice_step_end(step);
			if (first)
				advice_step_copy(step, UP, 500);
		} else {
			advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT,
			               100);
		}
	if (first)
		advice_step_wait(step);
	advice_step_apply(step, weir_fix_move_to_device, &result);
	assert_true(result.found);
	return result.before_us - result.after_us;
}

static void operators_at_the_ends_of_the_step_move(void **state)
{
	/* The host's time, less 12.6 MB on the device and the dispatch. */
	const double us = 4002 - 12.582912 / 3.015 - 6;

	(void)state;
	assert_near(saved_us(true), us, 1e-6);
	assert_near(saved_us(false), us, 1e-6);
}

static void a_copy_may_be_the_first_work_of_the_step(void **state)
{
	struct advice_step *step = advice_step_new();

	(void)state;
	advice_step_copy(step, DOWN, 500);
	advice_step_begin(step, "aten::div", PIXELS, SINGLE, NULL);
	advice_step_pass(step, 4000);
	advice_step_end(step);
	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	assert_true(result_of(step, weir_fix_move_to_device).found);
}

/* ---- several operators ---- */

/* Returns the step with `count` divisions of `us` on the host, `apart_us` from each other, before
 * their copy; each has `inner` views in it. */
#define PICTURES "[[8, 3, 256, 256], []]"
#define SMALL    "[[8, 3, 104, 104], []]" /* less than 1 MiB: kept by allocators */

static double divided_after_us(const char *dims, int count, double apart_us, int inner)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	for (int i = 0; i < count; i++) {
		if (i > 0)
			advice_step_pass(step, apart_us);
		advice_step_begin(step, "aten::div", dims, SINGLE, NULL);
		for (int v = 0; v < inner; v++)
			advice_step_view(step, "aten::view", dims, SINGLE, NULL);
		advice_step_pass(step, 1000);
		advice_step_end(step);
	}
	advice_step_copy(step, UP, 500);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

static void each_moved_operator_is_dispatched(void **state)
{
	double one_us = divided_after_us(PICTURES, 1, 0, 0);

	(void)state;
	/* 6 us of the host and 12.6 MB of the device; 1.5 us more for an operator inside. */
	assert_near(divided_after_us(PICTURES, 2, 0, 0) - one_us, 6 + 12.582912 / 3.015, 0.001);
	assert_near(divided_after_us(PICTURES, 1, 0, 1) - one_us, 1.5, 0.001);
	assert_near(divided_after_us(PICTURES, 1, 0, 3) - one_us, 4.5, 0.001);
}

static void time_between_moved_operators_goes_if_it_is_long(void **state)
{
	double close_us = divided_after_us(SMALL, 2, 0, 0);

	(void)state;
	assert_near(divided_after_us(SMALL, 2, 50, 0), close_us, 1e-6);
	assert_near(divided_after_us(SMALL, 2, 49.999, 0) - close_us, 49.999, 1e-6);
}

/* Returns the step with two divisions on the host and an operator of `us` between them, which
 * counts elements `counts` times. */
static double divided_around_us(const char *op, double us, int counts)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
	advice_step_wait(step);
	for (int i = 0; i < 2; i++) {
		advice_step_begin(step, "aten::div", "[[8, 3, 256, 256], []]", SINGLE, NULL);
		advice_step_pass(step, 1000);
		advice_step_end(step);
		advice_step_pass(step, 60);
		if (i == 1 || !op)
			continue;
		advice_step_begin(step, op, "[[8, 3, 256, 256]]", SINGLE, NULL);
		for (int c = 0; c < counts; c++)
			advice_step_view(step, "aten::nonzero", "[[8]]", "[\"bool\"]", NULL);
		advice_step_pass(step, us);
		advice_step_end(step);
	}
	advice_step_copy(step, UP, 500);
	result = result_of(step, weir_fix_move_to_device);
	assert_true(result.found);
	return result.after_us;
}

/* An operator takes 2 us beside what passes. */
static void short_operators_between_moved_ones_run_on_the_device(void **state)
{
	double none_us = divided_around_us(NULL, 0, 0);

	(void)state;
	assert_near(divided_around_us("aten::gt", 10, 0) - none_us, 6, 1e-6);
	assert_near(divided_around_us("aten::gt", 4, 0) - none_us, 6, 1e-6);
	assert_near(divided_around_us("aten::gt", 3, 0) - none_us, 5, 1e-6);
	/* Five operators more, and a return of 10 us; 1.5 us for the operator inside. */
	assert_near(divided_around_us("aten::index", 3, 1) - none_us, 7.5 + 40, 1e-6);
	assert_near(divided_around_us("aten::index", 3, 2) - none_us, 9 + 80, 1e-6);
	assert_near(divided_around_us("aten::nonzero", 3, 0) - none_us, 6 + 40, 1e-6);
}

static void only_a_copy_on_the_way_takes_an_operator_along(void **state)
{
	static const struct {
		const char *before, *behind;
		bool found;
	} cases[] = {
		{DOWN, NULL, true},
		{NULL, UP, true},
		{"CopyDeviceToHost", NULL, true},
		{NULL, "CopyHostToDevice", true},
		{UP, NULL, false}, /* of something else */
		{NULL, DOWN, false},
		{"Memcpy DtoD (Device -> Device)", "Memcpy DtoD (Device -> Device)", false},
		{NULL, NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_step *step = advice_step_new();

		advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
		if (cases[i].before)
			advice_step_copy(step, cases[i].before, 500);
		advice_step_wait(step);
		advice_step_begin(step, "aten::div", LOGITS, SINGLE, NULL);
		advice_step_pass(step, 1000);
		advice_step_end(step);
		if (cases[i].behind)
			advice_step_copy(step, cases[i].behind, 500);
		advice_step_op(step, "aten::mm", "[[64, 2048], [2048, 2048]]", TWO, PRODUCT, 100);
		assert_int_equal(result_of(step, weir_fix_move_to_device).found, cases[i].found);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_device_divides_what_is_copied_to_it),
		cmocka_unit_test(the_device_takes_as_long_as_the_bytes_need),
		cmocka_unit_test(a_product_reaches_half_of_the_rate_of_the_device),
		cmocka_unit_test(calls_are_faster_without_a_pass_over_16_megabytes),
		cmocka_unit_test(an_operator_without_a_model_passes_over_its_operands_eight_times),
		cmocka_unit_test(data_that_are_not_copied_stay_on_the_host),
		cmocka_unit_test(short_operators_and_small_tensors_stay_on_the_host),
		cmocka_unit_test(a_long_operator_moves_whatever_its_size),
		cmocka_unit_test(an_operator_without_elements_stays_on_the_host),
		cmocka_unit_test(a_moved_operator_is_the_place_although_the_next_call_launches),
		cmocka_unit_test(silent_code_before_a_moved_operator_moves_with_it),
		cmocka_unit_test(boxes_are_suppressed_one_by_one),
		cmocka_unit_test(a_choice_on_the_host_copies_only_its_result),
		cmocka_unit_test(a_large_tensor_of_the_host_is_freed_no_more),
		cmocka_unit_test(a_tensor_before_a_copy_to_the_device_is_freed_no_more),
		cmocka_unit_test(a_copy_from_the_device_moves_the_result),
		cmocka_unit_test(a_copy_to_the_device_moves_the_input_if_that_is_more),
		cmocka_unit_test(a_copy_of_chosen_elements_takes_a_hundredth),
		cmocka_unit_test(a_copy_of_chosen_elements_returns_soon),
		cmocka_unit_test(operators_at_the_ends_of_the_step_move),
		cmocka_unit_test(a_copy_may_be_the_first_work_of_the_step),
		cmocka_unit_test(copies_of_either_vendor_are_copies),
		cmocka_unit_test(each_moved_operator_is_dispatched),
		cmocka_unit_test(time_between_moved_operators_goes_if_it_is_long),
		cmocka_unit_test(short_operators_between_moved_ones_run_on_the_device),
		cmocka_unit_test(only_a_copy_on_the_way_takes_an_operator_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
