/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Graphs in reports: written in every format and read back from JSON. */
#include <stdlib.h>
#include <string.h>

#include "engine/report/json/stored.h"
#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"
#include "tests/unit/near.h"

#define HOSTILE "<b>a|b</b>\n\x1b[31m"

static struct weir_graph_position positions[] = {
	{.kernel = "nvjet_64x8",
         .kind = "gemm",
         .op = "aten::mm",
         .blocks = 96,
         .threads_per_block = 384,
         .duration = {30, 30e4, 9e3, 9.5e3, 9.6e3, 9.9e3},
         .share = 0.995,
         .flops = 2e8,
         .bytes = 25e6,
         .tflops = 22.2,
         .gbps = 2777,
         .efficiency = 0.64,
         .roofline = WEIR_ROOFLINE_MEMORY},
	{.kernel = HOSTILE,
         .kind = "other",
         .stream = 1,
         .offset_ns = 1e4,
         .gap_ns = 500,
         .duration = {30, 3e3, 100, 110, 120, NAN},
         .share = 0.005,
         .flops = NAN,
         .bytes = NAN,
         .tflops = NAN,
         .gbps = NAN,
         .efficiency = NAN},
};

static struct weir_graph_row graphs[] = {
	{.signature = "0123456789abcdef",
         .stage = "decode",
         .source = "trace.json",
         .replays = 30,
         .nodes = 2,
         .streams = 2,
         .matched = 1,
         .confidence = WEIR_CONFIDENCE_MEDIUM,
         .share = 0.75,
         .span = {30, NAN, 9.6e3, 9.7e3, 9.8e3, 9.9e3},
         .busy = {30, NAN, 9.1e3, 9.2e3, 9.3e3, 9.4e3},
         .idle = {30, NAN, 480, 490, 500, 510},
         .gap_p50_ns = 500,
         .unrecorded_ns = 0,
         .widest = 1,
         .positions = positions,
         .position_count = 2},
	{.signature = "fedcba9876543210",
         .replays = 1,
         .nodes = 20000,
         .streams = 1,
         .share = 0.001,
         .span = {1, NAN, 100, NAN, NAN, NAN},
         .busy = {1, NAN, 100, NAN, NAN, NAN},
         .idle = {1, NAN, 0, NAN, NAN, NAN},
         .gap_p50_ns = NAN,
         .unrecorded_ns = NAN,
         .widest = NAN},
};

static struct weir_text write(const char *format)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text out;

	report->graphs = graphs;
	report->graph_count = sizeof graphs / sizeof *graphs;
	out = fixture_write(format, report, 80, 0);
	fixture_report_free(report);
	return out;
}

static void what_is_read_back_is_written_byte_for_byte(void **state)
{
	struct weir_text first = write("json"), second;
	struct weir_stored_report *stored;
	struct weir_error err;

	(void)state;
	assert_int_equal(weir_stored_report_parse(first.data, first.length, NULL, &stored, &err),
	                 WEIR_OK);
	assert_int_equal(stored->report->graph_count, 2);
	assert_int_equal(stored->report->graphs[0].positions[0].duration.count, 30);
	assert_int_equal(stored->report->graphs[1].position_count, 0);
	second = fixture_write("json", stored->report, 80, 0);
	assert_string_equal(first.data, second.data);
	weir_stored_report_free(stored);
	weir_text_release(&first);
	weir_text_release(&second);
}

static void assert_refused(const char *from, const char *to, const char *message)
{
	struct weir_text json = write("json"), text = {0};
	const char *at = strstr(json.data, from);
	struct weir_stored_report *stored = NULL;
	struct weir_error err = {0};

	assert_non_null(at);
	weir_text_add(&text, json.data, (size_t)(at - json.data));
	weir_text_puts(&text, to);
	weir_text_puts(&text, at + strlen(from));
	assert_int_equal(weir_stored_report_parse(text.data, text.length, NULL, &stored, &err),
	                 WEIR_E_FORMAT);
	if (!strstr(err.message, message)) {
		print_error("%s\ndoes not say: %s\n", err.message, message);
		fail();
	}
	weir_text_release(&json);
	weir_text_release(&text);
}

static void what_is_no_graph_names_its_place(void **state)
{
	(void)state;
	assert_refused("\"signature\": \"0123456789abcdef\"", "\"signature\": null", "graphs[0]");
	assert_refused("\"kernel\": \"nvjet_64x8\"", "\"kernel\": 7", "graphs[0]: positions[0]");
	assert_refused("\"confidence\": \"medium\"", "\"confidence\": \"sure\"", "graphs[0]");
	assert_refused("\"replays\": 30", "\"replays\": -1", "replays");
}

static void people_see_graphs_and_pages_their_positions(void **state)
{
	struct weir_text text = write("text"), page = write("html");
	struct weir_text markdown = write("markdown");

	(void)state;
	assert_has(&text, "\ngraphs ");
	assert_has(&text, "  decode ");
	assert_has(&text, "50 %, medium");
	assert_has_not(&text, "positions in graphs");
	assert_has(&markdown, "decode");
	assert_has_not(&markdown, "ositions in graphs");
	assert_has(&page, "Positions in graphs");
	assert_has(&page, "#0 aten::mm");
	assert_has(&page, "64 % DRAM");
	assert_has_not(&page, "#1 "); /* half a per cent of its graph */
	assert_has_not(&page, "<b>a|b</b>");
	weir_text_release(&text);
	weir_text_release(&page);
	weir_text_release(&markdown);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_read_back_is_written_byte_for_byte),
		cmocka_unit_test(what_is_no_graph_names_its_place),
		cmocka_unit_test(people_see_graphs_and_pages_their_positions),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
