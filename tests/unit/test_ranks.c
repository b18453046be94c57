/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waiting between ranks, and the cause of late ranks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/rank/attribution.h"
#include "engine/analysis/ranks/ranks.h"
#include "engine/analysis/ranks/ranks_match.h"
#include "engine/base/arena.h"
#include "tests/unit/make_trace.h"
#include "tests/unit/near.h"

#define RANKS    3
#define STEPS    12
#define PERIOD   INT64_C(100000)
#define TRANSFER INT64_C(1000)
#define WAIT     INT64_C(40000) /* of the other ranks */
#define LAST     INT64_C(60000) /* from the start of a step to the arrival of the last rank */

/* The behaviour of one rank in a step before its collective. */
struct habit {
	int64_t idle_ns; /* delay of the launch by its host */
	int64_t work_ns;
	const char *collective; /* name of the kernel; NULL: an all-reduce of NCCL */
};

struct job {
	struct weir_trace *traces[RANKS];
	struct weir_rank ranks[RANKS];
	struct weir_device_table table;
	size_t count;
};

/* The loop has some jitter, which distinguishes its iterations. */
static int64_t begin_of(int64_t step)
{
	return step * PERIOD + step * step * 7919 % 977 * 20;
}

/* Steps begin together because the previous collective ends together. */
static struct weir_trace *trace_of(const struct habit *habit, int64_t steps)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int64_t i = 0; i < steps; i++) {
		int64_t start_ns = begin_of(i) + habit->idle_ns;
		/* Launched while the device was busy, or after it ran out of work. */
		int64_t call_ns = habit->idle_ns > 0 ? start_ns - 20 : start_ns - 2000;
		uint64_t id = (uint64_t)i * 2 + 1;

		make_host(make, WEIR_HOST_OP, 0, "aten::mm", call_ns - 5, call_ns + 10);
		make_call(make, 0, "cudaLaunchKernel", call_ns, call_ns + 5, id);
		make_call(make, 0, "cudaLaunchKernel", call_ns + 20, call_ns + 25, id + 1);
		make_kernel(make, 0, "gemm", start_ns, start_ns + habit->work_ns, id);
		make_kernel(make, 0,
		            habit->collective ? habit->collective
		                              : "ncclDevKernel_AllReduce_Sum_bf16_RING_LL",
		            start_ns + habit->work_ns, begin_of(i) + LAST + TRANSFER, id + 1);
	}
	trace = make_trace_finish(make);
	trace->base_ns = 1700000000000000000;
	return trace;
}

static void job_compare(struct job *job)
{
	for (size_t r = 0; r < job->count; r++) {
		const struct weir_rank_options options = {.table = &job->table};

		weir_rank_init(&job->ranks[r], job->traces[r], &options);
		job->ranks[r].rank = (int64_t)r;
	}
	weir_ranks_compare(job->ranks, job->count);
}

static void job_open(struct job *job, const struct habit *habits, size_t count, int64_t steps)
{
	*job = (struct job){.count = count};
	for (size_t r = 0; r < count; r++)
		job->traces[r] = trace_of(&habits[r], steps);
}

static void job_close(struct job *job)
{
	for (size_t r = 0; r < job->count; r++) {
		weir_rank_release(&job->ranks[r]);
		weir_trace_free(job->traces[r]);
	}
	weir_device_table_release(&job->table);
}

static const struct habit more_work[RANKS] = {{0, 20000, NULL}, {0, 60000, NULL}, {0, 20000, NULL}};
/* The late rank's device works while the others wait, but no longer than theirs. */
static const struct habit late_host[RANKS] = {
	{0, 20000, NULL}, {40000, 20000, NULL}, {0, 20000, NULL}};

