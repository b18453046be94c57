/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/unfolds.h"

/* Calls behind an unfolding among which its product is sought; a result is used soon. */
#define USED_WITHIN 8
/* Arguments of aten::im2col. */
#define UNFOLD_KERNEL   1
#define UNFOLD_DILATION 2
#define UNFOLD_PADDING  3
#define UNFOLD_STRIDE   4
#define SPATIAL         2
/* A convolution takes at most this many times as long as the product of the same size, which reads
 * each value once and with one stride: about 1.2 times in one measured fix. */
#define SLOWEST_CONVOLUTION 1.5

struct unfold {
	double rows, columns; /* of the matrix of one sample: values of a window; windows */
	double elements;      /* of all samples */
	double source_bytes;
};

/* Returns entry `at` of a list of one or two integers. */
static bool read_pair(const struct weir_args *args, size_t index, int64_t out[SPATIAL])
{
	int64_t ints[WEIR_MAX_INTS];
	size_t count;

	if (!weir_args_ints(args, index, ints, &count) || count < 1 || count > SPATIAL)
		return false;
	out[0] = ints[0];
	out[1] = ints[count - 1];
	return true;
}

/* Fills what the call unfolds; false: it is another one, or its arguments are not known. */
static bool read_unfold(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        struct unfold *out)
{
	int64_t kernel[SPATIAL], dilation[SPATIAL], padding[SPATIAL], stride[SPATIAL];
	const struct weir_arg *source;
	struct weir_args args;

	if (strcmp(weir_op_calls_name(calls, call), "im2col") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || !(source = weir_args_tensor(&args, 0)) ||
	    (source->rank != 3 && source->rank != 4) || !read_pair(&args, UNFOLD_KERNEL, kernel) ||
	    !read_pair(&args, UNFOLD_DILATION, dilation) ||
	    !read_pair(&args, UNFOLD_PADDING, padding) || !read_pair(&args, UNFOLD_STRIDE, stride))
		return false;
	out->rows = (double)source->dims[source->rank - 3];
	out->columns = 1;
	for (int d = 0; d < SPATIAL; d++) {
		double size = (double)source->dims[source->rank - SPATIAL + d];
		double span = (double)dilation[d] * ((double)kernel[d] - 1) + 1;

		if (kernel[d] < 1 || stride[d] < 1 || size < 1)
			return false;
		out->rows *= (double)kernel[d];
		out->columns *=
			floor((size + 2 * (double)padding[d] - span) / (double)stride[d]) + 1;
	}
	out->elements =
		(source->rank == 4 ? (double)source->dims[0] : 1) * out->rows * out->columns;
	out->source_bytes = weir_arg_bytes(source);
	return out->rows > 0 && out->columns > 0;
}

/* True if the tensor is the matrix, either way around. */
static bool is_matrix(const struct weir_arg *arg, const struct unfold *unfold)
{
	double last, before;

	if (arg->rank < SPATIAL || arg->elements != unfold->elements)
		return false;
	last = (double)arg->dims[arg->rank - 1];
	before = (double)arg->dims[arg->rank - 2];
	/* Samples may be joined to rows. */
	return last == unfold->rows || (before == unfold->rows && last == unfold->columns);
}

/* Returns the product that is the first to read the matrix; NULL: another operator reads it. */
static const struct weir_op_call *product_of(const struct weir_op_calls *calls, size_t c,
                                             const struct unfold *unfold)
{
	for (size_t i = c + 1; i < calls->count && i <= c + USED_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		struct weir_args args;

		if (!weir_op_calls_args(calls, call, &args))
			continue;
		for (size_t a = 0; a < args.count; a++)
			if (args.items[a].rank > 0 && is_matrix(&args.items[a], unfold))
				return call->family == WEIR_FAMILY_GEMM ? call : NULL;
	}
	return NULL;
}

/* Leaves one launch of the call, which takes `ns`. */
static void keep_one(struct weir_draft *draft, const struct weir_op_call *call, double ns)
{
	for (uint32_t i = call->first_issue + 1; i < call->end_issue; i++)
		weir_draft_remove(draft, i);
	for (uint32_t j = call->first_job + 1; j < call->end_job; j++)
		weir_draft_set_job(draft, j, 0, 0, 0);
	weir_draft_set_job(draft, call->first_job, ns, ns, ns);
}

void weir_unfolds_join(struct weir_draft *draft, const struct weir_op_calls *calls,
                       struct weir_unfolds *sum)
{
	for (size_t c = 0; c < calls->count; c++) {
		const struct weir_op_call *call = &calls->items[c], *product;
		struct unfold unfold;
		double ns;

		if (!read_unfold(calls, call, &unfold) ||
		    !(product = product_of(calls, c, &unfold)))
			continue;
		ns = weir_advisor_kernel_ns(draft->advisor, 0, WEIR_ENGINE_NONE, WEIR_DTYPE_FP32,
		                            2 * unfold.source_bytes, 1);
		if (!(ns < call->ns))
			continue;
		keep_one(draft, call, ns);
		weir_op_call_set(draft, product, product->ns, product->ns,
		                 SLOWEST_CONVOLUTION * product->ns);
		sum->found++;
		sum->before_ns += call->ns;
		sum->after_ns += ns;
	}
}

void weir_unfolds_explain(struct weir_draft *draft, const struct weir_unfolds *sum)
{
	if (sum->found > 0)
		weir_text_printf(
			&draft->basis,
			"%s%zu products with unfolded windows as convolutions that take "
			"as long: a copy of the source to channels last in %.0f us instead "
			"of its windows in %.0f us",
			draft->basis.length > 0 ? "; " : "", sum->found, sum->after_ns / 1e3,
			sum->before_ns / 1e3);
}
