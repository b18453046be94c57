/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operators that move data: the bytes that they touch, and the calls without a model. */
#include <stdlib.h>

#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define COUNT(rows) (sizeof(rows) / sizeof((rows)[0]))
#define EXACT       1e-15

static void moves_are_charged_with_what_they_touch(void **state)
{
	static const struct operator_figures rows[] = {
		/* One row of 7 per index, read and written, and the index itself. */
		{CALL_WITH("aten::index_select", "[[100, 7], [], [20]]", "fSi",
	                   "[\"\", \"0\", \"\"]"),
	         0, 2. * 4 * 7 * 20 + 4 * 20, WEIR_MODEL_HIGH},
		{CALL("aten::index_select", "[[100, 7], [], [20]]",
	              "fSi"), /* the first dimension? */
	         0, 2. * 4 * 7 * 20 + 4 * 20, WEIR_MODEL_LOW},
		{CALL_WITH("aten::index_select", "[[100, 7], [], []]", "fSi",
	                   "[\"\", \"-2\", \"\"]"),
	         0, 2. * 4 * 7 + 4, WEIR_MODEL_HIGH},
		{CALL("aten::embedding", "[[50, 8], [3]]", "hl"), 0, 2. * 2 * 8 * 3 + 8 * 3,
	         WEIR_MODEL_HIGH},
		{CALL("aten::embedding", "[[50, 8], []]", "hl"), 0, 2. * 2 * 8 + 8,
	         WEIR_MODEL_HIGH},
		/* Rows added into one per bag. */
		{CALL("aten::embedding_bag", "[[100, 16], [40], [8]]", "fll"), 40. * 16,
	         4. * 16 * (40 + 8) + 8 * (40 + 8), WEIR_MODEL_MEDIUM},
		{CALL("aten::embedding_bag", "[[10, 16], [40], [8]]", "fll"), 40. * 16,
	         4. * 16 * (10 + 8) + 8 * (40 + 8), WEIR_MODEL_MEDIUM},
		/* Two indices replace two of three dimensions. */
		{CALL("aten::index", "[[30, 20, 4], [[5], [5]]]", "fL"), 0, 2. * 4 * 4 * 5 + 8 * 10,
	         WEIR_MODEL_LOW},
		{CALL("aten::index", "[[30, 4], [[5], [5]]]", "fL"), 0, 2. * 4 * 5 + 8 * 10,
	         WEIR_MODEL_LOW},
		/* A copy reads and writes the values, an addition reads the target as well. */
		{CALL("aten::scatter", "[[9, 8], [], [3, 8], []]", "fSlS"), 0, 2. * 4 * 24 + 8 * 24,
	         WEIR_MODEL_MEDIUM},
		{CALL("aten::scatter_add", "[[9, 8], [], [3, 8], [3, 8]]", "fSlf"), 0,
	         3. * 4 * 24 + 8 * 24, WEIR_MODEL_MEDIUM},
		{CALL("aten::index_add", "[[9, 8], [], [3], [3, 8]]", "hSlh"), 0,
	         3. * 2 * 24 + 8 * 3, WEIR_MODEL_MEDIUM},
		{CALL("aten::index_put_", "[[9, 8], [[3]], [3, 8], []]", "fLfS"), 0, 2. * 4 * 24,
	         WEIR_MODEL_MEDIUM},
		{CALL("aten::cumsum", "[[6, 7], []]", "fS"), 42, 2. * 4 * 42, WEIR_MODEL_LOW},
		/* Four passes over keys of 4 bytes and indices of 8, read and written. */
		{CALL("aten::sort", "[[6, 7], [], []]", "fSS"), 0, 2. * 42 * (4 + 8) * 4,
	         WEIR_MODEL_LOW},
		{CALL("aten::argsort", "[[6, 7], [], []]", "hSS"), 0, 2. * 42 * (2 + 8) * 2,
	         WEIR_MODEL_LOW},
		{CALL("aten::topk", "[[6, 7], [], [], [], []]", "fSSSS"), 42, 4. * 42,
	         WEIR_MODEL_LOW},
		{CALL("aten::multinomial", "[[6, 7], [], [], []]", "fSS-"), 0, 2. * 3 * 4 * 42,
	         WEIR_MODEL_LOW},
		{CALL("_C_cache_ops::reshape_and_cache", "[[5, 2], [5, 3], [9, 9], [9, 9], [5]]",
	              "hh88l"),
	         0, 2. * 10 + 2. * 15 + 1. * 25 + 8 * 5, WEIR_MODEL_HIGH},
	};

	(void)state;
	check_operators(rows, COUNT(rows));
}

