/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A borrowed part of a text, without a final NUL. {0} is the empty text. */
#ifndef WEIR_BASE_SLICE_H
#define WEIR_BASE_SLICE_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

struct weir_slice {
	const char *data;
	size_t length;
};

static inline struct weir_slice weir_slice_of(const char *string)
{
	return (struct weir_slice){string, strlen(string)};
}

static inline bool weir_slice_equals(struct weir_slice slice, const char *string)
{
	size_t length = strlen(string);

	return slice.length == length && (!length || !memcmp(slice.data, string, length));
}

static inline bool weir_slice_same(struct weir_slice a, struct weir_slice b)
{
	return a.length == b.length && (!a.length || !memcmp(a.data, b.data, a.length));
}

static inline bool weir_slice_starts(struct weir_slice slice, const char *prefix)
{
	size_t length = strlen(prefix);

	return slice.length >= length && (!length || !memcmp(slice.data, prefix, length));
}

static inline bool weir_slice_ends(struct weir_slice slice, const char *suffix)
{
	size_t length = strlen(suffix);

	return slice.length >= length &&
	       (!length || !memcmp(slice.data + slice.length - length, suffix, length));
}

/* Takes a prefix off the slice; false: the slice does not begin with it. */
static inline bool weir_slice_take(struct weir_slice *slice, const char *prefix)
{
	size_t length = strlen(prefix);

	if (!weir_slice_starts(*slice, prefix))
		return false;
	slice->data += length;
	slice->length -= length;
	return true;
}

/* Returns the text without the blanks, tabs and carriage returns at its ends. */
static inline struct weir_slice weir_slice_trim(struct weir_slice slice)
{
	static const char blanks[] = {' ', '\t', '\r'};

	while (slice.length && memchr(blanks, slice.data[slice.length - 1], sizeof blanks))
		slice.length--;
	while (slice.length && memchr(blanks, *slice.data, sizeof blanks)) {
		slice.data++;
		slice.length--;
	}
	return slice;
}

/* Returns the first occurrence of `part`, or NULL; `part` is not empty. */
static inline const char *weir_slice_find(struct weir_slice slice, const char *part)
{
	size_t length = strlen(part);

	for (size_t at = 0; at + length <= slice.length; at++) {
		const char *found = memchr(slice.data + at, *part, slice.length - length - at + 1);

		if (!found)
			return NULL;
		at = (size_t)(found - slice.data);
		if (!memcmp(found, part, length))
			return found;
	}
	return NULL;
}

static inline bool weir_slice_holds(struct weir_slice slice, const char *part)
{
	return weir_slice_find(slice, part) != NULL;
}

#endif
