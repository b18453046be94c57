/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/analysis/timeline/segment_list.h"
#include "engine/model/bound.h"

static const struct weir_segment first = {.start_ns = 10, .end_ns = 20, .row = 1, .span = 1};

/* Returns the number of segments after `first` and then `next` were pushed. */
static size_t count_after(struct weir_segment next)
{
	struct weir_segments segments = {0};
	size_t count;

	weir_segments_push(&segments, &first);
	weir_segments_push(&segments, &next);
	count = segments.count;
	assert_int_equal(segments.items[0].start_ns, 10);
	if (next.end_ns > next.start_ns)
		assert_int_equal(segments.items[count - 1].end_ns, next.end_ns);
	weir_segments_release(&segments);
	return count;
}

static void a_segment_extends_the_last_one_only_if_all_else_is_equal(void **state)
{
	struct weir_segment next = first, other;

	(void)state;
	next.start_ns = 20;
	next.end_ns = 30;
	assert_int_equal(count_after(next), 1);
	other = next;
	other.start_ns = 21;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.device = 1;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.row = 2;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.span = 2;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.busy = 1;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.work = 1;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.idle = 1;
	assert_int_equal(count_after(other), 2);
	other = next;
	other.flags = 1;
	assert_int_equal(count_after(other), 2);
}

static void segments_without_length_are_dropped(void **state)
{
	struct weir_segment next = first;

	(void)state;
	next.start_ns = next.end_ns = 20;
	assert_int_equal(count_after(next), 1);
	next.end_ns = 19;
	assert_int_equal(count_after(next), 1);
	next.row = 2;
	next.end_ns = 21;
	assert_int_equal(count_after(next), 2);
}

static void equal_names_of_one_cause_are_summed(void **state)
{
	struct weir_idle_names names = {0};
	struct weir_idle_entry entry = {
		.idle = WEIR_IDLE_PYTHON, .name = 1, .in = 2, .count = 1, .ns = 5};

	(void)state;
	weir_idle_names_add(&names, &entry);
	weir_idle_names_add(&names, &entry);
	assert_int_equal(names.count, 1);
	assert_int_equal(names.entries[0].ns, 10);
	assert_int_equal(names.entries[0].count, 2);
	entry.ns = INT64_MAX;
	weir_idle_names_add(&names, &entry);
	assert_int_equal(names.entries[0].ns, INT64_MAX);
	entry.name = 3;
	weir_idle_names_add(&names, &entry);
	entry.in = 4;
	weir_idle_names_add(&names, &entry);
	entry.idle = WEIR_IDLE_DISPATCH;
	weir_idle_names_add(&names, &entry);
	assert_int_equal(names.count, 4);
	entry.name = 9;
	entry.ns = 0;
	weir_idle_names_add(&names, &entry);
	assert_int_equal(names.count, 4);
	weir_idle_names_release(&names);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_segment_extends_the_last_one_only_if_all_else_is_equal),
		cmocka_unit_test(segments_without_length_are_dropped),
		cmocka_unit_test(equal_names_of_one_cause_are_summed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
