/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads results of AMD's rocprofv3 as JSON: one object per process, with the names of kernels and
 * operations before the records that refer to them by number. Files are large, so they are read
 * record by record.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/base/keyindex.h"
#include "engine/base/rowmap.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/trace/builder.h"
#include "engine/readers/trace/rocm.h"

#define ROOT "rocprofiler-sdk-tool"

#define MAX_KINDS  256
#define MAX_NAMES  (1u << 20) /* operations, kernels, markers; others have no name */
#define MAX_AGENTS 4096
#define TYPE_GPU   2 /* of an agent */

/* ---- names and agents, which precede the records ---- */

/* The name of a kernel or marker. */
struct name {
	uint64_t key;
	uint32_t name; /* in the builder's names */
};

struct agent {
	uint64_t handle;
	int64_t device; /* index among the GPUs; -1: a CPU */
};

/* Names and agents that the records of one process refer to; release with names_reset(). */
struct names {
	struct {
		size_t first, count; /* in operations */
	} kinds[MAX_KINDS];
	uint32_t *operations;
	size_t operation_count, operation_capacity;
	struct name *items; /* of kernels and markers: the lowest bit of the key tells which */
	size_t count, capacity;
	struct weir_rowmap map;
	struct agent *agents;
	size_t agent_count, agent_capacity;
	int64_t gpus; /* number of GPUs so far */
};

static void names_reset(struct names *names)
{
	free(names->operations);
	free(names->items);
	free(names->agents);
	weir_rowmap_release(&names->map);
	*names = (struct names){0};
}

static uint64_t kernel_key(uint64_t id)
{
	return id << 1;
}

static uint64_t marker_key(uint64_t id)
{
	return id << 1 | 1;
}

/* Returns a name of the builder; 0: unknown. */
static uint32_t find(const struct names *names, uint64_t key)
{
	uint32_t row;
	size_t probe = 0;

	while ((row = weir_rowmap_next(&names->map, weir_rowmap_hash(key), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (names->items[row].key == key)
			return names->items[row].name;
	return 0;
}

static void add(struct names *names, uint64_t key, uint32_t name)
{
	if (!name || names->count == MAX_NAMES || find(names, key))
		return;
	names->items =
		weir_grow(names->items, &names->capacity, names->count + 1, sizeof(*names->items));
	weir_rowmap_add(&names->map, weir_rowmap_hash(key), (uint32_t)names->count);
	names->items[names->count++] = (struct name){key, name};
}

/* Returns a name of the builder; 0: unknown. */
static uint32_t operation_of(const struct names *names, int64_t kind, int64_t operation)
{
	if (kind < 0 || kind >= MAX_KINDS || operation < 0 ||
	    (uint64_t)operation >= names->kinds[kind].count)
		return 0;
	return names->operations[names->kinds[kind].first + (size_t)operation];
}

/* Returns the index of a GPU; -1: not a GPU, or unknown. */
static int64_t device_of(const struct names *names, int64_t handle)
{
	for (size_t i = 0; i < names->agent_count; i++)
		if (names->agents[i].handle == (uint64_t)handle)
			return names->agents[i].device;
	return -1;
}

static uint32_t take_text(struct weir_builder *builder, struct weir_jsoncursor *cursor)
{
	struct weir_text scratch = {0};
	uint32_t name = weir_builder_name(
		builder, weir_jsoncursor_decode(weir_jsoncursor_scalar(cursor), &scratch, NULL));

	weir_text_release(&scratch);
	return name;
}

/* Takes a number, or an object that holds it: {"handle": 16}, {"internal": 1, "external": 0}.
 * Returns -1 if there is no number. */
static int64_t take_number(struct weir_jsoncursor *cursor)
{
	struct weir_slice key, text;
	int64_t value = -1, number;

	if (weir_jsoncursor_peek(cursor) != '{') {
		text = weir_jsoncursor_scalar(cursor);
		return text.length && weir_parse_i64(text.data, text.length, &number) ? number : -1;
	}
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		text = weir_jsoncursor_scalar(cursor);
		if ((weir_slice_equals(key, "handle") || weir_slice_equals(key, "internal")) &&
		    text.length && weir_parse_i64(text.data, text.length, &number))
			value = number;
	}
	return value;
}

static void take_operations(struct names *names, struct weir_builder *builder,
                            struct weir_jsoncursor *cursor, size_t kind)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	names->kinds[kind].first = names->operation_count;
	while (weir_jsoncursor_item(cursor)) {
		uint32_t name = take_text(builder, cursor);

		if (names->operation_count == MAX_NAMES)
			continue;
		names->operations =
			weir_grow(names->operations, &names->operation_capacity,
		                  names->operation_count + 1, sizeof(*names->operations));
		names->operations[names->operation_count++] = name;
	}
	names->kinds[kind].count = names->operation_count - names->kinds[kind].first;
}

/* Takes the list of kinds, each with the list of its operations. Records refer to both by index. */
static void take_kinds(struct names *names, struct weir_builder *builder,
                       struct weir_jsoncursor *cursor)
{
	struct weir_slice key;
	size_t kind = 0;

	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	for (; weir_jsoncursor_item(cursor); kind++) {
		if (!weir_jsoncursor_enter(cursor, '{'))
			continue;
		while (weir_jsoncursor_key(cursor, &key))
			if (kind < MAX_KINDS && weir_slice_equals(key, "operations"))
				take_operations(names, builder, cursor, kind);
			else
				weir_jsoncursor_take(cursor);
	}
}

/* Takes the texts of markers, whose keys are correlation ids. */
static void take_markers(struct names *names, struct weir_builder *builder,
                         struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor)) {
		int64_t id = -1;
		uint32_t name = 0;

		if (!weir_jsoncursor_enter(cursor, '{'))
			continue;
		while (weir_jsoncursor_key(cursor, &key))
			if (weir_slice_equals(key, "key"))
				id = take_number(cursor);
			else if (weir_slice_equals(key, "value"))
				name = take_text(builder, cursor);
			else
				weir_jsoncursor_take(cursor);
		if (id >= 0)
			add(names, marker_key((uint64_t)id), name);
	}
}

