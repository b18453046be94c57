/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/paddings.h"

/* Calls behind the copy among which its convolution is sought; a result is used soon. */
#define USED_WITHIN 8
/* Arguments of aten::constant_pad_nd. */
#define PAD_WIDTHS 1
#define PAD_VALUE  2

/* Host rows behind a product among which its result is cut: views, and pointwise operators. */
#define CUT_WITHIN 64

/* A tensor with a border of zeros, and the calls that write it. */
struct padding {
	uint32_t op;       /* host row of aten::constant_pad_nd */
	size_t first, end; /* calls */
	double elements;   /* with the border */
	enum weir_dtype dtype;
	/* Rows behind the others in one dimension, for products: rows without and with them. */
	bool of_rows;
	int64_t rows, padded_rows;
	int64_t columns; /* of a row */
};

/* Returns the operator of this name that is the call's or encloses it; WEIR_NONE: none. */
static uint32_t enclosing(const struct weir_op_calls *calls, size_t c, const char *name)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;

	for (uint32_t row = calls->items[c].op; row != WEIR_NONE; row = timeline->parent[row])
		if (strcmp(weir_timeline_host_name(timeline, row), name) == 0)
			return row;
	return WEIR_NONE;
}

/* True if the arguments add as many zeros in front of each dimension as behind it, and none to
 * samples and channels: a convolution takes one number for each of the others. */
static bool read_border(const struct weir_args *args, struct padding *out)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t widths[WEIR_MAX_INTS];
	double value;
	size_t count;

	if (!x || !weir_args_ints(args, PAD_WIDTHS, widths, &count) || count % 2 != 0 ||
	    (int)(count / 2) > x->rank - 2 || !weir_args_number(args, PAD_VALUE, &value) ||
	    value != 0)
		return false;
	out->elements = x->elements;
	out->dtype = x->element.dtype;
	for (size_t i = 0; i < count; i += 2) {
		double size = (double)x->dims[x->rank - 1 - (int)(i / 2)];

		if (widths[i] < 0 || widths[i] > WEIR_MAX_DIM || widths[i] != widths[i + 1] ||
		    !(size > 0))
			return false;
		out->elements *= (size + 2 * (double)widths[i]) / size;
	}
	return out->elements > x->elements;
}

/* True if the arguments add rows of zeros behind the others, in one dimension. */
static bool read_rows(const struct weir_args *args, struct padding *out)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t widths[WEIR_MAX_INTS];
	double value;
	size_t count;
	int padded = -1;

	if (!x || !weir_args_ints(args, PAD_WIDTHS, widths, &count) || count % 2 != 0 ||
	    (int)(count / 2) > x->rank || !weir_args_number(args, PAD_VALUE, &value) || value != 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		if (widths[i] == 0)
			continue;
		/* in front of others, of columns, or in a second dimension */
		if (i % 2 == 0 || i < 2 || padded >= 0 || widths[i] < 0 || widths[i] > WEIR_MAX_DIM)
			return false;
		padded = x->rank - 1 - (int)(i / 2);
		out->rows = x->dims[padded];
		out->padded_rows = x->dims[padded] + widths[i];
	}
	out->of_rows = padded >= 0 && out->rows > 0;
	out->columns = x->dims[x->rank - 1];
	out->dtype = x->element.dtype;
	out->elements = x->elements / (double)out->rows * (double)out->padded_rows;
	return out->of_rows;
}

/* Fills the padded tensor whose first call is `c`; false: it is another call. */
static bool read_padding(const struct weir_op_calls *calls, size_t c, struct padding *out)
{
	struct weir_args args;

	*out = (struct padding){.op = enclosing(calls, c, "aten::constant_pad_nd"), .first = c};
	if (out->op == WEIR_NONE || !weir_advisor_args(calls->advisor, out->op, &args) ||
	    (!read_border(&args, out) && !read_rows(&args, out)))
		return false;
	for (out->end = c + 1; out->end < calls->count; out->end++)
		if (enclosing(calls, out->end, "aten::constant_pad_nd") != out->op)
			break;
	return true;
}

/* True for operators that compute a convolution, and can pad. */
static bool convolves(const char *name)
{
	return strstr(name, "conv") && !strstr(name, "transpose");
}

/* True if the host cuts the added rows off a result of that many elements behind the row. */
static bool is_cut(const struct weir_op_calls *calls, uint32_t row, double elements,
                   const struct padding *padding)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;

	for (size_t r = (size_t)row + 1; r < host->count && r <= (size_t)row + CUT_WITHIN; r++) {
		int64_t dim, start, end;
		struct weir_args args;

		if (host->thread[r] != host->thread[row])
			break;
		if (strcmp(weir_timeline_host_name(timeline, (uint32_t)r), "aten::slice") != 0 ||
		    !weir_advisor_args(calls->advisor, (uint32_t)r, &args) ||
		    !weir_args_tensor(&args, 0) || args.items[0].elements != elements ||
		    !weir_args_int(&args, 1, &dim) || !weir_args_int(&args, 2, &start) ||
		    !weir_args_int(&args, 3, &end) || dim < 0 || dim >= args.items[0].rank)
			continue;
		return start == 0 && end == padding->rows &&
		       args.items[0].dims[dim] == padding->padded_rows;
	}
	return false;
}

