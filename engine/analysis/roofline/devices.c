/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/roofline/devices.h"
#include "engine/base/arena.h"
#include "engine/base/embed.h"
#include "engine/base/json.h"

#define MAX_NAME  256
#define MAX_WORDS 24

/*
 * Limits for the profile's figures over the table's. Tools report memory in bytes; tables use the
 * vendor's GB, which are GiB or nearly so: 85.0e9 bytes for an 80 GB H100, 150.1e9 for a 141 GB
 * H200, 15.8e9 for a 16 GB T4. Outside the limits, name and figures contradict each other.
 */
#define MEMORY_LOW  0.92
#define MEMORY_HIGH 1.15
/* Most devices have GiB where the table has GB. */
#define USUAL_MEMORY_RATIO 1.07
#define SMS_LOW            0.90
#define SMS_HIGH           1.10

/* Two candidates tie if their distances differ by less than this. */
#define TIE 0.02

/* A MIG slice "1g" is 1/7 of the device. */
#define MIG_SLICES 7

struct words {
	char text[MAX_NAME];
	const char *word[MAX_WORDS];
	size_t count;
};

static const char *const vendor_words[] = {"nvidia",   "tesla",  "geforce", "amd",
                                           "instinct", "quadro", NULL};
/* Words that denote another chip under a known name. */
static const char *const other_chips[] = {"laptop", "mobile", "max", "d", NULL};

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.';
}

static bool listed(const char *word, const char *const *list)
{
	for (; *list; list++) {
		if (!strcmp(word, *list))
			return true;
	}
	return false;
}

/* Splits a name into words of letters, digits and dots in lower case, without vendors; false: too
 * long, or no word is left. */
static bool split(const char *name, struct words *words)
{
	char *at = words->text;
	size_t len = strlen(name);

	words->count = 0;
	if (len >= MAX_NAME)
		return false;
	memcpy(words->text, name, len + 1);
	for (; *at; at++)
		*at = (char)(*at >= 'A' && *at <= 'Z' ? *at - 'A' + 'a' : *at);
	at = words->text;
	while (*at) {
		char *start;

		while (*at && !is_word(*at))
			at++;
		start = at;
		while (is_word(*at))
			at++;
		if (*at)
			*at++ = '\0';
		if (!*start || listed(start, vendor_words))
			continue;
		if (words->count == MAX_WORDS)
			return false;
		words->word[words->count++] = start;
	}
	return words->count > 0;
}

static bool has_word(const struct words *words, const char *word)
{
	for (size_t i = 0; i < words->count; i++) {
		if (!strcmp(words->word[i], word))
			return true;
	}
	return false;
}

/* Returns true if the words of `key` follow each other somewhere in `name`. */
static bool contains(const struct words *name, const struct words *key)
{
	for (size_t from = 0; from + key->count <= name->count; from++) {
		size_t same = 0;

		while (same < key->count && !strcmp(name->word[from + same], key->word[same]))
			same++;
		if (same == key->count)
			return true;
	}
	return false;
}

/* Returns the number of words of the device's longest key that is in the name; 0: no key is. */
static size_t match_length(const struct weir_device *device, const struct words *name)
{
	size_t best = 0;

	for (size_t i = 0; i < WEIR_DEVICE_MATCHES && device->match[i][0]; i++) {
		struct words key;

		if (split(device->match[i], &key) && key.count > best && contains(name, &key))
			best = key.count;
	}
	return best;
}

static bool within(double value, double low, double high)
{
	return value >= low && value <= high;
}

/* Returns how far the profile's figures are from the table's: INFINITY for a contradiction, 0 if
 * there is nothing to compare. */
static double distance(const struct weir_device *device, double memory_bytes, uint32_t sms)
{
	double sum = 0;

	if (memory_bytes > 0 && device->memory_bytes > 0) {
		double ratio = memory_bytes / device->memory_bytes;

		if (!within(ratio, MEMORY_LOW, MEMORY_HIGH))
			return INFINITY;
		sum += fabs(ratio - USUAL_MEMORY_RATIO);
	}
	if (sms && device->sms) {
		double ratio = (double)sms / (double)device->sms;

		if (!within(ratio, SMS_LOW, SMS_HIGH))
			return INFINITY;
		sum += fabs(ratio - 1);
	}
	return sum;
}

/* Returns the slices of the device that a word such as "3g.40gb" names; 0: there is no such
 * word. */
static uint32_t mig_slices(const struct words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const char *word = words->word[i];

		if (word[0] >= '1' && word[0] <= '0' + MIG_SLICES && word[1] == 'g' &&
		    word[2] == '.')
			return (uint32_t)(word[0] - '0');
	}
	return 0;
}

