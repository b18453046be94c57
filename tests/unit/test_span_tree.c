/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests trees of spans of every shape, and the requests that they become. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "engine/readers/requests/span_join.h"
#include "engine/readers/requests/span_requests.h"
#include "engine/readers/requests/span_tree.h"
#include "tests/unit/request_lines.h"

#define MANY  1000000u
#define TWICE INT64_C(2000000)

/* Spans of one trace, added by hand. */
struct forest {
	struct weir_profile *profile;
	struct weir_input *input;
	struct weir_spans spans;
	struct weir_text lines;
};

static struct forest forest_new(void)
{
	struct forest forest = {.profile = weir_profile_new()};

	forest.input = weir_profile_add_input(forest.profile, "test");
	weir_spans_init(&forest.spans, forest.input, 0);
	weir_spans_add_resource(&forest.spans);
	return forest;
}

static void forest_free(struct forest *forest)
{
	weir_spans_release(&forest->spans);
	weir_profile_free(forest->profile);
	weir_text_release(&forest->lines);
}

static struct weir_span span_of(uint64_t id, uint64_t parent, const char *name, int64_t start,
                                int64_t end)
{
	struct weir_span span;

	weir_span_clear(&span);
	span.trace[1] = 1;
	span.id = id;
	span.parent = parent;
	span.name = weir_slice_of(name);
	span.start_ns = LINES_BASE + start;
	span.end_ns = LINES_BASE + end;
	return span;
}

static void add(struct forest *forest, uint64_t id, uint64_t parent, const char *name,
                int64_t start, int64_t end)
{
	struct weir_span span = span_of(id, parent, name, start, end);

	assert_int_equal(weir_spans_add(&forest->spans, &span, NULL), WEIR_OK);
}

/* Adds a span of a service; 0 is the first. */
static void add_of(struct forest *forest, const char *service, struct weir_span span)
{
	span.resource = weir_spans_add_resource(&forest->spans);
	forest->spans.resources[span.resource].service =
		weir_names_add(forest->spans.names, service, strlen(service));
	assert_int_equal(weir_spans_add(&forest->spans, &span, NULL), WEIR_OK);
}

/* Expects the requests of the forest, "START+LENGTH: NAME@OFFSET+LENGTH ...", and frees it. */
static void expect(struct forest *forest, const char *lines)
{
	struct weir_error err = {0};
	const struct weir_requests *requests;

	if (weir_span_requests_build(&forest->spans, "", &err))
		fail_msg("%s", err.message);
	requests = forest->input->requests;
	for (size_t i = 0; i < requests->count; i++) {
		weir_text_printf(&forest->lines, "%" PRId64 "+%" PRId64 ":",
		                 requests->start_ns[i] - LINES_BASE,
		                 requests->end_ns[i] - requests->start_ns[i]);
		for (size_t j = 0; j < requests->part_count[i]; j++) {
			uint64_t part = requests->part_first[i] + j;

			weir_text_printf(
				&forest->lines, " %s@%" PRId64 "+%" PRId64,
				weir_requests_stage_name(requests, requests->part_stage[part]),
				requests->part_offset_ns[part], requests->part_ns[part]);
		}
		weir_text_puts(&forest->lines, "\n");
	}
	assert_string_equal(forest->lines.data, lines);
}

static uint64_t warned(const struct forest *forest, enum weir_warning_code code)
{
	return forest->input->warnings[code].count;
}

static void own_time_is_the_time_outside_of_children(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, 100000);
	add(&forest, 2, 1, "a", 10000, 50000);
	add(&forest, 3, 1, "b", 40000, 60000); /* overlaps a: the union counts, not the sum */
	add(&forest, 4, 1, "c", 45000, 48000); /* within a and b */
	add(&forest, 5, 2, "inner", 20000, 30000);
	expect(&forest, "0+100000: request@0+10000 request@60000+40000 a@10000+10000 "
	                "a@30000+20000 inner@20000+10000 b@40000+20000 c@45000+3000\n");
	forest_free(&forest);
}

