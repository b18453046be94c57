/* SPDX-License-Identifier: GPL-3.0-or-later */
/* FLOPs and bytes of attention: masks, arguments of each operator, packed sequences. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/roofline/shapes.h"
#include "tests/unit/near.h"
#include "tests/unit/operators.h"

#define EXACT    1e-15
#define MAX_ARGS 20

enum alignment { TOP_LEFT, BOTTOM_RIGHT };

/* Where an operator has its arguments, and which mask a causal call uses. */
struct operator
{
	const char *op;
	int first, causal;
	const char *yes, *no; /* values of the causal argument */
	enum alignment alignment;
	bool heads_first, backward;
};

static const struct operator operators[] = {
	{"aten::scaled_dot_product_attention", 0, 5, "True", "False", TOP_LEFT, true, false},
	{"aten::_scaled_dot_product_fused_attention_overrideable", 0, 5, "True", "False", TOP_LEFT,
         true, false},
	{"aten::_scaled_dot_product_flash_attention", 0, 4, "True", "False", BOTTOM_RIGHT, true,
         false},
	{"aten::_scaled_dot_product_efficient_attention", 0, 6, "True", "False", TOP_LEFT, true,
         false},
	{"aten::_scaled_dot_product_cudnn_attention", 0, 6, "True", "False", TOP_LEFT, true, false},
	{"aten::_cudnn_attention_forward", 0, 10, "True", "False", TOP_LEFT, true, false},
	{"aten::_flash_attention_forward", 0, 8, "True", "False", BOTTOM_RIGHT, false, false},
	{"aten::_efficient_attention_forward", 0, 9, "1", "0", TOP_LEFT, false, false},
	{"aten::_efficient_attention_forward", 0, 9, "2", "0", BOTTOM_RIGHT, false, false},
	{"flash_attn::_flash_attn_forward", 0, 5, "True", "False", BOTTOM_RIGHT, false, false},
	{"flash_attn::_flash_attn_varlen_forward", 0, 9, "True", "False", BOTTOM_RIGHT, false,
         false},
	{"_vllm_fa2_C::varlen_fwd", 0, 15, "True", "False", BOTTOM_RIGHT, false, false},
	{"aten::_scaled_dot_product_flash_attention_backward", 1, 11, "True", "False", BOTTOM_RIGHT,
         true, true},
	{"aten::_flash_attention_backward", 1, 11, "True", "False", BOTTOM_RIGHT, false, true},
	{"aten::_scaled_dot_product_efficient_attention_backward", 1, 11, "True", "False", TOP_LEFT,
         true, true},
	{"aten::_efficient_attention_backward", 1, 14, "1", "0", TOP_LEFT, false, true},
	{"aten::_efficient_attention_backward", 1, 14, "2", "0", BOTTOM_RIGHT, false, true},
	{"aten::_scaled_dot_product_cudnn_attention_backward", 1, 14, "True", "False", TOP_LEFT,
         true, true},
	{"aten::_cudnn_attention_backward", 1, 14, "True", "False", TOP_LEFT, true, true},
};

#define OPERATORS (sizeof operators / sizeof *operators)

struct sizes {
	int batch, heads_q, heads_k, rows_q, rows_k, depth_qk, depth_v;
};

struct lists {
	char dims[1024], types[1024], scalars[512];
};

static void put(char *list, size_t room, const char *text)
{
	size_t length = strlen(list);

	(void)snprintf(list + length, room - length, "%s%s", length ? ", " : "[", text);
}

static void close_list(char *list, size_t room)
{
	size_t length = strlen(list);

	(void)snprintf(list + length, room - length, "]");
}

/* The recorded arguments of a call; causal: the text of that argument. */
static void record(struct lists *lists, const struct operator* operator, const struct sizes * sizes,
                   const char *causal)
{
	memset(lists, 0, sizeof *lists);
	for (int i = 0; i < MAX_ARGS; i++) {
		bool is_tensor = i >= operator->first && i<operator->first + 3;
		int rows = i == operator->first ? sizes->rows_q : sizes->rows_k;
		int heads = i == operator->first ? sizes->heads_q : sizes->heads_k;
		int depth = i == operator->first + 2 ? sizes->depth_v : sizes->depth_qk;
		char dims[64], scalar[32];

		(void)snprintf(dims, sizeof dims, "[%d, %d, %d, %d]",
		               sizes->batch, operator->heads_first ? heads : rows,
		                             operator->heads_first ? rows : heads, depth);
		(void)snprintf(scalar, sizeof scalar, "\"%s\"",
		               i == operator->causal ? causal : "");
		put(lists->dims, sizeof lists->dims, is_tensor ? dims : "[]");
		put(lists->types, sizeof lists->types, is_tensor ? "\"c10::Half\"" : "\"\"");
		put(lists->scalars, sizeof lists->scalars, scalar);
	}
	close_list(lists->dims, sizeof lists->dims);
	close_list(lists->types, sizeof lists->types);
	close_list(lists->scalars, sizeof lists->scalars);
}

