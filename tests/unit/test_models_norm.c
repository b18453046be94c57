/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Normalisation, softmax and reductions: figures, rows that are read again, and the calls without a
 * model. */
#include <stdlib.h>

#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define EXACT       1e-15

static void norms_read_their_parameters(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL("aten::layer_norm", "[[4, 6], [], [6], [6]]", "h-hh"), 8. * 24,
	         2. * (48 + 12), WEIR_MODEL_HIGH},
		{CALL("aten::layer_norm", "[[4, 6], [], [], []]", "h---"), 5. * 24, 2. * 48,
	         WEIR_MODEL_HIGH},
		/* A parameter has one dimension and is not larger than the input. */
		{CALL("aten::layer_norm", "[[6], [], [6], [7]]", "h-hh"), 8. * 6, 2. * (12 + 6),
	         WEIR_MODEL_HIGH},
		{CALL("aten::layer_norm", "[[4, 6], [], [1, 6]]", "h-h"), 5. * 24, 2. * 48,
	         WEIR_MODEL_HIGH},
		/* The output comes first, and RMS norm has no other part to drop. */
		{CALL("_C::rms_norm", "[[4, 6], [4, 6], [6], []]", "hhhS"), 4. * 24, 2. * (48 + 6),
	         WEIR_MODEL_HIGH},
		{CALL("aten::rms_norm", "[[4, 6], [], []]", "h--"), 4. * 24, 2. * 48,
	         WEIR_MODEL_HIGH},
		{CALL("aten::batch_norm", "[[4, 6], [6], [6], [6], [6]]", "hffff"), 2. * 24,
	         2. * 48 + 4 * 24, WEIR_MODEL_HIGH},
		{CALL("aten::_softmax_backward_data", "[[4, 6], [4, 6], [], []]", "fhSS"), 4. * 24,
	         2 * 4. * 24 + 2. * 24, WEIR_MODEL_HIGH},
		{CALL("aten::softmax", "[[4, 6], [], []]", "hSS"), 5. * 24, 2 * 2. * 24,
	         WEIR_MODEL_HIGH},
		{CALL("_C::fused_add_rms_norm", "[[4, 6], [4, 6], [6], []]", "hfhS"), 5. * 24,
	         2 * (2. + 4) * 24 + 2. * 6, WEIR_MODEL_HIGH},
	};
	static const struct operator_call refused[] = {
		CALL("aten::layer_norm", "[[], [], [6], [6]]", "h-hh"),
		CALL("aten::native_layer_norm_backward", "[[], [4, 6], [], [4, 1]]", "hh-f"),
		CALL("aten::native_layer_norm_backward", "[[4, 6], [], [], [4, 1]]", "hh-f"),
		CALL("aten::native_layer_norm_backward", "[[4, 6], [4, 5], [], [4, 1]]", "hh-f"),
		CALL("_C::fused_add_rms_norm", "[[], [4, 6], [6]]", "hhh"),
		CALL("_C::fused_add_rms_norm", "[[4, 6], [], [6]]", "hhh"),
		CALL("_C::fused_add_rms_norm", "[[4, 6], [4, 5], [6]]", "hhh"),
		CALL("aten::_softmax", "[[], [], []]", "hSS"),
		CALL("aten::_softmax_backward_data", "[[], [4, 6]]", "hh"),
		CALL("aten::_softmax_backward_data", "[[4, 6], []]", "hh"),
		CALL("aten::_softmax_backward_data", "[[4, 6], [4, 5]]", "hh"),
		CALL("aten::sum", "[[], []]", "hS"),
	};

	(void)state;
	check_operators(rows, COUNT(rows));
	check_refused(refused, COUNT(refused));
}

static void gradients_of_norms_count_what_is_smaller(void **state)
{
	static const struct operator_figures rows[] = {
		/* A tensor as large as the input is an output. */
		{CALL("aten::native_batch_norm_backward", "[[4, 6], [4, 6], [6], [4, 6], [2, 3]]",
	              "hhfhf"),
	         2 * 2. * 24, 3 * 2. * 24 + 2 * 4. * 6 + 4. * 6, WEIR_MODEL_MEDIUM},
	};
	struct weir_work work = operator_work(&(struct operator_call)CALL(
		"aten::native_batch_norm_backward", "[[3, 4, 6], [3, 4, 6]]", "fh"));

	(void)state;
	check_operators(rows, COUNT(rows));
	assert_near(work.reuse.row_bytes, 6 * (4 + 2), EXACT);
	assert_near(work.reuse.rows_again_bytes, 72 * (4 + 2), EXACT);
	assert_near(work.reuse.passes_again_bytes, 72 * (4 + 2), EXACT);
}

