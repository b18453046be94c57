/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/dependence.h"
#include "engine/analysis/advice/transfers.h"

/* Returns the elements of a convolution's result: each takes a product and a sum for each weight of
 * its channel; NAN: not known. */
static double convolved_by(const struct weir_op_call *call, const struct weir_args *args)
{
	const struct weir_arg *weights = weir_args_tensor(args, 1);

	if (!weights || weights->rank < 3 || !(weights->elements > 0))
		return NAN;
	return call->work.flops / 2 / (weights->elements / (double)weights->dims[0]);
}

double weir_loop_written_by(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	const char *name = weir_op_calls_name(calls, call);
	double elements = 0;
	struct weir_args args;

	if (call->work.product && call->work.reuse.batch > 0)
		return call->work.reuse.m * call->work.reuse.n * call->work.reuse.batch;
	if (!weir_op_calls_args(calls, call, &args))
		return NAN;
	if (call->work.product && strstr(name, "conv") && !strstr(name, "transpose"))
		return convolved_by(call, &args);
	for (size_t i = 0; i < args.count; i++) /* a list is joined to one tensor */
		if (weir_args_tensor(&args, i) || args.items[i].list_count > 0)
			elements = fmax(elements, args.items[i].elements);
	return elements;
}

bool weir_loop_chooses(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	static const char *const names[] = {"argmax",      "argmin", "max",  "min",
	                                    "multinomial", "topk",   "sort", NULL};

	return call->family == WEIR_FAMILY_SORT ||
	       weir_op_is_one_of(weir_op_calls_name(calls, call), names);
}

/* True if the name has the word "sample" for drawing at random, not for changing a size. */
static bool samples(const char *name)
{
	static const char *const sizes[] = {"upsampl",   "Upsampl",   "UpSampl", "downsampl",
	                                    "Downsampl", "DownSampl", "resampl", "grid_sampl",
	                                    "GridSampl", NULL};

	for (size_t i = 0; sizes[i]; i++)
		if (strstr(name, sizes[i]))
			return false;
	return strstr(name, "sampl") || strstr(name, "Sampl");
}

/* True if the operator adds or multiplies values up: a prefix sum chooses nothing. */
static bool accumulates(const char *op)
{
	static const char *const names[] = {"cumsum", "cumprod", "logcumsumexp", NULL};

	return weir_op_is_one_of(weir_op_plain_name(op), names);
}

/* True if the kernel chooses a token, which the next run of a decoder reads. */
static bool chooses(const struct weir_advisor *advisor, const struct weir_job *job)
{
	static const char *const words[] = {"ArgMax", "argmax", "multinomial", NULL};
	const char *kernel = weir_advisor_kernel(advisor, job);
	const char *op = weir_advisor_op(advisor, job);

	if (weir_advisor_family(advisor, job) == WEIR_FAMILY_SORT && !accumulates(op))
		return true;
	if (samples(kernel) || samples(op))
		return true;
	for (size_t i = 0; words[i]; i++)
		if (strstr(kernel, words[i]) || strstr(op, words[i]))
			return true;
	return false;
}

bool weir_call_chooses(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	for (uint32_t j = call->first_job; j < call->end_job; j++)
		if (chooses(calls->advisor, &calls->advisor->program.jobs[j]))
			return true;
	return false;
}

/* Returns the elements in which the call chooses one of a row, or k of it; NAN: not known. */
static double choices_of(const struct weir_args *args, const char *name)
{
	static const char *const ones[] = {"argmax", "argmin", "max", "min", NULL};
	const struct weir_arg *x = weir_args_tensor(args, 0);
	bool k_first = strcmp(name, "topk") == 0 || strcmp(name, "multinomial") == 0;
	int64_t dim = -1, k = 1;

	if (!x || (k_first && (!weir_args_int(args, 1, &k) || k < 1)))
		return NAN;
	if (strcmp(name, "sort") == 0)
		return x->elements;
	if (!k_first && !weir_op_is_one_of(name, ones))
		return NAN;
	if (!weir_args_int(args, k_first ? 2 : 1, &dim) && !k_first)
		return args->has_scalars && !weir_args_tensor(args, 1) ? 1 : NAN;
	dim += dim < 0 ? x->rank : 0;
	if (dim < 0 || dim >= x->rank || x->dims[dim] < 1)
		return NAN;
	return x->elements / (double)x->dims[dim] * (double)k;
}

/* Returns the numbers that a call which chooses writes; NAN: not known. */
static double chosen_by(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	struct weir_args args;

	return weir_op_calls_args(calls, call, &args)
	               ? choices_of(&args, weir_op_calls_name(calls, call))
	               : NAN;
}

/* Returns the rows that the call takes from a table by a list of indices, which recorders leave
 * out: those of the next tensor with such rows; NAN: not known. */
