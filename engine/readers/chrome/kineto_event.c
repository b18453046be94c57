/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Takes events apart, and adds those of PyTorch's profiler to the builder by their category. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/rowmap.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/trace/rocm.h"

/* ---- keys and values ---- */

static const struct weir_keyindex_entry field_keys[] = {
	{"ph", KEY_PH},   {"cat", KEY_CAT},     {"name", KEY_NAME}, {"pid", KEY_PID},
	{"tid", KEY_TID}, {"ts", KEY_TS},       {"dur", KEY_DUR},   {"id", KEY_ID},
	{"id2", KEY_ID2}, {"scope", KEY_SCOPE}, {"args", KEY_ARGS}, {0},
};

static const struct weir_keyindex_entry arg_keys[] = {
	{"correlation", ARG_CORRELATION},
	{"External id", ARG_EXTERNAL},
	{"external id", ARG_EXTERNAL},
	{"device", ARG_DEVICE},
	{"fromDevice", ARG_DEVICE}, /* copies between devices */
	{"stream", ARG_STREAM},
	{"grid", ARG_GRID},
	{"block", ARG_BLOCK},
	{"bytes", ARG_BYTES},
	{"graph id", ARG_GRAPH},
	{"graph node id", ARG_GRAPH_NODE},
	{"Input Dims", ARG_DIMS},
	{"Input dims", ARG_DIMS},
	{"Input type", ARG_TYPES},
	{"Concrete Inputs", ARG_SCALARS},
	{"Input Strides", ARG_STRIDES},
	{"Collective name", ARG_COLLECTIVE},
	{"Process Group Name", ARG_GROUP},
	{"Process Group ID", ARG_GROUP}, /* early 2024 */
	{"Process Group Ranks", ARG_GROUP_RANKS},
	{"dtype", ARG_DTYPE},
	{"In msg nelems", ARG_ELEMENTS_IN},
	{"Out msg nelems", ARG_ELEMENTS_OUT},
	{"Group size", ARG_GROUP_SIZE},
	{"Seq", ARG_SEQUENCE},
	{"Bytes", ARG_MEMORY_BYTES},
	{"Total Allocated", ARG_ALLOCATED},
	{"Total Reserved", ARG_RESERVED},
	{"Device Id", ARG_MEMORY_DEVICE},
	{"Device Type", ARG_DEVICE_TYPE},
	{"cuda_sync_kind", ARG_SYNC_KIND},
	{"wait_on_stream", ARG_WAIT_STREAM},
	{"wait_on_cuda_event_record_corr_id", ARG_WAIT_CORRELATION},
	{"name", ARG_NAME},
	/* rocprof v1 */
	{"BeginNs", ARG_BEGIN_NS},
	{"EndNs", ARG_END_NS},
	{"dev-id", ARG_DEVICE},
	{"queue-id", ARG_STREAM},
	{0},
};

_Static_assert(KINETO_KEYS <= 64, "a bit of kineto_event.present for each key");

static void init_keys(struct kineto_keys *keys, const struct weir_keyindex_entry *args)
{
	weir_keyindex_init(&keys->fields, field_keys);
	weir_keyindex_init(&keys->args, args ? args : arg_keys);
}

static void read_args(const struct kineto_keys *keys, struct weir_jsoncursor *cursor,
                      struct kineto_event *event)
{
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		int arg = weir_keyindex_find(&keys->args, key);
		struct weir_slice value = weir_jsoncursor_take(cursor);

		if (arg < 0)
			continue;
		event->value[arg] = value;
		event->present |= (uint64_t)1 << arg;
	}
}