static void a_root_covered_except_for_clock_readings_adds_nothing(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, 100999);
	add(&forest, 2, 1, "a", 0, 50000);
	add(&forest, 3, 1, "b", 50000, 100000);
	expect(&forest, "0+100999: a@0+50000 b@50000+50000\n");
	forest_free(&forest);
	forest = forest_new();
	add(&forest, 1, 0, "request", 0, 101000);
	add(&forest, 2, 1, "a", 0, 50000);
	add(&forest, 3, 1, "b", 50000, 100000);
	expect(&forest, "0+101000: request@100000+1000 a@0+50000 b@50000+50000\n");
	forest_free(&forest);
}

static void a_child_longer_than_its_parent_leaves_it_no_negative_time(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 10000, 100000);
	add(&forest, 2, 1, "inner", 20000, 30000);
	add(&forest, 3, 2, "async", 15000, 500000); /* outlasts its parent and the request */
	expect(&forest, "10000+90000: request@0+10000 request@20000+70000 async@5000+85000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 0);
	forest_free(&forest);
}

static void a_span_of_no_length_is_kept(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, 0);
	expect(&forest, "0+0: request@0+0\n");
	forest_free(&forest);
	forest = forest_new();
	add(&forest, 1, 0, "request", 0, 5000);
	add(&forest, 2, 1, "mark", 2000, 2000);
	expect(&forest, "0+5000: request@0+2000 request@2000+3000 mark@2000+0\n");
	forest_free(&forest);
}

static void an_orphan_becomes_a_request(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 2, 99, "orphan", 0, 10);
	add(&forest, 3, 2, "leaf", 0, 10);
	add(&forest, 4, 4, "own parent", 15, 20);
	expect(&forest, "0+10: leaf@0+10\n15+5: own parent@0+5\n");
	assert_int_equal(warned(&forest, WEIR_WARN_ORPHAN_SPAN), 2);
	assert_int_equal(warned(&forest, WEIR_WARN_SHARED_TRACE), 1);
	forest_free(&forest);
}

/* Expects the requests of the forest, and the numbers of traces that were joined and were not. */
static void expect_joined(struct forest *forest, const char *lines, uint64_t joined,
                          uint64_t shared)
{
	expect(forest, lines);
	assert_int_equal(warned(forest, WEIR_WARN_JOINED_SPANS), joined);
	assert_int_equal(warned(forest, WEIR_WARN_SHARED_TRACE), shared);
	forest_free(forest);
}

static void roots_of_one_trace_that_overlap_are_one_request(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "work", 0, 3000);
	add(&forest, 2, 99, "store", 2999, 5000); /* 1 ns together with the first */
	add(&forest, 3, 2, "leaf", 3000, 5000);
	add(&forest, 4, 98, "check", 4000, 4500);
	expect_joined(&forest, "0+5000: work@0+3000 store@2999+1 leaf@3000+2000 check@4000+500\n",
	              1, 0);
	forest = forest_new();
	add(&forest, 1, 0, "work", 0, 3000);
	add(&forest, 2, 0, "store", 3000, 5000); /* one after the other */
	expect_joined(&forest, "0+3000: work@0+3000\n3000+2000: store@0+2000\n", 0, 1);
	forest = forest_new();
	add(&forest, 1, 0, "work", 0, 0);
	add(&forest, 2, 0, "store", 0, 2000); /* no length, but the same start */
	expect_joined(&forest, "0+2000: work@0+0 store@0+2000\n", 1, 0);
}

