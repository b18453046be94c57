/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies and kernels that move fewer bytes: parts of results, uploads and stored tensors in smaller
 * types. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/advisor.h"
#include "tests/unit/advice_step.h"
#include "tests/unit/advice_trace.h"
#include "tests/unit/near.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char up[] = "Memcpy HtoD (Pinned -> Device)";
static const char down[] = "Memcpy DtoH (Device -> Pinned)";

/* Adds a copy between host and device with its operator. */
static void copy(struct advice_step *step, const char *name, const char *dims, const char *types,
                 double us, int64_t bytes)
{
	advice_step_begin(step, "aten::copy_", dims, types, NULL);
	advice_step_copy_bytes(step, name, us, bytes);
	advice_step_end(step);
}

/* ---- copy-less: a part of a result ---- */

/* A kernel of 400 us writes a tensor that goes to the host, which picks a quarter of it. */
static void a_cast_before_a_copy_of_a_part_casts_that_part(void **state)
{
	static const struct {
		const char *op, *dims;
		double saved_us;
	} cases[] = {
		{"aten::copy_", "[[64, 8000], [64, 8000], []]", 750 + 300},
		{"aten::copy_", "[[64, 4000], [64, 4000], []]", 750}, /* another tensor */
		{"aten::mul", "[[64, 8000], [64, 8000], []]", 750},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_step *step = advice_step_new();
		struct advice_result result;

		advice_step_op(step, cases[i].op, cases[i].dims,
		               "[\"float\", \"c10::BFloat16\", \"Scalar\"]",
		               "unrolled_elementwise_kernel", 400);
		copy(step, down, "[[64, 8000], [64, 8000], []]",
		     "[\"float\", \"float\", \"Scalar\"]", 1000, INT64_C(64) * 8000 * 4);
		advice_step_view(step, "aten::slice", "[[64, 8000], [], [], [], []]",
		                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
		                 "[\"\", \"0\", \"0\", \"16\", \"1\"]");
		advice_step_apply(step, weir_fix_copy_less, &result);
		assert_true(result.found);
		assert_near(result.before_us - result.after_us, cases[i].saved_us, 0.02);
	}
}

/* True if an operator that the host runs behind the result of a kernel, and behind `rows` other
 * operators, is found to reduce it, or to pick a quarter of it. */
static bool finds_behind(int rows, const char *op)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	advice_step_op(step, "aten::mul", "[[64, 8000], [64, 8000]]", "[\"float\", \"float\"]",
	               "vectorized_elementwise_kernel", 400);
	copy(step, down, "[[64, 8000], [64, 8000], []]", "[\"float\", \"float\", \"Scalar\"]", 1000,
	     INT64_C(64) * 8000 * 4);
	for (int i = 0; i < rows; i++)
		advice_step_view(step, "aten::view", "[[4], []]", "[\"float\", \"Scalar\"]", NULL);
	advice_step_view(step, op, "[[64, 8000], [], [], [], []]",
	                 "[\"float\", \"Scalar\", \"Scalar\", \"Scalar\", \"Scalar\"]",
	                 "[\"\", \"0\", \"0\", \"16\", \"1\"]");
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	return result.found;
}

/* Later operators have other reasons. */
static void a_use_is_searched_a_thousand_rows_behind_a_copy(void **state)
{
	static const char *const ops[] = {"aten::amax", "aten::slice"};

	(void)state;
	for (size_t i = 0; i < COUNT(ops); i++) {
		assert_true(finds_behind(0, ops[i]));
		assert_true(finds_behind(998, ops[i]));
		assert_false(finds_behind(999, ops[i]));
	}
}

/* ---- copy-less: a part that code without events chooses ---- */

/* 50 MB go to pageable memory in 30 ms; the host passes `pass_us` and adopts a tensor. */
struct chosen {
	const char *dims, *type;
	double pass_us;
	int64_t uploaded; /* bytes that the step also copies to the device; 0: none */
};

