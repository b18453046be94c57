/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A job of more ranks than are analysed in detail: its sums include all ranks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/analyze.h"
#include "engine/base/arena.h"
#include "engine/part/part.h"
#include "engine/readers/reader.h"

#define FOLDER "tests/data/kineto/straggler"
#define RANKS  4
#define COPIES 5 /* groups of four ranks, each like the recorded one */

static struct weir_profile *read_four(void)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err;

	assert_int_equal(weir_read_path(profile, FOLDER, NULL, &err), WEIR_OK);
	assert_int_equal(profile->input_count, RANKS);
	return profile;
}

/* Gives the collectives of a copy their own group. */
static void rename_group(struct weir_trace *trace, size_t copy)
{
	char group[32];
	int length = snprintf(group, sizeof group, "group %zu", copy);
	uint32_t name = weir_names_add(trace->names, group, (size_t)length);

	for (size_t i = 0; i < trace->collective_count; i++)
		trace->collectives[i].group = name;
}

/* Makes a profile with packed copies of the four ranks; backwards: in the opposite order. */
static struct weir_profile *make_copies(size_t copies, bool backwards)
{
	struct weir_profile *four = read_four(), *profile = weir_profile_new();

	for (size_t r = 0; r < RANKS; r++)
		weir_input_pack(&four->inputs[r]);
	for (size_t i = 0; i < copies * RANKS; i++) {
		size_t at = backwards ? copies * RANKS - 1 - i : i, rank = at % RANKS;
		char path[32];
		struct weir_input *input;
		struct weir_error err;

		snprintf(path, sizeof path, "rank%zu", at);
		input = weir_profile_add_input(profile, path);
		input->format = four->inputs[rank].format;
		assert_int_equal(weir_input_unpack(&four->inputs[rank], &input->trace, &err),
		                 WEIR_OK);
		input->trace->rank = (int64_t)at;
		rename_group(input->trace, at / RANKS);
		weir_input_pack(input);
	}
	weir_profile_free(four);
	return profile;
}

static struct weir_profile *read_copies(bool backwards)
{
	return make_copies(COPIES, backwards);
}

/* Judges an operator; context: NULL, or counts the operators. */
static void judge_memory(void *context, const struct weir_subject *subject,
                         struct weir_verdict *verdict)
{
	size_t *count = context;

	(void)subject;
	if (count)
		++*count;
	verdict->bound = WEIR_BOUND_MEMORY;
}

/* Reports a job; judged: NULL, or counts the operators that are judged while ranks are analysed. */
static struct weir_report *report_judged(const struct weir_profile *profile,
                                         struct weir_analysis **analysis, size_t *judged)
{
	const struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .judge = judge_memory, .judge_context = judged};
	struct weir_report *report = weir_report_new(profile);
	struct weir_error err;

	assert_int_equal(weir_analysis_new(profile, &options, analysis, &err), WEIR_OK);
	for (size_t i = 0; i < weir_analysis_subject_count(*analysis); i++) {
		struct weir_subject subject;
		struct weir_verdict verdict = {.bound = WEIR_BOUND_UNDETERMINED};

		weir_analysis_subject(*analysis, i, &subject);
		judge_memory(NULL, &subject, &verdict);
		weir_analysis_set_verdict(*analysis, i, &verdict);
	}
	weir_analysis_report(*analysis, report);
	return report;
}

static struct weir_report *report_of(const struct weir_profile *profile,
                                     struct weir_analysis **analysis)
{
	return report_judged(profile, analysis, NULL);
}