/* Takes the member "strings". */
static void take_strings(struct names *names, struct weir_builder *builder,
                         const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return;
	while (weir_jsoncursor_key(&cursor, &key))
		if (weir_slice_equals(key, "buffer_records"))
			take_kinds(names, builder, &cursor);
		else if (weir_slice_equals(key, "marker_api"))
			take_markers(names, builder, &cursor);
		else
			weir_jsoncursor_take(&cursor);
}

static void take_agent(struct names *names, struct weir_builder *builder,
                       struct weir_jsoncursor *cursor)
{
	struct weir_trace_device device = {0};
	int64_t handle = -1, type = 0, units = 0, wave = 0;
	struct weir_slice key;

	while (weir_jsoncursor_key(cursor, &key))
		if (weir_slice_equals(key, "id"))
			handle = take_number(cursor);
		else if (weir_slice_equals(key, "type"))
			type = take_number(cursor);
		else if (weir_slice_equals(key, "cu_count"))
			units = take_number(cursor);
		else if (weir_slice_equals(key, "wave_front_size"))
			wave = take_number(cursor);
		else if (weir_slice_equals(key, "product_name"))
			device.name = take_text(builder, cursor);
		else
			weir_jsoncursor_take(cursor);
	if (handle < 0 || names->agent_count == MAX_AGENTS)
		return;
	names->agents = weir_grow(names->agents, &names->agent_capacity, names->agent_count + 1,
	                          sizeof(*names->agents));
	names->agents[names->agent_count++] =
		(struct agent){(uint64_t)handle, type == TYPE_GPU ? names->gpus : -1};
	if (type != TYPE_GPU)
		return;
	device.id = names->gpus++;
	device.sms = units > 0 && units < UINT32_MAX ? (uint32_t)units : 0;
	device.warp_size = wave > 0 && wave < UINT32_MAX ? (uint32_t)wave : 0;
	weir_builder_describe_device(builder, &device);
}

/* Takes the member "agents". */
static void take_agents(struct names *names, struct weir_builder *builder,
                        const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	names->agent_count = 0;
	names->gpus = 0;
	if (!weir_jsoncursor_enter(&cursor, '['))
		return;
	while (weir_jsoncursor_item(&cursor))
		if (weir_jsoncursor_enter(&cursor, '{'))
			take_agent(names, builder, &cursor);
}

/* ---- records ---- */

enum list {
	LIST_NONE,
	LIST_PROCESS,
	LIST_SYMBOLS,
	LIST_KERNELS,
	LIST_COPIES,
	LIST_CALLS,
	LIST_MARKERS,
};

static const struct {
	const char *key;
	enum list list;
} lists[] = {
	{ROOT, LIST_PROCESS},
	{"kernel_symbols", LIST_SYMBOLS},
	{"kernel_dispatch", LIST_KERNELS},
	{"memory_copy", LIST_COPIES},
	{"hip_api", LIST_CALLS},
	{"hsa_api", LIST_CALLS},
	{"rccl_api", LIST_CALLS},
	{"marker_api", LIST_MARKERS},
};

