/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/unbound.h"

/* Host rows before a loop among which the tensor is taken apart: one for each part, and more. */
#define UNBOUND_WITHIN 1024

static int64_t rounded_up(int64_t a, int64_t b)
{
	return a / b + (a % b != 0);
}

/* Returns the number of entries of a list, as of "[214, 213]"; 0: not recorded, or no list. */
static int64_t listed(const struct weir_args *args, size_t index)
{
	const struct weir_arg *arg = index < args->count ? &args->items[index] : NULL;
	int64_t count = 1;

	if (!args->has_scalars || !arg || !arg->scalar || arg->scalar_len < 3 ||
	    arg->scalar[0] != '[')
		return 0;
	for (size_t i = 0; i < arg->scalar_len; i++)
		count += arg->scalar[i] == ',';
	return count;
}

/* Returns the chunks into which split(self, size) or chunk(self, parts) takes rows apart, and
 * stores their elements; 0: not recorded, or parts of each row, such as gates and heads. */
static int64_t chunks_of(const struct weir_args *args, const struct weir_arg *x, int64_t dim,
                         bool splits, double *elements)
{
	int64_t size, parts;

	if (dim != 0 || !weir_args_int(args, 1, &size) || size < 1 || size > x->dims[0])
		return 0;
	size = splits ? size : rounded_up(x->dims[0], size);
	parts = rounded_up(x->dims[0], size);
	*elements = x->elements / (double)x->dims[0] * (double)size;
	return parts;
}

/* Operators that take tensors apart. */
enum apart {
	UNBIND, /* (self, dim) */
	LISTED, /* split_with_sizes(self, sizes, dim) */
	SPLIT,  /* (self, size, dim) */
	CHUNK,  /* (self, parts, dim) */
	APART_COUNT
};

static enum apart apart_of(const struct weir_timeline *timeline, uint32_t row)
{
	static const char *const names[APART_COUNT] = {"unbind", "split_with_sizes", "split",
	                                               "chunk"};
	const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
	int apart = UNBIND;

	while (apart < APART_COUNT && strcmp(name, names[apart]) != 0)
		apart++;
	return (enum apart)apart;
}

/* Returns the parts of at least WEIR_LEAST_SLICE elements into which the row takes a tensor apart;
 * 0: it does not. *elements: those of a part; NAN: any. */
static int64_t parts_of(const struct weir_op_calls *calls, uint32_t row, double *elements)
{
	enum apart apart = apart_of(&calls->advisor->program.rank->timeline, row);
	const struct weir_arg *x;
	struct weir_args args;
	int64_t dim = 0, parts;

	if (apart == APART_COUNT || !weir_advisor_args(calls->advisor, row, &args) ||
	    !(x = weir_args_tensor(&args, 0)))
		return 0;
	weir_args_int(&args, apart == UNBIND ? 1 : 2, &dim);
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] < 1)
		return 0;
	*elements = NAN;
	if (apart == UNBIND)
		parts = x->dims[dim];
	else if (apart == LISTED)
		parts = listed(&args, 1);
	else
		parts = chunks_of(&args, x, dim, apart == SPLIT, elements);
	return parts > 0 && x->elements / (double)parts >= WEIR_LEAST_SLICE ? parts : 0;
}

/* True if the call reads a tensor with this number of elements; NAN: any. */
static bool reads_elements(const struct weir_op_calls *calls, const struct weir_op_call *call,
                           double elements)
{
	struct weir_args args;

	if (isnan(elements))
		return true;
	if (!weir_op_calls_args(calls, call, &args))
		return false;
	for (size_t i = 0; i < args.count; i++)
		if (weir_args_tensor(&args, i) && args.items[i].elements == elements)
			return true;
	return false;
}

const struct weir_arg *weir_loop_input(const struct weir_op_calls *calls,
                                       const struct weir_op_call *call, struct weir_args *args)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	static const char *const adding[] = {"addmm", "addbmm", "baddbmm", "addmv", NULL};
	uint32_t row = call->op;

	if (!weir_op_calls_looks_up(calls, call)) {
		bool adds = weir_op_is_one_of(weir_op_calls_name(calls, call), adding);

		return weir_op_calls_args(calls, call, args) ? weir_args_tensor(args, adds) : NULL;
	}
	while (row != WEIR_NONE &&
	       strcmp(weir_timeline_host_name(timeline, row), "aten::embedding") != 0)
		row = timeline->parent[row];
	/* embedding(weight, indices, ...) */
	return row != WEIR_NONE && weir_advisor_args(calls->advisor, row, args)
	               ? weir_args_tensor(args, 1)
	               : NULL;
}

bool weir_loop_is_unbound(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	const uint32_t *thread = calls->advisor->program.rank->trace->host.thread;
	uint32_t row = first->op;
	double elements = NAN;

	for (uint32_t back = 1; back <= UNBOUND_WITHIN && back <= row; back++) {
		if (thread[row - back] != thread[row])
			return false;
		if (parts_of(calls, row - back, &elements) == (int64_t)loop->turns &&
		    reads_elements(calls, first, elements))
			return true;
	}
	return false;
}
