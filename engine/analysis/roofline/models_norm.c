/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normalisation, softmax and reductions. The bytes assume a kernel that keeps a row on chip, so
 * that one pass over the data is enough. */
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "engine/analysis/roofline/models.h"

/* FLOPs per element, by definition. */
#define LAYER_NORM  8.0 /* mean, variance, difference, scale, and the affine part */
#define PLAIN_NORM  5.0 /* the same without the affine part */
#define RMS_NORM    4.0
#define BATCH_NORM  2.0 /* inference: a scale and a shift */
#define SOFTMAX     5.0 /* maximum, difference, exponential, sum, division */
#define INDEX_BYTES 8.0
#define LONG_BYTES  8.0

/* Marks operators that compute their moments in a kernel before the one that scales. */
static const char by_groups;

/* Returns the traffic beyond one pass: the last dimension is a row, which is read twice; group
 * norms read everything again in a second kernel. */
static struct weir_reuse reuse_of_rows(const struct weir_operator_model *model,
                                       const struct weir_arg *x)
{
	if (model->layout == &by_groups)
		return (struct weir_reuse){.passes_again_bytes = weir_arg_bytes(x)};
	return (struct weir_reuse){
		.row_bytes = (double)x->dims[x->rank - 1] * x->element.width,
		.rows_again_bytes = weir_arg_bytes(x),
	};
}

/* Norms: read the input at `at` and the parameters after it, write a result of the same size. */
static bool fill_rows(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, (size_t)model->at);
	double bytes, flops = model->flops_per_element;
	bool affine = false;

	if (!x)
		return false;
	bytes = 2 * weir_arg_bytes(x);
	for (size_t i = (size_t)model->at + 1; i < args->count; i++) {
		const struct weir_arg *parameter = weir_args_tensor(args, i);

		/* Parameters are smaller than the input; any other tensor is an output. */
		if (parameter && parameter->rank == 1 && parameter->elements <= x->elements) {
			bytes += weir_arg_bytes(parameter);
			affine = true;
		}
	}
	if (flops == LAYER_NORM && !affine)
		flops = PLAIN_NORM;
	weir_work_vector(work, flops * x->elements, bytes, x->element.dtype);
	work->reuse = reuse_of_rows(model, x);
	return true;
}

/*
 * Gradients of norms: read two tensors of the same size (dy and x, in either order), statistics and
 * parameters, write one tensor and the gradients of the parameters. Those gradients are sums over
 * all rows, for which a second kernel reads the same two tensors.
 */
static bool fill_rows_backward(const struct weir_operator_model *model,
                               const struct weir_args *args, struct weir_work *work)
{
	const struct weir_arg *dy = weir_args_tensor(args, 0), *x = weir_args_tensor(args, 1);
	double width, others = 0;

	if (!dy || !x || dy->elements != x->elements)
		return false;
	for (size_t i = 2; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg || arg->elements >= x->elements)
			continue;
		/* Parameters have one dimension, statistics those of the rows. */
		others += weir_arg_bytes(arg) * (arg->rank == 1 ? 2 : 1);
	}
	width = (double)x->dims[x->rank - 1] * (x->element.width + dy->element.width);
	weir_work_vector(work, 2 * model->flops_per_element * x->elements,
	                 weir_arg_bytes(dy) + 2 * weir_arg_bytes(x) + others, x->element.dtype);
	work->reuse = (struct weir_reuse){
		.row_bytes = width,
		.rows_again_bytes = weir_arg_bytes(dy) + weir_arg_bytes(x),
		.passes_again_bytes = weir_arg_bytes(dy) + weir_arg_bytes(x),
	};
	work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

/* fused_add_rms_norm(x, residual, weight): reads and writes both tensors. */
static bool fill_add_norm(const struct weir_operator_model *model, const struct weir_args *args,
                          struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0), *residual = weir_args_tensor(args, 1);

	if (!x || !residual || x->elements != residual->elements)
		return false;
	weir_work_vector(work, model->flops_per_element * x->elements,
	                 2 * (weir_arg_bytes(x) + weir_arg_bytes(residual)) +
	                         weir_arg_bytes(weir_args_tensor(args, 2)),
	                 x->element.dtype);
	return true;
}

