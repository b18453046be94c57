/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/pipeline/duplicates.h"

#define BLOCK 65536

static bool is_same_file(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && S_ISREG(a.st_mode) &&
	       a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

static bool are_equal(FILE *one, FILE *other)
{
	char a[BLOCK], b[BLOCK];
	size_t length;

	do {
		length = fread(a, 1, sizeof a, one);
		if (fread(b, 1, sizeof b, other) != length || memcmp(a, b, length) != 0)
			return false;
	} while (length == sizeof a);
	return !ferror(one) && !ferror(other);
}

static bool has_same_content(const char *one, const char *other)
{
	FILE *a = fopen(one, "rb"), *b = fopen(other, "rb");
	bool same = a && b && are_equal(a, b);

	if (a)
		fclose(a);
	if (b)
		fclose(b);
	return same;
}

/* Files are compared only if they are here, and their size, format and number of events agree. */
static bool may_be_same(const struct weir_input *a, const struct weir_input *b)
{
	return !a->from_part && !b->from_part && a->path && b->path && a->bytes > 0 && a->bytes == b->bytes &&
	       a->format == b->format && a->events == b->events;
}

enum weir_status weir_duplicates_check(const struct weir_profile *profile, struct weir_error *err)
{
	for (size_t i = 1; i < profile->input_count; i++)
		for (size_t j = 0; j < i; j++) {
			const struct weir_input *a = &profile->inputs[j], *b = &profile->inputs[i];

			if (!may_be_same(a, b))
				continue;
			if (is_same_file(a->path, b->path))
				return weir_fail(err, WEIR_E_USAGE,
				                 "%s is given twice; give each file once", b->path);
			if (!a->scrape && has_same_content(a->path, b->path))
				return weir_fail(err, WEIR_E_USAGE,
				                 "%s and %s have the same content; give each file "
				                 "once",
				                 a->path, b->path);
		}
	return WEIR_OK;
}
