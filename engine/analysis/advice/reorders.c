/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/advice/host_spans.h"
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
/* Operators that put the rows of the queries in another order, and those of the results back. */
#define ORDERED_ROWS 2.0

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

/* True if the call writes some rows of a tensor like the cache. */
static bool writes_rows(const struct weir_op_calls *calls, const struct weir_op_call *call,
                        const struct weir_arg *cache)
{
	static const char *const names[] = {
		"copy_", "index_copy_", "index_put_", "_index_put_impl_", "scatter_", "cat", NULL};
	struct weir_args args;

	if (!weir_op_is_one_of(weir_op_calls_name(calls, call), names) ||
	    !weir_op_calls_args(calls, call, &args))
		return false;
	for (size_t a = 0; a < args.count; a++) {
		const struct weir_arg *arg = &args.items[a];
		bool list = arg->rank < 0;

		if ((list || arg->rank >= 2) && arg->dims[0] == cache->dims[0] &&
		    (list || arg->dims[arg->rank - 1] == cache->dims[cache->rank - 1]) &&
		    arg->element.dtype == cache->element.dtype)
			return true;
	}
	return false;
}

/* True if the step writes nothing to tensors like the first cache: the rows can stay where they
 * are, if the queries and results are put in their order instead. */
static bool is_only_read(const struct weir_op_calls *calls, size_t first)
{
	struct weir_args args;
	const struct weir_arg *cache = reordered(calls, &calls->items[first], &args);

	for (size_t c = 0; c < calls->count; c++)
		if (writes_rows(calls, &calls->items[c], cache))
			return false;
	return true;
}

/* Returns the number of such copies in the step, and the first of them. */
static size_t count_reorders(const struct weir_op_calls *calls, size_t *first)
{
	size_t caches = 0;

	for (size_t c = calls->count; c-- > 0;) {
		if (!is_reorder(calls, c))
			continue;
		*first = c;
		caches++;
	}
	return caches;
}

/* Removes the copy with the host time of its operator. */
static void remove_copy(struct weir_draft *draft, const struct weir_op_call *call,
                        struct weir_intervals *host)
{
	const struct weir_timeline *timeline = &draft->program.rank->timeline;
	uint32_t outer = weir_timeline_outermost_op(timeline, call->op);

	weir_op_call_remove(draft, call);
	if (outer != WEIR_NONE)
		weir_intervals_push(host, timeline->trace->host.start_ns[outer],
		                    timeline->trace->host.end_ns[outer]);
}

void weir_reorders_shorten(struct weir_draft *draft, const struct weir_op_calls *calls,
                           struct weir_reorders *sum)
{
	struct weir_intervals host = {0};
	size_t first = 0;

	if (count_reorders(calls, &first) < LEAST_CACHES)
		return;
	sum->only_read = is_only_read(calls, first);
	for (size_t c = first; c < calls->count; c++) {
		double ns = calls->items[c].ns;

		if (!is_reorder(calls, c))
			continue;
		sum->found++;
		sum->before_ns += ns;
		if (sum->only_read)
			remove_copy(draft, &calls->items[c], &host);
		else
			weir_op_call_set(draft, &calls->items[c], WEIR_SHORTEST_KERNEL_NS,
			                 WEIR_SHORTEST_KERNEL_NS,
			                 fmax(WEIR_SHORTEST_KERNEL_NS, MOST_LEFT * ns));
	}
	weir_intervals_unite(&host);
	weir_host_spans_remove(draft, &host);
	weir_intervals_release(&host);
	if (sum->only_read)
		weir_draft_add_operators(draft, calls->items[first].first_issue, ORDERED_ROWS);
}

void weir_reorders_explain(struct weir_draft *draft, const struct weir_reorders *sum)
{
	if (sum->found > 0)
		weir_text_printf(
			&draft->basis,
			"%swithout the copies of %zu caches in another order of their rows "
			"(%.0f us): %s",
			draft->basis.length > 0 ? "; " : "", sum->found, sum->before_ns / 1e3,
			sum->only_read
				? "the step only reads them, and reorders its few queries instead"
				: "only the positions behind a shared prompt need it");
}
