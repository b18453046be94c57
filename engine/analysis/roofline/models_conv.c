/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Convolutions of one to three dimensions. An output has floor((size + 2 p - d (k - 1) - 1) / s) +
 * 1 elements per dimension, each a sum over the kernel and the input channels of its group. A
 * transposed convolution spreads every input element over the kernel instead, into (size - 1) s - 2
 * p + d (k - 1) + op + 1 elements.
 */
#include <math.h>
#include <stddef.h>

#include "engine/analysis/roofline/models.h"

enum { NO_ARG = -1, ALWAYS = -2 };

/* Positions of arguments; NO_ARG: the operator has no such argument and the default applies. */
struct conv_layout {
	int bias, stride, padding, dilation;
	int transposed; /* ALWAYS: the operator is transposed by definition */
	int output_padding;
	int groups;   /* decides the channels of a transposed convolution; others state them */
	int residual; /* a tensor of the output's size that is added */
};

struct conv {
	const struct weir_arg *x, *w;
	int spatial; /* number of dimensions */
	int64_t stride[WEIR_MAX_INTS], padding[WEIR_MAX_INTS], dilation[WEIR_MAX_INTS];
	int64_t output_padding[WEIR_MAX_INTS];
	int64_t groups;
	bool transposed;
};

/* Reads one value per dimension. A single value applies to all dimensions; an empty list or a
 * missing argument gives `fallback`. False: damaged or out of range. */
static bool read_list(const struct weir_args *args, int at, int spatial, int64_t fallback,
                      int64_t *out)
{
	int64_t values[WEIR_MAX_INTS] = {0};
	size_t count = 0;

	if (at != NO_ARG && !weir_args_ints(args, (size_t)at, values, &count))
		return false;
	if (count > 1 && count != (size_t)spatial)
		return false;
	for (int i = 0; i < spatial; i++) {
		out[i] = count > 1 ? values[i] : count == 1 ? values[0] : fallback;
		if (out[i] < 0 || out[i] > WEIR_MAX_DIM)
			return false;
	}
	return true;
}

static bool read_flags(const struct conv_layout *layout, const struct weir_args *args,
                       struct conv *c)
{
	c->transposed = layout->transposed == ALWAYS;
	if (layout->transposed >= 0 &&
	    !weir_args_bool(args, (size_t)layout->transposed, &c->transposed))
		return false;
	c->groups = 1;
	if (layout->groups >= 0 && !weir_args_int(args, (size_t)layout->groups, &c->groups))
		return false;
	return c->groups > 0;
}

/* Reads the arguments; false: no model. Strides and similar scalars decide the size of the output,
 * so that a call without recorded scalars has no model. */
static bool read_conv(const struct conv_layout *layout, const struct weir_args *args,
                      struct conv *c)
{
	c->x = weir_args_tensor(args, 0);
	c->w = weir_args_tensor(args, 1);
	if (!c->x || !c->w || c->x->rank < 3 || c->x->rank > 5 || c->w->rank != c->x->rank)
		return false;
	c->spatial = c->x->rank - 2;
	return read_flags(layout, args, c) &&
	       read_list(args, layout->stride, c->spatial, 1, c->stride) &&
	       read_list(args, layout->padding, c->spatial, 0, c->padding) &&
	       read_list(args, layout->dilation, c->spatial, 1, c->dilation) &&
	       read_list(args, layout->output_padding, c->spatial, 0, c->output_padding);
}

/* Returns the size of the output in one dimension; 0: the arguments contradict each other. */
static double out_size(const struct conv *c, int i)
{
	double size = (double)c->x->dims[i + 2],
	       reach = (double)c->dilation[i] * (double)(c->w->dims[i + 2] - 1);
	double stride = (double)c->stride[i], padded = size + 2 * (double)c->padding[i] - reach - 1;

	if (stride < 1 || c->w->dims[i + 2] < 1)
		return 0;
	if (c->transposed)
		return (size - 1) * stride - 2 * (double)c->padding[i] + reach +
		       (double)c->output_padding[i] + 1;
	return padded < 0 ? 0 : floor(padded / stride) + 1;
}

static bool fill_conv(const struct weir_operator_model *model, const struct weir_args *args,
                      struct weir_work *work)
{
	const struct conv_layout *layout = model->layout;
	struct conv c = {0};
	double places = 1, window = 1, channels, out, flops, bytes;

	if (!read_conv(layout, args, &c))
		return false;
	for (int i = 0; i < c.spatial; i++) {
		double size = out_size(&c, i);

		if (size < 1)
			return false;
		places *= size;
		window *= (double)c.w->dims[i + 2];
	}
	channels = c.transposed ? (double)c.w->dims[1] * (double)c.groups : (double)c.w->dims[0];
	out = (double)c.x->dims[0] * channels * places;
	/* The second dimension of w counts the channels of one group on the side of the sum. */
	flops = 2 * (c.transposed ? c.x->elements : out) * (double)c.w->dims[1] * window;
	bytes = weir_arg_bytes(c.x) + weir_arg_bytes(c.w) + out * c.x->element.width;
	if (layout->bias != NO_ARG && weir_args_tensor(args, (size_t)layout->bias)) {
		flops += out;
		bytes += weir_arg_bytes(weir_args_tensor(args, (size_t)layout->bias));
	}
	if (layout->residual != NO_ARG)
		bytes += weir_arg_bytes(weir_args_tensor(args, (size_t)layout->residual));
	weir_work_product(work, flops, bytes, c.x->element.dtype);
	return true;
}

