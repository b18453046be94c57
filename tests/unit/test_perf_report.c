/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text of perf report: functions with their own share of an event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/host_functions_text.h"
#include "tests/unit/reading.h"

#define READER (&weir_reader_perf_report)
#define EVENT(samples, name, count)                                                                \
	"# Samples: " samples " of event '" name "'\n# Event count (approx.): " count "\n#\n"
#define CHILDREN "# Children      Self  Command  Shared Object  Symbol\n# ........  ........\n#\n"
#define OVERHEAD "# Overhead  Command  Shared Object  Symbol\n# ........  ........\n#\n"
#define CYCLES   EVENT("12K", "cycles:P", "1000")
#define F        "    60.00%    50.00%  serve    libops.so  [.] f(int, char*)\n"
#define G        "    25.00%    25.00%  serve    [kernel.kallsyms]  [k] g\n"
#define ONE      CYCLES OVERHEAD "    60.00%  serve    a.so  [.] f\n"

static void expect(const char *text, const char *expected)
{
	expect_functions_of(READER, text, expected);
}

static void expect_warned(const char *text, enum weir_warning_code code, unsigned count)
{
	expect_warnings_of(READER, text, code, count);
}

static void own_shares_of_functions_are_read(void **state)
{
	(void)state;
	expect(CYCLES CHILDREN F G,
	       "f(int, char*) [libops.so] 500/600\ng [[kernel.kallsyms]] 250/250\n");
	expect(ONE, "f [a.so] 600/600\n");
	expect(CYCLES "# Overhead  Symbol\n#\n    60.00%  [.] f\n", "f [] 600/600\n");
	/* columns behind the function */
	expect(CYCLES "# Overhead  Symbol       IPC   [IPC Coverage]\n"
	              "    60.00%  [.] f        0.50  [ 12.5%]\n",
	       "f [] 600/600\n");
}

static void call_graphs_below_rows_are_no_functions(void **state)
{
	(void)state;
	expect(CYCLES CHILDREN F "            |\n            ---main\n               |--48.50%--h\n"
	                         "                --1.07%--k(int)\n\n" G,
	       "f(int, char*) [libops.so] 500/600\ng [[kernel.kallsyms]] 250/250\n");
	expect_warned(CYCLES CHILDREN F "            |--48.50%--h [.] k l\n", WEIR_WARN_RAGGED_ROW,
	              0);
}

/* The whole is the count of the event, so shares are of all functions, listed or not. */
static void the_whole_is_the_count_of_the_event_without_idle_processors(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(READER,
	                   CYCLES OVERHEAD "    60.00%  serve    a.so  [.] f\n"
	                                   "    10.00%  swapper  [kernel]  [k] intel_idle\n",
	                   profile)
			->host_profile;

	(void)state;
	assert_int_equal(host->idle, 100);
	assert_int_equal(host->total, 900);
	assert_true(host->cycles);
	assert_int_equal(host->unit, WEIR_HOST_EVENTS);
	assert_int_equal(host->samples, 0); /* "12K" is rounded */
	weir_profile_free(profile);
}

static void exact_numbers_of_samples_and_units_of_clocks_are_kept(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_host_profile *host =
		reading_of(READER,
	                   EVENT("263 ", "cpu-clock:pppH", "1000") OVERHEAD
	                   "  60.00%  a  b  [.] f\n",
	                   profile)
			->host_profile;

	(void)state;
	assert_int_equal(host->unit, WEIR_HOST_NS);
	assert_int_equal(host->samples, 263);
	assert_string_equal(host->event, "");
	host = reading_of(READER,
	                  EVENT("9", "page-faults", "10") OVERHEAD "  60.00%  a  b  [.] f\n",
	                  profile)
	               ->host_profile;
	assert_string_equal(host->event, "page-faults");
	host = reading_of(READER,
	                  "# Samples: 9 of event 'cycles'\n" OVERHEAD "  60.00%  a  b  [.] f\n",
	                  profile)
	               ->host_profile;
	assert_int_equal(host->unit, WEIR_HOST_WEIGHT);
	assert_int_equal(host->total, 1000000);
	weir_profile_free(profile);
}

static void of_several_events_the_first_that_is_a_time_is_read(void **state)
{
#define MISSES EVENT("5", "cache-misses", "70") OVERHEAD "    40.00%  serve    a.so  [.] m\n\n"
	(void)state;
	expect(MISSES ONE, "f [a.so] 600/600\n");
	expect(ONE MISSES, "f [a.so] 600/600\n");
	expect(MISSES MISSES, "m [a.so] 28/28\n");
	expect_warned(MISSES ONE MISSES, WEIR_WARN_OTHER_TABLE, 2);
	expect_warned(ONE, WEIR_WARN_OTHER_TABLE, 0);
	expect("# Samples: 5 of events 'cycles, instructions'\n" OVERHEAD
	       "    40.00%  20.00%  serve    a.so  [.] m\n\n" ONE,
	       "f [a.so] 600/600\n");
}

static void damaged_text_is_counted_or_refused(void **state)
{
	(void)state;
	expect_warned(ONE "    60.00%  serve    a.so  f\n", WEIR_WARN_RAGGED_ROW, 1);
	expect_warned(ONE "    10.00%  serve    a.so  [.] g", WEIR_WARN_TRUNCATED, 1);
	reading_refuses(READER, CYCLES OVERHEAD, WEIR_E_EMPTY, "expected rows such as");
	reading_refuses(READER, CYCLES OVERHEAD "  0.00%  a  b  [.] f\n", WEIR_E_EMPTY, "any time");
	assert_string_equal(reading_claims("$ perf report\n" ONE), "perf-report");
	assert_string_equal(reading_claims(CYCLES "# Overhead  Command\n"), "none");
	reading_survives_damage(READER, MISSES CYCLES CHILDREN F G);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(own_shares_of_functions_are_read),
		cmocka_unit_test(call_graphs_below_rows_are_no_functions),
		cmocka_unit_test(the_whole_is_the_count_of_the_event_without_idle_processors),
		cmocka_unit_test(exact_numbers_of_samples_and_units_of_clocks_are_kept),
		cmocka_unit_test(of_several_events_the_first_that_is_a_time_is_read),
		cmocka_unit_test(damaged_text_is_counted_or_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
