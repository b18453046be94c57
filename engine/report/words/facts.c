/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fills the context of a report above its tables, and the facts below them. */
#include <math.h>
#include <string.h>

#include "engine/report/plain/distinct.h"
#include "engine/report/plain/escape.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/map.h"
#include "engine/report/words/phrases.h"
#include "engine/report/words/warnings.h"

#define LISTED_APART     6    /* excluded steps listed one by one */
#define LISTED_WARNING   12   /* warnings listed one by one */
#define LISTED_PATH      4    /* items of the critical path listed below its kinds */
#define LISTED_STAGES    4    /* stages listed for one change */
#define PATH_COLUMNS     60   /* columns of a file's path */
#define LISTED_FINDINGS  4    /* pieces of the profiler's advice */
#define LISTED_FUNCTIONS 6    /* host functions */
#define LONG_NAME        48   /* columns of a kernel or function */
#define ADVICE_COLUMNS   240  /* columns of the first sentence of advice */
#define WORTH_NAMING     0.05 /* causes of idle time of at least this share get a name */
#define WORTH_A_KIND     5e-3 /* smaller shares of the critical path are left out */

/* Adds "vLLM server, 2 engines". */
static void add_server(const struct weir_server_figures *server, struct weir_items *items)
{
	struct weir_text *out = weir_items_add(items);

	weir_text_printf(out, "%s server, ", server->product);
	weir_items_number(out, server->engine_count, "engine");
}

static void add_devices(const struct weir_report *report, struct weir_items *items)
{
	bool counted = weir_map_is_counted(report) || (report->scraped_server && !report->server);

	if (counted)
		weir_text_printf(weir_items_add(items), "metrics of %s",
		                 report->scraped_server ? report->scraped_server : "a server");
	else if (report->server)
		add_server(report->server, items);
	if (!counted && !report->server && !report->device_count && !report->has_gpu &&
	    !report->has_requests && !report->has_telemetry && !report->counter_count &&
	    !report->host && !weir_report_has_note(report, "totals"))
		weir_text_puts(weir_items_add(items), "no device work recorded");
	for (size_t i = 0; i < report->device_count && i < 4; i++) {
		const struct weir_device_summary *device = &report->devices[i];
		struct weir_text *out = weir_items_add(items);

		if (device->count > 1)
			weir_text_printf(out, "%u x ", (unsigned)device->count);
		weir_cut_name(out, device->name ? device->name : "unnamed device",
		              WEIR_NAME_COLUMNS);
	}
}

static void add_iterations(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out;

	if (!report->iteration_count)
		return;
	out = weir_items_add(items);
	weir_items_number(out, report->iteration_count, "step");
	if (!isnan(report->iteration.p50_ns)) {
		weir_text_puts(out, " of ");
		weir_text_duration(out, weir_as_stored_ns(report->iteration.p50_ns));
		weir_text_puts(out, " (p50)");
	}
	if (!isnan(report->iteration.p95_ns)) {
		weir_text_puts(out, ", ");
		weir_text_duration(out, weir_as_stored_ns(report->iteration.p95_ns));
		weir_text_puts(out, " (p95)");
	}
}

/* Adds "2 runs of trtexec (no samples)". */
static void add_runs(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_profile *profile = report->profile;
	const char *tool = NULL;
	uint64_t runs = 0, summaries = 0;
	bool one_tool = true;
	struct weir_text *out;

	for (size_t i = 0; profile && i < profile->input_count; i++) {
		const struct weir_input *input = &profile->inputs[i];

		if (!input->run)
			continue;
		one_tool &= !runs || (tool && input->tool && strcmp(tool, input->tool) == 0);
		tool = input->tool;
		runs++;
		summaries += input->warnings[WEIR_WARN_MEANS_ONLY].count > 0;
	}
	if (!runs)
		return;
	out = weir_items_add(items);
	weir_items_number(out, runs, "run");
	if (one_tool && tool)
		weir_text_printf(out, " of %s", tool);
	if (summaries == runs)
		weir_text_puts(out, " (no samples)");
}

