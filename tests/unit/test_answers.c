/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests times of answers by Ollama and whisper.cpp. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define HEAD   "{\"model\":\"m\",\"created_at\":\"2026-01-31T10:00:00.5Z\","
#define CHUNK  HEAD "\"response\":\"a\",\"done\":false}\n"
#define ANSWER HEAD "\"response\":\"\",\"done\":true," TIMES "}\n"
#define TIMES                                                                                      \
	"\"context\":[1,2],\"total_duration\":500000000,\"load_duration\":100000000,"              \
	"\"prompt_eval_count\":26,\"prompt_eval_duration\":130000000,\"eval_count\":259,"          \
	"\"eval_duration\":250000000"
#define TEXT(total)                                                                                \
	"Hello\n\ntotal duration:       " total "\nload duration:        97.885315ms\n"            \
	"prompt eval count:    21 token(s)\nprompt eval duration: 1m13.5s\n"                       \
	"prompt eval rate:     15.60 tokens/s\neval count:           160 token(s)\n"               \
	"eval duration:        512\xc2\xb5s\neval rate:            9.54 tokens/s\n"
#define WHISPER                                                                                    \
	"whisper_print_timings:     load time =   100.00 ms\nwhisper_print_timings:     "          \
	"fallbacks =   0 p /   0 h\nwhisper_print_timings:      mel time =     8.00 ms\n"          \
	"whisper_print_timings:   sample time =    40.00 ms /   138 runs (    0.29 ms per run)\n"  \
	"whisper_print_timings:   encode time =   520.00 ms /     1 runs (  520.33 ms per run)\n"  \
	"whisper_print_timings:   batchd time =     0.00 ms /     1 runs (    0.00 ms per run)\n"
#define WHOLE(total) WHISPER "whisper_print_timings:    total time =  " total " ms\n"

static void objects_of_the_api_are_requests_with_their_end(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_ollama,
	                   CHUNK CHUNK ANSWER "{\"error\":\"model not found\"}\n", profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 1);
	assert_int_equal(requests->failed, 1);
	assert_int_equal(requests->time_base, WEIR_TIME_UNIX);
	assert_true(requests->end_ns[0] == INT64_C(1769853600500000000));
	assert_true(requests->start_ns[0] == INT64_C(1769853600000000000));
	assert_true(requests->tokens[0] == 26 && requests->output_tokens[0] == 259);
	assert_true(requests->first_token_ns[0] == -1);
	reading_expects_parts(requests, 0, "load=100000000 prefill=130000000 decode=250000000");
	weir_profile_free(profile);
}

static void the_text_has_durations_of_go(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_ollama, TEXT("2m43.589481292s") TEXT("1h0m1s"), profile);
	const struct weir_requests *requests = input->requests;

	(void)state;
	assert_int_equal(requests->count, 2);
	assert_int_equal(requests->time_base, WEIR_TIME_NONE);
	assert_true(requests->end_ns[0] == INT64_C(163589481292));
	assert_true(requests->end_ns[1] == INT64_C(3601000000000));
	assert_true(requests->tokens[0] == 21 && requests->output_tokens[0] == 160);
	reading_expects_parts(requests, 0, "load=97885315 prefill=73500000000 decode=512000");
	weir_profile_free(profile);
}

static void whisper_gives_a_request_for_each_program(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input =
		reading_of(&weir_reader_whisper, WHOLE("1000.00") "x\n" WHOLE("567.99"), profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	reading_expects_parts(input->requests, 0, "");
	assert_true(input->requests->end_ns[0] == 567990000);
	reading_expects_parts(input->requests, 1,
	                      "load=100000000 mel preprocessing=8000000 encoder "
	                      "inference=520000000 sampling=40000000");
	assert_true(input->requests->output_tokens[1] == -1);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	weir_profile_free(profile);
}

static void a_total_that_began_behind_the_load_has_the_other_parts(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_whisper, WHOLE("668.00") WHOLE("667.99") WHOLE("568.00"), profile);

	(void)state;
	assert_int_equal(input->requests->count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 0);
	reading_expects_parts(input->requests, 0,
	                      "mel preprocessing=8000000 encoder inference=520000000 "
	                      "sampling=40000000");
	reading_expects_parts(input->requests, 2,
	                      "load=100000000 mel preprocessing=8000000 encoder "
	                      "inference=520000000 sampling=40000000");
	weir_profile_free(profile);
}

static void impossible_times_are_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		&weir_reader_ollama,
		ANSWER HEAD "\"done\":true,\"total_duration\":-4,\"load_duration\":1e999,"
			    "\"eval_duration\":\"x\"}\n" HEAD
			    "\"done\":true,\"total_duration\":40,\"eval_duration\":41}\n"
			    "{\"model\":\"m\",\"done\":true,\"total_duration\":40}\n",
		profile);

	(void)state;
	assert_int_equal(input->requests->count, 2);
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 3);
	assert_int_equal(input->warnings[WEIR_WARN_INCONSISTENT].count, 1);
	assert_int_equal(input->warnings[WEIR_WARN_NO_TIME].count, 2);
	weir_profile_free(profile);
}

static void damaged_files_are_read_or_refused(void **state)
{
	(void)state;
	reading_survives_damage(&weir_reader_ollama, CHUNK ANSWER);
	reading_survives_damage(&weir_reader_ollama, TEXT("2m43.5s"));
	reading_survives_damage(&weir_reader_whisper, WHOLE("1000.00"));
	reading_refuses(&weir_reader_ollama, CHUNK, WEIR_E_EMPTY, "no answer with its times");
	reading_refuses(&weir_reader_ollama, "total duration: 5 weeks\n", WEIR_E_EMPTY,
	                "no answer");
	reading_refuses(&weir_reader_whisper, WHISPER, WEIR_E_EMPTY, "no total of times");
	assert_string_equal(reading_claims(CHUNK), "ollama");
	assert_string_equal(reading_claims(ANSWER), "ollama");
	assert_string_equal(reading_claims(TEXT("4s")), "ollama");
	assert_string_equal(reading_claims(WHOLE("4")), "whisper-log");
}

static void marks_of_a_list_or_a_log_may_precede_the_text(void **state)
{
	static const char *const before[] = {"- ", "> ", "ollama-1  | ", "[12:00:01] ", "> * "};

	(void)state;
	for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_requests *requests;

		weir_text_printf(&text, "%stotal duration:       5s\n%sload duration:  1s\n",
		                 before[i], before[i]);
		weir_text_printf(&text, "%sprompt eval duration: 1.5s\n%seval count: 7 token(s)\n",
		                 before[i], before[i]);
		weir_text_puts(&text, "its total duration: 3s\n");
		requests = reading_of(&weir_reader_ollama, text.data, profile)->requests;
		assert_int_equal(requests->count, 1);
		assert_true(requests->output_tokens[0] == 7);
		reading_expects_parts(requests, 0, "load=1000000000 prefill=1500000000");
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_of_the_api_are_requests_with_their_end),
		cmocka_unit_test(marks_of_a_list_or_a_log_may_precede_the_text),
		cmocka_unit_test(the_text_has_durations_of_go),
		cmocka_unit_test(whisper_gives_a_request_for_each_program),
		cmocka_unit_test(a_total_that_began_behind_the_load_has_the_other_parts),
		cmocka_unit_test(impossible_times_are_counted),
		cmocka_unit_test(damaged_files_are_read_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
