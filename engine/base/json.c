/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "engine/base/text.h"

#define JSON_MAX_DEPTH 128 /* limits the parser's recursion */

/* A position in a text. Lines and columns count from 1, columns in characters. */
struct place {
	size_t line, column;
};

static struct place place_of(const char *text, size_t offset)
{
	struct place place = {1, 1};

	for (size_t i = 0; i < offset; i++) {
		if (text[i] == '\n') {
			place.line++;
			place.column = 1;
		} else if (((unsigned char)text[i] & 0xc0) != 0x80) {
			place.column++;
		}
	}
	return place;
}

static enum weir_status fail_at(struct weir_error *err, enum weir_status status, const char *text,
                                size_t offset, const char *what)
{
	struct place place = place_of(text, offset);

	return weir_fail(err, status, "line %zu, column %zu: %s", place.line, place.column, what);
}

/* Checks depth and number of values, for which the parser takes memory. Brackets and commas in
 * texts are ignored. */
static enum weir_status check_shape(const char *text, size_t len, struct weir_error *err)
{
	size_t depth = 0, values = 1;
	bool inside = false;

	for (size_t i = 0; i < len; i++) {
		char c = text[i];

		if (c == '"')
			inside = !inside;
		else if (inside && c == '\\')
			i++;
		else if (!inside && (c == '{' || c == '[') && ++depth > JSON_MAX_DEPTH)
			return fail_at(err, WEIR_E_LIMIT, text, i, "brackets nest too deep");
		else if (!inside && (c == '}' || c == ']') && depth > 0)
			depth--;
		values += !inside && (c == ',' || c == '{' || c == '[');
	}
	if (values > WEIR_JSON_MAX_VALUES)
		return weir_fail(err, WEIR_E_LIMIT, "holds more than %u values",
		                 WEIR_JSON_MAX_VALUES);
	return WEIR_OK;
}

static size_t skip_blanks(const char *text, size_t len, size_t at)
{
	while (at < len &&
	       (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
		at++;
	return at;
}

void weir_json_own_memory(void)
{
	cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = weir_alloc, .free_fn = free});
}

/* cJSON stores the position of the last error in a global variable. */
static pthread_mutex_t parsing = PTHREAD_MUTEX_INITIALIZER;

enum weir_status weir_json_parse(const char *text, size_t len, cJSON **out, struct weir_error *err)
{
	const char *end = text;
	enum weir_status status;
	cJSON *document;
	size_t at;

	if (len > WEIR_JSON_MAX_BYTES)
		return weir_fail(err, WEIR_E_LIMIT, "is larger than %u MiB",
		                 WEIR_JSON_MAX_BYTES >> 20);
	if (skip_blanks(text, len, 0) == len)
		return weir_fail(err, WEIR_E_FORMAT, "is empty, expected JSON");
	status = check_shape(text, len, err);
	if (status)
		return status;
	pthread_mutex_lock(&parsing);
	document = cJSON_ParseWithLengthOpts(text, len, &end, false);
	pthread_mutex_unlock(&parsing);
	at = end ? (size_t)(end - text) : 0;
	if (!document)
		return fail_at(err, WEIR_E_FORMAT, text, skip_blanks(text, len, at),
		               "JSON syntax error");
	at = skip_blanks(text, len, at);
	if (at < len) {
		cJSON_Delete(document);
		return fail_at(err, WEIR_E_FORMAT, text, at,
		               "more text after the end of the JSON document");
	}
	*out = document;
	return WEIR_OK;
}

static enum weir_status read_rest(struct weir_source *source, struct weir_text *text,
                                  struct weir_error *err)
{
	for (;;) {
		const char *data;
		size_t len;
		enum weir_status status = weir_source_next(source, &data, &len, err);

		if (status)
			return status;
		if (len == 0)
			break;
		if (len > WEIR_JSON_MAX_BYTES - text->length)
			return weir_fail(err, WEIR_E_LIMIT, "is larger than %u MiB",
			                 WEIR_JSON_MAX_BYTES >> 20);
		weir_text_add(text, data, len);
	}
	if (weir_source_damage(source))
		return weir_fail(err, WEIR_E_FORMAT, "is damaged: %s", weir_source_damage(source));
	return WEIR_OK;
}

enum weir_status weir_json_read(struct weir_source *source, cJSON **out, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = read_rest(source, &text, err);

	if (!status)
		status = weir_json_parse(text.data ? text.data : "", text.length, out, err);
	weir_text_release(&text);
	return status;
}

enum weir_status weir_json_read_file(const char *path, cJSON **out, struct weir_error *err)
{
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open(path, &source, err);

	if (!status)
		status = weir_json_read(source, out, err);
	if (status)
		weir_fail_in(err, "%s", source ? weir_source_name(source) : path);
	weir_source_free(source);
	return status;
}

/* Returns the member, or NULL if it is missing or has another type; *status fails only in the
 * latter case. */
static const cJSON *member(const cJSON *object, const char *key, cJSON_bool (*is)(const cJSON *),
                           const char *expected, enum weir_status *status, struct weir_error *err)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	*status = WEIR_OK;
	if (!item || is(item))
		return item;
	*status = weir_fail(err, WEIR_E_FORMAT, "%s: expected %s", key, expected);
	return NULL;
}

enum weir_status weir_json_text(const cJSON *object, const char *key, const char **out,
                                struct weir_error *err)
{
	enum weir_status status;
	const cJSON *item = member(object, key, cJSON_IsString, "text", &status, err);

	*out = item ? item->valuestring : NULL;
	return status;
}

enum weir_status weir_json_number(const cJSON *object, const char *key, double *out,
                                  struct weir_error *err)
{
	enum weir_status status;
	const cJSON *item = member(object, key, cJSON_IsNumber, "a number", &status, err);

	*out = item ? item->valuedouble : NAN;
	return status;
}

enum weir_status weir_json_bool(const cJSON *object, const char *key, bool fallback, bool *out,
                                struct weir_error *err)
{
	enum weir_status status;
	const cJSON *item = member(object, key, cJSON_IsBool, "true or false", &status, err);

	*out = item ? cJSON_IsTrue(item) : fallback;
	return status;
}

enum weir_status weir_json_array(const cJSON *object, const char *key, const cJSON **out,
                                 struct weir_error *err)
{
	enum weir_status status;

	*out = member(object, key, cJSON_IsArray, "a list", &status, err);
	return status;
}

enum weir_status weir_json_object(const cJSON *object, const char *key, const cJSON **out,
                                  struct weir_error *err)
{
	enum weir_status status;

	*out = member(object, key, cJSON_IsObject, "an object", &status, err);
	return status;
}

static bool is_known(const char *key, const char *const *keys)
{
	for (; *keys; keys++) {
		if (strcmp(key, *keys) == 0)
			return true;
	}
	return false;
}

enum weir_status weir_json_known_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err)
{
	const cJSON *item;

	if (!cJSON_IsObject(object))
		return weir_fail(err, WEIR_E_FORMAT, "expected an object");
	cJSON_ArrayForEach (item, object) {
		const char *nearest;

		if (is_known(item->string, keys))
			continue;
		nearest = weir_text_nearest(item->string, keys);
		if (nearest)
			return weir_fail(err, WEIR_E_FORMAT, "%s: unknown key, did you mean %s?",
			                 item->string, nearest);
		return weir_fail(err, WEIR_E_FORMAT, "%s: unknown key", item->string);
	}
	return WEIR_OK;
}
