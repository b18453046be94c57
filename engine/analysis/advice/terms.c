/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/advice/terms.h"

/* Calls among which the end of a term is sought. The longest terms of the functions that were
 * looked at have 8 operators, and up to three of them wait for each other. */
#define TERM_CALLS 32

static bool is_pointwise(const struct weir_op_call *call, const struct weir_fusible *tensors)
{
	return tensors->picks ||
	       ((call->family == WEIR_FAMILY_ELEMENTWISE || call->family == WEIR_FAMILY_COPY) &&
	        !tensors->joins && !tensors->stores && !tensors->shifts);
}

bool weir_terms_may_begin(const struct weir_op_call *call, const struct weir_chain *chain,
                          const struct weir_fusible *tensors)
{
	const struct weir_made *last = &chain->made[chain->count - 1];

	/* Each element of the result has at least one byte. */
	return is_pointwise(call, tensors) && !last->read && last->bytes >= tensors->elements &&
	       (tensors->elements == chain->elements || tensors->elements == last->elements);
}

/* The results of the terms so far, and the terms that wait to be combined. */
struct terms {
	const struct weir_chain *chain;
	double made[TERM_CALLS + 1];
	size_t count; /* of `made` */
	size_t waiting;
};

static bool is_made(const struct terms *terms, double bytes)
{
	for (size_t i = 0; i < terms->count; i++)
		if (weir_same_bytes(terms->made[i], bytes))
			return true;
	for (size_t i = 0; i < terms->chain->count; i++)
		if (weir_same_bytes(terms->chain->made[i].bytes, bytes))
			return true;
	return false;
}

/* Adds a call: one that reads no result begins a term, and one that reads several combines them. */
static void follow(struct terms *terms, const struct weir_fusible *tensors)
{
	size_t results = 0;

	for (size_t i = 0; i < tensors->in_count; i++)
		results += tensors->in[i] >= tensors->elements && !tensors->gap[i] &&
		           !(tensors->picks && i == 0) && is_made(terms, tensors->in[i]) &&
		           !(tensors->same && i > 0);
	if (results == 0)
		terms->waiting++;
	else
		terms->waiting -= results - 1 < terms->waiting ? results - 1 : terms->waiting;
	terms->made[terms->count++] = tensors->out_bytes;
}

bool weir_terms_meet(const struct weir_op_calls *calls, const struct weir_chain *chain, size_t next,
                     size_t count, double elements)
{
	struct terms terms = {.chain = chain, .waiting = count};
	struct weir_fusible tensors;

	/* The call before `next` made the last term. */
	if (!weir_is_fusible(calls, &calls->items[next - 1], &tensors))
		return false;
	terms.made[terms.count++] = tensors.out_bytes;
	for (size_t c = next; c < calls->count && c < next + TERM_CALLS && terms.waiting > 0; c++) {
		const struct weir_op_call *call = &calls->items[c];

		if (weir_op_calls_wait(calls, calls->items[c - 1].first_issue, call->first_issue) ||
		    !weir_is_fusible(calls, call, &tensors))
			return false;
		if (tensors.scalar || tensors.elements < elements)
			continue; /* prepares a parameter */
		if (!is_pointwise(call, &tensors) || tensors.elements > elements)
			return false;
		follow(&terms, &tensors);
	}
	return terms.waiting == 0;
}
