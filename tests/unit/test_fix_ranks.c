/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixes of collectives. Each step computes, takes part in a collective, and waits for the device.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS    12
#define US       INT64_C(1000)
#define TRANSFER (50 * US)
#define DEVICE   "NVIDIA H200"

static const char all_reduce[] = "ncclDevKernel_AllReduce_Sum_bf16_RING_LL";

/* The loop has some jitter, which distinguishes its iterations. */
static int64_t begin_of(int64_t step)
{
	return step * 1000 * US + step * step * 7919 % 977 * 20;
}

/* Gives every collective of a trace this number of elements of 16 bits, and 4 members. */
static void give_sizes(struct weir_trace *trace, int64_t elements)
{
	const struct weir_collective like = {
		.name = weir_names_add(trace->names, "allreduce", 9),
		.dtype = weir_names_add(trace->names, "BFloat16", 8),
		.elements_in = elements,
		.elements_out = elements,
		.group_size = 4,
		.sequence = -1,
	};

	for (size_t row = 0; row < trace->device.count; row++) {
		struct weir_collective *one;

		if (!strstr(weir_names_text(trace->names, trace->device.name[row]), "nccl"))
			continue;
		trace->collectives =
			weir_grow(trace->collectives, &trace->collective_capacity,
		                  trace->collective_count + 1, sizeof *trace->collectives);
		one = &trace->collectives[trace->collective_count++];
		*one = like;
		one->device_row = (uint32_t)row;
	}
}

/* ---- several ranks ---- */

#define RANKS 3
#define LAST  (600 * US) /* from the start of a step to the arrival of the last rank */

/* The behaviour of a rank in a step. */
struct habit {
	int64_t host_ns, work_ns;
};

static struct weir_trace *trace_of(const struct habit *habit)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = begin_of(i), call_ns = at + habit->host_ns;
		int64_t end_ns = at + 10 * US + LAST + TRANSFER;
		uint64_t id = (uint64_t)i * 2 + 1;

		advice_make_step(make, i, at - 20 * US, begin_of(i + 1) - 20 * US);
		make_call(make, 0, "cudaLaunchKernel", call_ns, call_ns + 2 * US, id);
		make_call(make, 0, "cudaLaunchKernel", call_ns + 3 * US, call_ns + 5 * US, id + 1);
		make_call(make, 0, "cudaDeviceSynchronize", call_ns + 6 * US, end_ns + 5 * US, 0);
		make_kernel(make, 0, "gemm", call_ns + 10 * US, call_ns + 10 * US + habit->work_ns,
		            id);
		make_kernel(make, 0, all_reduce, call_ns + 10 * US + habit->work_ns, end_ns,
		            id + 1);
	}
	trace = make_trace_finish(make);
	trace->base_ns = 1700000000000000000;
	return trace;
}

static void init_ranks(struct advice_run *run, const struct habit *habits)
{
	struct weir_trace *traces[RANKS];

	for (size_t r = 0; r < RANKS; r++) {
		traces[r] = trace_of(&habits[r]);
		traces[r]->rank = (int64_t)r;
	}
	advice_run_init(run, traces, RANKS, DEVICE);
}

static void ranks_take_the_mean_of_their_work(void **state)
{
	static const struct habit habits[RANKS] = {{0, 200 * US}, {0, 600 * US}, {0, 200 * US}};
	struct advice_run run;
	double before_ns;

	(void)state;
	init_ranks(&run, habits);
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_balance_ranks));
	assert_near(before_ns - advice_run_step_ns(&run), 600e3 - 1000e3 / 3, 0.05);
	assert_false(advice_run_apply(&run, weir_fix_late_host));
	advice_run_release(&run);
}

static void a_late_host_is_waited_for_no_more(void **state)
{
	static const struct habit habits[RANKS] = {
		{0, 200 * US}, {400 * US, 200 * US}, {0, 200 * US}};
	struct advice_run run;
	double before_ns;

	(void)state;
	init_ranks(&run, habits);
	before_ns = advice_run_step_ns(&run);
	assert_false(advice_run_apply(&run, weir_fix_balance_ranks));
	assert_true(advice_run_apply(&run, weir_fix_late_host));
	assert_near(before_ns - advice_run_step_ns(&run), 400e3, 0.05);
	advice_run_release(&run);
}

/* The program belongs to the rank for which the others wait. */
static void the_rank_with_most_work_takes_the_mean(void **state)
{
	static const struct habit habits[RANKS] = {{0, 600 * US}, {0, 200 * US}, {0, 200 * US}};
	struct advice_run run;
	double before_ns, mean_ns = 1000e3 / 3;

	(void)state;
	init_ranks(&run, habits);
	before_ns = advice_run_step_ns(&run);
	assert_true(advice_run_apply(&run, weir_fix_balance_ranks));
	assert_near(run.draft.program.jobs[0].ns, mean_ns, 1e-6);
	assert_near(run.draft.program.jobs[0].low_ns, mean_ns, 1e-6);
	assert_near(run.draft.program.jobs[0].high_ns, (mean_ns + 600e3) / 2, 1e-6);
	assert_near(run.draft.program.jobs[1].ns, run.advisor.program.jobs[1].ns, 0);
	assert_near(before_ns - advice_run_step_ns(&run), 600e3 - mean_ns, 0.01);
	assert_false(advice_run_apply(&run, weir_fix_late_host));
	advice_run_release(&run);
}

