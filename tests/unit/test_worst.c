/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranks and groups of ranks that stand out in a job. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/ranks/experts.h"
#include "engine/analysis/ranks/worst.h"
#include "engine/analysis/rows/rows.h"
#include "engine/base/arena.h"
#include "engine/base/splitmix.h"

#define RANKS    16
#define LOCAL    4  /* ranks of a local group */
#define MEETINGS 96 /* every fourth one is of pairs of ranks of neighbouring local groups */
#define OWN_NS   100000
#define MOVE_NS  1000
#define PAIR_NS  20000
/* Each part of a run has several collectives, but few parts have a gap. */
#define GAPS_EVERY 24

/* A fault of the job. */
struct fault {
	int rank, last_rank; /* ranks that are late; -1: none */
	int64_t late_ns;     /* in each interval before a collective */
	int64_t pause_ns;    /* once, before the collective in the middle */
	int64_t busy_ns;     /* the part of late_ns that is work; the rest is a late host */
	int pair;            /* lower rank of a pair with a slow link; -1: none */
	double factor;       /* of its transfers */
	int64_t received;    /* its elements; other ranks: 1000 */
	int expert;          /* rank whose experts receive more in the local group; -1: none */
	int64_t noise_ns;    /* most that any interval is longer */
	int64_t gap_ns;      /* most that one interval in GAPS_EVERY is longer */
	bool nodes;          /* each local group is on a node */
	bool single;         /* each rank is on its own node */
};

static const struct fault healthy = {
	.rank = -1, .last_rank = -1, .pair = -1, .factor = 1, .expert = -1};

struct job {
	struct weir_rank_summary summaries[RANKS];
	struct weir_meetings *meetings;
	struct weir_worst worst;
	int64_t now_ns[RANKS], busy_ns[RANKS], late_ns[RANKS];
	uint64_t state;
};

static bool is_pair(size_t m)
{
	return m % 4 == 3;
}

static size_t partner(size_t rank)
{
	return rank / LOCAL % 2 == 0 ? rank + LOCAL : rank - LOCAL;
}

/* Lets a rank work until its next collective. */
static void work(struct job *job, const struct fault *fault, size_t rank, size_t m)
{
	bool late = (int)rank >= fault->rank && (int)rank <= fault->last_rank;
	int64_t more_ns = late ? fault->late_ns : 0;

	if (late && m == MEETINGS / 2)
		more_ns += fault->pause_ns;
	job->state = weir_splitmix64(job->state);
	if (fault->noise_ns > 0)
		job->now_ns[rank] += (int64_t)(job->state % (uint64_t)fault->noise_ns);
	if (fault->gap_ns > 0 && m % GAPS_EVERY == GAPS_EVERY - 1)
		job->now_ns[rank] += (int64_t)(job->state / 3 % (uint64_t)fault->gap_ns);
	job->now_ns[rank] += OWN_NS + more_ns;
	job->busy_ns[rank] += OWN_NS + (late ? fault->busy_ns : 0);
	job->late_ns[rank] += late ? more_ns - fault->busy_ns : 0;
}

static void add_arrival(struct job *job, size_t rank, size_t m, const char *key, int64_t end_ns,
                        int64_t received)
{
	struct weir_rank_summary *summary = &job->summaries[rank];

	weir_lane_add(&summary->devices[0].lane,
	              &(struct weir_arrival){
			      .key = weir_names_add(summary->keys, key, strlen(key)),
			      .row = (uint32_t)m,
			      .sequence = (int64_t)m,
			      .start_ns = job->now_ns[rank],
			      .end_ns = end_ns,
			      .link_bytes = 1e6,
			      .received = received,
			      .steady = true,
			      .busy_ns = {job->busy_ns[rank], job->busy_ns[rank]},
			      .late_ns = {job->late_ns[rank], job->late_ns[rank]},
		      });
}

