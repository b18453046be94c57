/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads traces of JAX and XLA (trace.json.gz in the profiler's folder). Processes and threads are
 * named before their events, and the names determine the kind of the events: streams of a device
 * hold its work, and its other lines repeat the same time by step, module or source.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/model/platform.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/trace/rocm.h"

#define MAX_LINES (1u << 16) /* named processes and threads; others count as the host's */

static const struct weir_keyindex_entry args[] = {
	{"name", ARG_NAME},
	{"correlation_id", ARG_CORRELATION},
	{"kernel_details", ARG_KERNEL_DETAILS},
	{"memcpy_details", ARG_COPY_DETAILS},
	{"step_num", ARG_STEP},
	{0},
};

enum role {
	ROLE_UNKNOWN,
	ROLE_DEVICE,  /* a process: a GPU or TPU */
	ROLE_WORK,    /* a thread: device work */
	ROLE_DERIVED, /* a thread: repeats device work by step, module or source */
};

/* A named process (tid -1) or thread. */
struct line {
	int64_t pid, tid;
	enum role role;
};

struct xla {
	struct line *lines;
	size_t count, capacity;
	struct weir_rowmap map;
	bool cpu_client; /* a thread of XLA's client for the processor is named */
	bool worked;     /* a device has work */
};

static uint32_t hash_line(int64_t pid, int64_t tid)
{
	return weir_rowmap_hash_pair((uint64_t)pid, (uint64_t)tid);
}

static enum role find_role(const struct xla *xla, int64_t pid, int64_t tid)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&xla->map, hash_line(pid, tid), &probe)) != WEIR_ROWMAP_NONE)
		if (xla->lines[row].pid == pid && xla->lines[row].tid == tid)
			return xla->lines[row].role;
	return ROLE_UNKNOWN;
}

static void add_line(struct xla *xla, int64_t pid, int64_t tid, enum role role)
{
	if (xla->count == MAX_LINES || find_role(xla, pid, tid) != ROLE_UNKNOWN)
		return;
	xla->lines = weir_grow(xla->lines, &xla->capacity, xla->count + 1, sizeof(*xla->lines));
	weir_rowmap_add(&xla->map, hash_line(pid, tid), (uint32_t)xla->count);
	xla->lines[xla->count++] = (struct line){pid, tid, role};
}

/* Returns true if a thread of a device holds its work: a stream of a GPU or the operators of a TPU,
 * which has no streams. */
static bool is_work(struct weir_slice name)
{
	return weir_slice_starts(name, "Stream #") || weir_slice_equals(name, "XLA Ops");
}

/* True for a thread of the client that runs programs on the processor: "tf_XLAPjRtCpuClient/12",
 * "tf_XLATfrtCpuClient/12". */
static bool is_cpu_client(struct weir_slice name)
{
	return weir_slice_starts(name, "tf_XLAPjRtCpuClient") ||
	       weir_slice_starts(name, "tf_XLATfrtCpuClient");
}

static struct xla *xla_of(struct kineto_reader *reader)
{
	return reader->context;
}

static void emit_metadata(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_slice what = weir_kineto_value(event, KEY_NAME),
			  name = weir_kineto_value(event, ARG_NAME);
	int64_t pid = weir_kineto_place(event, KEY_PID), tid = weir_kineto_place(event, KEY_TID);

	if (weir_slice_equals(what, "process_name") && weir_slice_starts(name, "/device:") &&
	    !weir_slice_starts(name, "/device:CPU"))
		add_line(reader->context, pid, -1, ROLE_DEVICE);
	if (weir_slice_equals(what, "thread_name"))
		xla_of(reader)->cpu_client |= is_cpu_client(name);
	if (weir_slice_equals(what, "thread_name"))
		add_line(reader->context, pid, tid, is_work(name) ? ROLE_WORK : ROLE_DERIVED);
	weir_kineto_metadata(reader);
}

/* Returns the value of a key in "regs:32 grid:2,1,1 occ_pct:100"; empty if it is missing. */
static struct weir_slice detail(struct weir_slice details, const char *key)
{
	size_t length = strlen(key), end;

