/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/requests/serving_batches.h"
#include "engine/analysis/time/instants.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Requests of one batch may state its times apart by what rounding to microseconds adds up to. */
#define SAME_START_NS 20000
#define SAME_TIME_NS  1500
#define FULL_SHARE    0.9 /* of the largest batch: the group that counts as full */

/* The first computation of one request. */
struct turn {
	int64_t start_ns, compute_ns, dispatch_ns;
	size_t row;
};

static bool find_turn(const struct weir_requests *requests, const enum weir_part_class *classes,
                      size_t row, struct turn *out)
{
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	int64_t queued_until_ns = INT64_MIN;

	while (weir_part_walk_next(&walk, &part)) {
		if (classes[part.stage] == WEIR_PART_QUEUE && part.end_ns > queued_until_ns)
			queued_until_ns = part.end_ns;
		if (classes[part.stage] != WEIR_PART_COMPUTE)
			continue;
		*out = (struct turn){part.start_ns, weir_span_ns(part.start_ns, part.end_ns),
		                     queued_until_ns == INT64_MIN ? part.start_ns : queued_until_ns,
		                     row};
		return true;
	}
	return false;
}

static int by_start(const void *left, const void *right)
{
	const struct turn *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool same_execution(const struct weir_execution *execution, const struct turn *turn)
{
	int64_t apart_ns = turn->compute_ns - execution->compute_ns;

	return weir_span_ns(execution->start_ns, turn->start_ns) <= SAME_START_NS &&
	       apart_ns >= -SAME_TIME_NS && apart_ns <= SAME_TIME_NS;
}

static void join(struct weir_execution *execution, const struct turn *turn,
                 const struct weir_requests *requests)
{
	int32_t stated = requests->batch_size[turn->row];
	int64_t padded = requests->padded_tokens[turn->row];

	if (padded < 0)
		padded = requests->tokens[turn->row];
	execution->rows++;
	execution->tokens += padded < 0 ? NAN : (double)padded;
	if (turn->dispatch_ns > execution->dispatch_ns)
		execution->dispatch_ns = turn->dispatch_ns;
	if (stated > 0)
		execution->size = stated;
}

/* What is not stated is known by counting, where more than one request was found. */
static void settle(struct weir_executions *executions)
{
	bool grouped = false;

	for (size_t i = 0; i < executions->count; i++)
		grouped |= executions->items[i].rows > 1;
	for (size_t i = 0; i < executions->count; i++) {
		struct weir_execution *execution = &executions->items[i];

		if (isnan(execution->size) && grouped)
			execution->size = execution->rows;
		execution->tokens *=
			execution->size > execution->rows ? execution->size / execution->rows : 1;
	}
}

void weir_executions_find(struct weir_executions *out, const struct weir_requests *requests,
                          const enum weir_part_class *classes)
{
	struct turn *turns = weir_alloc((requests->count + 1) * sizeof *turns);
	size_t count = 0, last = 0;

	for (size_t i = 0; i < requests->count; i++)
		count += find_turn(requests, classes, i, &turns[count]);
	qsort(turns, count, sizeof *turns, by_start);
	out->items = weir_alloc((count + 1) * sizeof *out->items);
	out->count = 0;
	for (size_t i = 0; i < count; i++) {
		/* Batches of several devices may begin together: look among the last few. */
		size_t at = out->count;

		while (last < out->count &&
		       weir_span_ns(out->items[last].start_ns, turns[i].start_ns) > SAME_START_NS)
			last++;
		for (size_t j = last; j < out->count && at == out->count && j < last + 64; j++)
			if (same_execution(&out->items[j], &turns[i]))
				at = j;
		if (at == out->count)
			out->items[out->count++] =
				(struct weir_execution){turns[i].start_ns, turns[i].compute_ns,
			                                turns[i].dispatch_ns, .size = NAN};
		join(&out->items[at], &turns[i], requests);
	}
	settle(out);
	free(turns);
}

/* When requests came into a queue and left it, each sorted. */
struct queue_edges {
	int64_t *in_ns, *out_ns;
	size_t count;
};

static void queue_edges_init(struct queue_edges *edges, const struct weir_requests *requests,
                             const enum weir_part_class *classes)
{
	size_t in_capacity = 0, out_capacity = 0;

	*edges = (struct queue_edges){0};
	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part)) {
			if (classes[part.stage] != WEIR_PART_QUEUE)
				continue;
			edges->in_ns = weir_grow(edges->in_ns, &in_capacity, edges->count + 1,
			                         sizeof *edges->in_ns);
			edges->out_ns = weir_grow(edges->out_ns, &out_capacity, edges->count + 1,
			                          sizeof *edges->out_ns);
			edges->in_ns[edges->count] = part.start_ns;
			edges->out_ns[edges->count++] = part.end_ns;
		}
	}
	weir_instants_sort(edges->in_ns, edges->count);
	weir_instants_sort(edges->out_ns, edges->count);
}

static void queue_edges_release(struct queue_edges *edges)
{
	free(edges->in_ns);
	free(edges->out_ns);
}

static bool leaves_waiting(const struct queue_edges *edges, int64_t dispatch_ns)
{
	int64_t before_ns =
		dispatch_ns < INT64_MIN + SAME_START_NS ? INT64_MIN : dispatch_ns - SAME_START_NS;
	int64_t after_ns =
		dispatch_ns > INT64_MAX - SAME_START_NS ? INT64_MAX : dispatch_ns + SAME_START_NS;

	return weir_instants_until(edges->in_ns, edges->count, before_ns) >
	       weir_instants_until(edges->out_ns, edges->count, after_ns);
}

