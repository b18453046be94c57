/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/arena.h"
#include "tests/unit/near.h"

#define OBJECTS 3000

static void objects_are_zeroed_aligned_and_apart(void **state)
{
	struct weir_arena *arena = weir_arena_new();
	unsigned char *objects[OBJECTS];
	size_t sizes[OBJECTS];
	uint64_t seed = 1;

	(void)state;
	for (size_t i = 0; i < OBJECTS; i++) {
		sizes[i] = next_number(&seed) %
		           (i % 50 == 0 ? 100000 : 200); /* some larger than a chunk */
		objects[i] = weir_arena_alloc(arena, sizes[i]);
		assert_int_equal((uintptr_t)objects[i] % _Alignof(max_align_t), 0);
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(objects[i][j], 0);
		memset(objects[i], (int)(i % 255) + 1, sizes[i]);
	}
	for (size_t i = 0; i < OBJECTS; i++) {
		for (size_t j = 0; j < sizes[i]; j++)
			assert_int_equal(objects[i][j], i % 255 + 1);
	}
	weir_arena_free(arena);
}

static void empty_objects_have_places_of_their_own(void **state)
{
	struct weir_arena *arena = weir_arena_new();
	void *one = weir_arena_alloc(arena, 0);
	void *other = weir_arena_alloc(arena, 0);

	(void)state;
	assert_non_null(one);
	assert_ptr_not_equal(one, other);
	weir_arena_free(arena);
}

static void copies_end_with_a_nul(void **state)
{
	struct weir_arena *arena = weir_arena_new();

	(void)state;
	assert_string_equal(weir_arena_copy(arena, "kernel name", 6), "kernel");
	assert_string_equal(weir_arena_copy(arena, NULL, 0), "");
	weir_arena_free(arena);
}

static void format_takes_texts_of_any_length(void **state)
{
	struct weir_arena *arena = weir_arena_new();
	char *text = weir_arena_format(arena, "%*d|%s", 70000, 7, "end");

	(void)state;
	assert_int_equal(strlen(text), 70004);
	assert_string_equal(text + 69999, "7|end");
	weir_arena_free(arena);
}

static void free_takes_null(void **state)
{
	(void)state;
	weir_arena_free(NULL);
}

static void grow_doubles_and_keeps_what_was_there(void **state)
{
	size_t capacity = 0;
	uint32_t *items = NULL;

	(void)state;
	for (uint32_t i = 0; i < 1000; i++) {
		size_t before = capacity;

		items = weir_grow(items, &capacity, i + 1, sizeof(*items));
		assert_true(capacity == before || (capacity >= 2 * before && capacity > i));
		items[i] = i;
	}
	for (uint32_t i = 0; i < 1000; i++)
		assert_int_equal(items[i], i);
	free(items);
}

struct growth {
	size_t need, size;
};

static void grow(void *context)
{
	const struct growth *growth = context;
	size_t capacity = 0;

	free(weir_grow(NULL, &capacity, growth->need, growth->size));
}

/* True if the call ran out of memory. */
static bool grow_ends(size_t need, size_t size)
{
	return !weir_memory_try(grow, &(struct growth){need, size});
}

static void a_size_that_no_machine_has_ends_the_try(void **state)
{
	(void)state;
	assert_false(grow_ends(1000, 8));
	assert_true(grow_ends(SIZE_MAX / 4, 8));
	assert_true(grow_ends(SIZE_MAX, 1));
	assert_false(weir_memory_is_tried());
}

static void run_out(void *context)
{
	*(int *)context += 1;
	weir_out_of_memory();
}

static void try_inside(void *context)
{
	assert_true(weir_memory_is_tried());
	assert_false(weir_memory_try(run_out, context));
	assert_true(weir_memory_is_tried());
	*(int *)context += 10;
}

static void the_innermost_try_returns(void **state)
{
	int reached = 0;

	(void)state;
	assert_true(weir_memory_try(try_inside, &reached));
	assert_int_equal(reached, 11);
	assert_false(weir_memory_is_tried());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_zeroed_aligned_and_apart),
		cmocka_unit_test(empty_objects_have_places_of_their_own),
		cmocka_unit_test(copies_end_with_a_nul),
		cmocka_unit_test(format_takes_texts_of_any_length),
		cmocka_unit_test(free_takes_null),
		cmocka_unit_test(grow_doubles_and_keeps_what_was_there),
		cmocka_unit_test(a_size_that_no_machine_has_ends_the_try),
		cmocka_unit_test(the_innermost_try_returns),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