static struct weir_work work_of(const struct operator* operator, const struct sizes * sizes,
                                const char *causal)
{
	struct lists lists;
	struct weir_work work;

	record(&lists, operator, sizes, causal);
	work = weir_work_of_call(&(struct weir_call){.op = operator->op,
	                                             .dims = lists.dims,
	                                             .types = lists.types,
	                                             .scalars = lists.scalars});
	if (work.confidence != WEIR_MODEL_HIGH)
		print_error("%s\n", operator->op);
	return work;
}

/* Counts the pairs that the mask admits one by one, and the last key that any query sees. */
static double pairs_one_by_one(enum alignment alignment, int rows_q, int rows_k, int *keys)
{
	double pairs = 0;

	*keys = 0;
	for (int i = 0; i < rows_q; i++) {
		int last = alignment == TOP_LEFT ? i : i + rows_k - rows_q;

		for (int j = 0; j < rows_k && j <= last; j++) {
			pairs++;
			*keys = j + 1 > *keys ? j + 1 : *keys;
		}
	}
	return pairs;
}

static void each_operator_counts_the_pairs_of_its_mask(void **state)
{
	(void)state;
	for (size_t o = 0; o < OPERATORS; o++)
		for (int q = 1; q <= 5; q++)
			for (int k = 1; k <= 5; k++) {
				const struct sizes sizes = {2, 4, 2, q, k, 3, 5};
				double cost = operators[o].backward ? 2.5 : 1;
				int keys;
				double pairs =
					pairs_one_by_one(operators[o].alignment, q, k, &keys);

				assert_near(work_of(&operators[o], &sizes, operators[o].yes).flops,
				            cost * 2 * 2 * 4 * pairs * (3 + 5), EXACT);
				assert_near(work_of(&operators[o], &sizes, operators[o].no).flops,
				            cost * 2 * 2 * 4 * q * k * (3 + 5), EXACT);
			}
}

/* q, k, v and the result once; the backward pass reads and writes the same amount again. */
static void keys_that_no_query_sees_are_not_loaded(void **state)
{
	(void)state;
	for (size_t o = 0; o < OPERATORS; o++)
		for (int q = 1; q <= 4; q++)
			for (int k = 1; k <= 4; k++) {
				const struct sizes sizes = {2, 4, 2, q, k, 3, 5};
				double factor = operators[o].backward ? 2 : 1;
				double sums = 4. * 2 * 4 * q;
				double queries = 2. * 4 * q, keys;
				int seen;

				pairs_one_by_one(operators[o].alignment, q, k, &seen);
				keys = 2. * 2 * (operators[o].backward ? k : seen);
				assert_near(work_of(&operators[o], &sizes, operators[o].yes).bytes,
				            factor * 2 * 8 * (queries + keys) + sums, EXACT);
				assert_near(work_of(&operators[o], &sizes, operators[o].no).bytes,
				            factor * 2 * 8 * (queries + 2. * 2 * k) + sums, EXACT);
			}
}

/* 128 queries over 1,024 keys, 8 heads of 64: 16.9 and 251.8 MFLOP. */
static void is_causal_of_pytorch_is_aligned_top_left(void **state)
{
	const struct sizes sizes = {1, 8, 8, 128, 1024, 64, 64};

	(void)state;
	assert_near(work_of(&operators[0], &sizes, "True").flops, 16908288, EXACT);
	assert_near(work_of(&operators[2], &sizes, "True").flops, 251789312, EXACT);
}

static void a_custom_mask_of_unknown_kind_is_not_trusted(void **state)
{
	const struct operator* operator= & operators[7];
	const struct sizes sizes = {1, 1, 1, 4, 4, 1, 1};
	static const char *const kinds[] = {"3", "-1", ""};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		struct lists lists;
		struct weir_work work;

		record(&lists, operator, & sizes, kinds[i]);
		work = weir_work_of_call(&(struct weir_call){.op = operator->op,
		                                             .dims = lists.dims,
		                                             .types = lists.types,
		                                             .scalars = lists.scalars});
		assert_int_equal(work.confidence, WEIR_MODEL_LOW);
		assert_near(work.flops, 2 * 16 * 2, EXACT);
	}
}

