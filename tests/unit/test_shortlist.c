/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The order of fixes, and which of them repeat the gain of a better one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/advice/shortlist.h"
#include "tests/unit/near.h"

#define JOBS   10
#define ISSUES 2
#define PARTS  (JOBS + ISSUES)
#define STEP   1000.0

/* A program of ten jobs of 90 ns and two calls of 50 ns, and fixes for it. */
struct list {
	struct weir_job jobs[JOBS];
	struct weir_issue issues[ISSUES];
	struct weir_advisor advisor;
	struct weir_fix_entry entries[4];
	uint8_t touched[4][PARTS];
	struct weir_ranked_fix fixes[4];
	size_t count;
};

static void list_init(struct list *list)
{
	*list = (struct list){.advisor = {.speed = {1, 1, 1}}};
	for (size_t j = 0; j < JOBS; j++)
		list->jobs[j].ns = 90;
	for (size_t i = 0; i < ISSUES; i++)
		list->issues[i].dispatch_ns = 50;
	list->advisor.program.jobs = list->jobs;
	list->advisor.program.job_count = JOBS;
	list->advisor.program.issues = list->issues;
	list->advisor.program.issue_count = ISSUES;
}

/* Adds a fix that saves `saved` ns of the step and changes the parts from `first` up to `end`. */
static struct weir_ranked_fix *add(struct list *list, const char *id, double saved, size_t first,
                                   size_t end)
{
	size_t i = list->count++;
	struct weir_ranked_fix *fix = &list->fixes[i];

	list->entries[i] =
		(struct weir_fix_entry){.id = id, .effort = WEIR_EFFORT_LOW, .numerics = "none"};
	for (size_t part = first; part < end; part++)
		list->touched[i][part] = 1;
	*fix = (struct weir_ranked_fix){
		.fix = {.entry = &list->entries[i], .before_ns = STEP, .step_ns = STEP - saved},
		.touched = list->touched[i],
		.order = i};
	fix->score = weir_score_of(&fix->fix);
	return fix;
}

static void shortlist(struct list *list)
{
	weir_shortlist(&list->advisor, list->fixes, list->count);
}

static void assert_id(const struct list *list, size_t place, const char *id)
{
	assert_string_equal(list->fixes[place].fix.entry->id, id);
}

/* Returns true if the second of two fixes for the same places is left out. */
static bool is_dropped(const char *better, double better_saved, const char *other,
                       double other_saved)
{
	struct list list;

	list_init(&list);
	add(&list, better, better_saved, 0, JOBS);
	add(&list, other, other_saved, 0, JOBS);
	shortlist(&list);
	assert_id(&list, 0, better);
	assert_false(list.fixes[0].dropped);
	if (list.fixes[1].dropped)
		assert_string_equal(list.fixes[0].fix.instead[0], other);
	else
		assert_null(list.fixes[0].fix.instead[0]);
	return list.fixes[1].dropped;
}

/* ---- the order ---- */

static void effort_divides_what_is_saved(void **state)
{
	struct list list;
	struct weir_ranked_fix *fix;

	(void)state;
	list_init(&list);
	fix = add(&list, "a", 500, 0, 1);
	assert_near(weir_score_of(&fix->fix), 500, 1e-9);
	list.entries[0].effort = WEIR_EFFORT_MEDIUM;
	assert_near(weir_score_of(&fix->fix), 400, 1e-9);
	list.entries[0].effort = WEIR_EFFORT_HIGH;
	assert_near(weir_score_of(&fix->fix), 250, 1e-9);
}

/* A tenth of the saving, or of the step behind it if that is shorter. */
static void checking_results_costs_a_tenth(void **state)
{
	struct list list;
	struct weir_ranked_fix *fix;

	(void)state;
	list_init(&list);
	fix = add(&list, "a", 400, 0, 1);
	list.entries[0].numerics = "rounding";
	assert_near(weir_score_of(&fix->fix), 360, 1e-9);
	fix->fix.step_ns = 100;
	assert_near(weir_score_of(&fix->fix), 890, 1e-9);
}

static void the_fix_that_saves_most_is_first(void **state)
{
	struct list list;

	(void)state;
	list_init(&list);
	add(&list, "small", 100, 0, 1);
	add(&list, "large", 300, 2, 3);
	add(&list, "also large", 300, 4, 5);
	add(&list, "blocked", 900, 6, 7)->unmet = true;
	shortlist(&list);
	assert_id(&list, 0, "large");
	assert_id(&list, 1, "also large");
	assert_id(&list, 2, "small");
	assert_id(&list, 3, "blocked");
}

/* ---- alternatives ---- */

