/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attribution assigns every nanosecond to one bound, in one ledger. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"
#include "tests/unit/random_trace.h"

struct books {
	struct weir_trace *trace;
	struct weir_rank rank;
	struct weir_ledger *stages, outside, total;
};

static void books_open(struct books *books, struct weir_trace *trace, bool steady)
{
	static const struct weir_device_table no_devices;
	struct weir_rank_options options = {.steady = steady, .table = &no_devices};

	*books = (struct books){.trace = trace};
	weir_rank_init(&books->rank, trace, &options);
	books->stages = weir_alloc((books->rank.steps.stage_count + 1) * sizeof *books->stages);
}

static void books_fill(struct books *books)
{
	weir_attribute(&books->rank, books->stages, &books->outside);
	for (size_t s = 0; s < books->rank.steps.stage_count; s++)
		weir_ledger_add(&books->total, &books->stages[s]);
	weir_ledger_add(&books->total, &books->outside);
}

static void books_close(struct books *books)
{
	free(books->stages);
	weir_rank_release(&books->rank);
	weir_trace_free(books->trace);
}

static void busy_time_goes_by_the_verdict_on_its_group(void **state)
{
	struct make_trace *make = make_trace_new();
	struct books books;

	(void)state;
	make_kernel(make, 0, "near_the_roof", 0, 100, 0);
	make_kernel(make, 0, "nobody_knows", 100, 130, 0);
	make_kernel(make, 0, "too_short", 130, 135, 0);
	make_kernel(make, 0, "ncclDevKernel_AllReduce", 135, 235, 0);
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_COPY,
	                                            .name = "Memcpy HtoD (Pageable -> Device)",
	                                            .start_ns = 235,
	                                            .end_ns = 285});
	make_device(make, &(struct make_device_row){.kind = WEIR_DEVICE_SET,
	                                            .name = "Memset (Device)",
	                                            .start_ns = 285,
	                                            .end_ns = 292});
	books_open(&books, make_trace_finish(make), true);
	books.rank.assessments[0].verdict.bound = WEIR_BOUND_HARDWARE;
	books.rank.assessments[2].verdict.bound = WEIR_BOUND_RUNTIME;
	books.rank.assessments[3].verdict.bound =
		WEIR_BOUND_KERNEL; /* a collective is one anyway */
	books_fill(&books);
	assert_int_equal(books.outside.bound_ns[WEIR_BOUND_HARDWARE], 100);
	assert_int_equal(books.outside.roof_ns, 100);
	assert_int_equal(books.outside.bound_ns[WEIR_BOUND_UNDETERMINED], 30);
	assert_int_equal(books.outside.unmodelled_ns, 30);
	assert_int_equal(books.outside.short_ns, 5);
	assert_int_equal(books.outside.bound_ns[WEIR_BOUND_COMMUNICATION], 100);
	assert_int_equal(books.outside.bound_ns[WEIR_BOUND_MEMORY], 57);
	assert_int_equal(books.outside.copy_ns[WEIR_COPY_TRANSFER], 50);
	assert_int_equal(books.outside.copy_ns[WEIR_COPY_LOCAL], 7);
	assert_int_equal(books.outside.kernels, 4);
	books_close(&books);
}

static void time_goes_to_the_stage_that_launched_it_or_was_late(void **state)
{
	struct make_trace *make = make_trace_new();
	struct books books;

	(void)state;
	make_host(make, WEIR_HOST_ANNOTATION, 0, "prefill", 0, 1000);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "tokenize", 1000, 400000);
	make_host(make, WEIR_HOST_ANNOTATION, 0, "decode", 400000, 500000);
	make_launch(make, 10, 20, 100, 2000);
	make_launch(make, 401000, 401010, 402000, 403000);
	books_open(&books, make_trace_finish(make), true);
	books_fill(&books);
	assert_int_equal(books.stages[0].busy_ns, 1900);
	assert_int_equal(books.stages[1].late_ns[WEIR_LATE_BEFORE], 398000);
	assert_int_equal(books.stages[1].busy_ns, 0);
	assert_int_equal(books.stages[2].total_ns, 3000);
	assert_int_equal(books.outside.total_ns, 0);
	assert_int_equal(books.total.total_ns, 402900);
	books_close(&books);
}

