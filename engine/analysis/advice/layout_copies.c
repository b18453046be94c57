/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/layout_copies.h"
#include "engine/analysis/advice/transfers.h"

/* Operators that a program calls in order to copy, and those that they call. */
static const char *const copying[] = {"contiguous",
                                      "clone",
                                      "reshape",
                                      "flatten",
                                      "copy_",
                                      "repeat",
                                      "repeat_interleave",
                                      "expand",
                                      "expand_copy",
                                      "unflatten",
                                      "to",
                                      "_to_copy",
                                      NULL};

bool weir_layout_copies(const char *name)
{
	return weir_op_is_one_of(weir_op_plain_name(name), copying);
}

/* True if only copying operators enclose the call, and not just `copy_`, which writes to a tensor
 * that exists already. */
static bool is_explicit(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        bool expanded)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	bool found = false;

	for (uint32_t row = call->op; row != WEIR_NONE; row = timeline->parent[row]) {
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));

		if (!*name)
			continue;
		/* A product repeats the elements of an expanded matrix by itself. */
		if (!weir_op_is_one_of(name, copying) && !(expanded && !strcmp(name, "matmul")))
			return false;
		found |= strcmp(name, "copy_") != 0;
	}
	return found;
}

/* True if the arguments of a view exchange the last two dimensions. */
static bool exchanges_last(const char *name, const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t a, b, order[WEIR_MAX_INTS];
	size_t count;

	if (!x || x->rank < 2)
		return false;
	if (strcmp(name, "t") == 0)
		return true;
	if (strcmp(name, "transpose") == 0) {
		if (!weir_args_int(args, 1, &a) || !weir_args_int(args, 2, &b))
			return false;
		a += a < 0 ? x->rank : 0;
		b += b < 0 ? x->rank : 0;
		return a != b && a >= x->rank - 2 && b >= x->rank - 2;
	}
	return weir_args_ints(args, 1, order, &count) && count >= 2 &&
	       order[count - 1] == (int64_t)count - 2 && order[count - 2] == (int64_t)count - 1;
}

/* True if the arguments of a view leave the last dimension in its place. */
static bool keeps_last(const char *name, const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t a, b, order[WEIR_MAX_INTS];
	size_t count;

	if (!x || x->rank < 2 || strcmp(name, "t") == 0)
		return false;
	if (strcmp(name, "transpose") == 0) {
		if (!weir_args_int(args, 1, &a) || !weir_args_int(args, 2, &b))
			return false;
		a += a < 0 ? x->rank : 0;
		b += b < 0 ? x->rank : 0;
		return a != x->rank - 1 && b != x->rank - 1;
	}
	return weir_args_ints(args, 1, order, &count) && count >= 2 &&
	       (order[count - 1] == (int64_t)count - 1 || order[count - 1] == -1);
}

/* Fills the order of dimensions that the arguments of a view give; false: not known. */
static bool read_order(const char *name, const struct weir_args *args, int order[WEIR_MAX_RANK])
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t a = 0, b = 1, dims[WEIR_MAX_INTS];
	size_t count;

	if (!x)
		return false;
	if (strcmp(name, "permute") == 0) {
		if (!weir_args_ints(args, 1, dims, &count) || (int)count != x->rank)
			return false;
		for (size_t i = 0; i < count; i++)
			order[i] = (int)(dims[i] + (dims[i] < 0 ? x->rank : 0));
		return true;
	}
	if (strcmp(name, "transpose") == 0 &&
	    (!weir_args_int(args, 1, &a) || !weir_args_int(args, 2, &b)))
		return false;
	a += a < 0 ? x->rank : 0;
	b += b < 0 ? x->rank : 0;
	if (a < 0 || a >= x->rank || b < 0 || b >= x->rank)
		return false;
	for (int d = 0; d < x->rank; d++)
		order[d] = d == a ? (int)b : d == b ? (int)a : d;
	return true;
}

/* PyTorch's code of the format that a tensor has already. */
#define PRESERVED 1

/* Returns the code of the memory format, the last argument of to() and contiguous(); -1: the
 * program asks for none. */
static int64_t format_of(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const names[] = {"to", "contiguous", "clone", NULL};
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	uint32_t outer = weir_timeline_outermost_op(timeline, call->op);
	struct weir_args args;
	int64_t code;

	if (outer == WEIR_NONE ||
	    !weir_op_is_one_of(weir_op_plain_name(weir_timeline_host_name(timeline, outer)),
	                       names) ||
	    !weir_advisor_args(calls->advisor, outer, &args) || args.count < 2 ||
	    !weir_args_int(&args, args.count - 1, &code) || code == PRESERVED)
		return -1;
	return code;
}

/* Rows of the host before a copy among which the view that it copies is sought. */
#define VIEW_WITHIN 32

/* Returns the layout by the last view of as many elements before the copy, with its order, and
 * whether that leaves rows whole. */
