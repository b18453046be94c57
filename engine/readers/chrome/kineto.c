/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads documents of trace events, and recognises and concludes those of PyTorch's profiler
 * (Kineto) from 1.8 to today, with NVIDIA, AMD, Intel or MTIA devices or the host alone. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/blocks.h"
#include "engine/base/jsoncursor.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

/* ---- recognition ---- */

static const char *const object_keys[] = {"traceEvents", "schemaVersion", "deviceProperties", NULL};
static const char *const event_keys[] = {"ph", "cat", "ts", NULL};

/* Requires texts that only PyTorch's profiler writes: other traces are read as plain Chrome traces.
 */
static int sniff(const char *head, size_t len)
{
	char first = weir_sniff_first(head, len);
	unsigned found;
	int bits, own;

	if (first != '{' && first != '[')
		return 0;
	found = weir_sniff_keys(head, len, first == '{' ? object_keys : event_keys);
	if (!(found & (first == '{' ? 3 : 1)))
		return 0;
	bits = weir_sniff_bits(found, first == '{' ? object_keys : event_keys);
	own = weir_kineto_sniff(head, len);
	return own || (first == '{' && found & 6) ? bits + own : 0;
}

static const struct weir_mark marks[] = {
	{.first = "{[",
         .keys = {{"schema", "nodes"}, .all = 2},
         .refusal = "it is a PyTorch execution trace, which holds no times: pass the trace of "
                    "torch.profiler"},
	{0},
};

/* ---- members beside the events, which may come before or after them ---- */

#define LABEL_SIZE 256 /* bytes; longer texts are left out */

enum member {
	MEMBER_SCHEMA,
	MEMBER_DEVICES,
	MEMBER_DISTRIBUTED,
	MEMBER_BASE_TIME,
	MEMBER_SHAPES,
	MEMBER_MEMORY,
	MEMBER_STACK,
	MEMBER_ROCM,
	MEMBERS
};

static const struct weir_keyindex_entry member_names[] = {
	{"schemaVersion", MEMBER_SCHEMA},
	{"deviceProperties", MEMBER_DEVICES},
	{"distributedInfo", MEMBER_DISTRIBUTED},
	{"baseTimeNanoseconds", MEMBER_BASE_TIME},
	{"record_shapes", MEMBER_SHAPES},
	{"profile_memory", MEMBER_MEMORY},
	{"with_stack", MEMBER_STACK},
	{"roctracer_version", MEMBER_ROCM},
	{"hip_runtime_version", MEMBER_ROCM},
	{"hip_driver_version", MEMBER_ROCM},
	{0},
};

/* Reads a whole number, with or without quotes. Returns false, and leaves *out unchanged, for other
 * values. */
static bool take_int(struct weir_jsoncursor *cursor, int64_t *out)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);

	return text.length && weir_parse_i64(text.data, text.length, out);
}

static void take_label(struct kineto_reader *reader, struct weir_slice key,
                       struct weir_jsoncursor *cursor)
{
	struct weir_text scratch = {0};
	struct weir_slice value = weir_jsoncursor_scalar(cursor);

	if (value.length && value.length <= LABEL_SIZE && !cursor->bad)
		weir_builder_add_label(reader->builder, key,
		                       weir_jsoncursor_decode(value, &scratch, NULL));
	weir_text_release(&scratch);
}

/* Properties of a device that the reader keeps. */
enum property {
	PROPERTY_ID,
	PROPERTY_MEMORY,
	PROPERTY_SMS,
	PROPERTY_MAJOR,
	PROPERTY_MINOR,
	PROPERTY_WARP,
	PROPERTIES
};

static const struct {
	const char *key;
	enum property property;
} properties[] = {
	{"id", PROPERTY_ID},
	{"totalGlobalMem", PROPERTY_MEMORY},
	{"numSms", PROPERTY_SMS},
	{"maxComputeUnits", PROPERTY_SMS}, /* XPU */
	{"computeMajor", PROPERTY_MAJOR},
	{"computeMinor", PROPERTY_MINOR},
	{"warpSize", PROPERTY_WARP},
};