static void meet(struct job *job, const struct fault *fault, size_t m)
{
	int64_t starts[RANKS];

	memcpy(starts, job->now_ns, sizeof starts);
	for (size_t r = 0; r < RANKS; r++) {
		size_t first = r - r % LOCAL;
		int64_t last_ns = starts[r], move_ns = MOVE_NS;
		char key[64];

		snprintf(key, sizeof key, "local %zu\n[]\n%s", first,
		         fault->expert < 0 ? "allreduce" : "all_to_allv");
		for (size_t i = first; !is_pair(m) && i < first + LOCAL; i++)
			last_ns = starts[i] > last_ns ? starts[i] : last_ns;
		if (is_pair(m)) {
			size_t low = r < partner(r) ? r : partner(r);

			snprintf(key, sizeof key, "pair %zu\n[]\nallgather", low);
			last_ns = starts[partner(r)] > last_ns ? starts[partner(r)] : last_ns;
			move_ns = (int)low == fault->pair ? (int64_t)(fault->factor * PAIR_NS)
			                                  : PAIR_NS;
		}
		add_arrival(job, r, m, key, last_ns + move_ns,
		            fault->expert == (int)r ? fault->received : 1000);
		job->now_ns[r] = last_ns + move_ns;
	}
}

static void job_open(struct job *job, const struct fault *fault)
{
	static const char *const nodes[RANKS / LOCAL] = {"a", "b", "c", "d"};
	static const char names[] = "a\0b\0c\0d\0e\0f\0g\0h\0i\0j\0k\0l\0m\0n\0o\0p";

	*job = (struct job){.state = 7};
	for (size_t r = 0; r < RANKS; r++) {
		struct weir_rank_summary *summary = &job->summaries[r];

		summary->rank = (int64_t)r;
		summary->node = fault->nodes ? nodes[r / LOCAL] : NULL;
		if (fault->single)
			summary->node = names + 2 * r;
		summary->device_count = 1;
		summary->devices = weir_alloc(sizeof *summary->devices);
		summary->devices[0].link_bytes_per_s = NAN;
		summary->keys = weir_names_new();
	}
	for (size_t m = 0; m < MEETINGS; m++) {
		for (size_t r = 0; r < RANKS; r++)
			work(job, fault, r, m);
		meet(job, fault, m);
	}
	for (size_t r = 0; r < RANKS; r++)
		job->summaries[r].span_ns = job->now_ns[r];
	job->meetings = weir_meetings_new(job->summaries, RANKS);
	assert_true(weir_meetings_count(job->meetings) > 0);
	weir_worst_find(&job->worst, job->meetings, job->summaries, RANKS);
}

static void job_close(struct job *job)
{
	weir_worst_release(&job->worst);
	weir_meetings_free(job->meetings);
	for (size_t r = 0; r < RANKS; r++)
		weir_rank_summary_release(&job->summaries[r]);
}

static void nobody_stands_out_of_equal_ranks(void **state)
{
	struct fault noisy = healthy;
	struct job job;

	(void)state;
	job_open(&job, &healthy);
	assert_int_equal(job.worst.rank_count + job.worst.group_count, 0);
	job_close(&job);
	noisy.noise_ns = OWN_NS / 5;
	job_open(&job, &noisy);
	assert_int_equal(job.worst.rank_count + job.worst.group_count, 0);
	job_close(&job);
}

static void a_late_rank_is_named_with_its_cause(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = fault.last_rank = 6;
	fault.late_ns = OWN_NS / 5;
	fault.noise_ns = OWN_NS / 20;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 1);
	assert_int_equal(job.worst.ranks[0].summary, 6);
	assert_int_equal(job.worst.ranks[0].by, WEIR_LATE_BY_HOST);
	assert_true(job.worst.ranks[0].votes > 0.9);
	assert_int_equal(job.worst.group_count, 0);
	job_close(&job);
	fault.busy_ns = fault.late_ns;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 1);
	assert_int_equal(job.worst.ranks[0].by, WEIR_LATE_BY_DEVICE);
	job_close(&job);
}

/* Ranks of a local group that are equally late do not differ among themselves, but from the ranks
 * that they meet in pairs. */
