/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

static struct weir_text write_text(struct weir_report *report, size_t width, size_t top)
{
	struct weir_text text = fixture_write("text", report, width, top);

	fixture_report_free(report);
	return text;
}

static void the_first_line_is_the_answer(void **state)
{
	static const char answer[] =
		"runtime-bound: the GPU waits for the host 86 % of the time (host-dispatch)\n";
	struct weir_text text = write_text(fixture_report_typical(), 80, 0);

	(void)state;
	assert_memory_equal(text.data, answer, strlen(answer));
	weir_text_release(&text);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	static const size_t widths[] = {60, 72, 80, 81, 100, 120};

	(void)state;
	for (size_t i = 0; i < sizeof(widths) / sizeof(widths[0]); i++) {
		struct weir_text text = write_text(fixture_report_typical(), widths[i], 0);

		assert_fits(&text, widths[i]);
		weir_text_release(&text);
		text = write_text(fixture_report_hostile(), widths[i], 0);
		assert_fits(&text, widths[i]);
		weir_text_release(&text);
	}
}

static void a_width_nobody_can_read_is_held_within_bounds(void **state)
{
	struct weir_text narrow = write_text(fixture_report_typical(), 1, 0);
	struct weir_text wide = write_text(fixture_report_typical(), 100000, 0);

	(void)state;
	assert_fits(&narrow, 60);
	assert_fits(&wide, 120);
	weir_text_release(&narrow);
	weir_text_release(&wide);
}

static void clauses_show_what_was_measured_in_its_unit(void **state)
{
	struct weir_text text = write_text(fixture_report_typical(), 80, 0);

	(void)state;
	assert_has(&text, "rule runtime/host-dispatch   gpu active 0.13 < 0.60\n");
	assert_has(&text, "kernel p50 2.61 us < 10 us");
	assert_has(&text, "kernels per step 243 > 100");
	assert_has(&text, "kernels_per_step * gpu_active > 5 OR has_graphs");
	assert_has(&text, "(kernels per step 243, gpu active 0.13)");
	weir_text_release(&text);
}

static void a_value_next_to_its_threshold_gets_the_digits_to_tell(void **state)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text text;

	(void)state;
	report->verdict.evidence[0].readings[0].value = 0.5996;
	report->verdict.evidence[1].readings[0].value = NAN;
	report->verdict.evidence[3].clause = "graph_share < 0.05";
	report->verdict.evidence[3].readings[0] = (struct weir_reading){"graph_share", 0.0042};
	text = write_text(report, 80, 0);
	assert_has(&text, "graph share 0.004 < 0.05");
	assert_has(&text, "gpu active 0.5996 < 0.60");
	assert_has(&text, "idle host late not known");
	weir_text_release(&text);
}

/* The report whose first stage and operator have this name. */
static struct weir_text write_named(const char *name, size_t width)
{
	struct weir_report *report = fixture_report_typical();

	report->stages[0].name = name;
	report->operators[0].name = name;
	return write_text(report, width, 0);
}

/* Returns the text with every `from` replaced by `to`. */
static struct weir_text replaced(const struct weir_text *text, const char *from, const char *to)
{
	struct weir_text out = {0};
	const char *at = text->data, *next;

	for (; (next = strstr(at, from)) != NULL; at = next + strlen(from)) {
		weir_text_add(&out, at, (size_t)(next - at));
		weir_text_puts(&out, to);
	}
	weir_text_puts(&out, at);
	return out;
}

static void tables_line_up_under_wide_characters(void **state)
{
	static const char *const pairs[][2] = {
		{"解碼", "wide"}, {"디코드", "sixsix"}, {"e\xcc\x81t\xcc\x81", "et"}};

	(void)state;
	for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
		struct weir_text wide = write_named(pairs[i][0], 80),
				 plain = write_named(pairs[i][1], 80),
				 same = replaced(&wide, pairs[i][0], pairs[i][1]);

		assert_string_equal(same.data, plain.data);
		weir_text_release(&wide);
		weir_text_release(&plain);
		weir_text_release(&same);
	}
}

static void shares_come_largest_first_and_without_the_empty_ones(void **state)
{
	struct weir_text text = write_text(fixture_report_typical(), 80, 0);
	const char *runtime = strstr(text.data, "\n  runtime "),
		   *memory = strstr(text.data, "\n  memory ");
	const char *rest = strstr(text.data, "\n  unattributed ");

	(void)state;
	assert_non_null(runtime);
	assert_true(runtime < memory && memory < rest);
	assert_has_not(&text, "\n  batching ");
	weir_text_release(&text);
}

