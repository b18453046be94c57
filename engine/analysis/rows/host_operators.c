/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the figures of a profile without device work: what its host threads did. */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"

/* Times of host rows, in ns, summed over ranks. */
struct times {
	double span;     /* from the first start to the last end */
	double any;      /* a thread runs an operator */
	double threads;  /* the same, of all threads together */
	double loading;  /* a thread loads data */
	double exchange; /* a collective runs */
};

static void push(struct weir_intervals *set, const struct weir_host_columns *host, size_t row)
{
	weir_intervals_push(set, host->start_ns[row], host->end_ns[row]);
}

static double take(struct weir_intervals *set)
{
	double total_ns;

	weir_intervals_unite(set);
	total_ns = (double)weir_intervals_total(set);
	weir_intervals_release(set);
	return total_ns;
}

/* Adds the operators of a rank, thread by thread. */
static void add_operators(const struct weir_host_columns *host, struct weir_host_operators *out,
                          struct times *times)
{
	struct weir_intervals thread = {0}, any = {0};
	uint32_t last = WEIR_NONE;

	for (size_t i = 0; i < host->count; i++) {
		if (host->kind[i] != WEIR_HOST_OP)
			continue;
		if (host->thread[i] != last) {
			times->threads += take(&thread);
			out->threads++;
		}
		last = host->thread[i];
		out->calls++;
		push(&thread, host, i);
		push(&any, host, i);
	}
	times->threads += take(&thread);
	times->any += take(&any);
}

/* Adds data loading and collectives, which may be frames and ranges as well as operators. */
static void add_ranges(const struct weir_trace *trace, struct times *times)
{
	const struct weir_host_columns *host = &trace->host;
	uint8_t *frames = weir_frame_class_of_names(trace->names);
	struct weir_intervals loading = {0}, exchange = {0}, all = {0};

	for (size_t i = 0; i < host->count; i++) {
		const char *name = weir_names_text(trace->names, host->name[i]);
		bool named = host->kind[i] == WEIR_HOST_OP || host->kind[i] == WEIR_HOST_ANNOTATION;

		push(&all, host, i);
		if (frames[host->name[i]] == WEIR_FRAME_INPUT)
			push(&loading, host, i);
		else if (named && weir_kernel_is_communication(name))
			push(&exchange, host, i);
	}
	times->loading += take(&loading);
	times->exchange += take(&exchange);
	weir_intervals_unite(&all);
	if (all.count > 0)
		times->span += (double)weir_span_ns(all.items[0].start_ns,
		                                    all.items[all.count - 1].end_ns);
	weir_intervals_release(&all);
	free(frames);
}

static bool launches(const struct weir_timeline *timeline, uint32_t row)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return row != WEIR_NONE && host->kind[row] == WEIR_HOST_API &&
	       (WEIR_API_BIT(timeline->api_class[host->name[row]]) & WEIR_API_LAUNCHES);
}

static uint64_t count_launches(const struct weir_timeline *timeline)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < timeline->trace->host.count; i++)
		count += launches(timeline, i) && !launches(timeline, timeline->parent[i]);
	return count;
}

void weir_fill_host_operators(const struct weir_analysis *analysis, struct weir_report *report)
{
	struct weir_host_operators *out;
	struct times times = {0};

	if (report->has_gpu || analysis->rank_count == 0)
		return;
	out = weir_arena_alloc(report->arena, sizeof *out);
	*out = (struct weir_host_operators){0};
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_rank *rank = &analysis->ranks[r];

		add_operators(&rank->trace->host, out, &times);
		add_ranges(rank->trace, &times);
		out->launches += count_launches(&rank->timeline);
	}
	if (!(times.span > 0))
		return;
	out->busy = times.any / times.span;
	out->parallel = times.any > 0 ? times.threads / times.any : NAN;
	out->loading = times.loading / times.span;
	out->communication = times.exchange / times.span;
	report->host_operators = out;
}

void weir_host_operator_features(const struct weir_report *report, double *values)
{
	const struct weir_host_operators *host = report->host_operators;

	if (!host)
		return;
	values[WEIR_F_HOST_LAUNCHES] = (double)host->launches;
	values[WEIR_F_HOST_LOADING] = host->loading;
	values[WEIR_F_HOST_COMMUNICATION] = host->communication;
	if (host->calls == 0)
		return;
	values[WEIR_F_HOST_BUSY_OPERATORS] = host->busy;
	values[WEIR_F_HOST_PARALLEL] = host->parallel;
	if (report->operator_count > 0)
		values[WEIR_F_HOST_TOP_SHARE] = report->operators->share;
}