static void add_inputs(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_profile *profile = report->profile;
	struct weir_text *out;
	uint64_t traces = 0;

	for (size_t i = 0; profile && i < profile->input_count; i++)
		traces += weir_input_is_timeline(&profile->inputs[i]);
	add_runs(report, items);
	if (!traces)
		return;
	out = weir_items_add(items);
	weir_items_number(out, traces, "trace");
	if (report->span_ns > 0) {
		weir_text_puts(out, ", ");
		weir_text_duration(out, (double)report->span_ns);
	}
}

static void add_counters(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out;
	uint64_t launches = 0;

	if (!report->counter_count)
		return;
	for (size_t i = 0; i < report->counter_count; i++)
		launches += report->counters[i].count;
	out = weir_items_add(items);
	weir_text_puts(out, "hardware counters of ");
	weir_text_count(out, launches);
	weir_text_printf(out, " kernel launch%s", launches == 1 ? "" : "es");
}

/* Appends "173 samples", "2,800 cycles in 14 samples" or "6, in no stated unit". */
static void add_total(struct weir_text *out, const struct weir_host_figures *host)
{
	const char *word = host->cycles && host->unit != WEIR_HOST_SAMPLES        ? " cycle"
	                   : host->occurrences || host->unit != WEIR_HOST_SAMPLES ? " event"
	                                                                          : " sample";

	if (host->unit == WEIR_HOST_NS)
		weir_text_duration(out, host->total);
	else
		weir_text_count(out, host->total < 1e18 ? (uint64_t)host->total : 0);
	if (host->unit == WEIR_HOST_WEIGHT)
		weir_text_puts(out, ", the sum of the numbers behind the stacks");
	else if (host->unit != WEIR_HOST_NS)
		weir_text_printf(out, "%s%s", word, host->total == 1 ? "" : "s");
	if (host->calls > 0 && host->calls < 1e15) {
		weir_text_puts(out, " in ");
		weir_items_number(out, (uint64_t)host->calls, "function call");
	}
	if (host->samples && host->unit != WEIR_HOST_SAMPLES) {
		weir_text_puts(out, " in ");
		weir_items_number(out, host->samples, "sample");
	}
	if (host->event) {
		weir_text_puts(out, " of ");
		weir_cut_name(out, host->event, LONG_NAME);
	}
	if (host->unit == WEIR_HOST_WEIGHT)
		weir_text_puts(out, " (no unit stated)");
}

static void add_host(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_figures *host = report->host;
	struct weir_text *out;

	if (!host)
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "host profile: ");
	if (!(host->total > 0)) {
		weir_text_puts(out, "idle all the time");
		return;
	}
	add_total(out, host);
	if (host->threads > 1) {
		weir_text_puts(out, " summed over ");
		weir_items_number(out, host->threads, "thread");
	}
	if (!(host->idle > 0))
		return;
	weir_text_puts(out, " without idle time, which is ");
	weir_text_part(out, host->idle);
	weir_text_puts(out, " of the profile");
}

static void add_timeline(const struct weir_report *report, struct weir_items *items)
{
	size_t before = items->count;

	add_devices(report, items);
	add_iterations(report, items);
	if (weir_report_lacks_kernels(report))
		weir_text_puts(weir_items_add(items), "kernels not recorded");
	else if (report->has_gpu)
		weir_items_number(weir_items_add(items), report->gpu.kernels, "kernel");
	add_inputs(report, items);
	if (!report->steady && report->iteration_count)
		weir_text_puts(weir_items_add(items), "warm-up included");
	if (items->count > before)
		items->starts_line[before] = true;
}

void weir_items_context(const struct weir_report *report, struct weir_items *items)
{
	weir_items_requests(report, items);
	add_timeline(report, items);
	add_counters(report, items);
	add_host(report, items);
	weir_items_telemetry(report, items);
	weir_items_inputs(report, items);
}

void weir_items_evidence(const struct weir_report *report, struct weir_items *items)
{
	for (size_t i = 0; i < report->verdict.evidence_count; i++)
		weir_phrase_clause(report->feature_table, &report->verdict.evidence[i],
		                   weir_items_add(items));
}

