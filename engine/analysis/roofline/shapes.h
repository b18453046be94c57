/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes FLOPs and bytes of an operator call from its name and recorded arguments, by the
 * formulas of docs/analyses.md ("Roofline"). The tables of operators are in
 * models_*.c. An operator without a model, missing shapes, and shapes that contradict each other
 * give WEIR_MODEL_NONE and NAN, never 0.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_SHAPES_H
#define WEIR_ANALYSIS_ROOFLINE_SHAPES_H

#include "engine/analysis/names/stages.h"
#include "engine/analysis/roofline/work.h"

/*
 * A recorded call. Texts are borrowed; NULL or empty: not recorded. dims, types and scalars are
 * JSON lists with one entry per argument, as profilers record them: [[4, 8], [8, 2]], ["float",
 * "float"], ["", ""].
 */
struct weir_call {
	const char *op;      /* "aten::mm" */
	const char *dims;    /* "Input Dims" */
	const char *types;   /* "Input type" */
	const char *scalars; /* "Concrete Inputs" */
	const char *strides; /* "Input Strides"; a dimension of stride 0 is expanded */
	const char *kernel;  /* the kernel with most of the device time */
	const struct weir_step_sums *sums; /* sums of the step in which it ran; NULL: not known */
};

/* Returns the work of a call. The kernel's name, if known, decides which engine computes a product:
 * see weir_work_refine(). */
struct weir_work weir_work_of_call(const struct weir_call *call);

/* Returns the bytes of all tensor arguments, each once: the least that an operator without a model
 * moves if it reads all its arguments. NAN if no tensor is recorded or a type is unknown. */
double weir_operand_bytes(const struct weir_call *call);

#endif
