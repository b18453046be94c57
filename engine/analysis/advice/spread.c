/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/advice/spread.h"

/* Calls before a copy among which the one that wrote its source is sought. */
#define WRITTEN_WITHIN 16
/* The most elements of an operand that is repeated to a result, as a share of the result: to turn
 * the operand takes no more than this share of the time to turn the result. */
#define SPREAD_SHARE 0.125

/* Returns the share that the largest operand has of the elements of the call's result, which
 * repeats its operands in some dimensions; 1: it writes a tensor of another size or type. */
static double spread_share(const struct weir_args *args, double elements, enum weir_dtype dtype)
{
	int64_t dims[WEIR_MAX_RANK] = {0}; /* from the last one */
	double largest = 0, written = 1;

	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg)
			continue;
		if (arg->element.dtype != dtype)
			return 1;
		largest = fmax(largest, arg->elements);
		for (int d = 0; d < arg->rank; d++)
			if (arg->dims[arg->rank - 1 - d] > dims[d])
				dims[d] = arg->dims[arg->rank - 1 - d];
	}
	for (int d = 0; d < WEIR_MAX_RANK; d++)
		written *= dims[d] > 0 ? (double)dims[d] : 1;
	return written == elements ? largest / elements : 1;
}

size_t weir_arguments_like(const struct weir_args *args, double elements, enum weir_dtype dtype)
{
	size_t alike = 0;

	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		alike += arg && arg->elements == elements && arg->element.dtype == dtype;
	}
	return alike;
}

double weir_spread_before(const struct weir_op_calls *calls, size_t copy, double elements,
                          enum weir_dtype dtype)
{
	for (size_t back = 1; back <= WRITTEN_WITHIN && back <= copy; back++) {
		const struct weir_op_call *call = &calls->items[copy - back];
		struct weir_args args;
		double share;

		if (call->family != WEIR_FAMILY_ELEMENTWISE ||
		    !weir_op_calls_args(calls, call, &args))
			return 1;
		share = spread_share(&args, elements, dtype);
		if (share <= SPREAD_SHARE)
			return share;
		if (weir_arguments_like(&args, elements, dtype) != 1)
			return 1;
	}
	return 1;
}

/* Elements a second that a multiprocessor adds by the index of each, as sums of repeated tensors
 * and of tensors in different layouts need it: 0.28 to 0.37e12 on the 132 of an H100. */
#define INDEXED_PER_SM 2.6e9

double weir_indexed_ns(const struct weir_advisor *advisor, double elements)
{
	if (!advisor->peaks || advisor->peaks->sms == 0)
		return NAN;
	return elements / (INDEXED_PER_SM * advisor->peaks->sms) * 1e9;
}
