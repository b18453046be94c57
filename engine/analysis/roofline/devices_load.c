/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules/devices.json into struct weir_device_table: one object a device with its names ("match"),
 * its multiprocessors ("sms") and a list of "numbers", each with its kind ("what": the keys below),
 * the theoretical and the sustained value, and where both come from. Units are in the kinds:
 * TFLOP/s for matrix.* and vector.*.
 */
#include <math.h>
#include <string.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/base/arena.h"
#include "engine/base/embed.h"
#include "engine/base/json.h"

#define GIGA 1e9
#define TERA 1e12
#define MEGA 1e6

struct number_key {
	const char *what; /* "matrix.bf16" */
	enum weir_engine engine;
	enum weir_dtype dtype;
};

static const struct number_key flops_keys[] = {
	{"matrix.fp64", WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP64},
	{"matrix.fp32", WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP32},
	{"matrix.tf32", WEIR_ENGINE_TENSOR, WEIR_DTYPE_TF32},
	{"matrix.bf16", WEIR_ENGINE_TENSOR, WEIR_DTYPE_BF16},
	{"matrix.fp16", WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP16},
	{"matrix.fp8", WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP8},
	{"matrix.int8", WEIR_ENGINE_TENSOR, WEIR_DTYPE_INT8},
	{"matrix.fp4", WEIR_ENGINE_TENSOR, WEIR_DTYPE_FP4},
	{"vector.fp64", WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP64},
	{"vector.fp32", WEIR_ENGINE_VECTOR, WEIR_DTYPE_FP32},
	{"vector.int8", WEIR_ENGINE_VECTOR, WEIR_DTYPE_INT8},
};

/* Where one number goes and what it is in base units. */
struct slot {
	struct weir_peak *peak; /* NULL: *plain */
	double *plain;
	double unit, default_share;
};

static bool find_slot(struct weir_device *device, const char *what, struct slot *slot)
{
	const struct {
		const char *what;
		struct slot slot;
	} others[] = {
		{"memory_gb_per_s", {&device->bytes_per_s, NULL, GIGA, WEIR_SUSTAINED_BYTES_SHARE}},
		{"link_gb_per_s",
	         {&device->link_bytes_per_s, NULL, GIGA, WEIR_SUSTAINED_BYTES_SHARE}},
		{"memory_gb", {NULL, &device->memory_bytes, GIGA, 0}},
		{"l2_mb", {NULL, &device->l2_bytes, MEGA, 0}},
	};

	for (size_t i = 0; i < sizeof(flops_keys) / sizeof(flops_keys[0]); i++) {
		const struct number_key *key = &flops_keys[i];

		if (strcmp(what, key->what) != 0)
			continue;
		*slot = (struct slot){&device->flops[key->engine][key->dtype], NULL, TERA,
		                      WEIR_SUSTAINED_FLOPS_SHARE};
		return true;
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (!strcmp(what, others[i].what)) {
			*slot = others[i].slot;
			return true;
		}
	}
	return false;
}

/* A rate is positive and finite where it is stated at all. */
static bool bad_number(double value)
{
	return !isnan(value) && (!(value > 0) || isinf(value));
}

/* A member that is null counts as missing. */
static enum weir_status read_rate(const cJSON *node, const char *key, double *out,
                                  struct weir_error *err)
{
	enum weir_status status;

	*out = NAN;
	if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(node, key)))
		return WEIR_OK;
	status = weir_json_number(node, key, out, err);
	if (!status && bad_number(*out))
		return weir_fail(err, WEIR_E_USAGE, "%s: expected a positive number", key);
	return status;
}

static enum weir_status read_number(const cJSON *node, struct weir_device *device,
                                    struct weir_error *err)
{
	static const char *const keys[] = {"what",   "theoretical",      "sustained",
	                                   "source", "sustained_source", "confidence",
	                                   NULL};
	const char *what;
	double theoretical, sustained;
	struct slot slot;

	if (weir_json_known_keys(node, keys, err) || weir_json_text(node, "what", &what, err) ||
	    read_rate(node, "theoretical", &theoretical, err) ||
	    read_rate(node, "sustained", &sustained, err))
		return err ? err->status : WEIR_E_USAGE;
	if (!what || !find_slot(device, what, &slot))
		return weir_fail(err, WEIR_E_USAGE, "what: no such number: %s",
		                 what ? what : "none");
	if (isnan(theoretical))
		return weir_fail(err, WEIR_E_USAGE, "%s: needs a theoretical value", what);
	if (slot.plain) {
		*slot.plain = theoretical * slot.unit;
		return WEIR_OK;
	}
	slot.peak->theoretical = theoretical * slot.unit;
	slot.peak->sustained = isnan(sustained) ? slot.peak->theoretical * slot.default_share
	                                        : sustained * slot.unit;
	return WEIR_OK;
}