/* The math path computes all scores, writes them, and passes over them three more times. */
static void the_math_path_computes_what_it_masks(void **state)
{
	struct operator math = {"aten::_scaled_dot_product_attention_math",
	                        0,
	                        5,
	                        "True",
	                        "False",
	                        TOP_LEFT,
	                        true,
	                        false};
	const struct sizes sizes = {2, 4, 4, 3, 7, 8, 8};
	struct lists lists;
	struct weir_work work;

	(void)state;
	record(&lists, &math, &sizes, "True");
	work = weir_work_of_call(&(struct weir_call){
		.op = math.op, .dims = lists.dims, .types = lists.types, .scalars = lists.scalars});
	assert_int_equal(work.confidence, WEIR_MODEL_MEDIUM);
	assert_near(work.flops, 2. * 2 * 4 * 3 * 7 * 16, EXACT);
	assert_near(work.bytes, 2. * 16 * (2 * 4 * 3 + 2 * 4 * 7) + 4 * 2. * (2 * 4 * 3) * 7,
	            EXACT);
}

/* ---- packed sequences ---- */

#define BF16 "\"c10::BFloat16\""

static struct weir_work call_of(const char *op, const char *dims, const char *types,
                                const char *scalars)
{
	const struct weir_call call = {.op = op, .dims = dims, .types = types, .scalars = scalars};

	return weir_work_of_call(&call);
}

static void expect(const struct weir_work *work, double flops, double bytes,
                   enum weir_model_confidence confidence)
{
	assert_near(work->flops, flops, EXACT);
	assert_near(work->bytes, bytes, EXACT);
	assert_int_equal(work->confidence, confidence);
}

static void expect_nothing(const struct weir_work *work)
{
	assert_int_equal(work->confidence, WEIR_MODEL_NONE);
	assert_true(isnan(work->flops) && isnan(work->bytes));
}

#define VARLEN "flash_attn::_flash_attn_varlen_forward"
#define VARLEN_TYPES                                                                               \
	"[" BF16 ", " BF16 ", " BF16 ", \"int\", \"int\", \"Scalar\", \"Scalar\", \"Scalar\", "    \
	"\"Scalar\", \"Scalar\"]"
#define VARLEN_SCALARS "[\"\", \"\", \"\", \"\", \"\", \"16\", \"16\", \"0.\", \"0.125\", \"True\"]"

static void packed_sequences_of_one_length_are_known_from_their_shapes(void **state)
{
	/* Four sequences of 16 rows, 8 heads of queries and 2 of keys. */
	struct weir_work equal = call_of(
		VARLEN, "[[64, 8, 32], [64, 2, 32], [64, 2, 32], [5], [5], [], [], [], [], []]",
		VARLEN_TYPES, VARLEN_SCALARS);
	/* 63 rows are not four times 16: some sequence is shorter, and which is data. */
	struct weir_work ragged = call_of(
		VARLEN, "[[63, 8, 32], [63, 2, 32], [63, 2, 32], [5], [5], [], [], [], [], []]",
		VARLEN_TYPES, VARLEN_SCALARS);

	(void)state;
	expect(&equal, 2. * 4 * 8 * (16 * 17 / 2.) * 64,
	       2. * (2 * 64 * 8 * 32 + 2 * 64 * 2 * 32) + 4. * 4 * 8 * 16, WEIR_MODEL_HIGH);
	expect_nothing(&ragged);
}

static void the_sums_of_a_step_stand_in_for_lengths(void **state)
{
	static const char dims[] = "[[67, 8, 32], [67, 2, 32], [67, 2, 32], [67, 8, 32], []]";
	static const char types[] = "[" BF16 ", " BF16 ", " BF16 ", " BF16 ", \"\"]";
	struct weir_step_sums sums;
	struct weir_call call = {
		.op = "vllm::unified_attention_with_output", .dims = dims, .types = types};
	struct weir_work unknown = weir_work_of_call(&call), known;

	(void)state;
	/* One new prompt of 64 rows; three requests with 100, 200 and 300 keys. */
	assert_true(
		weir_step_sums_parse("execute_67_context_1(sq64sk64sqsq4096sqsk4096)_generation_3"
	                             "(sq3sk600sqsq3sqsk600)",
	                             &sums));
	call.sums = &sums;
	known = weir_work_of_call(&call);
	expect_nothing(&unknown);
	assert_near(weir_step_sums_pairs(&sums), 64. * 65 / 2 + 600, EXACT);
	expect(&known, 2. * 8 * (64. * 65 / 2 + 600) * 64, 2. * (67 * 8 * 64 + 664 * 2 * 64),
	       WEIR_MODEL_MEDIUM);
	assert_int_equal(known.engine, WEIR_ENGINE_TENSOR);
}