static void a_late_local_group_is_named_rank_by_rank(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = 4;
	fault.last_rank = 7;
	fault.late_ns = OWN_NS / 5;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(job.worst.ranks[i].summary, 4 + i);
	job_close(&job);
}

static void a_node_is_named_in_place_of_its_ranks(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = 4;
	fault.last_rank = 7;
	fault.late_ns = OWN_NS / 5;
	fault.nodes = true;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 0);
	assert_int_equal(job.worst.node_count, 1);
	assert_string_equal(job.worst.nodes[0].name, "b");
	assert_int_equal(job.worst.nodes[0].ranks, LOCAL);
	assert_int_equal(job.worst.nodes[0].by, WEIR_LATE_BY_HOST);
	job_close(&job);
	fault.last_rank = 4; /* one rank does not make a slow node */
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 1);
	assert_int_equal(job.worst.node_count, 0);
	job_close(&job);
}

static void a_node_is_named_if_half_of_its_ranks_stand_out(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = 4;
	fault.last_rank = 5;
	fault.late_ns = OWN_NS / 20;
	fault.nodes = true;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 0);
	assert_int_equal(job.worst.node_count, 1);
	assert_string_equal(job.worst.nodes[0].name, "b");
	assert_true(job.worst.nodes[0].share >= WEIR_WORST_SHARE);
	job_close(&job);
}

/* All ranks pause now and then, by times that differ by more than a slow node adds in the run. */
static void a_slow_node_is_named_in_spite_of_long_gaps(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.nodes = true;
	fault.noise_ns = OWN_NS / 20;
	fault.gap_ns = (int64_t)50 * OWN_NS;
	job_open(&job, &fault);
	assert_int_equal(job.worst.node_count + job.worst.rank_count, 0);
	job_close(&job);
	fault.rank = 4;
	fault.last_rank = 7;
	fault.late_ns = OWN_NS / 2;
	job_open(&job, &fault);
	assert_int_equal(job.worst.node_count, 1);
	assert_string_equal(job.worst.nodes[0].name, "b");
	assert_int_equal(job.worst.rank_count, 0);
	job_close(&job);
}

/* A late rank of a local group adds its lateness once for each of 96 collectives: 0.02 of the time
 * is 2 % of each interval with its transfer. */
static void lateness_below_two_per_cent_is_not_named(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = fault.last_rank = 2;
	fault.late_ns = 4000;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 1);
	assert_true(job.worst.ranks[0].share >= WEIR_WORST_SHARE);
	job_close(&job);
	fault.late_ns = 1800;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 0);
	job_close(&job);
}

static void one_long_pause_makes_no_straggler(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = fault.last_rank = 9;
	fault.pause_ns = (int64_t)20 * OWN_NS;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 0);
	job_close(&job);
}

static void late_ranks_on_separate_nodes_are_named_alone(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = 4;
	fault.last_rank = 5;
	fault.late_ns = OWN_NS / 2;
	fault.single = true;
	job_open(&job, &fault);
	assert_int_equal(job.worst.node_count, 0);
	assert_int_equal(job.worst.rank_count, 2);
	job_close(&job);
}

static void one_long_pause_of_a_node_makes_it_no_straggler(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.rank = 4;
	fault.last_rank = 7;
	fault.nodes = true;
	fault.noise_ns = OWN_NS / 20;
	fault.pause_ns = (int64_t)40 * OWN_NS;
	job_open(&job, &fault);
	assert_int_equal(job.worst.node_count + job.worst.rank_count, 0);
	job_close(&job);
}

static void a_slow_link_is_named_and_its_ranks_are_not(void **state)
{
	struct fault fault = healthy;
	struct job job;

	(void)state;
	fault.pair = 9;
	fault.factor = 4;
	fault.noise_ns = OWN_NS / 20;
	job_open(&job, &fault);
	assert_int_equal(job.worst.rank_count, 0);
	assert_int_equal(job.worst.group_count, 1);
	assert_int_equal(job.worst.groups[0].member_count, 2);
	assert_int_equal(job.worst.groups[0].summaries[0], 9);
	assert_int_equal(job.worst.groups[0].summaries[1], 9 + LOCAL);
	assert_string_equal(strrchr(job.worst.groups[0].key, '\n') + 1, "allgather");
	assert_true(fabs(job.worst.groups[0].factor - 4) < 0.01);
	job_close(&job);
	fault.factor = 1.19; /* below the factor, and too little time */
	job_open(&job, &fault);
	assert_int_equal(job.worst.group_count, 0);
	job_close(&job);
}

