/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Short items: the context of a report above its tables, the facts below them. */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/map.h"
#include "engine/report/words/facts_path.h"
#include "engine/report/words/facts_profilers.h"
#include "engine/report/words/facts_serving.h"
#include "engine/report/words/facts_what_if.h"
#include "engine/report/words/phrases.h"
#include "engine/report/words/warnings.h"

#define NAME_COLUMNS   40   /* of a step or a path inside a sentence */
#define LISTED_APART   6    /* steps set apart that are listed one by one */
#define LISTED_WARNING 12   /* warnings that are listed one by one */
#define WORTH_SAYING   5e-4 /* smaller shares are left out of a line */
#define WORTH_NAMING   0.05 /* smaller ones are said without what they are made of */

void weir_items_release(struct weir_items *items)
{
	for (size_t i = 0; i < items->count; i++)
		weir_text_release(&items->item[i]);
	*items = (struct weir_items){.count = 0};
}

struct weir_text *weir_items_add(struct weir_items *items)
{
	if (items->count < WEIR_MAX_ITEMS)
		items->count++;
	return &items->item[items->count - 1];
}

static void add_name(struct weir_text *out, const char *name)
{
	struct weir_text plain = {0};

	weir_escape_name(&plain, name);
	weir_cut(out, plain.data, NAME_COLUMNS);
	weir_text_release(&plain);
}

static void add_counted(struct weir_text *out, uint64_t count, const char *singular)
{
	weir_text_count(out, count);
	weir_text_printf(out, " %s%s", singular, count == 1 ? "" : "s");
}

/* "label 12 %", where the share is known and worth a word. */
static void add_share(struct weir_items *items, const char *label, double share)
{
	struct weir_text *out;

	if (isnan(share) || share < WORTH_SAYING)
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "%s ", label);
	weir_text_share(out, weir_as_stored_share(share));
}

static void add_duration(struct weir_items *items, const char *label, double ns)
{
	struct weir_text *out;

	if (isnan(ns))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "%s ", label);
	weir_text_duration(out, weir_as_stored_ns(ns));
}

static void add_devices(const struct weir_report *report, struct weir_items *items)
{
	bool counted = weir_map_is_counted(report);

	if (counted)
		weir_text_puts(weir_items_add(items), "counters and histograms of a server");
	if (!counted && !report->device_count && !report->has_gpu && !report->has_requests &&
	    !report->has_telemetry && !report->counter_count && !report->host)
		weir_text_puts(weir_items_add(items), "no device work recorded");
	for (size_t i = 0; i < report->device_count && i < 4; i++) {
		const struct weir_device_summary *device = &report->devices[i];
		struct weir_text *out = weir_items_add(items);

		if (device->count > 1)
			weir_text_printf(out, "%u x ", (unsigned)device->count);
		add_name(out, device->name ? device->name : "unnamed device");
	}
}

static void add_iterations(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out;

	if (!report->iteration_count)
		return;
	out = weir_items_add(items);
	add_counted(out, report->iteration_count, "step");
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

static void add_inputs(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_profile *profile = report->profile;
	uint64_t traces = 0, runs = 0;
	struct weir_text *out;

	for (size_t i = 0; profile && i < profile->input_count; i++) {
		traces += profile->inputs[i].trace != NULL;
		runs += profile->inputs[i].run != NULL;
	}
	if (runs)
		add_counted(weir_items_add(items), runs, "native run");
	if (!traces)
		return;
	out = weir_items_add(items);
	add_counted(out, traces, "trace");
	if (report->span_ns > 0) {
		weir_text_puts(out, ", ");
		weir_text_duration(out, (double)report->span_ns);
	}
}

static void add_timeline(const struct weir_report *report, struct weir_items *items)
{
	size_t before = items->count;

	add_devices(report, items);
	add_iterations(report, items);
	if (report->has_gpu)
		add_counted(weir_items_add(items), report->gpu.kernels, "kernel");
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
	weir_items_counters(report, items);
	weir_items_host(report, items);
	weir_items_telemetry(report, items);
	weir_items_inputs(report, items);
}

void weir_phrase_share_of(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "share of ");
	if (!report->has_requests) {
		weir_text_puts(out, "wall time");
		return;
	}
	weir_map_label(report, WEIR_MAP_ASKED, out);
	weir_text_puts(out, " latency");
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

	add_share(items, label, share);
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
	add_share(items, "active", gpu->active);
	add_share(items, "compute", gpu->compute);
	add_exposed(items, "communication", gpu->communication, gpu->exposed_communication);
	add_exposed(items, "copies", gpu->memcpy, gpu->exposed_memcpy);
	add_share(items, "graph replay", gpu->graph_share);
	add_share(items, "MFU", gpu->mfu);
	add_share(items, "MBU", gpu->mbu);
}

