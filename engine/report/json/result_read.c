/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/text.h"
#include "engine/report/json/result_read.h"

/* ---- members: the first failure stays, later calls do nothing ---- */

void weir_result_fail(struct weir_result_reader *reader, enum weir_status status, const char *key,
                      const char *expected)
{
	if (!reader->status)
		reader->status =
			weir_fail(reader->err, status, "%.80s: expected %s", key, expected);
}

void weir_result_in(struct weir_result_reader *reader, const char *format, ...)
{
	struct weir_text place = {0};
	va_list args;

	if (!reader->status)
		return;
	va_start(args, format);
	weir_text_vprintf(&place, format, args);
	va_end(args);
	weir_fail_in(reader->err, "%s", place.data);
	weir_text_release(&place);
}

/* The member, NULL where it is null, missing or nothing is read any more. */
const cJSON *weir_result_take(const struct weir_result_reader *reader, const cJSON *object,
                              const char *key)
{
	const cJSON *item = reader->status ? NULL : cJSON_GetObjectItemCaseSensitive(object, key);

	return item && !cJSON_IsNull(item) ? item : NULL;
}

const char *weir_result_copy_text(struct weir_result_reader *reader, const char *key,
                                  const cJSON *item)
{
	size_t length;

	if (!item || cJSON_IsNull(item) || reader->status)
		return NULL;
	if (!cJSON_IsString(item)) {
		weir_result_fail(reader, WEIR_E_FORMAT, key, "a text or null");
		return NULL;
	}
	length = strlen(item->valuestring);
	if (length > WEIR_RESULT_MAX_TEXT) {
		weir_result_fail(reader, WEIR_E_LIMIT, key, "at most 65,536 bytes");
		return NULL;
	}
	return weir_arena_copy(reader->arena, item->valuestring, length);
}

const char *weir_result_take_text(struct weir_result_reader *reader, const cJSON *object,
                                  const char *key)
{
	return weir_result_copy_text(reader, key, weir_result_take(reader, object, key));
}

double weir_result_number_of(struct weir_result_reader *reader, const char *key, const cJSON *item)
{
	if (!item || cJSON_IsNull(item))
		return NAN;
	if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
		return item->valuedouble;
	weir_result_fail(reader, WEIR_E_FORMAT, key, "a number or null");
	return NAN;
}

double weir_result_take_number(struct weir_result_reader *reader, const cJSON *object,
                               const char *key)
{
	return weir_result_number_of(reader, key, weir_result_take(reader, object, key));
}

uint64_t weir_result_count_of(struct weir_result_reader *reader, const char *key, const cJSON *item)
{
	double value = item && cJSON_IsNumber(item) ? item->valuedouble : NAN;

	if (!item || reader->status)
		return 0;
	if (value >= 0 && value <= WEIR_RESULT_MAX_COUNT && value == floor(value))
		return (uint64_t)value;
	weir_result_fail(reader, WEIR_E_FORMAT, key, "a whole number from 0 on");
	return 0;
}

uint64_t weir_result_take_count(struct weir_result_reader *reader, const cJSON *object,
                                const char *key)
{
	return weir_result_count_of(reader, key, weir_result_take(reader, object, key));
}

bool weir_result_take_bool(struct weir_result_reader *reader, const cJSON *object, const char *key)
{
	const cJSON *item = weir_result_take(reader, object, key);

	if (item && !cJSON_IsBool(item))
		weir_result_fail(reader, WEIR_E_FORMAT, key, "true or false");
	return item && cJSON_IsTrue(item);
}

const cJSON *weir_result_take_object(struct weir_result_reader *reader, const cJSON *object,
                                     const char *key)
{
	const cJSON *item = weir_result_take(reader, object, key);

	if (!item || cJSON_IsObject(item))
		return item;
	weir_result_fail(reader, WEIR_E_FORMAT, key, "an object");
	return NULL;
}

const cJSON *weir_result_take_array(struct weir_result_reader *reader, const cJSON *object,
                                    const char *key, size_t limit, size_t *count)
{
	const cJSON *item = weir_result_take(reader, object, key);

	*count = 0;
	if (!item)
		return NULL;
	if (!cJSON_IsArray(item)) {
		weir_result_fail(reader, WEIR_E_FORMAT, key, "a list");
		return NULL;
	}
	*count = (size_t)cJSON_GetArraySize(item);
	if (*count <= limit)
		return item;
	if (!reader->status)
		reader->status = weir_fail(reader->err, WEIR_E_LIMIT,
		                           "%s: %zu entries, at most %zu", key, *count, limit);
	*count = 0;
	return NULL;
}

/* The two entries of a list, NULL both where there is none. */
static void take_two(struct weir_result_reader *reader, const cJSON *object, const char *key,
                     const cJSON *pair[2])
{
	size_t count;
	const cJSON *list = weir_result_take_array(reader, object, key, 2, &count);

	pair[0] = pair[1] = NULL;
	if (list && count != 2)
		weir_result_fail(reader, WEIR_E_FORMAT, key, "a list of two");
	if (!list || reader->status)
		return;
	pair[0] = list->child;
	pair[1] = list->child->next;
}

void weir_result_take_numbers(struct weir_result_reader *reader, const cJSON *object,
                              const char *key, double out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = weir_result_number_of(reader, key, pair[0]);
	out[1] = weir_result_number_of(reader, key, pair[1]);
}

void weir_result_take_counts(struct weir_result_reader *reader, const cJSON *object,
                             const char *key, uint64_t out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = weir_result_count_of(reader, key, pair[0]);
	out[1] = weir_result_count_of(reader, key, pair[1]);
}

void weir_result_take_texts(struct weir_result_reader *reader, const cJSON *object, const char *key,
                            const char *out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = weir_result_copy_text(reader, key, pair[0]);
	out[1] = weir_result_copy_text(reader, key, pair[1]);
}

/* ---- which document it is ---- */

static enum weir_status fail_schema(const char *schema, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_FORMAT, "schema: expected weir.gate/1 or weir.report/1%s%.60s",
	                 schema ? ", not " : "", schema ? schema : "");
}

enum weir_status weir_result_kind_of(const cJSON *document, enum weir_result_kind *kind,
                                     struct weir_error *err)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(document, "schema");
	const char *name = cJSON_IsString(schema) ? schema->valuestring : NULL;

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object: a result of weir");
	if (name && !strcmp(name, "weir.report/1"))
		*kind = WEIR_RESULT_REPORT;
	else if (name && !strcmp(name, "weir.gate/1"))
		*kind = WEIR_RESULT_GATE;
	else
		return fail_schema(name, err);
	return WEIR_OK;
}
