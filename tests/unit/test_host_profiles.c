/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/base/text.h"
#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

#define FOLDED     (&weir_reader_folded)
#define PERF       (&weir_reader_perf_script)
#define SPEEDSCOPE (&weir_reader_speedscope)
#define CPROFILE   (&weir_reader_cprofile)

static void expect(const struct weir_reader *reader, const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();

	expect_functions(reading_of(reader, text, profile)->host_profile, expected);
	weir_profile_free(profile);
}

static void expect_warned(const struct weir_reader *reader, const char *text,
                          enum weir_warning_code code, unsigned count)
{
	struct weir_profile *profile = weir_profile_new();

	assert_int_equal(reading_of(reader, text, profile)->warnings[code].count, count);
	weir_profile_free(profile);
}

/* ---- folded ---- */

static void folded_stacks_add_up_by_function(void **state)
{
	(void)state;
	expect(FOLDED, "a;b;c 1\na;b;c 1\r\na;b;d 4\n\n# x 5\na;b;c 3\na;b 5",
	       "a [] 0/14\nb [] 5/14\nc [] 5/5\nd [] 4/4\n");
}

static void the_name_of_a_process_is_no_function(void **state)
{
	(void)state;
	expect(FOLDED, "app;[unknown];f 1\napp;__libc_start_main;main;g 2\n",
	       "[unknown] [] 0/1\nf [] 1/1\n__libc_start_main [] 0/2\nmain [] 0/2\ng [] 2/2\n");
	expect(FOLDED, "app;main 1\napp 2\n", "app [] 2/3\nmain [] 1/1\n");
	expect(FOLDED, "_start;main 1\n", "_start [] 0/1\nmain [] 1/1\n");
	expect(FOLDED, "app;f;main 1\n", "app [] 0/1\nf [] 0/1\nmain [] 1/1\n");
}