static void early_ranks_wait_and_the_last_one_transfers(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, RANKS, STEPS);
	job_compare(&job);
	for (size_t r = 0; r < RANKS; r++) {
		const struct weir_waits *waits = &job.ranks[r].waits;

		assert_true(weir_waits_known(waits));
		assert_int_equal(waits->matched, STEPS);
		assert_int_equal(waits->wait_ns, r == 1 ? 0 : STEPS * WAIT);
		assert_int_equal(waits->transfer_ns, STEPS * TRANSFER);
		assert_int_equal(waits->offset_ns, 0);
		assert_near(waits->straggler_score, r == 1 ? 1 : 0, 1e-12);
	}
	assert_int_equal(job.ranks[0].waits.collective_ns, STEPS * (WAIT + TRANSFER));
	job_close(&job);
}

static void more_work_on_the_device_makes_a_rank_late_by_its_device(void **state)
{
	struct weir_ledger stages[1] = {{0}}, outside = {0};
	struct weir_attribution attribution;
	struct job job;

	(void)state;
	job_open(&job, more_work, RANKS, STEPS);
	job_compare(&job);
	assert_int_equal(job.ranks[0].waits.late_by, WEIR_LATE_BY_UNKNOWN);
	assert_int_equal(job.ranks[1].waits.late_by, WEIR_LATE_BY_DEVICE);
	weir_attribute(&job.ranks[0], stages, &outside);
	weir_attribution_from_ledger(&attribution, &outside);
	assert_int_equal(outside.wait_ns[WEIR_LATE_BY_DEVICE], STEPS * WAIT);
	assert_int_equal(attribution.ns[WEIR_BOUND_COMMUNICATION], STEPS * (WAIT + TRANSFER));
	job_close(&job);
}

static void a_late_launch_makes_a_rank_late_by_its_host(void **state)
{
	struct weir_ledger stages[1] = {{0}}, outside = {0};
	struct weir_attribution attribution;
	struct job job;

	(void)state;
	job_open(&job, late_host, RANKS, STEPS);
	job_compare(&job);
	assert_int_equal(job.ranks[1].waits.late_by, WEIR_LATE_BY_HOST);
	assert_near(job.ranks[1].waits.straggler_score, 1, 1e-12);
	weir_attribute(&job.ranks[0], stages, &outside);
	weir_attribution_from_ledger(&attribution, &outside);
	assert_int_equal(outside.wait_ns[WEIR_LATE_BY_HOST], STEPS * WAIT);
	assert_int_equal(attribution.ns[WEIR_BOUND_COMMUNICATION], STEPS * TRANSFER);
	assert_true(attribution.ns[WEIR_BOUND_RUNTIME] >= STEPS * WAIT);
	job_close(&job);
}

static void the_time_of_a_late_host_counts_once_among_those_that_wait(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, late_host, RANKS, STEPS);
	job_compare(&job);
	for (size_t r = 0; r < RANKS; r++) {
		struct weir_ledger stages[1] = {{0}}, outside = {0};

		weir_attribute(&job.ranks[r], stages, &outside);
		assert_int_equal(outside.longest_ns, r == 0 ? STEPS * WAIT : 0);
	}
	job_close(&job);
}

static void synchronous_ranks_have_no_cause_of_lateness(void **state)
{
	static const struct habit same[RANKS] = {
		{0, 59990, NULL}, {0, 60000, NULL}, {0, 59980, NULL}};
	struct job job;

	(void)state;
	job_open(&job, same, RANKS, STEPS);
	job_compare(&job);
	for (size_t r = 0; r < RANKS; r++)
		assert_int_equal(job.ranks[r].waits.late_by, WEIR_LATE_BY_UNKNOWN);
	assert_true(job.ranks[2].waits.wait_ns > 0);
	job_close(&job);
}