static double host_ns_of(const struct weir_program *program)
{
	double ns = 0;

	for (size_t i = 0; i < program->issue_count; i++)
		ns += program->issues[i].work_ns;
	return ns;
}

/* Its host does less for as long as the others wait for it on average: 400 us. */
static void the_rank_with_a_late_host_hurries(void **state)
{
	static const struct habit habits[RANKS] = {
		{400 * US, 200 * US}, {0, 200 * US}, {0, 200 * US}};
	struct advice_run run;
	double before_ns;

	(void)state;
	init_ranks(&run, habits);
	before_ns = host_ns_of(&run.advisor.program);
	assert_false(advice_run_apply(&run, weir_fix_balance_ranks));
	assert_true(advice_run_apply(&run, weir_fix_late_host));
	assert_near(before_ns - host_ns_of(&run.draft.program), 400e3, 0.02);
	advice_run_release(&run);
}

static void even_ranks_are_promised_nothing(void **state)
{
	static const struct habit habits[RANKS] = {{0, 600 * US}, {0, 600 * US}, {0, 600 * US}};
	struct advice_run run;

	(void)state;
	init_ranks(&run, habits);
	assert_false(advice_run_apply(&run, weir_fix_balance_ranks));
	assert_false(advice_run_apply(&run, weir_fix_late_host));
	advice_run_release(&run);
}

/* ---- one rank ---- */

/* Computation of 400 us, and behind it or beside it a collective of 300 us. */
static void init_transfer(struct advice_run *run, int64_t elements, bool beside)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = begin_of(i), start_ns = at + (beside ? 20 * US : 410 * US);
		uint64_t id = (uint64_t)i * 2 + 1;

		advice_make_step(make, i, at - 20 * US, begin_of(i + 1) - 20 * US);
		make_call(make, 0, "cudaLaunchKernel", at, at + 2 * US, id);
		make_call(make, 0, "cudaLaunchKernel", at + 3 * US, at + 5 * US, id + 1);
		make_call(make, 0, "cudaDeviceSynchronize", at + 6 * US, at + 800 * US, 0);
		make_kernel(make, 0, "gemm", at + 10 * US, at + 410 * US, id);
		make_kernel(make, 1, all_reduce, start_ns, start_ns + 300 * US, id + 1);
	}
	trace = make_trace_finish(make);
	give_sizes(trace, elements);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void exposed_transfer_hides_behind_computation(void **state)
{
	static const struct {
		int64_t elements;
		double hidden, most, least;
	} cases[] = {
		/* A message of 64 MB sends 96 MB over the link. */
		{32000000, 0.8, 1, 0.5},
		/* The limit is 1 MiB over the link, 1.5 times the message. Waiting is not
	         * transfer: 30 us and 1 MB at a quarter of 450 GB/s are left. */
		{349526, 0.8, 1, 0.5},
		{349525, 0.3, 0.6, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;
		double transfer_ns = (double)cases[i].elements * 3 / (0.25 * 450) + 30e3;

		transfer_ns = transfer_ns > 300e3 ? 300e3 : transfer_ns;
		init_transfer(&run, cases[i].elements, false);
		assert_true(advice_run_apply(&run, weir_fix_overlap_communication));
		assert_near(run.draft.program.jobs[1].ns, 300e3 - cases[i].hidden * transfer_ns,
		            0.001);
		assert_near(run.draft.program.jobs[1].low_ns, 300e3 - cases[i].most * transfer_ns,
		            0.001);
		assert_near(run.draft.program.jobs[1].high_ns, 300e3 - cases[i].least * transfer_ns,
		            0.001);
		advice_run_release(&run);
	}
}

static void hidden_transfer_is_promised_nothing(void **state)
{
	struct advice_run run;

	(void)state;
	init_transfer(&run, 32000000, true);
	assert_false(advice_run_apply(&run, weir_fix_overlap_communication));
	advice_run_release(&run);
}

static void half_the_bytes_take_half_the_time_and_the_casts(void **state)
{
	struct advice_run run;
	double cast_ns;

	(void)state;
	init_transfer(&run, 32000000, false);
	assert_true(advice_run_apply(&run, weir_fix_fewer_bytes));
	cast_ns = 2 * 96e6 / run.advisor.bandwidth * 1e9;
	assert_near(run.draft.program.jobs[1].ns, 150e3 + cast_ns, 0.001);
	advice_run_release(&run);
	init_transfer(&run, 349525, false); /* limited by latency */
	assert_false(advice_run_apply(&run, weir_fix_fewer_bytes));
	advice_run_release(&run);
}

/* `count` collectives of 20 us, with such a kernel and 1 us between them; a kernel on another
 * stream runs beside the beginning of each. */
static void init_beside(struct advice_run *run, int count, int64_t elements, const char *between,
                        int64_t between_ns, int64_t beside_ns)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	uint64_t id = 1;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = begin_of(i), end_ns = begin_of(i + 1) - 20 * US;

		advice_make_step(make, i, at - 20 * US, end_ns);
		make_call(make, 0, "cudaLaunchKernel", at, at + 2 * US, id);
		make_kernel(make, 0, "gemm", at + 5 * US, at + 300 * US, id++);
		for (int c = 0; c < count; c++, id += 3) {
			int64_t call_ns = at + (5 + 10 * c) * US;
			int64_t start_ns = at + 300 * US + c * (21 * US + between_ns);

			make_call(make, 0, "cudaLaunchKernel", call_ns, call_ns + 2 * US, id);
			make_call(make, 0, "cudaLaunchKernel", call_ns + 3 * US, call_ns + 5 * US,
			          id + 1);
			make_kernel(make, 0, all_reduce, start_ns, start_ns + 20 * US, id);
			make_kernel(make, 0, between, start_ns + 20 * US,
			            start_ns + 20 * US + between_ns, id + 1);
			if (beside_ns == 0)
				continue;
			make_call(make, 0, "cudaLaunchKernel", call_ns + 6 * US, call_ns + 8 * US,
			          id + 2);
			make_kernel(make, 1, "gemm", start_ns, start_ns + beside_ns, id + 2);
		}
		make_call(make, 0, "cudaDeviceSynchronize", at + 200 * US, end_ns - 10 * US, 0);
	}
	trace = make_trace_finish(make);
	give_sizes(trace, elements);
	advice_run_init(run, &trace, 1, DEVICE);
}