/* _softmax(x, dim, half_to_float). The plain operators have a dtype at that position and no
 * flag. */
static bool fill_softmax(const struct weir_operator_model *model, const struct weir_args *args,
                         struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	bool widened = false;
	double width;

	if (!x)
		return false;
	width = x->element.width;
	if (weir_args_bool(args, 2, &widened) && widened)
		width = 4;
	weir_work_vector(work, model->flops_per_element * x->elements,
	                 weir_arg_bytes(x) + x->elements * width, x->element.dtype);
	return true;
}

/* _softmax_backward_data(gradient, output): reads both, writes one tensor. */
static bool fill_softmax_backward(const struct weir_operator_model *model,
                                  const struct weir_args *args, struct weir_work *work)
{
	const struct weir_arg *gradient = weir_args_tensor(args, 0),
			      *output = weir_args_tensor(args, 1);

	if (!gradient || !output || gradient->elements != output->elements)
		return false;
	weir_work_vector(work, model->flops_per_element * output->elements,
	                 2 * weir_arg_bytes(gradient) + weir_arg_bytes(output),
	                 output->element.dtype);
	return true;
}

/* Returns the number of elements after reducing the dimensions listed at `at`; 1 if none is
 * listed. */
static double reduced_elements(const struct weir_args *args, int at, const struct weir_arg *x)
{
	int64_t named[WEIR_MAX_INTS];
	double left = x->elements;
	size_t count;

	if (!weir_args_ints(args, (size_t)at, named, &count) || !count)
		return 1;
	for (size_t i = 0; i < count; i++) {
		int64_t dim = named[i] < 0 ? named[i] + x->rank : named[i];

		if (dim >= 0 && dim < x->rank && x->dims[dim] > 0)
			left /= (double)x->dims[dim];
	}
	return left;
}

/* The type of one result: as wide as the input, an index, both, or one byte. */
enum result_kind { RESULT_VALUE, RESULT_INDEX, RESULT_BOTH, RESULT_FLAG };

static double result_width(enum result_kind kind, double width)
{
	switch (kind) {
	case RESULT_VALUE:
		return width;
	case RESULT_INDEX:
		return INDEX_BYTES;
	case RESULT_BOTH:
		return width + INDEX_BYTES;
	case RESULT_FLAG:
		return 1;
	}
	return width;
}

static const enum result_kind value = RESULT_VALUE, index_only = RESULT_INDEX, both = RESULT_BOTH,
			      flag = RESULT_FLAG;

double weir_summed_width(const char *op, const struct weir_args *args, const struct weir_arg *x)
{
	struct weir_element named = {0};
	int64_t code;

	if (strcmp(op, "sum") != 0 && strcmp(op, "prod") != 0)
		return x->element.width;
	if (weir_args_int(args, 3, &code))
		named = weir_element_of_code(code);
	if (named.width > 0)
		return named.width;
	return x->element.dtype == WEIR_DTYPE_INT || x->element.dtype == WEIR_DTYPE_INT8
	               ? LONG_BYTES
	               : x->element.width;
}

/* Reductions. `at` is the position of the reduced dimensions. max(x, y) of two tensors is
 * pointwise. */
static bool fill_reduce(const struct weir_operator_model *model, const struct weir_args *args,
                        struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	enum result_kind kind = *(const enum result_kind *)model->layout;
	double left;

	if (!x)
		return false;
	if (kind == RESULT_BOTH && weir_args_tensor(args, 1)) {
		double written = fmax(x->elements, args->items[1].elements) * x->element.width;

		weir_work_vector(work, x->elements,
		                 weir_arg_bytes(x) + weir_arg_bytes(weir_args_tensor(args, 1)) +
		                         written,
		                 x->element.dtype);
		return true;
	}
	left = reduced_elements(args, model->at, x);
	if (kind == RESULT_BOTH && left == 1)
		kind = RESULT_VALUE;
	weir_work_vector(work, model->flops_per_element * x->elements,
	                 weir_arg_bytes(x) +
	                         left * result_width(kind, weir_summed_width(model->op, args, x)),
	                 x->element.dtype);
	if (!args->has_scalars)
		work->confidence = WEIR_MODEL_MEDIUM;
	return true;
}