/* ---- shapes that do not fit ---- */

#define SDPA                 "aten::scaled_dot_product_attention"
#define SDPA_SCALARS(causal) "[\"\", \"\", \"\", \"\", \"\", \"" causal "\"]"

static struct weir_work sdpa_of(const char *q, const char *k, const char *v, const char *bias)
{
	struct operator_call call = CALL_WITH(SDPA, NULL, "HHHH--", SDPA_SCALARS("False"));
	char dims[256];

	(void)snprintf(dims, sizeof dims, "[%s, %s, %s, %s, [], []]", q, k, v, bias);
	call.dims = dims;
	return operator_work(&call);
}

static void heads_of_queries_share_whole_heads_of_keys(void **state)
{
	struct weir_work work =
		sdpa_of("[2, 6, 5, 4]", "[2, 3, 7, 4]", "[2, 3, 7, 9]", "[2, 1, 5, 7]");

	(void)state;
	expect(&work, 2. * 2 * 6 * 35 * 13,
	       2. * 13 * (2 * 6 * 5 + 2 * 3 * 7) + 4 * 60 + 2. * 2 * 5 * 7, WEIR_MODEL_HIGH);
}

static void attention_over_other_shapes_is_unknown(void **state)
{
	static const char *const refused[][3] = {
		{"[]", "[2, 3, 7, 4]", "[2, 3, 7, 9]"},
		{"[2, 6, 5, 4]", "[]", "[2, 3, 7, 9]"},
		{"[2, 6, 5, 4]", "[2, 3, 7, 4]", "[]"},
		{"[6, 5, 4]", "[2, 3, 7, 4]", "[2, 3, 7, 9]"},
		{"[2, 6, 5, 4]", "[3, 7, 4]", "[2, 3, 7, 9]"},
		{"[2, 6, 5, 4]", "[2, 3, 7, 4]", "[3, 7, 9]"},
		{"[2, 6, 5, 4]", "[2, 3, 7, 3]", "[2, 3, 7, 9]"}, /* another depth */
		{"[2, 6, 5, 4]", "[2, 3, 7, 4]", "[2, 3, 8, 9]"}, /* another number of keys */
		{"[2, 6, 5, 4]", "[1, 3, 7, 4]", "[1, 3, 7, 9]"}, /* another batch */
		{"[2, 6, 5, 4]", "[2, 4, 7, 4]", "[2, 4, 7, 9]"}, /* 6 heads over 4 */
		{"[2, 6, 5, 4]", "[2, 0, 7, 4]", "[2, 0, 7, 9]"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct weir_work work = sdpa_of(refused[i][0], refused[i][1], refused[i][2], "[]");

		expect_nothing(&work);
	}
}

static struct weir_work varlen_of(const char *q, const char *k, const char *v, const char *sums,
                                  const char *longest)
{
	char dims[256], scalars[128];
	struct operator_call call = {.op = VARLEN, .types = "hhhiiSSSSS"};

	(void)snprintf(dims, sizeof dims, "[%s, %s, %s, %s, %s, [], [], [], [], []]", q, k, v, sums,
	               sums);
	(void)snprintf(scalars, sizeof scalars,
	               "[\"\", \"\", \"\", \"\", \"\", %s, \"0.\", \"0.125\", \"False\"]", longest);
	call.dims = dims;
	call.scalars = scalars;
	return operator_work(&call);
}

#define FOUR "\"16\", \"16\""

static void packed_sequences_need_matching_shapes(void **state)
{
	static const char *const refused[][5] = {
		{"[]", "[64, 2, 32]", "[64, 2, 32]", "[5]", FOUR},
		{"[64, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[]", "[64, 2, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 2, 32]", "[]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 32]", "[64, 2, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 0, 32]", "[64, 0, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 3, 32]", "[64, 3, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 2, 31]", "[64, 2, 32]", "[5]", FOUR},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5, 1]", FOUR},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[1]", FOUR},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", "\"x\", \"16\""},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", "\"16\", \"x\""},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", "\"17\", \"16\""},
		{"[64, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", "\"16\", \"17\""},
		{"[0, 8, 32]", "[64, 2, 32]", "[64, 2, 32]", "[5]", "\"0\", \"16\""},
		{"[64, 8, 32]", "[0, 2, 32]", "[0, 2, 32]", "[5]", "\"16\", \"0\""},
		{"[64, 8, 32]", "[64, 2, 32]", "[60, 2, 32]", "[5]", FOUR},
	};
	struct weir_work work = varlen_of("[64, 8, 32]", "[64, 2, 32]", "[64, 2, 16]", "[5]", FOUR);

	(void)state;
	expect(&work, 2. * 4 * 8 * 256 * 48, 2. * 48 * (64 * 8 + 64 * 2) + 4. * 4 * 8 * 16,
	       WEIR_MODEL_HIGH);
	work = varlen_of("[16, 8, 32]", "[16, 2, 32]", "[16, 2, 16]", "[2]", FOUR);
	expect(&work, 2. * 8 * 256 * 48, 2. * 48 * (16 * 8 + 16 * 2) + 4. * 8 * 16,
	       WEIR_MODEL_HIGH);
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		work = varlen_of(refused[i][0], refused[i][1], refused[i][2], refused[i][3],
		                 refused[i][4]);
		expect_nothing(&work);
	}
}