/* One of four ranks receives x, the others 1000: x / ((x + 3000) / 4) is 1.25 at 1363.6. */
static void uneven_experts_are_named_from_a_quarter_more_tokens(void **state)
{
	struct fault fault = healthy;
	struct weir_experts_list experts;
	struct job job;

	(void)state;
	fault.expert = 14;
	fault.received = 1364;
	job_open(&job, &fault);
	weir_experts_find(&experts, job.meetings);
	assert_int_equal(experts.count, 1);
	assert_int_equal(experts.items[0].summary, 14);
	assert_int_equal(experts.items[0].members, LOCAL);
	assert_true(experts.items[0].imbalance >= WEIR_EXPERTS_IMBALANCE);
	weir_experts_release(&experts);
	job_close(&job);
	fault.received = 1363;
	job_open(&job, &fault);
	weir_experts_find(&experts, job.meetings);
	assert_int_equal(experts.count, 0);
	weir_experts_release(&experts);
	job_close(&job);
	fault.received = -1; /* not recorded */
	job_open(&job, &fault);
	weir_experts_find(&experts, job.meetings);
	assert_int_equal(experts.count, 0);
	weir_experts_release(&experts);
	job_close(&job);
}

static void the_report_has_a_row_for_uneven_experts(void **state)
{
	struct fault fault = healthy;
	struct weir_profile *profile = weir_profile_new();
	struct weir_report *report = weir_report_new(profile);
	struct weir_analysis analysis = {.summary_count = RANKS, .rank_count = 0};
	uint32_t detailed[RANKS];
	const struct weir_worst_row *row;
	struct job job;

	(void)state;
	fault.expert = 14;
	fault.received = 2000;
	job_open(&job, &fault);
	job.summaries[14].rank = 14;
	memset(detailed, 0xff, sizeof detailed); /* WEIR_NONE */
	analysis.summaries = job.summaries;
	analysis.detailed = detailed;
	weir_experts_find(&analysis.experts, job.meetings);
	weir_fill_job(&analysis, report);
	assert_int_equal(report->job->row_count, 1);
	row = &report->job->rows[0];
	assert_int_equal(row->kind, WEIR_WORST_EXPERTS);
	assert_string_equal(row->name, "experts of rank 14");
	assert_string_equal(row->collective, "all_to_allv");
	assert_int_equal(row->ranks, LOCAL);
	assert_true(fabs(row->factor - 2000 / ((2000 + 3000) / 4.)) < 1e-9);
	weir_experts_release(&analysis.experts);
	job_close(&job);
	weir_report_free(report);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nobody_stands_out_of_equal_ranks),
		cmocka_unit_test(a_late_rank_is_named_with_its_cause),
		cmocka_unit_test(a_late_local_group_is_named_rank_by_rank),
		cmocka_unit_test(a_node_is_named_in_place_of_its_ranks),
		cmocka_unit_test(a_node_is_named_if_half_of_its_ranks_stand_out),
		cmocka_unit_test(a_slow_node_is_named_in_spite_of_long_gaps),
		cmocka_unit_test(lateness_below_two_per_cent_is_not_named),
		cmocka_unit_test(one_long_pause_makes_no_straggler),
		cmocka_unit_test(uneven_experts_are_named_from_a_quarter_more_tokens),
		cmocka_unit_test(the_report_has_a_row_for_uneven_experts),
		cmocka_unit_test(late_ranks_on_separate_nodes_are_named_alone),
		cmocka_unit_test(one_long_pause_of_a_node_makes_it_no_straggler),
		cmocka_unit_test(a_slow_link_is_named_and_its_ranks_are_not),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
