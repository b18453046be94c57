/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define EXACT 1e-15

static const char *type_name(char letter)
{
	static const struct {
		char letter;
		const char *name;
	} names[] = {
		{'f', "float"},     {'d', "double"},      {'h', "c10::BFloat16"},
		{'H', "c10::Half"}, {'l', "long int"},    {'i', "int"},
		{'b', "bool"},      {'c', "signed char"}, {'8', "c10::Float8_e4m3fn"},
		{'S', "Scalar"},    {'L', "TensorList"},  {'-', ""},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].letter == letter)
			return names[i].name;
	}
	fail_msg("no type has the letter %c", letter);
	return NULL;
}

struct weir_work operator_work(const struct operator_call *call)
{
	struct weir_text types = {0};
	struct weir_work work;

	for (const char *letter = call->types; *letter; letter++)
		weir_text_printf(&types, "%s\"%s\"", letter == call->types ? "[" : ", ",
		                 type_name(*letter));
	weir_text_printf(&types, "]");
	work = weir_work_of_call(&(struct weir_call){.op = call->op,
	                                             .dims = call->dims,
	                                             .types = types.data,
	                                             .scalars = call->scalars,
	                                             .kernel = call->kernel});
	weir_text_release(&types);
	return work;
}

void check_operators(const struct operator_figures *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct weir_work work = operator_work(&rows[i].call);

		if (work.flops != rows[i].flops || work.bytes != rows[i].bytes ||
		    work.confidence != rows[i].confidence)
			print_error("%s %s\n", rows[i].call.op, rows[i].call.dims);
		assert_near(work.flops, rows[i].flops, EXACT);
		assert_near(work.bytes, rows[i].bytes, EXACT);
		assert_int_equal(work.confidence, rows[i].confidence);
	}
}

void check_refused(const struct operator_call *calls, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct weir_work work = operator_work(&calls[i]);

		if (work.confidence != WEIR_MODEL_NONE)
			print_error("%s %s\n", calls[i].op, calls[i].dims);
		assert_int_equal(work.confidence, WEIR_MODEL_NONE);
		assert_true(isnan(work.flops) && isnan(work.bytes));
	}
}
