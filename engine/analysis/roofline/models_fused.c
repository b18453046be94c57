/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels that a compiler fused, named after what is in them: "triton_poi_fused_add_mul_3". The
 * launch records the tensors that it was given, inputs and outputs alike; each moves once. What is
 * between them never leaves the chip.
 */
#include <stdbool.h>
#include <string.h>

#include "engine/analysis/roofline/models.h"

#define TEMPLATE "triton_tem_" /* a product with its neighbours: the sizes have no fixed place */

/* Words of a name that compute nothing. */
static const char *const silent[] = {"to",      "copy",    "view",  "clone",  "unsqueeze", "expand",
                                     "permute", "t",       "slice", "select", "cat",       "full",
                                     "squeeze", "reshape", "split", "index",  "embedding", NULL};

static bool is_silent(const char *word, size_t length)
{
	for (size_t i = 0; silent[i]; i++)
		if (strlen(silent[i]) == length && !memcmp(silent[i], word, length))
			return true;
	return word[0] >= '0' && word[0] <= '9';
}

/* Operations in "fused_add_mul_3"; names are joined by the character that they are made of, so that
 * one of two words counts twice. */
static double count_words(const char *name)
{
	const char *at = strstr(name, "fused_");
	double words = 0;

	for (at = at ? at + strlen("fused_") : ""; *at;) {
		size_t length = strcspn(at, "_");

		if (length && !is_silent(at, length))
			words++;
		at += length + (at[length] == '_');
	}
	return words;
}

static bool fill_fused(const struct weir_operator_model *model, const struct weir_args *args,
                       struct weir_work *work)
{
	double bytes = 0, elements = 0;
	enum weir_dtype dtype = WEIR_DTYPE_FP32;

	if (!strncmp(model->called, TEMPLATE, strlen(TEMPLATE)))
		return false;
	for (size_t i = 0; i < args->count; i++) {
		const struct weir_arg *arg = weir_args_tensor(args, i);

		if (!arg)
			continue;
		bytes += weir_arg_bytes(arg);
		if (arg->elements > elements) {
			elements = arg->elements;
			dtype = arg->element.dtype;
		}
	}
	if (!(bytes > 0))
		return false;
	weir_work_vector(work, elements * count_words(model->called), bytes, dtype);
	work->confidence = WEIR_MODEL_LOW;
	return true;
}

const struct weir_operator_model weir_model_fused = {.op = "triton_", .fill = fill_fused};