static void take_property(struct weir_jsoncursor *cursor, struct weir_slice key, int64_t *values)
{
	for (size_t i = 0; i < sizeof(properties) / sizeof(properties[0]); i++)
		if (weir_slice_equals(key, properties[i].key)) {
			take_int(cursor, &values[properties[i].property]);
			return;
		}
	weir_jsoncursor_take(cursor);
}

static uint32_t as_u32(int64_t value)
{
	return value > 0 && value < UINT32_MAX ? (uint32_t)value : 0;
}

static void take_device(struct kineto_reader *reader, struct weir_jsoncursor *cursor)
{
	int64_t values[PROPERTIES] = {[PROPERTY_ID] = -1};
	struct weir_trace_device device = {0};
	struct weir_text scratch = {0};
	struct weir_slice key;

	while (weir_jsoncursor_key(cursor, &key)) {
		if (!weir_slice_equals(key, "name"))
			take_property(cursor, key, values);
		else
			device.name = weir_builder_name(
				reader->builder,
				weir_jsoncursor_decode(weir_jsoncursor_scalar(cursor), &scratch,
			                               NULL));
	}
	weir_text_release(&scratch);
	if (values[PROPERTY_ID] < 0)
		return;
	device.id = values[PROPERTY_ID];
	device.memory_bytes = values[PROPERTY_MEMORY] > 0 ? (uint64_t)values[PROPERTY_MEMORY] : 0;
	device.sms = as_u32(values[PROPERTY_SMS]);
	device.compute_major = as_u32(values[PROPERTY_MAJOR]);
	device.compute_minor = as_u32(values[PROPERTY_MINOR]);
	device.warp_size = as_u32(values[PROPERTY_WARP]);
	reader->agents |=
		device.warp_size == 64; /* files from before 2024-05 state no ROCm version */
	weir_builder_describe_device(reader->builder, &device);
}

static void take_devices(struct kineto_reader *reader, struct weir_jsoncursor *cursor)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		if (weir_jsoncursor_enter(cursor, '{'))
			take_device(reader, cursor);
}

/* Reads the rank. PyTorch writes it before the events, Kineto's on-demand writer after them. */
static void take_distributed(struct kineto_reader *reader, struct weir_jsoncursor *cursor)
{
	struct weir_trace *trace = reader->input->trace;
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "rank"))
			take_int(cursor, &trace->rank);
		else if (weir_slice_equals(key, "world_size"))
			take_int(cursor, &trace->world_size);
		else if (weir_slice_equals(key, "backend") ||
		         weir_slice_equals(key, "nccl_version"))
			take_label(reader, key, cursor);
		else
			weir_jsoncursor_take(cursor);
	}
	trace->rank = trace->rank < 0 ? -1 : trace->rank;
	trace->world_size = trace->world_size < 0 ? 0 : trace->world_size;
}

static void take_base_time(struct kineto_reader *reader, struct weir_jsoncursor *cursor)
{
	int64_t base_ns;

	if (take_int(cursor, &base_ns) && base_ns > 0 && base_ns < WEIR_MAX_TIME_NS)
		reader->input->trace->base_ns = base_ns;
}

/* Returns true if a flag is set: 1, or "1" in older files. Flags that are off are absent. */
static bool is_on(struct weir_slice value)
{
	return weir_slice_equals(value, "1") || weir_slice_equals(value, "\"1\"") ||
	       weir_slice_equals(value, "true");
}