static const char *const entered[] = {
	ROOT,      "buffer_records", "kernel_symbols", "kernel_dispatch", "memory_copy",
	"hip_api", "hsa_api",        "rccl_api",       "marker_api",      NULL,
};

enum field {
	FIELD_KIND,
	FIELD_OPERATION,
	FIELD_THREAD,
	FIELD_CORRELATION,
	FIELD_START,
	FIELD_END,
	FIELD_STREAM,
	FIELD_BYTES,
	FIELD_SOURCE,
	FIELD_DESTINATION,
	FIELD_AGENT,
	FIELD_QUEUE,
	FIELD_KERNEL,
	FIELD_NUMBERS, /* number of the fields above: numbers, or objects that hold one */
	FIELD_DISPATCH,
	FIELD_GROUP,
	FIELD_GRID,
	FIELD_FORMATTED,
	FIELD_DEMANGLED,
	FIELD_MANGLED,
};

static const struct weir_keyindex_entry field_names[] = {
	{"kind", FIELD_KIND},
	{"operation", FIELD_OPERATION},
	{"thread_id", FIELD_THREAD},
	{"correlation_id", FIELD_CORRELATION},
	{"start_timestamp", FIELD_START},
	{"end_timestamp", FIELD_END},
	{"stream_id", FIELD_STREAM},
	{"bytes", FIELD_BYTES},
	{"src_agent_id", FIELD_SOURCE},
	{"dst_agent_id", FIELD_DESTINATION},
	{"agent_id", FIELD_AGENT},
	{"queue_id", FIELD_QUEUE},
	{"kernel_id", FIELD_KERNEL},
	{"dispatch_info", FIELD_DISPATCH},
	{"workgroup_size", FIELD_GROUP},
	{"grid_size", FIELD_GRID},
	{"formatted_kernel_name", FIELD_FORMATTED},
	{"demangled_kernel_name", FIELD_DEMANGLED},
	{"kernel_name", FIELD_MANGLED},
	{0},
};

/* The object of a list that is being read. */
struct record {
	enum list list;
	uint64_t at, number;
	int64_t value[FIELD_NUMBERS]; /* -1: missing */
	int64_t group[3], grid[3];    /* 0: missing */
	uint32_t name;                /* of a kernel's symbol */
	int rank;                     /* preference of that name; the lowest is best */
};

struct document {
	struct weir_input *input;
	struct weir_builder *builder;
	struct weir_keyindex fields;
	struct names names;
	struct record record;
	struct weir_text scratch;
	uint64_t timed, processes;
	char first_problem[256];
};

static void refuse(struct document *document, enum weir_warning_code code, const char *expected)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)];

	snprintf(detail, sizeof(detail), "record %" PRIu64 ": %s", document->record.number,
	         expected);
	if (!document->first_problem[0])
		snprintf(document->first_problem, sizeof(document->first_problem), "%s", detail);
	weir_input_warn(document->input, code, document->record.at, detail);
}

static bool read_times(struct document *document, int64_t *start_ns, int64_t *end_ns)
{
	const struct record *record = &document->record;
	const char *problem;
	bool turned;

	*start_ns = record->value[FIELD_START];
	*end_ns = record->value[FIELD_END];
	problem = weir_rocm_times(*start_ns, end_ns, &turned);
	if (turned)
		weir_input_warn(document->input, WEIR_WARN_NEGATIVE_DURATION, record->at, NULL);
	if (problem)
		refuse(document, WEIR_WARN_NO_TIME, problem);
	else
		document->timed++;
	return !problem;
}

/* Returns the id of a call, unique in the file: each process numbers its calls from 1. 0: none. */
static uint64_t correlation(const struct document *document)
{
	int64_t id = document->record.value[FIELD_CORRELATION];

	return id > 0 ? (uint64_t)id | document->processes << 48 : 0;
}

static struct weir_slice text_of(const struct document *document, uint32_t name)
{
	const struct weir_names *names = document->input->trace->names;

	return (struct weir_slice){weir_names_text(names, name), weir_names_length(names, name)};
}