enum kineto_read weir_kineto_event_read(const struct kineto_keys *keys,
                                        const struct weir_jsonscan_item *item,
                                        struct kineto_event *event)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	event->present = 0;
	event->plain = item->plain;
	event->at = item->at;
	event->number = item->number;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return KINETO_READ_OTHER;
	while (weir_jsoncursor_key(&cursor, &key)) {
		int field = weir_keyindex_find(&keys->fields, key);

		struct weir_slice value;

		if (field == KEY_ARGS) {
			read_args(keys, &cursor, event);
			continue;
		}
		value = weir_jsoncursor_take(&cursor);
		if (field < 0)
			continue;
		event->value[field] = value;
		event->present |= (uint64_t)1 << field;
	}
	event->sloppy = cursor.sloppy;
	return cursor.bad || cursor.at != cursor.end ? KINETO_READ_BROKEN : KINETO_READ_EVENT;
}

int64_t weir_kineto_int(const struct kineto_event *event, enum kineto_key key, int64_t fallback)
{
	struct weir_slice text = weir_kineto_value(event, key);
	int64_t value;

	return text.length && weir_parse_i64(text.data, text.length, &value) ? value : fallback;
}

uint64_t weir_kineto_id(const struct kineto_event *event, enum kineto_key key)
{
	int64_t value = weir_kineto_int(event, key, 0);

	return value > 0 ? (uint64_t)value : 0; /* writers put -1 if there is no id */
}

uint32_t weir_kineto_product(const struct kineto_event *event, enum kineto_key key)
{
	struct weir_jsoncursor cursor;
	uint64_t product = 0;

	if (!weir_kineto_has(event, key))
		return 0;
	cursor = weir_jsoncursor_on(event->value[key]);
	if (!weir_jsoncursor_enter(&cursor, '['))
		return 0;
	while (weir_jsoncursor_item(&cursor)) {
		struct weir_slice text = weir_jsoncursor_scalar(&cursor);
		int64_t size;

		if (!weir_parse_i64(text.data, text.length, &size) || size <= 0)
			return 0;
		product =
			(product ? product : 1) * (uint64_t)(size < UINT32_MAX ? size : UINT32_MAX);
		product = product < UINT32_MAX ? product : UINT32_MAX;
	}
	return (uint32_t)product;
}

int64_t weir_kineto_place(const struct kineto_event *event, enum kineto_key key)
{
	struct weir_slice text = weir_kineto_value(event, key);
	size_t digits = 0;
	int64_t value;

	if (text.length && weir_parse_i64(text.data, text.length, &value))
		return value;
	while (digits < text.length && text.data[text.length - digits - 1] >= '0' &&
	       text.data[text.length - digits - 1] <= '9')
		digits++;
	if (digits && weir_parse_i64(text.data + text.length - digits, digits, &value))
		return value;
	if (!text.length)
		return -1;
	return -2 - (int64_t)(weir_hash_stable(text.data, text.length, 0) >> 33);
}

/* Returns true if the digit at i is the item 0 of a list. */
static bool is_zero_at(struct weir_slice text, size_t i)
{
	return text.data[i] == '0' && i && i + 1 < text.length && strchr("[, ", text.data[i - 1]) &&
	       strchr(",] ", text.data[i + 1]);
}

static bool has_zero(struct weir_slice strides)
{
	for (size_t i = 0; i < strides.length; i++) {
		const char *digit = memchr(strides.data + i, '0', strides.length - i);

		if (!digit)
			break;
		i = (size_t)(digit - strides.data);
		if (is_zero_at(strides, i))
			return true;
	}
	return false;
}

/* The sizes or strides of a tensor; more dimensions than PyTorch's operators have are left out. */
struct entries {
	double values[8];
	size_t count;
};

/* Reads the next innermost list of numbers from *text; false: the text has no other list. */
static bool next_entries(struct weir_slice *text, struct entries *out)
{
	const char *end, *at = text->data;
	double value = 0;
	bool open = false, number = false;

	*out = (struct entries){0};
	if (!text->length)
		return false;
	end = at + text->length;
	for (; at < end && !(open && *at == ']'); at++) {
		if (*at == '[')
			open = true;
		if (*at >= '0' && *at <= '9')
			value = value * 10 + (*at - '0');
		else if (number && out->count < 8)
			out->values[out->count++] = value;
		number = *at >= '0' && *at <= '9';
		value = number ? value : 0;
	}
	if (number && out->count < 8)
		out->values[out->count++] = value;
	if (at >= end)
		return false;
	*text = (struct weir_slice){at + 1, (size_t)(end - at) - 1};
	return true;
}