static struct advice_result choose(const struct chosen *chosen)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	if (chosen->uploaded > 0)
		copy(step, up, "[[16, 512, 512], [16, 512, 512], []]",
		     "[\"bool\", \"bool\", \"Scalar\"]", 100, chosen->uploaded);
	advice_step_op(step, "aten::mul", "[[16, 3, 512, 512], [16, 3, 512, 512]]",
	               "[\"float\", \"float\"]", "vectorized_elementwise_kernel", 400);
	copy(step, "Memcpy DtoH (Device -> Pageable)", "[[16, 3, 512, 512], [16, 3, 512, 512], []]",
	     "[\"float\", \"float\", \"Scalar\"]", 30000, INT64_C(16) * 3 * 512 * 512 * 4);
	advice_step_pass(step, chosen->pass_us);
	advice_step_view(step, "aten::lift_fresh", chosen->dims, chosen->type, NULL);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	return result;
}

static void a_part_that_another_library_chooses_is_chosen_on_the_device(void **state)
{
	static const char masks[] = "[[16, 512, 512]]", boolean[] = "[\"bool\"]";
	static const char real[] = "[\"float\"]";
	const struct chosen found[] = {
		{masks, boolean, 5000, 0},
		{masks, boolean, 49000, 0},                /* of 50.3 ms at 1 GB/s */
		{"[[16, 3, 512, 512]]", boolean, 5000, 0}, /* a quarter of the bytes */
		{masks, boolean, 5000, 4194303},
	};
	const struct chosen whole[] = {
		{masks, boolean, 52000, 0},                /* computes more than a choice */
		{masks, real, 5000, 0},                    /* a third of the bytes */
		{"[[16, 3, 512]]", real, 5000, 0},         /* a small one */
		{"[[512, 16, 512]]", boolean, 5000, 0},    /* another order */
		{"[[512, 512]]", "[\"double\"]", 5000, 0}, /* two dimensions fewer */
		{"[[1, 16, 3, 512, 512]]", boolean, 5000, 0},
		{masks, boolean, 5000, 4194304}, /* an input of the step */
		{NULL, NULL, 5000, 0},
	};
	struct advice_result result = choose(&found[0]);

	(void)state;
	for (size_t i = 0; i < COUNT(found); i++)
		assert_true(choose(&found[i]).found);
	for (size_t i = 0; i < COUNT(whole); i++)
		assert_false(choose(&whole[i]).found);
	/* 4.2 MB at 14 GB/s, after a pass over the tensor at 3 TB/s. */
	assert_true(result.after_us < 400 + 300 + 17 + 100);
	assert_true(result.after_us > 400 + 300 + 17);
}

/* ---- copy-less: uploads in fewer bits ---- */

/* 4 Mi values go to the device in 400 us, where `op` reads them in 40 us. */
struct upload {
	const char *dims, *types;  /* of the copy */
	const char *op, *of, *all; /* of the operator: its dims and types */
	double saved_us;           /* NAN: not found */
};

static void assert_saves(const struct upload *upload)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	copy(step, up, upload->dims, upload->types, 400, INT64_C(4194304) * 4);
	if (upload->op)
		advice_step_op(step, upload->op, upload->of, upload->all,
		               "vectorized_elementwise_kernel", 40);
	advice_step_op(step, "aten::mm", "[[4096, 4096], [4096, 4096]]",
	               "[\"c10::BFloat16\", \"c10::BFloat16\"]",
	               "nvjet_tst_128x256_64x4_2x1_v_bz_NNT", 190);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	assert_int_equal(result.found, !isnan(upload->saved_us));
	if (result.found)
		assert_near(result.before_us - result.after_us, upload->saved_us, 0.03);
}

#define ROWS      "[[1024, 4096], [1024, 4096], []]"
#define FLOATS    "[\"float\", \"float\", \"Scalar\"]"
#define TO_HALF   "[\"c10::Half\", \"float\", \"Scalar\"]"
#define TO_DOUBLE "[\"double\", \"float\", \"Scalar\"]"

