/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * JSON of amd-smi and rocm-smi: a list of devices, the same under "gpu_data", or an object with a
 * card each; watched, one such document after another.
 */
#include <string.h>

#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/monitor/amd.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"

#define MAX_PATH  96 /* no field's path is longer */
#define MAX_DEPTH 4  /* of objects below a device: clock.gfx_0.clk.value */
#define MAX_LISTS 3  /* documents, "gpu_data", devices */

int weir_amd_sniff_json(const char *head, size_t len)
{
	static const char *const keys[] = {
		"gpu",   "usage",       "power",     "temperature",
		"clock", "power_usage", "mem_usage", "hotspot_temperature",
		"gfx",   NULL};
	static const char *const wrapped[] = {"gpu_data", NULL};
	static const char *const cards[] = {"card0", "card1", NULL};
	unsigned found = weir_sniff_keys(head, len, keys);
	unsigned other = weir_sniff_keys(head, len, wrapped);

	if (other)
		return weir_sniff_bits(other, wrapped);
	if (found & 1 && found != 1)
		return weir_sniff_bits(found, keys);
	return weir_sniff_bits(weir_sniff_keys(head, len, cards), cards);
}

/* What an object says of a device, a cell a field; texts are borrowed from the document. */
struct cells {
	const struct weir_monitor_field *fields;
	struct weir_slice value[WEIR_AMD_MAX_JSON_FIELDS];
	struct weir_slice unit[WEIR_AMD_MAX_JSON_FIELDS]; /* "": of the field */
	char path[MAX_PATH];
	size_t path_length; /* beyond MAX_PATH: of no field */
};

struct amd_json {
	struct weir_monitor monitor;
	uint64_t at; /* of the document */
	enum weir_status status;
	struct weir_error *err;
};

static void add_to_path(struct cells *cells, struct weir_slice key)
{
	size_t point = cells->path_length > 0;

	if (cells->path_length + point + key.length > MAX_PATH) {
		cells->path_length = MAX_PATH + 1;
		return;
	}
	if (point)
		cells->path[cells->path_length++] = '.';
	memcpy(cells->path + cells->path_length, key.data, key.length);
	cells->path_length += key.length;
}

static void keep(struct cells *cells, struct weir_slice value, struct weir_slice unit)
{
	const struct weir_monitor_unit *own;
	const struct weir_monitor_field *field;

	if (cells->path_length > MAX_PATH)
		return;
	field = weir_monitor_find(cells->fields,
	                          (struct weir_slice){cells->path, cells->path_length}, &own);
	if (!field)
		return;
	cells->value[field - cells->fields] = value;
	cells->unit[field - cells->fields] = unit;
}

/* An object below a device: a section of fields, or one field as value and unit. */
static void walk_object(struct cells *cells, struct weir_jsoncursor *cursor, unsigned depth)
{
	struct weir_slice key, value = {"", 0}, unit = {"", 0};
	size_t length = cells->path_length;

	if (depth > MAX_DEPTH) {
		weir_jsoncursor_take(cursor);
		return;
	}
	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "value")) {
			value = weir_jsoncursor_scalar(cursor);
		} else if (weir_slice_equals(key, "unit")) {
			unit = weir_jsoncursor_scalar(cursor);
		} else {
			add_to_path(cells, key);
			if (weir_jsoncursor_peek(cursor) == '{')
				walk_object(cells, cursor, depth + 1);
			else
				keep(cells, weir_jsoncursor_scalar(cursor),
				     (struct weir_slice){"", 0});
			cells->path_length = length;
		}
	}
	if (value.length)
		keep(cells, value, unit);
}