static void a_list_that_is_joined_is_read_and_written(void **state)
{
	static const struct operator_figures rows[] = {
		{CALL("aten::cat", "[[2, 3], [2, 5], []]", "ff-"), 0, 2. * 4 * 16,
	         WEIR_MODEL_MEDIUM},
		/* Any tensor tells the type, also the first one alone. */
		{CALL("aten::cat", "[[2, 3], [2, 5]]", "f-"), 0, 2. * 4 * 6, WEIR_MODEL_MEDIUM},
		/* The output beside the list is not an input. */
		{CALL("aten::cat", "[[[2, 3], [2, 5]], [], [2, 8]]", "LSh"), 0, 2. * 2 * 16,
	         WEIR_MODEL_MEDIUM},
		{{.op = "aten::stack",
	          .dims = "[[[2, 3], [2, 3]], []]",
	          .types = "LS",
	          .kernel = "CatArrayBatchedCopy<OpaqueType<4u>, 2>"},
	         0,
	         2. * 4 * 12,
	         WEIR_MODEL_MEDIUM},
		/* A scalar beside the list is no part of it. */
		{CALL("aten::_cat", "[[], [4]]", "ff"), 0, 2. * 4 * 4, WEIR_MODEL_MEDIUM},
	};
	static const struct operator_call refused[] = {
		CALL("aten::cat", "[[], []]", "SS"),
		CALL("aten::cat", "[[0], [0]]", "ff"),
		CALL("aten::cat", "[[[2, 3]], []]", "LS"),
	};

	(void)state;
	check_operators(rows, COUNT(rows));
	check_refused(refused, COUNT(refused));
}

static void moves_without_their_tensors_are_unknown(void **state)
{
	static const struct operator_call refused[] = {
		CALL("aten::index_select", "[[], [], [20]]", "fSi"),
		CALL("aten::index_select", "[[100, 7], [], [20]]", "fS-"),
		CALL("aten::index_select", "[[100, 7], [], [4, 5]]", "fSi"),
		CALL_WITH("aten::index_select", "[[100, 7], [], [20]]", "fSi",
	                  "[\"\", \"2\", \"\"]"),
		CALL_WITH("aten::index_select", "[[100, 7], [], [20]]", "fSi",
	                  "[\"\", \"-3\", \"\"]"),
		CALL_WITH("aten::index_select", "[[0, 7], [], [20]]", "fSi", "[\"\", \"0\", \"\"]"),
		CALL("aten::embedding", "[[], [3]]", "hl"),
		CALL("aten::embedding", "[[50, 8], [3]]", "h-"),
		CALL("aten::embedding", "[[50], [3]]", "hl"),
		CALL("aten::embedding", "[[50, 8, 2], [3]]", "hl"),
		CALL("aten::embedding", "[[50, 8], [[3]]]", "hi"),
		CALL("aten::embedding_bag", "[[], [40], [8]]", "fll"),
		CALL("aten::embedding_bag", "[[100, 16], [], [8]]", "fll"),
		CALL("aten::embedding_bag", "[[100, 16], [40], []]", "fll"),
		CALL("aten::embedding_bag", "[[100], [40], [8]]", "fll"),
		CALL("aten::index", "[[], [[5]]]", "fL"),
		CALL("aten::index", "[[30, 4], [5]]", "fl"),
		CALL("aten::index", "[[30, 4]]", "f"),
		CALL("aten::index", "[[30, 4], [[5], [5], [5]]]", "fL"),
		CALL("aten::scatter", "[[], [], [3, 8]]", "fSl"),
		CALL("aten::scatter", "[[9, 8], [], []]", "fSl"),
		CALL("aten::index_add", "[[9, 8], [], [3], []]", "hSlh"),
		CALL("aten::gather", "[[], [], [5, 3]]", "fSl"),
		CALL("aten::gather", "[[5, 6], [], []]", "fSl"),
		CALL("aten::gather", "[[5, 6], [], [5, 0]]", "fSl"),
		CALL("aten::cumsum", "[[], []]", "fS"),
		CALL("aten::sort", "[[], []]", "fS"),
		CALL("aten::topk", "[[], []]", "fS"),
		CALL("aten::multinomial", "[[], []]", "fS"),
		CALL("_C_cache_ops::reshape_and_cache", "[[], [5, 3], [9, 9]]", "hh8"),
		CALL("_C_cache_ops::reshape_and_cache", "[[5, 2], [], [9, 9]]", "hh8"),
		CALL("_C_cache_ops::reshape_and_cache", "[[5, 2], [5, 3], []]", "hh8"),
		CALL("_C_cache_ops::reshape_and_cache", "[[5], [5], [9, 9]]", "hh8"),
	};

	(void)state;
	check_refused(refused, COUNT(refused));
}

