/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/host_time.h"
#include "engine/base/arena.h"

/* The time that a row, or a thread, still has for the rows inside it: from given_ns to until_ns. */
struct share {
	int64_t until_ns, given_ns;
};

/* Takes the part of row i that its parent, or the thread, has not given to an earlier row. */
static struct weir_interval take_share(struct share *from, const struct weir_host_columns *host,
                                       size_t i)
{
	struct weir_interval own = {host->start_ns[i], host->end_ns[i]};

	if (own.start_ns < from->given_ns)
		own.start_ns = from->given_ns;
	if (own.end_ns > from->until_ns)
		own.end_ns = from->until_ns;
	if (own.end_ns < own.start_ns)
		own.end_ns = own.start_ns;
	else
		from->given_ns = own.end_ns;
	return own;
}

/* The rows around the current one, outermost first. */
struct around {
	struct share *shares;
	uint32_t *rows;
	size_t depth, share_capacity, row_capacity;
};

static void enter(struct around *around, uint32_t row, struct share share)
{
	around->shares = weir_grow(around->shares, &around->share_capacity, around->depth + 1,
	                           sizeof *around->shares);
	around->rows = weir_grow(around->rows, &around->row_capacity, around->depth + 1,
	                         sizeof *around->rows);
	around->shares[around->depth] = share;
	around->rows[around->depth++] = row;
}

/* Leaves the rows that do not enclose the next one, whose parent is given; a row that was left
 * encloses no later row. Returns the parent's share; NULL: no row encloses it. */
static struct share *leave_until(struct around *around, uint32_t parent)
{
	while (around->depth > 0 && around->rows[around->depth - 1] != parent)
		around->depth--;
	return around->depth > 0 ? &around->shares[around->depth - 1] : NULL;
}

void weir_host_time_init(struct weir_host_time *times, const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct share thread = {INT64_MAX, INT64_MIN};
	struct around around = {0};

	times->timeline = timeline;
	times->self_ns = weir_alloc(host->count * sizeof *times->self_ns);
	for (size_t i = 0; i < host->count; i++) {
		uint32_t parent = timeline->parent[i];
		struct share *outer = leave_until(&around, parent);
		struct weir_interval own;

		if (i > 0 && host->thread[i] != host->thread[i - 1])
			thread.given_ns = INT64_MIN;
		own = take_share(outer ? outer : &thread, host, i);
		enter(&around, (uint32_t)i, (struct share){own.end_ns, own.start_ns});
		times->self_ns[i] = weir_span_ns(own.start_ns, own.end_ns);
		if (parent != WEIR_NONE)
			times->self_ns[parent] -= times->self_ns[i];
	}
	free(around.shares);
	free(around.rows);
}

void weir_host_time_release(struct weir_host_time *times)
{
	free(times->self_ns);
	*times = (struct weir_host_time){0};
}

int64_t weir_host_time_total(const struct weir_host_time *times, uint32_t row)
{
	const struct weir_host_columns *host = &times->timeline->trace->host;

	return weir_span_ns(host->start_ns[row], host->end_ns[row]);
}

int64_t weir_host_time_self(const struct weir_host_time *times, uint32_t row)
{
	return times->self_ns[row];
}

static bool is_wanted(const struct weir_timeline *timeline, size_t row, unsigned classes,
                      const uint8_t *threads)
{
	const struct weir_host_columns *host = &timeline->trace->host;

	return host->kind[row] == WEIR_HOST_API && (!threads || threads[host->thread[row]]) &&
	       (classes & WEIR_API_BIT(timeline->api_class[host->name[row]]));
}

void weir_call_time_measure(const struct weir_timeline *timeline,
                            const struct weir_intervals *windows, unsigned classes,
                            const uint8_t *threads, struct weir_call_time *out)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	struct weir_intervals thread = {0}, all = {0};

	*out = (struct weir_call_time){0};
	for (size_t i = 0; i < host->count; i++) {
		if (i > 0 && host->thread[i] != host->thread[i - 1]) {
			out->thread_ns = weir_add_ns(out->thread_ns,
			                             weir_intervals_common_ns(&thread, windows));
			weir_intervals_clear(&thread);
		}
		if (!is_wanted(timeline, i, classes, threads))
			continue;
		weir_intervals_push(&thread, host->start_ns[i], host->end_ns[i]);
		weir_intervals_push(&all, host->start_ns[i], host->end_ns[i]);
		if (weir_intervals_meets(windows, host->start_ns[i], host->end_ns[i]))
			out->count[timeline->api_class[host->name[i]]]++;
	}
	out->thread_ns = weir_add_ns(out->thread_ns, weir_intervals_common_ns(&thread, windows));
	weir_intervals_unite(&all);
	out->any_ns = weir_intervals_common_ns(&all, windows);
	weir_intervals_release(&thread);
	weir_intervals_release(&all);
}

uint8_t *weir_launching_threads(const struct weir_trace *trace)
{
	uint8_t *threads = weir_alloc(trace->thread_count + 1);
	bool any = false;

	for (size_t i = 0; i < trace->device.count; i++) {
		if (trace->device.launch[i] == WEIR_NONE)
			continue;
		threads[trace->host.thread[trace->device.launch[i]]] = 1;
		any = true;
	}
	if (!any)
		memset(threads, 1, trace->thread_count);
	return threads;
}
