/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Models of operators: private to shapes.c and the models_*.c files. */
#ifndef WEIR_ANALYSIS_ROOFLINE_MODELS_H
#define WEIR_ANALYSIS_ROOFLINE_MODELS_H

#include <stdbool.h>

#include "engine/analysis/names/stages.h"
#include "engine/analysis/roofline/args.h"
#include "engine/analysis/roofline/work.h"

/* A row of an operator table. `op` is the name without "aten::", overload, "_out" and the
 * underscore of in-place calls. */
struct weir_operator_model {
	const char *op;
	/* Fills *work, whose figures are NAN before; false: no model for these arguments. */
	bool (*fill)(const struct weir_operator_model *model, const struct weir_args *args,
	             struct weir_work *work);
	double flops_per_element; /* pointwise operators, normalisation, softmax, reductions */
	int at;                   /* position of an argument; see each model */
	const void *layout;       /* convolution, attention: positions of all arguments */
	bool in_place;            /* set by the lookup: true for "aten::add_" */
	const char *kernel;       /* set by the lookup; NULL: not known */
	const struct weir_step_sums *sums; /* set by the lookup; NULL: not known */
	const char *called;                /* set by the lookup: the name in the call */
};

typedef bool weir_model_fill(const struct weir_operator_model *, const struct weir_args *,
                             struct weir_work *);

/* Tables that end with a row without op. */
extern const struct weir_operator_model weir_models_gemm[];
extern const struct weir_operator_model weir_models_attention[];
extern const struct weir_operator_model weir_models_conv[];
extern const struct weir_operator_model weir_models_pointwise[];
extern const struct weir_operator_model weir_models_index[];
extern const struct weir_operator_model weir_models_norm[];
/* Matches kernels that a compiler fused, by the beginning of their name. */
extern const struct weir_operator_model weir_model_fused;

#endif
