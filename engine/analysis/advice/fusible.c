/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/fusible.h"
#include "engine/analysis/advice/splits.h"

/* Tensors that a compiler joins as a pointwise operator: more of them it copies. */
#define MOST_JOINED 4
/* A second tensor of the same size with this relative difference is the same size: outputs
 * of norms include their small statistics. */
#define SAME_BYTES 0.01

bool weir_same_bytes(double a, double b)
{
	return fabs(a - b) <= SAME_BYTES * fmax(a, b);
}

static bool writes_first(const char *name)
{
	size_t length = strlen(name);

	return length > 1 && name[length - 1] == '_' && name[length - 2] != '_';
}

/* Fills the sizes of what a call reads and writes; false: they do not follow from the arguments. */
static bool tensors_of(const char *name, const struct weir_args *args, const struct weir_work *work,
                       struct weir_fusible *out)
{
	bool copy = strcmp(name, "copy_") == 0;
	double in_bytes = 0;

	*out = (struct weir_fusible){.sum = strncmp(name, "add", 3) == 0};
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg)
			continue;
		out->elements = fmax(out->elements, arg->elements);
		if (copy && i == 0)
			continue; /* written only */
		out->in[out->in_count] = weir_arg_bytes(arg);
		in_bytes += out->in[out->in_count++];
	}
	out->out_bytes = writes_first(name) ? weir_arg_bytes(weir_args_tensor(args, 0))
	                                    : work->bytes - in_bytes;
	return out->in_count > 0 && out->out_bytes > 0 && isfinite(out->out_bytes);
}

/* True if the call is a part of an attention operator, of which the compiler sees nothing. */
static bool in_attention(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;

	for (uint32_t row = call->op; row != WEIR_NONE; row = timeline->parent[row])
		if (strstr(weir_op_plain_name(weir_timeline_host_name(timeline, row)), "attention"))
			return true;
	return false;
}

/* Fills the sizes of tensors that are joined, as halves of a rotated vector are; false: too many.
 */
static bool joined_of(const struct weir_args *args, const struct weir_work *work,
                      struct weir_fusible *out)
{
	const struct weir_arg *list = &args->items[0];

	*out = (struct weir_fusible){.elements = list->elements, .out_bytes = work->bytes / 2};
	if (list->rank >= 0 || list->list_count < 2 || list->list_count > MOST_JOINED)
		return false;
	for (; out->in_count < list->list_count; out->in_count++)
		out->in[out->in_count] = out->out_bytes / (double)list->list_count;
	out->joins = true;
	return out->out_bytes > 0;
}

/* Fills the sizes of a shift with wrap-around; false: another call. A compiler computes the place
 * of each value instead (Inductor lowers aten::roll to a gather by index arithmetic), so that the
 * shifts of a stencil become reads of one kernel. */
static bool shifted_of(const char *name, const struct weir_args *args, struct weir_fusible *out)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);

	if (strcmp(name, "roll") != 0 || !x)
		return false;
	*out = (struct weir_fusible){.in = {weir_arg_bytes(x)},
	                             .in_count = 1,
	                             .out_bytes = weir_arg_bytes(x),
	                             .elements = x->elements,
	                             .shifts = true};
	return out->out_bytes > 0;
}

/* A copy that changes the type is pointwise; one that changes the layout or nothing is not. */
static bool is_cast(const struct weir_args *args)
{
	const struct weir_arg *to = weir_args_tensor(args, 0), *from = weir_args_tensor(args, 1);

	return to && from && to->elements == from->elements &&
	       to->element.dtype != from->element.dtype;
}

/* True if the operator reduces over all rows, as the statistics of a batch and gradients of
 * parameters are: all blocks must finish before the next operator begins. */
static bool crosses_rows(const char *name, const struct weir_args *args)
{
	bool training;

	if (strstr(name, "backward"))
		return true;
	/* batch_norm(x, weight, bias, mean, variance, training, ...) */
	return strstr(name, "batch_norm") && !(weir_args_bool(args, 5, &training) && !training);
}

/* Returns the bytes that a reduction needs before the operator can go on: a row, or a group of
 * channels. 0: none. */
static double row_bytes_of(const char *name, const struct weir_args *args,
                           const struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t batch, groups;

	if (x && strstr(name, "softmax"))
		return (double)x->dims[x->rank - 1] * x->element.width;
	/* native_group_norm(x, weight, bias, N, C, HxW, groups, eps) */
	if (strcmp(name, "native_group_norm") == 0 && weir_args_int(args, 3, &batch) &&
	    weir_args_int(args, 6, &groups) && batch > 0 && groups > 0)
		return weir_arg_bytes(x) / ((double)batch * (double)groups);
	return work->reuse.row_bytes;
}

/* A value with its type. */
#define SCALAR_BYTES 8.0

/* True if the call computes one value of values: its arguments are tensors without dimensions.
 * Makes its result one that takes no traffic. */
static bool is_scalar(const struct weir_op_call *call, struct weir_fusible *tensors)
{
	bool scalar = call->family == WEIR_FAMILY_ELEMENTWISE && tensors->in_count == 0 &&
	              tensors->out_bytes > 0 && tensors->out_bytes <= SCALAR_BYTES;

	*tensors = (struct weir_fusible){0};
	return scalar;
}

bool weir_is_fusible(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     struct weir_fusible *out)
{
	const char *name = weir_op_calls_name(calls, call);
	struct weir_args args;

	if (!*name || call->transfers || in_attention(calls, call) ||
	    !weir_op_calls_args(calls, call, &args))
		return false;
	if (shifted_of(name, &args, out))
		return true;
	if (call->work.confidence == WEIR_MODEL_NONE || call->work.product)
		return false;
	if (crosses_rows(name, &args))
		return false;
	if (strcmp(name, "cat") == 0)
		return joined_of(&args, &call->work, out);
	if (call->family == WEIR_FAMILY_COPY && (strcmp(name, "copy_") != 0 || !is_cast(&args)))
		return false;
	if (strcmp(name, "copy_") == 0 && !is_cast(&args))
		return false;
	if (call->family != WEIR_FAMILY_ELEMENTWISE && call->family != WEIR_FAMILY_REDUCE &&
	    call->family != WEIR_FAMILY_NORM && call->family != WEIR_FAMILY_SOFTMAX &&
	    call->family != WEIR_FAMILY_COPY)
		return false;
	if (!tensors_of(name, &args, &call->work, out)) {
		out->scalar = out->joins = is_scalar(call, out);
		return out->scalar;
	}
	out->row_bytes = row_bytes_of(name, &args, &call->work);
	out->splits = weir_splits_rows(calls->advisor, name, call, weir_args_tensor(&args, 0),
	                               out->row_bytes);
	return true;
}