static void add_exposed(struct weir_items *items, const char *label, double share, double exposed)
{
	size_t before = items->count;

	weir_items_share(items, label, share, "");
	if (items->count == before || isnan(exposed))
		return;
	weir_text_puts(&items->item[items->count - 1], " (exposed ");
	weir_text_share(&items->item[items->count - 1], exposed);
	weir_text_puts(&items->item[items->count - 1], ")");
}

static void fill_device(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_gpu_figures *gpu = &report->gpu;

	if (!report->has_gpu)
		return;
	weir_items_share(items, "active", gpu->active, "");
	weir_items_share(items, "compute", gpu->compute, "");
	add_exposed(items, "communication", gpu->communication, gpu->exposed_communication);
	add_exposed(items, "copies", gpu->memcpy, gpu->exposed_memcpy);
	weir_items_share(items, "graph replay", gpu->graph_share, "");
	weir_items_share(items, "MFU", gpu->mfu, "");
	weir_items_share(items, "MBU", gpu->mbu, "");
}

static const char *const idle_labels[WEIR_IDLE_COUNT] = {
	[WEIR_IDLE_DISPATCH] = "dispatch",
	[WEIR_IDLE_PYTHON] = "python",
	[WEIR_IDLE_HOST_WORK] = "host work",
	[WEIR_IDLE_INPUT] = "data loading",
	[WEIR_IDLE_HOST_SYNC] = "synchronisation",
	[WEIR_IDLE_ALLOCATOR] = "allocator",
	[WEIR_IDLE_COMPILE_LOAD] = "compile and load",
	[WEIR_IDLE_GARBAGE] = "garbage collection",
	[WEIR_IDLE_LIKELY_GARBAGE] = "likely garbage collection",
	[WEIR_IDLE_LOCK] = "interpreter lock",
	[WEIR_IDLE_BATCH_WINDOW] = "waiting for a batch to fill",
	[WEIR_IDLE_HOST_IDLE] = "no work submitted",
	[WEIR_IDLE_LAUNCH_LATENCY] = "launch latency",
	[WEIR_IDLE_INTER_KERNEL] = "between kernels",
	[WEIR_IDLE_DEPENDENCY] = "waiting for other streams",
	[WEIR_IDLE_DEPENDENCY_COMM] = "waiting for collectives",
	[WEIR_IDLE_PROFILER] = "profiler",
	[WEIR_IDLE_UNRECORDED] = "work not recorded",
	[WEIR_IDLE_UNLINKED] = "launch not recorded",
	[WEIR_IDLE_OTHER] = "other",
};

const char *weir_idle_words(const char *cause)
{
	enum weir_idle idle;

	return weir_idle_parse(cause, &idle) ? idle_labels[idle] : cause;
}

/* Adds the name of the call or frame that holds at least half of a cause: "host work 71 %
 * (sampler.py(44): sample)". */
static void add_cause_name(struct weir_items *items, const struct weir_idle_cause *cause,
                           double share)
{
	const struct weir_idle_name *first = cause->names;
	struct weir_text *out = items->count ? &items->item[items->count - 1] : NULL;

	if (!out || cause->name_count == 0 || !first->name || !(first->share >= share / 2))
		return;
	weir_text_puts(out, " (");
	weir_cut_name(out, first->name, WEIR_NAME_COLUMNS);
	weir_text_puts(out, ")");
}

static void fill_idle(const struct weir_report *report, struct weir_items *items)
{
	bool said[WEIR_IDLE_COUNT] = {false};

	if (!report->has_gpu)
		return;
	for (int round = 0; round < WEIR_IDLE_COUNT; round++) {
		int largest = -1;
		size_t before = items->count;

		for (int i = 0; i < WEIR_IDLE_COUNT; i++) {
			double share = report->gpu.idle_share[i];

			if (!said[i] && !isnan(share) &&
			    (largest < 0 || share > report->gpu.idle_share[largest]))
				largest = i;
		}
		if (largest < 0)
			return;
		said[largest] = true;
		weir_items_share(items, idle_labels[largest], report->gpu.idle_share[largest], "");
		if (items->count > before && largest < WEIR_IDLE_LAUNCH_LATENCY &&
		    report->gpu.idle_share[largest] >= WORTH_NAMING)
			add_cause_name(items, &report->gpu.idle_cause[largest],
			               report->gpu.idle_share[largest]);
	}
}

