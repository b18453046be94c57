/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Instructions of a fused kernel. A kernel that reads and writes little, but computes powers or
 * sines of each value, is limited by them and not by memory.
 */
#ifndef WEIR_ANALYSIS_ADVICE_ARITHMETIC_H
#define WEIR_ANALYSIS_ADVICE_ARITHMETIC_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/analysis/roofline/devices.h"

/* Instructions and bytes of a fused kernel, by its passes over its rows. */
struct weir_passes {
	double instructions;       /* of one pass over all calls so far */
	double bytes;              /* read from outside so far */
	size_t tensors;            /* read from outside so far */
	double few_instructions;   /* more of it, for reductions of few elements */
	double again_instructions; /* of the passes before the last one */
	double again_bytes;
	double rows_bytes;          /* of the rows that the last call reduced */
	double stored_bytes;        /* of the rows that are stored; 0: they are computed anew */
	double stored_instructions; /* up to the rows that are stored */
	double unrolled;            /* for each value that reads a reduction of a few elements */
	double unrolled_bytes;      /* of the result of that reduction */
	size_t level;               /* of the last pass; the first one is 0 */
};

/* Returns the instructions for an element of an operator ("log1p", without "aten::"). */
double weir_instructions_of(const char *name);

/* Adds a call that computes values of rows in the pass `level`: one behind those whose reductions
 * it depends on. A pass reads all tensors from outside and computes all values anew, or reads the
 * rows if those were stored. */
void weir_passes_compute(struct weir_passes *passes, double instructions, size_t level);
/* Adds a reading of a reduction of a few elements for each value of the rows. */
void weir_passes_read_few(struct weir_passes *passes);
/* Adds a call that reduces rows of `bytes` in all, which is a part of the pass that computes them.
 */
void weir_passes_reduce(struct weir_passes *passes, double instructions, double bytes);

/* Notes that the last call reduced rows of so few elements that each value behind it that reads the
 * result computes them all. */
void weir_passes_unroll(struct weir_passes *passes, double elements, double result_bytes);

/* Adds what a softmax over rows of so few values, of `elements` in all, computes for each of them:
 * the exponentials of its row, whose sum it is divided by. */
void weir_passes_normalise_few(struct weir_passes *passes, double values, double elements);

/* Returns the time of instructions on a device; 0: its rate is not known. */
double weir_instructions_ns(const struct weir_device *device, double instructions);

#endif
