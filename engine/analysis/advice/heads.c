/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/heads.h"

/* Calls before attention among which its inputs are copied: three copies, and rotations between
 * them. */
#define COPIED_WITHIN 8

static bool is_attention(const struct weir_op_calls *calls, const struct weir_op_call *call)
{
	return call->family == WEIR_FAMILY_ATTENTION ||
	       strstr(weir_op_calls_name(calls, call), "attention") != NULL;
}

static bool same_dims(const struct weir_arg *a, const struct weir_arg *b)
{
	return a && b && a->rank == b->rank && memcmp(a->dims, b->dims, sizeof a->dims) == 0 &&
	       a->element.dtype == b->element.dtype;
}

/* True if the call copies a tensor of these dimensions in another order. Tensors of the same order
 * are copied with wide accesses. */
static bool orders(const struct weir_op_calls *calls, const struct weir_op_call *call,
                   const struct weir_arg *like)
{
	const struct weir_job *job = &calls->advisor->program.jobs[call->longest_job];
	struct weir_args args;

	return strcmp(weir_op_calls_name(calls, call), "copy_") == 0 && !call->transfers &&
	       weir_op_calls_args(calls, call, &args) &&
	       same_dims(weir_args_tensor(&args, 0), like) &&
	       same_dims(weir_args_tensor(&args, 1), like) &&
	       !strstr(weir_advisor_kernel(calls->advisor, job), "vectorized_elementwise_kernel");
}

/* Returns the number of such copies before a call. */
static size_t copies_before(const struct weir_op_calls *calls, size_t c,
                            const struct weir_arg *like)
{
	size_t copies = 0;

	for (size_t back = 1; back <= COPIED_WITHIN && back <= c; back++)
		copies += orders(calls, &calls->items[c - back], like);
	return copies;
}

bool weir_heads_follow_query(const struct weir_op_calls *calls, size_t c)
{
	const struct weir_arg *query, *to;
	struct weir_args args, inputs;
	size_t alike = 0;

	if (c == 0 || !is_attention(calls, &calls->items[c - 1]) ||
	    !weir_op_calls_args(calls, &calls->items[c - 1], &inputs) ||
	    !weir_op_calls_args(calls, &calls->items[c], &args) ||
	    !(query = weir_args_tensor(&inputs, 0)) || !(to = weir_args_tensor(&args, 0)) ||
	    query->rank != 4 || to->rank != 4)
		return false;
	for (size_t i = 0; i < 3 && i < inputs.count; i++)
		alike += same_dims(weir_args_tensor(&inputs, i), query);
	return to->dims[0] == query->dims[0] && to->dims[1] == query->dims[2] &&
	       to->dims[2] == query->dims[1] && to->dims[3] == query->dims[3] &&
	       copies_before(calls, c - 1, query) >= alike;
}