/* True if a tensor has more places from its first to its last element than elements. */
static bool has_gaps(struct weir_slice dims, struct weir_slice strides)
{
	struct entries size, stride;

	while (next_entries(&dims, &size) && next_entries(&strides, &stride)) {
		double elements = 1, extent = 1;

		for (size_t i = 0; i < size.count && size.count == stride.count; i++) {
			elements *= size.values[i];
			extent += (size.values[i] - 1) * stride.values[i];
		}
		if (elements > 0 && extent > elements)
			return true;
	}
	return false;
}

struct weir_slice weir_kineto_used_strides(const struct kineto_event *event)
{
	struct weir_slice strides = weir_kineto_value(event, ARG_STRIDES);

	if (has_zero(strides) || has_gaps(weir_kineto_value(event, ARG_DIMS), strides))
		return strides;
	return (struct weir_slice){"", 0};
}

/* ---- categories ---- */

#define CATEGORY_SIZE 64 /* bytes; names of categories are shorter */

enum category {
	CATEGORY_OP,
	CATEGORY_ANNOTATION,
	CATEGORY_PYTHON,
	CATEGORY_API,
	CATEGORY_OVERHEAD,
	CATEGORY_KERNEL,
	CATEGORY_COPY,
	CATEGORY_SET,
	CATEGORY_INSTANT,
	CATEGORY_SYNC,
	CATEGORY_LAUNCH_FLOW,
	CATEGORY_BACKWARD_FLOW,
	CATEGORY_IGNORED, /* known and not needed */
	CATEGORIES
};

/* Names in lower case; docs/formats.md lists their writers. */
static const struct weir_keyindex_entry category_names[] = {
	{"cpu_op", CATEGORY_OP},
	{"operator", CATEGORY_OP}, /* up to 1.9 */
	{"user_annotation", CATEGORY_ANNOTATION},
	{"python_function", CATEGORY_PYTHON},
	{"cuda_runtime", CATEGORY_API},
	{"runtime", CATEGORY_API}, /* up to 1.11 */
	{"cuda_driver", CATEGORY_API},
	{"hip_runtime", CATEGORY_API},
	{"mtia_runtime", CATEGORY_API},
	{"xpu_runtime", CATEGORY_API},
	{"xpu_driver", CATEGORY_API},
	{"glow_runtime", CATEGORY_API},
	{"privateuse1_runtime", CATEGORY_API},
	{"privateuse1_driver", CATEGORY_API},
	{"overhead", CATEGORY_OVERHEAD},
	{"kernel", CATEGORY_KERNEL},
	{"mtia_ccp_events", CATEGORY_KERNEL},
	{"gpu_memcpy", CATEGORY_COPY},
	{"memcpy", CATEGORY_COPY}, /* up to 1.11 */
	{"gpu_memset", CATEGORY_SET},
	{"memset", CATEGORY_SET}, /* up to 1.11 */
	{"cpu_instant_event", CATEGORY_INSTANT},
	{"cuda_sync", CATEGORY_SYNC},
	{"xpu_sync", CATEGORY_SYNC},
	{"ac2g", CATEGORY_LAUNCH_FLOW},
	{"async", CATEGORY_LAUNCH_FLOW},
	{"async_gpu", CATEGORY_LAUNCH_FLOW},
	{"async_cpu_to_gpu", CATEGORY_LAUNCH_FLOW},
	{"fwdbwd", CATEGORY_BACKWARD_FLOW},
	{"forward_backward", CATEGORY_BACKWARD_FLOW},
	/* Derived from annotations and kernels, which are read themselves. */
	{"gpu_user_annotation", CATEGORY_IGNORED},
	{"user", CATEGORY_IGNORED}, /* up to 1.9 */
	{"trace", CATEGORY_IGNORED},
	{"cuda_event", CATEGORY_IGNORED},
	{"cuda_profiler_range", CATEGORY_IGNORED},
	{"collective_comm", CATEGORY_IGNORED},
	{"external_correlation", CATEGORY_IGNORED},
	{"hardware_counters", CATEGORY_IGNORED},
	{"xpu_scope_profiler", CATEGORY_IGNORED},
	{"mtia_insight", CATEGORY_IGNORED},
	{"mtia_counters", CATEGORY_IGNORED},
	{"hpu_op", CATEGORY_IGNORED},
	/* Arrows of Ascend's profiler, which end at work that is found by its process. */
	{"async_npu", CATEGORY_IGNORED},
	{"async_task_queue", CATEGORY_IGNORED},
	{"hosttodevice", CATEGORY_IGNORED},
	{0},
};