static void late_host_work_is_told_by_its_stage_else_by_its_place(void **state)
{
	struct weir_segment segment = {.idle = WEIR_IDLE_HOST_WORK, .flags = WEIR_SEGMENT_LATE};

	(void)state;
	assert_int_equal(weir_late_class(&segment, NULL), WEIR_LATE_AFTER);
	assert_int_equal(weir_late_class(&segment, "preprocess"), WEIR_LATE_BEFORE);
	segment.flags |= WEIR_SEGMENT_BEFORE;
	assert_int_equal(weir_late_class(&segment, "compute"), WEIR_LATE_BEFORE);
	assert_int_equal(weir_late_class(&segment, "postprocess"), WEIR_LATE_AFTER);
	segment.idle = WEIR_IDLE_LAUNCH_LATENCY;
	assert_int_equal(weir_late_class(&segment, NULL), WEIR_LATE_DISPATCH);
	segment.flags |= WEIR_SEGMENT_AFTER_SYNC;
	assert_int_equal(weir_late_class(&segment, NULL), WEIR_LATE_SYNC);
	segment.idle = WEIR_IDLE_HOST_IDLE;
	assert_int_equal(weir_late_class(&segment, NULL), WEIR_LATE_NO_WORK);
}

static void assert_ledger(const struct weir_ledger *ledger)
{
	struct weir_attribution attribution;
	int64_t work_ns = 0, idle_ns = 0, bound_ns = 0, late_ns = 0, compute_ns;

	for (size_t i = 0; i < WEIR_WORK_COUNT; i++)
		work_ns += ledger->work_ns[i];
	for (size_t i = 0; i < WEIR_IDLE_COUNT; i++)
		idle_ns += ledger->idle_ns[i];
	for (size_t i = 0; i < WEIR_LATE_COUNT; i++)
		late_ns += ledger->late_ns[i];
	weir_attribution_from_ledger(&attribution, ledger);
	for (size_t i = 0; i < WEIR_BOUND_COUNT; i++)
		bound_ns += attribution.ns[i];
	compute_ns = ledger->unmodelled_ns + ledger->roof_ns + ledger->bandwidth_ns +
	             ledger->short_ns + ledger->slow_ns;
	assert_true(ledger->named_vector_ns <= ledger->vector_ns);
	assert_true(ledger->vector_ns <= ledger->slow_ns);
	assert_int_equal(work_ns, ledger->busy_ns);
	assert_int_equal(work_ns + idle_ns, ledger->total_ns);
	assert_int_equal(bound_ns, attribution.total_ns);
	assert_int_equal(attribution.total_ns, ledger->total_ns);
	assert_int_equal(compute_ns, ledger->work_ns[WEIR_WORK_COMPUTE]);
	assert_int_equal(ledger->copy_ns[0] + ledger->copy_ns[1], ledger->work_ns[WEIR_WORK_COPY]);
	assert_true(late_ns <= idle_ns);
	/* The late time of the rules is a part of the time attributed to the runtime. */
	assert_true(late_ns - ledger->late_ns[WEIR_LATE_ALLOCATOR] -
	                    ledger->late_ns[WEIR_LATE_NO_WORK] <=
	            ledger->bound_ns[WEIR_BOUND_RUNTIME]);
}

static void random_attributions_sum_exactly_to_the_windows(void **state)
{
	uint64_t seed = 31;

	(void)state;
	for (int round = 0; round < 500; round++) {
		struct books books;
		int64_t window_ns = 0;

		books_open(&books, random_trace(&seed), round % 2);
		for (size_t g = 0; g < books.rank.groups.count; g++)
			books.rank.assessments[g].verdict.bound = (enum weir_bound[]){
				WEIR_BOUND_MEMORY, WEIR_BOUND_KERNEL, WEIR_BOUND_HARDWARE,
				WEIR_BOUND_RUNTIME, WEIR_BOUND_UNDETERMINED}[g % 5];
		books_fill(&books);
		for (size_t d = 0; d < books.trace->device_count; d++)
			window_ns += books.rank.activity[d].window_ns;
		assert_int_equal(books.total.total_ns, window_ns);
		assert_int_equal(books.total.busy_ns, books.rank.busy_ns);
		for (size_t s = 0; s < books.rank.steps.stage_count; s++)
			assert_ledger(&books.stages[s]);
		assert_ledger(&books.outside);
		assert_ledger(&books.total);
		books_close(&books);
	}
}