static const char *const idle_labels[WEIR_IDLE_COUNT] = {
	[WEIR_IDLE_DISPATCH] = "dispatch",
	[WEIR_IDLE_PYTHON] = "python",
	[WEIR_IDLE_HOST_WORK] = "host work",
	[WEIR_IDLE_INPUT] = "input",
	[WEIR_IDLE_HOST_SYNC] = "synchronisation",
	[WEIR_IDLE_ALLOCATOR] = "allocator",
	[WEIR_IDLE_COMPILE_LOAD] = "compile and load",
	[WEIR_IDLE_HOST_IDLE] = "no work",
	[WEIR_IDLE_LAUNCH_LATENCY] = "launch latency",
	[WEIR_IDLE_INTER_KERNEL] = "between kernels",
	[WEIR_IDLE_DEPENDENCY] = "other streams",
	[WEIR_IDLE_DEPENDENCY_COMM] = "collectives",
	[WEIR_IDLE_PROFILER] = "profiler",
	[WEIR_IDLE_UNLINKED] = "launch not recorded",
	[WEIR_IDLE_OTHER] = "other",
};

/* What a thread did for half of a cause or longer: "host work 71 % (sampler.py(44): sample)". */
static void add_cause_name(struct weir_items *items, const struct weir_idle_cause *cause,
                           double share)
{
	const struct weir_idle_name *first = cause->names;
	struct weir_text *out = items->count ? &items->item[items->count - 1] : NULL;

	if (!out || cause->name_count == 0 || !first->name || !(first->share >= share / 2))
		return;
	weir_text_puts(out, " (");
	add_name(out, first->name);
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
		add_share(items, idle_labels[largest], report->gpu.idle_share[largest]);
		if (items->count > before && largest < WEIR_IDLE_LAUNCH_LATENCY &&
		    report->gpu.idle_share[largest] >= WORTH_NAMING)
			add_cause_name(items, &report->gpu.idle_cause[largest],
			               report->gpu.idle_share[largest]);
	}
}

/* Only where the device waits as well: for a busy one, waiting is the rule. */
static void fill_waits(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_waits *waits = &report->gpu.waits;
	struct weir_text *out;

	if (!report->has_gpu || !(report->gpu.idle >= WORTH_NAMING) ||
	    !(waits->scalar_reads || report->gpu.idle_share[WEIR_IDLE_HOST_SYNC] >= WORTH_NAMING))
		return;
	add_share(items, "in synchronisation", waits->sync_share);
	if (waits->syncs + waits->blocking_copies > 0) {
		out = weir_items_add(items);
		add_counted(out, waits->syncs + waits->blocking_copies, "wait");
	}
	if (waits->scalar_reads > 0) {
		out = weir_items_add(items);
		add_counted(out, waits->scalar_reads, "read");
		weir_text_puts(out, " of a single value (.item())");
	}
}

/* Where the device idles: was work there? And where calls found the queue full. */
static void fill_queue(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_queue_figures *queue = &report->gpu.queue;
	struct weir_text *out;

	if (!report->has_gpu || isnan(queue->waiting.mean) || !(report->gpu.idle >= WORTH_NAMING) ||
	    !(queue->starved_share >= WORTH_NAMING || queue->full_launches))
		return;
	add_share(items, "empty while idle", queue->starved_share);
	out = weir_items_add(items);
	weir_text_printf(out, "depth %.1f on average, p95 %.0f, at most %.0f", queue->waiting.mean,
	                 queue->waiting.p95, queue->waiting.max);
	if (queue->full_launches) {
		out = weir_items_add(items);
		add_counted(out, queue->full_launches, "call");
		weir_text_puts(out, " waited for room");
	}
}

static void fill_launch(const struct weir_report *report, struct weir_items *items)
{
	if (!report->has_gpu)
		return;
	add_duration(items, "p50", report->gpu.launch.p50_ns);
	add_duration(items, "p90", report->gpu.launch.p90_ns);
	add_duration(items, "p99", report->gpu.launch.p99_ns);
}

static void add_bytes(struct weir_items *items, const char *label, double bytes)
{
	struct weir_text *out;

	if (isnan(bytes))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "%s ", label);
	weir_text_bytes(out, bytes);
}