static void a_first_collective_much_longer_than_the_others_does_not_count(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, 2, STEPS);
	for (size_t i = 0; i < job.traces[1]->device.count; i++)
		if (job.traces[1]->device.start_ns[i] == LAST) { /* of the first step */
			job.traces[1]->device.start_ns[i] = -50 * PERIOD;
			job.traces[1]->device.start_ns[0] = -50 * PERIOD - 10;
			job.traces[1]->device.end_ns[0] = -50 * PERIOD;
			break;
		}
	job_compare(&job);
	assert_int_equal(job.ranks[0].waits.matched, STEPS - 1);
	assert_int_equal(job.ranks[1].waits.wait_ns, 0);
	assert_int_equal(job.ranks[1].waits.collective_ns, (STEPS - 1) * TRANSFER);
	job_close(&job);
}

static void fewer_than_eight_matched_collectives_prove_nothing(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, RANKS, WEIR_FEWEST_MATCHES - 1);
	job_compare(&job);
	for (size_t r = 0; r < RANKS; r++) {
		assert_false(weir_waits_known(&job.ranks[r].waits));
		assert_true(isnan(job.ranks[r].waits.straggler_score));
		assert_null(job.ranks[r].waits.until_ns);
	}
	job_close(&job);
}

/* Gives every collective of a trace 8 MB in 16 bits among 4 members, and a device. */
static void describe(struct weir_trace *trace)
{
	static const struct weir_collective like = {
		.elements_in = 4000000, .elements_out = 4000000, .group_size = 4, .sequence = -1};

	trace->devices[0].name = weir_names_add(trace->names, "NVIDIA H200", 11);
	trace->devices[0].memory_bytes = 0;
	trace->devices[0].sms = 0;
	for (uint32_t i = 0; i < trace->device.count; i++) {
		struct weir_collective *row;

		if (strncmp(weir_names_text(trace->names, trace->device.name[i]), "nccl", 4) != 0)
			continue;
		trace->collectives =
			weir_grow(trace->collectives, &trace->collective_capacity,
		                  trace->collective_count + 1, sizeof *trace->collectives);
		row = &trace->collectives[trace->collective_count++];
		*row = like;
		row->device_row = i;
		row->name = weir_names_add(trace->names, "allreduce", 9);
		row->group = weir_names_add(trace->names, "0", 1);
		row->dtype = weir_names_add(trace->names, "BFloat16", 8);
	}
}

static void bus_bandwidth_is_that_of_the_transfer_over_one_link(void **state)
{
	struct weir_error err;
	struct job job;

	(void)state;
	job_open(&job, more_work, RANKS, STEPS);
	for (size_t r = 0; r < RANKS; r++)
		describe(job.traces[r]);
	assert_int_equal(weir_device_table_load(&job.table, &err), WEIR_OK);
	job_compare(&job);
	/* 8 MB in 1 us, times 2 * 3 / 4; the link carries 450 GB/s in each direction. */
	assert_near(job.ranks[0].waits.bus_bytes_per_s, 8e6 / 1e-6 * 1.5, 1e-9);
	assert_near(job.ranks[0].waits.link_share, 8e6 / 1e-6 * 1.5 / 450e9, 1e-9);
	job_close(&job);
}

static void sizes_that_are_not_recorded_leave_the_bandwidth_unknown(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, RANKS, STEPS);
	job_compare(&job);
	assert_true(isnan(job.ranks[0].waits.bus_bytes_per_s));
	assert_true(isnan(job.ranks[0].waits.link_share));
	job_close(&job);
}

/* Returns the only note, or NULL if the report has no note. The caller frees it. */
static char *note_of(struct job *job, const char *code)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_rank_summary summaries[RANKS];
	char *text = NULL;

	for (size_t r = 0; r < job->count; r++) {
		weir_rank_summary_init(&summaries[r], &job->ranks[r], true);
		summaries[r].waits = job->ranks[r].waits;
	}
	weir_ranks_note(summaries, job->count, report);
	for (size_t r = 0; r < job->count; r++)
		weir_rank_summary_release(&summaries[r]);
	assert_true(report->note_count <= 1);
	if (report->note_count == 1) {
		assert_string_equal(report->notes[0].code, code);
		text = weir_alloc_text(report->notes[0].text);
	}
	weir_report_free(report);
	weir_profile_free(profile);
	return text;
}