/* Returns the number of workgroups in the grid or, with grid NULL, of work items in a workgroup. */
static uint32_t product(const int64_t *grid, const int64_t *group)
{
	uint64_t all = 1;

	for (int i = 0; i < 3; i++) {
		uint64_t size = group[i] > 0 ? (uint64_t)group[i] : 0;

		if (grid)
			size = weir_rocm_blocks(grid[i], group[i]);
		all = weir_rocm_clamp(all) * (uint64_t)weir_rocm_clamp(size);
	}
	return weir_rocm_clamp(all);
}

static void take_kernel(struct document *document)
{
	const struct record *record = &document->record;
	int64_t id = record->value[FIELD_KERNEL];
	uint32_t name = id < 0 ? 0 : find(&document->names, kernel_key((uint64_t)id));
	struct weir_device_event work = {.bytes = -1, .at = record->at};

	if (!read_times(document, &work.start_ns, &work.end_ns))
		return;
	weir_text_clear(&document->scratch);
	weir_text_printf(&document->scratch, "kernel %" PRId64, id);
	work.name = name ? weir_rocm_kernel_name(text_of(document, name))
	                 : (struct weir_slice){document->scratch.data, document->scratch.length};
	work.kind = weir_rocm_kernel_kind(work.name);
	work.device = device_of(&document->names, record->value[FIELD_AGENT]);
	work.stream = record->value[record->value[FIELD_STREAM] < 0 ? FIELD_QUEUE : FIELD_STREAM];
	work.correlation = correlation(document);
	work.blocks = product(record->grid, record->group);
	work.threads_per_block = product(NULL, record->group);
	weir_builder_add_device(document->builder, &work);
}

static struct weir_slice operation(const struct document *document)
{
	const int64_t *value = document->record.value;

	return text_of(document,
	               operation_of(&document->names, value[FIELD_KIND], value[FIELD_OPERATION]));
}

static void take_copy(struct document *document)
{
	const int64_t *value = document->record.value;
	struct weir_slice direction = operation(document);
	struct weir_device_event work = {.kind = WEIR_DEVICE_COPY, .at = document->record.at};

	if (!read_times(document, &work.start_ns, &work.end_ns))
		return;
	work.name = direction.length ? weir_rocm_copy_name(direction) : weir_slice_of("Memcpy");
	work.device = device_of(&document->names, value[FIELD_DESTINATION]);
	if (work.device < 0)
		work.device = device_of(&document->names, value[FIELD_SOURCE]);
	work.stream = value[FIELD_STREAM];
	work.correlation = correlation(document);
	work.bytes = value[FIELD_BYTES];
	weir_builder_add_device(document->builder, &work);
}

static void take_call(struct document *document)
{
	const struct record *record = &document->record;
	struct weir_host_event host = {.kind = WEIR_HOST_API, .at = record->at};
	int64_t id = record->value[FIELD_CORRELATION];

	if (!read_times(document, &host.start_ns, &host.end_ns))
		return;
	host.pid = (int64_t)document->processes;
	host.tid = record->value[FIELD_THREAD];
	host.name = operation(document);
	if (record->list == LIST_MARKERS) {
		uint32_t name = id < 0 ? 0 : find(&document->names, marker_key((uint64_t)id));

		host.kind = WEIR_HOST_ANNOTATION;
		host.name = name ? text_of(document, name) : host.name;
	} else {
		host.correlation = correlation(document);
	}
	if (!host.name.length)
		host.name = weir_slice_of("(unnamed call)");
	weir_builder_add_host(document->builder, &host);
}

static void take_symbol(struct document *document)
{
	int64_t id = document->record.value[FIELD_KERNEL];

	if (id >= 0)
		add(&document->names, kernel_key((uint64_t)id), document->record.name);
}

/* Takes the current record, which is complete when the next object begins or the file ends. */
static void conclude_record(struct document *document)
{
	static void (*const takers[])(struct document *) = {
		[LIST_SYMBOLS] = take_symbol, [LIST_KERNELS] = take_kernel,
		[LIST_COPIES] = take_copy,    [LIST_CALLS] = take_call,
		[LIST_MARKERS] = take_call,
	};
	enum list list = document->record.list;

	if (list > LIST_PROCESS) {
		document->input->events += list != LIST_SYMBOLS;
		takers[list](document);
	}
	document->record.list = LIST_NONE;
}

static void begin_object(struct document *document, const struct weir_jsonscan_item *item)
{
	struct record *record = &document->record;
	uint64_t number = record->number;

	conclude_record(document);
	*record = (struct record){.at = item->at, .rank = FIELD_MANGLED + 1};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		if (weir_slice_equals(item->key, lists[i].key))
			record->list = lists[i].list;
	record->number = number + (record->list > LIST_SYMBOLS);
	for (int i = 0; i < FIELD_NUMBERS; i++)
		record->value[i] = -1;
	if (record->list == LIST_PROCESS) {
		names_reset(&document->names);
		document->processes++;
	}
}

