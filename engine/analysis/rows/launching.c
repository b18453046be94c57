/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/kernels.h"
#include "engine/analysis/rows/rows.h"
#include "engine/analysis/timeline/idle.h"
#include "engine/analysis/timeline/queue.h"
#include "engine/base/arena.h"

/* A name of idle time, summed over all ranks; texts are borrowed from their traces. */
struct named {
	const char *name, *in;
	uint64_t count;
	int64_t ns;
};

static const char *copy(struct weir_report *report, const char *text)
{
	return text[0] ? weir_arena_copy(report->arena, text, strlen(text)) : NULL;
}

/* Returns the length of the name without its step number or address: "ProfilerStep#12" equals
 * "ProfilerStep#13", and "... object at 0x7f8b>" equals the same text with another address. */
static size_t length_without_number(const char *name)
{
	const char *address = strstr(name, " at 0x");
	size_t length = address ? (size_t)(address - name) : strlen(name), at = length;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < length && at > 1 && name[at - 1] == '#' ? at - 1 : length;
}

static int compare_texts(const char *a, const char *b)
{
	size_t m = length_without_number(a), n = length_without_number(b);
	int order = memcmp(a, b, m < n ? m : n);

	return order ? order : (m > n) - (m < n);
}

static int by_text(const void *left, const void *right)
{
	const struct named *a = left, *b = right;
	int order = compare_texts(a->name, b->name);

	return order ? order : compare_texts(a->in, b->in);
}

static int by_idle_time(const void *left, const void *right)
{
	const struct named *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return by_text(left, right);
}

/* Adds up equal names of sorted rows; returns the new count. */
static size_t merge(struct named *rows, size_t count)
{
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		if (kept > 0 && by_text(&rows[kept - 1], &rows[i]) == 0) {
			rows[kept - 1].ns = weir_add_ns(rows[kept - 1].ns, rows[i].ns);
			rows[kept - 1].count += rows[i].count;
		} else {
			rows[kept++] = rows[i];
		}
	}
	return kept;
}

/* Returns all names of one cause of idle time; the caller frees them. */
static struct named *collect_names(const struct weir_analysis *analysis, enum weir_idle idle,
                                   size_t *count)
{
	struct named *rows = NULL;
	size_t capacity = 0;

	*count = 0;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		const struct weir_idle_names *names = &analysis->ranks[r].segments.idle_names;
		const struct weir_names *texts = analysis->ranks[r].trace->names;

		for (size_t i = 0; i < names->count; i++) {
			const struct weir_idle_entry *entry = &names->entries[i];

			if (entry->idle != idle)
				continue;
			rows = weir_grow(rows, &capacity, *count + 1, sizeof *rows);
			rows[(*count)++] = (struct named){weir_names_text(texts, entry->name),
			                                  weir_names_text(texts, entry->in),
			                                  entry->count, entry->ns};
		}
	}
	return rows;
}

/* Returns the name for the report: a short kernel name for device work, else the name without step
 * number and address. */
static const char *display(struct weir_report *report, const char *name, bool is_work)
{
	struct weir_text text = {0};
	const char *shown;

	if (is_work)
		weir_kernel_display(name, &text);
	else
		weir_text_add(&text, name, length_without_number(name));
	if (!is_work && name[0] == '<' && strstr(name, " at 0x"))
		weir_text_puts(&text, ">"); /* the address was cut off with it */
	shown = copy(report, text.data ? text.data : "");
	weir_text_release(&text);
	return shown;
}

static void fill_cause(const struct weir_analysis *analysis, enum weir_idle idle, int64_t total_ns,
                       struct weir_report *report)
{
	struct weir_idle_cause *cause = &report->gpu.idle_cause[idle];
	bool is_work = idle >= WEIR_IDLE_LAUNCH_LATENCY && idle != WEIR_IDLE_PROFILER;
	size_t count;
	struct named *rows = collect_names(analysis, idle, &count);

	if (count > 0) {
		qsort(rows, count, sizeof *rows, by_text);
		count = merge(rows, count);
		qsort(rows, count, sizeof *rows, by_idle_time);
	}
	for (size_t i = 0; i < count; i++)
		cause->total_ns = weir_add_ns(cause->total_ns, rows[i].ns);
	for (size_t i = 0; i < count && i < WEIR_MAX_IDLE_NAMES; i++)
		cause->names[cause->name_count++] = (struct weir_idle_name){
			.name = display(report, rows[i].name, is_work),
			.in = display(report, rows[i].in, false),
			.count = rows[i].count,
			.share = (double)rows[i].ns / (double)total_ns,
		};
	free(rows);
}

