/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parses small JSON documents (configuration, rules, device table, results) with cJSON. Errors name
 * the member: "rules[3].when: expected a list of text". Files of events are read with
 * engine/base/jsonscan instead. cJSON stores numbers as double, which is too coarse for time
 * stamps. Faults in a document are WEIR_E_FORMAT; a caller that reads a configuration or a rule
 * turns them into WEIR_E_USAGE.
 */
#ifndef WEIR_BASE_JSON_H
#define WEIR_BASE_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <cjson/cJSON.h>

#include "engine/base/error.h"
#include "engine/base/source.h"

#define WEIR_JSON_MAX_BYTES  (64u << 20) /* larger documents are refused */
#define WEIR_JSON_MAX_VALUES (4u << 20)  /* a value takes 64 bytes or more */

/* Makes cJSON end the call if an allocation fails, for the whole process: by itself it reports a
 * syntax error then. For a program, not for a library. */
void weir_json_own_memory(void);
/* The caller frees *out with cJSON_Delete(). A syntax error names line and column. */
enum weir_status weir_json_parse(const char *text, size_t len, cJSON **out, struct weir_error *err);
/* Reads a source to its end and parses it. */
enum weir_status weir_json_read(struct weir_source *source, cJSON **out, struct weir_error *err);
enum weir_status weir_json_read_file(const char *path, cJSON **out, struct weir_error *err);

/* These functions get a member. They fail with "KEY: expected ..." if it has another type. For a
 * missing member they return WEIR_OK and set *out to the fallback (NAN for a number, NULL for text,
 * list and object). Results are borrowed from the document. */
enum weir_status weir_json_text(const cJSON *object, const char *key, const char **out,
                                struct weir_error *err);
enum weir_status weir_json_number(const cJSON *object, const char *key, double *out,
                                  struct weir_error *err);
enum weir_status weir_json_bool(const cJSON *object, const char *key, bool fallback, bool *out,
                                struct weir_error *err);
enum weir_status weir_json_array(const cJSON *object, const char *key, const cJSON **out,
                                 struct weir_error *err);
enum weir_status weir_json_object(const cJSON *object, const char *key, const cJSON **out,
                                  struct weir_error *err);

/* Fails on a member that is not in the NULL-terminated list, naming the nearest known key. */
enum weir_status weir_json_known_keys(const cJSON *object, const char *const *keys,
                                      struct weir_error *err);

#endif
