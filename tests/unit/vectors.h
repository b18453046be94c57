/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Expected values of tests/vectors: read, or the test fails. */
#ifndef WEIR_TESTS_VECTORS_H
#define WEIR_TESTS_VECTORS_H

#include <stddef.h>

#include <cjson/cJSON.h>

/* tests/vectors/NAME.json; the caller frees it with cJSON_Delete(). */
cJSON *read_vectors(const char *name);

/* A member that must be there. */
const cJSON *member(const cJSON *object, const char *key);
double number(const cJSON *object, const char *key); /* null: NAN; "inf": INFINITY */
const char *text(const cJSON *object, const char *key);

/* All numbers of lists in lists, in order; true and false are 1 and 0. The caller frees; *count may
 * be NULL. */
double *numbers(const cJSON *object, const char *key, size_t *count);

#endif