static void clear_device(struct weir_device *device)
{
	const struct weir_peak none = {NAN, NAN};

	*device = (struct weir_device){.memory_bytes = NAN, .l2_bytes = NAN};
	device->bytes_per_s = device->link_bytes_per_s = none;
	for (int engine = 0; engine < WEIR_ENGINE_COUNT; engine++) {
		for (int dtype = 0; dtype < WEIR_DTYPE_COUNT; dtype++)
			device->flops[engine][dtype] = none;
	}
}

static enum weir_status copy_text(char out[WEIR_DEVICE_NAME], const char *text,
                                  struct weir_error *err)
{
	if (!text || !*text || strlen(text) >= WEIR_DEVICE_NAME)
		return weir_fail(err, WEIR_E_USAGE, "expected a text of 1 to %d bytes",
		                 WEIR_DEVICE_NAME - 1);
	memcpy(out, text, strlen(text) + 1);
	return WEIR_OK;
}

static enum weir_status read_matches(const cJSON *list, struct weir_device *device,
                                     struct weir_error *err)
{
	const cJSON *node;
	size_t count = 0;

	if (!list || !cJSON_GetArraySize(list))
		return weir_fail(err, WEIR_E_USAGE, "match: expected a list of texts");
	cJSON_ArrayForEach (node, list) {
		if (count == WEIR_DEVICE_MATCHES)
			return weir_fail(err, WEIR_E_LIMIT, "match: at most %d texts",
			                 WEIR_DEVICE_MATCHES);
		if (copy_text(device->match[count++], cJSON_GetStringValue(node), err))
			return weir_fail_in(err, "match");
	}
	return WEIR_OK;
}

static enum weir_status read_numbers(const cJSON *list, struct weir_device *device,
                                     struct weir_error *err)
{
	const cJSON *node;
	size_t i = 0;

	cJSON_ArrayForEach (node, list) {
		enum weir_status status = read_number(node, device, err);

		if (status) {
			weir_fail_in(err, "numbers[%zu]", i);
			return status;
		}
		i++;
	}
	return WEIR_OK;
}

static enum weir_status read_device(const cJSON *node, struct weir_device *device,
                                    struct weir_error *err)
{
	static const char *const keys[] = {"name", "match", "sms", "numbers", "note", NULL};
	const cJSON *matches, *numbers;
	const char *name;
	double sms;
	enum weir_status status;

	clear_device(device);
	if ((status = weir_json_known_keys(node, keys, err)) ||
	    (status = weir_json_text(node, "name", &name, err)) ||
	    (status = weir_json_array(node, "match", &matches, err)) ||
	    (status = weir_json_array(node, "numbers", &numbers, err)) ||
	    (status = read_rate(node, "sms", &sms, err)))
		return status;
	if (sms > UINT32_MAX)
		return weir_fail(err, WEIR_E_USAGE, "sms: too large");
	device->sms = isnan(sms) ? 0 : (uint32_t)sms;
	if ((status = copy_text(device->name, name, err))) {
		weir_fail_in(err, "name");
		return status;
	}
	status = read_matches(matches, device, err);
	return status ? status : read_numbers(numbers, device, err);
}

static enum weir_status read_devices(const cJSON *document, struct weir_device_table *table,
                                     struct weir_error *err)
{
	static const char *const keys[] = {"schema", "about", "sources", "devices", NULL};
	const cJSON *list, *node;
	enum weir_status status;
	size_t capacity = 0;

	if ((status = weir_json_known_keys(document, keys, err)) ||
	    (status = weir_json_array(document, "devices", &list, err)))
		return status;
	if (!list || cJSON_GetArraySize(list) > WEIR_MAX_DEVICES)
		return weir_fail(err, WEIR_E_LIMIT, "devices: expected a list of at most %d",
		                 WEIR_MAX_DEVICES);
	cJSON_ArrayForEach (node, list) {
		table->items =
			weir_grow(table->items, &capacity, table->count + 1, sizeof(*table->items));
		status = read_device(node, &table->items[table->count], err);
		if (status) {
			weir_fail_in(err, "devices[%zu]", table->count);
			return status;
		}
		table->count++;
	}
	return WEIR_OK;
}

enum weir_status weir_device_table_parse(struct weir_device_table *table, const char *text,
                                         size_t len, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status;

	*table = (struct weir_device_table){0};
	status = weir_json_parse(text, len, &document, err);
	if (!status)
		status = read_devices(document, table, err);
	cJSON_Delete(document);
	return status;
}

enum weir_status weir_device_table_load(struct weir_device_table *table, struct weir_error *err)
{
	const struct weir_embedded *file = weir_embedded_find(WEIR_DEVICE_TABLE_FILE);
	enum weir_status status;

	*table = (struct weir_device_table){0};
	if (!file)
		return weir_fail(err, WEIR_E_INTERNAL, "%s is not built in",
		                 WEIR_DEVICE_TABLE_FILE);
	status = weir_device_table_parse(table, file->data, file->length, err);
	if (status)
		weir_fail_in(err, "%s", WEIR_DEVICE_TABLE_FILE);
	return status;
}
