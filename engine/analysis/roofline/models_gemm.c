/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Matrix products. A product of [M, K] and [K, N] takes 2 M N K FLOPs (a multiplication and an
 * addition each) and moves each matrix once. An added matrix costs one FLOP per element of the
 * result.
 */
#include <math.h>
#include <stddef.h>

#include "engine/analysis/roofline/models.h"

/* The sizes of a product, the number of products, and the matrix that is added: the input of
 * fill_product(). */
struct product {
	double m, n, k, batch;
	const struct weir_arg *a, *b, *added;
	struct weir_element result;
	double extra_flops; /* per element of the result */
};

/* Returns the number of fp4 elements in a recorded byte, 2; 1 for other types. The recorded inner
 * dimension counts bytes. */
static double packing(const struct weir_arg *arg)
{
	return arg->element.dtype == WEIR_DTYPE_FP4 ? 2 : 1;
}

static bool fill_product(const struct product *p, struct weir_work *work)
{
	double elements = p->m * p->n * p->batch;
	double flops = 2 * elements * p->k * packing(p->a);
	double bytes = weir_arg_bytes(p->a) + weir_arg_bytes(p->b) + weir_arg_bytes(p->added);

	flops += elements * (p->extra_flops + (p->added ? 1 : 0));
	weir_work_product(work, flops, bytes + elements * p->result.width, p->a->element.dtype);
	work->reuse = (struct weir_reuse){
		.m = p->m,
		.n = p->n,
		.a_bytes = weir_arg_bytes(p->a) / p->batch,
		.b_bytes = weir_arg_bytes(p->b) / p->batch,
		.batch = p->batch,
	};
	return true;
}

static double dim(const struct weir_arg *arg, int from_end)
{
	return arg->rank >= from_end ? (double)arg->dims[arg->rank - from_end] : 1;
}

/* Reads [..., M, K] x [..., K, N], both of rank `rank` and with equal leading dimensions; false:
 * other shapes. */
static bool multiply(const struct weir_arg *a, const struct weir_arg *b, int rank,
                     struct product *p)
{
	if (!a || !b || a->rank != rank || b->rank != rank || dim(a, 1) != dim(b, 2))
		return false;
	*p = (struct product){
		.m = dim(a, 2), .n = dim(b, 1), .k = dim(a, 1), .batch = 1, .a = a, .b = b};
	p->result = a->element;
	if (rank == 3)
		p->batch = dim(a, 3);
	return rank == 2 || dim(a, 3) == dim(b, 3);
}

/* mm, bmm. `at` is the rank. Products of int8 give int32. */
static bool fill_mm(const struct weir_operator_model *model, const struct weir_args *args,
                    struct weir_work *work)
{
	struct product p;

	if (!multiply(weir_args_tensor(args, 0), weir_args_tensor(args, 1), model->at, &p))
		return false;
	if (p.a->element.dtype == WEIR_DTYPE_INT8)
		p.result.width = 4;
	return fill_product(&p, work);
}

/* Position of the factor of the added matrix in addmm, baddbmm and addbmm. */
#define BETA 3

/* Fills the matrix that the product adds, the first argument; false: it is missing. With a factor
 * of 0 libraries do not read it, as BLAS defines: baddbmm(empty, q, k, beta=0) is a bmm. */
static bool fill_added(const struct weir_args *args, const struct weir_arg **added)
{
	double beta;

	*added = weir_args_at(args, 0);
	if (!*added)
		return false;
	if (weir_args_number(args, BETA, &beta) && beta == 0)
		*added = NULL;
	return true;
}

/* addmm, baddbmm, _addmm_activation: the added matrix comes first. `at` is the rank. */
static bool fill_addmm(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	struct product p;

	if (!multiply(weir_args_tensor(args, 1), weir_args_tensor(args, 2), model->at, &p))
		return false;
	p.extra_flops = model->flops_per_element;
	return fill_added(args, &p.added) && fill_product(&p, work);
}

/* addbmm: one result [M, N], the sum over the batch. */
static bool fill_addbmm(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	struct product p;

	(void)model;
	if (!multiply(weir_args_tensor(args, 1), weir_args_tensor(args, 2), 3, &p))
		return false;
	p.k *= p.batch;
	p.batch = 1;
	return fill_added(args, &p.added) && fill_product(&p, work);
}

/* linear(X[..., K], W[N, K], bias?) */
static bool fill_linear(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *w = weir_args_tensor(args, 1);
	struct product p = {.batch = 1, .a = x, .b = w, .added = weir_args_tensor(args, 2)};

	(void)model;
	if (!x || !w || w->rank > 2 || dim(x, 1) != dim(w, 1))
		return false;
	p.k = dim(x, 1);
	p.m = x->elements / p.k;
	p.n = dim(w, 2);
	p.result = x->element;
	return fill_product(&p, work);
}

/* Returns the number of products that broadcast leading dimensions give; 0: they do not fit. */
static double broadcast_batch(const struct weir_arg *a, const struct weir_arg *b)
{
	int rank = a->rank > b->rank ? a->rank : b->rank;
	double batch = 1;

	for (int i = 3; i <= rank; i++) {
		double from_a = dim(a, i), from_b = dim(b, i);

		if (from_a != from_b && from_a != 1 && from_b != 1)
			return 0;
		batch *= from_a == 1 ? from_b : from_a;
	}
	return batch;
}

