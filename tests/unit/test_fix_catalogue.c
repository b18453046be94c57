/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The catalogue of fixes, the transformations, and the table of ids that advice may use agree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/needs.h"
#include "engine/base/arena.h"
#include "rules/fix_examples.h"
#include "rules/fixes.h"

/* Ids that tools read: an id is never renamed. */
static const char *const published[] = {
	"cuda-graph",
	"compile",
	"compile-pointwise",
	"fused-attention",
	"lower-precision",
	"fp8",
	"smaller-types",
	"channels-last",
	"align-sizes",
	"avoid-copies",
	"select-not-sort",
	"vectorise",
	"group-the-loop",
	"batch-more",
	"remove-syncs",
	"move-to-device",
	"overlap-input",
	"overlap-output",
	"pinned-copies",
	"overlap-copies",
	"pack-copies",
	"copy-less",
	"warm-up",
	"warm-shapes",
	"keep-the-cache",
	"collect-garbage-later",
	"overlap-communication",
	"bucket-collectives",
	"balance-ranks",
	"fix-late-host",
	"fewer-bytes",
	"retune-kernel",
	"none",
};

struct fixture {
	struct weir_arena *arena;
	struct weir_fix_catalogue fixes;
};

static int load(void **state)
{
	static struct fixture fixture;
	struct weir_error err = {0};

	fixture = (struct fixture){.arena = weir_arena_new()};
	*state = &fixture;
	return weir_fixes_load(fixture.arena, &fixture.fixes, &err) == WEIR_OK ? 0 : -1;
}

static int unload(void **state)
{
	struct fixture *fixture = *state;

	weir_arena_free(fixture->arena);
	return 0;
}

static void every_published_id_is_in_the_catalogue(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < WEIR_COUNT_OF(published); i++)
		if (!weir_fix_find(&fixture->fixes, published[i]))
			fail_msg("%s is missing", published[i]);
}

static void every_transformation_has_an_entry(void **state)
{
	const struct fixture *fixture = *state;

	for (const struct weir_fix_method *method = weir_fix_methods; method->id; method++) {
		if (!weir_fix_find(&fixture->fixes, method->id))
			fail_msg("%s has no entry", method->id);
		assert_non_null(method->apply);
		assert_ptr_equal(weir_fix_method_find(method->id), method);
	}
}

static void every_entry_has_a_transformation(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < fixture->fixes.count; i++)
		if (!weir_fix_method_find(fixture->fixes.items[i].id))
			fail_msg("%s has no transformation", fixture->fixes.items[i].id);
}

static void needs_name_tests_and_fixes(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < fixture->fixes.count; i++) {
		const struct weir_fix_entry *fix = &fixture->fixes.items[i];

		for (size_t n = 0; n < fix->need_count; n++) {
			const struct weir_fix_need *need = &fix->needs[n];

			if (need->check && !weir_need_exists(need->check))
				fail_msg("%s: no check %s", fix->id, need->check);
			if (need->first && !weir_fix_find(&fixture->fixes, need->first))
				fail_msg("%s: no fix %s", fix->id, need->first);
		}
	}
}

static void every_how_is_for_a_framework_or_any(void **state)
{
	const struct fixture *fixture = *state;

	for (size_t i = 0; i < fixture->fixes.count; i++) {
		const struct weir_fix_entry *fix = &fixture->fixes.items[i];
		size_t any = 0;

		for (size_t h = 0; h < fix->how_count; h++) {
			enum weir_framework framework;
			bool is_any = strcmp(fix->hows[h].framework, "any") == 0;

			if (!is_any && !weir_framework_parse(fix->hows[h].framework, &framework))
				fail_msg("%s: no framework %s", fix->id, fix->hows[h].framework);
			any += is_any;
		}
		assert_int_equal(any, 1);
	}
}

/* Counts the examples of a fix with this expectation; with_step: with a range of the step. */
static size_t count_examples(const struct weir_fix_examples *examples, const char *id, bool found,
                             bool with_step)
{
	size_t count = 0;

	for (size_t i = 0; i < examples->count; i++)
		count += strcmp(examples->items[i].fix, id) == 0 &&
		         examples->items[i].found == found &&
		         (!with_step || !isnan(examples->items[i].low_us));
	return count;
}

/* The fix that changes nothing predicts no step. */
static void every_fix_has_examples_of_both_kinds(void **state)
{
	const struct fixture *fixture = *state;
	struct weir_fix_examples *examples = weir_fix_examples_new();
	struct weir_error err = {0};

	assert_int_equal(weir_fix_examples_load(examples, &err), WEIR_OK);
	for (size_t i = 0; i < fixture->fixes.count; i++) {
		const char *id = fixture->fixes.items[i].id;
		bool predicts = strcmp(id, WEIR_FIX_NONE) != 0;

		if (count_examples(examples, id, true, predicts) == 0)
			fail_msg("%s: no example in which it is found", id);
		if (count_examples(examples, id, false, false) == 0)
			fail_msg("%s: no example in which it is not found", id);
	}
	weir_fix_examples_free(examples);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_published_id_is_in_the_catalogue),
		cmocka_unit_test(every_transformation_has_an_entry),
		cmocka_unit_test(every_entry_has_a_transformation),
		cmocka_unit_test(needs_name_tests_and_fixes),
		cmocka_unit_test(every_how_is_for_a_framework_or_any),
		cmocka_unit_test(every_fix_has_examples_of_both_kinds),
	};

	return cmocka_run_group_tests(tests, load, unload);
}
