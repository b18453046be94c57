/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/report/gate/gate_figures.h"
#include "tests/unit/document.h"
#include "tests/unit/fixture_gate.h"
#include "tests/unit/near.h"

static struct weir_text write_text(struct weir_gate_result *result, size_t width, bool all)
{
	const struct weir_write_options options = {.width = width, .all = all};
	struct weir_text text = fixture_gate_write("text", result, &options);

	weir_gate_result_free(result);
	return text;
}

static void the_first_line_is_the_answer(void **state)
{
	static const char answer[] =
		"regression: aten::copy_ in decode_graph takes 45.8 % more device time overall\n"
		"  (81.2 -> 118 us, 90 % interval +41.0 to +51.0 %), +37.2 us per iteration; with\n"
		"  it decode_graph p50 +4.7 %, since run-2026-11-19\n\n"
		"  8 baseline runs, 3 candidate runs of 300 samples · NVIDIA H200\n";
	struct weir_text text = write_text(fixture_gate_regression(), 0, false);

	(void)state;
	assert_memory_equal(text.data, answer, strlen(answer));
	weir_text_release(&text);
}

static void every_verdict_has_a_first_line_of_its_own(void **state)
{
	static const char *const first[] = {
		"regression: aten::copy_ in decode_graph takes 45.8 % more",
		"pass: 1 of 2 rows proven unchanged, 1 open (tokenize)\n",
		"improvement: tokens_per_s is 9.0 % higher (1,743 -> 1,901 1/s, ",
		"suspect: decode_graph looks 4.7 % slower at p50",
		"inconclusive: tokenize p50 changed by +6.5 % (71.2 -> 75.8 us, ",
		"environment: gpu differs: NVIDIA H200 in the baseline, NVIDIA A100 in the\n",
		"coverage: tokenize is in the baseline but not in the candidate\n",
		"no-baseline: the baseline main-h200 has no runs; nothing was compared\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		struct weir_text text = write_text(fixture_gates[i](), 0, false);

		assert_true(text.length > strlen(first[i]));
		assert_memory_equal(text.data, first[i], strlen(first[i]));
		weir_text_release(&text);
	}
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	static const size_t widths[] = {60, 72, 80, 81, 100, 120};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		for (const fixture_gate_maker *make = fixture_gates; *make; make++) {
			struct weir_text text = write_text((*make)(), widths[i], false);
			struct weir_text all = write_text((*make)(), widths[i], true);

			assert_fits(&text, widths[i]);
			assert_fits(&all, widths[i]);
			weir_text_release(&text);
			weir_text_release(&all);
		}
	}
}

static void rows_that_fail_are_marked_and_the_others_counted(void **state)
{
	struct weir_text text = write_text(fixture_gate_regression(), 100, false);

	(void)state;
	assert_has(&text, "+4.7 %  +4.2 .. +5.2       3 %   <1e-6  x\n");
	assert_has(&text, "+5.1 %  +4.1 .. +6.2       5 %    4e-5  x\n");
	assert_has(&text, "... 5 rows without a regression: 1 unchanged, 2 inconclusive, "
	                  "1 improved, 1 waived (--all)\n");
	assert_has_not(&text, "\n  prefill (device)");
	weir_text_release(&text);
	text = write_text(fixture_gate_regression(), 100, true);
	assert_has(&text, "prefill (device)");
	assert_has(&text, "unsure\n");
	assert_has_not(&text, "--all)");
	weir_text_release(&text);
}

static void a_slower_stage_names_its_operators_in_time_and_calls(void **state)
{
	struct weir_text text = write_text(fixture_gate_regression(), 0, false);

	(void)state;
	assert_has(&text, "contributions     decode_graph: aten::copy_ +37.2 us per step, "
	                  "26 -> 58 calls\n");
	assert_has(&text, "decode_graph: aten::mm -9.80 us per step, 112 calls\n");
	weir_text_release(&text);
}

