/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/analysis/roofline/models.h"
#include "engine/analysis/roofline/roofline.h"
#include "engine/analysis/roofline/shapes.h"

#define MAX_OP_NAME 128

static const struct weir_operator_model *const tables[] = {
	weir_models_gemm,      weir_models_attention, weir_models_conv,
	weir_models_pointwise, weir_models_index,     weir_models_norm,
};

/* Reduces "aten::add_.Tensor" to "add", in place, and "aten::mm_out" to "mm"; keeps other name
 * spaces, and Python's names of operators ("__and__"). False: empty or too long. */
static bool plain_name(const char *op, char name[MAX_OP_NAME], bool *in_place)
{
	static const char space[] = "aten::";
	size_t len;

	if (!strncmp(op, space, sizeof(space) - 1))
		op += sizeof(space) - 1;
	len = strcspn(op, ".");
	if (!len || len >= MAX_OP_NAME)
		return false;
	if (len > 4 && !memcmp(op + len - 4, "_out", 4))
		len -= 4;
	*in_place = len > 1 && op[len - 1] == '_' && strncmp(op, "__", 2) != 0;
	if (*in_place)
		len--;
	memcpy(name, op, len);
	name[len] = '\0';
	return true;
}

static const struct weir_operator_model *find_model(const char *name)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
		for (const struct weir_operator_model *row = tables[i]; row->op; row++) {
			if (!strcmp(row->op, name))
				return row;
		}
	}
	return strncmp(name, weir_model_fused.op, strlen(weir_model_fused.op)) ? NULL
	                                                                       : &weir_model_fused;
}

struct weir_work weir_work_of_call(const struct weir_call *call)
{
	const struct weir_work unknown = {.flops = NAN, .bytes = NAN};
	struct weir_work work = unknown;
	const struct weir_operator_model *row;
	struct weir_operator_model model;
	struct weir_args args;
	char name[MAX_OP_NAME];
	bool in_place;

	if (!call->op || !plain_name(call->op, name, &in_place))
		return unknown;
	row = find_model(name);
	if (!row || !weir_args_parse(&args, call->dims, call->types, call->scalars))
		return unknown;
	weir_args_stride(&args, call->strides);
	model = *row;
	model.in_place = in_place;
	model.kernel = call->kernel;
	model.sums = call->sums;
	model.called = name;
	if (!model.fill(&model, &args, &work) || !isfinite(work.flops) || !isfinite(work.bytes))
		return unknown;
	weir_work_refine(&work, call->kernel);
	return work;
}

double weir_operand_bytes(const struct weir_call *call)
{
	struct weir_args args;
	double bytes = 0;

	if (!weir_args_parse(&args, call->dims, call->types, call->scalars))
		return NAN;
	weir_args_stride(&args, call->strides);
	for (size_t i = 0; i < args.count; i++)
		bytes += weir_arg_bytes(&args.items[i]);
	return bytes > 0 ? bytes : NAN;
}
