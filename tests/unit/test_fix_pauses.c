/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses for garbage collection: several in a step, and what they displace from the caches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/advice_run.h"
#include "tests/unit/near.h"

#define STEPS  8
#define MS     INT64_C(1000000)
#define US     INT64_C(1000)
#define DEVICE "NVIDIA H100 80GB HBM3"

/* Pauses of a step, each of them behind launches and a copy. */
struct pauses {
	int count;
	int64_t ns;
	int64_t last_ns; /* of the last one; 0: as the others */
	int64_t bytes;   /* of each copy */
	const char *copy;
	int64_t spread_ns; /* each further step pauses for that much longer; 0: 100 us */
};

static void init(struct advice_run *run, const struct pauses *pauses)
{
	struct make_trace *make = make_trace_new();
	struct weir_trace *trace;
	uint64_t correlation = 100000;
	int64_t at = 0;

	for (int i = 0; i < STEPS; i++) {
		int64_t start = at;

		for (int p = 0; p < pauses->count; p++) {
			bool other = p + 1 == pauses->count && pauses->last_ns > 0;

			for (int k = 0; k < 4; k++, at += 20 * US) {
				make_host(make, WEIR_HOST_OP, 0, k < 3 ? "aten::mm" : "aten::relu",
				          at, at + 15 * US);
				make_launch(make, at + 5 * US, at + 10 * US, at + 12 * US,
				            at + 18 * US);
			}
			advice_make_copy(make, &(struct advice_copy){pauses->copy, at + 5 * US,
			                                             at + 12 * US, at + 9 * US,
			                                             at + 10 * US, pauses->bytes,
			                                             correlation++});
			at += 20 * US + i * (pauses->spread_ns > 0 ? pauses->spread_ns : 100 * US);
			at += other ? pauses->last_ns : pauses->ns;
		}
		advice_make_step(make, i, start, at);
		at += 10 * US;
	}
	trace = make_trace_finish(make);
	advice_run_init(run, &trace, 1, DEVICE);
}

enum found { NOT_FOUND, DOUBTFUL, LIKELY };

static enum found collects(const struct pauses *pauses)
{
	struct advice_run run;
	enum found found = NOT_FOUND;

	init(&run, pauses);
	if (advice_run_apply(&run, weir_fix_collect_garbage_later))
		found = run.draft.doubt > 0 ? DOUBTFUL : LIKELY;
	advice_run_release(&run);
	return found;
}

/* Hardly a program takes more than 200 ns for a byte of a result. */
static void several_pauses_share_the_bytes_of_the_step(void **state)
{
	static const char down[] = "Memcpy DtoH (Device -> Pageable)";
	static const struct {
		struct pauses pauses;
		enum found found;
	} cases[] = {
		/* 6 ms for 60000 bytes, and 18 ms for them; the steps in the middle take 0.9 ms
	           more */
		{{1, 6 * MS, 0, 60000, down, 0}, NOT_FOUND},
		{{3, 6 * MS, 0, 20000, down, 0}, DOUBTFUL},
		{{3, 6 * MS, 0, 60000, down, 0}, NOT_FOUND},
		/* a pause that is less than half as long as the longest is other work */
		{{2, 6 * MS, 2 * MS, 19000, down, 0}, NOT_FOUND},
		{{2, 6 * MS, 4 * MS, 19000, down, 0}, DOUBTFUL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
		if (collects(&cases[i].pauses) != cases[i].found)
			fail_msg("case %zu: %d", i, (int)collects(&cases[i].pauses));
}

/* Returns the host's dispatch in front of calls behind such pauses. */
static double dispatch_ns(int64_t pause_ns)
{
	struct advice_run run;
	double ns = 0;

	init(&run, &(struct pauses){2, pause_ns, 0, 64, "Memcpy DtoH (Device -> Pageable)", 0});
	assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
	assert_int_equal(run.draft.displaced, pause_ns > 6 * MS);
	for (size_t i = 0; i < run.draft.program.issue_count; i++)
		ns += run.draft.program.issues[i].dispatch_ns + run.draft.program.issues[i].call_ns;
	advice_run_release(&run);
	return ns;
}

/* 16 MB of objects of 64 bytes at 50 ns for each: 13.1 ms in a step. The first calls of operators
 * behind them are dispatched twice as fast. */
static void collections_displace_the_code_of_the_first_calls(void **state)
{
	(void)state;
	assert_true(dispatch_ns(7 * MS) < 0.9 * dispatch_ns(6 * MS));
}

/* A collection that visits more than the caches hold slows all calls of the step: 100 ms of an
 * unprofiled run. */
static void a_long_collection_leaves_the_host_cold(void **state)
{
	static const int64_t ms[] = {97, 99, 99};
	static const double work[] = {1, 1, 0.98};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct pauses pauses = {
			1, ms[i] * MS, 0, 64, "Memcpy DtoH (Device -> Pageable)", 500 * US};
		const struct weir_issue *before, *after;
		struct advice_run run;

		init(&run, &pauses);
		run.advisor.speed.work = work[i];
		assert_true(advice_run_apply(&run, weir_fix_collect_garbage_later));
		/* the third call of an operator */
		before = &run.advisor.program.issues[2];
		after = &run.draft.program.issues[2];
		assert_near(after->call_ns / before->call_ns, i == 1 ? 0.5 : 1, 0.001);
		advice_run_release(&run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_pauses_share_the_bytes_of_the_step),
		cmocka_unit_test(collections_displace_the_code_of_the_first_calls),
		cmocka_unit_test(a_long_collection_leaves_the_host_cold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
