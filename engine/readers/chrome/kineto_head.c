/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a Kineto trace says beside its events; the members may stand before or after them. */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/readers/chrome/kineto.h"

#define LABEL_SIZE 256 /* longer texts are no labels */

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

void weir_kineto_head_init(struct kineto_reader *reader)
{
	weir_keyindex_init(&reader->members, member_names);
}

/* Whole numbers, also those in quotes; others leave *out as it is. */
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

/* Properties of a device that are kept; XPU names its cores otherwise. */
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
	{"maxComputeUnits", PROPERTY_SMS},
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
	reader->agents |= device.warp_size == 64; /* files before 2024-05 name no ROCm version */
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

/* Written by PyTorch, or after the events by Kineto's own on-demand writer. */
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

/* A flag is 1, or "1" in older files; where it is off the member is absent. */
static bool is_on(struct weir_slice value)
{
	return weir_slice_equals(value, "1") || weir_slice_equals(value, "\"1\"") ||
	       weir_slice_equals(value, "true");
}

void weir_kineto_head_member(struct kineto_reader *reader, const struct weir_jsonscan_item *item)
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