/* matmul: a vector on the left is a row, a vector on the right is a column. */
static bool fill_matmul(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *a = weir_args_tensor(args, 0), *b = weir_args_tensor(args, 1);
	struct product p = {.a = a, .b = b};
	double inner;

	(void)model;
	if (!a || !b)
		return false;
	inner = b->rank == 1 ? dim(b, 1) : dim(b, 2);
	if (dim(a, 1) != inner)
		return false;
	p.m = a->rank == 1 ? 1 : dim(a, 2);
	p.n = b->rank == 1 ? 1 : dim(b, 1);
	p.k = inner;
	p.batch = broadcast_batch(a, b);
	p.result = a->element;
	return p.batch > 0 && fill_product(&p, work);
}

/* mv(A[M, K], x[K]), addmv(y, A, x). `at` is the position of the matrix. */
static bool fill_mv(const struct weir_operator_model *model, const struct weir_args *args,
                    struct weir_work *work)
{
	size_t at = (size_t)model->at;
	const struct weir_arg *a = weir_args_tensor(args, at), *x = weir_args_tensor(args, at + 1);
	struct product p = {.n = 1, .batch = 1, .a = a, .b = x};

	if (!a || !x || a->rank != 2 || x->rank != 1 || dim(a, 1) != dim(x, 1))
		return false;
	p.m = dim(a, 2);
	p.k = dim(a, 1);
	p.result = a->element;
	p.added = at ? weir_args_tensor(args, 0) : NULL;
	return fill_product(&p, work);
}

/* dot(x[K], y[K]): reads both vectors and writes one number. */
static bool fill_dot(const struct weir_operator_model *model, const struct weir_args *args,
                     struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *y = weir_args_tensor(args, 1);

	(void)model;
	if (!x || !y || x->rank != 1 || y->rank != 1 || x->elements != y->elements)
		return false;
	weir_work_vector(work, 2 * x->elements, weir_arg_bytes(x) + weir_arg_bytes(y),
	                 x->element.dtype);
	return true;
}

#define SCALED_MM_BIAS  4
#define SCALED_MM_DTYPE 6

/* _scaled_mm(A, B, scale_a, scale_b, bias?, scale_result?, out_dtype): also reads the scales. If
 * the result's dtype is not recorded, two bytes per element are assumed. */
static bool fill_scaled_mm(const struct weir_operator_model *model, const struct weir_args *args,
                           struct weir_work *work)
{
	struct product p;
	int64_t code;
	bool stated = weir_args_int(args, SCALED_MM_DTYPE, &code);

	(void)model;
	if (!multiply(weir_args_tensor(args, 0), weir_args_tensor(args, 1), 2, &p))
		return false;
	p.added = weir_args_tensor(args, SCALED_MM_BIAS);
	p.result = (struct weir_element){WEIR_DTYPE_BF16, 2};
	if (stated && weir_element_of_code(code).width > 0)
		p.result = weir_element_of_code(code);
	fill_product(&p, work);
	work->bytes += weir_arg_bytes(weir_args_tensor(args, 2)) +
	               weir_arg_bytes(weir_args_tensor(args, 3));
	work->confidence = stated ? WEIR_MODEL_HIGH : WEIR_MODEL_MEDIUM;
	return true;
}

/*
 * Mixtures of experts: each group of rows is multiplied with its own matrix. Every routed row costs
 * 2 K N. No shape tells how many matrices get rows and are read: at most all, and at most one per
 * routed row.
 */

/* Returns the share of the matrices that is read if `rows` are spread over them. */
static double touched(const struct weir_arg *matrices, double rows)
{
	return fmin(1, rows / (double)matrices->dims[0]);
}

/*
 * _grouped_mm(a[T, K], b[E, K, N], offsets[E]): one product per group of rows. If both have three
 * dimensions it is a batched product; if both have two, the groups cut the inner dimension, so that
 * each group yields a matrix [M, N].
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
 * layer. The rows between the two products are written and read, once with twice their width and
 * once with their width.
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

/* einsum and tensordot have no row, since profiles do not record their contraction. */
const struct weir_operator_model weir_models_gemm[] = {
	{.op = "mm", .fill = fill_mm, .at = 2},
	{.op = "_int_mm", .fill = fill_mm, .at = 2},
	{.op = "bmm", .fill = fill_mm, .at = 3},
	{.op = "addmm", .fill = fill_addmm, .at = 2},
	{.op = "_addmm_activation", .fill = fill_addmm, .at = 2, .flops_per_element = 1},
	{.op = "baddbmm", .fill = fill_addmm, .at = 3},
	{.op = "addbmm", .fill = fill_addbmm},
	{.op = "linear", .fill = fill_linear},
	{.op = "matmul", .fill = fill_matmul},
	{.op = "mv", .fill = fill_mv, .at = 0},
	{.op = "addmv", .fill = fill_mv, .at = 1},
	{.op = "dot", .fill = fill_dot},
	{.op = "vdot", .fill = fill_dot},
	{.op = "_scaled_mm", .fill = fill_scaled_mm},
	{.op = "_grouped_mm", .fill = fill_grouped, .at = 2},
	{.op = "_scaled_grouped_mm", .fill = fill_grouped, .at = 4},
	{.op = "vllm::inplace_fused_experts", .fill = fill_fused_experts},
	{.op = "vllm::outplace_fused_experts", .fill = fill_fused_experts},
	{.op = "sglang::inplace_fused_experts", .fill = fill_fused_experts},
	{.op = "sglang::outplace_fused_experts", .fill = fill_fused_experts},
	{.op = NULL},
};