	for (size_t at = 0; at + length < details.length; at++) {
		if (memcmp(details.data + at, key, length) != 0 ||
		    (details.data[at + length] != ':' && details.data[at + length] != '=') ||
		    (at && strchr(" \n\t", details.data[at - 1]) == NULL))
			continue;
		at += length + 1;
		for (end = at; end < details.length && !strchr(" \n\t", details.data[end]); end++)
			;
		return (struct weir_slice){details.data + at, end - at};
	}
	return (struct weir_slice){0};
}

/* Returns the product of a text such as "132,1,1"; 0: unknown. */
static uint32_t product(struct weir_slice sizes)
{
	uint64_t all = 1;
	int64_t size;

	if (!sizes.length)
		return 0;
	for (size_t at = 0; at <= sizes.length;) {
		size_t end = at;

		while (end < sizes.length && sizes.data[end] != ',')
			end++;
		if (!weir_parse_i64(sizes.data + at, end - at, &size) || size <= 0)
			return 0;
		all = weir_rocm_clamp(all) * (uint64_t)weir_rocm_clamp((uint64_t)size);
		at = end + 1;
	}
	return weir_rocm_clamp(all);
}

/* Beginnings of XLA's names of copies and fills, and CUPTI's names for them. */
static const struct {
	const char *start, *name;
	enum weir_device_kind kind;
} copies[] = {
	{"MemcpyH2D", "Memcpy HtoD (Host -> Device)", WEIR_DEVICE_COPY},
	{"MemcpyD2H", "Memcpy DtoH (Device -> Host)", WEIR_DEVICE_COPY},
	{"MemcpyD2D", "Memcpy DtoD (Device -> Device)", WEIR_DEVICE_COPY},
	{"MemcpyP2P", "Memcpy PtoP (Device -> Device)", WEIR_DEVICE_COPY},
	{"Memcpy", "Memcpy", WEIR_DEVICE_COPY},
	{"Memset", "Memset (Device)", WEIR_DEVICE_SET},
};

static void name_work(struct weir_device_event *work)
{
	work->kind = weir_rocm_kernel_kind(work->name);
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (weir_slice_starts(work->name, copies[i].start)) {
			work->kind = copies[i].kind;
			work->name = weir_slice_of(copies[i].name);
			return;
		}
}

/* Returns the details of an event with escapes resolved; empty if it has none. */
static struct weir_slice details_of(struct kineto_reader *reader, enum kineto_key key)
{
	return weir_kineto_has(&reader->event, key) ? weir_kineto_text(reader, key)
	                                            : (struct weir_slice){0};
}

static void emit_work(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_device_event work = {.bytes = -1, .at = event->at};
	struct weir_slice details, size;

	if (!weir_kineto_times(reader, &work.start_ns, &work.end_ns))
		return;
	details = details_of(reader, ARG_KERNEL_DETAILS);
	work.blocks = product(detail(details, "grid"));
	work.threads_per_block = product(detail(details, "block"));
	size = detail(details_of(reader, ARG_COPY_DETAILS), "size");
	if (!size.length || !weir_parse_i64(size.data, size.length, &work.bytes) || work.bytes < 0)
		work.bytes = -1;
	work.device = weir_kineto_place(event, KEY_PID);
	work.stream = weir_kineto_place(event, KEY_TID);
	work.correlation = weir_kineto_id(event, ARG_CORRELATION);
	work.name = weir_kineto_text(reader, KEY_NAME);
	name_work(&work);
	weir_builder_add_device(reader->builder, &work);
}

/* Turns "$file.py:132 function" into PyTorch's form of a Python frame, "file.py(132): function". */
static struct weir_slice frame_name(struct weir_slice name, struct weir_text *text)
{
	const char *end = name.data + name.length, *blank = memchr(name.data, ' ', name.length),
		   *colon = blank;