static void what_is_not_settled_says_what_would_settle_it(void **state)
{
	struct weir_gate_result *result = fixture_gate_inconclusive();
	struct weir_text text = write_text(fixture_gate_regression(), 120, false);

	(void)state;
	assert_has(&text, "tokenize p50 +6.5 %: a change under 31 % cannot be seen with "
	                  "these runs (5 more would show 20 %);");
	assert_has(&text, "p99\nimproved"); /* one item a scope */
	weir_text_release(&text);
	result->rows[0].runs_needed = NAN;
	text = write_text(result, 120, false);
	assert_has(&text, "tokenize: too noisy to gate (runs differ by 2 %): set severity warn, or "
	                  "gate its device time\n");
	weir_text_release(&text);
	result = fixture_gate_inconclusive();
	result->rows[0].low = 0.101; /* beyond the margin of 10 % */
	result->rows[0].high = 0.2;
	text = write_text(result, 120, false);
	assert_has(&text, "tokenize p50 +6.5 %: probably slower, but not proven");
	assert_null(strstr(text.data, "cannot be seen"));
	weir_text_release(&text);
	text = write_text(fixture_gate_suspect(), 120, false);
	assert_has(&text, "one candidate run cannot prove a regression: measure two more\n");
	weir_text_release(&text);
}

static void waivers_are_always_said_and_so_is_that_they_expired(void **state)
{
	struct weir_text text = write_text(fixture_gate_regression(), 120, false);

	(void)state;
	assert_has(&text, "prefill p99 +8.0 %: fp8 fallback; up to 12 %, until 2027-01-31; "
	                  "https://example.org/7\n");
	assert_has(&text, "EXPIRED, no longer covers: old driver; up to 10 %, until");
	weir_text_release(&text);
}

static void a_bound_that_moved_is_said(void **state)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_text text;

	(void)state;
	result->candidate_bound = WEIR_BOUND_RUNTIME;
	text = write_text(result, 0, false);
	assert_has(&text, "bound of decode_graph: memory, now runtime · found by the overall "
	                  "shift\n");
	weir_text_release(&text);
}

static void what_stopped_the_gate_names_the_next_command(void **state)
{
	struct weir_text text = write_text(fixture_gate_regression(), 120, false);

	(void)state;
	assert_has(&text, "to accept it      put this into weir.json\n"
	                  "{\"version\": 1, \"waivers\": [\n"
	                  "  {\"scope\": \"operator:decode_graph/aten::copy_\",\n"
	                  "   \"up_to\": 0.49, \"reason\": \"say why\",\n"
	                  "   \"expires\": \"YYYY-MM-DD\"}]}\n");
	weir_text_release(&text);
	text = write_text(fixture_gate_no_baseline(), 120, false);
	assert_has(&text, "weir baseline record RUN... --name main-h200 (or weir gate "
	                  "--bootstrap");
	weir_text_release(&text);
}

static void a_bootstrap_does_not_say_that_nothing_is_there(void **state)
{
	struct weir_gate_result *result = fixture_gate_no_baseline();
	struct weir_text text;

	(void)state;
	result->exit_code = 0;
	text = write_text(result, 120, false);
	assert_has(&text, "no-baseline: these runs are now the baseline main-h200; later runs are "
	                  "compared with them\n");
	assert_has_not(&text, "to begin");
	weir_text_release(&text);
}

static void nothing_hostile_reaches_the_terminal(void **state)
{
	struct weir_text text = write_text(fixture_gate_hostile(), 0, true);

	(void)state;
	assert_has_not(&text, "\033");
	assert_has_not(&text, "\007");
	assert_has_not(&text, "\r");
	assert_has_not(&text, "\xe2\x80\xae");
	assert_has_not(&text, "\n::error");
	weir_text_release(&text);
}

static void thousands_of_rows_stay_a_page(void **state)
{
	struct weir_text text = write_text(fixture_gate_many(5000), 0, false);
	size_t lines = 0;

	(void)state;
	for (size_t i = 0; i < text.length; i++)
		lines += text.data[i] == '\n';
	assert_true(lines < 150);
	assert_has(&text, "more rows like these (--all)\n");
	weir_text_release(&text);
}

