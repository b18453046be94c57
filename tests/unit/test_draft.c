/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Changes that fixes make to a program, the places that they name, and the rates of copies. Each
 * step of 10 ms has a kernel of 1 ms, a copy to the host of 3 ms, and a silence of 6 ms. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/analysis/advice/places.h"
#include "engine/analysis/advice/transfers.h"
#include "engine/base/arena.h"
#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS  6
#define MS     INT64_C(1000000)
#define STEP   (10 * MS)
#define DEVICE "NVIDIA H100 80GB HBM3"

enum { KERNEL, COPY, OUTPUT }; /* issues */

static const char down[] = "Memcpy DtoH (Device -> Pageable)";

static void init(struct advice_run *run, const char *copy, int64_t bytes)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		advice_make_step(make, i, at, at + STEP - 1000);
		make_launch(make, at + 10000, at + 15000, at + 20000, at + MS);
		advice_make_copy(make, &(struct advice_copy){.name = copy,
		                                             .call_ns = at + 30000,
		                                             .return_ns = at + 4 * MS + 30000,
		                                             .start_ns = at + MS,
		                                             .end_ns = at + 4 * MS,
		                                             .bytes = bytes,
		                                             .correlation = (uint64_t)i + 1});
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
	assert_int_equal(run->advisor.program.issues[OUTPUT].kind, WEIR_ISSUE_OUTPUT);
	assert_true(run->advisor.program.issues[OUTPUT].work_ns > 5 * MS);
	assert_true(run->advisor.program.issues[COPY].dispatch_ns > 0);
	assert_int_equal(run->advisor.program.issues[COPY].until, 1);
}

/* ---- freeing ---- */

/* Returns the host's work that is saved if a tensor is not freed before an issue. */
static double freed_ns(uint32_t issue, double bytes)
{
	struct advice_run run;
	double ns = 0;

	init(&run, down, 4096);
	weir_draft_less_freeing(&run.draft, issue, bytes);
	for (size_t i = 0; i < run.draft.program.issue_count; i++)
		ns += run.advisor.program.issues[i].work_ns - run.draft.program.issues[i].work_ns;
	advice_run_release(&run);
	return ns;
}

static void large_tensors_are_freed_at_the_end_of_the_step(void **state)
{
	(void)state;
	assert_near(freed_ns(OUTPUT, 1048576), 62914.56, 1e-9);
	assert_near(freed_ns(OUTPUT, 1048575), 0, 0);
	assert_near(freed_ns(COPY, 16777216), 1006632.96, 1e-9);
	assert_near(freed_ns(KERNEL, 16777216), 1006632.96, 1e-9);
	/* No more than the host works. */
	assert_true(freed_ns(COPY, 1e9) > 5 * MS && freed_ns(COPY, 1e9) < 6 * MS);
}

static void dispatch_is_faster_once_nothing_displaces_its_code(void **state)
{
	static const struct {
		double bytes, factor;
	} cases[] = {{16777216, 0.5}, {16777215, 1}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		const struct weir_program *before, *after;
		struct advice_run run;

		init(&run, down, 4096);
		before = &run.advisor.program;
		after = &run.draft.program;
		weir_draft_less_freeing(&run.draft, OUTPUT, cases[i].bytes);
		for (int twice = 0; twice < 2 && run.draft.displaced; twice++)
			weir_draft_warm_first_calls(&run.draft); /* but once */
		for (size_t c = 0; c < before->issue_count; c++)
			assert_near(after->issues[c].dispatch_ns,
			            before->issues[c].dispatch_ns * cases[i].factor, 1e-9);
		assert_near(after->issues[KERNEL].call_ns,
		            before->issues[KERNEL].call_ns * cases[i].factor, 1e-9);
		assert_near(after->jobs[0].latency_ns, before->jobs[0].latency_ns * cases[i].factor,
		            1e-9);
		advice_run_release(&run);
	}
}

/* Turns of three kernels of 0.1 ms, which end 8 ms before the next turn. */
static void init_turns(struct advice_run *run, bool steps)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;

	for (int i = 0; i < STEPS; i++) {
		int64_t at = i * STEP;

		if (steps)
			advice_make_step(make, i, at, at + STEP - 1000);
		for (int k = 0; k < 3; k++, at += MS / 2)
			make_launch(make, at + 40000, at + 50000, at + 60000, at + 160000);
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
	assert_int_equal(run->advisor.program.step == WEIR_NONE, !steps);
}

