/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/base/jsoncursor.h"
#include "engine/base/rowmap.h"
#include "engine/readers/chrome/kineto_event.h"

static const struct weir_keyindex_entry field_keys[] = {
	{"ph", KEY_PH}, {"cat", KEY_CAT}, {"name", KEY_NAME}, {"pid", KEY_PID},   {"tid", KEY_TID},
	{"ts", KEY_TS}, {"dur", KEY_DUR}, {"id", KEY_ID},     {"args", KEY_ARGS}, {0},
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
	{0},
};

void weir_kineto_keys_init(struct kineto_keys *keys, const struct weir_keyindex_entry *args)
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

	return value > 0 ? (uint64_t)value : 0; /* writers say -1 for none */
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
	return -2 - (int64_t)(weir_rowmap_hash_text(text.data, text.length, 0) >> 33);
}

/* A number that is nothing but 0, in a list. */
static bool is_zero_at(struct weir_slice text, size_t i)
{
	return text.data[i] == '0' && i && i + 1 < text.length && strchr("[, ", text.data[i - 1]) &&
	       strchr(",] ", text.data[i + 1]);
}

struct weir_slice weir_kineto_zero_strides(const struct kineto_event *event)
{
	struct weir_slice strides = weir_kineto_value(event, ARG_STRIDES);

	for (size_t i = 0; i < strides.length; i++) {
		const char *digit = memchr(strides.data + i, '0', strides.length - i);

		if (!digit)
			break;
		i = (size_t)(digit - strides.data);
		if (is_zero_at(strides, i))
			return strides;
	}
	return (struct weir_slice){"", 0};
}