static void a_fix_for_the_same_places_is_an_alternative(void **state)
{
	(void)state;
	assert_true(is_dropped("a", 300, "b", 200));
}

/* The other fix changes ten jobs; the better one eight of them, 80 % of the time, or seven. */
static void fixes_for_different_places_both_stay(void **state)
{
	struct list list;

	(void)state;
	list_init(&list);
	add(&list, "a", 300, 0, 8);
	add(&list, "b", 200, 0, JOBS);
	shortlist(&list);
	assert_true(list.fixes[1].dropped);

	list_init(&list);
	add(&list, "a", 300, 0, 7);
	add(&list, "b", 200, 0, JOBS);
	shortlist(&list);
	assert_false(list.fixes[1].dropped);
}

/* Dispatch, calls and waiting count, the host's part at the speed without the profiler. */
static void places_of_the_host_count_as_well(void **state)
{
	struct list list;

	(void)state;
	list_init(&list);
	add(&list, "a", 300, 0, 8);
	add(&list, "b", 200, 0, 8);
	list.touched[1][JOBS] = 1;
	list.issues[0].dispatch_ns = 360; /* of it half, 180: 20 % of 900 */
	list.advisor.speed.dispatch = 0.5;
	shortlist(&list);
	assert_true(list.fixes[1].dropped);

	list.fixes[1].dropped = false;
	list.issues[0].return_ns = 10;
	shortlist(&list);
	assert_false(list.fixes[1].dropped);
}

/* The score puts a fix of little effort first, and the other one saves more. */
static void an_alternative_that_saves_more_stays(void **state)
{
	struct list list;

	(void)state;
	for (int more = 0; more < 2; more++) {
		struct weir_ranked_fix *fix;

		list_init(&list);
		add(&list, "a", 300, 0, JOBS);
		fix = add(&list, "b", more ? 316 : 315, 0, JOBS);
		list.entries[1].effort = WEIR_EFFORT_HIGH;
		fix->score = weir_score_of(&fix->fix);
		shortlist(&list);
		assert_id(&list, 1, "b");
		assert_int_equal(list.fixes[1].dropped, !more);
	}
}

static void a_fix_that_another_one_needs_first_stays(void **state)
{
	struct list list;
	struct weir_ranked_fix *blocked;

	(void)state;
	list_init(&list);
	add(&list, "a", 300, 0, JOBS);
	add(&list, "remove-syncs", 200, 0, JOBS);
	blocked = add(&list, "cuda-graph", 500, 2, 3);
	blocked->unmet = true;
	blocked->fix.needs[0] = (struct weir_need){.first = "remove-syncs"};
	blocked->fix.need_count = 1;
	shortlist(&list);
	assert_false(list.fixes[1].dropped);
}

static void what_an_alternative_repeats_is_not_left_out_for_it(void **state)
{
	struct list list;

	(void)state;
	list_init(&list);
	add(&list, "a", 300, 0, 5);
	add(&list, "b", 250, 0, 6); /* 83 % of it is changed by a */
	add(&list, "c", 200, 4, 6); /* all of it is changed by b, half by a */
	shortlist(&list);
	assert_true(list.fixes[1].dropped);
	assert_false(list.fixes[2].dropped);
}

/* ---- pairs of which both stay ---- */

static void types_and_structure_are_both_named(void **state)
{
	(void)state;
	assert_false(is_dropped("lower-precision", 300, "compile-pointwise", 200));
	assert_false(is_dropped("fp8", 300, "fused-attention", 200));
	assert_false(is_dropped("smaller-types", 300, "copy-less", 200));
	assert_true(is_dropped("lower-precision", 300, "fp8", 200));
	/* Joined kernels still move their bytes. */
	assert_false(is_dropped("compile-pointwise", 300, "lower-precision", 200));
	assert_false(is_dropped("compile", 300, "smaller-types", 200));
	assert_false(is_dropped("cuda-graph", 300, "fp8", 200));
	assert_true(is_dropped("fused-attention", 300, "lower-precision", 200));
	assert_true(is_dropped("compile-pointwise", 300, "copy-less", 200));
}

/* Functions by hand are named beside the whole model if they give half of its gain. */
static void compile_leaves_a_graph_and_the_main_chains(void **state)
{
	(void)state;
	assert_false(is_dropped("compile", 300, "cuda-graph", 100));
	assert_false(is_dropped("compile", 300, "compile-pointwise", 150));
	assert_true(is_dropped("compile", 300, "compile-pointwise", 149));
	assert_true(is_dropped("cuda-graph", 300, "compile", 150));
}

