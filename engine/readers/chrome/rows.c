/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tells device work from ranges of the host in events without a known category, by the name of
 * their process. rocprof v1 writes processes "GPU0" and "COPY", RPD writes "GPU2", both with arrows
 * from the API call; Ascend's profiler writes "Ascend Hardware", MTIA's "MTIA 17".
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/trace/rocm.h"

#define MAX_PROCESSES WEIR_MAX_DEVICES
#define MAX_HELD      WEIR_MAX_ROWS
#define MAX_STEPS     64   /* ranges before an arrow's start that are tried as its launch */
#define ROUNDING_NS   1000 /* rocprof v1 rounds "ts" down to microseconds */

enum process_kind {
	PROCESS_HOST,
	PROCESS_DEVICE,
	PROCESS_COPIES,  /* copies of all devices */
	PROCESS_DERIVED, /* sums over rows of another process */
};

struct process {
	int64_t pid, device;
	enum process_kind kind;
};

/* A complete event. */
struct held {
	int64_t start_ns, end_ns;
	int64_t pid, tid, at_ns; /* at_ns: the start as arrows give it */
	int64_t device, stream;  /* -1: not given */
	uint64_t byte, correlation;
	uint32_t name, category;
	bool launches;
};

/* An end of an arrow. */
struct arrow {
	int64_t pid, tid, at_ns, id;
};

struct kineto_rows {
	struct process *processes;
	struct held *held;
	struct arrow *starts, *ends;
	size_t process_count, process_capacity, held_count, held_capacity;
	size_t start_count, start_capacity, end_count, end_capacity;
};

struct kineto_rows *weir_kineto_rows_new(void)
{
	return weir_alloc(sizeof(struct kineto_rows));
}

void weir_kineto_rows_free(struct kineto_rows *rows)
{
	free(rows->processes);
	free(rows->held);
	free(rows->starts);
	free(rows->ends);
	free(rows);
}

bool weir_kineto_rows_clear(struct kineto_rows *rows)
{
	bool any = rows->process_count || rows->held_count || rows->start_count || rows->end_count;

	rows->process_count = rows->held_count = rows->start_count = rows->end_count = 0;
	return any;
}

/* ---- processes ---- */

static const struct {
	const char *name; /* whole, or followed by a number if `numbered` */
	enum process_kind kind;
	bool numbered;
} known_processes[] = {
	{"GPU", PROCESS_DEVICE, true},
	{"MTIA", PROCESS_DEVICE, true},
	{"COPY", PROCESS_COPIES, false},
	{"Ascend Hardware", PROCESS_DEVICE, false},
	{"Overlap Analysis", PROCESS_DERIVED, false},
};

/* Reads the number that follows a name, after an optional space. */
static bool take_number(struct weir_slice rest, int64_t *number)
{
	if (rest.length && *rest.data == ' ')
		rest = (struct weir_slice){rest.data + 1, rest.length - 1};
	return rest.length && *rest.data >= '0' && *rest.data <= '9' &&
	       weir_parse_i64(rest.data, rest.length, number);
}

static struct process process_of(struct weir_slice name)
{
	struct process process = {.kind = PROCESS_HOST};

	for (size_t i = 0; i < sizeof(known_processes) / sizeof(known_processes[0]); i++) {
		size_t length = strlen(known_processes[i].name);
		struct weir_slice rest;

		if (!weir_slice_starts(name, known_processes[i].name))
			continue;
		rest = (struct weir_slice){name.data + length, name.length - length};
		if (known_processes[i].numbered ? !take_number(rest, &process.device) : rest.length)
			continue;
		process.kind = known_processes[i].kind;
		break;
	}
	return process;
}

static const struct process *find_process(const struct kineto_rows *rows, int64_t pid)
{
	for (size_t i = 0; i < rows->process_count; i++)
		if (rows->processes[i].pid == pid)
			return &rows->processes[i];
	return NULL;
}