static void sums_of_twenty_ranks_are_five_times_those_of_four(void **state)
{
	struct weir_profile *four = read_four(), *twenty = read_copies(false);
	struct weir_analysis *of_four, *of_twenty;
	struct weir_report *one = report_of(four, &of_four), *all = report_of(twenty, &of_twenty);

	(void)state;
	assert_int_equal(of_twenty->summary_count, COPIES * RANKS);
	assert_int_equal(of_twenty->rank_count, WEIR_DETAILED_RANKS);
	assert_int_equal(all->rank_count, COPIES * RANKS);
	assert_int_equal(all->rank_row_count, COPIES * RANKS);
	assert_int_equal(all->attribution.total_ns, COPIES * one->attribution.total_ns);
	for (size_t b = 0; b < WEIR_BOUND_COUNT; b++)
		assert_int_equal(all->attribution.ns[b], COPIES * one->attribution.ns[b]);
	assert_int_equal(all->gpu.kernels, COPIES * one->gpu.kernels);
	assert_true(all->gpu.active == one->gpu.active);
	for (size_t i = 0; i < (size_t)COPIES * RANKS; i++) {
		const struct weir_rank_row *row = &all->ranks[i], *like = &one->ranks[i % RANKS];

		assert_int_equal(row->rank, i);
		assert_true(row->wait == like->wait && row->transfer == like->transfer);
		assert_true(row->active == like->active);
		assert_int_equal(row->late_by, like->late_by);
	}
	weir_report_free(one);
	weir_report_free(all);
	weir_analysis_free(of_four);
	weir_analysis_free(of_twenty);
	weir_profile_free(four);
	weir_profile_free(twenty);
}

static void every_straggler_is_analysed_in_detail(void **state)
{
	struct weir_profile *twenty = read_copies(true);
	struct weir_analysis *analysis;
	struct weir_report *report = report_of(twenty, &analysis);

	(void)state;
	assert_int_equal(analysis->worst.rank_count, COPIES);
	for (size_t i = 0; i < COPIES; i++) {
		size_t summary = analysis->worst.ranks[i].summary;

		assert_int_equal(analysis->summaries[summary].rank % RANKS, 1);
		assert_int_not_equal(analysis->detailed[summary], WEIR_NONE);
		assert_true(report->job->rows[i].difference_count > 0);
	}
	assert_int_equal(report->job->ranks, COPIES * RANKS);
	assert_int_equal(report->job->detailed, WEIR_DETAILED_RANKS);
	assert_true(weir_report_has_note(report, "detailed_ranks"));
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(twenty);
}

static void a_damaged_trace_is_named(void **state)
{
	struct weir_profile *twenty = read_copies(false);
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_analysis *analysis;
	struct weir_error err;

	(void)state;
	((char *)twenty->inputs[17].packed.data)[twenty->inputs[17].packed.length / 2] ^= 1;
	assert_int_not_equal(weir_analysis_new(twenty, &options, &analysis, &err), WEIR_OK);
	assert_non_null(strstr(err.message, "rank17"));
	weir_profile_free(twenty);
}

/* Several threads find damage at once; which one is first does not decide. */
static void the_first_of_many_damaged_traces_is_named(void **state)
{
	struct weir_profile *twenty = read_copies(false);
	const struct weir_analysis_options options = {.steady = true, .percentile = 0.95};
	struct weir_analysis *analysis;
	struct weir_error err;

	(void)state;
	for (size_t i = 3; i < twenty->input_count; i++)
		((char *)twenty->inputs[i].packed.data)[twenty->inputs[i].packed.length / 2] ^= 1;
	assert_int_not_equal(weir_analysis_new(twenty, &options, &analysis, &err), WEIR_OK);
	assert_non_null(strstr(err.message, "rank3"));
	weir_profile_free(twenty);
}

/* Threads analyse ranks at the same time, but the judge of operators is called by one at a time. */
static void operators_of_ranks_without_detail_are_judged_once_each(void **state)
{
	struct weir_profile *four = read_four(), *twenty = read_copies(false);
	struct weir_analysis *of_four, *of_twenty;
	struct weir_report *one = report_of(four, &of_four), *all;
	size_t judged = 0, expected = 0;

	(void)state;
	all = report_judged(twenty, &of_twenty, &judged);
	for (size_t i = 0; i < (size_t)COPIES * RANKS; i++)
		if (of_twenty->detailed[i] == WEIR_NONE)
			expected += of_four->ranks[i % RANKS].groups.count;
	assert_true(expected > 0);
	assert_int_equal(judged, expected);
	weir_report_free(one);
	weir_report_free(all);
	weir_analysis_free(of_four);
	weir_analysis_free(of_twenty);
	weir_profile_free(four);
	weir_profile_free(twenty);
}