/* Each element lies in one of the sectors of 32 bytes; a few hit each their own, many hit all. */
static void scattered_elements_cost_whole_sectors(void **state)
{
	struct operator_call one = CALL("aten::gather", "[[800, 8], [], [1, 1]]", "fSl");
	struct operator_call many = CALL("aten::gather", "[[800, 8], [], [800, 64]]", "fSl");
	struct operator_call tiny = CALL("aten::gather", "[[2], [], [1]]", "fSl");
	struct weir_work work = operator_work(&one);

	(void)state;
	assert_near(work.reuse.scattered_bytes, 25600 * (1 - exp(-1. / (25600 / 32.))) - 4, 1e-12);
	work = operator_work(&many);
	assert_near(work.reuse.scattered_bytes, 25600 * (1 - exp(-51200. / 800)) - 25600, 1e-9);
	work = operator_work(&tiny); /* less than a sector counts as one */
	assert_near(work.reuse.scattered_bytes, 8 * (1 - exp(-1.)) - 4, 1e-12);
}

static void whole_rows_are_gathered_with_one_index_each(void **state)
{
	struct operator_call rows = {
		.op = "aten::gather",
		.dims = "[[800, 8], [], [5, 8]]",
		.types = "fSl",
		.kernel = "void at::native::vectorized_gather_kernel<16, long>(char*)"};
	struct weir_work work = operator_work(&rows);

	(void)state;
	assert_near(work.bytes, 2. * 4 * 40 + 8 * 5, EXACT);
	assert_near(work.reuse.scattered_bytes, 0, 0);
	rows.kernel = "void at::native::_scatter_gather_elementwise_kernel<128>(int)";
	work = operator_work(&rows);
	assert_near(work.bytes, 2. * 4 * 40 + 8 * 40, EXACT);
	assert_true(work.reuse.scattered_bytes > 0);
}

static void rows_shared_by_blocks_are_sorted_in_passes(void **state)
{
	struct operator_call call = {
		.op = "aten::topk",
		.dims = "[[6, 7], [], [], [], []]",
		.types = "fSSSS",
		.kernel = "void at::native::mbtopk::radixFindKthValues<float>(int)"};
	struct weir_work work = operator_work(&call);

	(void)state;
	assert_near(work.reuse.passes_again_bytes, 4. * 42 * 4, EXACT);
	call.kernel = "void at::native::sbtopk::gatherTopK<float>(int)";
	work = operator_work(&call);
	assert_near(work.reuse.passes_again_bytes, 0, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(moves_are_charged_with_what_they_touch),
		cmocka_unit_test(a_list_that_is_joined_is_read_and_written),
		cmocka_unit_test(moves_without_their_tensors_are_unknown),
		cmocka_unit_test(scattered_elements_cost_whole_sectors),
		cmocka_unit_test(whole_rows_are_gathered_with_one_index_each),
		cmocka_unit_test(rows_shared_by_blocks_are_sorted_in_passes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