enum { GRADIENT_OF_X = 1, GRADIENT_OF_W = 2, GRADIENT_OF_BIAS = 4 };

#define BACKWARD_TRANSPOSED 7
#define BACKWARD_MASK       10

/*
 * convolution_backward(dy, x, w, bias sizes, stride, padding, dilation, transposed, output padding,
 * groups, mask): for each gradient that the mask selects, as many FLOPs as the forward pass, in a
 * kernel that reads two tensors and writes the third.
 */
static bool fill_conv_backward(const struct weir_operator_model *model,
                               const struct weir_args *args, struct weir_work *work)
{
	const struct weir_arg *dy = weir_args_tensor(args, 0), *x = weir_args_tensor(args, 1),
			      *w = weir_args_tensor(args, 2);
	bool transposed = false, known = weir_args_bool(args, BACKWARD_TRANSPOSED, &transposed);
	unsigned wanted, products;
	double window = 1, flops;

	(void)model;
	if (!dy || !x || !w || x->rank < 3 || w->rank != x->rank || dy->rank != x->rank)
		return false;
	if (!weir_args_flags(args, BACKWARD_MASK, &wanted)) {
		wanted = GRADIENT_OF_X | GRADIENT_OF_W;
		known = false;
	}
	for (int i = 2; i < w->rank; i++)
		window *= (double)w->dims[i];
	products = (wanted & GRADIENT_OF_X ? 1u : 0u) + (wanted & GRADIENT_OF_W ? 1u : 0u);
	flops = 2 * (transposed ? x->elements : dy->elements) * (double)w->dims[1] * window;
	flops = flops * products + (wanted & GRADIENT_OF_BIAS ? dy->elements : 0);
	weir_work_product(work, flops,
	                  products * (weir_arg_bytes(dy) + weir_arg_bytes(x) + weir_arg_bytes(w)) +
	                          (wanted & GRADIENT_OF_BIAS ? weir_arg_bytes(dy) : 0),
	                  x->element.dtype);
	if (!known)
		work->confidence = WEIR_MODEL_MEDIUM;
	return products || wanted;
}

/* Columns: bias, stride, padding, dilation, transposed, output padding, groups, residual; positions
 * as in native_functions.yaml. */
static const struct conv_layout convolution = {2, 3, 4, 5, 6, 7, 8, NO_ARG};
static const struct conv_layout conv = {2, 3, 4, 5, NO_ARG, NO_ARG, 6, NO_ARG};
static const struct conv_layout conv_transpose = {2, 3, 4, 7, ALWAYS, 5, 6, NO_ARG};
static const struct conv_layout cudnn = {NO_ARG, 3, 2, 4, NO_ARG, NO_ARG, 5, NO_ARG};
static const struct conv_layout cudnn_transpose = {NO_ARG, 4, 2, 5, ALWAYS, 3, 6, NO_ARG};
static const struct conv_layout cudnn_add = {4, 5, 6, 7, NO_ARG, NO_ARG, 8, 2};
static const struct conv_layout miopen = {2, 4, 3, 5, NO_ARG, NO_ARG, 6, NO_ARG};
static const struct conv_layout miopen_transpose = {2, 5, 3, 6, ALWAYS, 4, 7, NO_ARG};
static const struct conv_layout slow = {3, 4, 5, NO_ARG, NO_ARG, NO_ARG, NO_ARG, NO_ARG};
static const struct conv_layout depthwise = {3, 4, 5, 6, NO_ARG, NO_ARG, NO_ARG, NO_ARG};

const struct weir_operator_model weir_models_conv[] = {
	{.op = "convolution", .fill = fill_conv, .layout = &convolution},
	{.op = "_convolution", .fill = fill_conv, .layout = &convolution},
	{.op = "convolution_overrideable", .fill = fill_conv, .layout = &convolution},
	{.op = "conv1d", .fill = fill_conv, .layout = &conv},
	{.op = "conv2d", .fill = fill_conv, .layout = &conv},
	{.op = "conv3d", .fill = fill_conv, .layout = &conv},
	{.op = "conv_transpose1d", .fill = fill_conv, .layout = &conv_transpose},
	{.op = "conv_transpose2d", .fill = fill_conv, .layout = &conv_transpose},
	{.op = "conv_transpose3d", .fill = fill_conv, .layout = &conv_transpose},
	{.op = "cudnn_convolution", .fill = fill_conv, .layout = &cudnn},
	{.op = "cudnn_convolution_transpose", .fill = fill_conv, .layout = &cudnn_transpose},
	{.op = "cudnn_convolution_relu", .fill = fill_conv, .layout = &conv},
	{.op = "cudnn_convolution_add_relu", .fill = fill_conv, .layout = &cudnn_add},
	{.op = "miopen_convolution", .fill = fill_conv, .layout = &miopen},
	{.op = "miopen_depthwise_convolution", .fill = fill_conv, .layout = &miopen},
	{.op = "miopen_convolution_transpose", .fill = fill_conv, .layout = &miopen_transpose},
	{.op = "_slow_conv2d_forward", .fill = fill_conv, .layout = &slow},
	{.op = "slow_conv3d_forward", .fill = fill_conv, .layout = &slow},
	{.op = "_conv_depthwise2d", .fill = fill_conv, .layout = &depthwise},
	{.op = "conv_depthwise3d", .fill = fill_conv, .layout = &depthwise},
	{.op = "convolution_backward", .fill = fill_conv_backward},
	{.op = "convolution_backward_overrideable", .fill = fill_conv_backward},
	{.op = NULL},
};