static void a_row_is_the_last_dimension(void **state)
{
	struct operator_call call = CALL("aten::layer_norm", "[[3, 4, 6], [], []]", "h--");
	struct weir_work rows = operator_work(&call), groups;

	(void)state;
	call.op = "aten::group_norm";
	groups = operator_work(&call);
	assert_near(rows.reuse.row_bytes, 12, EXACT);
	assert_near(rows.reuse.rows_again_bytes, 144, EXACT);
	assert_near(rows.reuse.passes_again_bytes, 0, 0);
	assert_near(groups.reuse.row_bytes, 0, 0);
	assert_near(groups.reuse.rows_again_bytes, 0, 0);
	assert_near(groups.reuse.passes_again_bytes, 144, EXACT);
}

static void reductions_write_results_of_their_type(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL_WITH("aten::sum", "[[4, 6], []]", "hS", "[\"\", \"[0]\"]"), 24,
	         2. * 24 + 2 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::sum", "[[4, 6], []]", "hS", "[\"\", \"[]\"]"), 24, 2. * 24 + 2,
	         WEIR_MODEL_HIGH},
		{CALL("aten::sum", "[[4, 6], []]", "hS"), 24, 2. * 24 + 2, WEIR_MODEL_MEDIUM},
		{CALL_WITH("aten::sum", "[[0, 6], []]", "hS", "[\"\", \"[0]\"]"), 0, 0,
	         WEIR_MODEL_HIGH},
		/* Flags and integers become long integers, unless a type is named: 6 is float. */
		{CALL_WITH("aten::sum", "[[4, 6], []]", "bS", "[\"\", \"[0]\"]"), 24, 24 + 8. * 6,
	         WEIR_MODEL_HIGH},
		{CALL_WITH("aten::prod", "[[4, 6], []]", "iS", "[\"\", \"[0]\"]"), 24,
	         4. * 24 + 8 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::amax", "[[4, 6], []]", "iS", "[\"\", \"[0]\"]"), 24,
	         4. * 24 + 4 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::sum", "[[4, 6], [], [], []]", "bSSS",
	                   "[\"\", \"[0]\", \"False\", \"6\"]"),
	         24, 24 + 4. * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::linalg_vector_norm", "[[4, 6], [], []]", "hSS",
	                   "[\"\", \"2\", \"[1]\"]"),
	         48, 2. * 24 + 2 * 4, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::var", "[[4, 6], []]", "hS", "[\"\", \"-2\"]"), 72,
	         2. * 24 + 2 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::argmin", "[[4, 6], []]", "hS", "[\"\", \"0\"]"), 24,
	         2. * 24 + 8 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::any", "[[4, 6], []]", "hS", "[\"\", \"0\"]"), 24, 2. * 24 + 6,
	         WEIR_MODEL_HIGH},
		/* Value and index; of everything, only the value. */
		{CALL_WITH("aten::min", "[[4, 6], []]", "hS", "[\"\", \"0\"]"), 24,
	         2. * 24 + 10 * 6, WEIR_MODEL_HIGH},
		{CALL_WITH("aten::min", "[[4, 6]]", "h", "[\"\"]"), 24, 2. * 24 + 2,
	         WEIR_MODEL_HIGH},
		/* Two tensors: pointwise, as large as the larger one. */
		{CALL_WITH("aten::max", "[[4, 6], [6]]", "hh", "[\"\", \"\"]"), 24,
	         2. * (24 + 6 + 24), WEIR_MODEL_HIGH},
		{CALL_WITH("aten::max", "[[6], [4, 6]]", "hh", "[\"\", \"\"]"), 6,
	         2. * (24 + 6 + 24), WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(norms_read_their_parameters),
		cmocka_unit_test(gradients_of_norms_count_what_is_smaller),
		cmocka_unit_test(a_row_is_the_last_dimension),
		cmocka_unit_test(reductions_write_results_of_their_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
