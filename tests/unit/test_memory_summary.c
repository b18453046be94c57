/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Memory summaries of PyTorch, alone and inside a log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/readers/readers.h"
#include "tests/unit/reading.h"

#define SUMMARY (&weir_reader_memory_summary)
#define SAMPLE  "tests/data/memory_summary/oom.log"
#define MIB     0x1p20

#define TITLE                                                                                      \
	"|      PyTorch CUDA memory summary, device ID 0      |\n"                                 \
	"| CUDA OOMs: 1 | cudaMalloc retries: 2 |\n"                                               \
	"| Metric | Cur Usage  | Peak Usage | Tot Alloc  | Tot Freed  |\n"
#define ALLOCATED "| Allocated memory |  100 MiB |  120 MiB |  1 GiB |  1 GiB |\n"
#define RESERVED  "| GPU reserved memory |  110 MiB |  130 MiB |  1 GiB |  1 GiB |\n"

static void a_summary_is_found_behind_the_prefix_of_a_log(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run = reading_file(SUMMARY, SAMPLE, profile)->run;

	(void)state;
	reading_expects_figure(run, "allocated_bytes", 6144 * MIB, false, "B");
	reading_expects_figure(run, "peak_allocated_bytes", 6656 * MIB, false, "B");
	reading_expects_figure(run, "reserved_bytes", 7680 * MIB, false, "B");
	reading_expects_figure(run, "peak_reserved_bytes", 7700 * MIB, false, "B");
	reading_expects_figure(run, "non_releasable_bytes", 1024 * MIB, false, "B");
	reading_expects_figure(run, "out_of_memory_errors", 3, false, NULL);
	reading_expects_figure(run, "cudamalloc_retries", 4, false, NULL);
	reading_expects_figure(run, "allocations", 210, false, NULL);
	reading_expects_figure(run, "failed_allocation_bytes", 256 * MIB, false, "B");
	reading_expects_figure(run, "device_memory_bytes", 8192 * MIB, false, "B");
	reading_expects_figure(run, "device_free_bytes", 100 * MIB, false, "B");
	reading_expects_label(run, "device", "1");
	weir_profile_free(profile);
}

static void the_message_of_newer_versions_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_run *run =
		reading_of(
			SUMMARY,
			"OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 "
			"has a total capacity of 2.00 GiB of which 4.00 MiB is free.\n" TITLE
				ALLOCATED RESERVED,
			profile)
			->run;

	(void)state;
	reading_expects_figure(run, "failed_allocation_bytes", 20 * MIB, false, "B");
	reading_expects_figure(run, "device_memory_bytes", 2048 * MIB, false, "B");
	reading_expects_figure(run, "device_free_bytes", 4 * MIB, false, "B");
	weir_profile_free(profile);
}

static void the_first_of_several_summaries_is_read(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		SUMMARY, TITLE ALLOCATED TITLE "| Allocated memory | 7 MiB | 8 MiB | 1 B | 1 B |\n",
		profile);

	(void)state;
	reading_expects_figure(input->run, "allocated_bytes", 100 * MIB, false, "B");
	assert_int_equal(input->warnings[WEIR_WARN_OTHER_TABLE].count, 1);
	weir_profile_free(profile);
}

static void a_value_that_is_no_size_is_counted(void **state)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = reading_of(
		SUMMARY, TITLE ALLOCATED "| GPU reserved memory | 7 apples | 8 MiB | 1 B | 1 B |\n",
		profile);

	(void)state;
	assert_int_equal(input->warnings[WEIR_WARN_BAD_NUMBER].count, 1);
	assert_null(weir_series_find(&input->run->metrics, "reserved_bytes"));
	weir_profile_free(profile);
}

static void damage_is_survived(void **state)
{
	(void)state;
	reading_refuses(SUMMARY, TITLE, WEIR_E_EMPTY, "no row of a memory summary");
	assert_string_equal(reading_claims(TITLE ALLOCATED), "memory_summary");
	assert_string_equal(reading_claims("Tried to allocate 20.00 MiB\n"), "none");
	reading_survives_damage(SUMMARY,
	                        "Tried to allocate 62.00 MiB (GPU 0; 15.90 GiB total capacity; "
	                        "9.88 MiB free)\n" TITLE ALLOCATED RESERVED);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_summary_is_found_behind_the_prefix_of_a_log),
		cmocka_unit_test(the_message_of_newer_versions_is_read),
		cmocka_unit_test(the_first_of_several_summaries_is_read),
		cmocka_unit_test(a_value_that_is_no_size_is_counted),
		cmocka_unit_test(damage_is_survived),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
