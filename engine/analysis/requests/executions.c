/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/requests/executions.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/stats/quantile.h"

/* Start and duration that the requests of one batch state may differ by the sum of several
 * roundings to microseconds. */
#define SAME_START_NS 20000
#define SAME_TIME_NS  1500
#define CLASSES       64  /* powers of two */
#define FEW           5   /* executions in each of the two groups that are compared */
#define FULL_SHARE    0.9 /* of the largest batch: a batch of this size counts as full */

/* The first computation of one request. */
struct computation {
	int64_t start_ns, compute_ns, dispatch_ns;
	size_t row;
};

static bool find_computation(const struct weir_requests *requests,
                             const enum weir_part_class *classes, size_t row,
                             struct computation *out)
{
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	int64_t queued_until_ns = INT64_MIN;

	while (weir_part_walk_next(&walk, &part)) {
		if (classes[part.stage] == WEIR_PART_QUEUE && part.end_ns > queued_until_ns)
			queued_until_ns = part.end_ns;
		if (classes[part.stage] != WEIR_PART_COMPUTE)
			continue;
		*out = (struct computation){
			part.start_ns, weir_span_ns(part.start_ns, part.end_ns),
			queued_until_ns == INT64_MIN ? part.start_ns : queued_until_ns, row};
		return true;
	}
	return false;
}

static int by_start(const void *left, const void *right)
{
	const struct computation *a = left, *b = right;

	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

static bool same_execution(const struct weir_execution *execution,
                           const struct computation *computation)
{
	int64_t apart_ns = computation->compute_ns - execution->compute_ns;

	return weir_span_ns(execution->start_ns, computation->start_ns) <= SAME_START_NS &&
	       apart_ns >= -SAME_TIME_NS && apart_ns <= SAME_TIME_NS;
}

static void add_request(struct weir_execution *execution, const struct computation *computation,
                        const struct weir_requests *requests)
{
	int32_t stated = requests->batch_size[computation->row];
	int64_t padded = requests->padded_tokens[computation->row];

	if (padded < 0)
		padded = requests->tokens[computation->row];
	execution->rows++;
	execution->tokens += padded < 0 ? NAN : (double)padded;
	if (computation->dispatch_ns > execution->dispatch_ns)
		execution->dispatch_ns = computation->dispatch_ns;
	if (stated > 0)
		execution->size = stated;
}

/* Completes sizes that are not stated by counting requests, if any execution has several. */
static void complete_sizes(struct weir_executions *executions)
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
	struct computation *computations = weir_alloc((requests->count + 1) * sizeof *computations);
	size_t count = 0, last = 0;

	for (size_t i = 0; i < requests->count; i++)
		count += find_computation(requests, classes, i, &computations[count]);
	qsort(computations, count, sizeof *computations, by_start);
	out->items = weir_alloc((count + 1) * sizeof *out->items);
	out->count = 0;
	for (size_t i = 0; i < count; i++) {
		/* Batches of several devices may begin together, so look among the last few. */
		size_t at = out->count;

		while (last < out->count && weir_span_ns(out->items[last].start_ns,
		                                         computations[i].start_ns) > SAME_START_NS)
			last++;
		for (size_t j = last; j < out->count && at == out->count && j < last + 64; j++)
			if (same_execution(&out->items[j], &computations[i]))
				at = j;
		if (at == out->count)
			out->items[out->count++] = (struct weir_execution){
				computations[i].start_ns, computations[i].compute_ns,
				computations[i].dispatch_ns, .size = NAN};
		add_request(&out->items[at], &computations[i], requests);
	}
	complete_sizes(out);
	free(computations);
}

/* Times at which requests entered and left a queue, each sorted. */
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

static bool leaves_others_waiting(const struct queue_edges *edges, int64_t dispatch_ns)
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

		if (isnan(execution->size) ||
		    !leaves_others_waiting(&edges, execution->dispatch_ns))
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
	/* A high percentile of tokens, as the longest text is rarer than the fullest batch. */
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

/* ---- contention ---- */

/* Durations of executions of similar size that began without and during host work. */
struct timings {
	double *alone_ns, *beside_ns;
	size_t alone, beside;
};

static int class_of(const struct weir_execution *execution)
{
	double size = isnan(execution->tokens) ? execution->size : execution->tokens;
	int exponent;

	if (!(size >= 1))
		return -1;
	frexp(size, &exponent);
	return exponent < CLASSES ? exponent : CLASSES - 1;
}

static void sort_into(const struct weir_executions *executions, const struct weir_intervals *host,
                      int class, struct timings *out)
{
	out->alone = out->beside = 0;
	for (size_t i = 0; i < executions->count; i++) {
		const struct weir_execution *execution = &executions->items[i];

		if (class_of(execution) != class)
			continue;
		if (weir_intervals_contains(host, execution->start_ns))
			out->beside_ns[out->beside++] = (double)execution->compute_ns;
		else
			out->alone_ns[out->alone++] = (double)execution->compute_ns;
	}
}

static double sum_above(const double *values, size_t count, double line)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i] > line ? values[i] - line : 0;
	return sum;
}

struct weir_contention weir_contention_measure(const struct weir_executions *executions,
                                               const struct weir_intervals *host)
{
	struct timings timings = {weir_alloc((executions->count + 1) * sizeof(double)),
	                          weir_alloc((executions->count + 1) * sizeof(double)), 0, 0};
	struct weir_contention out = {NAN, 0};
	double ratio_sum = 0, weight = 0, beyond_ns = 0, all_ns = 0;

	for (size_t i = 0; i < executions->count; i++)
		all_ns += (double)executions->items[i].compute_ns;
	for (int class = 0; class < CLASSES; class ++) {
		double alone_ns;

		sort_into(executions, host, class, &timings);
		if (timings.alone < FEW || timings.beside < FEW)
			continue;
		alone_ns = weir_median(timings.alone_ns, timings.alone);
		if (!(alone_ns > 0))
			continue;
		ratio_sum += weir_median(timings.beside_ns, timings.beside) / alone_ns *
		             (double)timings.beside;
		weight += (double)timings.beside;
		beyond_ns += sum_above(timings.beside_ns, timings.beside, alone_ns);
	}
	if (weight > 0)
		out.slowdown = ratio_sum / weight;
	if (out.slowdown >= WEIR_CONTENTION_MIN)
		out.stolen = beyond_ns / all_ns;
	free(timings.alone_ns);
	free(timings.beside_ns);
	return out;
}

void weir_host_time_of(const struct weir_requests *requests, const enum weir_part_class *classes,
                       struct weir_intervals *out)
{
	weir_intervals_clear(out);
	for (size_t i = 0; i < requests->count; i++) {
		struct weir_part_walk walk = weir_part_walk_on(requests, i);
		struct weir_part part;

		while (weir_part_walk_next(&walk, &part))
			if (classes[part.stage] == WEIR_PART_BEFORE ||
			    classes[part.stage] == WEIR_PART_AFTER)
				weir_intervals_push(out, part.start_ns, part.end_ns);
	}
	weir_intervals_unite(out);
}