/* Waits are shown only if the device is idle as well: for a busy device they are normal. */
static void fill_waits(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_waits *waits = &report->gpu.waits;
	struct weir_text *out;

	if (!report->has_gpu || !(report->gpu.idle >= WORTH_NAMING) ||
	    !(waits->scalar_reads || report->gpu.idle_share[WEIR_IDLE_HOST_SYNC] >= WORTH_NAMING))
		return;
	weir_items_share(items, "synchronisation", waits->sync_share, " of the time");
	if (waits->syncs + waits->blocking_copies > 0) {
		out = weir_items_add(items);
		weir_items_number(out, waits->syncs + waits->blocking_copies, "wait");
	}
	if (waits->scalar_reads > 0) {
		out = weir_items_add(items);
		weir_items_number(out, waits->scalar_reads, "scalar read");
		weir_text_puts(out, " (.item())");
	}
}

/* Shows whether work was queued while the device was idle, and whether launch calls found the queue
 * full. */
static void fill_queue(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_queue_figures *queue = &report->gpu.queue;
	struct weir_text *out;

	if (!report->has_gpu || isnan(queue->waiting.mean) || !(report->gpu.idle >= WORTH_NAMING) ||
	    !(queue->starved_share >= WORTH_NAMING || queue->full_launches))
		return;
	weir_items_share(items, "empty", queue->starved_share, " of the idle time");
	out = weir_items_add(items);
	weir_text_printf(out, "depth %.1f (mean), %.0f (p95), %.0f (max)", queue->waiting.mean,
	                 queue->waiting.p95, queue->waiting.max);
	if (queue->full_launches) {
		out = weir_items_add(items);
		weir_items_number(out, queue->full_launches, "launch call");
		weir_text_puts(out, " blocked by a full queue");
	}
}

static void fill_launch(const struct weir_report *report, struct weir_items *items)
{
	if (!report->has_gpu)
		return;
	weir_items_duration(items, "p50", report->gpu.launch.p50_ns);
	weir_items_duration(items, "p90", report->gpu.launch.p90_ns);
	weir_items_duration(items, "p99", report->gpu.launch.p99_ns);
}

static void fill_memory(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_memory_figures *memory = &report->memory;
	const struct weir_memory_device *largest = &memory->largest;
	struct weir_text *out;

	if (!report->has_memory)
		return;
	weir_items_bytes(items, "peak allocated", largest->peak_allocated_bytes);
	weir_items_bytes(items, "peak reserved", largest->peak_reserved_bytes);
	weir_items_share(items, "peak", largest->used_share, " of the device's memory");
	weir_items_share(items, "fragmentation", largest->fragmentation, "");
	if (largest->leak_bytes_per_step > 0)
		weir_items_bytes(items, "growth per step", largest->leak_bytes_per_step);
	if (memory->allocator_share >= WEIR_WORTH_SAYING) {
		weir_items_share(items, "allocation calls", memory->allocator_share, "");
		weir_text_puts(&items->item[items->count - 1], " of the time");
	}
	if (memory->slow_allocations >= 1) {
		out = weir_items_add(items);
		weir_items_number(out, (uint64_t)memory->slow_allocations, "allocation");
		weir_text_puts(out, " over 1 ms");
		if (memory->slow_allocation_ns > 0) {
			weir_text_puts(out, ", in total ");
			weir_text_duration(out, weir_as_stored_ns(memory->slow_allocation_ns));
		}
	}
}

/* ---- critical path ---- */

static const char *const path_labels[WEIR_PATH_KIND_COUNT] = {
	[WEIR_PATH_HOST_OP] = "host code",     [WEIR_PATH_HOST_API] = "driver calls",
	[WEIR_PATH_LAUNCH] = "launch latency", [WEIR_PATH_KERNEL_GAP] = "gaps between kernels",
	[WEIR_PATH_COMPUTE] = "compute",       [WEIR_PATH_MEMORY] = "memory-limited kernels",
	[WEIR_PATH_MEMCPY] = "copies",         [WEIR_PATH_COMMUNICATION] = "communication",
	[WEIR_PATH_INPUT] = "data loading",    [WEIR_PATH_IDLE] = "idle",
};

