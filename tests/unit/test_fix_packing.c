/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small copies that become one: what goes with them, and what stays. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "tests/unit/advice_step.h"
#include "tests/unit/near.h"

#define BF16      "\"c10::BFloat16\""
#define ONE       "[" BF16 "]"
#define TWO       "[" BF16 ", " BF16 "]"
#define STREAMING "vectorized_elementwise_kernel"

static struct advice_result result_of(struct advice_step *step, weir_fix_apply *apply)
{
	struct advice_result result;

	advice_step_apply(step, apply, &result);
	return result;
}

/* Sixteen results that are copied one by one, behind a call that takes a tensor apart. */
static double parts_us(const char *dims, const char *dim)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[1, 4096], [4096, 2048]]", TWO, "nvjet_gemm", 8);
	advice_step_begin(step, "aten::unbind", dims, "[" BF16 ", \"Scalar\"]", dim);
	advice_step_pass(step, 40);
	advice_step_end(step);
	for (int i = 0; i < 16; i++) {
		advice_step_begin(step, "aten::copy_", "[[256, 16], [256, 16], []]", TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pinned)", 2, 8192);
		advice_step_end(step);
	}
	advice_step_wait(step);
	return result_of(step, weir_fix_pack_copies).after_us;
}

static void one_copy_needs_no_parts_of_its_tensor(void **state)
{
	double whole_us = parts_us("[[16, 256, 16], []]", "[\"\", \"0\"]");
	double other_us = parts_us("[[17, 256, 16], []]", "[\"\", \"0\"]");

	(void)state;
	/* Taking apart takes 42 us, and no operator joins the parts. */
	assert_true(whole_us < other_us - 42);
	assert_near(parts_us("[[256, 16, 16], []]", "[\"\", \"-1\"]"), whole_us, 0.01);
	assert_near(parts_us("[[15, 256, 16], []]", "[\"\", \"0\"]"), other_us, 0.01);
}

/* Pieces of a canvas: uploads one by one, each pasted on the device. */
struct canvas {
	const char *pasted;  /* sizes of the tensor that is pasted */
	const char *types;   /* of the canvas and of the pasted tensor */
	int pastes;          /* of ten pieces */
	bool behind;         /* pasted behind all uploads, by an operator that also fills */
	const char *between; /* an operator behind the uploads; NULL: none */
};

static void paste(struct advice_step *step, const struct canvas *canvas)
{
	advice_step_begin(step, "aten::copy_", canvas->pasted, canvas->types, NULL);
	advice_step_pass(step, 8);
	advice_step_kernel(step, "elementwise_kernel", 30, 4);
	advice_step_end(step);
}

static void paste_behind(struct advice_step *step, const struct canvas *canvas)
{
	if (canvas->between)
		for (int i = 0; i < 17; i++)
			advice_step_op(step, canvas->between, "[[8, 8]]", ONE, STREAMING, 2);
	advice_step_begin(step, "aten::pad_sequence", NULL, NULL, NULL);
	advice_step_op(step, "aten::fill_", "[[10, 96, 64]]", ONE, STREAMING, 50);
	for (int i = 0; i < canvas->pastes; i++)
		paste(step, canvas);
	advice_step_end(step);
}

static double canvas_us(const struct canvas *canvas)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 10; i++) {
		advice_step_begin(step, "aten::copy_", "[[96, 64], [96, 64], []]", TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pageable -> Device)", 2, 12288);
		advice_step_end(step);
		if (!canvas->behind && i < canvas->pastes)
			paste(step, canvas);
	}
	if (canvas->behind)
		paste_behind(step, canvas);
	advice_step_op(step, "aten::mm", "[[960, 64], [64, 64]]", TWO, "nvjet_gemm", 200);
	advice_step_wait(step);
	result = result_of(step, weir_fix_pack_copies);
	assert_true(result.found);
	return result.after_us;
}

#define PIECES "[[96, 64], [96, 64], []]"

static void packed_pieces_need_no_pasting_on_the_device(void **state)
{
	double pasted_us = canvas_us(&(struct canvas){PIECES, TWO, 10, false, NULL});
	double used_us = canvas_us(&(struct canvas){PIECES, TWO, 0, false, NULL});
	double behind_us = canvas_us(&(struct canvas){PIECES, TWO, 10, true, NULL});

	(void)state;
	/* The host pastes each piece in 1 us. */
	assert_near(pasted_us - used_us, 10, 1);
	assert_near(behind_us - used_us, 10, 1);
	/* A piece that nothing pastes may be used as it is: all pastes stay. */
	assert_true(canvas_us(&(struct canvas){PIECES, TWO, 9, false, NULL}) > used_us + 9 * 30);
}