	while (colon && colon > name.data && *colon != ':')
		colon--;
	weir_text_clear(text);
	if (!blank || *colon != ':') {
		weir_text_add(text, name.data + 1, name.length - 1);
	} else {
		weir_text_add(text, name.data + 1, (size_t)(colon - name.data) - 1);
		weir_text_printf(text, "(%.*s): ", (int)(blank - colon - 1), colon + 1);
		weir_text_add(text, blank + 1, (size_t)(end - blank) - 1);
	}
	return (struct weir_slice){text->data, text->length};
}

/* Returns the name of a driver call, which XLA names after the work it launches. */
static struct weir_slice call_name(struct weir_slice name)
{
	if (weir_slice_starts(name, "cu") || weir_slice_starts(name, "hip"))
		return name;
	if (weir_slice_starts(name, "Memcpy"))
		return weir_slice_of("cuMemcpyAsync");
	return weir_slice_of(weir_slice_starts(name, "Memset") ? "cuMemsetAsync"
	                                                       : "cuLaunchKernel");
}

/* True for a range in which a thread of XLA only waits: "ThunkExecutor::Execute (wait for
 * completion)". */
static bool is_wait(struct weir_slice name)
{
	return weir_slice_ends(name, "(wait for completion)");
}

static void emit_host(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_host_event host = {.kind = WEIR_HOST_OP, .at = event->at};
	struct weir_text text = {0};

	if (!weir_kineto_times(reader, &host.start_ns, &host.end_ns))
		return;
	host.pid = weir_kineto_place(event, KEY_PID);
	host.tid = weir_kineto_place(event, KEY_TID);
	host.correlation = weir_kineto_id(event, ARG_CORRELATION);
	host.name = weir_kineto_text(reader, KEY_NAME);
	if (host.correlation) {
		host.kind = WEIR_HOST_API;
		host.name = call_name(host.name);
	} else if (weir_kineto_has(event, ARG_STEP) || is_wait(host.name)) {
		host.kind = WEIR_HOST_ANNOTATION;
	} else if (weir_slice_starts(host.name, "$")) {
		host.kind = WEIR_HOST_PYTHON;
		host.name = frame_name(host.name, &text);
	}
	weir_builder_add_host(reader->builder, &host);
	weir_text_release(&text);
}

static void emit_complete(struct kineto_reader *reader)
{
	int64_t pid = weir_kineto_place(&reader->event, KEY_PID),
		tid = weir_kineto_place(&reader->event, KEY_TID);

	if (find_role(reader->context, pid, -1) != ROLE_DEVICE)
		emit_host(reader);
	else if (find_role(reader->context, pid, tid) == ROLE_WORK)
		emit_work(reader);
	xla_of(reader)->worked |= find_role(reader->context, pid, tid) == ROLE_WORK;
}

/* Adds an event. The empty object that ends the list has no phase and is ignored. */
static void emit(struct kineto_reader *reader)
{
	struct weir_slice phase = weir_kineto_value(&reader->event, KEY_PH);

	if (weir_slice_equals(phase, "X"))
		emit_complete(reader);
	else if (weir_slice_equals(phase, "M"))
		emit_metadata(reader);
}

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"traceEvents", "metadata", "displayTimeUnit"}, .all = 1},
         .texts = {{"\"highres-ticks\"", "\"/host:CPU\"", "\"/device:GPU:", "\"/device:TPU:"},
                   .any = 4}},
	{0},
};

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct xla *xla = reader->context;

	if (xla->cpu_client && !xla->worked)
		weir_builder_add_label(reader->builder, weir_slice_of(WEIR_LABEL_CPU_PLATFORM),
		                       weir_slice_of("1"));
	return weir_kineto_conclude(reader, err);
}

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct kineto_dialect dialect = {
		.args = args, .emit = emit, .conclude = conclude};
	struct xla xla = {0};
	enum weir_status status = weir_kineto_read(&dialect, &xla, source, input, err);

	weir_rowmap_release(&xla.map);
	free(xla.lines);
	return status;
}

const struct weir_reader weir_reader_xla = {
	.name = "xla",
	.title = "traces of JAX and XLA (trace.json.gz)",
	.gives = "timeline",
	.marks = marks,
	.read = read_trace,
};