static void take_member(struct kineto_reader *reader, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_trace *trace = reader->input->trace;
	int member = weir_keyindex_find(&reader->members, item->key);

	reader->head |= member >= 0;
	switch (member) {
	case MEMBER_DEVICES:
		take_devices(reader, &cursor);
		return;
	case MEMBER_DISTRIBUTED:
		take_distributed(reader, &cursor);
		return;
	case MEMBER_BASE_TIME:
		take_base_time(reader, &cursor);
		return;
	case MEMBER_SCHEMA:
		return;
	case MEMBER_SHAPES:
		trace->has_shapes |= is_on(item->text);
		break;
	case MEMBER_MEMORY:
		trace->has_memory |= is_on(item->text);
		break;
	case MEMBER_STACK:
		trace->has_stacks |= is_on(item->text);
		break;
	case MEMBER_ROCM:
		reader->agents = true;
		break;
	default:
		break;
	}
	take_label(reader, item->key, &cursor);
}

/* ---- the whole document ---- */

/* Returns true for an object without members at the start of the list: ROCm's tools begin with one,
 * so that a comma may precede every event. */
static bool is_separator(const struct weir_jsonscan_item *item)
{
	if (item->number != 1)
		return false;
	for (size_t i = 1; i + 1 < item->text.length; i++)
		if (!strchr(" \t\r\n", item->text.data[i]))
			return false;
	return true;
}

static void read_element(struct kineto_reader *reader, struct weir_jsonscan *scan,
                         const struct weir_jsonscan_item *item)
{
	switch (weir_kineto_event_read(&reader->keys, item, &reader->event)) {
	case KINETO_READ_BROKEN:
		weir_jsonscan_reject(scan);
		return;
	case KINETO_READ_OTHER:
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element that is not an object");
		return;
	case KINETO_READ_EVENT:
		if (is_separator(item))
			return;
		if (reader->event.sloppy)
			weir_input_warn(reader->input, WEIR_WARN_REPAIRED_TEXT, item->at,
			                "empty members");
		reader->input->events++;
		reader->dialect->emit(reader);
		return;
	}
}

/* The reading of one document. */
struct reading {
	struct kineto_reader *reader;
	struct weir_source *source;
	struct weir_blocks *blocks; /* NULL: the dialect does not divide files */
	struct weir_source *fed;    /* hands the blocks to the scan */
	struct weir_jsonscan *scan;
	struct weir_error *err;
	enum weir_status status;
};

static enum weir_status feed(void *context, const char **data, size_t *len, struct weir_error *err)
{
	struct reading *reading = context;
	enum weir_status status = weir_blocks_take(reading->blocks, data, len, err);

	weir_source_note_damage(reading->fed, weir_blocks_damage(reading->blocks));
	return status;
}

static void read_items(void *context)
{
	struct reading *reading = context;
	struct kineto_reader *reader = reading->reader;
	struct weir_jsonscan_item item;

	for (;;) {
		if (reading->blocks && weir_jsonscan_is_between(reading->scan))
			weir_kineto_blocks_add(reader, reading->blocks, reading->scan,
			                       reading->fed);
		reading->status = weir_jsonscan_next(reading->scan, &item, reading->err);
		if (reading->status || item.kind == WEIR_JSONSCAN_END || reader->legacy)
			return;
		if (item.kind == WEIR_JSONSCAN_MEMBER)
			take_member(reader, &item);
		else
			read_element(reader, reading->scan, &item);
	}
}

static void begin_reading(struct reading *reading)
{
	const struct kineto_dialect *dialect = reading->reader->dialect;
	const struct weir_jsonscan_options options = {.array = "traceEvents",
	                                              .arrays = dialect->arrays};

	if (dialect->divides) {
		reading->blocks = weir_kineto_blocks_new(reading->reader, reading->source);
		reading->fed =
			weir_source_new_fed(weir_source_name(reading->source), feed, reading);
	}
	reading->scan = weir_jsonscan_new(reading->fed ? reading->fed : reading->source, &options);
}

/* Reads all elements and members. Threads that read ahead are stopped before memory that ran out
 * ends the call. */
static enum weir_status read_document(struct reading *reading)
{
	bool done;

