/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Products of groups of rows, each with a matrix of its own: mixtures of experts. Every row that is
 * routed costs 2 K N; of the matrices as many are read as get rows, which no shape tells: at most
 * all, and at most one a routed row.
 */
#include <math.h>
#include <stddef.h>

#include "engine/analysis/roofline/models.h"

static double dim(const struct weir_arg *arg, int from_end)
{
	return (double)arg->dims[arg->rank - from_end];
}

/* The part of the matrices that is read when so many rows are spread over them. */
static double touched(const struct weir_arg *matrices, double rows)
{
	double experts = (double)matrices->dims[0];

	return experts > 0 ? fmin(1, rows / experts) : 0;
}

/*
 * _grouped_mm(a[T, K], b[E, K, N], offsets[E]): one product a group of rows. With both of three
 * dimensions it is a batched product, with both of two the groups cut the inner dimension, so that
 * each makes a matrix [M, N].
 */
static bool fill_grouped(const struct weir_operator_model *model, const struct weir_args *args,
                         struct weir_work *work)
{
	const struct weir_arg *a = weir_args_tensor(args, 0), *b = weir_args_tensor(args, 1),
			      *offsets = weir_args_tensor(args, (size_t)model->at);
	double out_width, made, batch;

	if (!a || !b || a->rank < 2 || b->rank < 2 || a->rank > 3 || b->rank > 3 ||
	    dim(a, 1) != dim(b, 2))
		return false;
	if ((a->rank == 2 || b->rank == 2) && !offsets)
		return false;
	out_width = a->element.dtype == WEIR_DTYPE_FP8 ? 2 : a->element.width;
	batch = a->rank == 3 ? (double)a->dims[0] : 1;
	made = dim(a, 2) * dim(b, 1) * batch;
	if (a->rank == 2 && b->rank == 2)
		made *= offsets->elements;
	weir_work_product(work, 2 * dim(a, 2) * dim(b, 1) * dim(a, 1) * batch,
	                  weir_arg_bytes(a) +
	                          weir_arg_bytes(b) * (a->rank == 2 && b->rank == 3
	                                                       ? touched(b, dim(a, 2))
	                                                       : 1) +
	                          made * out_width + weir_arg_bytes(offsets),
	                  a->element.dtype);
	if (a->rank == 2 && b->rank == 3)
		work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

/*
 * fused_experts(x[T, K], w1[E, 2 N, K], w2[E, K, N], weights[T, topk], experts[T, topk]): a gated
 * layer. The rows between the two products are written and read, at twice and at once their width.
 */
static bool fill_fused_experts(const struct weir_operator_model *model,
                               const struct weir_args *args, struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *w1 = weir_args_tensor(args, 1),
			      *w2 = weir_args_tensor(args, 2), *routed = weir_args_tensor(args, 4);
	double rows, between;

	(void)model;
	if (!x || !w1 || !w2 || !routed || x->rank != 2 || w1->rank != 3 || w2->rank != 3 ||
	    routed->rank != 2 || routed->dims[0] != x->dims[0] || w1->dims[0] != w2->dims[0] ||
	    dim(w1, 1) != dim(x, 1) || dim(w2, 2) != dim(x, 1))
		return false;
	rows = routed->elements;
	between = rows * (2 * dim(w1, 2) + 2 * dim(w2, 1)) * x->element.width;
	weir_work_product(work, 2 * rows * dim(x, 1) * (dim(w1, 2) + dim(w2, 1)),
	                  2 * weir_arg_bytes(x) + between +
	                          touched(w1, rows) * (weir_arg_bytes(w1) + weir_arg_bytes(w2)) +
	                          weir_arg_bytes(routed) +
	                          weir_arg_bytes(weir_args_tensor(args, 3)),
	                  w1->element.dtype);
	work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

const struct weir_operator_model weir_models_experts[] = {
	{.op = "_grouped_mm", .fill = fill_grouped, .at = 2},
	{.op = "_scaled_grouped_mm", .fill = fill_grouped, .at = 4},
	{.op = "vllm::inplace_fused_experts", .fill = fill_fused_experts},
	{.op = "vllm::outplace_fused_experts", .fill = fill_fused_experts},
	{.op = "sglang::inplace_fused_experts", .fill = fill_fused_experts},
	{.op = "sglang::outplace_fused_experts", .fill = fill_fused_experts},
	{.op = NULL},
};