/* Expects one note that contains `part`, or none if the code is NULL. */
static void assert_note(struct job *job, const char *code, const char *part)
{
	char *text = note_of(job, code);

	if (code) {
		assert_non_null(text);
		assert_non_null(strstr(text, part));
	} else {
		assert_null(text);
	}
	free(text);
}

static void collectives_of_different_names_do_not_match(void **state)
{
	static const struct habit habits[] = {{0, 20000, NULL},
	                                      {0, 60000, "ncclDevKernel_AllGather_RING_LL"}};
	struct job job;

	(void)state;
	job_open(&job, habits, 2, STEPS);
	job_compare(&job);
	assert_false(weir_waits_known(&job.ranks[0].waits));
	assert_note(&job, "unmatched", "2 ranks do not match");
	job_close(&job);
}

static void notes_name_the_missing_traces(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, 1, STEPS);
	job.traces[0]->world_size = 4;
	job_compare(&job);
	assert_false(weir_waits_known(&job.ranks[0].waits));
	assert_note(&job, "one_rank",
	            "traces of all ranks of the job, recorded at the same time (4");
	job_close(&job);

	job_open(&job, more_work, 2, STEPS);
	job.traces[0]->world_size = job.traces[1]->world_size = 2;
	job_compare(&job);
	assert_note(&job, NULL, NULL);
	job.traces[0]->world_size = 4;
	assert_note(&job, "missing_ranks", "2 of the 4 ranks");
	job_close(&job);

	job_open(&job, more_work, 2, WEIR_FEWEST_MATCHES - 1);
	job_compare(&job);
	assert_note(&job, "unmatched", "2 ranks do not match");
	job_close(&job);

	job_open(&job, more_work, 2, WEIR_FEWEST_MATCHES - 1);
	job_compare(&job);
	for (size_t d = 0; d < job.traces[1]->device_count; d++)
		job.ranks[1].activity[d].communication_ns = 0;
	assert_note(&job, "one_rank", "only one of the 2 traces holds collectives");
	job_close(&job);
}

static void a_clock_offset_gets_a_note(void **state)
{
	struct job job;

	(void)state;
	job_open(&job, more_work, 2, STEPS);
	job.traces[1]->base_ns += 30 * PERIOD; /* no overlap on the stated clocks */
	job_compare(&job);
	assert_int_equal(job.ranks[1].waits.offset_ns, -30 * PERIOD);
	assert_int_equal(job.ranks[0].waits.wait_ns, STEPS * WAIT);
	assert_note(&job, "clock_offset", "rank 1 most (by 3.00 ms)");
	job_close(&job);
}

/* ---- bandwidth of each kind ---- */

/* Returns the bus bandwidth of collectives of 1 us with this name, 4,000,000 elements in and
 * `out` out; NAN: unknown. */
static double bandwidth_of(const char *name, const char *dtype, int64_t in, int64_t out,
                           int64_t members)
{
	struct job job;
	double bandwidth;

	job_open(&job, more_work, RANKS, STEPS);
	for (size_t r = 0; r < RANKS; r++) {
		struct weir_trace *trace = job.traces[r];

		describe(trace);
		for (size_t i = 0; i < trace->collective_count; i++) {
			struct weir_collective *row = &trace->collectives[i];

			row->name = weir_names_add(trace->names, name, strlen(name));
			row->dtype = weir_names_add(trace->names, dtype, strlen(dtype));
			row->elements_in = in;
			row->elements_out = out;
			row->group_size = members;
		}
	}
	job_compare(&job);
	bandwidth = job.ranks[0].waits.bus_bytes_per_s;
	job_close(&job);
	return bandwidth;
}