/* True if the call, a product, multiplies the padded tensor row by row, and the rows of its result
 * that belong to the border are cut off: products take any number of rows. */
static bool multiplies(const struct weir_op_calls *calls, const struct weir_op_call *call,
                       const struct weir_arg *arg, const struct padding *padding)
{
	static const char *const names[] = {"mm", "addmm", NULL};
	const struct weir_reuse *sizes = &call->work.reuse;

	return call->work.product && weir_op_is_one_of(weir_op_calls_name(calls, call), names) &&
	       arg->dims[arg->rank - 1] == padding->columns &&
	       sizes->m * (double)padding->columns == padding->elements &&
	       is_cut(calls, call->op, sizes->m * sizes->n, padding);
}

/* True if this call can read the source in place of the padded tensor. */
static bool needs_no_copy(const struct weir_op_calls *calls, const struct weir_op_call *call,
                          const struct weir_arg *arg, const struct padding *padding)
{
	return padding->of_rows ? multiplies(calls, call, arg, padding)
	                        : convolves(weir_op_calls_name(calls, call));
}

/* True if calls behind the copy read a tensor of its size before the next such copy, and all that
 * do can read the source instead. */
static bool is_needless(const struct weir_op_calls *calls, const struct padding *padding)
{
	bool found = false;

	for (size_t i = padding->end; i < calls->count && i < padding->end + USED_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		struct weir_args args;

		if (enclosing(calls, i, "aten::constant_pad_nd") != WEIR_NONE)
			break;
		if (!weir_op_calls_args(calls, call, &args))
			continue;
		for (size_t a = 0; a < args.count; a++) {
			const struct weir_arg *arg = weir_args_tensor(&args, a);

			if (!arg || arg->elements != padding->elements ||
			    arg->element.dtype != padding->dtype)
				continue;
			if (!needs_no_copy(calls, call, arg, padding))
				return false;
			found = true;
		}
	}
	return found;
}

/* Notes the host time of the operator that the program called in order to pad. */
static void note_host(const struct weir_op_calls *calls, uint32_t op, struct weir_intervals *host)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	uint32_t outer = timeline->parent[op];

	if (outer == WEIR_NONE ||
	    strcmp(weir_timeline_host_name(timeline, outer), "aten::pad") != 0)
		outer = op;
	weir_intervals_push(host, timeline->trace->host.start_ns[outer],
	                    timeline->trace->host.end_ns[outer]);
}

static void remove_call(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                        struct weir_paddings *sum)
{
	sum->before_ns += calls->items[c].ns;
	weir_op_call_remove(draft, &calls->items[c]);
}

static void remove_padding(struct weir_draft *draft, const struct weir_op_calls *calls,
                           const struct padding *padding, struct weir_intervals *host,
                           struct weir_paddings *sum)
{
	for (size_t i = padding->first; i < padding->end; i++)
		remove_call(draft, calls, i, sum);
	note_host(calls, padding->op, host);
	sum->found++;
}

/* ---- heads ---- */

/* Queries, keys and values. */
#define INPUTS 3
/* Calls before attention among which these are padded: each is filled, copied and perhaps rotated.
 */
#define PADDED_WITHIN 12
/* Fused attention takes heads whose size is a multiple of 8 in 16 bits (FlashAttention, and cuDNN's
 * kernels); PyTorch pads others itself. */
#define HEAD_STEP 8

/* Fills the padded columns behind the others of a tensor of heads whose first call is `c`; false:
 * it is another call. */
static bool read_columns(const struct weir_op_calls *calls, size_t c, struct padding *out)
{
	const struct weir_arg *x;
	struct weir_args args;
	int64_t widths[WEIR_MAX_INTS];
	double value;
	size_t count;

	*out = (struct padding){.op = enclosing(calls, c, "aten::constant_pad_nd"), .first = c};
	if (out->op == WEIR_NONE || !weir_advisor_args(calls->advisor, out->op, &args) ||
	    !(x = weir_args_tensor(&args, 0)) || x->rank != 4 || x->dims[3] < 1 ||
	    x->dims[3] % HEAD_STEP != 0 || !weir_args_ints(&args, PAD_WIDTHS, widths, &count) ||
	    count < 2 || widths[0] != 0 || widths[1] < 1 || widths[1] > WEIR_MAX_DIM ||
	    !weir_args_number(&args, PAD_VALUE, &value) || value != 0)
		return false;
	for (size_t i = 2; i < count; i++)
		if (widths[i] != 0)
			return false;
	out->rows = x->dims[3];
	out->padded_rows = x->dims[3] + widths[1];
	out->elements = x->elements / (double)out->rows * (double)out->padded_rows;
	out->dtype = x->element.dtype;
	for (out->end = c + 1; out->end < calls->count; out->end++)
		if (enclosing(calls, out->end, "aten::constant_pad_nd") != out->op)
			break;
	return true;
}