	begin_reading(reading);
	if (!reading->blocks) {
		read_items(reading);
		return reading->status;
	}
	done = weir_memory_try(read_items, reading);
	weir_kineto_blocks_free(reading->reader, reading->blocks);
	if (!done)
		weir_out_of_memory();
	return reading->status;
}

/* Warns of fractions without padding: writers of spring 2024 printed 47 ns as ".47". Only they mix
 * short fractions with ones that end in 0. */
static void check_fractions(struct kineto_reader *reader)
{
	if (reader->input->trace->base_ns || !reader->unpadded || !reader->padded)
		return;
	weir_input_warn(reader->input, WEIR_WARN_FRACTION_PADDING, UINT64_MAX, NULL);
	reader->input->warnings[WEIR_WARN_FRACTION_PADDING].count = reader->unpadded;
}

enum weir_status weir_kineto_check_legacy(const struct kineto_reader *reader,
                                          struct weir_error *err)
{
	if (!reader->legacy)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_FORMAT,
	                 "a trace of PyTorch's profiler before 1.8.1 (or with use_kineto=False), "
	                 "which does not link device work to launches: record it with "
	                 "torch.profiler.profile");
}

enum weir_status weir_kineto_conclude(struct kineto_reader *reader, struct weir_error *err)
{
	if (reader->timed)
		return weir_builder_finish(reader->builder, err);
	if (reader->first_problem[0])
		return weir_fail(err, WEIR_E_EMPTY, "%s; no event with a time is left",
		                 reader->first_problem);
	if (reader->input->warnings[WEIR_WARN_TRUNCATED].count)
		return weir_fail(
			err, WEIR_E_EMPTY,
			"cut off or damaged before its first complete event: record it again");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no events with times in this trace (%" PRIu64
	                 " read); was the profiler stopped before it was exported?",
	                 reader->input->events);
}

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct weir_input *input = reader->input;
	const char *first = input->warnings[WEIR_WARN_UNKNOWN_CATEGORY].detail;
	struct weir_trace *trace = input->trace;
	enum weir_status status = weir_kineto_check_legacy(reader, err);

	if (status)
		return status;
	if (!reader->known && !reader->head && input->events)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "a Chrome trace, but none of its %" PRIu64
		                 " events has a category of the PyTorch "
		                 "profiler%s%s%s",
		                 input->events, *first ? " (the first: " : "", first,
		                 *first ? ")" : "");
	trace->has_shapes |= trace->shape_count > 1;
	trace->has_memory |= trace->memory_count > 0;
	check_fractions(reader);
	if (reader->agents)
		weir_builder_match_devices_by_order(reader->builder);
	return weir_kineto_conclude(reader, err);
}

enum weir_status weir_kineto_read(const struct kineto_dialect *dialect, void *context,
                                  struct weir_source *source, struct weir_input *input,
                                  struct weir_error *err)
{
	struct kineto_reader *reader = weir_kineto_reader_new(dialect, context, input);
	struct reading reading = {.reader = reader, .source = source, .err = err};
	enum weir_status status;

	weir_keyindex_init(&reader->members, member_names);
	status = read_document(&reading);
	if (!status) {
		weir_damage_of_scan(input, reading.scan, reading.fed ? reading.fed : source);
		weir_kineto_rows_place(reader);
		status =
			(dialect->conclude ? dialect->conclude : weir_kineto_conclude)(reader, err);
	}
	weir_kineto_reader_free(reader);
	weir_jsonscan_free(reading.scan);
	weir_source_free(reading.fed);
	return status;
}

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct kineto_dialect dialect = {
		.emit = weir_kineto_emit, .conclude = conclude, .divides = true};

	return weir_kineto_read(&dialect, NULL, source, input, err);
}

const struct weir_reader weir_reader_kineto = {
	.name = "kineto",
	.title = "PyTorch profiler traces (Kineto, Chrome trace JSON; plain, gzip or zstd)",
	.gives = "timeline",
	.marks = marks,
	.sniff = sniff,
	.read = read_trace,
};