static double path_share(const struct weir_critical_path *path, int64_t ns)
{
	return weir_as_stored_share((double)ns / (double)path->span_ns);
}

static void add_path_share(struct weir_text *out, const struct weir_critical_path *path, int64_t ns)
{
	weir_text_puts(out, " ");
	weir_text_share(out, path_share(path, ns));
}

/* Adds the kinds by time, largest first; ties in the order of the enum. */
static void add_path_kinds(const struct weir_critical_path *path, struct weir_items *items)
{
	bool said[WEIR_PATH_KIND_COUNT] = {false};

	for (int round = 0; round < WEIR_PATH_KIND_COUNT; round++) {
		int largest = -1;
		struct weir_text *out;

		for (int kind = 0; kind < WEIR_PATH_KIND_COUNT; kind++)
			if (!said[kind] && (largest < 0 || path->ns[kind] > path->ns[largest]))
				largest = kind;
		if (largest < 0 || path_share(path, path->ns[largest]) < WORTH_A_KIND)
			return;
		said[largest] = true;
		out = weir_items_add(items);
		weir_text_puts(out, path_labels[largest]);
		add_path_share(out, path, path->ns[largest]);
	}
}

/* Adds how much of the path on the host the device works beside it: the path runs through the host,
 * but without it no more than the idle time would be saved. */
static void add_path_overlap(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_critical_path *path = report->critical_path;
	double host = path_share(path, path->ns[WEIR_PATH_HOST_OP] + path->ns[WEIR_PATH_HOST_API]);
	double hidden = host - report->gpu.idle;

	if (!(hidden >= WORTH_NAMING))
		return;
	weir_text_puts(weir_items_add(items), "on the host at least ");
	weir_text_share(&items->item[items->count - 1], hidden);
	weir_text_puts(&items->item[items->count - 1], " while the device works");
}

/* Returns true if another listed item has this name: an operator can be listed for its host time
 * and for its device time. */
static bool is_listed_twice(const struct weir_critical_path *path, size_t index)
{
	for (size_t i = 0; i < path->item_count && i < LISTED_PATH; i++)
		if (i != index && strcmp(path->items[i].name, path->items[index].name) == 0)
			return true;
	return false;
}

static void fill_path(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_critical_path *path = report->critical_path;

	if (!path)
		return;
	add_path_kinds(path, items);
	add_path_overlap(report, items);
	if (path->approximate)
		weir_text_puts(weir_items_add(items), "approximate");
	for (size_t i = 0; i < path->item_count && i < LISTED_PATH; i++) {
		const struct weir_path_item *item = &path->items[i];
		struct weir_text *out;

		if (path_share(path, item->ns) < WORTH_A_KIND)
			break;
		out = weir_items_add(items);
		items->starts_line[items->count - 1] = i == 0;
		weir_cut_name(out, item->name, WEIR_NAME_COLUMNS);
		if (is_listed_twice(path, i))
			weir_text_printf(out, " (%s)", path_labels[item->kind]);
		add_path_share(out, path, item->ns);
	}
}

/* ---- what-if ---- */

static void add_time(struct weir_text *out, double ns, double speedup)
{
	weir_text_duration(out, weir_as_stored_ns(ns));
	if (!isnan(speedup))
		weir_text_printf(out, " (%.2fx)", weir_as_stored_share(speedup));
}

static void add_changed_stages(struct weir_text *out, const struct weir_what_if *what_if)
{
	for (size_t i = 0; i < what_if->stage_count && i < LISTED_STAGES; i++) {
		weir_text_puts(out, i ? ", " : "; ");
		weir_escape_name(out, what_if->stages[i].name);
		weir_text_puts(out, " ");
		add_time(out, what_if->stages[i].p50_ns, what_if->stages[i].speedup);
	}
	if (what_if->stage_count > LISTED_STAGES)
		weir_text_printf(out, ", ... %zu more", what_if->stage_count - LISTED_STAGES);
}