static double largest_size(const struct weir_executions *executions)
{
	double largest = NAN;

	for (size_t i = 0; i < executions->count; i++)
		largest = fmax(largest, executions->items[i].size);
	return largest;
}

static double fill_of(const struct weir_executions *executions,
                      const struct weir_requests *requests, const enum weir_part_class *classes)
{
	struct queue_edges edges;
	double sum = 0;
	size_t count = 0;

	queue_edges_init(&edges, requests, classes);
	for (size_t i = 0; i < executions->count; i++) {
		const struct weir_execution *execution = &executions->items[i];

		if (isnan(execution->size) || !leaves_waiting(&edges, execution->dispatch_ns))
			continue;
		sum += execution->size;
		count++;
	}
	queue_edges_release(&edges);
	return count < WEIR_FEW_EXECUTIONS ? NAN : sum / (double)count / largest_size(executions);
}

bool weir_executions_batch(const struct weir_executions *executions)
{
	double rows = 0, sizes = 0;

	for (size_t i = 0; i < executions->count; i++) {
		rows += executions->items[i].rows;
		sizes += executions->items[i].size;
	}
	return rows >= 0.5 * sizes;
}

static double size_by(const struct weir_execution *execution, bool by_tokens)
{
	return by_tokens ? execution->tokens : execution->size;
}

static double step_ratio(const struct weir_executions *executions, bool by_tokens, double *values)
{
	size_t small = 0, full = 0, count = 0;
	double largest, small_ns, full_ns;

	for (size_t i = 0; i < executions->count; i++)
		if (!isnan(size_by(&executions->items[i], by_tokens)))
			values[count++] = size_by(&executions->items[i], by_tokens);
	if (count == 0)
		return NAN;
	/* Of tokens a high percentile: the longest text is rarer than the fullest batch. */
	largest = weir_quantile_select(values, count, by_tokens ? 0.95 : 1);
	for (size_t i = 0; i < executions->count; i++) {
		double size = size_by(&executions->items[i], by_tokens);

		if (size <= largest / 2)
			values[small++] = (double)executions->items[i].compute_ns;
	}
	small_ns = weir_median(values, small);
	for (size_t i = 0; i < executions->count; i++) {
		double size = size_by(&executions->items[i], by_tokens);

		if (size >= FULL_SHARE * largest)
			values[full++] = (double)executions->items[i].compute_ns;
	}
	full_ns = weir_median(values, full);
	if (small < WEIR_FEW_EXECUTIONS || full < WEIR_FEW_EXECUTIONS || !(full_ns > 0))
		return NAN;
	return small_ns / full_ns;
}

static void size_quantiles(const struct weir_executions *executions, double *values,
                           struct weir_batch_sizes *out)
{
	const double probs[] = {0.5, 0.9, 0.95, 0.99};
	double at[4], sum = 0;
	size_t count = 0;

	for (size_t i = 0; i < executions->count; i++) {
		if (isnan(executions->items[i].size))
			continue;
		values[count++] = executions->items[i].size;
		sum += executions->items[i].size;
	}
	weir_quantiles(values, count, probs, 4, at);
	*out = (struct weir_batch_sizes){
		.mean = count ? sum / (double)count : NAN,
		.p50 = at[0],
		.p90 = at[1],
		.p95 = at[2],
		.p99 = at[3],
		.max = largest_size(executions),
	};
}

static double padding_waste(const struct weir_requests *requests)
{
	double tokens = 0, padded = 0;

	for (size_t i = 0; i < requests->count; i++) {
		if (requests->tokens[i] < 0 || requests->padded_tokens[i] < 0)
			continue;
		tokens += (double)requests->tokens[i];
		padded += (double)requests->padded_tokens[i];
	}
	return padded > 0 ? fmax(1 - tokens / padded, 0) : NAN;
}

static double coverage_of(const struct weir_requests *requests, const enum weir_part_class *classes,
                          int64_t compute_ns)
{
	double owned_ns = 0;

	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part)) {
			if (classes[part.stage] != WEIR_PART_COMPUTE)
				continue;
			if (requests->batch_size[i] <= 0)
				return NAN;
			owned_ns += (double)weir_span_ns(part.start_ns, part.end_ns) /
			            requests->batch_size[i];
		}
	}
	return compute_ns > 0 ? owned_ns / (double)compute_ns : NAN;
}

void weir_batch_figures(const struct weir_executions *executions,
                        const struct weir_requests *requests, const enum weir_part_class *classes,
                        int64_t compute_ns, struct weir_batch_figures *out)
{
	double *values, *tokens;
	size_t known = 0;

	values = weir_alloc((executions->count + 1) * sizeof *values);
	tokens = weir_alloc((executions->count + 1) * sizeof *tokens);
	for (size_t i = 0; i < executions->count; i++)
		if (!isnan(executions->items[i].tokens))
			tokens[known++] = executions->items[i].tokens;
	size_quantiles(executions, values, &out->sizes);
	out->fill = fill_of(executions, requests, classes);
	out->flat_step_ratio = out->step_tokens = NAN;
	if (weir_executions_batch(executions)) {
		out->flat_step_ratio = step_ratio(executions, false, values);
		if (isnan(out->flat_step_ratio))
			out->flat_step_ratio = step_ratio(executions, true, values);
		out->step_tokens = weir_median(tokens, known);
	}
	out->padding_waste = padding_waste(requests);
	out->coverage = coverage_of(requests, classes, compute_ns);
	free(tokens);
	free(values);
}