static void the_last_line_is_that_of_the_contract(void **state)
{
	struct weir_gate_result *result = fixture_gate_regression();
	struct weir_text text = {0};

	(void)state;
	weir_gate_last_line(result, &text);
	assert_string_equal(text.data, "weir: verdict=regression exit=1 regressions=3 judged=8");
	weir_text_release(&text);
	weir_gate_result_free(result);
}

static void assert_p(double p, const char *expected)
{
	struct weir_text text = {0};

	weir_gate_print_p(p, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void assert_change(double change, const char *expected)
{
	struct weir_text text = {0};

	weir_gate_print_change(change, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void assert_calls(double baseline, double candidate, const char *expected)
{
	struct weir_text text = {0};

	weir_gate_print_calls(baseline, candidate, &text);
	assert_string_equal(text.data ? text.data : "", expected);
	weir_text_release(&text);
}

static void assert_time_change(double delta_ns, const char *expected)
{
	struct weir_text text = {0};

	weir_gate_print_time_change(delta_ns, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void figures_have_the_digits_that_mean_something(void **state)
{
	(void)state;
	assert_p(0, "<1e-6");
	assert_p(4.2e-5, "4e-5");
	assert_p(9.7e-6, "1e-5");
	assert_p(9.4e-4, "9e-4");
	assert_p(9.6e-4, "0.001");
	assert_p(0.0123, "0.01");
	assert_p(1, "1.00");
	assert_p(NAN, "-");
	assert_calls(NAN, 1, "new, 1 call");
	assert_calls(26, NAN, "gone");
	assert_calls(26, 58, "26 -> 58 calls");
	assert_calls(4, 1, "4 -> 1 calls");
	assert_calls(1, 1, "1 call");
	assert_calls(NAN, NAN, "");
	assert_time_change(-2300, "-2.30 us");
	assert_time_change(2300, "+2.30 us");
	assert_change(0.047, "+4.7 %");
	assert_change(-0.0003, "-0.03 %");
	assert_change(1.314, "+131 %");
	assert_change(0, "+0.0 %");
	assert_change(NAN, "-");
}

static void writers_are_found_by_name_and_by_suffix(void **state)
{
	const struct weir_writer *writer = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_writer_find(WEIR_RESULT_GATE, "junit", &writer, &err), WEIR_OK);
	assert_string_equal(writer->name, "junit");
	assert_int_equal(weir_writer_for_path(WEIR_RESULT_GATE, "a/b.sarif", &writer, &err),
	                 WEIR_OK);
	assert_string_equal(writer->name, "sarif");
	assert_int_equal(weir_writer_find(WEIR_RESULT_GATE, "markdwn", &writer, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "did you mean \"markdown\"?"));
	assert_int_equal(weir_writer_for_path(WEIR_RESULT_GATE, "x.doc", &writer, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "known: .txt, .json, .md, .html, .xml, .sarif"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_answer),
		cmocka_unit_test(every_verdict_has_a_first_line_of_its_own),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(rows_that_fail_are_marked_and_the_others_counted),
		cmocka_unit_test(a_slower_stage_names_its_operators_in_time_and_calls),
		cmocka_unit_test(what_is_not_settled_says_what_would_settle_it),
		cmocka_unit_test(waivers_are_always_said_and_so_is_that_they_expired),
		cmocka_unit_test(a_bound_that_moved_is_said),
		cmocka_unit_test(what_stopped_the_gate_names_the_next_command),
		cmocka_unit_test(a_bootstrap_does_not_say_that_nothing_is_there),
		cmocka_unit_test(nothing_hostile_reaches_the_terminal),
		cmocka_unit_test(thousands_of_rows_stay_a_page),
		cmocka_unit_test(the_last_line_is_that_of_the_contract),
		cmocka_unit_test(figures_have_the_digits_that_mean_something),
		cmocka_unit_test(writers_are_found_by_name_and_by_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