/* Takes {"x": 512, "y": 1, "z": 1}. */
static void take_size(struct weir_jsoncursor *cursor, int64_t *size)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		struct weir_slice text = weir_jsoncursor_scalar(cursor);

		if (key.length == 1 && *key.data >= 'x' && *key.data <= 'z' && text.length &&
		    !weir_parse_i64(text.data, text.length, &size[*key.data - 'x']))
			size[*key.data - 'x'] = 0;
	}
}

/* Takes the name of a symbol if it is better than the one before. Symbol 0 is a dummy that is named
 * "0" or has no name. */
static void take_name(struct document *document, struct weir_jsoncursor *cursor, int rank)
{
	struct weir_slice raw = weir_jsoncursor_scalar(cursor);

	if (rank >= document->record.rank || !raw.length || weir_slice_equals(raw, "0"))
		return;
	document->record.rank = rank;
	document->record.name = weir_builder_name(
		document->builder, weir_jsoncursor_decode(raw, &document->scratch, NULL));
}

static void take_field(struct document *document, int field, struct weir_jsoncursor *cursor)
{
	struct record *record = &document->record;

	if (field < 0)
		weir_jsoncursor_take(cursor);
	else if (field < FIELD_NUMBERS)
		record->value[field] = take_number(cursor);
	else if (field == FIELD_GROUP)
		take_size(cursor, record->group);
	else if (field == FIELD_GRID)
		take_size(cursor, record->grid);
	else
		take_name(document, cursor, field);
}

static void take_dispatch(struct document *document, struct weir_jsoncursor *cursor)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int field = weir_keyindex_find(&document->fields, key);

		take_field(document, field == FIELD_DISPATCH ? -1 : field, cursor);
	}
}

static void take_member(struct document *document, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	int field = weir_keyindex_find(&document->fields, item->key);

	if (weir_slice_equals(item->key, "strings")) {
		take_strings(&document->names, document->builder, item);
		return;
	}
	if (weir_slice_equals(item->key, "agents")) {
		take_agents(&document->names, document->builder, item);
		return;
	}
	if (document->record.list <= LIST_PROCESS)
		return;
	if (field == FIELD_DISPATCH)
		take_dispatch(document, &cursor);
	else
		take_field(document, field, &cursor);
}

static enum weir_status read_items(struct document *document, struct weir_jsonscan *scan,
                                   struct weir_error *err)
{
	struct weir_jsonscan_item item;
	enum weir_status status;

	for (;;) {
		status = weir_jsonscan_next(scan, &item, err);
		if (status || item.kind == WEIR_JSONSCAN_END)
			break;
		if (item.kind == WEIR_JSONSCAN_OBJECT)
			begin_object(document, &item);
		else if (item.kind == WEIR_JSONSCAN_MEMBER)
			take_member(document, &item);
	}
	if (!status)
		conclude_record(document);
	return status;
}

static enum weir_status conclude(struct document *document, struct weir_error *err)
{
	if (document->timed)
		return weir_builder_finish(document->builder, err);
	if (document->first_problem[0])
		return weir_fail(err, WEIR_E_EMPTY, "%s; no record with a time is left",
		                 document->first_problem);
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no record of a kernel, copy or call: run rocprofv3 with "
	                 "--kernel-trace and --hip-trace");
}

static const struct weir_mark marks[] = {
	{.first = "{", .keys = {{ROOT}, .all = 1}},
	{0},
};

static enum weir_status read_json(struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.enter = entered, .first_key = "size"};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct document *document = weir_alloc(sizeof(*document));
	enum weir_status status;

	document->input = input;
	document->builder = weir_builder_new(input);
	weir_keyindex_init(&document->fields, field_names);
	status = read_items(document, scan, err);
	if (!status) {
		weir_damage_of_scan(input, scan, source);
		status = conclude(document, err);
	}
	weir_builder_free(document->builder);
	names_reset(&document->names);
	weir_text_release(&document->scratch);
	free(document);
	weir_jsonscan_free(scan);
	return status;
}

const struct weir_reader weir_reader_rocprof_json = {
	.name = "rocprof_json",
	.title = "results of AMD's rocprofv3 as JSON (kernels, copies, calls, markers)",
	.gives = "timeline",
	.of_amd = true,
	.marks = marks,
	.read = read_json,
};