static void pastes_of_other_tensors_stay(void **state)
{
	static const struct canvas others[] = {
		{"[[96, 64], [96, 63], []]", TWO, 10, false, NULL},
		{"[[96, 64], [1, 96, 64], []]", TWO, 10, false, NULL},
		{PIECES, "[" BF16 ", \"float\"]", 10, false, NULL},
		{PIECES, "[\"float\", " BF16 "]", 10, false, NULL}, /* a cast as well */
		{PIECES, TWO, 10, true, "aten::abs"},               /* another stage of the step */
	};
	double pasted_us = canvas_us(&(struct canvas){PIECES, TWO, 10, false, NULL});

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++)
		assert_true(canvas_us(&others[i]) > pasted_us + 250);
}

/* Ten uploaded pieces, some of which this operator changes one by one; then they are joined. */
struct shifted {
	const char *op, *dims, *types;
	int shifts;
	const char *join;
};

static double shifted_us(const struct shifted *shifted)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 10; i++) {
		advice_step_begin(step, "aten::copy_", PIECES, TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pageable -> Device)", 2, 12288);
		advice_step_end(step);
		if (i < shifted->shifts)
			advice_step_op(step, shifted->op, shifted->dims, shifted->types, STREAMING,
			               30);
	}
	advice_step_op(step, shifted->join, "[[], []]", "[\"TensorList\", \"\"]",
	               "CatArrayBatchedCopy", 4);
	advice_step_op(step, "aten::mm", "[[960, 64], [64, 64]]", TWO, "nvjet_gemm", 200);
	advice_step_wait(step);
	result = result_of(step, weir_fix_pack_copies);
	assert_true(result.found);
	return result.after_us;
}

#define NUMBER       "[" BF16 ", \"Scalar\", \"Scalar\"]"
#define PIECE_NUMBER "[[96, 64], [], []]"

static void the_host_changes_pieces_by_numbers_as_it_packs_them(void **state)
{
	const struct shifted none = {"aten::add", PIECE_NUMBER, NUMBER, 0, "aten::cat"};
	const struct shifted all = {"aten::add", PIECE_NUMBER, NUMBER, 10, "aten::cat"};
	static const struct shifted others[] = {
		/* A piece as it is: the others are changed on the device. */
		{"aten::add", PIECE_NUMBER, NUMBER, 9, "aten::cat"},
		{"aten::add", "[[96, 63], [], []]", NUMBER, 10, "aten::cat"},
		{"aten::add", PIECES, TWO, 10, "aten::cat"}, /* the device has the other tensor */
		{"aten::exp", PIECE_NUMBER, NUMBER, 10, "aten::abs"},
		{"aten::add", PIECE_NUMBER, NUMBER, 10, "aten::abs"}, /* they stay apart */
	};

	(void)state;
	/* 1 us for each piece. */
	assert_near(shifted_us(&all) - shifted_us(&none), 10, 1);
	for (size_t i = 0; i < WEIR_COUNT_OF(others); i++)
		assert_true(shifted_us(&others[i]) > shifted_us(&all) + 200);
}

/* Sixteen results that are copied one by one by this operator; `view` and `list`: operators around
 * each copy, or NULL. */