void weir_kineto_rows_name(struct kineto_reader *reader)
{
	struct kineto_rows *rows = reader->rows;
	struct process process = process_of(weir_kineto_text(reader, ARG_NAME));

	process.pid = weir_kineto_place(&reader->event, KEY_PID);
	if (process.kind == PROCESS_HOST || rows->process_count == MAX_PROCESSES ||
	    find_process(rows, process.pid))
		return;
	rows->processes = weir_grow(rows->processes, &rows->process_capacity,
	                            rows->process_count + 1, sizeof(*rows->processes));
	rows->processes[rows->process_count++] = process;
}

/* ---- events ---- */

static uint32_t name_of(struct kineto_reader *reader)
{
	struct weir_slice name = weir_kineto_text(reader, KEY_NAME);

	return weir_builder_name(reader->builder, name.length ? name : weir_slice_of("(unnamed)"));
}

/* Replaces times in microseconds by the exact ones beside them, if they agree. */
static void refine_times(const struct kineto_event *event, struct held *held)
{
	int64_t start_ns = weir_kineto_int(event, ARG_BEGIN_NS, -1);
	int64_t end_ns = weir_kineto_int(event, ARG_END_NS, -1);

	if (start_ns < held->at_ns || start_ns >= held->at_ns + ROUNDING_NS || end_ns < start_ns ||
	    end_ns - start_ns > WEIR_MAX_DURATION_NS)
		return;
	held->start_ns = start_ns;
	held->end_ns = end_ns;
}

void weir_kineto_rows_hold(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct kineto_rows *rows = reader->rows;
	struct held held = {.byte = event->at};

	if (rows->held_count == MAX_HELD) {
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT, "too many events");
		return;
	}
	if (!weir_kineto_times(reader, &held.start_ns, &held.end_ns))
		return;
	reader->timed -= !reader->dialect->ranges; /* counted when it is placed */
	held.at_ns = held.start_ns;
	refine_times(event, &held);
	held.pid = weir_kineto_place(event, KEY_PID);
	held.tid = weir_kineto_place(event, KEY_TID);
	held.device = weir_kineto_int(event, ARG_DEVICE, -1);
	held.stream = weir_kineto_int(event, ARG_STREAM, -1);
	held.name = name_of(reader);
	held.category = weir_builder_name(reader->builder, weir_kineto_value(event, KEY_CAT));
	rows->held = weir_grow(rows->held, &rows->held_capacity, rows->held_count + 1,
	                       sizeof(*rows->held));
	rows->held[rows->held_count++] = held;
}

static void keep_arrow(struct arrow **arrows, size_t *count, size_t *capacity, struct arrow arrow)
{
	if (*count == MAX_HELD)
		return;
	*arrows = weir_grow(*arrows, capacity, *count + 1, sizeof(**arrows));
	(*arrows)[(*count)++] = arrow;
}

void weir_kineto_rows_hold_flow(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct kineto_rows *rows = reader->rows;
	struct weir_slice time = weir_kineto_value(event, KEY_TS);
	struct arrow arrow = {
		.pid = weir_kineto_place(event, KEY_PID),
		.tid = weir_kineto_place(event, KEY_TID),
		.id = weir_kineto_int(event, KEY_ID, -1),
	};

	if (arrow.id < 0 || !weir_parse_us_as_ns(time.data, time.length, &arrow.at_ns))
		return;
	if (weir_slice_equals(weir_kineto_value(event, KEY_PH), "s"))
		keep_arrow(&rows->starts, &rows->start_count, &rows->start_capacity, arrow);
	else
		keep_arrow(&rows->ends, &rows->end_count, &rows->end_capacity, arrow);
}

/* ---- arrows from launches to their work ---- */

static int compare(int64_t a, int64_t b)
{
	return a < b ? -1 : a > b;
}

static int by_place(const struct arrow *a, const struct arrow *b)
{
	int order = compare(a->pid, b->pid);

	order = order ? order : compare(a->tid, b->tid);
	return order ? order : compare(a->at_ns, b->at_ns);
}

