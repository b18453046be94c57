/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions of a fused kernel. A kernel that reads and writes little, but computes powers or
 * sines of each value, is limited by them and not by memory.
 */
#ifndef WEIR_ANALYSIS_ADVICE_ARITHMETIC_H
#define WEIR_ANALYSIS_ADVICE_ARITHMETIC_H

#include <stdbool.h>

#include "engine/analysis/roofline/devices.h"

/* Instructions and bytes of a fused kernel, by its passes over its rows. */
struct weir_passes {
	double instructions;       /* of one pass over all calls so far */
	double bytes;              /* read from outside so far */
	double again_instructions; /* of the passes before the last one */
	double again_bytes;
	double unrolled; /* for each value that reads a reduction of a few elements */
	bool reduced;    /* the last call reduced rows */
};

/* Returns the instructions for an element of an operator ("log1p", without "aten::"). */
double weir_instructions_of(const char *name);

/* Adds a call that computes values of rows. Behind a reduction it begins another pass, which reads
 * all tensors from outside and computes all values anew. */
void weir_passes_compute(struct weir_passes *passes, double instructions);
/* Adds a call that reduces rows, which is a part of the pass that computes them. */
void weir_passes_reduce(struct weir_passes *passes, double instructions);

/* Notes that the last call reduced rows of so few elements that each value behind it that reads the
 * result computes them all. */
void weir_passes_unroll(struct weir_passes *passes, double elements);

/* Returns the time of instructions on a device; 0: its rate is not known. */
double weir_instructions_ns(const struct weir_device *device, double instructions);

#endif
