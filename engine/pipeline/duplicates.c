/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/part/part.h"
#include "engine/part/trace_pack.h"
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

/* Returns true if the trace, packed, has these bytes. */
static bool is_packed_as(const struct weir_trace *trace, const struct weir_packed *packed)
{
	struct weir_text columns = {0}, other = {0};
	bool same;

	weir_trace_pack(trace, &columns);
	same = columns.length == packed->unpacked &&
	       weir_packed_content(packed, &other, NULL) == WEIR_OK &&
	       memcmp(columns.data, other.data, columns.length) == 0;
	weir_text_release(&columns);
	weir_text_release(&other);
	return same;
}

/* Compares inputs of which one came in a part, so that its file may be on another machine. Equal
 * contents are packed alike. */
static bool has_same_packed(const struct weir_input *a, const struct weir_input *b)
{
	if (a->packed.data && b->packed.data)
		return a->packed.length == b->packed.length &&
		       memcmp(a->packed.data, b->packed.data, a->packed.length) == 0;
	if (a->trace && b->packed_trace)
		return is_packed_as(a->trace, &b->packed);
	return b->trace && a->packed_trace && is_packed_as(b->trace, &a->packed);
}

/* Inputs are compared only if the size, format and number of events of their files agree. */
static bool may_be_same(const struct weir_input *a, const struct weir_input *b)
{
	return a->path && b->path && a->bytes > 0 && a->bytes == b->bytes &&
	       a->format == b->format && a->events == b->events;
}

static enum weir_status check_pair(const struct weir_input *a, const struct weir_input *b,
                                   struct weir_error *err)
{
	bool here = !a->from_part && !b->from_part;

	if (!may_be_same(a, b))
		return WEIR_OK;
	if (here && is_same_file(a->path, b->path))
		return weir_fail(err, WEIR_E_USAGE, "%s is given twice; give each file once",
		                 b->path);
	if (!a->scrape && (here ? has_same_content(a->path, b->path) : has_same_packed(a, b)))
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s and %s have the same content; give each file once", a->path,
		                 b->path);
	return WEIR_OK;
}

enum weir_status weir_duplicates_check(const struct weir_profile *profile, struct weir_error *err)
{
	for (size_t i = 1; i < profile->input_count; i++)
		for (size_t j = 0; j < i; j++) {
			enum weir_status status =
				check_pair(&profile->inputs[j], &profile->inputs[i], err);

			if (status)
				return status;
		}
	return WEIR_OK;
}