static double copied_us(const char *outer, const char *view, const char *list)
{
	struct advice_step *step = advice_step_new();

	advice_step_op(step, "aten::mm", "[[1, 4096], [4096, 2048]]", TWO, "nvjet_gemm", 8);
	for (int i = 0; i < 16; i++) {
		if (view) {
			advice_step_begin(step, view, NULL, NULL, NULL);
			advice_step_pass(step, 5);
			advice_step_end(step);
		}
		if (outer)
			advice_step_begin(step, outer, "[[256, 16], []]", ONE, NULL);
		advice_step_begin(step, "aten::copy_", "[[256, 16], [256, 16], []]", TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy DtoH (Device -> Pinned)", 2, 8192);
		advice_step_end(step);
		if (outer)
			advice_step_end(step);
		if (list)
			advice_step_view(step, list, "[[256, 16]]", ONE, NULL);
	}
	advice_step_wait(step);
	return result_of(step, weir_fix_pack_copies).after_us;
}

static double results_us(const char *view, const char *list)
{
	return copied_us("aten::to", view, list);
}

static void views_of_results_become_views_of_the_packed_result(void **state)
{
	double apart_us = results_us("aten::as_strided", NULL);
	double listed_us = results_us("aten::as_strided", "aten::resolve_conj");

	(void)state;
	/* One operator takes all views, 1.2 us each. */
	assert_near(apart_us - listed_us, 15 * 1.2, 0.15);
	assert_near(results_us("aten::as_strided", "aten::add"), apart_us, 0.1);
	/* Other work between the copies goes with them. */
	assert_near(results_us("aten::mul", NULL), listed_us, 0.1);
}

static void a_tensor_of_the_host_has_its_rows_already(void **state)
{
	double apart_us = results_us("aten::as_strided", NULL);

	(void)state;
	assert_near(apart_us - copied_us(NULL, "aten::as_strided", NULL), 15 * 1.2, 0.15);
}

/* Twenty pieces that are uploaded, and joined in two groups on the device. */
struct groups {
	const char *from;   /* an operator in front of each upload, or NULL */
	const char *memory; /* of the host */
	const char *join;   /* of ten pieces each */
	bool behind;        /* both groups are joined behind all uploads */
	const char *other;  /* an operator behind the first group, or NULL */
};

static void upload(struct advice_step *step, const struct groups *groups)
{
	if (groups->from)
		advice_step_view(step, groups->from, "[[1024, 16]]", ONE, NULL);
	advice_step_begin(step, "aten::to", "[[1024, 16], []]", ONE, NULL);
	advice_step_begin(step, "aten::copy_", "[[1024, 16], [1024, 16], []]", TWO, NULL);
	advice_step_copy_bytes(step, groups->memory, 2, 32768);
	advice_step_end(step);
	advice_step_end(step);
}

static double groups_us(const struct groups *groups)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int group = 0; group < 2; group++) {
		for (int i = 0; i < 10; i++)
			upload(step, groups);
		if (!groups->behind)
			advice_step_op(step, groups->join, "[[], []]", "[\"TensorList\", \"\"]",
			               "CatArrayBatchedCopy", 4);
		if (group == 0 && groups->other)
			advice_step_op(step, groups->other, "[[8, 8]]", ONE, STREAMING, 4);
	}
	for (int group = 0; groups->behind && group < 2; group++)
		advice_step_op(step, groups->join, "[[], []]", "[\"TensorList\", \"\"]",
		               "CatArrayBatchedCopy", 4);
	advice_step_op(step, "aten::mm", "[[960, 64], [64, 64]]", TWO, "nvjet_gemm", 200);
	advice_step_wait(step);
	result = result_of(step, weir_fix_pack_copies);
	assert_true(result.found);
	return result.after_us;
}

#define PAGEABLE "Memcpy HtoD (Pageable -> Device)"
#define PINNED   "Memcpy HtoD (Pinned -> Device)"

static void one_tensor_needs_no_joining_of_groups(void **state)
{
	const struct groups between = {NULL, PAGEABLE, "aten::cat", false, NULL};
	const struct groups behind = {NULL, PAGEABLE, "aten::cat", true, NULL};
	const struct groups other = {NULL, PAGEABLE, "aten::cat", false, "aten::abs"};

	(void)state;
	assert_near(groups_us(&between), groups_us(&behind), 0.1);
	assert_true(groups_us(&other) > groups_us(&between) + 2);
}

static void pieces_in_pinned_memory_are_parts_of_one_tensor(void **state)
{
	const struct groups pageable = {NULL, PAGEABLE, "aten::cat", false, NULL};
	const struct groups pinned = {NULL, PINNED, "aten::cat", false, NULL};

	(void)state;
	/* The host gathers 655 kB at 8 GB/s. */
	assert_near(groups_us(&pageable) - groups_us(&pinned), 81.9, 0.02);
}

