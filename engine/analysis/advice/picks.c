/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/gaps.h"
#include "engine/analysis/advice/picks.h"

/* Host rows inside of index() among which its views are sought. */
#define VIEWS_WITHIN 32

/* The elements of the result, and the numbers that the call reads. */
struct picked {
	double elements;
	const struct weir_arg *numbers;
	double numbers_bytes;
};

/* gather(x, dim, index), index_select(x, dim, index), embedding(x, index) */
static bool pick_by_one(const char *name, const struct weir_args *args, struct picked *out)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	bool rows = strcmp(name, "embedding") == 0, each = strcmp(name, "gather") == 0;
	int64_t dim = 0;

	if (!rows && !each && strcmp(name, "index_select") != 0)
		return false;
	out->numbers = weir_args_tensor(args, rows ? 1 : 2);
	if (!out->numbers || (!rows && !each && !weir_args_int(args, 1, &dim)))
		return false;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] <= 0)
		return false;
	out->elements = out->numbers->elements;
	if (!each)
		out->elements *= x->elements / (double)x->dims[dim];
	out->numbers_bytes = weir_arg_bytes(out->numbers);
	return true;
}

/* index(x, [numbers, ...]): its list of tensors is not recorded. It takes a view of x with the
 * sizes of the result, and turns the numbers to these sizes before. */
static bool pick_by_list(const struct weir_op_calls *calls, const struct weir_op_call *call,
                         struct picked *out)
{
	const struct weir_timeline *timeline = &calls->advisor->program.rank->timeline;
	size_t rows = timeline->trace->host.count;
	uint32_t row = call->op + 1;

	for (; row < rows && row <= call->op + VIEWS_WITHIN && timeline->parent[row] == call->op;
	     row++) {
		const char *name = weir_op_plain_name(weir_timeline_host_name(timeline, row));
		int64_t sizes[WEIR_MAX_INTS];
		struct weir_args args;
		size_t count;

		if (!weir_advisor_args(calls->advisor, row, &args))
			continue;
		if (strcmp(name, "reshape") == 0) {
			out->numbers_bytes += weir_arg_bytes(weir_args_tensor(&args, 0));
		} else if (strcmp(name, "as_strided") == 0 && !(out->elements > 0) &&
		           weir_args_ints(&args, 1, sizes, &count)) {
			out->elements = 1;
			for (size_t i = 0; i < count; i++)
				out->elements *= (double)sizes[i];
		}
	}
	return out->elements > 0;
}

bool weir_picks_of(const struct weir_op_calls *calls, const struct weir_op_call *call,
                   const char *name, const struct weir_args *args, struct weir_fusible *out)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	struct picked picked = {0};

	if (!x || !(x->element.width > 0))
		return false;
	if (strcmp(name, "index") == 0 ? !pick_by_list(calls, call, &picked)
	                               : !pick_by_one(name, args, &picked))
		return false;
	*out = (struct weir_fusible){.picks = true, .elements = picked.elements, .in_count = 1};
	out->out_bytes = picked.elements * x->element.width;
	out->in[0] = weir_arg_bytes(x);
	out->arg[0] = *x;
	out->gap[0] = weir_gap_form(x);
	if (picked.numbers_bytes > 0) {
		out->in[1] = picked.numbers_bytes;
		if (picked.numbers)
			out->arg[1] = *picked.numbers;
		out->gap[1] = picked.numbers ? weir_gap_form(picked.numbers) : 0;
		out->in_count = 2;
	}
	return out->out_bytes > 0 && out->in[0] > 0 && isfinite(out->out_bytes);
}