static int by_place_and_id(const void *left, const void *right)
{
	const struct arrow *a = left, *b = right;
	int order = by_place(a, b);

	return order ? order : compare(a->id, b->id);
}

static int by_id(const void *left, const void *right)
{
	const struct arrow *a = left, *b = right;
	int order = compare(a->id, b->id);

	return order ? order : by_place(a, b);
}

static int held_by_place(const void *left, const void *right)
{
	const struct held *a = left, *b = right;
	int order = compare(a->pid, b->pid);

	order = order ? order : compare(a->tid, b->tid);
	order = order ? order : compare(a->at_ns, b->at_ns);
	order = order ? order : compare(b->end_ns, a->end_ns);
	return order ? order : compare((int64_t)a->byte, (int64_t)b->byte);
}

/* Returns the innermost range that contains the start of the arrow, or NULL. The
 * ranges are sorted by place. */
static struct held *find_launch(struct kineto_rows *rows, const struct arrow *start)
{
	size_t low = 0, high = rows->held_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct held *held = &rows->held[middle];
		struct arrow place = {.pid = held->pid, .tid = held->tid, .at_ns = held->at_ns};

		if (by_place(&place, start) <= 0)
			low = middle + 1;
		else
			high = middle;
	}
	for (size_t i = 0; i < MAX_STEPS && low > 0; i++) {
		struct held *held = &rows->held[--low];

		if (held->pid != start->pid || held->tid != start->tid)
			break;
		if (held->end_ns >= start->at_ns)
			return held;
	}
	return NULL;
}

/* Gives device work and the call that launched it the same correlation id. */
static void link_work(struct kineto_rows *rows, struct held *work)
{
	struct arrow end = {.pid = work->pid, .tid = work->tid, .at_ns = work->at_ns, .id = -1};
	size_t low = 0, high = rows->end_count;
	const struct arrow *start;
	struct held *launch;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (by_place_and_id(&rows->ends[middle], &end) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == rows->end_count || by_place(&rows->ends[low], &end) != 0)
		return;
	end.id = rows->ends[low].id;
	low = 0;
	high = rows->start_count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (rows->starts[middle].id < end.id)
			low = middle + 1;
		else
			high = middle;
	}
	start = low < rows->start_count && rows->starts[low].id == end.id ? &rows->starts[low]
	                                                                  : NULL;
	launch = start ? find_launch(rows, start) : NULL;
	if (!launch || launch == work)
		return;
	launch->launches = true;
	launch->correlation = (uint64_t)(launch - rows->held) + 1;
	work->correlation = launch->correlation;
}

/* ---- placing ---- */

/* Records of a device's queue that are no work: they order the work of queues. */
static const char *const orders[] = {
	"EVENT_WAIT",      "EVENT_WAIT_SQE",    "EVENT_RECORD",  "EVENT_RECORD_SQE",
	"NOTIFY_WAIT_SQE", "NOTIFY_RECORD_SQE", "Notify_Wait",   "Notify_Record",
	"Notify Wait",     "Notify Record",     "BarrierPacket", "Barrier",
	"Marker",          "PLACE_HOLDER_SQE",
};

/* Copies and fills in the names of RPD and rocprof v1. */
static const struct {
	const char *name, *direction;
} copies[] = {
	{"CopyHostToDevice", "HOST_TO_DEVICE"},
	{"CopyDeviceToHost", "DEVICE_TO_HOST"},
	{"CopyDeviceToDevice", "DEVICE_TO_DEVICE"},
	{"CopyHostToHost", "HOST_TO_HOST"},
};

static bool is_order(struct weir_slice name)
{
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (weir_slice_equals(name, orders[i]))
			return true;
	return false;
}