static void init_many(struct advice_run *run, int count, int64_t elements, const char *between,
                      int64_t between_ns)
{
	init_beside(run, count, elements, between, between_ns, 0);
}

static void small_messages_in_a_row_become_one(void **state)
{
	static const char scale[] = "vectorized_elementwise_kernel";
	static const struct {
		int count;
		const char *between;
		int64_t between_ns;
		bool found;
	} cases[] = {
		{8, scale, 2 * US, true},
		{7, scale, 2 * US, false},
		{8, scale, 20 * US, false},         /* too long to scale a message */
		{8, "ampere_sgemm", 2 * US, false}, /* a layer that needs the message before it */
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct advice_run run;

		init_many(&run, cases[i].count, 4096, cases[i].between, cases[i].between_ns);
		assert_int_equal(advice_run_apply(&run, weir_fix_bucket_collectives),
		                 cases[i].found);
		if (cases[i].found) {
			assert_near(run.draft.program.jobs[1].ns, 20e3, 0.001);
			assert_near(run.draft.program.jobs[3].ns, 4096 * 3 / (0.35 * 450), 0.001);
			assert_near(run.draft.program.jobs[3].gap_ns, 0, 0.001);
			assert_non_null(strstr(run.draft.basis.data, "8 messages "));
			assert_non_null(strstr(run.draft.basis.data, " joined to 1, "));
		}
		advice_run_release(&run);
	}
}

static void a_chain_of_layers_hides_little(void **state)
{
	static const struct {
		int count;
		double hidden;
	} cases[] = {{8, 0.3}, {7, 0.8}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct advice_run run;

		init_many(&run, cases[i].count, 349526, "ampere_sgemm", 2 * US);
		assert_true(advice_run_apply(&run, weir_fix_overlap_communication));
		assert_near(run.draft.program.jobs[1].ns, 20e3 * (1 - cases[i].hidden), 0.001);
		advice_run_release(&run);
	}
}

/* Nine tenths of the collectives' time are exposed in a chain. */
static void messages_beside_other_work_are_no_chain(void **state)
{
	static const struct {
		int64_t beside_ns;
		double hidden;
	} cases[] = {{1 * US, 0.3}, {4 * US, 0.8}};

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		double exposed_ns = 20e3 - (double)cases[i].beside_ns;
		struct advice_run run;

		init_beside(&run, 8, 349526, "ampere_sgemm", 2 * US, cases[i].beside_ns);
		assert_true(advice_run_apply(&run, weir_fix_overlap_communication));
		assert_near(run.draft.program.jobs[1].ns, 20e3 - cases[i].hidden * exposed_ns,
		            0.001);
		advice_run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_take_the_mean_of_their_work),
		cmocka_unit_test(a_late_host_is_waited_for_no_more),
		cmocka_unit_test(the_rank_with_most_work_takes_the_mean),
		cmocka_unit_test(the_rank_with_a_late_host_hurries),
		cmocka_unit_test(even_ranks_are_promised_nothing),
		cmocka_unit_test(exposed_transfer_hides_behind_computation),
		cmocka_unit_test(a_chain_of_layers_hides_little),
		cmocka_unit_test(messages_beside_other_work_are_no_chain),
		cmocka_unit_test(hidden_transfer_is_promised_nothing),
		cmocka_unit_test(half_the_bytes_take_half_the_time_and_the_casts),
		cmocka_unit_test(small_messages_in_a_row_become_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
