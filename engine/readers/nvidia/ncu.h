/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside the reader of Nsight Compute: its metrics by name, its units, its numbers. */
#ifndef WEIR_READERS_NVIDIA_NCU_H
#define WEIR_READERS_NVIDIA_NCU_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/model/counters.h"

enum weir_ncu_dimension {
	WEIR_NCU_SHARE, /* printed in percent */
	WEIR_NCU_TIME,
	WEIR_NCU_BYTES,
	WEIR_NCU_BYTES_PER_S,
	WEIR_NCU_HERTZ,
	WEIR_NCU_NUMBER, /* things that are counted, per what there may be */
};

enum weir_ncu_use {
	WEIR_NCU_FIRST,
	WEIR_NCU_LARGEST, /* one of several units: the busiest counts */
	WEIR_NCU_ADDED,   /* one of several kinds of operations, each `weight` times */
};

/* A metric that is read: which counter it fills, or the duration. */
struct weir_ncu_metric {
	const char *section; /* begins the section's label; NULL: a raw name, in any section */
	const char *name;
	enum weir_ncu_dimension dimension;
	enum weir_counter counter; /* not for a time, which is the duration */
	enum weir_ncu_use use;
	double weight;           /* of what is added */
	uint32_t part, included; /* bits of weir_counted_kernel.parts: its own, and of those that
	                            hold it already */
};

/* NULL: not read. `section` is empty on the raw page. Labels mean different things in different
 * sections; raw names are unique. */
const struct weir_ncu_metric *weir_ncu_find(struct weir_slice section, struct weir_slice name);

enum weir_ncu_reading {
	WEIR_NCU_VALUE,
	WEIR_NCU_NOTHING,   /* empty, n/a, nan: not measured */
	WEIR_NCU_BAD,       /* no number, or not in a unit of the metric's dimension */
	WEIR_NCU_LOCALIZED, /* a number of a language whose decimals follow a comma */
};

/* The number without what groups its digits ("1,234.56"). */
enum weir_ncu_reading weir_ncu_number(struct weir_slice text, double *out);

/*
 * Takes back a sum of operations that is not whole: without additions, multiplications and both at
 * once there is no figure for a precision, and without fp32 none at all.
 */
void weir_ncu_settle(struct weir_counted_kernel *kernel);

/* Puts the value into the kernel in the unit of the counter; what is there stays. */
enum weir_ncu_reading weir_ncu_take(const struct weir_ncu_metric *metric, struct weir_slice text,
                                    struct weir_slice unit, struct weir_counted_kernel *kernel);

/* "(256, 1, 1)" or "256x1x1"; false for anything else, the shape is untouched then. */
bool weir_ncu_shape(struct weir_slice text, uint32_t shape[3]);

#endif