static void a_joined_request_failed_if_one_of_its_spans_did(void **state)
{
	struct forest forest = forest_new();
	struct weir_span failed = span_of(2, 0, "store", 1000, 4000);

	(void)state;
	failed.outcome.error = true;
	add(&forest, 1, 0, "work", 0, 3000);
	assert_int_equal(weir_spans_add(&forest.spans, &failed, NULL), WEIR_OK);
	expect(&forest, "0+4000: work@0+3000 store@1000+3000\n");
	assert_true(forest.input->requests->all_failed);
	assert_int_equal(forest.input->events, 2);
	forest_free(&forest);
}

static void roots_of_one_name_are_requests_of_their_own(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 99, "work", 0, 3000);
	add(&forest, 2, 99, "work", 1000, 4000);
	expect_joined(&forest, "0+3000: work@0+3000\n1000+3000: work@0+3000\n", 0, 1);
	forest = forest_new();
	add_of(&forest, "front", span_of(1, 99, "work", 0, 3000));
	add_of(&forest, "back", span_of(2, 99, "work", 1000, 4000));
	expect_joined(&forest, "0+4000: work@0+3000 work@1000+3000\n", 1, 0);
}

/* The root of a load generator may hold the requests of a server. */
static void roots_of_a_server_are_requests_of_their_own(void **state)
{
	struct weir_span first = span_of(1, 99, "embed", 0, 3000);
	struct weir_span second = span_of(2, 99, "chat", 1000, 4000);
	struct forest forest = forest_new();

	(void)state;
	first.kind = WEIR_SPAN_SERVER;
	second.kind = WEIR_SPAN_CONSUMER;
	assert_int_equal(weir_spans_add(&forest.spans, &first, NULL), WEIR_OK);
	assert_int_equal(weir_spans_add(&forest.spans, &second, NULL), WEIR_OK);
	expect_joined(&forest, "0+3000: embed@0+3000\n1000+3000: chat@0+3000\n", 0, 0);
	forest = forest_new();
	second.kind = WEIR_SPAN_INTERNAL;
	assert_int_equal(weir_spans_add(&forest.spans, &first, NULL), WEIR_OK);
	assert_int_equal(weir_spans_add(&forest.spans, &second, NULL), WEIR_OK);
	expect_joined(&forest, "0+4000: embed@0+3000 chat@1000+3000\n", 1, 0);
	forest = forest_new();
	add(&forest, 3, 99, "log", 500, 3500);
	second.kind = WEIR_SPAN_SERVER;
	assert_int_equal(weir_spans_add(&forest.spans, &first, NULL), WEIR_OK);
	assert_int_equal(weir_spans_add(&forest.spans, &second, NULL), WEIR_OK);
	expect_joined(&forest,
	              "0+3000: embed@0+3000\n500+3000: log@0+3000\n1000+3000: chat@0+3000\n", 0, 1);
}

static void a_trace_of_many_roots_is_no_single_request(void **state)
{
	(void)state;
	for (uint64_t roots = WEIR_SPAN_MAX_JOINED; roots <= WEIR_SPAN_MAX_JOINED + 1; roots++) {
		bool joined = roots == WEIR_SPAN_MAX_JOINED;
		struct forest forest = forest_new();
		char name[16];

		for (uint64_t i = 0; i < roots; i++) {
			snprintf(name, sizeof name, "span %" PRIu64, i);
			add(&forest, i + 1, 0, name, 0, 5000);
		}
		assert_int_equal(weir_span_requests_build(&forest.spans, "", NULL), WEIR_OK);
		assert_int_equal(forest.input->requests->count, joined ? 1 : roots);
		assert_int_equal(warned(&forest, WEIR_WARN_JOINED_SPANS), joined ? 1 : 0);
		forest_free(&forest);
	}
}

static void spans_that_an_export_repeats_count_once(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, 10);
	add(&forest, 2, 1, "leaf", 0, 10);
	add(&forest, 2, 1, "leaf", 0, 10);
	add(&forest, 1, 0, "request", 0, 10);
	add(&forest, 2, 1, "leaf", 0, 10);
	expect(&forest, "0+10: leaf@0+10\n");
	assert_int_equal(warned(&forest, WEIR_WARN_DUPLICATE), 3);
	forest_free(&forest);
}