static double rows_taken(const struct weir_op_calls *calls, const struct weir_op_call *call,
                         const struct weir_op_call *end)
{
	const struct weir_arg *table, *rows;
	struct weir_args args;
	int64_t length;

	if (!weir_op_calls_args(calls, call, &args) || !(table = weir_args_tensor(&args, 0)) ||
	    table->rank < 2)
		return NAN;
	length = table->dims[table->rank - 1];
	while (++call < end)
		for (size_t i = 0; weir_op_calls_args(calls, call, &args) && i < args.count; i++)
			if ((rows = weir_args_tensor(&args, i)) && length > 0 &&
			    rows->dims[rows->rank - 1] == length)
				return rows->elements / (double)length;
	return NAN;
}

/* True if the call, of a turn that ends before `end`, may read as many integers as `count`. */
static bool may_read_integers(const struct weir_op_calls *calls, const struct weir_op_call *call,
                              const struct weir_op_call *end, double count)
{
	struct weir_args args;
	double rows;

	if (strcmp(weir_op_calls_name(calls, call), "index") == 0) {
		rows = rows_taken(calls, call, end);
		return isnan(rows) || rows == count;
	}
	if (!weir_op_calls_args(calls, call, &args))
		return false; /* it has no tensors */
	for (size_t i = 0; i < args.count; i++)
		if ((isnan(args.items[i].element.width) ||
		     args.items[i].element.dtype == WEIR_DTYPE_INT) &&
		    args.items[i].elements == count)
			return true;
	return false;
}

bool weir_loop_reads_choice(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];

	for (const struct weir_op_call *call = first; call < first + loop->period; call++) {
		double count;

		if (!weir_call_chooses(calls, call))
			continue;
		count = chosen_by(calls, call);
		if (isnan(count))
			return true;
		for (const struct weir_op_call *before = first; before < call; before++)
			if (may_read_integers(calls, before, first + loop->period, count))
				return true;
	}
	return false;
}

/* True if the call may write integers like the input: it reads a tensor of such integers. A copy
 * writes the type of its first argument. */
static bool writes_integers(const struct weir_op_calls *calls, const struct weir_op_call *call,
                            const struct weir_element *input)
{
	bool copies = strcmp(weir_op_calls_name(calls, call), "copy_") == 0;
	struct weir_args args;

	if (!weir_op_calls_args(calls, call, &args))
		return true;
	for (size_t i = 0; i < args.count && !(copies && i > 0); i++) {
		const struct weir_element *element = &args.items[i].element;
		bool tensor = weir_args_tensor(&args, i) != NULL;

		if (args.items[i].list_count > 0 || (tensor && isnan(element->width)) ||
		    (tensor && element->dtype == input->dtype && element->width == input->width))
			return true;
	}
	return false;
}

/* True if the call may write the input of the next turn: as many elements, of its type. */
static bool may_give(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     const struct weir_arg *input)
{
	double written = weir_loop_written_by(calls, call), chosen;

	if (input->element.dtype != WEIR_DTYPE_INT && input->element.dtype != WEIR_DTYPE_INT8)
		return written > 1 && written == input->elements;
	if (input->element.dtype == WEIR_DTYPE_INT && weir_loop_chooses(calls, call)) {
		chosen = chosen_by(calls, call);
		if (isnan(chosen) || chosen == input->elements)
			return true;
	}
	return written > 1 && written == input->elements &&
	       writes_integers(calls, call, &input->element);
}

/* True if the argument is a parameter of a layer by its place: weights, a bias, statistics. */
static bool is_parameter(const struct weir_op_calls *calls, const struct weir_op_call *call,
                         const struct weir_args *args, size_t i)
{
	const char *name = weir_op_calls_name(calls, call);

	if (strcmp(name, "addmm") == 0)
		return i == 0 && args->items[0].rank == 1;
	return i > 0 && (strstr(name, "conv") || call->family == WEIR_FAMILY_NORM ||
	                 strcmp(name, "linear") == 0);
}

bool weir_loop_cannot_follow(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	size_t read = strcmp(weir_op_calls_name(calls, first), "copy_") == 0; /* behind the copy */
	struct weir_args args;

	/* A list may hold the result of the turn before beside its own tensors. */
	if (!weir_op_calls_args(calls, first, &args) || args.count == 0 ||
	    args.items[0].list_count > 0)
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		if (isnan(weir_loop_written_by(calls, &calls->items[c])))
			return false;
		for (size_t i = read; i < args.count && c > loop->first; i++)
			if (weir_args_tensor(&args, i) && !is_parameter(calls, first, &args, i) &&
			    may_give(calls, &calls->items[c], &args.items[i]))
				return false;
	}
	return true;
}

/* Returns true if the tensor is an input of the call like the state of a loop: it has rows, and is
 * no weight. Biases and scales have one dimension; the second factor of a product and the filter of
 * a convolution stand behind the input. */
static bool is_state(const struct weir_op_call *call, const struct weir_arg *arg, size_t before)
{
	bool weighs = call->work.product || call->family == WEIR_FAMILY_CONVOLUTION;

	return arg && arg->rank >= 2 && arg->element.dtype != WEIR_DTYPE_INT &&
	       !(weighs && before > 0);
}