struct kineto_reader *weir_kineto_reader_new(const struct kineto_dialect *dialect, void *context,
                                             struct weir_input *input)
{
	struct kineto_reader *reader = weir_alloc(sizeof(*reader));

	reader->dialect = dialect;
	reader->context = context;
	reader->input = input;
	reader->builder = weir_builder_new(input);
	reader->rows = weir_kineto_rows_new();
	init_keys(&reader->keys, dialect->args);
	weir_keyindex_init(&reader->categories, category_names);
	return reader;
}

void weir_kineto_reader_free(struct kineto_reader *reader)
{
	weir_kineto_rows_free(reader->rows);
	weir_builder_free(reader->builder);
	weir_text_release(&reader->scratch);
	free(reader);
}

struct weir_slice weir_kineto_text(struct kineto_reader *reader, enum kineto_key key)
{
	struct weir_slice decoded, raw = weir_kineto_value(&reader->event, key);
	bool odd = false;

	if (reader->event.plain)
		return raw;
	decoded = weir_jsoncursor_decode(raw, &reader->scratch, &odd);
	if (odd)
		weir_input_warn(reader->input, WEIR_WARN_REPAIRED_TEXT, reader->event.at, NULL);
	return decoded;
}

void weir_kineto_refuse(struct kineto_reader *reader, enum weir_warning_code code,
                        const char *expected)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)];

	if (!reader->input->warnings[code].count || !reader->first_problem[0]) {
		snprintf(detail, sizeof(detail), "event %" PRIu64 ": %s", reader->event.number,
		         expected);
		if (!reader->first_problem[0])
			snprintf(reader->first_problem, sizeof(reader->first_problem),
			         "event %" PRIu64 " at byte %" PRIu64 ": %s", reader->event.number,
			         reader->event.at, expected);
		weir_input_warn(reader->input, code, reader->event.at, detail);
		return;
	}
	weir_input_warn(reader->input, code, reader->event.at, NULL);
}

/* Counts fractions by whether the writer padded them with zeros: see WEIR_WARN_FRACTION_PADDING. */
static void watch_fraction(struct kineto_reader *reader, struct weir_slice text)
{
	if (text.length > 4 && text.data[text.length - 4] == '.')
		reader->padded += text.data[text.length - 1] == '0';
	else if (text.length > 3 &&
	         (text.data[text.length - 3] == '.' || text.data[text.length - 2] == '.'))
		reader->unpadded++;
}

/* Reasons to leave an event out. Limits: WEIR_MAX_TIME_NS and WEIR_MAX_DURATION_NS. */
#define TS_TOO_LARGE  "\"ts\" exceeds 146 years in microseconds; divide nanoseconds by 1000"
#define DUR_TOO_LARGE "\"dur\" exceeds 104 days in microseconds; divide nanoseconds by 1000"

static bool is_number(struct weir_slice text)
{
	double value;

	return weir_parse_double(text.data, text.length, &value);
}

