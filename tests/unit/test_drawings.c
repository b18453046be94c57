/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Flame graph, folded stacks, speedscope and annotated trace on a small hand-made detail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/json.h"
#include "tests/unit/document.h"
#include "tests/unit/fixture_report.h"

#define HOSTILE "a;b \"]]></script><script>alert(1)</script>\n\x1b[31m\xff\\"

static struct weir_flame_frame frames[] = {
	{"device", WEIR_FLAME_NOBODY, 0, WEIR_FLAME_ROOT, 1000, 0},
	{"decode", 0, 1, WEIR_FLAME_STAGE, 1000, 0},
	{HOSTILE, 1, 2, WEIR_FLAME_OPERATOR, 700, 0},
	{"gemm", 2, 3, WEIR_FLAME_KERNEL, 700, 700},
	{"idle: python", 1, 2, WEIR_FLAME_IDLE, 300, 300},
	{"host", WEIR_FLAME_NOBODY, 0, WEIR_FLAME_ROOT, 2000, 500},
	{"gemm", 5, 1, WEIR_FLAME_OPERATOR, 1500, 1500},
};

static struct weir_detail_track tracks[] = {
	{WEIR_DETAIL_STAGES, 0, 0, "stages of thread 1"},
	{WEIR_DETAIL_IDLE, 0, 0, "idle time of device 0"},
	{WEIR_DETAIL_WAITS, 1, 0, "collective waits of stream 7"},
};

static struct weir_detail_span spans[] = {
	{INT64_C(1700000000000000123), INT64_C(1700000000000002000), "decode", NULL, 0, 0, 0},
	{INT64_C(1700000000000000124), INT64_C(1700000000001000125), "python", NULL, 1, 0, 0},
	{INT64_C(1700000000000000200), INT64_C(1700000000000000300), HOSTILE, HOSTILE, 2,
         UINT32_MAX, 0},
};

static const struct weir_detail detail = {
	.flame = {frames, sizeof frames / sizeof *frames},
	.tracks = tracks,
	.track_count = sizeof tracks / sizeof *tracks,
	.spans = spans,
	.span_count = sizeof spans / sizeof *spans,
	.left_out = 5,
};

static struct weir_text draw(const char *format, const struct weir_detail *what)
{
	struct weir_report *report = fixture_report_typical();
	struct weir_text out;

	report->detail = what;
	out = fixture_write(format, report, 80, 0);
	fixture_report_free(report);
	return out;
}

static cJSON *parse(const struct weir_text *text)
{
	struct weir_error err;
	cJSON *document;

	assert_int_equal(weir_json_parse(text->data, text->length, &document, &err), WEIR_OK);
	return document;
}

static void folded_weights_add_up_to_the_roots(void **state)
{
	struct weir_text out = draw("folded", &detail);
	long long sum = 0;
	size_t lines = 0;

	(void)state;
	for (const char *line = out.data; *line; line = strchr(line, '\n') + 1) {
		const char *end = strchr(line, '\n'), *blank = end;

		while (*blank != ' ')
			blank--;
		sum += strtoll(blank, NULL, 10);
		lines++;
	}
	assert_int_equal(sum, 3000);
	assert_int_equal(lines, 4);
	assert_has(&out, "device;decode;idle: python 300\n");
	assert_has(&out, "host 500\nhost;gemm 1500\n");
	assert_has(&out, "device;decode;a:b ");
	weir_text_release(&out);
}

static void speedscope_has_a_profile_for_each_root(void **state)
{
	struct weir_text out = draw("speedscope", &detail);
	cJSON *document = parse(&out), *profiles, *names;

	(void)state;
	names = cJSON_GetObjectItem(cJSON_GetObjectItem(document, "shared"), "frames");
	profiles = cJSON_GetObjectItem(document, "profiles");
	assert_int_equal(cJSON_GetArraySize(names), 6); /* gemm is one frame */
	assert_int_equal(cJSON_GetArraySize(profiles), 2);
	for (int p = 0; p < 2; p++) {
		const cJSON *profile = cJSON_GetArrayItem(profiles, p), *weight;
		double sum = 0;

		assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(profile, "samples")), 2);
		cJSON_ArrayForEach (weight, cJSON_GetObjectItem(profile, "weights"))
			sum += weight->valuedouble;
		assert_near(sum, cJSON_GetObjectItem(profile, "endValue")->valuedouble, 0);
	}
	cJSON_Delete(document);
	weir_text_release(&out);
}

