/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The searches of sixteen bytes at a time, against a search byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/jsonblock.h"
#include "engine/base/splitmix.h"

#define SIZE 80

static bool is_solid(char byte)
{
	return !strchr(" \n\r\t", byte);
}

static bool is_quote(char byte)
{
	return byte == '"' || byte == '\\';
}

static bool ends_word(char byte)
{
	return strchr(",}]", byte) || (unsigned char)byte <= 0x20;
}

static const struct {
	const char *(*find)(const char *at, const char *end);
	bool (*is)(char byte);
} searches[] = {
	{weir_jsonblock_solid, is_solid},
	{weir_jsonblock_quote, is_quote},
	{weir_jsonblock_word, ends_word},
};

static void every_search_finds_the_first_byte_of_its_kind(void **state)
{
	static const char bytes[] = "        \n\r\t\x01\x0b,}]{x9\"\\\x7f\xff";
	char text[SIZE + WEIR_JSONBLOCK_SIZE];
	uint64_t seed = 1;

	(void)state;
	for (int round = 0; round < 300; round++) {
		for (size_t i = 0; i < sizeof text; i++) {
			seed = weir_splitmix64(seed);
			/* Long runs of blanks and of letters, so that a search goes on for blocks.
			 */
			text[i] = round % 3 == 0   ? bytes[seed % 11]
			          : round % 3 == 1 ? (seed % 40 ? 'a' : bytes[seed / 64 % 22])
			                           : bytes[seed % 22];
		}
		for (size_t s = 0; s < sizeof searches / sizeof *searches; s++)
			for (size_t from = 0; from < 20; from++) {
				size_t end = from + seed % SIZE % (SIZE - from), first = from;
				const char *found = searches[s].find(text + from, text + end);

				while (first < end && !searches[s].is(text[first]))
					first++;
				if (first < end)
					assert_ptr_equal(found, text + first);
				else
					assert_true(found >= text + end);
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_search_finds_the_first_byte_of_its_kind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