static void scale_peak(struct weir_peak *peak, double share)
{
	peak->theoretical *= share;
	peak->sustained *= share;
}

static void scale_to_slice(struct weir_device *device, uint32_t sms, uint32_t slices,
                           uint64_t memory_bytes)
{
	double share = sms && device->sms ? (double)sms / (double)device->sms
	                                  : (double)slices / MIG_SLICES;

	if (!(share < 1))
		return;
	for (int engine = 0; engine < WEIR_ENGINE_COUNT; engine++) {
		for (int dtype = 0; dtype < WEIR_DTYPE_COUNT; dtype++)
			scale_peak(&device->flops[engine][dtype], share);
	}
	scale_peak(&device->bytes_per_s, share);
	device->l2_bytes *= share;
	device->sms = sms ? sms : (uint32_t)((double)device->sms * share);
	device->memory_bytes = memory_bytes ? (double)memory_bytes : device->memory_bytes * share;
}

/* Returns the device nearest in figures among those whose keys match best; NULL: no match, or a
 * tie. */
static const struct weir_device *nearest(const struct weir_device_table *table,
                                         const struct words *name, double memory_bytes,
                                         uint32_t sms)
{
	const struct weir_device *found = NULL;
	double found_distance = INFINITY;
	size_t longest = 0;

	for (size_t i = 0; i < table->count; i++) {
		size_t length = match_length(&table->items[i], name);
		double far;

		if (!length || length < longest)
			continue;
		if (length > longest) {
			longest = length;
			found = NULL;
			found_distance = INFINITY;
		}
		far = distance(&table->items[i], memory_bytes, sms);
		if (isinf(far) || far > found_distance + TIE)
			continue;
		/* A tie keeps the distance but drops the device. */
		found = far < found_distance - TIE || isinf(found_distance) ? &table->items[i]
		                                                            : NULL;
		found_distance = fmin(far, found_distance);
	}
	return found;
}

bool weir_device_find(const struct weir_device_table *table, const char *name,
                      uint64_t memory_bytes, uint32_t sms, struct weir_device *out)
{
	const struct weir_device *found;
	struct words words;
	uint32_t slices;

	if (!name || !split(name, &words))
		return false;
	for (size_t i = 0; other_chips[i]; i++) {
		if (has_word(&words, other_chips[i]))
			return false;
	}
	slices = has_word(&words, "mig") ? mig_slices(&words) : 0;
	found = nearest(table, &words, slices ? 0 : (double)memory_bytes, slices ? 0 : sms);
	if (!found)
		return false;
	*out = *found;
	if (slices)
		scale_to_slice(out, sms, slices, memory_bytes);
	return true;
}

struct weir_peak weir_device_flops(const struct weir_device *device, enum weir_engine engine,
                                   enum weir_dtype dtype)
{
	const struct weir_peak none = {NAN, NAN};
	struct weir_peak peak;

	if (engine <= WEIR_ENGINE_NONE || engine >= WEIR_ENGINE_COUNT ||
	    (unsigned)dtype >= WEIR_DTYPE_COUNT)
		return none;
	peak = device->flops[engine][dtype];
	/* Products in a precision that the matrix units lack run on the vector units. */
	if (engine == WEIR_ENGINE_TENSOR && isnan(peak.theoretical) &&
	    (dtype == WEIR_DTYPE_FP32 || dtype == WEIR_DTYPE_FP64 || dtype == WEIR_DTYPE_INT8))
		return device->flops[WEIR_ENGINE_VECTOR][dtype];
	return peak;
}

void weir_device_table_release(struct weir_device_table *table)
{
	free(table->items);
	*table = (struct weir_device_table){0};
}

/*
 * Reads rules/devices.json: one object per device with its names ("match"), its multiprocessors
 * ("sms") and a list of "numbers". Each number has its kind ("what": the keys below), the
 * theoretical and the sustained value, and the source of both. The kind implies the unit: TFLOP/s
 * for matrix.* and vector.*.
 */

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

/* The destination of a number and its base unit. */
struct slot {
	struct weir_peak *peak; /* NULL: the number goes to *plain */
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
		{"host_link_gb_per_s",
	         {&device->host_link_bytes_per_s, NULL, GIGA, WEIR_SUSTAINED_HOST_SHARE}},
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

/* Returns true for a rate that is stated but not positive and finite. */
static bool bad_number(double value)
{
	return !isnan(value) && (!(value > 0) || isinf(value));
}

/* Reads a rate; null counts as missing, which gives NAN. */
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
	device->host_link_bytes_per_s = none;
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