static void few_samples_are_noted(void **state)
{
	static const struct {
		const char *text;
		bool noted;
	} cases[] = {
		{"a;b 99\n", true},
		{"a;b 100\n", false},
		{"# unit: samples\na;b 1\n", true},
		{"# unit: ns\na;b 1\n", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_report *report;

		reading_of(FOLDED, cases[i].text, profile);
		report = weir_report_new(profile);
		weir_fill_host_functions(profile, report);
		assert_int_equal(report->note_count, cases[i].noted);
		weir_report_free(report);
		weir_profile_free(profile);
	}
}

/* Frames in common with the line before are not looked up again. */
static void neighbouring_stacks_may_begin_alike(void **state)
{
	static const struct {
		const char *text, *functions;
	} cases[] = {
		{"a;b 1\na;b;c 2\na;b 4\n", "a [] 0/7\nb [] 5/7\nc [] 2/2\n"},
		{"ab;c 1\na;c 2\n", "ab [] 0/1\nc [] 3/3\na [] 0/2\n"},
		{"a;c 1\nab;c 2\n", "a [] 0/1\nc [] 3/3\nab [] 0/2\n"},
		{"a;bc 1\na;b;c 2\n", "a [] 0/3\nbc [] 1/1\nb [] 0/2\nc [] 2/2\n"},
		{"a;;b 1\na;b 2\na; 4\n", "a [] 4/7\nb [] 3/3\n"},
		{"a;b;a;b 1\na;b;b;b 2\n", "a [] 0/3\nb [] 3/3\n"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		expect(FOLDED, cases[i].text, cases[i].functions);
}

static void a_function_that_calls_itself_counts_once(void **state)
{
	(void)state;
	expect(FOLDED, "a;b;a;b;a 7\na;b 1\n", "a [] 7/8\nb [] 1/8\n");
}

static void frames_hold_blanks_and_the_count_is_behind_the_last(void **state)
{
	(void)state;
	expect(FOLDED, "main;operator() (std::vector<int, std::allocator<int> >) 3\n",
	       "main [] 0/3\noperator() (std::vector<int, std::allocator<int> >) [] 3/3\n");
}

static void of_a_difference_the_later_number_counts(void **state)
{
	(void)state;
	expect(FOLDED, "a;b 10 12\n", "a [] 0/12\nb [] 12/12\n");
}

static void lines_of_a_file_are_one_function(void **state)
{
	(void)state;
	expect(FOLDED, "f (/home/someone/x.py:3);g (x.py:9) 1\nf (x.py:4) 2\nx.py(8): f 4\n",
	       "f [x.py] 6/7\ng [x.py] 1/1\n");
}

static void lines_that_are_no_stacks_are_counted(void **state)
{
	(void)state;
	expect_warned(FOLDED, "a;b 1\na line\nc -3\n;;; 4\n5\n", WEIR_WARN_SKIPPED_EVENT, 4);
	reading_refuses(FOLDED, "a;b 0\n", WEIR_E_EMPTY, "no function has any time");
}

static void folded_stacks_count_what_a_comment_says(void **state)
{
	static const struct {
		const char *text;
		enum weir_host_unit unit;
	} cases[] = {
		{"a;b 1\n", WEIR_HOST_WEIGHT},
		{"# unit: ns\na;b 1\n", WEIR_HOST_NS},
		{"# made by hand\n# unit: samples \r\na;b 1\n", WEIR_HOST_SAMPLES},
		{"# unit: fortnights\na;b 1\n", WEIR_HOST_WEIGHT},
		{"# unit: nsnsnsnsnsnsnsnsnsnsnsnsns\na;b 1\n", WEIR_HOST_WEIGHT},
		{"a;b 1\n# unit: ns\na;b 1\n", WEIR_HOST_WEIGHT},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(reading_of(FOLDED, cases[i].text, profile)->host_profile->unit,
		                 cases[i].unit);
		assert_string_equal(reading_claims(cases[i].text), "folded");
		weir_profile_free(profile);
	}
}

/* Three functions, each once, with counts above 0. */
static void stacks_of_one_frame_are_known_by_all_their_lines(void **state)
{
	static const struct {
		const char *text, *format;
	} cases[] = {
		{"a 5\nb 3\nc 1\n", "folded"},
		{"a 5\nb 3\n", "none"},
		{"# kernel\na 5\r\nb 3\r\n\nc 1\r\n", "folded"},
		{"f(int, char const*)+0x1 5\nstd::map<int, int>::at 3\nc 1\nd\n", "folded"},
		{"a 5\nb 3\nc 0\n", "none"},
		{"a 5\nb 3\nc 1.5\n", "none"},
		{"a 5\nb 3\nc -1\n", "none"},
		{"a 5\nb 3\na 1\n", "none"},
		{"a: 5\nb: 3\nc: 1\n", "none"},
		{"a = 5\nb = 3\nc = 1\n", "none"},
		{"name count\na 5\nb 3\nc 1\n", "none"},
		{"the step 5\nb 3\nc 1\n", "none"},
		{"x{a=\"b\"} 5\nb 3\nc 1\n", "prometheus"},
		{"5\n6\n7\n", "none"},
		{"a,b 5\nc 3\nd, 1\n", "none"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (strcmp(reading_claims(cases[i].text), cases[i].format) != 0)
			fail_msg("%s: %s", cases[i].text, reading_claims(cases[i].text));
	expect(FOLDED, "a 5\nb 3\nc 1\n", "a [] 5/5\nb [] 3/3\nc [] 1/1\n");
}

static void deep_stacks_are_no_limit(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};
	const struct weir_host_profile *host;

	(void)state;
	weir_text_repeat(&text, "f;g;", 20000);
	weir_text_puts(&text, "f 1\n");
	host = reading_of(FOLDED, text.data, profile)->host_profile;
	assert_int_equal(host->node_count, 40002);
	expect_functions(host, "f [] 1/1\ng [] 0/1\n");
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* ---- perf script ---- */

static void perf_stacks_hang_below_their_program(void **state)
{
	(void)state;
	expect(PERF,
	       "w 7   788.624887:   1000 cpu-clock: \n\t 1156 leaf+0x2d (/opt/w)\n"
	       "\t 1187 main+0x15 (/opt/w)\n\n"
	       "w 7   788.634887:   500 cpu-clock: \n\t 11a5 main (/opt/w)\n",
	       "w [] 0/1500\nleaf [w] 1000/1000\nmain [w] 500/1500\n");
}

static void a_program_may_be_called_anything(void **state)
{
	static const char *const lines[] = {
		"Web Content 19145/19146 [002]   788.624887:   10 cycles:u: \n\t1 f (/x)\n",
		"kworker/0:1 12   788.644887:   10 cpu_core/cycles/: \n\t1 f (/x)\n",
		":1234 -1   788.644887123:   10 task-clock:ppp: \n\t1 f (/x)\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(reading_of(PERF, lines[i], profile)->host_profile->total, 10);
		assert_string_equal(reading_claims(lines[i]), "perf-script");
		weir_profile_free(profile);
	}
}

static void samples_may_come_without_a_time(void **state)
{
	static const char node[] = "node-v011 31912 cpu-clock: \n\t          7f0a12 a (/bin/x)\n"
				   "\t          7f1b34 main (/bin/x)\n\n";
	static const char *const lines[] = {
		"Web Content 19145/19146 [002] 10 cycles:u: \n\t1 f (/x)\n",
		"w 7 10 cpu_core/cycles/: \n\t1 f (/x)\n",
		":1234 -1 10 task-clock:ppp: 1 f (/x)\n",
	};

	(void)state;
	expect(PERF, node, "node-v011 [] 0/1\na [x] 1/1\nmain [x] 0/1\n");
	assert_string_equal(reading_claims(node), "perf-script");
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_int_equal(reading_of(PERF, lines[i], profile)->host_profile->total, 10);
		assert_string_equal(reading_claims(lines[i]), "perf-script");
		weir_profile_free(profile);
	}
	/* Other texts of this form have no frames. */
	assert_string_equal(reading_claims("node 31912 cpu-clock: \n"), "none");
	assert_string_equal(reading_claims("error 12 failed: at line 3\n"), "none");
	/* A file with times does not have samples without. */
	expect_warned(PERF,
	              "w 7 1.000001: 9 cpu-clock: \n\t1 f (/x)\n\nw 7 cpu-clock: \n\t1 f (/x)\n",
	              WEIR_WARN_SKIPPED_EVENT, 1);
}

static void clocks_count_time_and_samples_without_a_period_one_each(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_int_equal(reading_of(PERF, "w 7 1.000001: 9 cpu-clock: \n\t1 f (/x)\n", profile)
	                         ->host_profile->unit,
	                 WEIR_HOST_NS);
	assert_int_equal(reading_of(PERF, "w 7 1.000001: 9 cycles: \n\t1 f (/x)\n", profile)
	                         ->host_profile->unit,
	                 WEIR_HOST_EVENTS);
	assert_int_equal(reading_of(PERF, "w 7/7 1.000001: cpu-clock: \n\t1 f (/x)\n", profile)
	                         ->host_profile->unit,
	                 WEIR_HOST_SAMPLES);
	weir_profile_free(profile);
}

static void an_idle_processor_is_no_host_time(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(PERF,
	                   "swapper     0 [000] 1.000001: 90 cpu-clock: \n\t1 i (/k)\n\n"
	                   "w 7 1.000002: 10 cpu-clock: \n\t1 f (/x)\n",
	                   profile)
			->host_profile;

	(void)state;
	assert_int_equal(host->total, 10);
	assert_int_equal(host->idle, 90);
	weir_profile_free(profile);
}

static void other_events_are_left_out(void **state)
{
	static const char text[] = "w 7 1.000001: 9 cpu-clock: \n\t1 f (/x)\n\n"
				   "w 7 1.000002: 9 cycles: \n\t1 f (/x)\n";

	(void)state;
	expect(PERF, text, "w [] 0/9\nf [x] 9/9\n");
	expect_warned(PERF, text, WEIR_WARN_OTHER_SAMPLES, 1);
}

/* A clock or cycles are read wherever they begin; the samples of all other events are counted. */
static void the_first_event_that_is_a_time_is_read(void **state)
{
	static const char text[] = "w 7 1.000001: instructions: \n\t1 f (/x)\n\n"
				   "w 7 1.000002: instructions: \n\t1 f (/x)\n\n"
				   "w 7 1.000003: cycles: \n\t1 g (/x)\n\n"
				   "w 7 1.000004: page-faults: \n\t1 h (/x)\n\n"
				   "w 7 1.000005: cpu-clock: \n\t1 h (/x)\n\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(PERF, text, profile);
	const struct weir_warning *others = &input->warnings[WEIR_WARN_OTHER_SAMPLES];

	(void)state;
	assert_string_equal(input->host_profile->event, "");
	assert_int_equal(input->host_profile->total, 1);
	assert_int_equal(others->count, 4);
	assert_string_equal(others->detail, "2 of instructions, 1 of page-faults, 1 of cpu-clock");
	weir_profile_free(profile);
}

static void python_frames_and_stacks_on_one_line_are_read(void **state)
{
	(void)state;
	expect(PERF,
	       "w 7 1.000001: 9 cpu-clock:  ff f ([kernel.kallsyms])\n"
	       "w 7 1.000002: 1 cpu-clock: \n\t 1 py::step:/srv/app/model.py (/tmp/perf-7.map)\n",
	       "w [] 0/10\nf [[kernel.kallsyms]] 9/9\nstep [model.py] 1/1\n");
}

/* A probe prints its address in parentheses, at a return also the caller's. */
static void the_address_of_a_probe_is_no_frame(void **state)
{
	static const char *const heads[] = {"probe_libc:malloc: (7fa9195fe260)",
	                                    "probe_libc:malloc__return: (7fa9195fe260 <- 40113a)"};

	(void)state;
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};
		const struct weir_input *input;

		weir_text_printf(&text, "w 7 [000] 1.000001: %s\n\t7fa9 malloc (/libc)\n\n",
		                 heads[i]);
		input = reading_of(PERF, text.data, profile);
		assert_int_equal(input->host_profile->total, 1);
		assert_int_equal(input->host_profile->frame_count, 2);
		assert_int_equal(input->warnings[WEIR_WARN_SKIPPED_EVENT].count, 0);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void events_that_are_no_time_are_named(void **state)
{
	static const struct {
		const char *event, *named;
	} cases[] = {
		{"cycles:ppp", ""},
		{"cpu-clock", ""},
		{"task-clock:u", ""},
		{"cpu_core/cycles/", ""},
		{"page-faults", "page-faults"},
		{"cache-misses:u", "cache-misses:u"},
		{"probe:malloc", "probe:malloc"},
		{"instructions", "instructions"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_text text = {0};

		weir_text_printf(&text, "w 7 1.000001: 9 %s: \n\t7fa9 f (/x)\n\n", cases[i].event);
		assert_string_equal(reading_of(PERF, text.data, profile)->host_profile->event,
		                    cases[i].named);
		weir_text_release(&text);
		weir_profile_free(profile);
	}
}

static void the_name_of_an_event_is_cut(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_text text = {0};

	(void)state;
	weir_text_puts(&text, "w 7 1.000001: 9 ");
	weir_text_repeat(&text, "event", 100);
	weir_text_puts(&text, ": \n\t7fa9 f (/x)\n\n");
	assert_int_equal(strlen(reading_of(PERF, text.data, profile)->host_profile->event),
	                 WEIR_MAX_HOST_EVENT - 1);
	weir_text_release(&text);
	weir_profile_free(profile);
}

/* Without stacks perf pads the program to 16 columns and prints the leaf in the same line. */
static void a_program_may_be_padded_on_the_left(void **state)
{
	static const char timed[] = "      dd 7 1.000001:  40 cycles:  ffff0a f (/x)\n"
				    "   ab cd 8 1.000002:  20 cycles:  1b2c g+0x1 (/x)\n";
	static const char untimed[] = "      dd 7  40 cycles:  ffff0a f (/x)\n"
				      "   ab cd 8  20 cycles:  1b2c g+0x1 (/x)\n";
	static const char expected[] = "dd [] 0/40\nf [x] 40/40\nab cd [] 0/20\ng [x] 20/20\n";

	(void)state;
	expect(PERF, timed, expected);
	expect(PERF, untimed, expected);
	assert_string_equal(reading_claims(timed), "perf-script");
	assert_string_equal(reading_claims(untimed), "perf-script");
	reading_survives_damage(PERF, timed);
	reading_survives_damage(PERF, untimed);
	/* A frame may begin with blanks as well, where a page replaced the tabs. */
	expect(PERF,
	       "    w 7 1.000001:  9 cycles:\n        1 f (/x)\n        2 main (/x)\n\n"
	       "    w 7 1.000002:  9 cycles:\n        3 g (/x)\n",
	       "w [] 0/18\nf [x] 9/9\nmain [x] 0/9\ng [x] 9/9\n");
	assert_string_equal(reading_claims("    12 errors: 3\n"), "none");
}

/* ---- speedscope ---- */

#define SCHEMA "\"$schema\":\"https://www.speedscope.app/file-format-schema.json\""
#define FRAMES                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"a\",\"file\":null},{\"name\":\"b\",\"file\":"         \
	"\"/srv/b.py\",\"line\":4}]}"
#define SAMPLED(unit, samples, weights)                                                            \
	"{" SCHEMA ",\"profiles\":[{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"" unit          \
	"\",\"samples\":" samples ",\"weights\":" weights "}]," FRAMES "}"
#define EVENTED(events)                                                                            \
	"{" SCHEMA "," FRAMES ",\"profiles\":[{\"unit\":\"none\",\"events\":" events               \
	",\"endValue\":100,\"type\":\"evented\"}]}"
#define OPEN(frame, at)  "{\"type\":\"O\",\"frame\":" #frame ",\"at\":" #at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" #frame ",\"at\":" #at "}"

static void samples_weigh_in_their_unit(void **state)
{
	(void)state;
	expect(SPEEDSCOPE, SAMPLED("seconds", "[[0,1],[0],[]]", "[0.01,0.02,0.5]"),
	       "a [] 20000000/30000000\nb [b.py] 10000000/10000000\n");
	expect(SPEEDSCOPE, SAMPLED("microseconds", "[[1]]", "[1.5]"), "b [b.py] 1500/1500\n");
	expect(SPEEDSCOPE, SAMPLED("samples", "[[0],[1]]", "[3,1]"), "a [] 3/3\nb [b.py] 1/1\n");
	reading_refuses(SPEEDSCOPE, SAMPLED("bytes", "[[1]]", "[1]"), WEIR_E_EMPTY,
	                "a profile of memory");
}

static void an_empty_profile_says_so_even_beside_one_of_memory(void **state)
{
	(void)state;
	reading_refuses(SPEEDSCOPE, SAMPLED("samples", "[]", "[]"), WEIR_E_EMPTY,
	                "the profiles in time or samples are empty: record");
	reading_refuses(SPEEDSCOPE,
	                "{" SCHEMA ",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"samples\","
	                "\"samples\":[],\"weights\":[]},{\"type\":\"sampled\",\"unit\":\"bytes\","
	                "\"samples\":[[1]],\"weights\":[9]}]," FRAMES "}",
	                WEIR_E_EMPTY, "are no times: record");
}

static void a_file_without_a_readable_profile_says_so(void **state)
{
	(void)state;
	reading_refuses(SPEEDSCOPE, "{" SCHEMA "," FRAMES ",\"profiles\":[{\"type\":}]}",
	                WEIR_E_EMPTY, "each is damaged or has more than 64 MiB");
}

static void events_give_the_time_between_them_to_what_is_open(void **state)
{
	(void)state;
	expect(SPEEDSCOPE,
	       EVENTED("[" OPEN(0, 0) "," OPEN(1, 2) "," CLOSE(1, 7) "," CLOSE(0, 8) "]"),
	       "a [] 3/8\nb [b.py] 5/5\n");
}

static void profiles_with_time_are_threads(void **state)
{
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	assert_int_equal(reading_of(SPEEDSCOPE, SAMPLED("seconds", "[[0]]", "[1]"), profile)
	                         ->host_profile->threads,
	                 1);
	assert_int_equal(
		reading_sample("samples/speedscope/speedscope__0.6.0__two-sampled.speedscope.json",
	                       SPEEDSCOPE, NULL, profile)
			->host_profile->threads,
		2);
	weir_profile_free(profile);
}

static void events_that_do_not_nest_are_counted(void **state)
{
	(void)state;
	expect_warned(SPEEDSCOPE, EVENTED("[" OPEN(0, 0) "," CLOSE(1, 2) "," CLOSE(0, 3) "]"),
	              WEIR_WARN_MISNESTED, 1);
	expect(SPEEDSCOPE, EVENTED("[" OPEN(0, 0) "]"), "a [] 100/100\n");
	expect_warned(SPEEDSCOPE, EVENTED("[" OPEN(0, 0) "]"), WEIR_WARN_MISNESTED, 1);
	expect_warned(SPEEDSCOPE, EVENTED("[" OPEN(0, 5) "," CLOSE(0, 2) "," CLOSE(0, 9) "]"),
	              WEIR_WARN_SKIPPED_EVENT, 1);
}

static void a_frame_that_is_not_listed_has_no_name(void **state)
{
	(void)state;
	expect(SPEEDSCOPE, SAMPLED("none", "[[0,77]]", "[2]"), " [] 2/2\na [] 0/2\n");
}

/* ---- cProfile ---- */

/* "{(file, line, name): (1, 1, 0.5, 0.75, {})}", then what follows. */
#define KEY     "\x29\x03\xda\x04x.py\xe9\x01\x00\x00\x00\xda\x01"
#define HALF    "g\x00\x00\x00\x00\x00\x00\xe0\x3f"
#define QUARTER "g\x00\x00\x00\x00\x00\x00\xd0\x3f"
#define ONE     "i\x01\x00\x00\x00"
#define NESTED  "\x29\x01\x29\x01\x29\x01\x29\x01"
#define ENTRY   KEY "f\x29\x05" ONE ONE QUARTER HALF "{0"

static enum weir_status read_bytes(const char *data, size_t len, struct weir_profile *profile,
                                   struct weir_error *err)
{
	return reading_try(CPROFILE, data, len, profile, err);
}

static void statistics_become_functions_with_own_and_whole_time(void **state)
{
	static const char data[] = "{" ENTRY "0";
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	(void)state;
	assert_int_equal(read_bytes(data, sizeof(data) - 1, profile, &err), WEIR_OK);
	expect_functions(profile->inputs[0].host_profile, "f [x.py] 250000000/500000000\n");
	weir_profile_free(profile);
}

/* "{(path, line, 'h'): (1, 1, 0.25, 0.5, {})}", one entry of each path and line. */
#define PLACE(length, path, line)                                                                  \
	"\x29\x03\xda" length path "\xe9" line                                                     \
	"\x00\x00\x00\xda\x01h\x29\x05" ONE ONE QUARTER HALF "{0"

/* Lists the functions of the report as "function (file) self/total". */
static void expect_report(const char *data, size_t length, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_error err = {0};
	struct weir_text out = {0};

	assert_int_equal(read_bytes(data, length, profile, &err), WEIR_OK);
	weir_fill_host_functions(profile, report);
	for (size_t i = 0; i < report->host->function_count; i++) {
		const struct weir_host_function_row *row = &report->host->functions[i];

		weir_text_printf(&out, "%s (%s) %g/%g\n", row->function, row->file ? row->file : "",
		                 row->self, row->total);
	}
	assert_string_equal(out.data, expected);
	weir_text_release(&out);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void functions_of_different_files_or_lines_are_not_one(void **state)
{
	static const char files[] = "{" PLACE("\x06", "a/u.py", "\x07")
		PLACE("\x06", "b/u.py", "\x07") PLACE("\x06", "b/v.py", "\x07") "0";
	static const char lines[] =
		"{" PLACE("\x06", "a/u.py", "\x07") PLACE("\x06", "b/u.py", "\x08") "0";
	static const char deep[] = "{" PLACE("\x08", "c/a/u.py", "\x07")
		PLACE("\x08", "d/a/u.py", "\x07") PLACE("\x04", "u.py", "\x07") "0";
	static const char windows[] = "{" PLACE("\x0b", "C:\\a\\own.py", "\x07") "0";

	(void)state;
	expect_report(windows, sizeof(windows) - 1, "h (own.py) 1/1\n");
	expect_report(files, sizeof(files) - 1,
	              "h (a/u.py:7) 0.333333/0.666667\nh (b/u.py:7) 0.333333/0.666667\nh (v.py) "
	              "0.333333/0.666667\n");
	expect_report(lines, sizeof(lines) - 1, "h (u.py:7) 0.5/1\nh (u.py:8) 0.5/1\n");
	expect_report(deep, sizeof(deep) - 1,
	              "h (c/a/u.py:7) 0.333333/0.666667\nh (d/a/u.py:7) 0.333333/0.666667\nh "
	              "(u.py:7) 0.333333/0.666667\n");
}

static void no_function_takes_more_than_the_whole(void **state)
{
	static const char data[] = "{" KEY "f\x29\x05" ONE ONE QUARTER "i\x02\x00\x00\x00{0"
				   "0";

	(void)state;
	expect_report(data, sizeof(data) - 1, "f (x.py) 1/1\n");
}

/* Two profiles have the same 250 functions, each with a weight in an order that looks drawn. */
static void the_hundred_largest_functions_are_shown_in_order(void **state)
{
	enum { FUNCTIONS = 250, WEIGHTS = 83 };
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_text stacks = {0};
	size_t at = 0;

	(void)state;
	for (unsigned i = 0; i < FUNCTIONS; i++)
		weir_text_printf(&stacks, "f%03u %u\n", i, 1 + i * 59 % WEIGHTS);
	reading_of(FOLDED, stacks.data, profile);
	reading_of(FOLDED, stacks.data, profile);
	weir_fill_host_functions(profile, report);
	assert_int_equal(report->host->function_count, WEIR_MAX_HOST_FUNCTION_ROWS);
	for (unsigned weight = WEIGHTS; at < WEIR_MAX_HOST_FUNCTION_ROWS; weight--)
		for (unsigned i = 0; i < FUNCTIONS && at < WEIR_MAX_HOST_FUNCTION_ROWS; i++) {
			char name[16];

			if (1 + i * 59 % WEIGHTS != weight)
				continue;
			snprintf(name, sizeof name, "f%03u", i);
			assert_string_equal(report->host->functions[at].function, name);
			assert_true(report->host->functions[at++].self ==
			            2.0 * weight / report->host->total);
		}
	weir_text_release(&stacks);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void hostile_marshal_is_refused_with_a_reason(void **state)
{
	static const struct {
		const char *data;
		size_t length;
		const char *message;
	} cases[] = {
		{"{c", 2, "a type that statistics do not hold"},
		{"{r\x05\x00\x00\x00", 6, "a reference to a missing object"},
		{"{\x29\xff", 3, "it ends inside an object"},
		{"{z\xffx", 4, "it ends inside an object"},
		{"{u\xff\xff\xff\xff", 6, "a negative length"},
		{"{\xfb\x72\x01\x00\x00\x00", 7, "a reference to a missing object"},
		{"\x29\x01N", 3, "expected a dictionary or a tuple"},
		{"{" NESTED NESTED NESTED NESTED NESTED, 1 + 5 * 8, "nested more than 16 deep"},
		{"{N" KEY "f", 2 + 14, "without cProfile's five figures"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};

		assert_int_equal(read_bytes(cases[i].data, cases[i].length, profile, &err),
		                 WEIR_E_FORMAT);
		if (!strstr(err.message, cases[i].message))
			fail_msg("case %zu: \"%s\" is not in: %s", i, cases[i].message,
			         err.message);
		weir_profile_free(profile);
	}
}

static void a_statistic_cut_anywhere_reads_or_says_why_not(void **state)
{
	static const char data[] = "{" ENTRY ENTRY "0";

	(void)state;
	for (size_t len = 0; len < sizeof(data); len++) {
		struct weir_profile *profile = weir_profile_new();
		struct weir_error err = {0};
		enum weir_status status = read_bytes(data, len, profile, &err);

		assert_int_equal(!status, !err.message[0]);
		if (!status)
			assert_true(profile->inputs[0].host_profile->total > 0);
		weir_profile_free(profile);
	}
}

static const struct weir_host_profile *profile_of_file(const char *path,
                                                       struct weir_profile *profile)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	return profile->inputs[profile->input_count - 1].host_profile;
}

static void versions_with_and_without_references_agree(void **state)
{
	static const char expected[] = "main [app.py] 250000000/2000000000\n"
				       "forward [model.py] 1500000000/1750000000\n"
				       "<built-in method builtins.len> [] 250000000/250000000\n";
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_functions(profile_of_file("tests/data/host_profiles/stats.prof", profile), expected);
	expect_functions(profile_of_file("tests/data/host_profiles/stats_v2.prof", profile),
	                 expected);
	weir_profile_free(profile);
}

/* As Python 2 writes statistics: texts are interned by number, counts may be big integers, and
 * times of old versions are printed. */
#define OLD_TEXT(size, text)      "t" size "\0\0\0" text
#define OLD_KEY(file, line, name) "(\3\0\0\0" file "i" line "\0\0\0" name
#define OLD_TIMES(own, all)       "(\5\0\0\0l\1\0\0\0\2\0i\2\0\0\0f\4" own "f\4" all "{0"

static void texts_and_numbers_of_python_2_are_read(void **state)
{
	static const char data[] = "{" OLD_KEY(OLD_TEXT("\4", "a.py"), "\1", OLD_TEXT("\4", "work"))
		OLD_TIMES("0.25", "1.50") OLD_KEY("R\0\0\0\0", "\2", OLD_TEXT("\4", "rest"))
			OLD_TIMES("0.50", "0.50") "0";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input;

	(void)state;
	input = reading_of_bytes(CPROFILE, plain_bytes(data, sizeof data - 1), profile);
	expect_functions(input->host_profile, "work [a.py] 250000000/1500000000\n"
	                                      "rest [a.py] 500000000/500000000\n");
	weir_profile_free(profile);
}

static void odd_objects_of_statistics_are_refused(void **state)
{
	static const struct {
		const char *data, *message;
		size_t len;
	} table[] = {
		{"{" OLD_KEY("R\7\0\0\0", "\1", "N"), "a reference to a missing text", 18},
		{"{" OLD_KEY("r\7\0\0\0", "\1", "N"), "a reference to a missing object", 18},
		{"{" OLD_KEY("?\7\0\0\0", "\1", "N"), "of a type that statistics do not hold", 18},
	};

	(void)state;
	for (size_t i = 0; i < sizeof table / sizeof *table; i++)
		reading_refuses_bytes(CPROFILE, plain_bytes(table[i].data, table[i].len),
		                      WEIR_E_FORMAT, table[i].message);
}

/* The figures are those that Python's marshal module reads. */
static void a_capture_of_cprofile_is_read(void **state)
{
	static const char expected[] = "<method 'join' of 'str' objects> [] 95059/95059\n"
				       "<built-in method builtins.isinstance> [] 184301/184301\n"
				       "iterencode [encoder.py] 61350491/61350491\n"
				       "dumps [__init__.py] 256726/62542872\n"
				       "encode [encoder.py] 656295/62286146\n"
				       "<method 'disable' of '_lsprof.Profiler' objects> [] "
				       "49421/49421\n";
	struct weir_profile *profile = weir_profile_new();

	(void)state;
	expect_functions(profile_of_file("tests/data/captures/cprofile.pstats", profile), expected);
	weir_profile_free(profile);
}

/* ---- all ---- */

static void damage_anywhere_reads_or_says_why_not(void **state)
{
	(void)state;
	reading_survives_damage(FOLDED, "a;b 1\na;c (x.py:3) 2\n");
	reading_survives_damage(PERF, "w 7 1.000001: 9 cpu-clock: \n\t1 f+0x2 (/x)\n\n");
	reading_survives_damage(PERF, "w 7 cpu-clock: \n\t1 f+0x2 (/x)\n\n");
	reading_survives_damage(SPEEDSCOPE, SAMPLED("seconds", "[[0,1],[0]]", "[0.01,0.02]"));
	reading_survives_damage(SPEEDSCOPE, EVENTED("[" OPEN(0, 0) "," CLOSE(0, 3) "]"));
}

static void content_tells_the_format(void **state)
{
	(void)state;
	assert_string_equal(reading_claims("a;b 1\n"), "folded");
	assert_string_equal(reading_claims("a;b\nc;d\n"), "none");
	assert_string_equal(reading_claims(SAMPLED("none", "[]", "[]")), "speedscope");
	assert_string_equal(reading_claims("{" KEY "f"), "cprofile");
}

static void samples_of_others_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input;

	(void)state;
	input = reading_sample("samples/cprofile/own_py311.prof", CPROFILE, NULL, profile);
	assert_int_equal(input->host_profile->function_count, 6);
	input = reading_sample("samples/perf/speedscope_system-wide.linux-perf.txt", PERF, NULL,
	                       profile);
	assert_true(input->host_profile->idle > 0);
	input = reading_sample("samples/folded/stackcollapse__recursion.txt", FOLDED, NULL,
	                       profile);
	assert_int_equal(input->host_profile->total, 10);
	input = reading_sample("samples/speedscope/speedscope__0.6.0__two-sampled.speedscope.json",
	                       SPEEDSCOPE, NULL, profile);
	assert_int_equal(input->host_profile->total, INT64_C(28000000000));
	weir_profile_free(profile);
}

/* A profiler cut the name at a blank, or aligned the numbers: callers and leaves are one function.
 */
static void blanks_at_the_end_of_a_name_make_no_other_function(void **state)
{
	(void)state;
	expect(FOLDED, "main;f<void  2\nmain;f<void ;g 3\n",
	       "main [] 0/5\nf<void [] 2/5\ng [] 3/3\n");
	expect(FOLDED, "main;f      2\nmain;f;g    3\n", "main [] 0/5\nf [] 2/5\ng [] 3/3\n");
}

static void cycles_of_perf_are_counted_in_samples(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(PERF,
	                   "w 7 1.000001: 300 cpu_core/cycles/P: \n\t1 f (/x)\n\n"
	                   "w 7 1.000002: 200 cpu_core/cycles/P: \n\t1 f (/x)\n",
	                   profile)
			->host_profile;

	(void)state;
	assert_true(host->cycles);
	assert_int_equal(host->samples, 2);
	assert_int_equal(host->total, 500);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(folded_stacks_add_up_by_function),
		cmocka_unit_test(the_name_of_a_process_is_no_function),
		cmocka_unit_test(few_samples_are_noted),
		cmocka_unit_test(neighbouring_stacks_may_begin_alike),
		cmocka_unit_test(a_function_that_calls_itself_counts_once),
		cmocka_unit_test(frames_hold_blanks_and_the_count_is_behind_the_last),
		cmocka_unit_test(of_a_difference_the_later_number_counts),
		cmocka_unit_test(lines_of_a_file_are_one_function),
		cmocka_unit_test(lines_that_are_no_stacks_are_counted),
		cmocka_unit_test(folded_stacks_count_what_a_comment_says),
		cmocka_unit_test(stacks_of_one_frame_are_known_by_all_their_lines),
		cmocka_unit_test(deep_stacks_are_no_limit),
		cmocka_unit_test(perf_stacks_hang_below_their_program),
		cmocka_unit_test(the_address_of_a_probe_is_no_frame),
		cmocka_unit_test(events_that_are_no_time_are_named),
		cmocka_unit_test(the_name_of_an_event_is_cut),
		cmocka_unit_test(a_program_may_be_called_anything),
		cmocka_unit_test(samples_may_come_without_a_time),
		cmocka_unit_test(clocks_count_time_and_samples_without_a_period_one_each),
		cmocka_unit_test(an_idle_processor_is_no_host_time),
		cmocka_unit_test(other_events_are_left_out),
		cmocka_unit_test(the_first_event_that_is_a_time_is_read),
		cmocka_unit_test(python_frames_and_stacks_on_one_line_are_read),
		cmocka_unit_test(a_program_may_be_padded_on_the_left),
		cmocka_unit_test(samples_weigh_in_their_unit),
		cmocka_unit_test(an_empty_profile_says_so_even_beside_one_of_memory),
		cmocka_unit_test(a_file_without_a_readable_profile_says_so),
		cmocka_unit_test(events_give_the_time_between_them_to_what_is_open),
		cmocka_unit_test(profiles_with_time_are_threads),
		cmocka_unit_test(events_that_do_not_nest_are_counted),
		cmocka_unit_test(a_frame_that_is_not_listed_has_no_name),
		cmocka_unit_test(statistics_become_functions_with_own_and_whole_time),
		cmocka_unit_test(functions_of_different_files_or_lines_are_not_one),
		cmocka_unit_test(no_function_takes_more_than_the_whole),
		cmocka_unit_test(the_hundred_largest_functions_are_shown_in_order),
		cmocka_unit_test(hostile_marshal_is_refused_with_a_reason),
		cmocka_unit_test(a_statistic_cut_anywhere_reads_or_says_why_not),
		cmocka_unit_test(versions_with_and_without_references_agree),
		cmocka_unit_test(damage_anywhere_reads_or_says_why_not),
		cmocka_unit_test(content_tells_the_format),
		cmocka_unit_test(texts_and_numbers_of_python_2_are_read),
		cmocka_unit_test(odd_objects_of_statistics_are_refused),
		cmocka_unit_test(a_capture_of_cprofile_is_read),
		cmocka_unit_test(samples_of_others_read),
		cmocka_unit_test(blanks_at_the_end_of_a_name_make_no_other_function),
		cmocka_unit_test(cycles_of_perf_are_counted_in_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
