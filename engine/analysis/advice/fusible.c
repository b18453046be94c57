/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/arithmetic.h"
#include "engine/analysis/advice/fusible.h"
#include "engine/analysis/advice/gaps.h"
#include "engine/analysis/advice/picks.h"
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

/* Returns the elements of the tensor to which the operands are broadcast, such as rows times
 * columns of a column and a row; those of the largest operand if their sizes do not fit. */
static double spanned(const struct weir_args *args)
{
	double elements = 1, largest = 0;

	for (int back = 1; back <= WEIR_MAX_RANK; back++) {
		int64_t size = 1;

		for (size_t i = 0; i < args->count; i++) {
			const struct weir_arg *arg = weir_args_tensor(args, i);
			int64_t own = arg && arg->rank >= back ? arg->dims[arg->rank - back] : 1;

			largest = arg ? fmax(largest, arg->elements) : largest;
			if (own == 1 || own == size)
				continue;
			if (size != 1)
				elements = NAN;
			size = own;
		}
		elements *= (double)size;
	}
	return elements >= largest ? elements : largest;
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
		out->arg[out->in_count] = *arg;
		out->gap[out->in_count] = weir_gap_form(arg);
		out->in[out->in_count] = weir_arg_bytes(arg);
		in_bytes += out->in[out->in_count++];
	}
	if (writes_first(name) && weir_args_tensor(args, 0))
		out->out_gap = weir_gap_form(weir_args_tensor(args, 0));
	out->out_bytes = writes_first(name) ? weir_arg_bytes(weir_args_tensor(args, 0))
	                                    : work->bytes - in_bytes;
	if (out->out_bytes <= 0 && out->in_count > 1)
		out->out_bytes = out->in[--out->in_count]; /* pow(base, x, out) */
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
 * They are NAN if the type is not recorded. */
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
	return !(out->out_bytes <= 0);
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

/* True if an operator of the library encloses the call. */
static bool is_part(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	uint32_t row = timeline->parent[call->op];

	return row != WEIR_NONE && *weir_op_plain_name(weir_timeline_host_name(timeline, row));
}

/* Fills the sizes of a copy without a change of type that the program itself makes: out[k] = x. A
 * compiler stores the result there at once. false: another copy. */
static bool stored_of(const struct weir_op_calls *calls, const struct weir_op_call *call,
                      const struct weir_args *args, struct weir_fusible *out)
{
	const struct weir_arg *to = weir_args_tensor(args, 0), *from = weir_args_tensor(args, 1);

	if (!to || !from || to->rank != from->rank || to->elements != from->elements ||
	    to->element.dtype != from->element.dtype || is_part(calls, call))
		return false;
	*out = (struct weir_fusible){.in = {weir_arg_bytes(from)},
	                             .in_count = 1,
	                             .elements = from->elements,
	                             .joins = true,
	                             .stores = true};
	return out->in[0] > 0;
}

/* Fills the sizes of a new tensor that is set to one value, as zeros_like() makes it: a compiler
 * puts the value where the tensor is read. false: another call. */
static bool constant_of(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        const char *name, const struct weir_args *args, struct weir_fusible *out)
{
	static const char *const makers[] = {"aten::zeros_like", "aten::ones_like",
	                                     "aten::full_like",  "aten::zeros",
	                                     "aten::ones",       "aten::full",
	                                     "aten::new_zeros",  "aten::new_ones",
	                                     "aten::new_full",   NULL};
	const struct weir_arg *x = weir_args_tensor(args, 0);
	bool made = false;

	if ((strcmp(name, "fill_") != 0 && strcmp(name, "zero_") != 0) || !x)
		return false;
	for (size_t i = 0; makers[i] && !made; i++)
		made = weir_op_calls_within(calls, call, makers[i]);
	*out = (struct weir_fusible){
		.out_bytes = weir_arg_bytes(x), .elements = x->elements, .constant = true};
	return made && out->out_bytes > 0;
}

/* A copy that changes the type is pointwise; one that changes the layout or nothing is not. */
static bool is_cast(const struct weir_args *args)
{
	const struct weir_arg *to = weir_args_tensor(args, 0), *from = weir_args_tensor(args, 1);

	return to && from && to->elements == from->elements &&
	       (to->element.dtype != from->element.dtype ||
	        to->element.width != from->element.width);
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

/* Returns the elements over which softmax(x, dim, ...) normalises, as _softmax and _log_softmax do;
 * those of the last dimension if none is recorded. */
static double softmax_row(const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t dim;

	if (x->rank < 1)
		return 1;
	if (!weir_args_int(args, 1, &dim) || dim < -x->rank || dim >= x->rank)
		dim = -1;
	return (double)x->dims[dim < 0 ? dim + x->rank : dim];
}

/* Returns the bytes that a reduction needs before the operator can go on: a row, or a group of
 * channels. 0: none. */
static double row_bytes_of(const char *name, const struct weir_args *args,
                           const struct weir_work *work)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t batch, groups;

	if (x && strstr(name, "softmax"))
		return softmax_row(args) * x->element.width;
	/* native_group_norm(x, weight, bias, N, C, HxW, groups, eps) */
	if (strcmp(name, "native_group_norm") == 0 && weir_args_int(args, 3, &batch) &&
	    weir_args_int(args, 6, &groups) && batch > 0 && groups > 0)
		return weir_arg_bytes(x) / ((double)batch * (double)groups);
	return work->reuse.row_bytes;
}

/* A value with its type. */
#define SCALAR_BYTES 8.0

/* True if the call computes one value of values: its arguments are tensors without dimensions, or
 * it sets a value. Makes its result one that takes no traffic. */
