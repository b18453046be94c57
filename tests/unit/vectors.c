/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "engine/base/json.h"
#include "tests/unit/vectors.h"

cJSON *read_vectors(const char *name)
{
	cJSON *document = NULL;
	struct weir_error err = {0};
	char path[200];

	snprintf(path, sizeof(path), "tests/vectors/%s.json", name);
	if (weir_json_read_file(path, &document, &err))
		fail_msg("%s", err.message);
	return document;
}

const cJSON *member(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!item)
		fail_msg("the vectors have no \"%s\"", key);
	return item;
}

static double value_of(const cJSON *item)
{
	if (cJSON_IsNull(item))
		return NAN;
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? 1 : 0;
	if (cJSON_IsString(item) && strcmp(item->valuestring, "inf") == 0)
		return INFINITY;
	assert_true(cJSON_IsNumber(item));
	return item->valuedouble;
}

double number(const cJSON *object, const char *key)
{
	return value_of(member(object, key));
}

const char *text(const cJSON *object, const char *key)
{
	const cJSON *item = member(object, key);

	assert_true(cJSON_IsString(item));
	return item->valuestring;
}

struct numbers {
	double *values;
	size_t count, capacity;
};

static void append(struct numbers *to, double value)
{
	to->values = weir_grow(to->values, &to->capacity, to->count + 1, sizeof(*to->values));
	to->values[to->count++] = value;
}

/* Lists are at most three deep: row, subject, run. */
static void append_items(struct numbers *to, const cJSON *list)
{
	const cJSON *outer, *middle, *inner;

	cJSON_ArrayForEach (outer, list) {
		if (!cJSON_IsArray(outer))
			append(to, value_of(outer));
		cJSON_ArrayForEach (middle, outer) {
			if (!cJSON_IsArray(middle))
				append(to, value_of(middle));
			cJSON_ArrayForEach (inner, middle)
				append(to, value_of(inner));
		}
	}
}

double *numbers(const cJSON *object, const char *key, size_t *count)
{
	struct numbers all = {0};

	append_items(&all, member(object, key));
	if (count)
		*count = all.count;
	return all.values;
}
