/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Logs of llama-server: a request for each print of times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define DATA               "tests/data/serverlog/llama.log"
#define SLOT(slot, task)   "slot print_timing: id  " slot " | task " task " | "
#define PROMPT(ms, tokens) "prompt eval time =   " ms " ms /  " tokens " tokens (1 ms per token)\n"
#define EVAL(ms, tokens)   "       eval time =   " ms " ms /  " tokens " tokens (1 ms per token)\n"
#define TOTAL              "      total time =   9.00 ms /  9 tokens\n"

static const struct weir_reader *const reader = &weir_reader_llama_log;

static void times_of_early_and_late_versions_are_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, DATA, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_NONE);
	assert_int_equal(requests->end_ns[0], 900000000);
	assert_int_equal(requests->first_token_ns[0], 400000000);
	assert_int_equal(requests->tokens[0], 200);
	assert_int_equal(requests->output_tokens[0], 25);
	assert_int_equal(requests->end_ns[1], 1200000000);
	assert_int_equal(requests->parts, 4);
	assert_string_equal(weir_requests_stage_name(requests, 0), "prefill");
	assert_string_equal(weir_requests_stage_name(requests, 1), "decode");
	for (int code = 0; code < WEIR_WARN_COUNT; code++)
		assert_int_equal(input->warnings[code].count, 0);
	weir_profile_free(profile);
}

/* Expects the number of requests of a text, and of those that are left out. */
static void expect(const char *text, size_t count, unsigned skipped)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(reader, text, profile);

	assert_int_equal(input->requests->count, count);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, skipped);
	weir_profile_free(profile);
}

static void lines_of_one_task_are_one_request(void **state)
{
	(void)state;
	/* without a line of the total */
	expect(SLOT("0", "1") PROMPT("1.00", "2") SLOT("0", "1") EVAL("1.00", "2") SLOT("0", "2")
	               PROMPT("1.00", "2") SLOT("0", "2") EVAL("1.00", "2"),
	       2, 0);
	expect(SLOT("0", "1") "\n" PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL PROMPT("3.00", "4")
	               EVAL("5.00", "6") TOTAL,
	       2, 0);
	/* a slot that says how far it is does not end the request of another task */
	expect(SLOT("0", "1") PROMPT("1.00", "2") SLOT("0", "1") EVAL("1.00", "2")
	               SLOT("1", "2") "n_gen = 5, tg = 3.00 t/s\n",
	       1, 0);
}

#define CLI(prefix)                                                                                \
	prefix "    sampling time =  1.00 ms /    8 runs\n" prefix                                 \
	       "        load time =   655.14 ms\n" prefix                                          \
	       " prompt eval time =    45.63 ms /     7 tokens (1 ms per token)\n" prefix          \
	       "        eval time =   636.73 ms /    63 runs (1 ms per token)\n" prefix            \
	       "       total time =   685.76 ms /    70 tokens\n"

/* Programs that run one request print its times behind their own prefix. */
static void a_run_of_a_program_is_one_request(void **state)
{
	static const char *const texts[] = {
		CLI("llama_perf_context_print:"),
		CLI("0.01.352.023 I llama_perf_context_print:"),
		CLI("llama_print_timings:"),
		CLI("common_perf_print:"),
		CLI("main:"),
		CLI(""),
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_input *input = reading_of(reader, texts[i], profile);

		assert_string_equal(reading_claims(texts[i]), "llama-server-log");
		assert_int_equal(input->requests->count, 1);
		assert_int_equal(input->requests->first_token_ns[0], 45630000);
		assert_int_equal(input->requests->end_ns[0], 682360000);
		assert_int_equal(input->requests->tokens[0], 7);
		assert_int_equal(input->requests->output_tokens[0], 63);
		weir_profile_free(profile);
	}
	expect(CLI("main:") CLI("main:"), 2, 0);
	expect(CLI("main:") "the eval time = 3.00 ms / 4 tokens\n", 1, 0);
}

/* A count of one stands for none where the time is 0. */
static void a_part_without_time_has_no_tokens(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_requests *requests =
		reading_of(reader,
	                   PROMPT("9.00", "512") EVAL("0.00", "1") TOTAL PROMPT("0.00", "1")
	                           EVAL("20.00", "1") TOTAL,
	                   profile)
			->requests;

	(void)state;
	assert_int_equal(requests->output_tokens[0], 0);
	assert_int_equal(requests->tokens[0], 512);
	assert_int_equal(requests->output_tokens[1], 1);
	assert_int_equal(requests->tokens[1], 0);
	assert_int_equal(requests->first_token_ns[1], -1);
	weir_profile_free(profile);
}

