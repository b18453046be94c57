/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/record.h"

/* Returns the content of a file; the caller releases it. */
static struct weir_text content_of(const char *path)
{
	struct weir_text text = {0};
	char buffer[4096];
	FILE *file = fopen(path, "rb");
	size_t got;

	if (!file)
		fail_msg("cannot open %s", path);
	while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
		weir_text_add(&text, buffer, got);
	assert_int_equal(fclose(file), 0);
	return text;
}

static void rewrite(const char *path, const struct weir_text *text)
{
	FILE *file = fopen(path, "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(text->data, 1, text->length, file), text->length);
	assert_int_equal(fclose(file), 0);
}

/* Fails at the first line that differs. */
static void compare(const char *path, const char *got, const char *expected)
{
	size_t line = 1;

	while (*got || *expected) {
		size_t length = strcspn(got, "\n"), other = strcspn(expected, "\n");

		if (length != other || memcmp(got, expected, length) != 0)
			fail_msg("%s:%zu: is \"%.*s\", expected \"%.*s\"", path, line, (int)length,
			         got, (int)other, expected);
		got += length + (got[length] == '\n');
		expected += other + (expected[other] == '\n');
		line++;
	}
}

void record_check(const char *path, const struct weir_text *text, const char *variable)
{
	struct weir_text expected;

	if (getenv(variable))
		rewrite(path, text);
	expected = content_of(path);
	compare(path, text->data ? text->data : "", expected.data ? expected.data : "");
	weir_text_release(&expected);
}