/* Copies that nobody needs are named beside a compiler that fuses them if they are half of its
 * gain.
 */
static void needless_copies_stay_beside_fused_ones(void **state)
{
	(void)state;
	assert_false(is_dropped("compile-pointwise", 300, "avoid-copies", 150));
	assert_false(is_dropped("compile", 300, "avoid-copies", 150));
	assert_true(is_dropped("compile-pointwise", 300, "avoid-copies", 149));
	assert_true(is_dropped("vectorise", 300, "avoid-copies", 150));
}

/* A capture saves this beside 300 ns that compiling saves; it goes first if it does the main part.
 */
static bool captures_first(double saved, bool unmet)
{
	struct list list;
	bool first;

	list_init(&list);
	add(&list, "compile", 300, 0, JOBS);
	add(&list, "cuda-graph", saved, 0, JOBS)->unmet = unmet;
	shortlist(&list);
	first = list.fixes[0].fix.entry == &list.entries[1];
	assert_false(list.fixes[0].dropped);
	assert_false(list.fixes[1].dropped); /* both figures are stated */
	return first;
}

static void a_capture_goes_before_a_compiler_if_it_saves_the_main_part(void **state)
{
	(void)state;
	assert_true(captures_first(299, false));
	assert_true(captures_first(150, false));
	assert_false(captures_first(149, false));
	assert_false(captures_first(299, true));
	/* A compiler that gains nothing behind it is no second line. */
	assert_true(is_dropped("cuda-graph", 300, "compile", 300));
}

/* The steps of both keep the library's kernels that change layouts. */
static void channels_last_stays_beside_faster_launches(void **state)
{
	(void)state;
	assert_false(is_dropped("compile", 300, "channels-last", 100));
	assert_false(is_dropped("cuda-graph", 300, "channels-last", 100));
	assert_true(is_dropped("batch-more", 300, "channels-last", 100));
	assert_true(is_dropped("channels-last", 300, "cuda-graph", 100));
}

static void removing_work_stays_beside_hiding_it(void **state)
{
	(void)state;
	assert_false(is_dropped("overlap-input", 300, "move-to-device", 200));
	assert_false(is_dropped("overlap-output", 300, "move-to-device", 200));
	assert_false(is_dropped("overlap-input", 300, "collect-garbage-later", 200));
	assert_false(is_dropped("overlap-output", 300, "collect-garbage-later", 200));
	assert_false(is_dropped("overlap-copies", 300, "copy-less", 200));
	assert_true(is_dropped("move-to-device", 300, "overlap-input", 200));
	assert_true(is_dropped("overlap-copies", 300, "move-to-device", 200));
}

/* Work of which only the time is known may be work that must be done. */
static void hiding_work_stays_beside_a_fix_that_supposes_what_it_is(void **state)
{
	static const struct {
		const char *removes, *id;
		bool supposed, dropped;
	} cases[] = {
		{"move-to-device", "overlap-input", true, false},
		{"move-to-device", "overlap-output", true, false},
		{"move-to-device", "overlap-input", false, true},
		{"move-to-device", "overlap-copies", true, true},
		{"collect-garbage-later", "overlap-input", true, false},
		{"collect-garbage-later", "overlap-output", true, false},
		{"collect-garbage-later", "overlap-output", false, true},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct list list;

		list_init(&list);
		add(&list, cases[i].removes, 300, 0, JOBS)->supposed = cases[i].supposed;
		add(&list, cases[i].id, 200, 0, JOBS);
		shortlist(&list);
		assert_int_equal(list.fixes[1].dropped, cases[i].dropped);
	}
}

/* A copy of fewer bytes can still be pinned or hidden; one of a few values is not worth it. */
static void what_speeds_copies_up_stays_beside_smaller_copies(void **state)
{
	static const struct {
		const char *id;
		bool copies_stay, dropped;
	} cases[] = {
		{"pinned-copies", true, false},  {"pinned-copies", false, true},
		{"overlap-copies", true, false}, {"overlap-copies", false, true},
		{"move-to-device", true, true},
	};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct list list;

		list_init(&list);
		add(&list, "copy-less", 300, 0, JOBS)->copies_stay = cases[i].copies_stay;
		add(&list, cases[i].id, 200, 0, JOBS);
		shortlist(&list);
		assert_int_equal(list.fixes[1].dropped, cases[i].dropped);
	}
}

static void copies_that_launches_leave_as_they_are_can_still_be_hidden(void **state)
{
	(void)state;
	assert_false(is_dropped("compile", 300, "overlap-copies", 200));
	assert_false(is_dropped("compile-pointwise", 300, "overlap-copies", 200));
	assert_false(is_dropped("cuda-graph", 300, "pinned-copies", 200));
	assert_true(is_dropped("compile", 300, "pack-copies", 200));
	assert_true(is_dropped("vectorise", 300, "overlap-copies", 200));
	assert_true(is_dropped("overlap-copies", 300, "compile", 200));
}

