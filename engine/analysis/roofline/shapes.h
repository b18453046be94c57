/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Floating-point operations and bytes of an operator call from its name and its recorded arguments.
 * The formulas are those of docs/analyses.md ("FLOPs and bytes"); the operator table is in
 * models_*.c. An operator without a model, missing shapes, and shapes that contradict each other
 * give WEIR_MODEL_NONE and NAN, never 0.
 */
#ifndef WEIR_ANALYSIS_SHAPES_H
#define WEIR_ANALYSIS_SHAPES_H

#include "engine/analysis/roofline/step_sums.h"
#include "engine/analysis/roofline/work.h"

/* Texts are borrowed and may be NULL or empty: not recorded. dims, types and scalars are JSON
 * lists, one entry an argument, as profilers record them: [[4, 8], [8, 2]], ["float", "float"],
 * ["", ""]. */
struct weir_call {
	const char *op;                    /* "aten::mm" */
	const char *dims;                  /* "Input Dims" */
	const char *types;                 /* "Input type" */
	const char *scalars;               /* "Concrete Inputs" */
	const char *strides;               /* "Input Strides": of a stride 0 all places are one */
	const char *kernel;                /* the kernel that held most of its device time */
	const struct weir_step_sums *sums; /* of the step it ran in; NULL: not known */
};

/* The kernel's name, where there is one, settles which engine a product ran on: see
 * weir_work_refine(). */
struct weir_work weir_work_of_call(const struct weir_call *call);

/*
 * Bytes of all tensor arguments, each once; NAN where none is recorded or a type is unknown. For an
 * operator without a model: what it moves at least, if it looks at all of its arguments.
 */
double weir_operand_bytes(const struct weir_call *call);

#endif