static void a_request_without_a_part_is_left_out(void **state)
{
	(void)state;
	expect(SLOT("0", "1") PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL SLOT("0", "2")
	               PROMPT("1.00", "2") TOTAL,
	       1, 1);
	expect(SLOT("0", "1") PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL EVAL("1.00", "2") TOTAL,
	       1, 1);
}

static void damaged_lines_are_counted_or_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader,
		SLOT("0", "1") PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL PROMPT("x", "2")
			PROMPT("9999999999999999", "2") EVAL("1.00", "-2") TOTAL,
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	weir_profile_free(profile);
	reading_survives_damage(reader, SLOT("0", "1") PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL);
	reading_survives_damage(reader, CLI("x:"));
	reading_refuses(reader, SLOT("0", "1") "n_gen = 5\n", WEIR_E_EMPTY, "prompt eval time");
}

#define REPLIES "tests/data/serverlog/llama-replies.jsonl"
#define REPLY(content, timings)                                                                    \
	"{\"choices\":[],\"content\":\"" content "\",\"timings\":{" timings "}}\n"
#define TIMINGS(prompt, predicted)                                                                 \
	"\"prompt_n\":8,\"prompt_ms\":" prompt ",\"predicted_n\":4,\"predicted_ms\":" predicted

static void replies_of_the_server_are_requests(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_file(reader, REPLIES, profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_NONE);
	assert_int_equal(requests->end_ns[1], 1850750000);
	assert_int_equal(requests->first_token_ns[1], 250500000);
	assert_int_equal(requests->tokens[1], 32); /* without those in the cache */
	assert_int_equal(requests->output_tokens[1], 64);
	reading_expects_parts(requests, 1, "prefill=250500000 decode=1600250000");
	assert_int_equal(requests->failed, 1);
	reading_expects_figure(input->run, "acceptance_rate", 50, true, "%");
	reading_expects_label(input->run, "draft_tokens", "120");
	reading_expects_label(input->run, "accepted_draft_tokens", "60");
	weir_profile_free(profile);
}

static void replies_without_drafts_have_no_figures(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		reader, REPLY("prompt eval time", TIMINGS("1.5", "2.5")) "{\"choices\":[]}\n",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_null(input->run);
	weir_profile_free(profile);
	assert_string_equal(reading_claims(REPLY("", TIMINGS("1.5", "2.5"))), "llama-server-log");
}

static void damaged_replies_are_counted_or_refused(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(reader,
	                   REPLY("", TIMINGS("1.5", "2.5")) REPLY("", TIMINGS("-1", "2.5"))
	                           REPLY("", "\"prompt_ms\":1.5") REPLY("", TIMINGS("1e99", "2.5")),
	                   profile);

	(void)state;
	assert_int_equal(input->requests->count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 3);
	weir_profile_free(profile);
	reading_survives_damage(reader, REPLY("a", TIMINGS("1.5", "2.5") ",\"draft_n\":4,"
	                                                                 "\"draft_n_accepted\":2"));
	reading_refuses(reader, REPLY("", "\"prompt_ms\":1"), WEIR_E_EMPTY, "timings");
}

static void the_log_is_recognised(void **state)
{
	(void)state;
	assert_string_equal(reading_claims(SLOT("0", "1") PROMPT("1.00", "2") EVAL("1.00", "2")),
	                    "llama-server-log");
}

/* A start that fills the head says nothing about the requests behind it; a shorter one is all that
 * the log holds. */
static void a_start_is_read_on_if_requests_may_follow(void **state)
{
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "llama_model_loader: loaded meta data with 23 key-value pairs\n");
	assert_int_equal(weir_sniff_reader(reader, text.data, text.length), 0);
	while (text.length < WEIR_HEAD_SIZE)
		weir_text_puts(&text, "llama_model_loader: - tensor 0: token_embd.weight q4_0\n");
	assert_true(weir_sniff_reader(reader, text.data, WEIR_HEAD_SIZE) > 0);
	assert_int_equal(weir_sniff_reader(reader, text.data, WEIR_HEAD_SIZE - 1), 0);
	weir_text_puts(&text, PROMPT("1.00", "2") EVAL("1.00", "2") TOTAL);
	expect(text.data, 1, 0);
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_of_early_and_late_versions_are_requests),
		cmocka_unit_test(lines_of_one_task_are_one_request),
		cmocka_unit_test(a_run_of_a_program_is_one_request),
		cmocka_unit_test(a_part_without_time_has_no_tokens),
		cmocka_unit_test(a_request_without_a_part_is_left_out),
		cmocka_unit_test(damaged_lines_are_counted_or_refused),
		cmocka_unit_test(replies_of_the_server_are_requests),
		cmocka_unit_test(replies_without_drafts_have_no_figures),
		cmocka_unit_test(damaged_replies_are_counted_or_refused),
		cmocka_unit_test(the_log_is_recognised),
		cmocka_unit_test(a_start_is_read_on_if_requests_may_follow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