/* Fills the paddings of the inputs of the attention at call `c`; false: an input is not padded, or
 * the result is not cut. */
static bool read_padded_heads(const struct weir_op_calls *calls, size_t c,
                              struct padding paddings[INPUTS])
{
	const struct weir_op_call *call = &calls->items[c];
	size_t found = 0, at = c > PADDED_WITHIN ? c - PADDED_WITHIN : 0;
	struct weir_args args;

	if (!strstr(weir_op_calls_name(calls, call), "attention") ||
	    !weir_op_calls_args(calls, call, &args))
		return false;
	for (; at < c; at++) {
		struct padding padding;

		if (!read_columns(calls, at, &padding))
			continue;
		/* Earlier ones belong to another attention. */
		if (found == INPUTS)
			memmove(&paddings[0], &paddings[1], --found * sizeof *paddings);
		paddings[found++] = padding;
		at = padding.end - 1;
	}
	if (found < INPUTS)
		return false;
	for (size_t i = 0; i < INPUTS; i++) {
		const struct weir_arg *arg = weir_args_tensor(&args, i);

		if (!arg || arg->rank != 4 || arg->elements != paddings[i].elements ||
		    arg->element.dtype != paddings[i].dtype ||
		    arg->dims[3] != paddings[i].padded_rows)
			return false;
	}
	return is_cut(calls, call->op,
	              args.items[0].elements / (double)paddings[0].padded_rows *
	                      (double)paddings[2].padded_rows,
	              &paddings[2]);
}

/* True if the call copies the cut result of attention from the order of heads to that of rows: in
 * that order fused kernels write it for queries that lie in it. */
static bool orders_rows(const struct weir_op_calls *calls, size_t c, const struct padding *query)
{
	const struct weir_arg *to, *from;
	struct weir_args args;

	if (c >= calls->count ||
	    strcmp(weir_op_calls_name(calls, &calls->items[c]), "copy_") != 0 ||
	    calls->items[c].transfers || !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(to = weir_args_tensor(&args, 0)) || !(from = weir_args_tensor(&args, 1)) ||
	    to->elements != from->elements || to->rank != 4 || to->dims[3] != query->rows ||
	    to->elements * (double)query->padded_rows != query->elements * (double)query->rows)
		return false;
	/* The source of the padded queries. */
	if (!weir_op_calls_args(calls, &calls->items[query->end - 1], &args) ||
	    !(from = weir_args_tensor(&args, 1)))
		return false;
	return from->rank == 4 && from->strided && from->strides[1] < from->strides[2];
}

/* Removes the columns of zeros behind heads that attention reads; it is taken to last as long. */
static void remove_of_heads(struct weir_draft *draft, const struct weir_op_calls *calls,
                            struct weir_intervals *host, struct weir_paddings *sum)
{
	for (size_t c = 0; c < calls->count; c++) {
		struct padding paddings[INPUTS];

		if (!read_padded_heads(calls, c, paddings))
			continue;
		for (size_t i = 0; i < INPUTS; i++)
			remove_padding(draft, calls, &paddings[i], host, sum);
		sum->of_heads += INPUTS;
		if (orders_rows(calls, c + 1, &paddings[0]))
			remove_call(draft, calls, c + 1, sum);
	}
}

void weir_paddings_remove(struct weir_draft *draft, const struct weir_op_calls *calls,
                          struct weir_paddings *sum)
{
	struct weir_intervals host = {0};
	struct padding padding;

	for (size_t c = 0; c < calls->count; c++) {
		if (!read_padding(calls, c, &padding))
			continue;
		if (is_needless(calls, &padding)) {
			remove_padding(draft, calls, &padding, &host, sum);
			sum->of_rows += padding.of_rows;
		}
		c = padding.end - 1;
	}
	remove_of_heads(draft, calls, &host, sum);
	weir_intervals_unite(&host);
	weir_host_spans_remove(draft, &host);
	weir_intervals_release(&host);
}

void weir_paddings_explain(struct weir_draft *draft, const struct weir_paddings *sum)
{
	if (sum->found > 0)
		weir_text_printf(
			&draft->basis, "%swithout %zu copies with a border of zeros (%.0f us): %s",
			draft->basis.length > 0 ? "; " : "", sum->found, sum->before_ns / 1e3,
			sum->of_rows == sum->found
				? "the products that read them take any number of rows"
			: sum->of_heads == sum->found
				? "the attention that reads them takes heads of this size"
				: "the convolutions that read them pad themselves");
}