static enum weir_layout layout_by_view(const struct weir_op_calls *calls,
                                       const struct weir_op_call *call, double elements,
                                       struct weir_layout_copy *out)
{
	static const char *const views[] = {"transpose", "permute", "t", NULL};
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const uint32_t *thread = timeline->trace->host.thread;
	uint32_t outer = weir_timeline_outermost_op(timeline, call->op);

	for (uint32_t back = 1; back <= VIEW_WITHIN && back <= outer; back++) {
		uint32_t row = outer - back;
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		struct weir_args args;

		if (thread[row] != thread[outer])
			break;
		if (weir_op_is_one_of(name, views) &&
		    weir_advisor_args(calls->advisor, row, &args) &&
		    args.items[0].elements == elements) {
			out->whole_rows = keeps_last(name, &args);
			out->has_order = args.items[0].rank == out->rank &&
			                 read_order(name, &args, out->order);
			return exchanges_last(name, &args) ? WEIR_LAYOUT_TRANSPOSED
			                                   : WEIR_LAYOUT_PERMUTED;
		}
	}
	return WEIR_LAYOUT_PERMUTED;
}

/* Returns the layout of the source. The library copies elements of the same layout with wide
 * accesses, or lets the driver copy them. */
static enum weir_layout layout_of(const struct weir_op_calls *calls,
                                  const struct weir_op_call *call, const struct weir_arg *from,
                                  struct weir_layout_copy *out)
{
	const struct weir_job *job = &calls->advisor->program.jobs[call->longest_job];
	const char *kernel = weir_advisor_kernel(calls->advisor, job);

	if (from->overlaps)
		return WEIR_LAYOUT_WINDOWS;
	if (from->distinct < from->elements)
		return WEIR_LAYOUT_EXPANDED;
	if (calls->advisor->program.rank->trace->device.kind[job->row] != WEIR_DEVICE_KERNEL ||
	    strstr(kernel, "vectorized_elementwise_kernel"))
		return WEIR_LAYOUT_PLAIN;
	return layout_by_view(calls, call, from->elements, out);
}

/* Fills a copy that aten::repeat_interleave makes by an index; false: the call is not one. */
static bool repeated_of(const struct weir_op_calls *calls, size_t c, struct weir_layout_copy *out)
{
	const struct weir_op_call *call = &calls->items[c];
	uint32_t outer =
		weir_timeline_outermost_op(&calls->advisor->program.rank->timeline, call->op);
	int64_t times;
	struct weir_args args;

	if (strcmp(weir_op_calls_name(calls, call), "index_select") != 0 ||
	    !weir_op_calls_within(calls, call, "aten::repeat_interleave") ||
	    !weir_advisor_args(calls->advisor, outer, &args) || !weir_args_tensor(&args, 0) ||
	    !weir_args_int(&args, 1, &times) || times < 2)
		return false;
	*out = (struct weir_layout_copy){.call = c,
	                                 .layout = WEIR_LAYOUT_EXPANDED,
	                                 .elements = args.items[0].elements * (double)times,
	                                 .dtype = args.items[0].element.dtype,
	                                 .format = -1};
	out->extra_bytes = (out->elements - args.items[0].elements) * args.items[0].element.width;
	return true;
}

/* Fills a copy of the columns of rows in the order of an index, as many as there are; false: the
 * call is not one. */
static bool columns_of(const struct weir_op_calls *calls, size_t c, struct weir_layout_copy *out)
{
	const struct weir_op_call *call = &calls->items[c];
	const struct weir_arg *x, *index;
	struct weir_args args;
	int64_t dim;

	if (strcmp(weir_op_calls_name(calls, call), "index_select") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || !(x = weir_args_tensor(&args, 0)) ||
	    !weir_args_int(&args, 1, &dim) || !(index = weir_args_tensor(&args, 2)) ||
	    x->rank < 2 || (dim != -1 && dim != x->rank - 1) ||
	    index->elements != (double)x->dims[x->rank - 1])
		return false;
	*out = (struct weir_layout_copy){.call = c,
	                                 .layout = WEIR_LAYOUT_COLUMNS,
	                                 .elements = x->elements,
	                                 .dtype = x->element.dtype,
	                                 .rank = x->rank,
	                                 .format = -1};
	memcpy(out->dims, x->dims, sizeof out->dims);
	return true;
}

/* Share of the rows that a range takes at least; positions of few rows are a choice. */
#define RANGE_SHARE 0.5

/* True if the step chooses positions, or copies as many of them to the device: they differ from
 * step to step. */
static bool chooses_positions(const struct weir_op_calls *calls, double count)
{
	static const char *const choosing[] = {"topk",    "sort",          "argsort", "nonzero",
	                                       "argmax",  "multinomial",   "randint", "randperm",
	                                       "random_", "masked_select", NULL};

	for (size_t c = 0; c < calls->count; c++) {
		const struct weir_op_call *call = &calls->items[c];
		struct weir_transfer copy = weir_transfer_of(
			calls->advisor, &calls->advisor->program.jobs[call->longest_job]);

		if (weir_op_is_one_of(weir_op_calls_name(calls, call), choosing) ||
		    (copy.way == WEIR_TRANSFER_UP && copy.bytes == 8 * count))
			return true;
	}
	return false;
}