static void annotated_times_are_exact_and_stages_carry_their_verdict(void **state)
{
	struct weir_text out = draw("annotated", &detail);
	cJSON *document = parse(&out);

	(void)state;
	assert_has(&out, "\"cat\":\"stage\",\"pid\":1,\"tid\":1,\"ts\":0.000,\"dur\":1.877");
	assert_has(&out, "\"cat\":\"idle\",\"pid\":1,\"tid\":2,\"ts\":0.001,\"dur\":1000.001");
	assert_has(&out, "\"bound\":");
	assert_has(&out, "\"spans_left_out\":5");
	assert_has(&out, "\"name\":\"rank 1\"");
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(document, "traceEvents")),
	                 2 + 2 * 3 + 3);
	cJSON_Delete(document);
	weir_text_release(&out);
}

static size_t times(const struct weir_text *text, const char *part)
{
	size_t count = 0;

	for (const char *at = text->data; (at = strstr(at, part)); at++)
		count++;
	return count;
}

static const struct weir_detail_track launch_tracks[] = {
	{WEIR_DETAIL_HOST, 0, 0, "calls of thread 1"},
	{WEIR_DETAIL_WORK, 0, 0, "device 0 work of stream 7"},
};

/* Launch 1 has both ends; the limit of spans took the work of launch 2. */
static const struct weir_detail_span launch_spans[] = {
	{1000, 3000, "cudaLaunchKernel", NULL, 0, UINT32_MAX, 1},
	{4000, 6000, "cudaLaunchKernel", NULL, 0, UINT32_MAX, 2},
	{5000, 9000, "gemm", NULL, 1, UINT32_MAX, 1},
};

static void a_launch_is_a_flow_if_both_ends_are_drawn(void **state)
{
	const struct weir_detail launches = {.tracks = (struct weir_detail_track *)launch_tracks,
	                                     .track_count = 2,
	                                     .spans = (struct weir_detail_span *)launch_spans,
	                                     .span_count = 3,
	                                     .flow_count = 2};
	struct weir_text out = draw("annotated", &launches);

	(void)state;
	assert_has(&out, "{\"ph\":\"s\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":1,\"pid\":1,"
	                 "\"tid\":1,\"ts\":0.000}");
	assert_has(&out, "{\"ph\":\"f\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":1,\"pid\":1,"
	                 "\"tid\":2,\"bp\":\"e\",\"ts\":4.000}");
	assert_int_equal(times(&out, "\"cat\":\"launch\""), 2);
	weir_text_release(&out);
}

/* Equal values are written once, and the last window is followed by 0. */
static void a_counter_is_written_where_it_changes(void **state)
{
	static double value[WEIR_DETAIL_WINDOWS];
	struct weir_detail_counter counter = {0,    "queue depth of device 0", "launches", 2000, 10,
	                                      value};
	const struct weir_detail detail_of_counter = {
		.tracks = (struct weir_detail_track *)launch_tracks,
		.track_count = 2,
		.spans = (struct weir_detail_span *)launch_spans,
		.span_count = 1,
		.counters = &counter,
		.counter_count = 1,
	};
	struct weir_text out;

	(void)state;
	value[0] = value[1] = 2.5;
	out = draw("annotated", &detail_of_counter);
	assert_has(&out, "{\"ph\":\"C\",\"name\":\"queue depth of device 0\",\"pid\":1,\"tid\":0,"
	                 "\"ts\":1.000,\"args\":{\"launches\":2.5}}");
	assert_has(&out, "\"ts\":1.020,\"args\":{\"launches\":0}}");
	assert_has(&out, "\"ts\":11.000,\"args\":{\"launches\":0}}");
	assert_int_equal(times(&out, "\"ph\":\"C\""), 3);
	weir_text_release(&out);
}