static void bars_are_as_long_as_their_shares(void **state)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text text, expected = {0};

	(void)state;
	report->attribution = (struct weir_attribution){{0}, 1000};
	report->attribution.ns[WEIR_BOUND_RUNTIME] = 600;
	report->attribution.ns[WEIR_BOUND_KERNEL] = 399;
	report->attribution.ns[WEIR_BOUND_MEMORY] = 1;
	text = write_text(report, 80,
	                  0); /* 55 columns are a whole: 33, 21.945 and less than an eighth */
	weir_text_puts(&expected, "\n  runtime        ");
	weir_text_repeat(&expected, "█", 33);
	weir_text_repeat(&expected, "░", 22);
	weir_text_puts(&expected, "    60 %\n  kernel         ");
	weir_text_repeat(&expected, "█", 22);
	weir_text_repeat(&expected, " ", 33);
	weir_text_puts(&expected, "    40 %\n  memory         ▏");
	weir_text_repeat(&expected, " ", 54);
	weir_text_puts(&expected, "   0.1 %\n");
	assert_has(&text, expected.data);
	weir_text_release(&text);
	weir_text_release(&expected);
}

static void top_says_how_many_it_leaves_out(void **state)
{
	struct weir_text some = write_text(fixture_report_typical(), 80, 3);
	struct weir_text all = write_text(fixture_report_typical(), 80, 14);

	(void)state;
	assert_has(&some, "\n  ... 11 more (--top 14)\n");
	assert_has_not(&some, "aten::elementwise_3");
	assert_has(&all, "aten::elementwise_13");
	assert_has_not(&all, "more (--top");
	weir_text_release(&some);
	weir_text_release(&all);
}

static void a_sketch_shows_where_two_humps_are(void **state)
{
	struct weir_text text = write_text(fixture_report_typical(), 80, 0);

	(void)state;
	assert_has(&text, "▆██▂  ▃▃");
	weir_text_release(&text);
}

static void a_recommendation_says_what_it_can_gain_here(void **state)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text text;

	(void)state;
	report->recommendations[1].low = report->recommendations[1].high = 1.05;
	report->recommendations[1].limit = 1.05;
	text = write_text(report, 120, 0);
	assert_has(&text, "1. capture the decode step in a CUDA graph: predicted step 1.35 ms "
	                  "(1.20 ms to 1.50 ms), 6.0x faster\n");
	assert_has(&text, "     where  aten::mm [[8, 4096], [4096, 4096]] (sgemm) in "
	                  "model.py(12): forward: 96 calls, 410 us, 5 %\n");
	assert_null(strstr(text.data, "fill: 20.0 us")); /* the worst place alone */
	assert_has(&text, "     how    torch.compile(model, mode=\"reduce-overhead\")\n");
	assert_has(&text, "     basis  the step's 243 kernels with 0.5 us between them\n");
	assert_has(&text, "     needs  a step without synchronisation: not met, first "
	                  "remove-syncs\n            the same kernels in each step: unknown\n");
	assert_has(&text, "     costs  effort days, change of results: none\n");
	assert_has(&text, "     or     compile\n");
	assert_has(&text, "243 kernels of 2.61 us are launched");
	assert_has(&text, "2. fuse small operators (torch.compile): typical 1.05x\n");
	assert_has(
		&text,
		"fewer, longer kernels {{as written}}"); /* finished texts are not expanded again */
	assert_has(&text, "3. pin the host thread\n");
	weir_text_release(&text);
}

/* Returns the text of a prediction for a step that took `factor` times the unprofiled one. */
static struct weir_text predict_beside(double factor)
{
	struct weir_report *report = fixture_report_typical();

	report->recommendations[0].title = "graph"; /* one line holds it all */
	report->iteration.p50_ns = 8100000 * factor;
	return write_text(report, 120, 0);
}

static void a_prediction_names_the_unprofiled_step_that_it_shortens(void **state)
{
	struct weir_text text = predict_beside(1.06);

	(void)state;
	assert_has(&text, "6.0x faster than about 8.10 ms without the profiler");
	weir_text_release(&text);
	text = predict_beside(1.04);
	assert_has(&text, "6.0x faster\n");
	weir_text_release(&text);
}

