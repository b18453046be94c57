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
static struct weir_profile *read_copies(bool backwards)
{
	struct weir_profile *four = read_four(), *profile = weir_profile_new();

	for (size_t r = 0; r < RANKS; r++)
		weir_input_pack(&four->inputs[r]);
	for (size_t i = 0; i < (size_t)COPIES * RANKS; i++) {
		size_t at = backwards ? COPIES * RANKS - 1 - i : i, rank = at % RANKS;
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

static void judge_memory(void *context, const struct weir_subject *subject,
                         struct weir_verdict *verdict)
{
	(void)context;
	(void)subject;
	verdict->bound = WEIR_BOUND_MEMORY;
}

static struct weir_report *report_of(const struct weir_profile *profile,
                                     struct weir_analysis **analysis)
{
	const struct weir_analysis_options options = {
		.steady = true, .percentile = 0.95, .judge = judge_memory};
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_of_twenty_ranks_are_five_times_those_of_four),
		cmocka_unit_test(every_straggler_is_analysed_in_detail),
		cmocka_unit_test(a_damaged_trace_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