static void unite_windows(const struct weir_rank *rank, struct weir_intervals *out)
{
	for (size_t d = 0; d < rank->trace->device_count; d++)
		for (size_t w = 0; w < rank->steps.windows[d].count; w++)
			weir_intervals_push(out, rank->steps.windows[d].items[w].start_ns,
			                    rank->steps.windows[d].items[w].end_ns);
	weir_intervals_unite(out);
}

static void fill_launches(const struct weir_rank_launching *launching, struct weir_report *report)
{
	struct weir_gpu_figures *gpu = &report->gpu;

	gpu->launch_count = launching->row_count;
	gpu->launches =
		weir_arena_alloc(report->arena, (gpu->launch_count + 1) * sizeof *gpu->launches);
	for (size_t i = 0; i < gpu->launch_count; i++) {
		gpu->launches[i] = launching->rows[i];
		gpu->launches[i].api = copy(report, launching->rows[i].api);
	}
}

/* Fills the picture of the queue over time. */
static void fill_queue_times(const struct weir_rank *rank, const struct weir_queue_parts *parts,
                             struct weir_report *report)
{
	struct weir_queue_times *times;

	if (!parts->known)
		return;
	times = weir_arena_alloc(report->arena, sizeof *times);
	*times = (struct weir_queue_times){
		.rank = rank->rank,
		.device = parts->device,
		.length_ns = weir_span_ns(parts->from_ns, parts->to_ns),
		.bins = weir_arena_alloc(report->arena, WEIR_QUEUE_BINS * sizeof *times->bins),
		.bin_count = WEIR_QUEUE_BINS,
	};
	for (size_t i = 0; i < WEIR_QUEUE_BINS; i++) {
		double analysed_ns = (double)parts->analysed_ns[i];
		bool known = analysed_ns > 0;

		times->bins[i] = (struct weir_queue_bin){
			.analysed_ns = parts->analysed_ns[i],
			.mean = known ? parts->waiting[i] / analysed_ns : NAN,
			.most = known ? (double)parts->most[i] : NAN,
			.empty_share =
				known ? 1 - (double)parts->in_flight_ns[i] / analysed_ns : NAN,
		};
	}
	weir_report_pictures(report)->queue = times;
}

static void fill_of_rank(const struct weir_rank *rank, struct weir_report *report)
{
	const struct weir_launch_figures *launches = &rank->launches;
	struct weir_gpu_figures *gpu = &report->gpu;
	struct weir_intervals windows = {0};
	int64_t window_ns = 0;

	unite_windows(rank, &windows);
	for (size_t w = 0; w < windows.count; w++)
		window_ns = weir_add_ns(window_ns, weir_span_ns(windows.items[w].start_ns,
		                                                windows.items[w].end_ns));
	gpu->waits = (struct weir_host_waits){
		.sync_share = (double)launches->wait_ns / (double)window_ns,
		.launch_call_share = launches->launch_call_share,
		.syncs = launches->syncs,
		.blocking_copies = launches->blocking_copies,
		.scalar_reads = launches->scalar_reads,
	};
	if (rank->launching) {
		gpu->queue = rank->launching->queue;
		fill_queue_times(rank, &rank->launching->parts, report);
		fill_launches(rank->launching, report);
	}
	weir_intervals_release(&windows);
}

void weir_fill_launching(const struct weir_analysis *analysis, const struct weir_ledger *total,
                         struct weir_report *report)
{
	bool verdict_only = analysis->options.verdict_only;

	report->gpu.inter_kernel_limit_ns = WEIR_INTER_KERNEL_NS;
	for (int idle = 0; !verdict_only && idle < WEIR_IDLE_COUNT; idle++)
		fill_cause(analysis, (enum weir_idle)idle, total->total_ns, report);
	for (size_t r = 0; r < analysis->rank_count; r++) {
		if (analysis->ranks[r].trace->device.count == 0)
			continue;
		fill_of_rank(&analysis->ranks[r], report);
		return;
	}
}
