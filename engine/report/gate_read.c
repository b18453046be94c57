/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "engine/base/json.h"
#include "engine/base/text.h"
#include "engine/report/gate_read.h"
#include "engine/report/gate_read_impl.h"

/* ---- members: the first failure stays, later calls do nothing ---- */

void weir_gate_reader_fail(struct weir_gate_reader *reader, enum weir_status status,
                           const char *key, const char *expected)
{
	if (!reader->status)
		reader->status =
			weir_fail(reader->err, status, "%.80s: expected %s", key, expected);
}

void weir_gate_reader_in(struct weir_gate_reader *reader, const char *format, ...)
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
static const cJSON *take(const struct weir_gate_reader *reader, const cJSON *object,
                         const char *key)
{
	const cJSON *item = reader->status ? NULL : cJSON_GetObjectItemCaseSensitive(object, key);

	return item && !cJSON_IsNull(item) ? item : NULL;
}

const char *weir_gate_copy_text(struct weir_gate_reader *reader, const char *key, const cJSON *item)
{
	size_t length;

	if (!item || cJSON_IsNull(item) || reader->status)
		return NULL;
	if (!cJSON_IsString(item)) {
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "a text or null");
		return NULL;
	}
	length = strlen(item->valuestring);
	if (length > WEIR_GATE_MAX_TEXT) {
		weir_gate_reader_fail(reader, WEIR_E_LIMIT, key, "at most 65,536 bytes");
		return NULL;
	}
	return weir_arena_copy(reader->result->arena, item->valuestring, length);
}

const char *weir_gate_take_text(struct weir_gate_reader *reader, const cJSON *object,
                                const char *key)
{
	return weir_gate_copy_text(reader, key, take(reader, object, key));
}

static double number_of(struct weir_gate_reader *reader, const char *key, const cJSON *item)
{
	if (!item || cJSON_IsNull(item))
		return NAN;
	if (cJSON_IsNumber(item) && isfinite(item->valuedouble))
		return item->valuedouble;
	weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "a number or null");
	return NAN;
}

double weir_gate_take_number(struct weir_gate_reader *reader, const cJSON *object, const char *key)
{
	return number_of(reader, key, take(reader, object, key));
}

static uint64_t count_of(struct weir_gate_reader *reader, const char *key, const cJSON *item)
{
	double value = item && cJSON_IsNumber(item) ? item->valuedouble : NAN;

	if (!item || reader->status)
		return 0;
	if (value >= 0 && value <= WEIR_GATE_MAX_COUNT && value == floor(value))
		return (uint64_t)value;
	weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "a whole number from 0 on");
	return 0;
}

uint64_t weir_gate_take_count(struct weir_gate_reader *reader, const cJSON *object, const char *key)
{
	return count_of(reader, key, take(reader, object, key));
}

bool weir_gate_take_bool(struct weir_gate_reader *reader, const cJSON *object, const char *key)
{
	const cJSON *item = take(reader, object, key);

	if (item && !cJSON_IsBool(item))
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "true or false");
	return item && cJSON_IsTrue(item);
}

const cJSON *weir_gate_take_object(struct weir_gate_reader *reader, const cJSON *object,
                                   const char *key)
{
	const cJSON *item = take(reader, object, key);

	if (!item || cJSON_IsObject(item))
		return item;
	weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "an object");
	return NULL;
}

const cJSON *weir_gate_take_array(struct weir_gate_reader *reader, const cJSON *object,
                                  const char *key, size_t limit, size_t *count)
{
	const cJSON *item = take(reader, object, key);

	*count = 0;
	if (!item)
		return NULL;
	if (!cJSON_IsArray(item)) {
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "a list");
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
static void take_two(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                     const cJSON *pair[2])
{
	size_t count;
	const cJSON *list = weir_gate_take_array(reader, object, key, 2, &count);

	pair[0] = pair[1] = NULL;
	if (list && count != 2)
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, key, "a list of two");
	if (!list || reader->status)
		return;
	pair[0] = list->child;
	pair[1] = list->child->next;
}

void weir_gate_take_numbers(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                            double out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = number_of(reader, key, pair[0]);
	out[1] = number_of(reader, key, pair[1]);
}

void weir_gate_take_counts(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                           uint64_t out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = count_of(reader, key, pair[0]);
	out[1] = count_of(reader, key, pair[1]);
}

