/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with requests as every writer shows them. */
#include <string.h>

#include "engine/analysis/rank/features.h"
#include "engine/report/json/stored.h"
#include "engine/report/plain/cost_text.h"
#include "engine/report/words/phrases.h"
#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/fixture_requests.h"
#include "tests/unit/near.h"

static struct weir_report *(*const makers[])(void) = {
	fixture_requests_typical, fixture_requests_with_timeline, fixture_requests_bare,
	fixture_requests_counted, fixture_requests_hostile,       NULL,
};

static struct weir_text write_as(const char *format, struct weir_report *report)
{
	struct weir_text text = fixture_write(format, report, 80, 0);

	fixture_report_free(report);
	return text;
}

static struct weir_text write_text(struct weir_report *report)
{
	return write_as("text", report);
}

static void the_context_says_how_requests_were_served(void **state)
{
	struct weir_text text = write_text(fixture_requests_typical());

	(void)state;
	assert_has(&text, "\n  479 requests in 8.00 s (59.9/s of 60/s offered) · 3 of 482 requests "
	                  "failed\n"
	                  "  p50 9.27 ms, p95 25.1 ms, p99 39.3 ms\n"
	                  "  batch size 1.42 (mean), 8 (max) · 26 % padding\n"
	                  "  compute stages active 10 % of the time\n"
	                  "  NVIDIA H200, 152 samples, utilisation 98 % · 694 of 700 W while "
	                  "busy\n  1,680 of 1,980 MHz while busy · throttled by power 97 %\n"
	                  "  2 inputs: requests + telemetry\n");
	assert_has_not(&text, "no device work recorded");
	weir_text_release(&text);
}

static void what_is_not_known_is_not_said(void **state)
{
	struct weir_text text = write_text(fixture_requests_bare());

	(void)state;
	assert_has(&text, "\n  a sample of 1 request (12.5/s offered), measured by the client · "
	                  "p50 2.50 s\n");
	assert_has(&text, "\nwarnings          none\n");
	assert_has_not(&text, "nan");
	assert_has_not(&text, "batches");
	assert_has_not(&text, "waiting");
	assert_has_not(&text, "bottleneck map");
	assert_has_not(&text, "where the time goes");
	weir_text_release(&text);
}

static void a_device_seen_beside_a_timeline_has_a_line_of_its_own(void **state)
{
	struct weir_text text = write_text(fixture_requests_with_timeline());

	(void)state;
	assert_has(&text, "\n  NVIDIA H200 · 30 steps of 3.35 ms (p50), 4.06 ms (p95) · ");
	assert_has(&text, "\n  479 requests in 8.00 s (59.9/s of 60/s offered)");
	assert_has(&text, "\nstages of the timeline ");
	assert_has_not(&text, "\nstages  ");
	weir_text_release(&text);
}

static void stages_beside_those_of_requests_say_what_they_are_of(void **state)
{
	struct weir_report *report = fixture_requests_with_timeline();
	struct weir_text text;

	(void)state;
	for (size_t i = 0; i < report->stage_count; i++)
		if (report->stages[i].view == WEIR_VIEW_TIMELINE)
			report->stages[i].view = WEIR_VIEW_SERIES;
	text = write_text(report);
	assert_has(&text, "\nstages of the run ");
	weir_text_release(&text);
}

static void shares_are_of_the_latency_at_the_percentile(void **state)
{
	struct weir_report *report = fixture_requests_typical();
	struct weir_text text;

	(void)state;
	report->percentile = 0.999;
	text = write_text(report);
	assert_has(&text, "share of p99.9 latency\n");
	weir_text_release(&text);
	text = write_as("html", fixture_requests_typical());
	assert_has(&text, "<span class=\"soft\">share of p95 latency</span>");
	weir_text_release(&text);
	text = write_as("markdown", fixture_requests_typical());
	assert_has(&text, "| bound | share of p95 latency | |\n");
	weir_text_release(&text);
}

static void the_map_holds_the_stages_in_their_order(void **state)
{
	struct weir_report *report = fixture_requests_typical();
	struct weir_text text = fixture_write("text", report, 86, 0);

	(void)state;
	fixture_report_free(report);
	assert_has(
		&text,
		"\nbottleneck map        p50      p95      p99  of p50  of p95  of p99  $/1k req  "
		"bound\n"
		"  tokenize        4.01 ms  4.47 ms  4.68 ms    41 %    17 %    11 %         0  "
		"runtime\n"
		"  queue           2.54 ms  17.5 ms  31.1 ms    33 %    61 %    78 %         0  "
		"runtime\n"
		"  compute         1.72 ms  6.17 ms  14.7 ms    26 %    22 %    11 %    0.0142  "
		"-\n");
	assert_has_not(&text, "\nstages");
	weir_text_release(&text);
}

