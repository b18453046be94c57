/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The operator models: private to shapes.c and the models_*.c files. */
#ifndef WEIR_ANALYSIS_MODELS_H
#define WEIR_ANALYSIS_MODELS_H

#include <stdbool.h>

#include "engine/analysis/roofline/shapes_parse.h"
#include "engine/analysis/roofline/step_sums.h"
#include "engine/analysis/roofline/work.h"

/* One row of the operator table: the name without "aten::", overload, "_out" and the underscore of
 * in-place calls. */
struct weir_operator_model {
	const char *op;
	/* Fills *work; false: these arguments have no model. work comes in with NAN figures. */
	bool (*fill)(const struct weir_operator_model *model, const struct weir_args *args,
	             struct weir_work *work);
	double flops_per_element; /* pointwise, normalisation, softmax, reduction */
	int at;             /* position of the argument that the model asks for; see each model */
	const void *layout; /* convolution, attention: which argument is what */
	bool in_place;      /* set by the lookup: "aten::add_" */
	const char *kernel; /* set by the lookup; may be NULL */
	const struct weir_step_sums *sums; /* the same */
	const char *called;                /* the name that was looked up */
};

typedef bool weir_model_fill(const struct weir_operator_model *, const struct weir_args *,
                             struct weir_work *);

/* Tables end with a NULL op. */
extern const struct weir_operator_model weir_models_gemm[];
extern const struct weir_operator_model weir_models_attention[];
extern const struct weir_operator_model weir_models_conv[];
extern const struct weir_operator_model weir_models_pointwise[];
extern const struct weir_operator_model weir_models_index[];
extern const struct weir_operator_model weir_models_norm[];
extern const struct weir_operator_model weir_models_experts[];
/* Kernels that a compiler fused, whose name begins so. */
extern const struct weir_operator_model weir_model_fused;

/* Sets an engine and the confidence; flops of 0 need no engine. */
void weir_work_vector(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype);
void weir_work_product(struct weir_work *work, double flops, double bytes, enum weir_dtype dtype);

#endif