static bool is_scalar(const char *name, const struct weir_op_call *call,
                      struct weir_fusible *tensors)
{
	bool sets = strcmp(name, "fill_") == 0;
	double bytes = sets ? call->work.bytes : tensors->out_bytes;
	bool scalar = (sets || call->family == WEIR_FAMILY_ELEMENTWISE) && tensors->in_count == 0 &&
	              bytes > 0 && bytes <= SCALAR_BYTES;

	*tensors = (struct weir_fusible){0};
	return scalar;
}

/* True if the call is faster than memory could be with two tensors, as x * x and x != x are: both
 * operands are one tensor. Smaller ones may be in the cache. */
static bool reads_one(const struct weir_advisor *advisor, const struct weir_op_call *call,
                      const struct weir_fusible *tensors)
{
	const struct weir_device *peaks = advisor->peaks;

	return peaks && tensors->in_count == 2 && weir_same_bytes(tensors->in[0], tensors->in[1]) &&
	       tensors->in[0] > peaks->l2_bytes && call->ns > 0 &&
	       call->work.bytes / call->ns * 1e9 > peaks->bytes_per_s.theoretical;
}

/* Fills the sizes of a running sum over rows; false: another call, or one over few long rows, which
 * blocks compute one after the other. A compiler computes it where the row is made, like a
 * reduction that gives a value for each element (Inductor lowers it to a scan). */
static bool scan_of(const struct weir_advisor *advisor, const struct weir_op_call *call,
                    const char *name, const struct weir_args *args, struct weir_fusible *out)
{
	static const char *const names[] = {"cumsum", "cumprod", "logcumsumexp", NULL};
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t dim;

	if (!weir_op_is_one_of(name, names) || !x || !weir_args_int(args, 1, &dim) ||
	    call->work.confidence == WEIR_MODEL_NONE)
		return false;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank)
		return false;
	*out = (struct weir_fusible){.in = {weir_arg_bytes(x)},
	                             .arg = {*x},
	                             .gap = {weir_gap_form(x)},
	                             .in_count = 1,
	                             .elements = x->elements,
	                             .row_elements = (double)x->dims[dim]};
	out->out_bytes = call->work.bytes - out->in[0];
	out->row_bytes = out->row_elements * x->element.width;
	return out->out_bytes > 0 &&
	       !weir_splits_few(advisor, x->elements / out->row_elements, out->row_elements);
}

/* Returns the instructions for an element of the call. A compiler makes products and roots of
 * powers with such an exponent, and any power that is not recorded is taken for one of them. */
static double instructions_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const char *name = weir_op_calls_name(calls, call);
	struct weir_args args;
	double exponent;

	if (strncmp(name, "pow", 3) != 0 || !weir_op_calls_args(calls, call, &args) ||
	    weir_args_tensor(&args, 1))
		return weir_instructions_of(name);
	if (!weir_args_number(&args, 1, &exponent) || exponent == rint(exponent))
		return weir_instructions_of("mul");
	return weir_instructions_of(fabs(exponent) == 0.5 ? "sqrt" : name);
}

/* Fills the tensors of a call; false: a compiler does not fuse it. */
static bool fill(const struct weir_op_calls *calls, const struct weir_op_call *call,
                 struct weir_fusible *out)
{
	const char *name = weir_op_calls_name(calls, call);
	struct weir_args args;

	if (!*name || call->transfers || in_attention(calls, call) ||
	    !weir_op_calls_args(calls, call, &args))
		return false;
	if (shifted_of(name, &args, out) || constant_of(calls, call, name, &args, out))
		return true;
	if (weir_picks_of(calls, call, name, &args, out) ||
	    scan_of(calls->advisor, call, name, &args, out))
		return true;
	if (strcmp(name, "cat") == 0)
		return joined_of(&args, &call->work, out);
	if (call->work.confidence == WEIR_MODEL_NONE || call->work.product)
		return false;
	if (crosses_rows(name, &args))
		return false;
	if (strcmp(name, "copy_") == 0 && !is_cast(&args))
		return stored_of(calls, call, &args, out);
	/* A single value that is set is computed where it is used; tensors that are set are not. */
	if (call->family == WEIR_FAMILY_COPY && strcmp(name, "copy_") != 0 &&
	    (strcmp(name, "fill_") != 0 || weir_args_tensor(&args, 0)))
		return false;
	if (call->family != WEIR_FAMILY_ELEMENTWISE && call->family != WEIR_FAMILY_REDUCE &&
	    call->family != WEIR_FAMILY_NORM && call->family != WEIR_FAMILY_SOFTMAX &&
	    call->family != WEIR_FAMILY_COPY)
		return false;
	if (!tensors_of(name, &args, &call->work, out)) {
		out->scalar = out->joins = is_scalar(name, call, out);
		return out->scalar;
	}
	if (call->family == WEIR_FAMILY_ELEMENTWISE)
		out->elements = spanned(&args);
	out->same = reads_one(calls->advisor, call, out);
	out->row_bytes = row_bytes_of(name, &args, &call->work);
	out->splits = weir_splits_rows(calls->advisor, name, call, &args, out->row_bytes);
	out->columns = weir_splits_columns(call, &args);
	out->row_elements = weir_splits_row(name, call, &args, out->row_bytes);
	if (call->family == WEIR_FAMILY_REDUCE && !(out->row_bytes > 0) && out->elements > 0)
		out->row_bytes = out->in[0] * out->row_elements / out->elements;
	return true;
}

bool weir_is_fusible(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     struct weir_fusible *out)
{
	if (!fill(calls, call, out))
		return false;
	out->instructions = out->elements * instructions_of(calls, call);
	return true;
}
