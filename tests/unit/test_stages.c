/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The meaning of annotations of programs and servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/names/stages.h"
#include "tests/unit/near.h"

struct expectation {
	const char *annotation;
	enum weir_stage_role role;
	const char *name, *kind;
	int64_t rows, padded_rows, tokens;
};

static void assert_parsed(const struct expectation *expected)
{
	struct weir_stage_name got;

	weir_stage_name_parse(expected->annotation, NULL, &got);
	print_message("%s\n", expected->annotation);
	assert_int_equal(got.role, expected->role);
	if (!expected->name)
		return;
	assert_string_equal(got.name, expected->name);
	assert_string_equal(got.kind, expected->kind);
	assert_int_equal(got.rows, expected->rows);
	assert_int_equal(got.padded_rows, expected->padded_rows);
	assert_int_equal(got.tokens, expected->tokens);
}

static void the_grammars_of_servers_are_understood(void **state)
{
	static const struct expectation all[] = {
		{"ProfilerStep#12", WEIR_ROLE_STEP, NULL, NULL, -1, -1, -1},
		{"execute_context_0(0)_generation_32(32)", WEIR_ROLE_STEP_STAGE, "decode",
	         "compute", 32, -1, -1},
		{"execute_context_1(888_788544)_generation_0(0)", WEIR_ROLE_STEP_STAGE, "prefill",
	         "compute", 1, -1, -1},
		{"execute_640_context_2(sq512sk512)_generation_3(sq3sk99)", WEIR_ROLE_STEP_STAGE,
	         "mixed", "compute", 5, -1, 640},
		{"step[DECODE bs=32 toks=32]", WEIR_ROLE_STEP_STAGE, "decode", "compute", 32, -1,
	         32},
		{"step[EXTEND bs=4 toks=1024]", WEIR_ROLE_STEP_STAGE, "prefill", "compute", 4, -1,
	         1024},
		{"step[MIXED toks=7]", WEIR_ROLE_STEP_STAGE, "mixed", "compute", -1, -1, 7},
		{"prefill[bs=2 tok=14721 ctx=1]", WEIR_ROLE_STEP_STAGE, "prefill", "compute", 2, -1,
	         14721},
		{"decode[bs=117/128 tok=117]", WEIR_ROLE_STEP_STAGE, "decode", "compute", 117, 128,
	         117},
		{"decode[]", WEIR_ROLE_STEP_STAGE, "decode", "compute", -1, -1, -1},
		{"execute_diffusion_2_512x512", WEIR_ROLE_STEP_STAGE, "diffusion", "compute", 2, -1,
	         -1},
		{"enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", WEIR_ROLE_STAGE,
	         "dataloader", "preprocess", -1, -1, -1},
		{"nccl:all_reduce", WEIR_ROLE_IGNORED, NULL, NULL, -1, -1, -1},
		{"step[WARP bs=3]", WEIR_ROLE_STAGE, "step[WARP bs=3]", "other", -1, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_parsed(&all[i]);
}

static void counters_are_dropped_and_digits_of_a_name_are_kept(void **state)
{
	static const struct {
		const char *annotation, *name;
	} all[] = {
		{"decode_17", "decode"},
		{"step 12", "step"},
		{"## forward ##", "forward"},
		{"Optimizer.step#SGD.step", "Optimizer.step#SGD.step"},
		{"h2", "h2"},
		{"conv1", "conv1"},
		{"conv1_12", "conv1"},
		{"layer3: 4/5", "layer3"},
		{"request 7 of 9", "request 7 of"},
		{"42", "42"},
		{"#7", "7"},
		{"_", "_"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
		struct weir_stage_name got;

		weir_stage_name_parse(all[i].annotation, NULL, &got);
		assert_string_equal(got.name, all[i].name);
		assert_int_equal(got.role, WEIR_ROLE_STAGE);
	}
}

static void a_name_of_nothing_is_no_stage(void **state)
{
	struct weir_stage_name got;

	(void)state;
	weir_stage_name_parse("", NULL, &got);
	assert_int_equal(got.role, WEIR_ROLE_IGNORED);
	weir_stage_name_parse(" \t## ", NULL, &got);
	assert_int_equal(got.role, WEIR_ROLE_IGNORED);
}

static void a_long_name_ends_in_dots_and_in_a_whole_character(void **state)
{
	char text[1000];
	struct weir_stage_name got;
	size_t len;

	(void)state;
	memset(text, 'a', sizeof text);
	text[sizeof text - 1] = '\0';
	weir_stage_name_parse(text, NULL, &got);
	assert_int_equal(strlen(got.name), WEIR_STAGE_NAME_MAX - 1);
	assert_string_equal(got.name + strlen(got.name) - 4, "a...");
	for (size_t i = 0; i + 3 < sizeof text; i += 3)
		memcpy(text + i, "\xe2\x82\xac", 3); /* the euro sign */
	weir_stage_name_parse(text, NULL, &got);
	len = strlen(got.name);
	assert_true(len < WEIR_STAGE_NAME_MAX);
	assert_string_equal(got.name + len - 3, "...");
	assert_int_equal((len - 3) % 3, 0);
}

static void a_name_of_just_the_room_there_is_is_kept_whole(void **state)
{
	char text[WEIR_STAGE_NAME_MAX];
	struct weir_stage_name got;

	(void)state;
	memset(text, 'b', sizeof text);
	text[sizeof text - 1] = '\0';
	weir_stage_name_parse(text, NULL, &got);
	assert_string_equal(got.name, text);
}

static void huge_numbers_stay_in_range(void **state)
{
	struct weir_stage_name got;

	(void)state;
	weir_stage_name_parse("execute_context_99999999999999999999999(1)_generation_"
	                      "9223372036854775807(1)",
	                      NULL, &got);
	assert_string_equal(got.name, "mixed");
	assert_true(got.rows > 0);
	weir_stage_name_parse("decode[bs=18446744073709551616/340282366920938463463374607431]",
	                      NULL, &got);
	assert_true(got.rows > 0 && got.padded_rows > 0);
}

static void the_longest_known_word_decides_the_kind(void **state)
{
	static const struct {
		const char *name, *kind;
	} all[] = {
		{"decode", "compute"},
		{"Decode", "compute"},
		{"decode_input", "preprocess"}, /* longer than decode */
		{"my decode loop", "compute"},
		{"batch_tokenize", "preprocess"}, /* longer than batch */
		{"decoder", "other"},             /* not a separate word */
		{"predecode", "other"},
		{"wait for batch", "batch_assembly"},
		{"", "other"},
		{"h2d", "h2d"},
		{"copy.host_to_device.async", "h2d"},
		{"response", "postprocess"},
		{"send_response", "postprocess"},
		{"client._inner_get_response", "other"}, /* waits for it */
		{"wait for response", "other"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_string_equal(weir_stage_kind(all[i].name, NULL), all[i].kind);
}

static void a_name_of_nothing_but_a_limited_wait_for_a_batch_is_a_batching_window(void **state)
{
	static const struct {
		const char *name;
		bool is;
	} all[] = {
		{"batch_window", true},
		{"batching window", true},
		{"BatchWindow", true},
		{"batchWindow#12", true},
		{"batch.delay", true},
		{"batch-timeout", true},
		{"max_queue_delay", true}, /* Triton */
		{"queueing delay", true},
		{"dynamic batching: linger for requests", true},
		{"batching_wait", true},
		{"wait in the batcher", true},
		{"window", false},
		{"batch", false},
		{"batching", false},
		{"batch_7", false},
		{"wait_for_batch", false}, /* of a data loader, for all that we know */
		{"queue_wait", false},     /* no request may have come */
		{"delay", false},
		{"batch_window_attention", false},
		{"batchwindow", false},
		{"collate_batch_window", false},
		{"", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		if (weir_stage_is_batch_window(all[i].name) != all[i].is)
			fail_msg("%s", all[i].name);
}

static void a_batching_window_is_a_stage_to_which_nobody_gave_a_kind(void **state)
{
	static const struct weir_stage_alias items[] = {{"batch_window", "preprocess"}};
	static const struct weir_stage_aliases own = {items, 1};
	struct weir_stage_name got;

	(void)state;
	weir_stage_name_parse("batch_window_3", NULL, &got);
	assert_true(got.is_batch_window);
	assert_string_equal(got.name, "batch_window");
	weir_stage_name_parse("batch_window_3", &own, &got);
	assert_false(got.is_batch_window);
	weir_stage_name_parse("decode", NULL, &got);
	assert_false(got.is_batch_window);
}

static void names_of_the_configuration_count_before_known_ones(void **state)
{
	static const struct weir_stage_alias items[] = {
		{"", "h2d"}, /* nothing is in every name */
		{"gate", "queue"},  {"gate_keeper", "batch_assembly"}, {"decode", "postprocess"},
		{"odd", "no kind"},
	};
	static const struct weir_stage_aliases own = {items, sizeof items / sizeof *items};
	static const struct {
		const char *name, *kind;
	} all[] = {
		{"gate", "queue"},
		{"Gate 7", "queue"},
		{"gates", "other"},
		{"the gate_keeper", "batch_assembly"},
		{"decode", "postprocess"},
		{"gate of the tokenizer", "queue"},
		{"odd decoder", "other"},
		{"prefill", "compute"},
		{"", "other"},
	};
	struct weir_stage_name got;

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_string_equal(weir_stage_kind(all[i].name, &own), all[i].kind);
	weir_stage_name_parse("gate_12", &own, &got);
	assert_string_equal(got.kind, "queue");
	weir_stage_name_parse("step[DECODE bs=32 toks=1024]", &own, &got);
	assert_string_equal(got.name, "decode");
	assert_string_equal(got.kind, "postprocess");
	assert_int_equal(got.role, WEIR_ROLE_STEP_STAGE);
}

static void sums_that_are_damaged_are_none(void **state)
{
	static const char *const damaged[] = {
		"",
		"execute_",
		"execute_context_1(64)_generation_3(3)",
		"execute_67_context_1(sq64sk64sqsq4096sqsk4096)",
		"execute_67_context_1(sq64sk64sqsq4096)_generation_3(sq3sk600sqsq3sqsk600)",
		"execute_67_context_1(sq64sk64sqsq4096sqsk4096)_generation_3(sq3sk600sqsq3sqsk)",
		"execute_67_context_1(sq-4sk64sqsq4096sqsk4096)_generation_3(sq3sk600sqsq3sqsk600)",
		/* More rows than squares of rows. */
		"execute_67_context_1(sq64sk64sqsq6sqsk4096)_generation_3(sq3sk600sqsq3sqsk600)",
		"execute_67_context_1(sq8sk8sqsq64sqsk99999999999999999999)_generation_3(sq3sk6)",
	};
	struct weir_step_sums sums = {.context = {.q = 7}};

	(void)state;
	for (size_t i = 0; i < sizeof damaged / sizeof *damaged; i++)
		assert_false(weir_step_sums_parse(damaged[i], &sums));
	assert_near(sums.context.q, 7, 0);
}

static void keys_of_servers_begin_a_word(void **state)
{
	static const struct expectation all[] = {
		{"execute_xcontext_9_context_2(a)_generation_3(b)", WEIR_ROLE_STEP_STAGE, "mixed",
	         "compute", 5, -1, -1},
		{"execute_xcontext_2(a)_generation_3(b)", WEIR_ROLE_STAGE,
	         "execute_xcontext_2(a)_generation_3(b)", "compute", -1, -1, -1},
		{"execute_context_2(a)", WEIR_ROLE_STAGE, "execute_context_2(a)", "compute", -1, -1,
	         -1},
		{"execute_context_0(a)_generation_0(b)", WEIR_ROLE_STEP_STAGE, "decode", "compute",
	         0, -1, -1},
		{"step[PREFILL abs=1 bs=2]", WEIR_ROLE_STEP_STAGE, "prefill", "compute", 2, -1, -1},
		{"decode[bs=1/ tok=1]", WEIR_ROLE_STEP_STAGE, "decode", "compute", 1, -1, 1},
		{"decode[bs=99999999999999999999/4]", WEIR_ROLE_STEP_STAGE, "decode", "compute",
	         1000000000000000, 4, -1},
		{"graph compile_id=0/1", WEIR_ROLE_IGNORED, NULL, NULL, -1, -1, -1},
	};

	(void)state;
	for (size_t i = 0; i < sizeof all / sizeof *all; i++)
		assert_parsed(&all[i]);
}

#define SUMS "(sq1sk2sqsq3sqsk4)"

static void each_sum_has_its_place_and_a_limit(void **state)
{
	struct weir_step_sums sums;

	(void)state;
	assert_false(weir_step_sums_parse("execute_context_1(sq1sk1000000000000001sqsq1sqsk1)"
	                                  "_generation_1" SUMS,
	                                  &sums));
	assert_true(weir_step_sums_parse("execute_context_1(sq3sk1000000000000000sqsq3sqsk3)"
	                                 "_generation_1" SUMS,
	                                 &sums));
	assert_near(sums.context.k, 1e15, 0);
	assert_near(sums.generation.q, 1, 0);
	assert_near(sums.generation.k, 2, 0);
	assert_near(sums.generation.qq, 3, 0);
	assert_near(sums.generation.qk, 4, 0);
}

static void sums_are_added_and_divided_one_by_one(void **state)
{
	struct weir_step_sums sums = {{1, 2, 3, 4}, {5, 6, 7, 8}};
	const struct weir_step_sums other = {{10, 20, 30, 40}, {50, 60, 70, 80}};

	(void)state;
	assert_near(weir_step_sums_pairs(&sums), 4 - 1 + 8, 0);
	weir_step_sums_add(&sums, &other);
	weir_step_sums_divide(&sums, 11);
	assert_near(sums.context.q, 1, 0);
	assert_near(sums.context.k, 2, 0);
	assert_near(sums.context.qq, 3, 0);
	assert_near(sums.context.qk, 4, 0);
	assert_near(sums.generation.q, 5, 0);
	assert_near(sums.generation.k, 6, 0);
	assert_near(sums.generation.qq, 7, 0);
	assert_near(sums.generation.qk, 8, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_grammars_of_servers_are_understood),
		cmocka_unit_test(counters_are_dropped_and_digits_of_a_name_are_kept),
		cmocka_unit_test(a_name_of_nothing_is_no_stage),
		cmocka_unit_test(a_long_name_ends_in_dots_and_in_a_whole_character),
		cmocka_unit_test(a_name_of_just_the_room_there_is_is_kept_whole),
		cmocka_unit_test(huge_numbers_stay_in_range),
		cmocka_unit_test(the_longest_known_word_decides_the_kind),
		cmocka_unit_test(
			a_name_of_nothing_but_a_limited_wait_for_a_batch_is_a_batching_window),
		cmocka_unit_test(a_batching_window_is_a_stage_to_which_nobody_gave_a_kind),
		cmocka_unit_test(names_of_the_configuration_count_before_known_ones),
		cmocka_unit_test(sums_that_are_damaged_are_none),
		cmocka_unit_test(keys_of_servers_begin_a_word),
		cmocka_unit_test(each_sum_has_its_place_and_a_limit),
		cmocka_unit_test(sums_are_added_and_divided_one_by_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