/* Returns the share of its time that a call takes once `ns` of work before `issue` are gone. */
static double warm_share(bool steps, uint32_t issue, double ns, uint32_t call)
{
	struct advice_run run;
	double share;

	init_turns(&run, steps);
	weir_draft_less_work(&run.draft, issue, ns);
	weir_draft_warm_first_calls(&run.draft);
	share = run.draft.program.issues[call].call_ns / run.advisor.program.issues[call].call_ns;
	advice_run_release(&run);
	return share;
}

/* The step ends with its fourth issue, behind which the first call follows. */
static void the_first_call_of_an_operator_read_its_code_again(void **state)
{
	(void)state;
	assert_near(warm_share(true, 3, 200000, 0), 0.5, 1e-9);
	assert_near(warm_share(true, 3, 200000, 1), 1, 0);
	assert_near(warm_share(true, 3, 200000, 2), 1, 0);
	/* The stretch before the second call is removed. */
	assert_near(warm_share(true, 1, 200000, 0), 1, 0);
	assert_near(warm_share(true, 1, 200000, 1), 0.5, 1e-9);
	/* A shorter stretch is no pass over memory. */
	assert_near(warm_share(true, 3, 199999, 0), 1, 0);
}

static void a_window_begins_behind_what_displaced_the_code(void **state)
{
	(void)state;
	assert_near(warm_share(false, 3, 200000, 0), 0.5, 1e-9);
	assert_near(warm_share(false, 3, 200000, 1), 1, 0);
	assert_near(warm_share(false, 3, 200000, 3), 0.5, 1e-9);
	assert_near(warm_share(false, 3, 200000, 4), 1, 0);
	/* The next turn has the work still. */
	assert_near(warm_share(false, 3, 200000, 6), 1, 0);
}

/* ---- changes ---- */

static void a_removed_call_takes_no_time(void **state)
{
	const struct weir_issue *issue;
	struct advice_run run;

	(void)state;
	init(&run, down, 4096);
	issue = &run.draft.program.issues[COPY];
	weir_draft_remove_call(&run.draft, COPY);
	assert_near(run.draft.program.jobs[1].ns, 0, 0);
	assert_near(run.draft.program.jobs[1].low_ns, 0, 0);
	assert_near(run.draft.program.jobs[1].high_ns, 0, 0);
	assert_near(run.draft.program.jobs[1].gap_ns, 0, 0);
	assert_near(run.draft.program.jobs[1].latency_ns, 0, 0);
	assert_near(issue->call_ns, 0, 0);
	assert_int_equal(issue->until, WEIR_NONE);
	assert_true(issue->dispatch_ns > 0);
	weir_draft_remove(&run.draft, COPY);
	assert_near(issue->dispatch_ns + issue->work_ns, 0, 0);
	/* The kernel is as it was. */
	assert_near(run.draft.program.jobs[0].ns, run.advisor.program.jobs[0].ns, 0);
	assert_near(run.draft.program.issues[KERNEL].dispatch_ns,
	            run.advisor.program.issues[KERNEL].dispatch_ns, 0);
	advice_run_release(&run);
}

/* A program does its own work for no call of the device. */
static void the_work_before_a_removed_call_stays(void **state)
{
	struct advice_run run;
	double work_ns;

	(void)state;
	init(&run, down, 4096);
	work_ns = run.advisor.program.issues[OUTPUT].work_ns;
	weir_draft_remove(&run.draft, OUTPUT);
	assert_near(run.draft.program.issues[OUTPUT].work_ns, work_ns, 0);
	assert_near(run.draft.program.issues[OUTPUT].dispatch_ns, 0, 0);
	advice_run_release(&run);
}

static void a_gap_as_long_as_work_stays(void **state)
{
	static const struct {
		double gap_ns, after_ns;
	} cases[] = {{199999, 0}, {200000, 200000}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct advice_run run;

		init(&run, down, 4096);
		run.draft.program.jobs[1].gap_ns = cases[i].gap_ns;
		weir_draft_close_gap(&run.draft, 1);
		assert_near(run.draft.program.jobs[1].gap_ns, cases[i].after_ns, 0);
		run.draft.program.jobs[1].gap_ns = cases[i].gap_ns;
		weir_draft_remove_call(&run.draft, COPY);
		assert_near(run.draft.program.jobs[1].gap_ns, cases[i].after_ns, 0);
		advice_run_release(&run);
	}
}

static void no_more_work_goes_than_there_is(void **state)
{
	struct advice_run run;
	double work_ns;

	(void)state;
	init(&run, down, 4096);
	work_ns = run.advisor.program.issues[OUTPUT].work_ns;
	weir_draft_less_work(&run.draft, OUTPUT, MS);
	assert_near(run.draft.program.issues[OUTPUT].work_ns, work_ns - MS, 1e-9);
	weir_draft_less_work(&run.draft, OUTPUT, STEP);
	assert_near(run.draft.program.issues[OUTPUT].work_ns, 0, 0);
	assert_int_equal(run.draft.place_count, 1);
	assert_near(run.draft.places[0].ns, work_ns, 1e-9);
	assert_int_equal(run.draft.places[0].count, 1);
	advice_run_release(&run);
}