static void joining_turns_stays_beside_launching_them_faster(void **state)
{
	(void)state;
	assert_false(is_dropped("cuda-graph", 300, "vectorise", 200));
	assert_false(is_dropped("compile", 300, "group-the-loop", 200));
	assert_false(is_dropped("cuda-graph", 300, "batch-more", 200));
	assert_true(is_dropped("vectorise", 300, "cuda-graph", 200));
	assert_true(is_dropped("cuda-graph", 300, "copy-less", 200));
}

/* A batch needs rows that wait; a shorter step of one row does not. */
static void a_batch_of_rows_leaves_what_shortens_the_step(void **state)
{
	struct list list;

	(void)state;
	for (int of_row = 0; of_row < 2; of_row++) {
		list_init(&list);
		add(&list, "batch-more", 900, 0, JOBS);
		list.fixes[0].fix.of_row = of_row;
		add(&list, "smaller-types", 300, 0, JOBS);
		shortlist(&list);
		assert_int_equal(list.fixes[1].dropped, !of_row);
	}
}

/* Both fuse chains, at other places too. */
static void compiling_chains_makes_compile_an_alternative_anywhere(void **state)
{
	struct list list;

	(void)state;
	list_init(&list);
	add(&list, "compile-pointwise", 300, 0, 2);
	add(&list, "compile", 250, 0, JOBS);
	shortlist(&list);
	assert_true(list.fixes[1].dropped);
}

/* Turns that upload pieces are joined once the pieces are packed, and little is left to launch. */
static void packing_pieces_goes_before_joining_or_launching_them(void **state)
{
	static const struct {
		const char *joins;
		size_t packed; /* of the ten jobs that the joined turns have */
		bool first;
	} cases[] = {{"vectorise", 8, true},       {"vectorise", 7, false},
	             {"group-the-loop", 10, true}, {"cuda-graph", 8, true},
	             {"cuda-graph", 7, false},     {"batch-more", 10, false}};

	(void)state;
	for (size_t i = 0; i < WEIR_COUNT_OF(cases); i++) {
		struct list list;

		list_init(&list);
		add(&list, cases[i].joins, 300, 0, JOBS);
		add(&list, "compile", 295, JOBS, PARTS);
		add(&list, "pack-copies", 290, 0, cases[i].packed);
		shortlist(&list);
		assert_id(&list, 0, cases[i].first ? "pack-copies" : cases[i].joins);
		assert_int_equal(list.fixes[1].dropped, cases[i].first);
		if (cases[i].first)
			assert_string_equal(list.fixes[0].fix.instead[0], cases[i].joins);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(effort_divides_what_is_saved),
		cmocka_unit_test(checking_results_costs_a_tenth),
		cmocka_unit_test(the_fix_that_saves_most_is_first),
		cmocka_unit_test(a_fix_for_the_same_places_is_an_alternative),
		cmocka_unit_test(fixes_for_different_places_both_stay),
		cmocka_unit_test(places_of_the_host_count_as_well),
		cmocka_unit_test(an_alternative_that_saves_more_stays),
		cmocka_unit_test(a_fix_that_another_one_needs_first_stays),
		cmocka_unit_test(what_an_alternative_repeats_is_not_left_out_for_it),
		cmocka_unit_test(types_and_structure_are_both_named),
		cmocka_unit_test(compile_leaves_a_graph_and_the_main_chains),
		cmocka_unit_test(needless_copies_stay_beside_fused_ones),
		cmocka_unit_test(a_capture_goes_before_a_compiler_if_it_saves_the_main_part),
		cmocka_unit_test(channels_last_stays_beside_faster_launches),
		cmocka_unit_test(removing_work_stays_beside_hiding_it),
		cmocka_unit_test(hiding_work_stays_beside_a_fix_that_supposes_what_it_is),
		cmocka_unit_test(what_speeds_copies_up_stays_beside_smaller_copies),
		cmocka_unit_test(copies_that_launches_leave_as_they_are_can_still_be_hidden),
		cmocka_unit_test(joining_turns_stays_beside_launching_them_faster),
		cmocka_unit_test(a_batch_of_rows_leaves_what_shortens_the_step),
		cmocka_unit_test(compiling_chains_makes_compile_an_alternative_anywhere),
		cmocka_unit_test(packing_pieces_goes_before_joining_or_launching_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