void weir_gate_take_texts(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                          const char *out[2])
{
	const cJSON *pair[2];

	take_two(reader, object, key, pair);
	out[0] = weir_gate_copy_text(reader, key, pair[0]);
	out[1] = weir_gate_copy_text(reader, key, pair[1]);
}

/* ---- the document ---- */

static void read_codes(struct weir_gate_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->result;
	size_t limit = sizeof(result->codes) / sizeof(result->codes[0]), count, i = 0;
	const cJSON *item, *list = weir_gate_take_array(reader, document, "codes", limit, &count);

	cJSON_ArrayForEach (item, list) {
		uint64_t code = count_of(reader, "codes", item);

		if (code > WEIR_GATE_MAX_EXIT)
			weir_gate_reader_fail(reader, WEIR_E_FORMAT, "codes", "exit codes");
		if (reader->status)
			return;
		result->codes[i++] = (int)code;
	}
	result->code_count = count;
}

static void read_verdict(struct weir_gate_reader *reader, const cJSON *document)
{
	struct weir_gate_result *result = reader->result;
	const char *verdict = weir_gate_take_text(reader, document, "verdict");
	const char *method = weir_gate_take_text(reader, document, "method");
	uint64_t code = weir_gate_take_count(reader, document, "exit");
	const cJSON *alpha;

	if (!verdict || !weir_gate_verdict_parse(verdict, &result->verdict))
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, "verdict", "a verdict of weir.gate/1");
	if (method && !weir_method_parse(method, &result->method))
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, "method", "a method of weir.gate/1");
	if (code > WEIR_GATE_MAX_EXIT || !take(reader, document, "exit"))
		weir_gate_reader_fail(reader, WEIR_E_FORMAT, "exit", "an exit code");
	result->exit_code = (int)code;
	read_codes(reader, document);
	alpha = weir_gate_take_object(reader, document, "alpha");
	result->alpha_operators = weir_gate_take_number(reader, alpha, "operators");
	result->alpha_stages = weir_gate_take_number(reader, alpha, "stages");
}

static enum weir_status fail_schema(const char *schema, struct weir_error *err)
{
	return weir_fail(err, WEIR_E_FORMAT, "schema: expected weir.gate/1 or weir.report/1%s%.60s",
	                 schema ? ", not " : "", schema ? schema : "");
}

static enum weir_status read_result(const cJSON *document, struct weir_gate_result **out,
                                    struct weir_error *err)
{
	struct weir_gate_reader reader = {.result = weir_gate_result_new(), .err = err};

	read_verdict(&reader, document);
	weir_gate_read_sides(&reader, document);
	weir_gate_read_rows(&reader, document);
	weir_gate_read_tail(&reader, document);
	if (reader.status)
		weir_gate_result_free(reader.result);
	else
		*out = reader.result;
	return reader.status;
}

static enum weir_status read_document(const cJSON *document, enum weir_result_kind *kind,
                                      struct weir_gate_result **out, struct weir_error *err)
{
	const cJSON *schema = cJSON_GetObjectItemCaseSensitive(document, "schema");
	const char *name = cJSON_IsString(schema) ? schema->valuestring : NULL;

	if (!cJSON_IsObject(document))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object: a result of weir");
	if (name && !strcmp(name, "weir.report/1")) {
		*kind = WEIR_RESULT_REPORT;
		return WEIR_OK;
	}
	if (!name || strcmp(name, "weir.gate/1") != 0)
		return fail_schema(name, err);
	*kind = WEIR_RESULT_GATE;
	return read_result(document, out, err);
}

enum weir_status weir_gate_parse(const char *text, size_t len, enum weir_result_kind *kind,
                                 struct weir_gate_result **out, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_parse(text, len, &document, err);

	*out = NULL;
	if (!status)
		status = read_document(document, kind, out, err);
	cJSON_Delete(document);
	return status;
}

enum weir_status weir_gate_read(struct weir_source *source, enum weir_result_kind *kind,
                                struct weir_gate_result **out, struct weir_error *err)
{
	cJSON *document = NULL;
	enum weir_status status = weir_json_read(source, &document, err);

	*out = NULL;
	if (!status)
		status = read_document(document, kind, out, err);
	if (status)
		weir_fail_in(err, "%s", weir_source_name(source));
	cJSON_Delete(document);
	return status;
}