/* The cells in the table's order, which says what is preferred. */
static void add_sample(struct amd_json *amd, const struct cells *cells, struct weir_slice device)
{
	struct weir_monitor_reading reading = weir_monitor_unknown();

	reading.device = device;
	for (size_t i = 0; cells->fields[i].name; i++) {
		struct weir_monitor_column column = {.field = &cells->fields[i]};

		if (!cells->value[i].length)
			continue;
		column.unit = weir_monitor_unit(cells->unit[i]);
		weir_monitor_set(&amd->monitor, &column, cells->value[i], amd->at, &reading);
	}
	if (!amd->status)
		amd->status = weir_monitor_add(&amd->monitor, &reading, amd->at, amd->err);
}

static bool is_card(struct weir_slice key)
{
	return weir_slice_starts(key, "card") && key.length > strlen("card");
}

static void take_list(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth);

/* A device, or what holds devices: "gpu_data", cards by name. */
static void take_object(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth)
{
	struct cells cells = {.fields = weir_amd_json_fields};
	struct weir_slice key;

	weir_jsoncursor_enter(cursor, '{');
	while (weir_jsoncursor_key(cursor, &key)) {
		char first = weir_jsoncursor_peek(cursor);

		if (first == '[' && depth < MAX_LISTS && weir_slice_equals(key, "gpu_data")) {
			take_list(amd, cursor, depth + 1);
		} else if (first == '{' && is_card(key)) {
			struct cells card = {.fields = weir_amd_rocm_fields};

			walk_object(&card, cursor, 1);
			if (!cursor->bad)
				add_sample(amd, &card, key);
		} else {
			add_to_path(&cells, key);
			if (first == '{')
				walk_object(&cells, cursor, 1);
			else
				keep(&cells, weir_jsoncursor_scalar(cursor),
				     (struct weir_slice){"", 0});
			cells.path_length = 0;
		}
	}
	if (!cursor->bad)
		add_sample(amd, &cells, (struct weir_slice){"", 0});
}

static void take_list(struct amd_json *amd, struct weir_jsoncursor *cursor, unsigned depth)
{
	weir_jsoncursor_enter(cursor, '[');
	while (weir_jsoncursor_item(cursor)) {
		char first = weir_jsoncursor_peek(cursor);

		if (first == '{')
			take_object(amd, cursor, depth);
		else if (first == '[' && depth < MAX_LISTS)
			take_list(amd, cursor, depth + 1);
		else
			weir_jsoncursor_take(cursor);
	}
}

/* Devices before the place where a document is no JSON are kept. */
static void take_document(struct amd_json *amd, const struct weir_jsonscan_item *item)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);

	amd->at = item->at;
	weir_jsoncursor_skip_blanks(&cursor);
	if (weir_jsoncursor_peek(&cursor) == '[')
		take_list(amd, &cursor, 1);
	else if (weir_jsoncursor_peek(&cursor) == '{')
		take_object(amd, &cursor, 1);
	else
		cursor.bad = true;
	if (cursor.bad)
		weir_input_warn(amd->monitor.input, WEIR_WARN_SKIPPED_EVENT, item->at, NULL);
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct amd_json *amd = context;

	(void)scan;
	(void)err; /* the reader has it */
	if (item->kind == WEIR_JSONSCAN_ELEMENT)
		take_document(amd, item);
	return amd->status;
}

static enum weir_status take_documents(struct amd_json *amd, struct weir_source *source,
                                       struct weir_error *err)
{
	static const struct weir_jsonscan_options lines = {.lines = true};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &lines);
	enum weir_status status = weir_jsonscan_each(scan, take_item, amd, err);

	weir_damage_of_scan(amd->monitor.input, scan, source);
	weir_jsonscan_free(scan);
	return status;
}

enum weir_status weir_amd_read_json(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err)
{
	struct amd_json amd = {.err = err};
	enum weir_status status;

	weir_monitor_open(&amd.monitor, input, weir_amd_json_fields);
	status = take_documents(&amd, source, err);
	if (!status && !amd.monitor.telemetry->count)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no device with a value: record amd-smi metric or monitor");
	weir_monitor_close(&amd.monitor);
	return status;
}