static void fill_what_if(const struct weir_report *report, struct weir_items *items)
{
	for (size_t i = 0; i < report->what_if_count; i++) {
		const struct weir_what_if *what_if = &report->what_ifs[i];
		struct weir_text *out = weir_items_add(items);

		weir_text_clear(out);
		weir_escape_name(out, what_if->class_name);
		if (what_if->factor > 0)
			weir_text_printf(out, " scaled by %g: ", what_if->factor);
		else
			weir_text_puts(out, " removed: ");
		if (isnan(what_if->step_ns)) {
			weir_text_puts(out, "these inputs do not show the effect");
			continue;
		}
		weir_text_puts(out, report->iteration_count ? "step time " : "total time ");
		add_time(out, what_if->step_ns, what_if->speedup);
		add_changed_stages(out, what_if);
	}
}

static void fill_profiler(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out;

	if (!report->profiler.source || isnan(report->profiler.inflation))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "this run took %.2fx the time without it, according to ",
	                 weir_as_stored_share(report->profiler.inflation));
	weir_cut_name(out, report->profiler.source, PATH_COLUMNS);
}

/* ---- counters of the largest kernel, and the profiler's advice about it ---- */

/* Adds a share like weir_items_share(), but also 0 %, which shows an unused unit. */
static void add_counter(struct weir_items *items, const char *label, double share)
{
	struct weir_text *out;

	if (isnan(share))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "%s ", label);
	weir_text_share(out, share);
}

static void fill_kernel_counters(const struct weir_report *report, struct weir_items *items)
{
	const double *value;
	struct weir_text *out;

	if (!report->counter_count)
		return;
	value = report->counters[0].value;
	weir_cut_name(weir_items_add(items), report->counters[0].kernel, LONG_NAME);
	add_counter(items, "SM", value[WEIR_COUNTER_SM]);
	add_counter(items, "tensor cores", value[WEIR_COUNTER_TENSOR]);
	add_counter(items, "DRAM", value[WEIR_COUNTER_DRAM]);
	add_counter(items, "L2", value[WEIR_COUNTER_L2]);
	add_counter(items, "L1", value[WEIR_COUNTER_L1]);
	add_counter(items, "occupancy", value[WEIR_COUNTER_OCCUPANCY]);
	if (!isnan(value[WEIR_COUNTER_WAVES])) {
		out = weir_items_add(items);
		weir_text_printf(out, "%.2f waves", value[WEIR_COUNTER_WAVES]);
	}
	if (!isnan(value[WEIR_COUNTER_DRAM_BYTES])) {
		out = weir_items_add(items);
		weir_text_bytes(out, value[WEIR_COUNTER_DRAM_BYTES]);
		weir_text_puts(out, " of DRAM traffic");
	}
}

static void add_finding(const struct weir_counter_remark *remark, struct weir_items *items)
{
	struct weir_text *out = weir_items_add(items), plain = {0};
	char *sentence;

	weir_escape_name(out, remark->rule);
	weir_text_puts(out, remark->scope == WEIR_FINDING_LOCAL ? " (estimated local speed-up "
	                                                        : " (estimated speed-up ");
	weir_text_share(out, remark->speedup);
	weir_text_puts(out, "): ");
	weir_escape_plain(&plain, remark->text ? remark->text : "");
	sentence = plain.data ? strstr(plain.data, ". ") : NULL;
	if (sentence)
		*sentence = '\0';
	weir_cut(out, plain.data ? plain.data : "", ADVICE_COLUMNS);
	weir_text_release(&plain);
}

/* Orders advice: about the whole kernel first, then by estimate, largest first. */
static bool comes_before(const struct weir_counter_remark *a, const struct weir_counter_remark *b)
{
	if (a->scope != b->scope)
		return a->scope > b->scope;
	return a->speedup != b->speedup ? a->speedup > b->speedup : a < b;
}

/* Returns the next advice after `said` (NULL: the first) that has an estimate. */
static const struct weir_counter_remark *next_finding(const struct weir_counter_row *row,
                                                      const struct weir_counter_remark *said)
{
	const struct weir_counter_remark *best = NULL;

	for (size_t i = 0; i < row->remark_count; i++) {
		const struct weir_counter_remark *remark = &row->remarks[i];

		if (!(remark->speedup > 0) || (said && !comes_before(said, remark)))
			continue;
		if (!best || comes_before(remark, best))
			best = remark;
	}
	return best;
}