static void other_spans_of_the_same_id_are_kept(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, 10);
	add(&forest, 2, 1, "first", 0, 4);
	add(&forest, 2, 1, "second", 4, 10);
	expect(&forest, "0+10: first@0+4 second@4+6\n");
	assert_int_equal(warned(&forest, WEIR_WARN_DUPLICATE), 0);
	forest_free(&forest);
}

static void ids_of_other_traces_are_other_spans(void **state)
{
	struct forest forest = forest_new();
	struct weir_span other = span_of(1, 0, "other", 5, 10), child = span_of(2, 1, "b", 5, 10);

	(void)state;
	other.trace[0] = child.trace[0] = 7;
	add(&forest, 2, 1, "a", 0, 10);
	assert_int_equal(weir_spans_add(&forest.spans, &child, NULL), WEIR_OK);
	add(&forest, 1, 0, "request", 0, 10);
	assert_int_equal(weir_spans_add(&forest.spans, &other, NULL), WEIR_OK);
	expect(&forest, "0+10: a@0+10\n5+5: b@0+5\n");
	assert_int_equal(warned(&forest, WEIR_WARN_ORPHAN_SPAN), 0);
	forest_free(&forest);
}

/* Jaeger's rule: a shorter child moves to the middle of its parent. */
static void a_child_of_another_service_is_centred_with_its_subtree(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add_of(&forest, "front", span_of(1, 0, "request", 0, 100000));
	add_of(&forest, "back", span_of(2, 1, "infer", 500000, 560000));
	add_of(&forest, "back", span_of(3, 2, "compute", 510000, 540000));
	expect(&forest, "0+100000: request@0+20000 request@80000+20000 infer@20000+10000 "
	                "infer@60000+20000 compute@30000+30000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 1);
	forest_free(&forest);
}

static void a_longer_child_is_moved_only_to_its_parents_start(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add_of(&forest, "front", span_of(1, 0, "request", 50000, 100000));
	add_of(&forest, "back", span_of(2, 1, "early", 0, 80000));
	expect(&forest, "50000+50000: early@0+50000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 1);
	forest_free(&forest);
	forest = forest_new();
	add_of(&forest, "front", span_of(1, 0, "request", 50000, 100000));
	add_of(&forest, "back", span_of(2, 1, "late", 60000, 180000));
	expect(&forest, "50000+50000: request@0+10000 late@10000+40000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 0);
	forest_free(&forest);
}

static void a_service_called_back_keeps_its_own_clock(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add_of(&forest, "front", span_of(1, 0, "request", 0, 100000));
	add_of(&forest, "back", span_of(2, 1, "infer", 500000, 580000));
	add_of(&forest, "front", span_of(3, 2, "callback", 30000, 40000));
	expect(&forest, "0+100000: request@0+10000 request@90000+10000 infer@10000+20000 "
	                "infer@40000+50000 callback@30000+10000\n");
	forest_free(&forest);
}

static void one_service_is_never_moved(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add_of(&forest, "front", span_of(1, 0, "request", 0, 100000));
	add_of(&forest, "front", span_of(2, 1, "async", 90000, 130000));
	expect(&forest, "0+100000: request@0+90000 async@90000+10000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 0);
	forest_free(&forest);
}

static void a_span_hours_away_is_not_moved(void **state)
{
	struct forest forest = forest_new();
	int64_t far = 2 * WEIR_SPAN_MAX_SKEW_NS;

	(void)state;
	add_of(&forest, "front", span_of(1, 0, "request", 0, 100000));
	add_of(&forest, "back", span_of(2, 1, "infer", far, far + 1000));
	expect(&forest, "0+100000: request@0+100000\n");
	assert_int_equal(warned(&forest, WEIR_WARN_CLOCK_SKEW), 0);
	assert_int_equal(warned(&forest, WEIR_WARN_INCONSISTENT), 1);
	forest_free(&forest);
}

static void a_circle_of_parents_begins_with_the_earliest(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 9, 3, "outside", 40, 50);
	add(&forest, 1, 3, "late", 30, 60);
	add(&forest, 2, 1, "later", 40, 50);
	add(&forest, 3, 2, "earliest", 20, 90000);
	expect(&forest, "20+89980: earliest@0+10 earliest@40+89940 late@10+10 late@30+10 "
	                "later@20+10 outside@20+10\n");
	assert_int_equal(warned(&forest, WEIR_WARN_ORPHAN_SPAN), 1);
	forest_free(&forest);
}

/* Returns the seconds of processor time to build the forest; n * n steps would take far longer. */
static double build_seconds(struct forest *forest)
{
	clock_t before = clock();

	assert_int_equal(weir_span_requests_build(&forest->spans, "", NULL), WEIR_OK);
	return (double)(clock() - before) / CLOCKS_PER_SEC;
}

static int64_t sum_of_parts(const struct weir_requests *requests)
{
	int64_t sum = 0;

	for (size_t i = 0; i < requests->parts; i++)
		sum += requests->part_ns[i];
	return sum;
}

static void a_million_children_are_one_request(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	add(&forest, 1, 0, "request", 0, MANY);
	for (uint32_t i = MANY; i > 0; i--)
		add(&forest, i + 1, 1, i % 2 ? "odd" : "even", i - 1, i);
	assert_true(build_seconds(&forest) < 30);
	assert_int_equal(forest.input->requests->count, 1);
	/* More pieces than a request has parts: one part per stage, and no time is lost. */
	assert_int_equal(forest.input->requests->parts, 2);
	assert_int_equal(sum_of_parts(forest.input->requests), MANY);
	forest_free(&forest);
}

static void a_million_levels_are_one_request(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	for (uint32_t i = 1; i <= MANY; i++)
		add(&forest, i, i - 1, "level", i, TWICE);
	assert_true(build_seconds(&forest) < 30);
	assert_int_equal(forest.input->requests->count, 1);
	/* Begins at 1: without the root's own nanosecond. */
	assert_int_equal(sum_of_parts(forest.input->requests), TWICE - 2);
	forest_free(&forest);
}

static void a_million_spans_of_one_id_end_soon(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	for (uint32_t i = 0; i < MANY; i++) {
		add(&forest, 5, 5 + i % 2, "x", i / 2, MANY); /* half of them are duplicates */
		add(&forest, 6, 5, "x", 3, MANY);
	}
	assert_true(build_seconds(&forest) < 60);
	assert_true(warned(&forest, WEIR_WARN_DUPLICATE) >= MANY - 1);
	forest_free(&forest);
}

static void circles_of_a_million_spans_are_cut_once(void **state)
{
	struct forest forest = forest_new();

	(void)state;
	for (uint32_t i = 1; i <= MANY; i++)
		add(&forest, i, i == 1 ? MANY : i - 1, "round", MANY - i, TWICE);
	assert_true(build_seconds(&forest) < 30);
	assert_int_equal(forest.input->requests->count, 1);
	assert_int_equal(warned(&forest, WEIR_WARN_ORPHAN_SPAN), 1);
	forest_free(&forest);
}

static void ids_are_read_in_every_spelling(void **state)
{
	static const struct {
		const char *text;
		uint64_t high, low; /* 0, 0: no id */
	} traces[] = {
		{"5B8EFFF798038103D269B633813FC60C", 0x5b8efff798038103, 0xd269b633813fc60c},
		{"W47/95gDgQPSabYzgT/GDA==", 0x5b8efff798038103, 0xd269b633813fc60c},
		{"af7651916cd43dd", 0, 0x0af7651916cd43dd},
		{"10af7651916cd43dd", 1, 0x0af7651916cd43dd},
		{"00000000000000000000000000000000", 0, 0},
		{"5b8efff798038103d269b633813fc60c0", 0, 0},
		{"5g", 0, 0},
		{"", 0, 0},
	};
	uint64_t trace[2], id;

	(void)state;
	for (size_t i = 0; i < sizeof traces / sizeof *traces; i++) {
		bool is_id = weir_span_parse_trace(weir_slice_of(traces[i].text), trace);

		assert_int_equal(is_id, (traces[i].high | traces[i].low) != 0);
		if (is_id && (trace[0] != traces[i].high || trace[1] != traces[i].low))
			fail_msg("%s is %" PRIx64 " %" PRIx64, traces[i].text, trace[0], trace[1]);
	}
	assert_true(weir_span_parse_id(weir_slice_of("7uGbfsPBsQE="), &id));
	assert_int_equal(id, 0xeee19b7ec3c1b101);
	assert_true(weir_span_parse_id(weir_slice_of("EEE19B7EC3C1B174"), &id));
	assert_int_equal(id, 0xeee19b7ec3c1b174);
	assert_false(weir_span_parse_id(weir_slice_of("0000000000000000"), &id));
	assert_false(weir_span_parse_id(weir_slice_of("7uGbfsPBsQ=="), &id));
}

static void kinds_are_read_in_every_spelling(void **state)
{
	static const struct {
		const char *text;
		enum weir_span_kind kind;
	} kinds[] = {
		{"3", WEIR_SPAN_CLIENT},      {"SPAN_KIND_SERVER", WEIR_SPAN_SERVER},
		{"CLIENT", WEIR_SPAN_CLIENT}, {"consumer", WEIR_SPAN_CONSUMER},
		{"9", WEIR_SPAN_UNSPECIFIED}, {"", WEIR_SPAN_UNSPECIFIED},
	};

	(void)state;
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		assert_int_equal(weir_span_parse_kind(weir_slice_of(kinds[i].text)), kinds[i].kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_time_is_the_time_outside_of_children),
		cmocka_unit_test(a_root_covered_except_for_clock_readings_adds_nothing),
		cmocka_unit_test(a_child_longer_than_its_parent_leaves_it_no_negative_time),
		cmocka_unit_test(a_span_of_no_length_is_kept),
		cmocka_unit_test(an_orphan_becomes_a_request),
		cmocka_unit_test(roots_of_one_trace_that_overlap_are_one_request),
		cmocka_unit_test(a_joined_request_failed_if_one_of_its_spans_did),
		cmocka_unit_test(roots_of_one_name_are_requests_of_their_own),
		cmocka_unit_test(roots_of_a_server_are_requests_of_their_own),
		cmocka_unit_test(a_trace_of_many_roots_is_no_single_request),
		cmocka_unit_test(spans_that_an_export_repeats_count_once),
		cmocka_unit_test(other_spans_of_the_same_id_are_kept),
		cmocka_unit_test(ids_of_other_traces_are_other_spans),
		cmocka_unit_test(a_child_of_another_service_is_centred_with_its_subtree),
		cmocka_unit_test(a_longer_child_is_moved_only_to_its_parents_start),
		cmocka_unit_test(a_service_called_back_keeps_its_own_clock),
		cmocka_unit_test(one_service_is_never_moved),
		cmocka_unit_test(a_span_hours_away_is_not_moved),
		cmocka_unit_test(a_circle_of_parents_begins_with_the_earliest),
		cmocka_unit_test(a_million_children_are_one_request),
		cmocka_unit_test(a_million_levels_are_one_request),
		cmocka_unit_test(a_million_spans_of_one_id_end_soon),
		cmocka_unit_test(circles_of_a_million_spans_are_cut_once),
		cmocka_unit_test(ids_are_read_in_every_spelling),
		cmocka_unit_test(kinds_are_read_in_every_spelling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
