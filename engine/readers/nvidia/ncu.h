/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Private to the reader of Nsight Compute: metrics by name, units and numbers, and pages as text.
 */
#ifndef WEIR_READERS_NVIDIA_NCU_H
#define WEIR_READERS_NVIDIA_NCU_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/base/text.h"
#include "engine/model/counters.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

#define WEIR_NCU_MAX_NAME   4096 /* bytes of a kernel's name that are kept */
#define WEIR_NCU_MAX_NUMBER 64   /* bytes; longer texts are not numbers */

enum weir_ncu_dimension {
	WEIR_NCU_SHARE, /* printed in percent */
	WEIR_NCU_TIME,
	WEIR_NCU_BYTES,
	WEIR_NCU_BYTES_PER_S,
	WEIR_NCU_HERTZ,
	WEIR_NCU_NUMBER, /* a count, or a count per cycle or thread */
};

/* Rule to combine a value with the one that the counter already has. */
enum weir_ncu_use {
	WEIR_NCU_FIRST,   /* the first value stays */
	WEIR_NCU_LARGEST, /* the value of the busiest of several units */
	WEIR_NCU_ADDED,   /* the sum over several kinds of operations, each times `weight` */
	WEIR_NCU_SIGN,    /* not used; the counter is unknown if this metric is */
};

/* A known metric. It sets a counter or, if its dimension is time, the duration. */
struct weir_ncu_metric {
	const char *section; /* prefix of the section's label; NULL: a raw name, in any section */
	const char *name;
	enum weir_ncu_dimension dimension;
	enum weir_counter counter; /* unused for a time */
	enum weir_ncu_use use;
	double weight;           /* for WEIR_NCU_ADDED */
	uint32_t part, included; /* bits of weir_counted_kernel.parts: of this metric, and of
	                            metrics that include it or that it includes */
};

/* Returns the metric of a name; NULL if it is unknown. `section` is empty on the raw page. Labels
 * have different meanings in different sections; raw names are unique. */
const struct weir_ncu_metric *weir_ncu_find(struct weir_slice section, struct weir_slice name);

enum weir_ncu_reading {
	WEIR_NCU_VALUE,
	WEIR_NCU_NOTHING,   /* empty, n/a, nan: not measured */
	WEIR_NCU_BAD,       /* not a number, or its unit is not of the metric's dimension */
	WEIR_NCU_LOCALIZED, /* a number in the style of a locale other than C or English */
};

/* Bit of weir_counted_kernel.absent: the duration is not a number. */
#define WEIR_NCU_NO_DURATION (UINT32_C(1) << 31)

/* Parses a number, whose digits may be grouped ("1,234.56"). */
enum weir_ncu_reading weir_ncu_number(struct weir_slice text, double *out);

/*
 * Sets incomplete sums of operations to NAN. A precision needs the counts of additions,
 * multiplications and fused operations; fp32 is required. Operations of the matrix units are
 * unknown if a count of them is n/a.
 */
void weir_ncu_settle(struct weir_counted_kernel *kernel);

/* Parses a value and adds it to the kernel in the unit of the counter, as metric->use says. */
enum weir_ncu_reading weir_ncu_take(const struct weir_ncu_metric *metric, struct weir_slice text,
                                    struct weir_slice unit, struct weir_counted_kernel *kernel);

/* Parses "(256, 1, 1)" or "256x1x1". Returns false, and leaves the shape unchanged, for other
 * texts. */
bool weir_ncu_shape(struct weir_slice text, uint32_t shape[3]);

/* A metric of a launch as printed. */
struct weir_ncu_printed {
	const struct weir_ncu_metric *metric;
	struct weir_slice text, unit;
};

/* Refuses a number in the style of another language. */
enum weir_status weir_ncu_fail_localized(const struct weir_csv_row *row, struct weir_slice text,
                                         struct weir_error *err);
/* Adds the value to the kernel, and counts a malformed one as a warning. Fails if the number is in
 * the style of another language. */
enum weir_status weir_ncu_take_printed(struct weir_input *input, const struct weir_csv_row *row,
                                       const struct weir_ncu_printed *printed,
                                       struct weir_counted_kernel *kernel, struct weir_error *err);
/* Interns a text up to its first NUL, shortened to `limit` bytes without cutting a character. */
uint32_t weir_ncu_intern(struct weir_counters *counters, struct weir_slice text, size_t limit);

/* ---- numbers of another language (ncu_locale.c) ---- */

/* True if numbers of a table have a decimal comma: some fit no other style, and none fits the
 * decimal point alone. */
bool weir_ncu_has_decimal_comma(const char *head, size_t len);
/* Returns a number with a decimal comma in the form of weir_ncu_number(), in the buffer; "?" for a
 * number in another style, and other texts as they are. */
struct weir_slice weir_ncu_with_point(struct weir_slice text, char number[WEIR_NCU_MAX_NUMBER]);

/* ---- pages as text (ncu_text.c) ---- */

#define WEIR_NCU_TEXT_COLUMNS 3 /* name, unit and value of a metric */

/* The state between the lines. Borrows the input and the counters. */
struct weir_ncu_text {
	struct weir_input *input;
	struct weir_counters *counters;
	int64_t process;          /* -1: not stated */
	bool has_launch, orphans; /* orphans: tables without a launch above them */
	struct weir_text section;
	/* The bytes of a line between which each column of the open table lies. */
	size_t starts[WEIR_NCU_TEXT_COLUMNS], ends[WEIR_NCU_TEXT_COLUMNS];
	bool open, has_rows;
	/* The advice of a rule, of several lines; kind is empty without one. */
	struct weir_text kind, advice;
	size_t advice_column; /* of its text in all of its lines */
};

void weir_ncu_text_open(struct weir_ncu_text *text, struct weir_input *input,
                        struct weir_counters *counters);
/* Takes a line: of a launch, a section, a table, a rule, or any other. */
enum weir_status weir_ncu_text_take(struct weir_ncu_text *text, const struct weir_csv_row *row,
                                    struct weir_error *err);
/* Adds what the last lines began, and frees the state. */
void weir_ncu_text_close(struct weir_ncu_text *text);
/* Returns the number of bits that a launch and a table below it verify. */
int weir_ncu_text_sniff(const char *head, size_t len);

#endif