static void fill_kernel_findings(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_counter_remark *remark = NULL;

	if (!report->counter_count)
		return;
	for (int i = 0; i < LISTED_FINDINGS; i++) {
		remark = next_finding(&report->counters[0], remark);
		if (!remark)
			return;
		add_finding(remark, items);
	}
}

/* Adds "matmul (ops.py): 74 % self, 80 % total". */
static void add_function(const struct weir_host_function_row *row, const struct weir_text *name,
                         struct weir_items *items)
{
	struct weir_text *out = weir_items_add(items);

	weir_text_add(out, name->data, name->length);
	if (row->file) {
		weir_text_puts(out, " (");
		weir_cut_name(out, row->file, LONG_NAME);
		if (row->line)
			weir_text_printf(out, ":%u", (unsigned)row->line);
		weir_text_puts(out, ")");
	}
	weir_text_puts(out, ": ");
	weir_text_share(out, row->self);
	weir_text_puts(out, " self");
	if (row->total > row->self) {
		weir_text_puts(out, ", ");
		weir_text_share(out, row->total);
		weir_text_puts(out, " total");
	}
	if (row->calls > 0 && row->calls < 1e15) {
		weir_text_puts(out, ", ");
		weir_items_number(out, (uint64_t)row->calls, "call");
	}
}

/* Lists the functions with the most self time. Functions of one name in several files keep
 * that name; different names stay distinct when they are cut. */
static void list_functions(const struct weir_host_figures *host, struct weir_items *items)
{
	struct weir_slice names[LISTED_FUNCTIONS] = {{"", 0}};
	struct weir_text cut[LISTED_FUNCTIONS] = {0};
	size_t count = 0;

	while (host && count < host->function_count && count < LISTED_FUNCTIONS &&
	       host->functions[count].self > 0) {
		names[count] = weir_slice_of(
			host->functions[count].function ? host->functions[count].function : "");
		count++;
	}
	weir_cut_names_distinct(names, count, LONG_NAME, cut);
	for (size_t i = 0; i < count; i++) {
		add_function(&host->functions[i], &cut[i], items);
		weir_text_release(&cut[i]);
	}
}

static void fill_host_time(const struct weir_report *report, struct weir_items *items)
{
	if (report->host && !report->host->event && report->host->unit != WEIR_HOST_WEIGHT)
		list_functions(report->host, items);
}

static void fill_host_weight(const struct weir_report *report, struct weir_items *items)
{
	if (report->host && !report->host->event && report->host->unit == WEIR_HOST_WEIGHT)
		list_functions(report->host, items);
}

static void fill_host_samples(const struct weir_report *report, struct weir_items *items)
{
	if (report->host && report->host->event)
		list_functions(report->host, items);
}

static void fill_host_operators(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_operators *host = report->host_operators;
	struct weir_text *out;

	if (!host)
		return;
	if (host->calls > 0) {
		weir_items_share(items, "operators", host->busy, " of the time");
		out = weir_items_add(items);
		weir_items_number(out, host->threads, "thread");
		if (!isnan(host->parallel))
			weir_text_printf(out, " (%.1f in operators at a time)", host->parallel);
	}
	if (host->loading >= WEIR_WORTH_SAYING)
		weir_items_share(items, "data loading", host->loading, "");
	if (host->communication >= WEIR_WORTH_SAYING)
		weir_items_share(items, "collectives", host->communication, "");
	if (host->launches > 0) {
		out = weir_items_add(items);
		weir_items_number(out, host->launches, "launch call");
	}
}

/* ---- work outside the analysis ---- */

