/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/dependence.h"

double weir_loop_written_by(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	double elements = 0;
	struct weir_args args;

	if (call->work.product && call->work.reuse.batch > 0)
		return call->work.reuse.m * call->work.reuse.n * call->work.reuse.batch;
	if (!weir_op_calls_args(calls, call, &args))
		return NAN;
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

/* True if the call may write integers like the input: it reads such integers. A
 * copy writes the type of its first argument. */
static bool writes_integers(const struct weir_op_calls *calls, const struct weir_op_call *call,
                            const struct weir_element *input)
{
	bool copies = strcmp(weir_op_calls_name(calls, call), "copy_") == 0;
	struct weir_args args;

	if (!weir_op_calls_args(calls, call, &args))
		return true;
	for (size_t i = 0; i < args.count && !(copies && i > 0); i++) {
		const struct weir_element *element = &args.items[i].element;

		if (isnan(element->width) || args.items[i].list_count > 0 ||
		    (element->dtype == input->dtype && element->width == input->width))
			return true;
	}
	return false;
}

/* True if the call may write the input of the next turn: as many elements, of its type. */
static bool may_give(const struct weir_op_calls *calls, const struct weir_op_call *call,
                     const struct weir_arg *input)
{
	double written = weir_loop_written_by(calls, call);

	if (input->element.dtype != WEIR_DTYPE_INT)
		return written > 1 && written == input->elements;
	return weir_loop_chooses(calls, call) || (written > 1 && written == input->elements &&
	                                          writes_integers(calls, call, &input->element));
}

bool weir_loop_cannot_follow(const struct weir_op_calls *calls, const struct weir_loop *loop)
{
	struct weir_args args;

	/* A list may hold the result of the turn before beside its own tensors. */
	if (!weir_op_calls_args(calls, &calls->items[loop->first], &args) || args.count == 0 ||
	    args.items[0].list_count > 0)
		return false;
	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		if (isnan(weir_loop_written_by(calls, &calls->items[c])))
			return false;
		for (size_t i = 0; i < args.count && c > loop->first; i++)
			if (weir_args_tensor(&args, i) &&
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

/* Returns true if the call computes on each element or multiplies: a layer of a plain network. */
static bool is_plain(const struct weir_op_call *call)
{
	return call->work.product || call->family == WEIR_FAMILY_ELEMENTWISE ||
	       call->family == WEIR_FAMILY_COPY || call->family == WEIR_FAMILY_GEMM ||
	       call->family == WEIR_FAMILY_GEMV;
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

	for (size_t c = loop->first; c < loop->first + loop->period; c++) {
		if (!is_plain(&calls->items[c]) || calls->items[c].transfers)
			return false;
		products += calls->items[c].work.product;
	}
	if (products < NETWORK_PRODUCTS || behind + 1 >= calls->count ||
	    strcmp(weir_op_calls_name(calls, list), "cat") != 0 ||
	    !weir_op_calls_args(calls, list, &args) || args.items[0].list_count != loop->turns ||
	    args.items[0].elements != elements || list[1].family != WEIR_FAMILY_REDUCE)
		return false;
	return weir_op_calls_args(calls, list + 1, &args) && weir_args_tensor(&args, 0) &&
	       args.items[0].elements == elements;
}
