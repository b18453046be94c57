/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/pipeline/stated_queries.h"
#include "tests/unit/fixture_stated.h"

static struct weir_profile *query(double enqueue, double h2d, double compute, double d2h)
{
	return stated_profile((struct stated[]){{"enqueue_median_ms", enqueue},
	                                        {"h2d_median_ms", h2d},
	                                        {"gpu_compute_median_ms", compute},
	                                        {"d2h_median_ms", d2h},
	                                        {0}});
}

static void expect_headline(struct weir_profile *profile, const char *expected)
{
	expect_stated_headline(profile, weir_describe_stated_queries, expected);
}

static void a_slow_host_is_named_from_the_threshold_of_the_tool_on(void **state)
{
	(void)state;
	expect_headline(query(0.8, 0, 1, 0),
	                "the GPU computes for all of a median query of 1.00 ms; the log does not "
	                "show what bounds the computation");
	expect_headline(
		query(0.81, 0, 1, 0),
		"the host takes 810 us to enqueue a query that the GPU computes in 1.00 ms, "
		"so that the GPU may wait for it");
}

static void the_longer_of_copies_and_computation_is_named(void **state)
{
	(void)state;
	expect_headline(query(0.1, 0.5, 1, 0.5),
	                "the GPU computes for 50 % of a median query of 2.00 ms; the log does not "
	                "show what bounds the computation");
	expect_headline(query(0.1, 0.6, 1, 0.9),
	                "copies between host and device take 60 % of a median query of 2.50 ms");
}

static void a_latency_beyond_the_parts_is_the_whole(void **state)
{
	struct stated figures[] = {{"gpu_compute_median_ms", 4}, {"latency_median_ms", 5}, {0}};

	(void)state;
	expect_headline(stated_profile(figures),
	                "the GPU computes for 80 % of a median query of 5.00 ms; the log does not "
	                "show what bounds the computation");
}

static void times_that_are_not_stated_do_not_count(void **state)
{
	(void)state;
	expect_headline(stated_profile((struct stated[]){{"gpu_compute_median_ms", 3}, {0}}),
	                "the GPU computes for all of a median query of 3.00 ms; the log does not "
	                "show what bounds the computation");
	expect_headline(stated_profile((struct stated[]){{"enqueue_median_ms", 3}, {0}}), NULL);
	expect_headline(query(1, 1, 0, 1), NULL);
}

static void several_results_are_not_mixed(void **state)
{
	struct weir_profile *profile = query(1, 1, 1, 1);
	struct weir_input *second = weir_profile_add_input(profile, "second.log");
	struct weir_profile *other = query(2, 2, 2, 2);

	(void)state;
	second->run = other->inputs[0].run;
	other->inputs[0].run = NULL;
	weir_profile_free(other);
	expect_headline(profile, NULL);
}

static void the_share_of_the_prefill_in_a_batch_is_named(void **state)
{
	(void)state;
	expect_stated_headline(
		stated_profile((struct stated[]){
			{"prefill_latency_ms", 25}, {"total_latency_ms", 100}, {0}}),
		weir_describe_stated_batch,
		"the prefill takes 25 % of a batch of 100 ms, and decoding the rest; "
		"the times do not show what bounds either");
	/* two figures that contradict each other */
	expect_stated_headline(stated_profile((struct stated[]){
				       {"prefill_latency_ms", 25}, {"total_latency_ms", 10}, {0}}),
	                       weir_describe_stated_batch, NULL);
	expect_stated_headline(stated_profile((struct stated[]){{"prefill_latency_ms", 25}, {0}}),
	                       weir_describe_stated_batch, NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_slow_host_is_named_from_the_threshold_of_the_tool_on),
		cmocka_unit_test(the_longer_of_copies_and_computation_is_named),
		cmocka_unit_test(a_latency_beyond_the_parts_is_the_whole),
		cmocka_unit_test(times_that_are_not_stated_do_not_count),
		cmocka_unit_test(several_results_are_not_mixed),
		cmocka_unit_test(the_share_of_the_prefill_in_a_batch_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