/* Returns the dimension that the only positions of an indexing call take rows of, with their
 * number; -1: not known. PyTorch shapes the positions as the result, with sizes of 1 elsewhere. */
static int indexed_dim(const struct weir_op_calls *calls, const struct weir_op_call *call, int rank,
                       int64_t *count)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	const struct weir_host_columns *host = &timeline->trace->host;
	int found = -1;

	for (uint32_t row = call->op + 1;
	     row < host->count && host->thread[row] == host->thread[call->op] &&
	     host->start_ns[row] < host->end_ns[call->op];
	     row++) {
		int64_t shape[WEIR_MAX_INTS];
		struct weir_args args;
		size_t dims;

		if (strcmp(weir_timeline_host_name(timeline, row), "aten::reshape") != 0)
			continue;
		if (found >= 0 || !weir_advisor_args(calls->advisor, row, &args) ||
		    !weir_args_tensor(&args, 0) || args.items[0].rank != 1 ||
		    !weir_args_ints(&args, 1, shape, &dims) || (int)dims != rank)
			return -1;
		*count = args.items[0].dims[0];
		for (int d = 0; d < rank; d++) {
			if (shape[d] == 1)
				continue;
			if (found >= 0 || shape[d] != *count)
				return -1;
			found = d;
		}
	}
	return found;
}

/* Fills a copy of rows at positions that are the same in each step, most rows of each entry of a
 * batch: they are taken to be a range, of which a slice is a view. False: the call is not one. */
static bool range_of(const struct weir_op_calls *calls, size_t c, struct weir_layout_copy *out)
{
	const struct weir_op_call *call = &calls->items[c];
	const struct weir_arg *x;
	struct weir_args args;
	int64_t count = 0;
	int dim;

	if (strcmp(weir_op_calls_name(calls, call), "index") != 0 ||
	    !weir_op_calls_args(calls, call, &args) || !(x = weir_args_tensor(&args, 0)))
		return false;
	dim = indexed_dim(calls, call, x->rank, &count);
	if (dim < 1 || dim == x->rank - 1 || count > x->dims[dim] ||
	    (double)count < RANGE_SHARE * (double)x->dims[dim] ||
	    chooses_positions(calls, (double)count))
		return false;
	*out = (struct weir_layout_copy){.call = c,
	                                 .layout = WEIR_LAYOUT_SLICED,
	                                 .elements =
	                                         x->elements / (double)x->dims[dim] * (double)count,
	                                 .dtype = x->element.dtype,
	                                 .rank = x->rank,
	                                 .format = -1};
	memcpy(out->dims, x->dims, sizeof out->dims);
	out->dims[dim] = count;
	return true;
}

bool weir_layout_copy_read(const struct weir_op_calls *calls, size_t c,
                           struct weir_layout_copy *out)
{
	const struct weir_op_call *call = &calls->items[c];
	const struct weir_arg *to, *from;
	struct weir_args args;

	if (repeated_of(calls, c, out) || columns_of(calls, c, out) || range_of(calls, c, out))
		return true;
	if (call->transfers || strcmp(weir_op_calls_name(calls, call), "copy_") != 0 ||
	    !weir_op_calls_args(calls, call, &args))
		return false;
	to = weir_args_tensor(&args, 0);
	from = weir_args_tensor(&args, 1);
	if (!to || !from || to->elements != from->elements ||
	    to->element.dtype != from->element.dtype)
		return false;
	*out = (struct weir_layout_copy){
		.call = c, .elements = to->elements, .dtype = to->element.dtype, .rank = to->rank};
	out->layout = layout_of(calls, call, from, out);
	memcpy(out->dims, to->dims, sizeof out->dims);
	out->format = format_of(calls, call);
	out->extra_bytes = (from->elements - from->distinct) * from->element.width;
	return is_explicit(calls, call, out->layout == WEIR_LAYOUT_EXPANDED);
}

bool weir_layout_copy_reformats(const struct weir_layout_copy *first,
                                const struct weir_layout_copy *second)
{
	return first->format >= 0 && second->format >= 0 && first->format != second->format &&
	       first->rank == second->rank &&
	       memcmp(first->dims, second->dims, sizeof first->dims) == 0;
}

double weir_layout_copy_permuted(const struct weir_layout_copy *copy, double *inner)
{
	int first = 0, last = copy->rank - 1;
	double entries = 1;

	if (copy->layout == WEIR_LAYOUT_COLUMNS) {
		*inner = 1;
		return (double)copy->dims[last];
	}
	if (!copy->has_order)
		return 0;
	while (first < copy->rank && copy->order[first] == first)
		first++;
	while (last > first && copy->order[last] == last)
		last--;
	*inner = 1;
	for (int d = last + 1; d < copy->rank; d++)
		*inner *= (double)copy->dims[d];
	for (int d = first; d <= last; d++)
		entries *= (double)copy->dims[d];
	return last > first ? entries : 0;
}