static void a_flame_graph_loads_nothing_and_lets_no_name_out(void **state)
{
	struct weir_text out = draw("flame", &detail);

	(void)state;
	assert_int_equal(times(&out, "<rect"), 1 + sizeof frames / sizeof *frames);
	assert_int_equal(times(&out, "<script"), 1);
	assert_int_equal(times(&out, "]]>"), 1);
	assert_int_equal(times(&out, "<g"), times(&out, "</g>"));
	assert_has(&out, "&#60;script&#62;alert(1)");
	assert_has_not(&out, "\x1b");
	assert_has_not(&out, "\xff");
	assert_has_not(&out, "href");
	assert_has_not(&out, "url(");
	assert_has_not(&out, "src=");
	assert_has(&out, "<g id=\"device\">");
	weir_text_release(&out);
}

static void a_report_without_detail_is_an_empty_document(void **state)
{
	struct weir_text json = draw("speedscope", NULL);
	struct weir_text trace = draw("annotated", NULL);
	struct weir_text svg = draw("flame", NULL);

	(void)state;
	cJSON_Delete(parse(&json));
	cJSON_Delete(parse(&trace));
	assert_has(&svg, "</svg>");
	weir_text_release(&json);
	weir_text_release(&trace);
	weir_text_release(&svg);
}

static void the_longest_suffix_picks_the_writer(void **state)
{
	static const struct {
		const char *path;
		const char *format;
	} cases[] = {
		{"flame.svg", "flame"},
		{"stacks.folded", "folded"},
		{"out/run.speedscope.json", "speedscope"},
		{"out/speedscope.json", "speedscope"},
		{"speedscope.json", "speedscope"},
		{"annotated.json", "annotated"},
		{"a.annotated.json", "annotated"},
		{"notannotated.json", "json"},
		{"speedscope.json.json", "json"},
		{"annotated.json/r.json", "json"},
		{"trace.perfetto.json", "annotated"},
		{"out/perfetto.json", "annotated"},
		{"x.annotated.json.gz", "annotated"},
		{"out/annotated.json.gz", "annotated"},
		{"trace.perfetto.json.gz", "annotated"},
		{"notannotated.json.gz", "json"},
		{"report.html.gz", "html"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct weir_writer *writer;
		struct weir_error err;

		assert_int_equal(
			weir_writer_for_path(WEIR_RESULT_REPORT, cases[i].path, &writer, &err),
			WEIR_OK);
		assert_string_equal(writer->name, cases[i].format);
	}
}

static void a_suffix_alone_names_no_writer(void **state)
{
	static const char *const paths[] = {".gz",      "x.gz",        "json.gz",
	                                    ".json.gz", "perfetto.gz", "x"};

	(void)state;
	for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
		const struct weir_writer *writer;
		struct weir_error err = {0};

		assert_int_equal(weir_writer_for_path(WEIR_RESULT_REPORT, paths[i], &writer, &err),
		                 WEIR_E_USAGE);
		assert_non_null(strstr(err.message, ".gz after it compresses"));
	}
}

static void only_the_last_suffix_compresses(void **state)
{
	(void)state;
	assert_true(weir_writer_compresses("x.json.gz"));
	assert_false(weir_writer_compresses("x.gz.json"));
	assert_false(weir_writer_compresses(".gz"));
	assert_false(weir_writer_compresses("gz"));
	assert_false(weir_writer_compresses(""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_weights_add_up_to_the_roots),
		cmocka_unit_test(speedscope_has_a_profile_for_each_root),
		cmocka_unit_test(annotated_times_are_exact_and_stages_carry_their_verdict),
		cmocka_unit_test(a_flame_graph_loads_nothing_and_lets_no_name_out),
		cmocka_unit_test(a_launch_is_a_flow_if_both_ends_are_drawn),
		cmocka_unit_test(a_counter_is_written_where_it_changes),
		cmocka_unit_test(a_report_without_detail_is_an_empty_document),
		cmocka_unit_test(the_longest_suffix_picks_the_writer),
		cmocka_unit_test(a_suffix_alone_names_no_writer),
		cmocka_unit_test(only_the_last_suffix_compresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
