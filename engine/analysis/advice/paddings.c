/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/paddings.h"

/* Calls behind the copy among which its convolution is sought; a result is used soon. */
#define USED_WITHIN 8
/* Arguments of aten::constant_pad_nd. */
#define PAD_WIDTHS 1
#define PAD_VALUE  2

/* A tensor with a border of zeros, and the calls that write it. */
struct padding {
	uint32_t op;       /* host row of aten::constant_pad_nd */
	size_t first, end; /* calls */
	double elements;   /* with the border */
	enum weir_dtype dtype;
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

/* Fills the padded tensor whose first call is `c`; false: it is another call. */
static bool read_padding(const struct weir_op_calls *calls, size_t c, struct padding *out)
{
	struct weir_args args;

	*out = (struct padding){.op = enclosing(calls, c, "aten::constant_pad_nd"), .first = c};
	if (out->op == WEIR_NONE || !weir_advisor_args(calls->advisor, out->op, &args) ||
	    !read_border(&args, out))
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

/* True if a convolution is the first call behind the copy that reads a tensor of its size, and no
 * other one does before the next such copy. */
static bool is_convolved(const struct weir_op_calls *calls, const struct padding *padding)
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
			if (!convolves(weir_op_calls_name(calls, call)))
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

void weir_paddings_remove(struct weir_draft *draft, const struct weir_op_calls *calls,
                          struct weir_paddings *sum)
{
	struct weir_intervals host = {0};
	struct padding padding;

	for (size_t c = 0; c < calls->count; c++) {
		if (!read_padding(calls, c, &padding))
			continue;
		if (is_convolved(calls, &padding)) {
			for (size_t i = padding.first; i < padding.end; i++) {
				sum->before_ns += calls->items[i].ns;
				weir_op_call_remove(draft, &calls->items[i]);
			}
			note_host(calls, padding.op, &host);
			sum->found++;
		}
		c = padding.end - 1;
	}
	weir_intervals_unite(&host);
	weir_host_spans_remove(draft, &host);
	weir_intervals_release(&host);
}

void weir_paddings_explain(struct weir_draft *draft, const struct weir_paddings *sum)
{
	if (sum->found > 0)
		weir_text_printf(&draft->basis,
		                 "%swithout %zu copies with a border of zeros (%.0f us): the "
		                 "convolutions that read them pad themselves",
		                 draft->basis.length > 0 ? "; " : "", sum->found,
		                 sum->before_ns / 1e3);
}
