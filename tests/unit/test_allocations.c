/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocations by address as memory events with running totals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/readers/trace/allocations.h"

struct expected {
	int64_t at_ns, bytes, total;
	int32_t device;
};

static void expect_events(const struct weir_allocation *items, size_t count,
                          const struct expected *expected, size_t expected_count)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "test");
	struct weir_builder *builder = weir_builder_new(input);
	struct weir_allocations allocations = {0};

	for (size_t i = 0; i < count; i++)
		weir_allocations_add(&allocations, &items[i]);
	weir_allocations_finish(&allocations, builder);
	assert_int_equal(input->trace->memory_count, expected_count);
	for (size_t i = 0; i < expected_count; i++) {
		const struct weir_memory_event *event = &input->trace->memory[i];

		assert_int_equal(event->at_ns, expected[i].at_ns);
		assert_int_equal(event->bytes, expected[i].bytes);
		assert_int_equal(event->allocated_bytes, expected[i].total);
		assert_int_equal(event->device_id, expected[i].device);
		assert_int_equal(event->reserved_bytes, -1);
		assert_int_not_equal(event->device_type, 0);
	}
	weir_allocations_release(&allocations);
	weir_builder_free(builder);
	weir_profile_free(profile);
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* at, process, address, bytes, device, is_free */
static void totals_follow_the_time(void **state)
{
	static const struct weir_allocation items[] = {
		{30, 0, 0x100, -1, 0, true},
		{10, 0, 0x100, 64, 0, false},
		{20, 0, 0x200, 32, 0, false},
		{20, 0, 0x300, 8, 1, false},
	};
	static const struct expected expected[] = {
		{10, 64, 64, 0}, {20, 32, 96, 0}, {20, 8, 8, 1}, {30, -64, 32, 0}};

	(void)state;
	expect_events(items, COUNT(items), expected, COUNT(expected));
}

static void addresses_are_those_of_a_process(void **state)
{
	static const struct weir_allocation items[] = {
		{10, 1, 0x100, 64, 0, false},
		{20, 2, 0x100, 32, 0, false},
		{30, 2, 0x100, -1, 0, true},
	};
	static const struct expected expected[] = {
		{10, 64, 64, 0}, {20, 32, 96, 0}, {30, -32, 64, 0}};

	(void)state;
	expect_events(items, COUNT(items), expected, COUNT(expected));
}

/* The total never falls below 0: memory from before the recording is unknown. */
static void memory_from_before_is_left_out(void **state)
{
	static const struct weir_allocation items[] = {
		{10, 0, 0x500, 4096, 0, true}, {20, 0, 0x100, 64, 0, false},
		{30, 0, 0x100, 64, 0, true},   {40, 0, 0x100, 64, 0, true},
		{50, 0, 0x600, 0, 0, false},   {60, 0, 0x700, INT64_MAX, 0, false},
	};
	static const struct expected expected[] = {{20, 64, 64, 0}, {30, -64, 0, 0}};

	(void)state;
	expect_events(items, COUNT(items), expected, COUNT(expected));
}

static void an_address_holds_one_allocation(void **state)
{
	static const struct weir_allocation items[] = {
		{10, 0, 0x100, 64, 0, false},
		{20, 0, 0x100, 32, 0, false},
	};
	static const struct expected expected[] = {
		{10, 64, 64, 0}, {20, -64, 0, 0}, {20, 32, 32, 0}};

	(void)state;
	expect_events(items, COUNT(items), expected, COUNT(expected));
}

/* Sums of hostile sizes would overflow int64_t. */
static void a_device_holds_at_most_16_tib(void **state)
{
	struct weir_allocation items[20];
	struct expected expected[16];

	(void)state;
	for (int64_t i = 0; i < 20; i++)
		items[i] = (struct weir_allocation){
			.at_ns = i, .address = i, .bytes = WEIR_MAX_ALLOCATION};
	for (int64_t i = 0; i < 16; i++)
		expected[i] =
			(struct expected){i, WEIR_MAX_ALLOCATION, (i + 1) * WEIR_MAX_ALLOCATION, 0};
	expect_events(items, COUNT(items), expected, COUNT(expected));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_follow_the_time),
		cmocka_unit_test(addresses_are_those_of_a_process),
		cmocka_unit_test(memory_from_before_is_left_out),
		cmocka_unit_test(an_address_holds_one_allocation),
		cmocka_unit_test(a_device_holds_at_most_16_tib),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