static void values_are_copied_in_the_type_that_the_device_casts_them_to(void **state)
{
	static const struct upload cases[] = {
		{ROWS, FLOATS, "aten::copy_", ROWS, TO_HALF, 200 + 40},
		{ROWS, FLOATS, "aten::copy_", ROWS, TO_DOUBLE, NAN}, /* wider */
		{ROWS, FLOATS, "aten::copy_", ROWS, FLOATS, NAN},
		{ROWS, FLOATS, "aten::copy_", "[[512, 4096], [512, 4096], []]", TO_HALF, NAN},
		{ROWS, FLOATS, "aten::add", ROWS, TO_HALF, NAN},
		{ROWS, FLOATS, NULL, NULL, NULL, NAN},
		{ROWS, "[\"long int\", \"long int\", \"Scalar\"]", "aten::copy_", ROWS,
	         "[\"int\", \"long int\", \"Scalar\"]", 200 + 40},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_saves(&cases[i]);
}

/* The cast reads the tensor, and another operator reads it as well. */
static void values_that_the_device_also_uses_uncast_are_copied_whole(void **state)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	(void)state;
	copy(step, up, ROWS, FLOATS, 400, INT64_C(4194304) * 4);
	advice_step_op(step, "aten::copy_", ROWS, TO_HALF, "vectorized_elementwise_kernel", 40);
	advice_step_op(step, "aten::sum", "[[1024, 4096], []]", "[\"float\", \"\"]",
	               "reduce_kernel", 40);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	assert_false(result.found);
}

#define PLANES "[[21, 3, 256, 256], [21, 3, 256, 256], []]" /* 4.1 M values */
#define PIXELS "[[21, 256, 256, 3], [21, 256, 256, 3], []]"