#define ROWS(name, position, cost)                                                                 \
	{                                                                                          \
		.op = (name), .fill = fill_rows, .at = (position), .flops_per_element = (cost)     \
	}
#define BACKWARD(name, cost)                                                                       \
	{                                                                                          \
		.op = (name), .fill = fill_rows_backward, .flops_per_element = (cost)              \
	}
#define GROUPS(name, position, cost)                                                               \
	{                                                                                          \
		.op = (name), .fill = fill_rows, .at = (position), .flops_per_element = (cost),    \
		.layout = &by_groups                                                               \
	}
#define REDUCE(name, position, cost, result)                                                       \
	{                                                                                          \
		.op = (name), .fill = fill_reduce, .at = (position), .flops_per_element = (cost),  \
		.layout = &(result)                                                                \
	}

const struct weir_operator_model weir_models_norm[] = {
	ROWS("layer_norm", 0, LAYER_NORM),
	ROWS("native_layer_norm", 0, LAYER_NORM),
	GROUPS("group_norm", 0, LAYER_NORM),
	GROUPS("native_group_norm", 0, LAYER_NORM),
	ROWS("instance_norm", 0, LAYER_NORM),
	ROWS("rms_norm", 0, RMS_NORM),
	ROWS("_fused_rms_norm", 0, RMS_NORM),
	ROWS("_C::rms_norm", 1, RMS_NORM),
	ROWS("sgl_kernel::rmsnorm", 1, RMS_NORM),
	ROWS("batch_norm", 0, BATCH_NORM),
	ROWS("native_batch_norm", 0, BATCH_NORM),
	ROWS("_batch_norm_impl_index", 0, BATCH_NORM),
	ROWS("_native_batch_norm_legit_no_training", 0, BATCH_NORM),
	ROWS("cudnn_batch_norm", 0, BATCH_NORM),
	ROWS("miopen_batch_norm", 0, BATCH_NORM),
	{.op = "_C::fused_add_rms_norm", .fill = fill_add_norm, .flops_per_element = RMS_NORM + 1},
	{.op = "sgl_kernel::fused_add_rmsnorm",
         .fill = fill_add_norm,
         .flops_per_element = RMS_NORM + 1},
	BACKWARD("native_layer_norm_backward", LAYER_NORM),
	BACKWARD("_fused_rms_norm_backward", RMS_NORM),
	BACKWARD("native_group_norm_backward", LAYER_NORM),
	BACKWARD("native_batch_norm_backward", BATCH_NORM),
	BACKWARD("cudnn_batch_norm_backward", BATCH_NORM),
	BACKWARD("miopen_batch_norm_backward", BATCH_NORM),
	{.op = "softmax", .fill = fill_softmax, .flops_per_element = SOFTMAX},
	{.op = "_softmax", .fill = fill_softmax, .flops_per_element = SOFTMAX},
	{.op = "_safe_softmax", .fill = fill_softmax, .flops_per_element = SOFTMAX},
	{.op = "log_softmax", .fill = fill_softmax, .flops_per_element = SOFTMAX},
	{.op = "_log_softmax", .fill = fill_softmax, .flops_per_element = SOFTMAX},
	{.op = "_softmax_backward_data",
         .fill = fill_softmax_backward,
         .flops_per_element = RMS_NORM},
	{.op = "_log_softmax_backward_data",
         .fill = fill_softmax_backward,
         .flops_per_element = RMS_NORM},
	REDUCE("sum", 1, 1, value),
	REDUCE("mean", 1, 1, value),
	REDUCE("prod", 1, 1, value),
	REDUCE("amax", 1, 1, value),
	REDUCE("amin", 1, 1, value),
	REDUCE("logsumexp", 1, SOFTMAX, value),
	REDUCE("var", 1, 3, value),
	REDUCE("std", 1, 3, value),
	REDUCE("var_mean", 1, 3, value),
	REDUCE("norm", 2, 2, value),
	REDUCE("linalg_vector_norm", 2, 2, value),
	REDUCE("max", 1, 1, both),
	REDUCE("min", 1, 1, both),
	REDUCE("argmax", 1, 1, index_only),
	REDUCE("argmin", 1, 1, index_only),
	REDUCE("any", 1, 1, flag),
	REDUCE("all", 1, 1, flag),
	{.op = NULL},
};
