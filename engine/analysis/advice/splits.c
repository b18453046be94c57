/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/splits.h"

/*
 * Inductor divides a reduction among blocks if a row has more than 8192 elements and there are
 * fewer than two rows for each multiprocessor (torch/_inductor/choices.py,
 * reduction_split_factor). A sampler's 128 rows of 152,064 became 8 kernels with all reductions on
 * an H100, and the same program with 2,048 rows of 8,192 or 512 of 32,768 one kernel.
 */
#define LEAST_ROW   8192.0
#define ROWS_PER_SM 2.0

/* Returns the bytes of one result of a reduction. */
static double result_width(const char *name, double width)
{
	static const char *const places[] = {"argmax", "argmin", NULL};
	static const char *const both[] = {"max", "min", NULL};
	static const char *const flags[] = {"any", "all", NULL};
	const double place = 8;

	if (weir_op_is_one_of(name, places))
		return place;
	if (weir_op_is_one_of(name, flags))
		return 1;
	return weir_op_is_one_of(name, both) ? width + place : width;
}

/* Returns the number of rows that the call reduces; 0: not known, or it is no reduction. */
static double rows_of(const char *name, const struct weir_op_call *call,
                      const struct weir_args *args, double row_bytes)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	double written = call->work.bytes - weir_arg_bytes(x), width;

	if (!x)
		return 0;
	width = result_width(name, weir_summed_width(name, args, x));
	if (call->family == WEIR_FAMILY_REDUCE)
		return fmax(1, floor(written / width + 0.5));
	if (call->family != WEIR_FAMILY_NORM && call->family != WEIR_FAMILY_SOFTMAX)
		return 0;
	/* A trained model has the statistics of batches already. */
	return row_bytes > 0 && !strstr(name, "batch_norm") ? weir_arg_bytes(x) / row_bytes : 0;
}

double weir_splits_row(const char *name, const struct weir_op_call *call,
                       const struct weir_args *args, double row_bytes)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	double rows = rows_of(name, call, args, row_bytes);

	return x && rows > 0 ? x->elements / rows : 0;
}

bool weir_splits_columns(const struct weir_op_call *call, const struct weir_args *args)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	int64_t dims[WEIR_MAX_INTS];
	size_t count;

	/* sum(x, dims, ...) */
	if (call->family != WEIR_FAMILY_REDUCE || !x || !weir_args_ints(args, 1, dims, &count))
		return false;
	for (size_t i = 0; i < count; i++)
		if (dims[i] == -1 || dims[i] == x->rank - 1)
			return false;
	return count > 0;
}

bool weir_splits_few(const struct weir_advisor *advisor, double rows, double elements)
{
	double sms = advisor->peaks ? advisor->peaks->sms : 0;

	return rows < ROWS_PER_SM * sms && elements > LEAST_ROW;
}

bool weir_splits_rows(const struct weir_advisor *advisor, const char *name,
                      const struct weir_op_call *call, const struct weir_args *args,
                      double row_bytes)
{
	const struct weir_arg *x = weir_args_tensor(args, 0);
	double rows;

	if (!x || !(x->elements > 0))
		return false;
	rows = rows_of(name, call, args, row_bytes);
	return rows > 0 && weir_splits_few(advisor, rows, x->elements / rows);
}

void weir_splits_read(struct weir_splits *splits, double bytes)
{
	splits->outside_bytes += bytes;
}

/* Returns the time of the pass that reduces. Norms read their rows again and write as many; see
 * weir_reuse. */
static double reducing_ns(const struct weir_op_call *call, double rows_bytes)
{
	if (call->family == WEIR_FAMILY_REDUCE)
		return call->ns;
	return call->ns * rows_bytes / (rows_bytes + call->work.bytes);
}

void weir_splits_reduce(struct weir_splits *splits, const struct weir_op_call *call,
                        double rows_bytes, double stream_rate, bool made, bool columns)
{
	double bytes = splits->outside_bytes + (splits->open ? rows_bytes : 0);
	double more = fmax(0, bytes - rows_bytes), share = fmin(1, bytes / rows_bytes);
	double own_ns;

	splits->calls++;
	splits->made |= made;
	splits->rows_bytes = rows_bytes;
	if (!(bytes > 0) || !(rows_bytes > 0) || !(stream_rate > 0))
		return; /* another statistic of the same rows */
	if (splits->kernels++ == 0)
		splits->first_bytes = bytes;
	splits->bytes += bytes;
	own_ns = columns ? 0 : reducing_ns(call, rows_bytes);
	splits->ns += fmax(bytes / stream_rate * 1e9, share * own_ns + more / stream_rate * 1e9);
	splits->outside_bytes = 0;
	splits->open = false;
}

void weir_splits_follow(struct weir_splits *splits)
{
	splits->open = splits->kernels > 0;
}

/* The kernel that joins what the blocks found took 1.2 to 1.5 us. */
#define JOIN_NS 1300.0

double weir_splits_ns(const struct weir_splits *splits)
{
	return splits->ns + (double)splits->calls * JOIN_NS;
}

/* A divided reduction goes through its rows in another order than pointwise operators, with which
 * it is not fused: another kernel writes rows that several kernels need, from what the first
 * reduction has read. */
static double kept_bytes(const struct weir_splits *splits)
{
	bool several = splits->open || splits->kernels > 1 || splits->stored;

	return several && splits->made ? splits->first_bytes + splits->rows_bytes : 0;
}

double weir_splits_rest(const struct weir_splits *splits)
{
	return splits->outside_bytes + (splits->open ? splits->rows_bytes : 0) + kept_bytes(splits);
}