static void each_kind_moves_its_share_over_a_link(void **state)
{
	static const struct {
		const char *name, *dtype;
		int64_t members;
		double bytes; /* over one link, in units of 1,000,000 */
	} rows[] = {
		{"all_reduce", "BFloat16", 4, 2 * 2 * 3 / 4.},
		{"allreduce", "Float", 2, 4},
		{"_allgather_base", "Byte", 4, 8 * 3 / 4.},
		{"all_gather", "Byte", 2, 8 / 2.},
		{"reduce_scatter", "Byte", 4, 3 / 4.},
		{"all_to_all", "Byte", 4, 3 / 4.},
		{"alltoall", "Byte", 4, 3 / 4.},
		{"broadcast", "Byte", 4, 1},
		{"send", "Byte", 1, 1},
		{"recv", "Byte", 1, 8},
		{"allreduce", "Byte", 1, NAN},
		{"gather", "Byte", 4, NAN},
		{"allreduce", "Tensor", 4, NAN},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_near(bandwidth_of(rows[i].name, rows[i].dtype, 1000000, 8000000,
		                         rows[i].members),
		            rows[i].bytes * 1e6 / 1e-6, 1e-9);
	assert_near(bandwidth_of("allreduce", "Byte", 0, 8000000, 4), NAN, 0);
	assert_near(bandwidth_of("recv", "Byte", 8000000, 0, 4), NAN, 0);
	assert_near(bandwidth_of("broadcast", "Byte", 1, 0, 4), 1 / 1e-6, 1e-9);
}

/* Without a stated size, the largest group of a collective is the job. */
static void the_largest_group_is_the_job(void **state)
{
	struct job job;
	char *note;

	(void)state;
	job_open(&job, more_work, 1, STEPS);
	describe(job.traces[0]);
	job.traces[0]->collectives[1].group_size = 8;
	job_compare(&job);
	assert_note(&job, "one_rank", "(8 ranks)");
	job.traces[0]->world_size = 6;
	assert_note(&job, "one_rank", "(6 ranks)");
	job.traces[0]->world_size = 1;
	note = note_of(&job, "one_rank");
	assert_non_null(note);
	assert_null(strstr(note, " ranks)"));
	free(note);
	job_close(&job);
}

static void waits_are_known_from_a_nanosecond_on(void **state)
{
	struct weir_waits waits = {.matched = WEIR_FEWEST_MATCHES, .collective_ns = 1};

	(void)state;
	assert_true(weir_waits_known(&waits));
	waits.collective_ns = 0;
	assert_false(weir_waits_known(&waits));
	waits = (struct weir_waits){.matched = WEIR_FEWEST_MATCHES - 1, .collective_ns = 1};
	assert_false(weir_waits_known(&waits));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(early_ranks_wait_and_the_last_one_transfers),
		cmocka_unit_test(more_work_on_the_device_makes_a_rank_late_by_its_device),
		cmocka_unit_test(a_late_launch_makes_a_rank_late_by_its_host),
		cmocka_unit_test(the_time_of_a_late_host_counts_once_among_those_that_wait),
		cmocka_unit_test(synchronous_ranks_have_no_cause_of_lateness),
		cmocka_unit_test(a_first_collective_much_longer_than_the_others_does_not_count),
		cmocka_unit_test(fewer_than_eight_matched_collectives_prove_nothing),
		cmocka_unit_test(bus_bandwidth_is_that_of_the_transfer_over_one_link),
		cmocka_unit_test(sizes_that_are_not_recorded_leave_the_bandwidth_unknown),
		cmocka_unit_test(collectives_of_different_names_do_not_match),
		cmocka_unit_test(notes_name_the_missing_traces),
		cmocka_unit_test(a_clock_offset_gets_a_note),
		cmocka_unit_test(each_kind_moves_its_share_over_a_link),
		cmocka_unit_test(the_largest_group_is_the_job),
		cmocka_unit_test(waits_are_known_from_a_nanosecond_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