static void warnings_are_sentences_with_counts(void **state)
{
	struct weir_text text = write_text(fixture_report_typical(), 120, 0);

	(void)state;
	assert_has(&text, "1,204 elements that cannot be read as events were skipped");
	assert_has(&text, "first at byte 88,120: ts is text");
	assert_has(&text, "ProfilerStep#4: warm-up: 9.6 ms against a median of 2.9 ms\n");
	weir_text_release(&text);
}

static void what_is_not_known_is_not_said(void **state)
{
	struct weir_text text = write_text(fixture_report_minimal(), 80, 0);

	(void)state;
	assert_string_equal(text.data, "undetermined: the evidence is insufficient\n"
	                               "\n"
	                               "  no device work recorded\n"
	                               "  next  record the device as well: activities=[CPU, CUDA]\n"
	                               "\n"
	                               "warnings          none\n");
	weir_text_release(&text);
}

static void names_cannot_steer_the_terminal(void **state)
{
	struct weir_text text = write_text(fixture_report_hostile(), 80, 0);

	(void)state;
	for (size_t i = 0; i < text.length; i++)
		assert_true((unsigned char)text.data[i] >= 0x20 || text.data[i] == '\n');
	assert_has_not(&text, "\xe2\x80\xae"); /* right-to-left override */
	assert_has_not(&text, "\xc2\x9b");     /* the control sequence introducer of C1 */
	assert_has_not(&text, "\xff");
	assert_has(&text, "(no name)");
	weir_text_release(&text);
}

/* Takes "ESC [ ... m" out of a text. */
static void strip_colour(struct weir_text *text)
{
	size_t kept = 0;

	for (size_t i = 0; i < text->length; i++) {
		if (text->data[i] == '\033')
			i += strcspn(text->data + i, "m");
		else
			text->data[kept++] = text->data[i];
	}
	text->data[kept] = '\0';
	text->length = kept;
}

static void colour_adds_nothing_but_colour(void **state)
{
	struct weir_report *report = fixture_report_typical();
	const struct weir_write_options options = {.width = 80, .colour = true};
	struct weir_text plain = fixture_write("text", report, 80, 0), coloured = {0};

	(void)state;
	weir_write_report_text(report, &options, &coloured);
	assert_has(&coloured, "\033[1;33mruntime-bound:\033[0m");
	assert_has_not(&plain, "\033");
	strip_colour(&coloured);
	assert_string_equal(coloured.data, plain.data);
	weir_text_release(&plain);
	weir_text_release(&coloured);
	fixture_report_free(report);
}

static void writers_are_found_by_name_and_by_suffix(void **state)
{
	const struct weir_writer *writer = NULL;
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(weir_writer_find(WEIR_RESULT_REPORT, "markdown", &writer, &err), WEIR_OK);
	assert_string_equal(writer->name, "markdown");
	assert_int_equal(weir_writer_for_path(WEIR_RESULT_REPORT, "out/report.html", &writer, &err),
	                 WEIR_OK);
	assert_string_equal(writer->name, "html");
	assert_int_equal(weir_writer_find(WEIR_RESULT_REPORT, "markdwon", &writer, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, "did you mean \"markdown\"?"));
	assert_int_equal(weir_writer_for_path(WEIR_RESULT_REPORT, ".json", &writer, &err),
	                 WEIR_E_USAGE);
	assert_non_null(strstr(err.message, ".txt, .json, .md, .html"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_answer),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(a_width_nobody_can_read_is_held_within_bounds),
		cmocka_unit_test(clauses_show_what_was_measured_in_its_unit),
		cmocka_unit_test(a_value_next_to_its_threshold_gets_the_digits_to_tell),
		cmocka_unit_test(tables_line_up_under_wide_characters),
		cmocka_unit_test(shares_come_largest_first_and_without_the_empty_ones),
		cmocka_unit_test(bars_are_as_long_as_their_shares),
		cmocka_unit_test(top_says_how_many_it_leaves_out),
		cmocka_unit_test(a_sketch_shows_where_two_humps_are),
		cmocka_unit_test(a_recommendation_says_what_it_can_gain_here),
		cmocka_unit_test(a_prediction_names_the_unprofiled_step_that_it_shortens),
		cmocka_unit_test(warnings_are_sentences_with_counts),
		cmocka_unit_test(what_is_not_known_is_not_said),
		cmocka_unit_test(names_cannot_steer_the_terminal),
		cmocka_unit_test(colour_adds_nothing_but_colour),
		cmocka_unit_test(writers_are_found_by_name_and_by_suffix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