/* Compares two drafts without changes. */
static void assert_same_draft(const struct weir_draft *a, const struct weir_draft *b)
{
	const struct weir_program *left = &a->program, *right = &b->program;

	assert_int_equal(left->issue_count, right->issue_count);
	assert_int_equal(left->job_count, right->job_count);
	for (size_t i = 0; i < left->issue_count; i++) {
		assert_near(left->issues[i].dispatch_ns, right->issues[i].dispatch_ns, 0);
		assert_near(left->issues[i].work_ns, right->issues[i].work_ns, 0);
		assert_near(left->issues[i].call_ns, right->issues[i].call_ns, 0);
		assert_int_equal(left->issues[i].until, right->issues[i].until);
	}
	for (size_t j = 0; j < left->job_count; j++) {
		assert_near(left->jobs[j].ns, right->jobs[j].ns, 0);
		assert_near(left->jobs[j].high_ns, right->jobs[j].high_ns, 0);
		assert_near(left->jobs[j].gap_ns, right->jobs[j].gap_ns, 0);
	}
	for (size_t i = 0; i < left->job_count + left->issue_count; i++)
		assert_int_equal(a->touched[i], b->touched[i]);
	assert_int_equal(a->place_count, b->place_count);
	assert_int_equal(a->basis.length, b->basis.length);
	assert_near(a->floor_ns + a->floor_low_ns + a->floor_high_ns, 0, 0);
	assert_int_equal(a->warm, b->warm);
	assert_int_equal(a->displaced, b->displaced);
}

static void a_cleared_draft_is_as_good_as_new(void **state)
{
	struct advice_run run;
	struct weir_draft fresh;

	(void)state;
	init(&run, down, 4096);
	weir_draft_init(&fresh, &run.advisor);
	for (int i = 0; i < 2; i++) {
		weir_draft_remove(&run.draft, COPY);
		weir_draft_less_freeing(&run.draft, OUTPUT, 2 * WEIR_COLD_BYTES);
		weir_draft_warm_first_calls(&run.draft);
		weir_draft_basis(&run.draft, "a reason");
		run.draft.floor_ns = run.draft.floor_low_ns = run.draft.floor_high_ns = MS;
		assert_true(run.draft.displaced && run.draft.warm && run.draft.place_count > 0);
		if (i == 1) { /* as if the fix had been taken over */
			free(run.draft.touched);
			run.draft.touched = NULL;
		}
		weir_draft_clear(&run.draft);
		assert_same_draft(&run.draft, &fresh);
	}
	weir_draft_release(&fresh);
	advice_run_release(&run);
}

/* ---- places ---- */

/* A call that starts work is named by its jobs, any other by itself. */
static void a_changed_call_without_jobs_is_a_place(void **state)
{
	struct advice_run run;
	size_t jobs;

	(void)state;
	init(&run, down, 4096);
	jobs = run.draft.program.job_count;
	weir_draft_unwait(&run.draft, COPY);
	assert_int_equal(run.draft.place_count, 0);
	assert_int_equal(run.draft.touched[jobs + COPY], 1);
	assert_int_equal(run.draft.touched[jobs + KERNEL], 0);
	weir_draft_less_work(&run.draft, OUTPUT, MS);
	assert_int_equal(run.draft.place_count, 1);
	assert_int_equal(run.draft.places[0].issue, OUTPUT);
	assert_int_equal(run.draft.places[0].job, WEIR_NONE);
	assert_int_equal(run.draft.touched[jobs + OUTPUT], 1);
	advice_run_release(&run);
}

static void a_place_knows_its_time_before_and_after(void **state)
{
	const struct weir_draft_place *place;
	struct advice_run run;

	(void)state;
	init(&run, down, 4096);
	weir_draft_set_job(&run.draft, 1, 2 * MS, MS, 3 * MS);
	weir_draft_scale_job(&run.draft, 1, 0.5, 0.25, 0.75);
	assert_near(run.draft.program.jobs[1].ns, MS, 1e-9);
	assert_near(run.draft.program.jobs[1].low_ns, 0.5 * MS, 1e-9);
	assert_near(run.draft.program.jobs[1].high_ns, 1.5 * MS, 1e-9);
	assert_int_equal(run.draft.place_count, 1);
	place = &run.draft.places[0];
	assert_int_equal(place->job, 1);
	assert_int_equal(place->issue, COPY);
	assert_int_equal(place->count, 1);
	assert_near(place->ns, run.advisor.program.jobs[1].ns, 1e-9);
	assert_near(place->after_ns, MS, 1e-9);
	assert_int_equal(run.draft.touched[0], 0);
	assert_int_equal(run.draft.touched[1], 1);
	advice_run_release(&run);
}