bool weir_kineto_start(struct kineto_reader *reader, int64_t *start_ns)
{
	struct weir_slice text = weir_kineto_value(&reader->event, KEY_TS);

	if (!text.length) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME,
		                   "\"ts\" is missing, expected microseconds");
		return false;
	}
	if (!weir_parse_us_as_ns(text.data, text.length, start_ns)) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME,
		                   is_number(text) ? TS_TOO_LARGE
		                                   : "\"ts\" is not a number of microseconds");
		return false;
	}
	if (*start_ns >= WEIR_MAX_TIME_NS || *start_ns <= -WEIR_MAX_TIME_NS) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME, TS_TOO_LARGE);
		return false;
	}
	watch_fraction(reader, text);
	return true;
}

bool weir_kineto_times(struct kineto_reader *reader, int64_t *start_ns, int64_t *end_ns)
{
	struct weir_slice text = weir_kineto_value(&reader->event, KEY_DUR);
	int64_t duration_ns = 0;

	if (!weir_kineto_start(reader, start_ns))
		return false;
	if (!text.length) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME,
		                   "\"dur\" is missing, expected microseconds");
		return false;
	}
	if (!weir_parse_us_as_ns(text.data, text.length, &duration_ns)) {
		weir_kineto_refuse(reader, WEIR_WARN_BAD_NUMBER,
		                   is_number(text) ? DUR_TOO_LARGE
		                                   : "\"dur\" is not a number of microseconds");
		return false;
	}
	if (duration_ns < 0) { /* older writers did not check clocks that ran backwards */
		weir_input_warn(reader->input, WEIR_WARN_NEGATIVE_DURATION, reader->event.at, NULL);
		duration_ns = 0;
	}
	if (duration_ns > WEIR_MAX_DURATION_NS) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME, DUR_TOO_LARGE);
		return false;
	}
	*end_ns = *start_ns + duration_ns;
	reader->timed++;
	return true;
}

static struct weir_collective_event read_collective(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;

	return (struct weir_collective_event){
		.name = weir_kineto_value(event, ARG_COLLECTIVE),
		.group = weir_kineto_value(event, ARG_GROUP),
		.members = weir_kineto_value(event, ARG_GROUP_RANKS),
		.dtype = weir_kineto_value(event, ARG_DTYPE),
		.elements_in = weir_kineto_int(event, ARG_ELEMENTS_IN, -1),
		.elements_out = weir_kineto_int(event, ARG_ELEMENTS_OUT, -1),
		.group_size = weir_kineto_int(event, ARG_GROUP_SIZE, 0),
		.sequence = weir_kineto_int(event, ARG_SEQUENCE, -1),
	};
}

/* Returns true if the operator is an annotation: up to 1.9, annotations had no separate category.
 */
static bool is_old_annotation(struct weir_slice name)
{
	return weir_slice_starts(name, "ProfilerStep#") || weir_slice_starts(name, "Optimizer.");
}

static void emit_host(struct kineto_reader *reader, enum weir_host_kind kind)
{
	const struct kineto_event *event = &reader->event;
	struct weir_host_event host = {.kind = kind, .at = event->at};

	if (!weir_kineto_times(reader, &host.start_ns, &host.end_ns))
		return;
	host.pid = weir_kineto_place(event, KEY_PID);
	host.tid = weir_kineto_place(event, KEY_TID);
	host.external = weir_kineto_id(event, ARG_EXTERNAL);
	if (kind == WEIR_HOST_API)
		host.correlation = weir_kineto_id(event, ARG_CORRELATION);
	if (kind == WEIR_HOST_OP) {
		host.dims = weir_kineto_value(event, ARG_DIMS);
		host.types = weir_kineto_value(event, ARG_TYPES);
		host.scalars = weir_kineto_value(event, ARG_SCALARS);
		host.strides = weir_kineto_used_strides(event);
	}
	host.name = weir_kineto_text(reader, KEY_NAME);
	if (kind == WEIR_HOST_OP && is_old_annotation(host.name))
		host.kind = WEIR_HOST_ANNOTATION;
	weir_builder_add_host(reader->builder, &host);
}

