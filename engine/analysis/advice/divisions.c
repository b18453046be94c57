/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/divisions.h"
#include "engine/analysis/advice/joined_lists.h"
#include "engine/analysis/advice/products.h"

/* Calls behind the joining one among which its readers are sought; a result is used soon. */
#define USED_WITHIN 16
/* Products that read one matrix, such as those of queries, keys and values. */
#define MOST_PRODUCTS 4
/* Measured over modelled time beyond which a product of the run says nothing about its parts. */
#define SLOWEST_PACE 2.0
/* The parts take the time of one product at best, since what wrote the tensors can write them
 * beside each other, and up to this many times their own time: see products.h. */
#define SLOWEST_PARTS 1.3

struct division {
	struct weir_joined_list list;
	double rows, columns, elements;
	const struct weir_op_call *products[MOST_PRODUCTS];
	size_t count;
};

/* True if the product multiplies the joined matrix, as its rows, with weights. */
static bool multiplies(const struct weir_op_call *call, const struct weir_arg *arg,
                       const struct division *division)
{
	const struct weir_reuse *sizes = &call->work.reuse;

	return call->work.product && sizes->batch == 1 && sizes->m == division->rows &&
	       (double)arg->dims[arg->rank - 1] == division->columns &&
	       floor(call->work.flops / (2 * sizes->m * sizes->n)) == division->columns;
}

/* Returns the argument of the call that has the elements of the joined matrix; NULL: none. */
static const struct weir_arg *argument_of(const struct weir_args *args, double elements)
{
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (arg && arg->elements == elements)
			return arg;
	}
	return NULL;
}

/* Fills the products that read the joined matrix; false: something else reads it as well. A product
 * whose result has its size hides later readers. */
static bool find_products(const struct weir_op_calls *calls, size_t c, struct division *division)
{
	division->count = 0;
	for (size_t i = c + 1; i < calls->count && i <= c + USED_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		const struct weir_arg *arg;
		struct weir_args args;

		if (!weir_op_calls_args(calls, call, &args) ||
		    !(arg = argument_of(&args, division->elements)))
			continue;
		if (!multiplies(call, arg, division) || division->count == MOST_PRODUCTS)
			return false;
		division->products[division->count++] = call;
		if (call->work.reuse.n == division->columns)
			break;
	}
	return division->count > 0;
}

/* Returns the time of the products with the parts of one product, each of which but the first reads
 * what the one before wrote; NAN: not known. */
static double parts_ns(const struct weir_advisor *advisor, const struct division *division,
                       const struct weir_op_call *call)
{
	struct weir_product whole, part;
	double result_bytes, ns = 0, pace;

	if (!weir_product_read(advisor, call->first_job, &whole) ||
	    whole.kind != WEIR_PRODUCT_MATRIX || whole.k != division->columns)
		return NAN;
	result_bytes = whole.m * whole.n * whole.width;
	pace = whole.ns / weir_product_ns(advisor, &whole, whole.engine, whole.dtype, whole.bytes);
	for (size_t i = 0; i < division->list.count; i++) {
		const struct weir_arg *x = &division->list.items[i].tensor;
		double share = (double)x->dims[x->rank - 1] / division->columns;

		part = whole;
		part.k *= share;
		part.flops *= share;
		part.bytes =
			share * (whole.a_bytes + whole.b_bytes) + (i > 0 ? 2 : 1) * result_bytes;
		ns += weir_product_misaligned(&part, part.width) *
		      weir_product_ns(advisor, &part, part.engine, part.dtype, part.bytes);
	}
	return ns * fmin(SLOWEST_PACE, fmax(1, pace));
}

/* Adds the launches of the other parts to those of the product. */
static void set_parts(struct weir_draft *draft, const struct weir_op_call *call, double ns,
                      size_t parts)
{
	weir_op_call_set(draft, call, ns, fmin(ns, call->ns), SLOWEST_PARTS * ns);
	weir_draft_add_operators(draft, call->first_issue, (double)(parts - 1));
}

void weir_divisions_make(struct weir_draft *draft, const struct weir_op_calls *calls, size_t c,
                         struct weir_divisions *sum)
{
	struct division division;
	double ns[MOST_PRODUCTS], after_ns = 0, before_ns = calls->items[c].ns;

	if (!weir_joined_list_read(calls, &calls->items[c], &division.list) ||
	    !weir_joined_by_columns(&division.list, &division.rows, &division.columns))
		return;
	division.elements = division.rows * division.columns;
	if (!find_products(calls, c, &division))
		return;
	for (size_t i = 0; i < division.count; i++) {
		ns[i] = parts_ns(draft->advisor, &division, division.products[i]);
		after_ns += ns[i];
		before_ns += division.products[i]->ns;
	}
	if (!(after_ns < before_ns))
		return;
	weir_op_call_remove(draft, &calls->items[c]);
	for (size_t i = 0; i < division.count; i++)
		set_parts(draft, division.products[i], ns[i], division.list.count);
	sum->found++;
	sum->before_ns += before_ns;
	sum->after_ns += after_ns;
}

void weir_divisions_explain(struct weir_draft *draft, const struct weir_divisions *sum)
{
	if (sum->found > 0)
		weir_text_printf(&draft->basis,
		                 "%swithout joining %zu matrices by their columns: their products "
		                 "as sums of products with parts of the weights in %.0f us instead "
		                 "of %.0f us",
		                 draft->basis.length > 0 ? "; " : "", sum->found,
		                 sum->after_ns / 1e3, sum->before_ns / 1e3);
}
