/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator table of a trace without device work: host operators by their self time. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rows/analysis_impl.h"
#include "engine/base/arena.h"

struct host_call {
	const char *name;
	double self_ns, total_ns;
};

static int by_name(const void *left, const void *right)
{
	const struct host_call *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	if (order != 0)
		return order;
	return (a->self_ns > b->self_ns) - (a->self_ns < b->self_ns);
}

static struct host_call *collect(const struct weir_analysis *analysis,
                                 const struct weir_host_time *host_times, size_t *count)
{
	struct host_call *calls = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_host_columns *host = &analysis->ranks[r].trace->host;

		for (uint32_t i = 0; i < host->count; i++) {
			if (host->kind[i] != WEIR_HOST_OP)
				continue;
			calls = weir_grow(calls, &capacity, *count + 1, sizeof *calls);
			calls[(*count)++] = (struct host_call){
				weir_timeline_host_name(&analysis->ranks[r].timeline, i),
				(double)weir_host_time_self(&host_times[r], i),
				(double)weir_host_time_total(&host_times[r], i),
			};
		}
	}
	if (*count > 0)
		qsort(calls, *count, sizeof *calls, by_name);
	return calls;
}

static void fill_row(struct weir_report *report, const struct host_call *calls, size_t count,
                     double *scratch)
{
	struct weir_operator_row *row = &report->operators[report->operator_count++];

	row->name = weir_arena_copy(report->arena, calls->name, strlen(calls->name));
	row->kernel = NULL;
	row->kind = "host";
	for (size_t i = 0; i < count; i++)
		scratch[i] = calls[i].total_ns;
	row->host_total_ns = weir_distribution_of(scratch, count).p50_ns;
	for (size_t i = 0; i < count; i++)
		scratch[i] = calls[i].self_ns;
	row->call = weir_distribution_of(scratch, count);
	row->host_self_ns = row->call.p50_ns;
	row->share = row->calls_per_iteration = NAN;
	row->flops = row->bytes = row->tflops = row->gbps = row->efficiency = NAN;
	row->verdict = (struct weir_verdict){
		.bound = WEIR_BOUND_UNDETERMINED, .share = NAN, .runner_up_share = NAN};
	row->features = weir_arena_alloc(report->arena, WEIR_F_COUNT * sizeof *row->features);
	weir_features_clear(row->features);
}

static size_t count_names(const struct host_call *calls, size_t count)
{
	size_t names = 0;

	for (size_t i = 0; i < count; i++)
		names += i == 0 || strcmp(calls[i].name, calls[i - 1].name) != 0;
	return names;
}

void weir_fill_host_operators(const struct weir_analysis *analysis,
                              const struct weir_host_time *host_times, struct weir_report *report)
{
	size_t count;
	struct host_call *calls = collect(analysis, host_times, &count);
	double *scratch = weir_alloc((count + 1) * sizeof *scratch);

	report->operators = weir_arena_alloc(report->arena, (count_names(calls, count) + 1) *
	                                                            sizeof *report->operators);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && strcmp(calls[i].name, calls[end].name) == 0;)
			end++;
		fill_row(report, &calls[i], end - i, scratch);
	}
	free(scratch);
	free(calls);
}