static void emit_op(struct kineto_reader *reader)
{
	struct weir_collective_event collective;

	emit_host(reader, WEIR_HOST_OP);
	if (!weir_kineto_has(&reader->event, ARG_COLLECTIVE))
		return;
	collective = read_collective(reader);
	weir_builder_add_host_collective(reader->builder, &collective,
	                                 weir_kineto_id(&reader->event, ARG_EXTERNAL));
}

static void emit_annotation(struct kineto_reader *reader)
{
	emit_host(reader, WEIR_HOST_ANNOTATION);
}

static void emit_python(struct kineto_reader *reader)
{
	emit_host(reader, WEIR_HOST_PYTHON);
}

static void emit_api(struct kineto_reader *reader)
{
	emit_host(reader, WEIR_HOST_API);
}

static void emit_overhead(struct kineto_reader *reader)
{
	emit_host(reader, WEIR_HOST_OVERHEAD);
}

/* Returns a key of the graph node, unique in the trace; 0: unknown. Ids may hold the graph's id in
 * their upper half; the lower half is the node. */
static uint64_t graph_node(const struct kineto_event *event)
{
	uint64_t graph = weir_kineto_id(event, ARG_GRAPH) & UINT32_MAX;
	uint64_t node = weir_kineto_id(event, ARG_GRAPH_NODE) & UINT32_MAX;

	return graph && node ? graph << 32 | node : 0;
}

static void emit_work(struct kineto_reader *reader, enum weir_device_kind kind)
{
	const struct kineto_event *event = &reader->event;
	struct weir_device_event work = {.kind = kind, .at = event->at};
	struct weir_collective_event collective;

	if (!weir_kineto_times(reader, &work.start_ns, &work.end_ns))
		return;
	work.device =
		weir_kineto_place(event, weir_kineto_has(event, ARG_DEVICE) ? ARG_DEVICE : KEY_PID);
	work.stream =
		weir_kineto_place(event, weir_kineto_has(event, ARG_STREAM) ? ARG_STREAM : KEY_TID);
	work.correlation = weir_kineto_id(event, ARG_CORRELATION);
	work.external = weir_kineto_id(event, ARG_EXTERNAL);
	work.bytes = weir_kineto_int(event, ARG_BYTES, -1);
	work.blocks = weir_kineto_product(event, ARG_GRID);
	work.threads_per_block = weir_kineto_product(event, ARG_BLOCK);
	work.in_graph = weir_kineto_id(event, ARG_GRAPH) != 0;
	work.graph_node = graph_node(event);
	work.name = weir_kineto_text(reader, KEY_NAME);
	if (kind == WEIR_DEVICE_KERNEL)
		work.kind = weir_rocm_kernel_kind(work.name);
	if (!weir_builder_add_device(reader->builder, &work) ||
	    !weir_kineto_has(event, ARG_COLLECTIVE))
		return;
	collective = read_collective(reader);
	weir_builder_add_device_collective(reader->builder, &collective);
}

static void emit_kernel(struct kineto_reader *reader)
{
	emit_work(reader, WEIR_DEVICE_KERNEL);
}

static void emit_copy(struct kineto_reader *reader)
{
	emit_work(reader, WEIR_DEVICE_COPY);
}

static void emit_set(struct kineto_reader *reader)
{
	emit_work(reader, WEIR_DEVICE_SET);
}

static void emit_instant(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_memory_event memory = {0};

	if (!weir_slice_equals(weir_kineto_value(event, KEY_NAME), "[memory]") ||
	    !weir_kineto_start(reader, &memory.at_ns))
		return;
	memory.bytes = weir_kineto_int(event, ARG_MEMORY_BYTES, 0);
	memory.allocated_bytes = weir_kineto_int(event, ARG_ALLOCATED, -1);
	memory.reserved_bytes = weir_kineto_int(event, ARG_RESERVED, -1);
	memory.device_id = (int32_t)weir_kineto_int(event, ARG_MEMORY_DEVICE, -1);
	memory.device_type = (int32_t)weir_kineto_int(event, ARG_DEVICE_TYPE, 0);
	weir_builder_add_memory(reader->builder, &memory);
}

