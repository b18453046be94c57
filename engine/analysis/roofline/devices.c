/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/roofline/devices.h"

#define MAX_NAME  256
#define MAX_WORDS 24

/*
 * Tools print the memory in bytes, tables in the vendor's GB, which are GiB or nearly so: 85.0e9
 * bytes for an 80 GB H100, 150.1e9 for a 141 GB H200, 15.8e9 for a 16 GB T4. Beyond these shares
 * the name and the numbers contradict each other.
 */
#define MEMORY_LOW  0.92
#define MEMORY_HIGH 1.15
#define SMS_LOW     0.90
#define SMS_HIGH    1.10

/* Two candidates whose distances differ by less than this are a tie. */
#define TIE 0.02

/* A MIG slice "1g" is one of seven. */
#define MIG_SLICES 7

struct words {
	char text[MAX_NAME];
	const char *word[MAX_WORDS];
	size_t count;
};

static const char *const vendor_words[] = {"nvidia",   "tesla",  "geforce", "amd",
                                           "instinct", "quadro", NULL};
/* Another chip under a known name. */
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

/* Lower case, cut at everything that is no letter or digit, vendors left out. False: too long, or
 * no word. */
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

/* The words of key in a row somewhere in name. */
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

/* Words of the longest key of this device that is in the name; 0: none. */
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

/* How far the profile's numbers are from the table's; a contradiction is infinitely far, nothing
 * known is 0. */
static double distance(const struct weir_device *device, double memory_bytes, uint32_t sms)
{
	double sum = 0;

	if (memory_bytes > 0 && device->memory_bytes > 0) {
		double ratio = memory_bytes / device->memory_bytes;

		if (!within(ratio, MEMORY_LOW, MEMORY_HIGH))
			return INFINITY;
		/* The usual ratio is that of GiB and GB, 1.07. */
		sum += fabs(ratio - 1.07);
	}
	if (sms && device->sms) {
		double ratio = (double)sms / (double)device->sms;

		if (!within(ratio, SMS_LOW, SMS_HIGH))
			return INFINITY;
		sum += fabs(ratio - 1);
	}
	return sum;
}

/* A word such as "3g.40gb": slices of the device; 0: none. */
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

/* Among the devices whose keys match best, the one nearest in numbers; NULL: none, or a tie. */
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
		/* A tie leaves the distance standing and no device. */
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
	/* Products in a precision that the matrix units lack run beside them. */
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