/* Returns true if the call reads a tensor with this number of elements. */
static bool reads_state(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        double elements)
{
	struct weir_args args;
	size_t states = 0;

	if (!weir_op_calls_args(calls, call, &args))
		return false;
	for (size_t i = 0; i < args.count; i++) {
		const struct weir_arg *arg = weir_args_tensor(&args, i);

		if (!is_state(call, arg, states))
			continue;
		if (arg->elements == elements)
			return true;
		states++;
	}
	return false;
}

bool weir_loop_hands_on(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	const struct weir_op_call *last = first + loop->period - 1;
	double elements = weir_loop_written_by(calls, last);

	/* A part of as many elements explains that a turn reads them. */
	if (!(elements > 1) || reads_state(calls, first, elements))
		return false;
	for (const struct weir_op_call *call = first; call <= last; call++) {
		if (reads_state(calls, call, elements))
			return true;
		/* The arguments of a convolution do not tell the size of its result. */
		if (call->work.product || call->family == WEIR_FAMILY_CONVOLUTION ||
		    weir_loop_written_by(calls, call) == elements)
			return false;
	}
	return false;
}

/* Returns the bytes that the call copies this way. */
static double copied_bytes(const struct weir_op_calls *calls, const struct weir_op_call *call,
                           enum weir_transfer_way way)
{
	const struct weir_advisor *advisor = calls->advisor;
	double bytes = 0;

	for (uint32_t j = call->first_job; j < call->end_job; j++) {
		struct weir_transfer copy = weir_transfer_of(advisor, &advisor->program.jobs[j]);

		if (copy.way == way)
			bytes += copy.bytes;
	}
	return bytes;
}

/* True if the turn may read a state at this call that the turn before left: a tensor like a state
 * which no call of the turn has written, and which this one or a later one writes. The call behind
 * a convolution reads its result, which is no state. */
static bool may_read_state(const struct weir_op_calls *calls, const struct weir_op_call *first,
                           const struct weir_op_call *call, const struct weir_op_call *end)
{
	struct weir_args args;
	size_t states = 0;

	if (!weir_op_calls_args(calls, call, &args) ||
	    strstr(weir_op_calls_name(calls, call - 1), "convolution"))
		return false;
	for (size_t i = 0; i < args.count; i++) {
		const struct weir_arg *arg = weir_args_tensor(&args, i);
		const struct weir_op_call *writer = first;

		if (!is_state(call, arg, states++))
			continue;
		while (writer < end && weir_loop_written_by(calls, writer) != arg->elements)
			writer++;
		if (writer >= call && writer < end)
			return true;
	}
	return false;
}

bool weir_loop_reads_host(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	const struct weir_op_call *first = &calls->items[loop->first];
	const struct weir_op_call *end = first + loop->period;
	double up_bytes = copied_bytes(calls, first, WEIR_TRANSFER_UP), down_bytes = 0;

	for (const struct weir_op_call *call = first; call < end; call++) {
		down_bytes += copied_bytes(calls, call, WEIR_TRANSFER_DOWN);
		if (call > first &&
		    (weir_op_calls_recurs(calls, call) || may_read_state(calls, first, call, end)))
			return false;
	}
	return up_bytes > down_bytes;
}

/* Returns true if the call computes on each element or multiplies: a layer of a plain network. */
static bool is_plain(const struct weir_op_call *call)
{
	return call->work.product || call->family == WEIR_FAMILY_ELEMENTWISE ||
	       call->family == WEIR_FAMILY_COPY || call->family == WEIR_FAMILY_GEMM ||
	       call->family == WEIR_FAMILY_GEMV;
}

bool weir_loop_has_cell(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	for (size_t c = loop->first + 1; c < loop->first + loop->period; c++)
		if (calls->items[c - 1].work.product && calls->items[c].work.product)
			return true;
	return false;
}

/* A layer has one product. The results of layers are reduced together as well, such as those of a
 * graph network, but each layer needs the one before. */
#define NETWORK_PRODUCTS 2

bool weir_loop_is_ensemble(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	size_t behind = loop->first + loop->turns * loop->period, products = 0;
	const struct weir_op_call *list = &calls->items[behind];
	double elements = weir_loop_written_by(calls, list - 1) * (double)loop->turns;
	struct weir_args args;
	bool tanh = false;

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		if (!is_plain(&calls->items[c]) || calls->items[c].transfers)
			return false;
		products += calls->items[c].work.product;
		tanh |= strncmp(weir_op_calls_name(calls, &calls->items[c]), "tanh", 4) == 0;
	}
	if (tanh && (weir_loop_has_cell(calls, loop) || !weir_loop_cannot_follow(calls, loop)))
		return false;
	if (products < NETWORK_PRODUCTS || behind + 1 >= calls->count ||
	    strcmp(weir_op_calls_name(calls, list), "cat") != 0 ||
	    !weir_op_calls_args(calls, list, &args) || args.items[0].list_count != loop->turns ||
	    args.items[0].elements != elements || list[1].family != WEIR_FAMILY_REDUCE)
		return false;
	return weir_op_calls_args(calls, list + 1, &args) && weir_args_tensor(&args, 0) &&
	       args.items[0].elements == elements;
}