static void emit_sync(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_sync_event sync = {0};

	if (!weir_kineto_times(reader, &sync.start_ns, &sync.end_ns))
		return;
	sync.kind_name = weir_builder_name(
		reader->builder,
		weir_kineto_text(reader,
	                         weir_kineto_has(event, ARG_SYNC_KIND) ? ARG_SYNC_KIND : KEY_NAME));
	sync.stream = weir_kineto_int(event, ARG_STREAM, -1);
	sync.wait_on_stream = weir_kineto_int(event, ARG_WAIT_STREAM, -1);
	sync.correlation = weir_kineto_id(event, ARG_CORRELATION);
	sync.wait_on_correlation = weir_kineto_id(event, ARG_WAIT_CORRELATION);
	weir_builder_add_sync(reader->builder, &sync);
}

static void emit_flow(struct kineto_reader *reader, enum weir_flow_kind kind)
{
	const struct kineto_event *event = &reader->event;
	struct weir_flow_event flow = {.kind = kind};

	if (!weir_kineto_start(reader, &flow.at_ns))
		return;
	flow.finish = weir_slice_equals(weir_kineto_value(event, KEY_PH), "f");
	flow.id = weir_kineto_id(event, KEY_ID);
	flow.pid = weir_kineto_place(event, KEY_PID);
	flow.tid = weir_kineto_place(event, KEY_TID);
	weir_builder_add_flow(reader->builder, &flow);
}

static void emit_launch_flow(struct kineto_reader *reader)
{
	emit_flow(reader, WEIR_FLOW_LAUNCH);
}

static void emit_backward_flow(struct kineto_reader *reader)
{
	emit_flow(reader, WEIR_FLOW_BACKWARD);
}

static void emit_nothing(struct kineto_reader *reader)
{
	(void)reader;
}

/* The phase of each category's events ('s' stands for all phases of a flow), and their handler. */
static const struct {
	char phase;
	void (*emit)(struct kineto_reader *reader);
} handlers[CATEGORIES] = {
	[CATEGORY_OP] = {'X', emit_op},
	[CATEGORY_ANNOTATION] = {'X', emit_annotation},
	[CATEGORY_PYTHON] = {'X', emit_python},
	[CATEGORY_API] = {'X', emit_api},
	[CATEGORY_OVERHEAD] = {'X', emit_overhead},
	[CATEGORY_KERNEL] = {'X', emit_kernel},
	[CATEGORY_COPY] = {'X', emit_copy},
	[CATEGORY_SET] = {'X', emit_set},
	[CATEGORY_INSTANT] = {'i', emit_instant},
	[CATEGORY_SYNC] = {'X', emit_sync},
	[CATEGORY_LAUNCH_FLOW] = {'s', emit_launch_flow},
	[CATEGORY_BACKWARD_FLOW] = {'s', emit_backward_flow},
	[CATEGORY_IGNORED] = {0, emit_nothing},
};

static int find_category(const struct weir_keyindex *categories, struct weir_slice text)
{
	char lower[CATEGORY_SIZE + 8] = {0};
	int category;

	if (!text.length || text.length > CATEGORY_SIZE)
		return -1;
	category = weir_keyindex_find(categories, text);
	if (category >= 0)
		return category;
	for (size_t i = 0; i < text.length; i++)
		lower[i] = text.data[i] >= 'A' && text.data[i] <= 'Z'
		                   ? (char)(text.data[i] - 'A' + 'a')
		                   : text.data[i];
	return weir_keyindex_find(categories, (struct weir_slice){lower, text.length});
}

bool weir_kineto_knows(const struct kineto_reader *reader)
{
	return find_category(&reader->categories, weir_kineto_value(&reader->event, KEY_CAT)) >= 0;
}

/* Returns the text after "cat" and a colon; NULL if no text follows. */
static const char *category_behind(const char *at, const char *end)
{
	while (at < end && (*at == ' ' || *at == ':'))
		at++;
	return at < end && *at == '"' ? at + 1 : NULL;
}