static void fill_memory(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_memory_figures *memory = &report->memory;
	const struct weir_memory_device *largest = &memory->largest;
	struct weir_text *out;

	if (!report->has_memory)
		return;
	add_bytes(items, "peak allocated", largest->peak_allocated_bytes);
	add_bytes(items, "peak reserved", largest->peak_reserved_bytes);
	add_share(items, "of the device", largest->used_share);
	add_share(items, "fragmentation", largest->fragmentation);
	if (largest->leak_bytes_per_step > 0)
		add_bytes(items, "growth a step", largest->leak_bytes_per_step);
	if (memory->allocator_share >= WORTH_SAYING) {
		add_share(items, "allocation calls", memory->allocator_share);
		weir_text_puts(&items->item[items->count - 1], " of the time");
	}
	if (memory->slow_allocations >= 1) {
		out = weir_items_add(items);
		add_counted(out, (uint64_t)memory->slow_allocations, "allocation");
		weir_text_puts(out, " over 1 ms");
		if (memory->slow_allocation_ns > 0) {
			weir_text_puts(out, ", together ");
			weir_text_duration(out, weir_as_stored_ns(memory->slow_allocation_ns));
		}
	}
}

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
		add_name(out, apart->name);
		weir_text_puts(out, apart->reason ? ": " : "");
		weir_escape_plain(out, apart->reason ? apart->reason : "");
	}
	if (listed < report->set_apart_count)
		weir_text_printf(weir_items_add(items), "... %zu more",
		                 report->set_apart_count - listed);
}

static void add_warning(const struct weir_report *report, const struct weir_input *input,
                        enum weir_warning_code code, struct weir_text *out)
{
	const char *file = input->path ? strrchr(input->path, '/') : NULL;

	if (report->profile->input_count > 1) {
		add_name(out, file && file[1] ? file + 1 : input->path);
		weir_text_puts(out, ": ");
	}
	weir_warning_sentence(&input->warnings[code], code, out);
}

static void fill_warnings(const struct weir_report *report, struct weir_items *items)
{
	size_t count = report->profile ? report->profile->input_count : 0, unlisted = 0;

	for (size_t i = 0; i < count; i++) {
		const struct weir_input *input = &report->profile->inputs[i];

		for (int code = 0; code < WEIR_WARN_COUNT; code++) {
			if (!input->warnings[code].count)
				continue;
			if (items->count < LISTED_WARNING)
				add_warning(report, input, (enum weir_warning_code)code,
				            weir_items_add(items));
			else
				unlisted++;
		}
	}
	if (unlisted)
		weir_text_printf(weir_items_add(items),
		                 "... %zu more, all of them in the JSON report", unlisted);
}

const char *weir_facts_title(const struct weir_report *report)
{
	return report->has_requests || report->has_telemetry ? "Waiting, batches, devices, warnings"
	                                                     : "Device, steps set apart, warnings";
}

const struct weir_fact_line weir_fact_lines[] = {
	{.id = "what-if", .label = "what if", .fill = weir_fill_what_if, .one_a_line = true},
	{.id = "waiting", .label = "waiting", .fill = weir_fill_waiting},
	{.id = "batches", .label = "batches", .fill = weir_fill_batches},
	{.id = "first-token", .label = "first token", .fill = weir_fill_first_token},
	{.id = "tokens", .label = "tokens", .fill = weir_fill_tokens},
	{.id = "goodput", .label = "goodput", .fill = weir_fill_goodput},
	{.id = "cost", .label = "cost", .fill = weir_fill_cost},
	{.id = "telemetry", .label = "telemetry", .fill = weir_fill_telemetry},
	{.id = "device", .label = "device time", .fill = fill_device},
	{.id = "idle", .label = "idle, by cause", .fill = fill_idle},
	{.id = "queue", .label = "queue", .fill = fill_queue},
	{.id = "waits", .label = "host waits", .fill = fill_waits},
	{.id = "path", .label = "critical path", .fill = weir_fill_path},
	{.id = "launch", .label = "launch to start", .fill = fill_launch},
	{.id = "profiler", .label = "the profiler", .fill = weir_fill_profiler},
	{.id = "memory", .label = "device memory", .fill = fill_memory},
	{.id = "counters", .label = "largest kernel", .fill = weir_fill_kernel_counters},
	{.id = "findings",
         .label = "NVIDIA's rules",
         .fill = weir_fill_kernel_findings,
         .one_a_line = true},
	{.id = "host", .label = "host time", .fill = weir_fill_host_time, .one_a_line = true},
	{.id = "apart", .label = "set apart", .fill = fill_set_apart, .one_a_line = true},
	{.id = "notes", .label = "notes", .fill = weir_fill_notes, .one_a_line = true},
	{.id = "warnings",
         .label = "warnings",
         .fill = fill_warnings,
         .none = "none",
         .one_a_line = true},
	{.id = NULL},
};
