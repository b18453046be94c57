/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a JSON value, found in blocks: by the processor's instructions, by plain C, and byte
 * by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/near.h"

/* The same source once more, without vector instructions. */
#define WEIR_PLAIN_C
/* NOLINTBEGIN(readability-identifier-naming): it stands for a function */
#define weir_jsonmeasure_feed feed_plain
/* NOLINTEND(readability-identifier-naming) */
/* NOLINTBEGIN(readability-identifier-naming): it stands for a function */
#define weir_jsonmeasure_value value_plain
/* NOLINTEND(readability-identifier-naming) */
#include "engine/base/jsonmeasure.c" /* NOLINT(bugprone-suspicious-include) */
#undef weir_jsonmeasure_feed
#undef weir_jsonmeasure_value

const char *weir_jsonmeasure_feed(struct weir_jsonmeasure *measure, const char *at,
                                  const char *end);
const char *weir_jsonmeasure_value(const char *at, const char *end);

#define SIZE 700

/* The rules of a text and of brackets, one byte after the other. */
static const char *feed_bytes(struct weir_jsonmeasure *measure, const char *at, const char *end)
{
	for (; at < end; at++) {
		if (measure->escaped) {
			measure->escaped = 0;
		} else if (*at == '\\') {
			measure->escaped = 1;
			measure->escapes = 1;
			continue;
		} else if (*at == '"') {
			measure->in_text = ~measure->in_text;
			continue;
		}
		if (measure->in_text) {
			measure->control |= (unsigned char)*at < 0x20;
			continue;
		}
		if (*at == '{' || *at == '[')
			measure->depth++;
		if ((*at == '}' || *at == ']') && (!measure->depth || !--measure->depth))
			return at + 1;
	}
	return NULL;
}

/* Brackets, quotes and backslashes are frequent, so that they meet at every place of a block. */
static void fill(char *text, uint64_t *seed)
{
	static const char bytes[] = "{}[]\"\"\\ab:,1 \n\x01\x7f\xc3\xa9";

	text[0] = '{';
	for (size_t i = 1; i < SIZE; i++) {
		uint64_t number = next_number(seed);

		text[i] = number % 4 ? 'x' : bytes[number / 4 % (sizeof bytes - 1)];
	}
}

typedef const char *feed_function(struct weir_jsonmeasure *measure, const char *at,
                                  const char *end);

/* Feeds the text in pieces, up to the end of its value. */
static size_t run(feed_function *feed, const char *text, const size_t *cuts,
                  struct weir_jsonmeasure *out)
{
	size_t from = 0;

	*out = (struct weir_jsonmeasure){0};
	for (size_t i = 0; from < SIZE; i++) {
		size_t to = cuts[i] < SIZE ? cuts[i] : SIZE;
		const char *found = feed(out, text + from, text + to);

		if (found)
			return (size_t)(found - text);
		from = to;
	}
	return 0;
}

static void assert_same(const struct weir_jsonmeasure *a, const struct weir_jsonmeasure *b,
                        bool ended)
{
	assert_int_equal(a->depth, b->depth);
	if (ended)
		return; /* a block is looked at whole: what follows the value shows in the rest */
	assert_true(a->in_text == b->in_text);
	assert_int_equal(a->escaped, b->escaped);
	assert_int_equal(!a->control, !b->control);
	assert_int_equal(!a->escapes, !b->escapes);
}

static void all_ways_find_the_same_end(void **state)
{
	uint64_t seed = 7;
	size_t ends = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		struct weir_jsonmeasure bytes, plain, vector;
		char text[SIZE + 64];
		size_t cuts[SIZE + 1], at = 0, end;

		fill(text, &seed);
		for (size_t i = 0; i <= SIZE; i++)
			cuts[i] = at += 1 + next_number(&seed) % (round % 3 ? 200 : 20);
		end = run(feed_bytes, text, cuts, &bytes);
		assert_int_equal(run(feed_plain, text, cuts, &plain), end);
		assert_int_equal(run(weir_jsonmeasure_feed, text, cuts, &vector), end);
		assert_same(&plain, &bytes, end > 0);
		assert_same(&vector, &bytes, end > 0);
		assert_ptr_equal(weir_jsonmeasure_value(text, text + SIZE),
		                 end ? text + end : NULL);
		assert_ptr_equal(value_plain(text, text + SIZE), end ? text + end : NULL);
		ends += end > 0;
	}
	assert_in_range(ends, 400, 3600); /* both outcomes were tried */
}

static void depth_has_a_limit(void **state)
{
	char text[2 * WEIR_JSON_MAX_DEPTH];
	struct weir_jsonmeasure vector = {0}, plain = {0};

	(void)state;
	memset(text, '[', sizeof text);
	assert_null(weir_jsonmeasure_feed(&vector, text, text + WEIR_JSON_MAX_DEPTH));
	assert_null(feed_plain(&plain, text, text + WEIR_JSON_MAX_DEPTH));
	assert_false(vector.too_deep || plain.too_deep);
	assert_null(weir_jsonmeasure_feed(&vector, text, text + 1));
	assert_null(feed_plain(&plain, text, text + 1));
	assert_true(vector.too_deep && plain.too_deep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_ways_find_the_same_end),
		cmocka_unit_test(depth_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