static struct weir_work served_of(const char *q, const char *k, const char *v, const char *name)
{
	char dims[128];
	struct weir_step_sums sums;
	struct weir_call call = {
		.op = "vllm::unified_attention",
		.types = "[\"c10::Half\", \"c10::Half\", \"c10::Half\"]",
		.sums = &sums,
	};

	(void)snprintf(dims, sizeof dims, "[%s, %s, %s]", q, k, v);
	call.dims = dims;
	assert_true(weir_step_sums_parse(name, &sums));
	return weir_work_of_call(&call);
}

#define STEP "execute_3_context_0(sq0sk0sqsq0sqsk0)_generation_3(sq3sk600sqsq3sqsk600)"

/* The last two dimensions of a paged cache are heads and depth. */
static void served_attention_reads_heads_and_depth_from_the_end(void **state)
{
	struct weir_work work =
		served_of("[3, 8, 32]", "[100, 16, 2, 32]", "[100, 16, 2, 16]", STEP);

	(void)state;
	expect(&work, 2. * 8 * 600 * 48, 2. * 3 * 8 * 48 + 2. * 600 * 2 * 48, WEIR_MODEL_MEDIUM);
	work = served_of("[3, 8]", "[100, 16, 2, 32]", "[100, 16, 2, 16]", STEP);
	expect_nothing(&work);
	work = served_of("[3, 8, 32]", "[2, 32]", "[100, 16, 2, 16]", STEP);
	expect_nothing(&work);
	work = served_of("[3, 8, 32]", "[100, 16, 2, 32]", "[2, 16]", STEP);
	expect_nothing(&work);
	work = served_of("[3, 8, 32]", "[]", "[3, 2, 16]", STEP);
	expect_nothing(&work);
	work = served_of("[3, 8, 32]", "[3, 2, 32]", "[]", STEP);
	expect_nothing(&work);
	work = served_of("[3, 8, 32]", "[3, 2, 32]", "[3, 2, 16]",
	                 "execute_3_context_0(sq0sk0sqsq0sqsk0)_generation_0(sq0sk0sqsq0sqsk0)");
	expect_nothing(&work);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_operator_counts_the_pairs_of_its_mask),
		cmocka_unit_test(keys_that_no_query_sees_are_not_loaded),
		cmocka_unit_test(is_causal_of_pytorch_is_aligned_top_left),
		cmocka_unit_test(a_custom_mask_of_unknown_kind_is_not_trusted),
		cmocka_unit_test(the_math_path_computes_what_it_masks),
		cmocka_unit_test(packed_sequences_of_one_length_are_known_from_their_shapes),
		cmocka_unit_test(the_sums_of_a_step_stand_in_for_lengths),
		cmocka_unit_test(heads_of_queries_share_whole_heads_of_keys),
		cmocka_unit_test(attention_over_other_shapes_is_unknown),
		cmocka_unit_test(packed_sequences_need_matching_shapes),
		cmocka_unit_test(served_attention_reads_heads_and_depth_from_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