static void fill_set_apart(const struct weir_report *report, struct weir_items *items)
{
	size_t listed =
		report->set_apart_count > LISTED_APART ? LISTED_APART - 1 : report->set_apart_count;

	for (size_t i = 0; i < listed; i++) {
		const struct weir_set_apart *apart = &report->set_apart[i];
		struct weir_text *out = weir_items_add(items);

		if (apart->count > 1) {
			weir_text_count(out, apart->count);
			weir_text_puts(out, " x ");
		}
		weir_cut_name(out, apart->name, WEIR_NAME_COLUMNS);
		weir_text_puts(out, apart->reason ? ": " : "");
		weir_escape_plain(out, apart->reason ? apart->reason : "");
	}
	if (listed < report->set_apart_count)
		weir_text_printf(weir_items_add(items), "... %zu more",
		                 report->set_apart_count - listed);
}

static void fill_warnings(const struct weir_report *report, struct weir_items *items)
{
	size_t count = report->profile ? report->profile->input_count : 0, unlisted = 0;

	for (size_t i = 0; i < count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		for (int code = 0; code < WEIR_WARN_COUNT; code++) {
			/* add_runs() states that there are no samples. */
			if (!input->warnings[code].count || code == WEIR_WARN_MEANS_ONLY)
				continue;
			if (items->count < LISTED_WARNING)
				weir_warning_of_input(input, (enum weir_warning_code)code,
				                      report->profile->input_count > 1,
				                      weir_items_add(items));
			else
				unlisted++;
		}
	}
	if (unlisted)
		weir_text_printf(weir_items_add(items), "... %zu more in the JSON report",
		                 unlisted);
}

const char *weir_facts_title(const struct weir_report *report)
{
	return report->has_requests || report->has_telemetry
	               ? "Queueing, batches, devices, warnings"
	               : "Device, steps set apart, warnings";
}

const struct weir_fact_line weir_fact_lines[] = {
	{.id = "what-if", .label = "what if", .fill = fill_what_if, .one_a_line = true},
	{.id = "waiting", .label = "queueing", .fill = weir_fill_waiting},
	{.id = "batches", .label = "batches", .fill = weir_fill_batches},
	{.id = "first-token", .label = "TTFT", .fill = weir_fill_first_token},
	{.id = "tokens", .label = "tokens", .fill = weir_fill_tokens},
	{.id = "goodput", .label = "goodput", .fill = weir_fill_goodput},
	{.id = "cost", .label = "cost", .fill = weir_fill_cost},
	{.id = "server", .label = "server", .fill = weir_fill_server_state},
	{.id = "kv-cache", .label = "KV cache", .fill = weir_fill_kv_cache},
	{.id = "server-steps", .label = "server steps", .fill = weir_fill_server_steps},
	{.id = "slow-requests", .label = "slow requests", .fill = weir_fill_slow_requests},
	{.id = "speculation", .label = "speculation", .fill = weir_fill_speculation},
	{.id = "telemetry", .label = "telemetry", .fill = weir_fill_telemetry},
	{.id = "device", .label = "device time", .fill = fill_device},
	{.id = "idle", .label = "idle, by cause", .fill = fill_idle},
	{.id = "queue", .label = "launch queue", .fill = fill_queue},
	{.id = "waits", .label = "host waits", .fill = fill_waits},
	{.id = "path", .label = "critical path", .fill = fill_path},
	{.id = "launch", .label = "launch latency", .fill = fill_launch},
	{.id = "profiler", .label = "profiler", .fill = fill_profiler},
	{.id = "memory", .label = "device memory", .fill = fill_memory},
	{.id = "counters", .label = "largest kernel", .fill = fill_kernel_counters},
	{.id = "findings",
         .label = "Nsight Compute",
         .fill = fill_kernel_findings,
         .one_a_line = true},
	{.id = "host", .label = "host time", .fill = fill_host_time, .one_a_line = true},
	{.id = "host-weight", .label = "host stacks", .fill = fill_host_weight, .one_a_line = true},
	{.id = "host-events",
         .label = "host samples",
         .fill = fill_host_samples,
         .one_a_line = true},
	{.id = "operators", .label = "host threads", .fill = fill_host_operators},
	{.id = "apart", .label = "set apart", .fill = fill_set_apart, .one_a_line = true},
	{.id = "notes", .label = "notes", .fill = weir_fill_notes, .one_a_line = true},
	{.id = "warnings",
         .label = "warnings",
         .fill = fill_warnings,
         .none = "none",
         .one_a_line = true},
	{.id = NULL},
};
