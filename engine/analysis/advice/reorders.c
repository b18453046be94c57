/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/reorders.h"

/* Calls behind a copy among which attention is sought: the layer's first products and norms, and
 * the copy of the other cache are between them. */
#define READ_WITHIN 32
/* Caches come in pairs: keys and values. */
#define LEAST_CACHES 2
/* Least share of a cache's positions that attention reads; the rest is room for later ones. */
#define LEAST_FILLED 0.5
/* Largest share of the copy that stays: the positions behind the prompt. */
#define MOST_LEFT 0.25

/* Returns the tensor of which the call copies all rows by a list of row numbers, as many as it has;
 * NULL: it is another call. index_select() gathers by numbers that it expands to whole rows. */
static const struct weir_arg *reordered(const struct weir_op_calls *calls,
                                        const struct weir_op_call *call, struct weir_args *args)
{
	const char *name = weir_op_calls_name(calls, call);
	const struct weir_arg *cache, *index;
	bool gather = strcmp(name, "gather") == 0 &&
	              weir_op_calls_within(calls, call, "aten::index_select");
	int64_t dim = 0;

	if ((!gather && strcmp(name, "index_select") != 0 && strcmp(name, "index") != 0) ||
	    !weir_op_calls_args(calls, call, args) || !(cache = weir_args_tensor(args, 0)) ||
	    cache->rank < 3)
		return NULL;
	if (strcmp(name, "index") == 0)
		return args->count > 1 && args->items[1].rank < 0 &&
		                       args->items[1].list_count == 1 &&
		                       args->items[1].elements == (double)cache->dims[0]
		               ? cache
		               : NULL;
	index = weir_args_tensor(args, 2);
	weir_args_int(args, 1, &dim);
	if (!index || dim != 0 || index->dims[0] != cache->dims[0])
		return NULL;
	return index->elements == (gather ? cache->elements : (double)cache->dims[0]) ? cache
	                                                                              : NULL;
}

/* True if an attention soon behind the call reads as many rows, and most positions. */
static bool is_attended(const struct weir_op_calls *calls, size_t c, const struct weir_arg *cache)
{
	for (size_t i = c + 1; i < calls->count && i <= c + READ_WITHIN; i++) {
		const struct weir_op_call *call = &calls->items[i];
		struct weir_args args;

		if ((call->family != WEIR_FAMILY_ATTENTION &&
		     !strstr(weir_op_calls_name(calls, call), "attention")) ||
		    !weir_op_calls_args(calls, call, &args))
			continue;
		for (size_t a = 0; a < args.count; a++)
			if (args.items[a].rank == cache->rank &&
			    args.items[a].dims[0] == cache->dims[0] &&
			    args.items[a].elements <= cache->elements &&
			    args.items[a].elements >= LEAST_FILLED * cache->elements)
				return true;
	}
	return false;
}

static bool is_reorder(const struct weir_op_calls *calls, size_t c)
{
	struct weir_args args;
	const struct weir_arg *cache = reordered(calls, &calls->items[c], &args);

	return cache && calls->items[c].ns > WEIR_SHORTEST_KERNEL_NS &&
	       is_attended(calls, c, cache);
}

void weir_reorders_shorten(struct weir_draft *draft, const struct weir_op_calls *calls,
                           struct weir_reorders *sum)
{
	size_t caches = 0;

	for (size_t c = 0; c < calls->count; c++)
		caches += is_reorder(calls, c);
	for (size_t c = 0; c < calls->count && caches >= LEAST_CACHES; c++) {
		double ns = calls->items[c].ns;

		if (!is_reorder(calls, c))
			continue;
		weir_op_call_set(draft, &calls->items[c], WEIR_SHORTEST_KERNEL_NS,
		                 WEIR_SHORTEST_KERNEL_NS,
		                 fmax(WEIR_SHORTEST_KERNEL_NS, MOST_LEFT * ns));
		sum->found++;
		sum->before_ns += ns;
	}
}

void weir_reorders_explain(struct weir_draft *draft, const struct weir_reorders *sum)
{
	if (sum->found > 0)
		weir_text_printf(
			&draft->basis,
			"%swithout the copies of %zu caches in another order of their rows "
			"(%.0f us): only the positions behind a shared prompt need it",
			draft->basis.length > 0 ? "; " : "", sum->found, sum->before_ns / 1e3);
}