/* A pass of 1 + 4 or 2 + 2 bytes a value normalises them at 3.0 TB/s. */
static void pictures_are_copied_as_bytes(void **state)
{
	static const struct upload cases[] = {
		{PLANES, FLOATS, NULL, NULL, NULL, 300 - 7.5},
		{PIXELS, FLOATS, NULL, NULL, NULL, 300 - 7.5},
		{PLANES, FLOATS, "aten::copy_", PLANES, TO_HALF, 300 - 6},
		{"[[86, 3, 512, 31], [86, 3, 512, 31], []]", FLOATS, NULL, NULL, NULL, NAN},
		{"[[84, 3, 512, 32], [84, 3, 512, 32], []]", FLOATS, NULL, NULL, NULL, 300 - 7.5},
		{"[[16, 4, 256, 256], [16, 4, 256, 256], []]", FLOATS, NULL, NULL, NULL, NAN},
		{PLANES, "[\"unsigned char\", \"unsigned char\", \"Scalar\"]", NULL, NULL, NULL,
	         NAN},
		{"[[16384, 256, 3], [16384, 256, 3], []]", FLOATS, NULL, NULL, NULL, NAN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_saves(&cases[i]);
}

/* ---- rows that a list of indices picks ---- */

/* Returns the time that the fix saves of the upload of 16.8 MB, of which the step picks values by
 * indices; NAN: nothing. The view that an index takes of its input has these sizes and strides. */
static double indexed_saves_us(const char *op, const char *view)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	copy(step, up, ROWS, FLOATS, 400, INT64_C(4194304) * 4);
	advice_step_begin(step, op, "[[1024, 4096], []]", "[\"float\", \"\"]", NULL);
	if (view)
		advice_step_view(step, "aten::as_strided", "[[1024, 4096], [], [], []]",
		                 "[\"float\", \"ScalarList\", \"ScalarList\", \"\"]", view);
	advice_step_kernel(step, "vectorized_gather_kernel", 3, 256);
	advice_step_end(step);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	return result.found ? result.before_us - result.after_us : NAN;
}

static void rows_that_indices_pick_are_copied_alone(void **state)
{
	static const struct {
		const char *op, *view;
		bool found;
	} cases[] = {
		{"aten::index", "[\"\", \"[64, 4096]\", \"[0, 1]\", \"\"]", true},
		{"aten::index", "[\"\", \"[1024, 64]\", \"[4096, 0]\", \"\"]", true},
		/* half of the tensor, and more */
		{"aten::index", "[\"\", \"[512, 4096]\", \"[0, 1]\", \"\"]", true},
		{"aten::index", "[\"\", \"[513, 4096]\", \"[0, 1]\", \"\"]", false},
		/* no dimension is chosen from */
		{"aten::index", "[\"\", \"[64, 4096]\", \"[4096, 1]\", \"\"]", false},
		{"aten::index", "[\"\", \"[-64, 4096]\", \"[0, 1]\", \"\"]", false},
		{"aten::index", "[\"\", \"[64, 4096]\", \"[0]\", \"\"]", false},
		{"aten::index", NULL, false},
		{"aten::sum", "[\"\", \"[64, 4096]\", \"[0, 1]\", \"\"]", false},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (isnan(indexed_saves_us(cases[i].op, cases[i].view)) == cases[i].found)
			fail_msg("case %zu", i);
}

/* Returns the time that the fix saves of the upload of a table of 16.8 MB, of which the step looks
 * up rows by an operator with another one inside; NAN: nothing. */
static double looked_up_saves_us(const char *op, const char *dims, const char *inner_dims)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	copy(step, up, ROWS, FLOATS, 400, INT64_C(4194304) * 4);
	advice_step_begin(step, op, dims, "[\"float\", \"Scalar\", \"long int\"]",
	                  "[\"\", \"0\", \"\"]");
	advice_step_begin(step, "aten::gather", inner_dims, "[\"float\", \"Scalar\", \"long int\"]",
	                  "[\"\", \"0\", \"\"]");
	advice_step_kernel(step, "vectorized_gather_kernel", 3, 256);
	advice_step_end(step);
	advice_step_end(step);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	return result.found ? result.before_us - result.after_us : NAN;
}

/* 64 rows of 1024: a sixteenth; a lookup of rows gathers them inside. */
static void rows_that_a_lookup_gathers_are_copied_alone(void **state)
{
	const double saved_us = 400 * 15.0 / 16 - 2 - 1048576 / 8e3;

	(void)state;
	assert_near(looked_up_saves_us("aten::index_select", "[[1024, 4096], [], [64]]",
	                               "[[1024, 4096], [], [64, 4096]]"),
	            saved_us, 0.02);
	assert_near(
		looked_up_saves_us("aten::wrap", "[[64, 4096]]", "[[1024, 4096], [], [64, 4096]]"),
		saved_us, 0.02);
	assert_true(isnan(looked_up_saves_us("aten::index_select", "[[1024, 4096], [], [513]]",
	                                     "[[1024, 4096], [], [513, 4096]]")));
}

/* A sixteenth of the copy remains and 2 us; the host gathers the rows at 8 GB/s. */
static void the_host_gathers_the_rows_that_it_copies(void **state)
{
	(void)state;
	assert_near(indexed_saves_us("aten::index", "[\"\", \"[64, 4096]\", \"[0, 1]\", \"\"]"),
	            400 * 15.0 / 16 - 2 - 1048576 / 8e3, 0.02);
}

/* Returns the step that uploads few rows of a table of this many bytes. */
static double uploaded_us(const char *name, int64_t bytes)
{
	struct advice_step *step = advice_step_new();
	struct advice_result result;

	copy(step, name, ROWS, FLOATS, 2000, bytes);
	advice_step_begin(step, "aten::index", "[[1024, 4096], []]", "[\"float\", \"\"]", NULL);
	advice_step_view(step, "aten::as_strided", "[[1024, 4096], [], [], []]",
	                 "[\"float\", \"ScalarList\", \"ScalarList\", \"\"]",
	                 "[\"\", \"[64, 4096]\", \"[0, 1]\", \"\"]");
	advice_step_kernel(step, "vectorized_gather_kernel", 3, 256);
	advice_step_end(step);
	advice_step_wait(step);
	advice_step_apply(step, weir_fix_copy_less, &result);
	assert_true(result.found);
	return result.after_us;
}

/* The host passes over pageable memory itself, which displaces the framework's code from its
 * caches from 16 MB on; a device that reads pinned memory displaces nothing. */
static void calls_behind_a_smaller_pageable_copy_are_faster(void **state)
{
	static const char pageable[] = "Memcpy HtoD (Pageable -> Device)";

	(void)state;
	assert_true(uploaded_us(pageable, 16777215) - uploaded_us(pageable, 16777216) > 1);
	assert_near(uploaded_us(up, 16777215), uploaded_us(up, 16777216), 0.001);
}

/* ---- lower-precision: doubles ---- */

#define DOUBLES "[\"double\", \"double\"]"

/* A job's time behind the fix; NAN: the fix finds no place. */
static double time_of(struct advice_trace *run, weir_fix_apply *fix, size_t job)
{
	double ns = NAN;

	advice_trace_finish(run, "NVIDIA H100 80GB HBM3");
	if (advice_trace_apply(run, fix)) {
		const struct weir_job *after = &run->draft.program.jobs[job];

		ns = after->ns;
		assert_true(after->low_ns <= ns && ns <= after->high_ns);
		assert_true(run->draft.basis.length > 0);
	}
	advice_trace_free(run);
	return ns;
}

/* Adds a batched product of `side` rows and columns. */
static struct advice_trace *batched(int side, const char *types, int64_t ns)
{
	static char dims[64];
	struct advice_trace *run = advice_trace_new();

	snprintf(dims, sizeof dims, "[[65000,%d,%d],[65000,%d,%d]]", side, side, side, side);
	advice_trace_op(run, "aten::bmm", dims, types);
	advice_trace_kernel(run, "sm80_xmma_gemm_f64f64_f64f64_f64_nn_n", ns);
	return run;
}

static void many_small_products_of_doubles_take_two_thirds_in_fp32(void **state)
{
	(void)state;
	assert_near(time_of(batched(4, DOUBLES, 250000), weir_fix_lower_precision, 0), 162500,
	            1e-6);
	assert_near(time_of(batched(32, DOUBLES, 1000000), weir_fix_lower_precision, 0), 650000,
	            1e-6);
	/* The model's whole tiles. */
	assert_near(time_of(batched(36, DOUBLES, 1000000), weir_fix_lower_precision, 0), 800000,
	            0.1);
	assert_true(isnan(time_of(batched(4, "[\"float\", \"float\"]", 250000),
	                          weir_fix_lower_precision, 0)));
}

/* Adds a kernel over 134 MB. */
static void stream(struct advice_trace *run, const char *op, const char *types, const char *kernel,
                   int64_t ns)
{
	advice_trace_op(run, op, "[[4096,4096],[4096,4096]]", types);
	advice_trace_kernel(run, kernel, ns);
}

static void streams_of_doubles_move_half_the_bytes_without_any_product(void **state)
{
	static const char add[] = "void at::native::vectorized_elementwise_kernel<2, double>";
	static const struct {
		const char *types, *kernel;
		double ns;
	} cases[] = {
		{DOUBLES, add, 52000},
		{DOUBLES, "void at::native::reduce_kernel<512, 1, double>", 67000},
		{DOUBLES, "void cub::DeviceRadixSortOnesweepKernel<double>", 52000},
		{"[\"float\", \"float\"]", add, NAN},
		{"[\"long int\", \"long int\"]", add, NAN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		stream(run, "aten::add", cases[i].types, cases[i].kernel, 102000);
		assert_near(time_of(run, weir_fix_lower_precision, 0), cases[i].ns, 0.001);
	}
}

/* Returns the time of a kernel of 500 us that normalises rows of this length. */
static double normalised_ns(const char *dims, const char *type, const char *kernel)
{
	struct advice_trace *run = advice_trace_new();

	advice_trace_op(run, "aten::native_layer_norm", dims, type);
	advice_trace_kernel(run, kernel, 500000);
	return time_of(run, weir_fix_lower_precision, 0);
}

/* One pass reads and writes 16.8 million values of 4 bytes at 3.0 TB/s, in place of two kernels, of
 * which the first computes in fp64. Rows of a length that is no multiple of 4 have no such pass. */
static void rows_of_doubles_are_normalised_in_one_pass_in_fp32(void **state)
{
	static const char moments[] = "void at::native::RowwiseMomentsCUDAKernel<double, double>",
			  second[] = "void at::native::LayerNormForwardCUDAKernel<double, double>",
			  even[] = "[[4096,4096],[],[],[],[]]", odd[] = "[[4096,4098],[],[],[],[]]";

	(void)state;
	assert_near(normalised_ns(even, "[\"double\"]", moments), 44500, 0.01);
	assert_near(normalised_ns(even, "[\"double\"]", second), 0, 0);
	assert_near(normalised_ns(odd, "[\"double\"]", moments), 251000, 0.001);
	assert_near(normalised_ns(odd, "[\"double\"]", second), 251000, 0.001);
	assert_true(isnan(normalised_ns(even, "[\"float\"]", moments)));
}

/* Lists of tensors have no recorded type; the kernel names the width of an element. */
static void a_join_of_8_bytes_beside_doubles_is_one_of_doubles(void **state)
{
	static const struct {
		const char *beside, *kernel;
		double ns;
	} cases[] = {
		{DOUBLES, "CatArrayBatchedCopy<at::native::OpaqueType<8u>, unsigned int, 3>",
	         52000},
		{DOUBLES, "CatArrayBatchedCopy<at::native::OpaqueType<4u>, unsigned int, 3>",
	         102000},
		{"[\"float\", \"float\"]",
	         "CatArrayBatchedCopy<at::native::OpaqueType<8u>, unsigned int, 3>", NAN},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		stream(run, "aten::add", cases[i].beside, "vectorized_elementwise_kernel<2>",
		       102000);
		advice_trace_op(run, "aten::cat", "[[[2048,4096],[2048,4096]],[]]",
		                "[\"TensorList\",\"Scalar\"]");
		advice_trace_kernel(run, cases[i].kernel, 102000);
		assert_near(time_of(run, weir_fix_lower_precision, 1), cases[i].ns, 0.001);
	}
}

static void a_few_doubles_are_no_model_in_fp64(void **state)
{
	static const struct {
		int64_t ns; /* of 10 ms */
		bool found;
	} cases[] = {{400000, false}, {412000, true}}; /* 2 % are saved */

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct advice_trace *run = advice_trace_new();

		stream(run, "aten::add", DOUBLES, "vectorized_elementwise_kernel<2>", cases[i].ns);
		stream(run, "aten::add", "[\"float\", \"float\"]",
		       "vectorized_elementwise_kernel<4>", 10000000 - cases[i].ns);
		assert_int_equal(!isnan(time_of(run, weir_fix_lower_precision, 0)), cases[i].found);
	}
}

/* Returns the least time of a stream of 402 us beside a product of 285 us of the same type. */
static double least_of_stream_us(const char *types, const char *kernel, double *product_us)
{
	struct advice_trace *run = advice_trace_new();
	double us;

	advice_trace_op(run, "aten::mm", "[[2048,2048],[2048,2048]]", types);
	advice_trace_kernel(run, kernel, 285000);
	advice_trace_op(run, "aten::neg", "[[67108864]]", types);
	advice_trace_kernel(run, "void at::native::vectorized_elementwise_kernel<4>", 402000);
	advice_trace_finish(run, "NVIDIA H100 80GB HBM3");
	assert_true(advice_trace_apply(run, weir_fix_lower_precision));
	*product_us = run->draft.program.jobs[0].low_ns / 1e3;
	us = run->draft.program.jobs[1].low_ns / 1e3;
	advice_trace_free(run);
	return us;
}

/* The product takes 51 us in TF32, and half of that in bf16; 0.85 of it is the least. */
static void doubles_take_the_time_of_bf16_at_least(void **state)
{
	double product_us;

	(void)state;
	assert_near(least_of_stream_us(DOUBLES, "sm80_xmma_gemm_f64f64_f64f64_f64_tn_n_dmma",
	                               &product_us),
	            2 + 0.225 * 400, 0.02);
	assert_true(product_us > 0.85 * 51 / 2);
	assert_true(product_us < 0.85 * 51 * 0.7);
	assert_near(least_of_stream_us("[\"float\", \"float\"]",
	                               "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n", &product_us),
	            2 + 0.45 * 400, 0.02);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_cast_before_a_copy_of_a_part_casts_that_part),
		cmocka_unit_test(a_use_is_searched_a_thousand_rows_behind_a_copy),
		cmocka_unit_test(a_part_that_another_library_chooses_is_chosen_on_the_device),
		cmocka_unit_test(values_are_copied_in_the_type_that_the_device_casts_them_to),
		cmocka_unit_test(values_that_the_device_also_uses_uncast_are_copied_whole),
		cmocka_unit_test(pictures_are_copied_as_bytes),
		cmocka_unit_test(rows_that_indices_pick_are_copied_alone),
		cmocka_unit_test(the_host_gathers_the_rows_that_it_copies),
		cmocka_unit_test(rows_that_a_lookup_gathers_are_copied_alone),
		cmocka_unit_test(calls_behind_a_smaller_pageable_copy_are_faster),
		cmocka_unit_test(many_small_products_of_doubles_take_two_thirds_in_fp32),
		cmocka_unit_test(doubles_take_the_time_of_bf16_at_least),
		cmocka_unit_test(streams_of_doubles_move_half_the_bytes_without_any_product),
		cmocka_unit_test(rows_of_doubles_are_normalised_in_one_pass_in_fp32),
		cmocka_unit_test(a_join_of_8_bytes_beside_doubles_is_one_of_doubles),
		cmocka_unit_test(a_few_doubles_are_no_model_in_fp64),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