static void assert_like(const struct weir_rank_map_row *row, const struct weir_rank_map_row *like)
{
	assert_int_equal(row->cell_count, like->cell_count);
	for (size_t c = 0; c < row->cell_count; c++) {
		assert_true(row->cells[c].wait_ns == like->cells[c].wait_ns);
		assert_true(row->cells[c].late_ns == like->cells[c].late_ns);
	}
}

/* Rank 1 of the recorded four is late in every step, and the others wait for it. */
static void the_map_of_ranks_shows_who_waits_and_who_is_late(void **state)
{
	struct weir_profile *four = read_four(), *twenty = read_copies(false);
	struct weir_analysis *of_four, *of_twenty;
	struct weir_report *one = report_of(four, &of_four), *all = report_of(twenty, &of_twenty);
	const struct weir_rank_map *map = one->pictures->rank_map;

	(void)state;
	assert_int_equal(map->ranks, RANKS);
	assert_int_equal(map->row_count, RANKS);
	assert_int_equal(map->steps, 20);
	assert_int_equal(map->steps_per_column, 1);
	assert_int_equal(map->rows[0].cell_count, 20);
	for (size_t c = 0; c < 20; c++) {
		assert_true(map->rows[1].cells[c].late_ns > 1e6);
		assert_true(map->rows[1].cells[c].wait_ns == 0);
		assert_true(map->rows[0].cells[c].late_ns < 1e6);
		assert_true(map->rows[0].cells[c].wait_ns > 1e6);
	}
	assert_int_equal(all->pictures->rank_map->row_count, COPIES * RANKS);
	for (size_t i = 0; i < (size_t)COPIES * RANKS; i++) {
		assert_int_equal(all->pictures->rank_map->rows[i].rank, i);
		assert_like(&all->pictures->rank_map->rows[i], &map->rows[i % RANKS]);
	}
	weir_report_free(one);
	weir_report_free(all);
	weir_analysis_free(of_four);
	weir_analysis_free(of_twenty);
	weir_profile_free(four);
	weir_profile_free(twenty);
}

/* If 14 of 56 ranks are late, then the map shows 12 of them, half of its rows; the others are
 * every n-th rank. */
static void half_of_the_map_is_for_ranks_that_stand_out(void **state)
{
	struct weir_profile *profile = make_copies(14, false);
	struct weir_analysis *analysis;
	struct weir_report *report = report_of(profile, &analysis);
	const struct weir_rank_map *map = report->pictures->rank_map;
	size_t late = 0;

	(void)state;
	assert_int_equal(analysis->worst.rank_count, 14);
	assert_int_equal(map->ranks, 56);
	assert_int_equal(map->row_count, WEIR_RANK_MAP_ROWS);
	for (size_t r = 0; r < map->row_count; r++)
		late += map->rows[r].rank % RANKS == 1;
	assert_int_equal(late, WEIR_RANK_MAP_ROWS / 2);
	assert_int_equal(analysis->detailed[0],
	                 0); /* the first rank is always analysed in detail */
	weir_report_free(report);
	weir_analysis_free(analysis);
	weir_profile_free(profile);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_twenty_ranks_are_five_times_those_of_four),
		cmocka_unit_test(every_straggler_is_analysed_in_detail),
		cmocka_unit_test(a_damaged_trace_is_named),
		cmocka_unit_test(the_first_of_many_damaged_traces_is_named),
		cmocka_unit_test(operators_of_ranks_without_detail_are_judged_once_each),
		cmocka_unit_test(the_map_of_ranks_shows_who_waits_and_who_is_late),
		cmocka_unit_test(half_of_the_map_is_for_ranks_that_stand_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