static void what_does_not_fit_is_left_out_of_the_map(void **state)
{
	struct weir_text text = write_text(fixture_requests_typical());

	(void)state;
	assert_has(&text, "\nbottleneck map           p50      p95  of p50  of p95  of p99  "
	                  "$/1k req  bound\n");
	weir_text_release(&text);
}

static void time_between_stages_is_a_row_where_it_counts(void **state)
{
	struct weir_report *report = fixture_requests_typical();
	struct weir_text text;

	(void)state;
	report->requests.cost = NULL;
	report->stages[2].cost_usd = report->stages[1].cost_usd = report->stages[0].cost_usd = NAN;
	report->stages[3].p50_share = 0.0009;
	text = fixture_write("text", report, 80, 0);
	assert_has_not(&text, "between stages");
	weir_text_release(&text);
	report->stages[3].p99_share = 0.001;
	text = write_text(report);
	assert_has(&text, "\n  between stages ");
	assert_has(&text, "   0.1 %  -\n");
	weir_text_release(&text);
}

static void headers_follow_the_percentile(void **state)
{
	static const struct {
		double percentile;
		const char *headers;
	} cases[] = {
		{0.90, "  p50      p90      p99  of p50  of p90  of p99  $"},
		{0.99, "  p50      p99  of p50  of p99  "},
		{0.50, "  p50      p99  of p50  of p99  "},
		{0.975, "  p50      p99  of p50  of p97.5  of p99  "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_report *report = fixture_requests_typical();
		struct weir_text text;

		report->percentile = cases[i].percentile;
		text = fixture_write("text", report, 100, 0);
		fixture_report_free(report);
		assert_has(&text, cases[i].headers);
		weir_text_release(&text);
	}
}

/* 78 columns: 17 % of them end at 13.3, 78 % at 60.9. */
static void the_path_reads_without_colour(void **state)
{
	struct weir_text text = write_text(fixture_requests_typical()), path = {0};

	(void)state;
	weir_text_puts(&path, "\nfrom arrival to response");
	weir_text_repeat(&path, " ", 28);
	weir_text_puts(&path, "requests around p95, 25.1 ms\n  tokenize     queue 61 %");
	weir_text_repeat(&path, " ", 38);
	weir_text_puts(&path, "compute 22 %\n  ");
	weir_text_repeat(&path, "█", 13);
	weir_text_repeat(&path, "░", 48);
	weir_text_repeat(&path, "█", 17);
	weir_text_puts(&path, "\n");
	assert_has(&text, path.data);
	weir_text_release(&text);
	weir_text_release(&path);
}

static void shares_that_add_up_to_more_stay_on_the_line(void **state)
{
	struct weir_report *report = fixture_requests_typical();
	struct weir_text text;

	(void)state;
	for (size_t i = 0; i < report->stage_count; i++)
		report->stages[i].p95_share = i == 1 ? -4 : 1e18;
	text = fixture_write("text", report, 80, 0);
	assert_fits(&text, 80);
	weir_text_release(&text);
	text = write_as("html", report);
	assert_balanced(&text);
	weir_text_release(&text);
}

static void the_lines_below_say_what_it_costs_and_why_it_waits(void **state)
{
	struct weir_text text = write_text(fixture_requests_typical());

	(void)state;
	assert_has(&text, "\nqueueing          during computation 6 % · during copies 1 %\n"
	                  "                  during host work 81 % · while all was idle 11 %\n");
	assert_has(&text, "\nbatches           p50 1 · p95 2.20 · 23 % full while requests wait\n");
	assert_has(&text, "\nTTFT              p50 4.20 ms, p95 9.10 ms, p99 12.5 ms\n");
	assert_has(&text, "\ngoodput           57.2 requests/s within the latency targets\n"
	                  "                  96 % of all requests\n");
	assert_has(&text,
	           "\ncost              $0.0148 per 1,000 requests: $0.0142 busy, $0.0037 of that"
	           "\n                  padding, $0.0006 idle\n"
	           "                  $0.116 per million tokens · 8.64 million tokens for $1\n"
	           "                  $3.20 per GPU hour (weir.json) · $0.00711 in total\n"
	           "                  stages cover 76 % of the busy time; their costs are "
	           "scaled to\n                  all of it\n");
	assert_has(&text, "\ntelemetry         utilisation of busy samples 99 %");
	assert_has(&text, "\nnotes             the monitor's clock was moved by -2 h\n"
	                  "                  the monitor saw an idle device\n");
	weir_text_release(&text);
}

static void clauses_show_both_sides(void **state)
{
	struct weir_text text = write_text(fixture_requests_typical());

	(void)state;
	assert_has(&text, "path host 0.66 >= 0.33\n");
	assert_has(&text, "path host 0.66 >= path max 0.66\n");
	assert_has(&text, "flat step ratio not known\n");
	weir_text_release(&text);
}

static void assert_clause(const char *clause, size_t readings, const double *values,
                          const char *expected)
{
	static const char *const features[] = {"a_share", "b", "c"};
	struct weir_evidence evidence = {.clause = clause, .reading_count = readings};
	struct weir_text text = {0};

	for (size_t i = 0; i < readings; i++)
		evidence.readings[i] = (struct weir_reading){features[i], values[i]};
	weir_phrase_clause(NULL, &evidence, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void clauses_show_their_figures_in_place(void **state)
{
	static const double known[] = {0.25, 0.5, 0.75};

	(void)state;
	assert_clause("a_share < 0.5 * b", 2, known, "a share 0.25 < 0.5 * b 0.50");
	assert_clause("a_share * b >= 0.20", 2, known, "a share 0.25 * b 0.50 >= 0.20");
	assert_clause("a_share < 0.2 OR b < 0.4", 2, known, "a share 0.25 < 0.2 or b 0.50 < 0.4");
	assert_clause("(a_share > b)", 2, known, "a share 0.25 > b 0.50");
	assert_clause("NOT a_share > 0.2 AND (b < 0.4 OR c > 1)", 3, known,
	              "not a share 0.25 > 0.2 and (b 0.50 < 0.4 or c 0.75 > 1)");
	assert_clause("a_share BETWEEN 0.1 AND 0.3", 1, known, "a share 0.25 between 0.1 and 0.3");
	assert_clause("abs(a_share - b) > c", 3, known, "abs(a share 0.25 - b 0.50) > c 0.75");
	assert_clause("max(a_share + 1, b) > c", 3, known,
	              "max(a share 0.25 + 1, b 0.50) > c 0.75");
}

/* The clauses of the catalogue, with the phrases of the features. */
static void assert_worded(const char *clause, const char *a, double a_value, const char *b,
                          double b_value, const char *expected)
{
	struct weir_evidence evidence = {.clause = clause, .reading_count = b ? 2 : 1};
	struct weir_text text = {0};

	evidence.readings[0] = (struct weir_reading){a, a_value};
	evidence.readings[1] = (struct weir_reading){b, b_value};
	weir_phrase_clause(&weir_features, &evidence, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void a_clause_is_a_phrase(void **state)
{
	(void)state;
	assert_worded("late_of_runtime >= 0.50", "late_of_runtime", 0.921, NULL, 0,
	              "92 % of runtime is late launches (at least 50 %)");
	assert_worded("share_kernel < 0.30", "share_kernel", 0.2996, NULL, 0,
	              "29.96 % of the time in slow kernels (less than 30 %)");
	assert_worded("kernel_ns < 10000", "kernel_ns", 3100, NULL, 0,
	              "3.10 us is the mean kernel (less than 10 us)");
	assert_worded("matrix_units_idle = 0", "matrix_units_idle", 0, NULL, 0,
	              "not a matrix product on the vector units");
	assert_worded("is_transfer + is_local_copy = 0", "is_transfer", 0, "is_local_copy", 0,
	              "not a copy between devices or host, not a copy within the device");
	assert_worded("exposed_wait_host >= 0.5 * exposed_wait", "exposed_wait_host", 0.21,
	              "exposed_wait", 0.22,
	              "21 % of the time waiting in collectives for a late host, at least half of "
	              "22 % waiting in collectives for the last rank");
	assert_worded("share_memory >= share_runtime", "share_memory", 0.47, "share_runtime", 0.38,
	              "47 % of the time in memory, against 38 % in the runtime");
	assert_worded("power_capped >= 0.50", "power_capped", NAN, NULL, 0,
	              "not known: clocks limited by power, as a share of the time in which the "
	              "monitor saw the device in use");
}

static void every_feature_has_a_phrase(void **state)
{
	(void)state;
	for (size_t i = 0; i < weir_features.count; i++) {
		assert_non_null(weir_features.items[i].phrase);
		assert_null(strchr(weir_features.items[i].phrase, '_'));
	}
}

static void of_a_choice_the_decisive_feature_is_shown(void **state)
{
	static const double known[] = {0.25, 0.5, 0.75};

	(void)state;
	assert_clause("c >= max(a_share, b)", 3, known, "c 0.75 >= b 0.50");
	assert_clause("c >= min(a_share, b)", 3, known, "c 0.75 >= a share 0.25");
	assert_clause("coalesce(a_share, b) < b", 2, known, "a share 0.25 < b 0.50");
	assert_clause("max(a_share, 0.3) < b", 2, known, "0.3 < b 0.50");
}

static void of_alternatives_the_first_that_holds_is_shown(void **state)
{
	static const double known[] = {0.25, 0.5, 0.75};

	(void)state;
	assert_clause("a_share < 0.2 OR b < 0.9", 2, known, "b 0.50 < 0.9");
	assert_clause("a_share < 0.3 OR b < 0.9", 2, known, "a share 0.25 < 0.3");
	assert_clause("a_share < 0.2 OR (b < 0.9 AND c > 0.7)", 3, known,
	              "b 0.50 < 0.9 and c 0.75 > 0.7");
	assert_clause("NOT a_share > 0.2 AND (b < 1 OR c > 1)", 3, known,
	              "not a share 0.25 > 0.2 and b 0.50 < 1");
}

static void an_unknown_feature_is_named_alone(void **state)
{
	static const double known[] = {0.25}, unknown[] = {NAN, 0.5, NAN};

	(void)state;
	assert_clause("coalesce(a_share, 0) > 0.9 OR coalesce(b, 0) > 0.9", 2, unknown,
	              "a share not known or b 0.50 > 0.9");
	assert_clause("coalesce(a_share, b) < 0.9", 2, unknown, "b 0.50 < 0.9");
	assert_clause("c >= min(a_share, b)", 3, unknown, "c not known");
	assert_clause("b >= max(a_share, b)", 2, unknown, "a share not known");
	assert_clause("a_share IS NULL", 1, unknown, "a share not known");
	assert_clause("a_share IS NULL", 1, known, "a share 0.25");
}

static void clauses_that_cannot_be_parsed_stay_as_they_are_written(void **state)
{
	static const double known[] = {0.25, 0.5};

	(void)state;
	assert_clause("a_share > b OR", 2, known, "a_share > b OR (a share 0.25, b 0.50)");
	assert_clause("a_share >", 1, known, "a_share > (a share 0.25)");
	assert_clause("CASE WHEN b > 0 THEN a_share END > 1", 2, known,
	              "CASE WHEN b > 0 THEN a_share END > 1 (a share 0.25, b 0.50)");
	assert_clause("a_share > b", 1, known, "a_share > b (a share 0.25)");
	assert_clause("a_share > \x1b[31m", 0, known, "a_share > \xef\xbf\xbd[31m");
}

static void bounds_of_quantiles_are_said_as_bounds(void **state)
{
	struct weir_text text = write_text(fixture_requests_counted());

	(void)state;
	assert_has(&text, "\n  metrics of a server\n");
	assert_has(&text, "\nserver stages ");
	assert_has(&text, " 433 ms ");
	assert_has(&text, " 800 ms to 2.50 s ");
	assert_has(&text, " >= 2.50 s\n"); /* the remark on wide buckets needs more columns */
	assert_has_not(&text, "inf");
	assert_fits(&text, 80);
	weir_text_release(&text);
	text = write_as("markdown", fixture_requests_counted());
	assert_tables_are_whole(text.data);
	assert_has(&text, "| <code>queue</code> | 8,120 | 433 ms | 411 ms (300 to 500 ms) | 1.20 s "
	                  "(800 ms to 2.50 s) | &#62;= 2.50 s | buckets too wide |\n");
	assert_has(&text,
	           "| <code>prefill</code> | 8,120 | 12.4 ms | &#60;= 10.0 ms | - | - |  |\n");
	weir_text_release(&text);
}

static void a_page_draws_the_path_of_three_percentiles(void **state)
{
	struct weir_text text = write_as("html", fixture_requests_typical());

	(void)state;
	assert_balanced(&text);
	assert_has(&text,
	           "<h2>Bottleneck map <span class=\"soft\">from arrival to response</span>");
	assert_has(&text, ">p50 9.27 ms</text>");
	assert_has(&text, ">p95 25.1 ms</text>");
	assert_has(&text, ">p99 39.3 ms</text>");
	assert_has(&text, "<title>queue: 61 % of p95, runtime</title></rect>");
	assert_has(&text, "<text x=\"6\" y=\"19\">queue 61 %</text></svg>");
	assert_has(&text, "<li><span class=\"swatch runtime\"></span>runtime</li>");
	assert_has(&text, "<th class=\"cell-p95-share right\" title=\"share of the latency of "
	                  "requests around this percentile\">of p95</th>");
	assert_has_not(&text, "between stages");
	weir_text_release(&text);
}

static void markdown_says_the_same(void **state)
{
	struct weir_text text = write_as("markdown", fixture_requests_typical());

	(void)state;
	assert_tables_are_whole(text.data);
	assert_has(&text, "### Bottleneck map\n\n| stage | p50 | p95 | p99 | of p50 | of p95 | of "
	                  "p99 | &#36;/1k req | bound | cause |\n"
	                  "|---|--:|--:|--:|--:|--:|--:|--:|---|---|\n");
	assert_has(&text,
	           "| <code>compute</code> | 1.72 ms | 6.17 ms | 14.7 ms | 26 % | 22 % | 11 % "
	           "| 0.0142 | - | - |\n");
	assert_has(&text, "\n- **notes**:\n  - the monitor");
	weir_text_release(&text);
}

static void assert_harmless(const struct weir_text *text)
{
	static const char *const parts[] = {"<img", "\033", "\xe2\x80\xae", "\xff"};

	for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
		assert_has_not(text, parts[i]);
}

static void texts_of_a_file_cannot_break_out(void **state)
{
	static const size_t widths[] = {60, 80, 120};
	struct weir_text text;

	(void)state;
	for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
		struct weir_report *report = fixture_requests_hostile();

		text = fixture_write("text", report, widths[i], 0);
		assert_fits(&text, widths[i]);
		assert_has_not(&text, "\033");
		assert_has_not(&text, "\xe2\x80\xae");
		weir_text_release(&text);
		fixture_report_free(report);
	}
	text = write_as("markdown", fixture_requests_hostile());
	assert_harmless(&text);
	assert_has_not(&text, "<script");
	assert_has_not(&text, "@");
	assert_tables_are_whole(text.data);
	weir_text_release(&text);
	text = write_as("html", fixture_requests_hostile());
	assert_harmless(&text);
	assert_one_script(&text);
	assert_balanced(&text);
	weir_text_release(&text);
}

static void no_line_is_wider_than_the_terminal(void **state)
{
	(void)state;
	for (size_t i = 0; makers[i]; i++) {
		for (size_t width = 60; width <= 120; width += 7) {
			struct weir_report *report = makers[i]();
			struct weir_text text = fixture_write("text", report, width, 0);

			assert_fits(&text, width);
			weir_text_release(&text);
			fixture_report_free(report);
		}
	}
}

static void assert_same_document(const char *format, const struct weir_report *direct,
                                 const struct weir_report *stored)
{
	struct weir_text before = fixture_write(format, direct, 80, 0);
	struct weir_text after = fixture_write(format, stored, 80, 0);

	assert_int_equal(before.length, after.length); /* stacks of no timeline: no line */
	if (before.length > 0)
		assert_string_equal(before.data, after.data);
	weir_text_release(&before);
	weir_text_release(&after);
}

/* Timelines keep more than is stored: samples, and the main kernel of an operator. */
static void a_stored_result_renders_the_same(void **state)
{
	(void)state;
	for (size_t i = 0; makers[i]; i++) {
		struct weir_report *report = makers[i]();
		struct weir_text json = fixture_write("json", report, 80, 0);
		struct weir_stored_report *stored = NULL;
		struct weir_error err = {0};

		if (weir_stored_report_parse(json.data, json.length, report->feature_table, &stored,
		                             &err))
			fail_msg("%s", err.message);
		assert_same_document("json", report, stored->report);
		for (const struct weir_writer *writer = weir_writers; writer->name; writer++)
			if (writer->report && makers[i] != fixture_requests_with_timeline)
				assert_same_document(writer->name, report, stored->report);
		weir_stored_report_free(stored);
		weir_text_release(&json);
		fixture_report_free(report);
	}
}

static void assert_amount(double amount, const char *expected)
{
	struct weir_text text = {0};

	weir_cost_text_number(amount, NAN, &text);
	assert_string_equal(text.data, expected);
	weir_text_release(&text);
}

static void amounts_have_the_digits_that_mean_something(void **state)
{
	(void)state;
	assert_amount(0, "0");
	assert_amount(3.2, "3.20");
	assert_amount(12.345, "12.35");
	assert_amount(999.994, "999.99");
	assert_amount(999.995, "1,000");
	assert_amount(1204.4, "1,204");
	assert_amount(0.2841, "0.284");
	assert_amount(0.02841, "0.0284");
	assert_amount(0.00000012, "0.00000012");
	assert_amount(1e300, "1e+300");
	assert_amount(NAN, "-");
	assert_amount(INFINITY, "-");
}

static void small_costs_are_of_many_requests(void **state)
{
	static const struct {
		double per_request;
		const char *words;
	} cases[] = {{0.01, "per request"},           {0.0099, "per 1,000 requests"},
	             {0.00001, "per 1,000 requests"}, {0.0000099, "per million requests"},
	             {NAN, "per 1,000 requests"},     {0, "per 1,000 requests"}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
		struct weir_cost cost = {.per_request = cases[i].per_request};

		assert_string_equal(weir_cost_text_scale(&cost).words, cases[i].words);
	}
	assert_string_equal(weir_cost_text_scale(NULL).words, "per 1,000 requests");
}

static void other_currencies_are_named(void **state)
{
	struct weir_report *report = fixture_requests_typical();
	struct weir_cost *cost = (struct weir_cost *)report->requests.cost;
	struct weir_text text;

	(void)state;
	cost->currency = "CHF";
	text = fixture_write("text", report, 80, 0);
	assert_has(&text, "CHF 3.20 per GPU hour");
	weir_text_release(&text);
	cost->currency = "EUR";
	text = write_text(report);
	assert_has(&text, "  €/1k req  bound\n");
	weir_text_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_context_says_how_requests_were_served),
		cmocka_unit_test(what_is_not_known_is_not_said),
		cmocka_unit_test(a_device_seen_beside_a_timeline_has_a_line_of_its_own),
		cmocka_unit_test(stages_beside_those_of_requests_say_what_they_are_of),
		cmocka_unit_test(shares_are_of_the_latency_at_the_percentile),
		cmocka_unit_test(the_map_holds_the_stages_in_their_order),
		cmocka_unit_test(what_does_not_fit_is_left_out_of_the_map),
		cmocka_unit_test(time_between_stages_is_a_row_where_it_counts),
		cmocka_unit_test(headers_follow_the_percentile),
		cmocka_unit_test(the_path_reads_without_colour),
		cmocka_unit_test(shares_that_add_up_to_more_stay_on_the_line),
		cmocka_unit_test(the_lines_below_say_what_it_costs_and_why_it_waits),
		cmocka_unit_test(clauses_show_both_sides),
		cmocka_unit_test(clauses_show_their_figures_in_place),
		cmocka_unit_test(a_clause_is_a_phrase),
		cmocka_unit_test(every_feature_has_a_phrase),
		cmocka_unit_test(of_a_choice_the_decisive_feature_is_shown),
		cmocka_unit_test(of_alternatives_the_first_that_holds_is_shown),
		cmocka_unit_test(an_unknown_feature_is_named_alone),
		cmocka_unit_test(clauses_that_cannot_be_parsed_stay_as_they_are_written),
		cmocka_unit_test(bounds_of_quantiles_are_said_as_bounds),
		cmocka_unit_test(a_page_draws_the_path_of_three_percentiles),
		cmocka_unit_test(markdown_says_the_same),
		cmocka_unit_test(texts_of_a_file_cannot_break_out),
		cmocka_unit_test(no_line_is_wider_than_the_terminal),
		cmocka_unit_test(a_stored_result_renders_the_same),
		cmocka_unit_test(amounts_have_the_digits_that_mean_something),
		cmocka_unit_test(small_costs_are_of_many_requests),
		cmocka_unit_test(other_currencies_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