static void the_worst_place_is_named_first(void **state)
{
	struct weir_found_fix fix = {0};
	struct weir_arena *arena = weir_arena_new();
	struct advice_run run;

	(void)state;
	init(&run, down, 4096);
	weir_draft_set_job(&run.draft, 0, 0, 0, 0);
	weir_draft_set_job(&run.draft, 1, 0, 0, 0);
	weir_draft_name_host(&run.draft, OUTPUT, 2 * MS);
	weir_draft_name_host(&run.draft, OUTPUT, MS / 2);
	weir_places_fill(&run.draft, arena, &fix);
	assert_int_equal(fix.place_count, 3);
	assert_near(fix.calls, 4, 0);
	assert_near(fix.places_ns, 3 * MS + 2.5 * MS + 0.98 * MS, 1e-6);
	assert_string_equal(fix.places[0].op, "aten::copy_");
	assert_near(fix.places[0].ns, 3 * MS, 1e-9);
	assert_near(fix.places[0].share, 0.3, 1e-6);
	assert_near(fix.places[0].count, 1, 0);
	assert_near(fix.places[1].ns, 2.5 * MS, 1e-9);
	assert_near(fix.places[1].count, 2, 0);
	assert_near(fix.places[2].ns, 0.98 * MS, 1e-6);
	assert_null(fix.places[2].op);
	assert_non_null(fix.places[2].kernel);
	weir_arena_free(arena);
	advice_run_release(&run);
}

/* ---- rates of copies ---- */

static void pinned_copies_of_the_run_show_the_rate_of_the_link(void **state)
{
	static const struct {
		const char *name;
		int64_t bytes;
		double typical, low, high; /* bytes/ns */
	} cases[] = {
		{"Memcpy DtoH (Device -> Pinned)", INT64_C(3) * 1048576, 1.048576, 0.8388608,
	         1.2582912},
		{"Memcpy DtoH (Device -> Pinned)", 1048576, 1.048576 / 3, 0.8388608 / 3,
	         1.2582912 / 3},
		/* Too small, or staged in other memory: 63 GB/s of the device table. */
		{"Memcpy DtoH (Device -> Pinned)", 1048575, 47.25, 32.76, 54.81},
		{down, INT64_C(3) * 1048576, 47.25, 32.76, 54.81},
		{"Memcpy HtoD (Pinned -> Device)", INT64_C(3) * 1048576, 47.25, 32.76, 54.81},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct weir_link_rate rates[WEIR_TRANSFER_WAYS];
		struct advice_run run;

		init(&run, cases[i].name, cases[i].bytes);
		weir_transfer_rates(&run.advisor, rates);
		assert_near(rates[WEIR_TRANSFER_DOWN].typical, cases[i].typical * 1e9, 1e-6);
		assert_near(rates[WEIR_TRANSFER_DOWN].low, cases[i].low * 1e9, 1e-6);
		assert_near(rates[WEIR_TRANSFER_DOWN].high, cases[i].high * 1e9, 1e-6);
		assert_int_equal(rates[WEIR_TRANSFER_DOWN].seen, i < 2);
		assert_int_equal(rates[WEIR_TRANSFER_UP].seen, i == 4);
		advice_run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(large_tensors_are_freed_at_the_end_of_the_step),
		cmocka_unit_test(dispatch_is_faster_once_nothing_displaces_its_code),
		cmocka_unit_test(the_first_call_of_an_operator_read_its_code_again),
		cmocka_unit_test(a_window_begins_behind_what_displaced_the_code),
		cmocka_unit_test(a_removed_call_takes_no_time),
		cmocka_unit_test(the_work_before_a_removed_call_stays),
		cmocka_unit_test(a_gap_as_long_as_work_stays),
		cmocka_unit_test(no_more_work_goes_than_there_is),
		cmocka_unit_test(a_cleared_draft_is_as_good_as_new),
		cmocka_unit_test(a_changed_call_without_jobs_is_a_place),
		cmocka_unit_test(a_place_knows_its_time_before_and_after),
		cmocka_unit_test(the_worst_place_is_named_first),
		cmocka_unit_test(pinned_copies_of_the_run_show_the_rate_of_the_link),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