/* Attributes a rank in shares, and adds their ledgers up. */
static void fill_in_shares(struct books *books, size_t shares)
{
	size_t stages = books->rank.steps.stage_count;

	for (size_t i = 0; i < shares; i++) {
		struct weir_ledger *share = weir_alloc((stages + 1) * sizeof *share);

		weir_attribute_part(&books->rank, i, shares, share, &share[stages]);
		for (size_t s = 0; s < stages; s++)
			weir_ledger_add(&books->stages[s], &share[s]);
		weir_ledger_add(&books->outside, &share[stages]);
		free(share);
	}
}

static void shares_of_a_rank_add_up_to_the_whole(void **state)
{
	uint64_t seed = 32;

	(void)state;
	for (size_t round = 0; round < 100; round++) {
		struct books books;
		struct weir_ledger *stages, outside = {0};
		size_t size;

		books_open(&books, random_trace(&seed), round % 2);
		size = books.rank.steps.stage_count * sizeof *stages;
		stages = weir_alloc(size + 1);
		weir_attribute(&books.rank, stages, &outside);
		fill_in_shares(&books, 1 + round % 7);
		assert_memory_equal(&books.outside, &outside, sizeof outside);
		if (size > 0)
			assert_memory_equal(books.stages, stages, size);
		free(stages);
		books_close(&books);
	}
}

static void hostile_clocks_do_not_overflow(void **state)
{
	struct make_trace *make = make_trace_new();
	struct books books;

	(void)state;
	for (uint16_t d = 0; d < 4; d++)
		make_device(make, &(struct make_device_row){.device = d,
		                                            .stream = d,
		                                            .name = "k",
		                                            .start_ns = INT64_MIN,
		                                            .end_ns = INT64_MAX});
	books_open(&books, make_trace_finish(make), true);
	books_fill(&books);
	assert_int_equal(books.total.total_ns, INT64_MAX);
	assert_int_equal(books.total.bound_ns[WEIR_BOUND_UNDETERMINED], INT64_MAX);
	books_close(&books);
}

/* A collective in [0, 100), of which [40, 70) is hidden behind computation. Only the exposed parts
 * before and after can be waiting. */
static void a_wait_counts_only_where_its_collective_is_exposed(void **state)
{
	static const struct {
		int64_t until_ns, wait_ns;
	} cases[] = {{INT64_MIN, 0}, {0, 0},   {1, 1},   {39, 39},  {40, 40},  {41, 40},
	             {69, 40},       {70, 40}, {71, 41}, {100, 70}, {1000, 70}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct make_trace *make = make_trace_new();
		struct books books;

		make_kernel(make, 1, "ncclDevKernel_AllReduce", 0, 100, 0);
		make_kernel(make, 0, "gemm", 40, 70, 0);
		books_open(&books, make_trace_finish(make), true);
		books.rank.waits.until_ns = weir_alloc(2 * sizeof(int64_t));
		books.rank.waits.by = weir_alloc(2);
		books.rank.waits.longest = weir_alloc(2 * sizeof(bool));
		books.rank.waits.until_ns[0] = cases[i].until_ns;
		books.rank.waits.until_ns[1] = INT64_MIN;
		books.rank.waits.by[0] = WEIR_LATE_BY_HOST;
		books.rank.waits.longest[0] = i % 2;
		books_fill(&books);
		assert_int_equal(books.total.work_ns[WEIR_WORK_COMM], 70);
		assert_int_equal(books.total.matched_ns, cases[i].until_ns == INT64_MIN ? 0 : 70);
		assert_int_equal(books.total.wait_ns[WEIR_LATE_BY_HOST], cases[i].wait_ns);
		assert_int_equal(books.total.longest_ns, i % 2 ? cases[i].wait_ns : 0);
		books_close(&books);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_time_goes_by_the_verdict_on_its_group),
		cmocka_unit_test(time_goes_to_the_stage_that_launched_it_or_was_late),
		cmocka_unit_test(late_host_work_is_told_by_its_stage_else_by_its_place),
		cmocka_unit_test(random_attributions_sum_exactly_to_the_windows),
		cmocka_unit_test(shares_of_a_rank_add_up_to_the_whole),
		cmocka_unit_test(hostile_clocks_do_not_overflow),
		cmocka_unit_test(a_wait_counts_only_where_its_collective_is_exposed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
