/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks models of operators against figures by hand, as tables of calls. */
#ifndef WEIR_TESTS_UNIT_OPERATORS_H
#define WEIR_TESTS_UNIT_OPERATORS_H

#include <stddef.h>

#include "engine/analysis/roofline/shapes.h"

struct operator_call {
	const char *op, *dims;
	/* A letter per argument: f float, d double, h bfloat16, H fp16, l long int, i int, b bool,
	 * c signed char, 8 fp8, S number, L list of tensors, - nothing. */
	const char *types;
	const char *scalars; /* NULL: not recorded */
	const char *kernel;  /* NULL: not known */
};

#define CALL(name, shapes, letters)                                                                \
	{                                                                                          \
		.op = (name), .dims = (shapes), .types = (letters)                                 \
	}
#define CALL_WITH(name, shapes, letters, values)                                                   \
	{                                                                                          \
		.op = (name), .dims = (shapes), .types = (letters), .scalars = (values)            \
	}

struct operator_figures {
	struct operator_call call;
	double flops, bytes;
	enum weir_model_confidence confidence;
};

struct weir_work operator_work(const struct operator_call *call);

/* Fail the test, after printing the call, if a figure differs. */
void check_operators(const struct operator_figures *rows, size_t count);
/* Fails the test if a call has a model. */
void check_refused(const struct operator_call *calls, size_t count);

#endif