static int category_bits(const char *head, size_t len)
{
	static const char key[] = "\"cat\"";
	const char *at = head, *end = head + len;
	struct weir_keyindex categories;

	weir_keyindex_init(&categories, category_names);
	while ((at = memchr(at, '"', (size_t)(end - at))) != NULL) {
		const char *text, *quote;
		struct weir_slice category;

		if ((size_t)(end - at) < sizeof(key) || memcmp(at, key, sizeof(key) - 1) != 0) {
			at++;
			continue;
		}
		at += sizeof(key) - 1;
		text = category_behind(at, end);
		quote = text ? memchr(text, '"', (size_t)(end - text)) : NULL;
		if (!quote)
			continue;
		category = (struct weir_slice){text, (size_t)(quote - text)};
		if (find_category(&categories, category) >= 0)
			return 8 * (int)category.length;
	}
	return 0;
}

int weir_kineto_sniff(const char *head, size_t len)
{
	static const char *const processes[] = {"\"CPU functions\"", "\"CUDA functions\""};

	for (size_t i = 0; i < sizeof(processes) / sizeof(processes[0]); i++)
		if (weir_sniff_contains(head, len, processes[i]))
			return 8 * (int)strlen(processes[i]);
	return category_bits(head, len);
}

void weir_kineto_warn_unknown(struct kineto_reader *reader, struct weir_slice category, uint64_t at)
{
	char detail[sizeof(((struct weir_warning *)0)->detail)] = "an event without a category";

	if (category.length)
		snprintf(detail, sizeof(detail), "\"%.*s\"",
		         category.length > 64 ? 64 : (int)category.length, category.data);
	weir_input_warn(reader->input, WEIR_WARN_UNKNOWN_CATEGORY, at, detail);
}

void weir_kineto_metadata(struct kineto_reader *reader)
{
	const struct kineto_event *event = &reader->event;
	struct weir_slice name = weir_kineto_value(event, KEY_NAME);

	if (weir_slice_equals(name, "process_name"))
		weir_kineto_rows_name(reader);
	if (weir_slice_equals(name, "thread_name"))
		weir_builder_name_thread(reader->builder, weir_kineto_place(event, KEY_PID),
		                         weir_kineto_place(event, KEY_TID),
		                         weir_kineto_text(reader, ARG_NAME));
}

/* Returns true if the event's process has a name that PyTorch's profiler used before Kineto. */
static bool is_legacy(const struct kineto_event *event)
{
	struct weir_slice pid = weir_kineto_value(event, KEY_PID);

	return weir_slice_equals(pid, "CPU functions") || weir_slice_equals(pid, "CUDA functions");
}

static void emit_timed(struct kineto_reader *reader, char phase)
{
	struct weir_slice name = weir_kineto_value(&reader->event, KEY_CAT);
	int category = find_category(&reader->categories, name);

	if (category < 0) {
		reader->legacy |= is_legacy(&reader->event);
		if (phase == 'X')
			weir_kineto_rows_hold(reader);
		else if (name.length)
			weir_kineto_warn_unknown(reader, name, reader->event.at);
		return;
	}
	reader->known++;
	if (handlers[category].phase == phase)
		handlers[category].emit(reader);
	else if (handlers[category].phase)
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT,
		                   "unexpected \"ph\" for an event of this category");
}

void weir_kineto_emit(struct kineto_reader *reader)
{
	struct weir_slice phase = weir_kineto_value(&reader->event, KEY_PH);

	if (phase.length != 1) {
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT,
		                   "\"ph\" is missing: not a trace event");
		return;
	}
	switch (*phase.data) {
	case 'X':
		emit_timed(reader, 'X');
		break;
	case 'i':
	case 'I':
		emit_timed(reader, 'i');
		break;
	case 's':
	case 'f':
		emit_timed(reader, 's');
		break;
	case 'M':
		weir_kineto_metadata(reader);
		break;
	case 't': /* steps of flows, counters */
	case 'C':
		break;
	default:
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT, "unknown \"ph\"");
	}
}
