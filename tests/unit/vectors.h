/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the expected values in tests/vectors. Every function fails the running test on an error. */
#ifndef WEIR_TESTS_UNIT_VECTORS_H
#define WEIR_TESTS_UNIT_VECTORS_H

#include <stddef.h>

#include <cjson/cJSON.h>

/* Reads tests/vectors/NAME.json; the caller frees it with cJSON_Delete(). */
cJSON *read_vectors(const char *name);

/* Returns a member that must exist. */
const cJSON *member(const cJSON *object, const char *key);
double number(const cJSON *object, const char *key); /* null: NAN; "inf": INFINITY */
const char *text(const cJSON *object, const char *key);

/* Returns all numbers of nested lists, in order; true and false are 1 and 0. The caller frees
 * them; *count may be NULL. */
double *numbers(const cJSON *object, const char *key, size_t *count);

#endif