/* Twelve pieces of numbers and of values, and an operator on each of `mapped` values. */
static double mapped_us(const char *op, int mapped, const char *dims, const char *types)
{
	struct advice_step *step = advice_step_new();

	for (int i = 0; i < 12; i++) {
		advice_step_begin(step, "aten::copy_", "[[200], [200], []]",
		                  "[\"long int\", \"long int\"]", NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 2, 1600);
		advice_step_end(step);
		advice_step_begin(step, "aten::copy_", "[[200], [200], []]", TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pinned -> Device)", 2, 400);
		advice_step_end(step);
		if (i < mapped) {
			advice_step_begin(step, op, dims, types, NULL);
			advice_step_pass(step, 8);
			advice_step_kernel(step, STREAMING, 30, 4);
			advice_step_end(step);
		}
	}
	advice_step_op(step, "aten::cat", "[[], []]", TWO, STREAMING, 4);
	advice_step_op(step, "aten::mm", "[[960, 64], [64, 64]]", TWO, "nvjet_gemm", 20);
	advice_step_wait(step);
	return result_of(step, weir_fix_pack_copies).after_us;
}

static void an_operator_on_each_piece_becomes_one_on_all(void **state)
{
	double once_us = mapped_us("aten::log1p", 12, "[[200]]", ONE);

	(void)state;
	assert_near(once_us - mapped_us("aten::log1p", 0, "[[200]]", ONE), 40, 5);
	/* A piece without the operator, one of another size, and two tensors. */
	assert_true(mapped_us("aten::log1p", 11, "[[200]]", ONE) > once_us + 9 * 30);
	assert_true(mapped_us("aten::log1p", 12, "[[201]]", ONE) > once_us + 9 * 30);
	assert_true(mapped_us("aten::mul", 12, "[[200], [200]]", TWO) > once_us + 9 * 30);
}

/* Pieces that are uploaded and joined, and the time behind them in which they are freed. */
static double freed_us(double us)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	for (int i = 0; i < 200; i++) {
		advice_step_begin(step, "aten::copy_", "[[96, 64], [96, 64], []]", TWO, NULL);
		advice_step_copy_bytes(step, "Memcpy HtoD (Pageable -> Device)", 2, 12288);
		advice_step_end(step);
	}
	advice_step_op(step, "aten::cat", "[[], []]", TWO, STREAMING, 4);
	advice_step_pass(step, us);
	advice_step_op(step, "aten::mm", "[[960, 64], [64, 64]]", TWO, "nvjet_gemm", 20);
	advice_step_wait(step);
	result = result_of(step, weir_fix_pack_copies);
	assert_true(result.found);
	return result.after_us;
}

/* 200 pieces take up to 400 us; what takes longer is work as well. */
static void freed_pieces_are_no_work_behind_the_copy(void **state)
{
	(void)state;
	assert_near(freed_us(399), freed_us(0), 0.05);
	assert_near(freed_us(600) - freed_us(500), 100, 0.2);
}

static void stacking_arrays_takes_a_view_of_each(void **state)
{
	const struct groups tensors = {NULL, PAGEABLE, "aten::stack", false, NULL};
	struct groups arrays = {"aten::lift_fresh", PAGEABLE, "aten::stack", false, NULL};
	double tensors_us = groups_us(&tensors);

	(void)state;
	assert_near(groups_us(&arrays) - tensors_us, 20, 0.15);
	arrays.behind = true;
	assert_near(groups_us(&arrays) - tensors_us, 20, 0.15);
	arrays.join = "aten::cat";
	assert_near(groups_us(&arrays), tensors_us, 0.02);
	arrays.from = "aten::view";
	arrays.join = "aten::stack";
	assert_near(groups_us(&arrays), tensors_us, 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_copy_needs_no_parts_of_its_tensor),
		cmocka_unit_test(packed_pieces_need_no_pasting_on_the_device),
		cmocka_unit_test(pastes_of_other_tensors_stay),
		cmocka_unit_test(the_host_changes_pieces_by_numbers_as_it_packs_them),
		cmocka_unit_test(views_of_results_become_views_of_the_packed_result),
		cmocka_unit_test(a_tensor_of_the_host_has_its_rows_already),
		cmocka_unit_test(one_tensor_needs_no_joining_of_groups),
		cmocka_unit_test(pieces_in_pinned_memory_are_parts_of_one_tensor),
		cmocka_unit_test(an_operator_on_each_piece_becomes_one_on_all),
		cmocka_unit_test(freed_pieces_are_no_work_behind_the_copy),
		cmocka_unit_test(stacking_arrays_takes_a_view_of_each),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
