/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs the examples of fixes: makes a trace of the calls, classifies it, and compares the
 * recommendations with the expected ones. */
#ifndef WEIR_PIPELINE_FIX_EXAMPLES_H
#define WEIR_PIPELINE_FIX_EXAMPLES_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "rules/fix_examples.h"

/* The result of one example. */
struct weir_fix_trial {
	bool passed;
	bool found;     /* recommended, or named as an alternative to another fix */
	double step_ns; /* predicted step; NAN: none */
};

/* Appends the example as a trace of PyTorch's profiler to the text of each rank. */
void weir_fix_example_traces(const struct weir_fix_example *example, struct weir_text *out);

/* Runs an example. Fails if its trace cannot be classified. */
enum weir_status weir_fix_example_run(const struct weir_fix_example *example,
                                      struct weir_fix_trial *out, struct weir_error *err);

#endif
