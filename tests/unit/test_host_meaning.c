/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tests that profiles of the host tell own time from idle time, pseudo frames and allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/rows/host_functions.h"
#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

static void expect(const struct weir_reader *reader, const char *text, const char *expected)
{
	struct weir_profile *profile = weir_profile_new();

	expect_functions(reading_of(reader, text, profile)->host_profile, expected);
	weir_profile_free(profile);
}

static void the_heaviest_sample_belongs_to_its_function(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report;

	(void)state;
	reading_of(&weir_reader_perf_script,
	           "w 7 1.000001: 1 cycles:\n\t1 f (/x)\n\nw 7 1.000002: 1 cycles:\n\t1 f (/x)\n\n"
	           "w 7 1.000003: 8 cycles:\n\t2 g (/x)\n\n",
	           profile);
	report = weir_report_new(profile);
	weir_fill_host_functions(profile, report);
	assert_string_equal(report->host->functions[0].function, "g");
	assert_float_equal(report->host->functions[0].largest_sample, 0.8, 1e-6);
	assert_true(report->host->functions[1].largest_sample == 0);
	weir_report_free(report);
	weir_profile_free(profile);
}

static void folded_stacks_of_an_idle_processor_are_idle_time(void **state)
{
	static const char *const idle[] = {
		"task;prvIdleTask;esp_cpu_wait_for_intr 6\nmain;f 2\n",
		"swapper/3;x;irq 6\nmain;f 2\n",
		"swapper 6\nmain;f 2\n",
		"app;main;do_idle;intel_idle_[k] 6\nmain;f 2\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(idle) / sizeof(idle[0]); i++) {
		struct weir_profile *profile = weir_profile_new();
		const struct weir_host_profile *host =
			reading_of(&weir_reader_folded, idle[i], profile)->host_profile;

		assert_int_equal(host->idle, 6);
		assert_int_equal(host->total, 2);
		weir_profile_free(profile);
	}
	expect(&weir_reader_folded, "swapper_pool;f 1\nmain;intel_idle;g 2\n",
	       "swapper_pool [] 0/1\nf [] 1/1\nmain [] 0/2\nintel_idle [] 0/2\ng [] 2/2\n");
}

static void allocations_are_known_by_their_classes(void **state)
{
	static const struct {
		const char *text, *event;
	} cases[] = {
		{"a/B.c;byte[]_[i] 3\na/B.c;java.lang.String_[k] 1\n", "allocations"},
		{"a/B.c;byte[]_[i] 3\na/B.c;a/B.d 1\n", ""},
		{"a/B.c;java.lang.Object_[i] 3\n", ""}, /* may be a lock */
		{"main;f_[i] 3\nmain;do_syscall_64_[k] 1\n", ""},
		{"# unit: ns\na/B.c;byte[]_[i] 3\n", ""},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct weir_profile *profile = weir_profile_new();

		assert_string_equal(reading_of(&weir_reader_folded, cases[i].text, profile)
		                            ->host_profile->event,
		                    cases[i].event);
		weir_profile_free(profile);
	}
}

static void a_frame_called_self_is_its_parents_own_time(void **state)
{
#define SELF(samples)                                                                              \
	"{\"$schema\":\"https://www.speedscope.app/"                                               \
	"file-format-schema.json\",\"profiles\":[{\"type\":\"sampled\",\"unit\":\"none\","         \
	"\"samples\":" samples ",\"weights\":[2,5,1]}],\"shared\":{\"frames\":[{\"name\":\"a\"},{" \
	"\"name\":\"b\"},{\"name\":"                                                               \
	"\"[self]\"}]}}"
	(void)state;
	expect(&weir_reader_speedscope, SELF("[[0,2],[0,1],[0,1,2]]"), "a [] 2/8\nb [] 6/6\n");
	expect(&weir_reader_speedscope, SELF("[[2],[0,1],[1]]"),
	       "a [] 0/5\nb [] 6/6\n[self] [] 2/2\n");
#undef SELF
}

/* Tracepoints occur at no regular times, so that their share in the idle task is no time. */
static void tracepoints_tell_no_idle_time(void **state)
{
	static const char text[] =
		"  swapper 0 [000] 1.000001: sched:sched_wakeup: w:7 [120] CPU:000\n"
		"        w 7 [000] 1.000002: sched:sched_wakeup: v:8 [120] CPU:000\n"
		"        w 7 [000] 1.000003: sched:sched_switch: w:7 [120] S ==> v:8 [120]\n";
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(&weir_reader_perf_script, text, profile);

	(void)state;
	assert_true(input->host_profile->occurrences);
	assert_string_equal(input->host_profile->event, "sched:sched_wakeup");
	assert_int_equal(input->host_profile->idle, 0);
	assert_int_equal(input->host_profile->total, 2);
	assert_string_equal(input->warnings[WEIR_WARN_OTHER_SAMPLES].detail,
	                    "1 of sched:sched_switch");
	weir_profile_free(profile);
}

static void samples_of_the_idle_task_alone_are_idle_time(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(&weir_reader_perf_script,
	                   " swapper 0 [000] 1.000001: 90 cpu-clock:  1 i (/k)\n", profile)
			->host_profile;
	struct weir_report *report = weir_report_new(profile);

	(void)state;
	assert_int_equal(host->total, 0);
	assert_int_equal(host->idle, 90);
	weir_fill_host_functions(profile, report);
	assert_true(report->host->idle == 1);
	assert_int_equal(report->host->function_count, 0);
	weir_report_free(report);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_heaviest_sample_belongs_to_its_function),
		cmocka_unit_test(folded_stacks_of_an_idle_processor_are_idle_time),
		cmocka_unit_test(allocations_are_known_by_their_classes),
		cmocka_unit_test(a_frame_called_self_is_its_parents_own_time),
		cmocka_unit_test(tracepoints_tell_no_idle_time),
		cmocka_unit_test(samples_of_the_idle_task_alone_are_idle_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
