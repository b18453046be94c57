/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside gate_read*.c: typed members of a document that may be anything. The first failure stays in
 * the reader; after it every call gives nothing. Missing and null are NULL, NAN, 0 or false. */
#ifndef WEIR_REPORT_GATE_READ_IMPL_H
#define WEIR_REPORT_GATE_READ_IMPL_H

#include "engine/base/json.h"
#include "engine/model/comparison.h"

#define WEIR_GATE_MAX_EXIT 255

struct weir_gate_reader {
	struct weir_gate_result *result; /* what is being filled; its arena holds every text */
	struct weir_error *err;
	enum weir_status status;
};

void weir_gate_reader_fail(struct weir_gate_reader *reader, enum weir_status status,
                           const char *key, const char *expected);
/* Puts the place before a failure that is there. */
void weir_gate_reader_in(struct weir_gate_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const char *weir_gate_copy_text(struct weir_gate_reader *reader, const char *key,
                                const cJSON *item);
const char *weir_gate_take_text(struct weir_gate_reader *reader, const cJSON *object,
                                const char *key);
double weir_gate_take_number(struct weir_gate_reader *reader, const cJSON *object, const char *key);
uint64_t weir_gate_take_count(struct weir_gate_reader *reader, const cJSON *object,
                              const char *key);
bool weir_gate_take_bool(struct weir_gate_reader *reader, const cJSON *object, const char *key);
const cJSON *weir_gate_take_object(struct weir_gate_reader *reader, const cJSON *object,
                                   const char *key);
/* A list of at most `limit` entries. */
const cJSON *weir_gate_take_array(struct weir_gate_reader *reader, const cJSON *object,
                                  const char *key, size_t limit, size_t *count);
/* Lists of exactly two. */
void weir_gate_take_numbers(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                            double out[2]);
void weir_gate_take_counts(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                           uint64_t out[2]);
void weir_gate_take_texts(struct weir_gate_reader *reader, const cJSON *object, const char *key,
                          const char *out[2]);

/* The parts of the document, in gate_read_parts.c. */
void weir_gate_read_sides(struct weir_gate_reader *reader, const cJSON *document);
void weir_gate_read_rows(struct weir_gate_reader *reader, const cJSON *document);
void weir_gate_read_tail(struct weir_gate_reader *reader, const cJSON *document);

#endif
