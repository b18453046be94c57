/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Typed members of a stored result that may be anything; gate_read.c and report_read.c are made of
 * it. The first failure stays in the reader, with the place before it; after it every call gives
 * nothing. Missing and null are NULL, NAN, 0 or false.
 */
#ifndef WEIR_REPORT_RESULT_READ_H
#define WEIR_REPORT_RESULT_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/model/comparison.h"
#include "engine/model/report.h"

#define WEIR_RESULT_MAX_TEXT 65536 /* bytes of one text */
/* 2^53 - 1: what a double counts without a gap */
#define WEIR_RESULT_MAX_COUNT 9007199254740991.0

enum weir_result_kind {
	WEIR_RESULT_GATE,   /* weir.gate/1 */
	WEIR_RESULT_REPORT, /* weir.report/1 */
};

/* By the schema that the document names; WEIR_E_FORMAT for any other. */
enum weir_status weir_result_kind_of(const cJSON *document, enum weir_result_kind *kind,
                                     struct weir_error *err);

struct weir_result_reader {
	struct weir_arena *arena;      /* of what is being filled; holds every text that is read */
	struct weir_gate_result *gate; /* what is being filled is one of these two */
	struct weir_report *report;
	struct weir_error *err;
	enum weir_status status;
};

void weir_result_fail(struct weir_result_reader *reader, enum weir_status status, const char *key,
                      const char *expected);
/* Puts the place before a failure that is there. */
void weir_result_in(struct weir_result_reader *reader, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

const char *weir_result_copy_text(struct weir_result_reader *reader, const char *key,
                                  const cJSON *item);
const char *weir_result_take_text(struct weir_result_reader *reader, const cJSON *object,
                                  const char *key);
double weir_result_take_number(struct weir_result_reader *reader, const cJSON *object,
                               const char *key);
uint64_t weir_result_take_count(struct weir_result_reader *reader, const cJSON *object,
                                const char *key);
bool weir_result_take_bool(struct weir_result_reader *reader, const cJSON *object, const char *key);
const cJSON *weir_result_take_object(struct weir_result_reader *reader, const cJSON *object,
                                     const char *key);
/* A list of at most `limit` entries. */
const cJSON *weir_result_take_array(struct weir_result_reader *reader, const cJSON *object,
                                    const char *key, size_t limit, size_t *count);
/* Lists of exactly two. */
void weir_result_take_numbers(struct weir_result_reader *reader, const cJSON *object,
                              const char *key, double out[2]);
void weir_result_take_counts(struct weir_result_reader *reader, const cJSON *object,
                             const char *key, uint64_t out[2]);
void weir_result_take_texts(struct weir_result_reader *reader, const cJSON *object, const char *key,
                            const char *out[2]);

/* The member as it is; NULL where it is null, missing or nothing is read any more. */
const cJSON *weir_result_take(const struct weir_result_reader *reader, const cJSON *object,
                              const char *key);
/* Of an entry of a list: NAN and 0 where it is NULL. */
double weir_result_number_of(struct weir_result_reader *reader, const char *key, const cJSON *item);
uint64_t weir_result_count_of(struct weir_result_reader *reader, const char *key,
                              const cJSON *item);

#endif