static enum weir_device_kind kind_of(struct weir_slice *name, enum process_kind process)
{
	for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++)
		if (weir_slice_equals(*name, copies[i].name)) {
			*name = weir_rocm_copy_name(weir_slice_of(copies[i].direction));
			return WEIR_DEVICE_COPY;
		}
	if (weir_slice_equals(*name, "FillBuffer"))
		return WEIR_DEVICE_SET;
	if (process == PROCESS_COPIES || weir_slice_starts(*name, "MEMCPY_ASYNC"))
		return WEIR_DEVICE_COPY;
	*name = weir_rocm_kernel_name(*name);
	return weir_rocm_kernel_kind(*name);
}

static void place_work(struct kineto_reader *reader, const struct held *held,
                       const struct process *process)
{
	const struct weir_names *names = reader->input->trace->names;
	struct weir_device_event work = {
		.start_ns = held->start_ns,
		.end_ns = held->end_ns,
		.device = held->device >= 0 ? held->device : process->device,
		.stream = held->stream >= 0 ? held->stream : held->tid,
		.name = {weir_names_text(names, held->name), weir_names_length(names, held->name)},
		.correlation = held->correlation,
		.bytes = -1,
		.at = held->byte,
	};

	reader->known++;
	reader->timed += !reader->dialect->ranges;
	if (is_order(work.name))
		return;
	work.kind = kind_of(&work.name, process->kind);
	weir_builder_add_device(reader->builder, &work);
}

/* Returns true if a range has the name of a call of CUDA, its driver, HIP or HSA: "cuLaunchKernel",
 * but not "cuDNN" or "cuBLAS gemm". */
static bool is_call(const char *name)
{
	static const char *const prefixes[] = {"cuda", "cu", "hip"};

	if (!strncmp(name, "hsa_", 4))
		return true;
	for (const char *c = name; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '_')
			return false;
	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++) {
		size_t length = strlen(prefixes[i]);

		if (!strncmp(name, prefixes[i], length) && isupper((unsigned char)name[length]) &&
		    islower((unsigned char)name[length + 1]))
			return true;
	}
	return false;
}

static void place_range(struct kineto_reader *reader, const struct held *held)
{
	const struct weir_names *names = reader->input->trace->names;
	const char *name = weir_names_text(names, held->name);
	bool calls = held->launches || is_call(name);

	weir_builder_add_host(reader->builder,
	                      &(struct weir_host_event){
				      .kind = calls ? WEIR_HOST_API : WEIR_HOST_OP,
				      .start_ns = held->start_ns,
				      .end_ns = held->end_ns,
				      .pid = held->pid,
				      .tid = held->tid,
				      .correlation = held->correlation,
				      .name = {name, weir_names_length(names, held->name)},
				      .at = held->byte,
			      });
}

static bool is_device(const struct process *process)
{
	return process && (process->kind == PROCESS_DEVICE || process->kind == PROCESS_COPIES);
}

static void link_all(struct kineto_rows *rows)
{
	if (!rows->process_count || !rows->held_count || !rows->start_count || !rows->end_count)
		return;
	qsort(rows->held, rows->held_count, sizeof(*rows->held), held_by_place);
	qsort(rows->starts, rows->start_count, sizeof(*rows->starts), by_id);
	qsort(rows->ends, rows->end_count, sizeof(*rows->ends), by_place_and_id);
	for (size_t i = 0; i < rows->held_count; i++)
		if (is_device(find_process(rows, rows->held[i].pid)))
			link_work(rows, &rows->held[i]);
}

void weir_kineto_rows_place(struct kineto_reader *reader)
{
	const struct weir_names *names = reader->input->trace->names;
	struct kineto_rows *rows = reader->rows;

	link_all(rows);
	for (size_t i = 0; i < rows->held_count; i++) {
		const struct held *held = &rows->held[i];
		const struct process *process = find_process(rows, held->pid);

		if (is_device(process))
			place_work(reader, held, process);
		else if (process)
			continue;
		else if (reader->dialect->ranges)
			place_range(reader, held);
		else
			weir_kineto_warn_unknown(
				reader,
				(struct weir_slice){weir_names_text(names, held->category),
			                            weir_names_length(names, held->category)},
				held->byte);
	}
}
