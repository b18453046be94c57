/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of enum values: one table serves both directions. The header of an enum declares
 *
 *	WEIR_ENUM_DECLARE(weir_bound);
 *
 * and its .c file defines the table weir_bound_texts with weir_bound_name() and weir_bound_parse():
 *
 *	WEIR_ENUM_TEXTS(weir_bound, [WEIR_BOUND_BATCHING] = "batching", ...)
 *
 * A value without a text has the name NULL, which is null in JSON, and cannot be parsed.
 */
#ifndef WEIR_BASE_ENUMS_H
#define WEIR_BASE_ENUMS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define WEIR_COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

struct weir_enum {
	const char *const *texts; /* indexed by value */
	size_t count;
};

/* Returns the text of a value, "?" for a value beyond the table. */
const char *weir_enum_name(const struct weir_enum *table, size_t value);
/* Finds the value whose text is the `len` bytes at `text`. Returns false if no value has that text;
 * *out is then unchanged. */
bool weir_enum_parse(const struct weir_enum *table, const char *text, size_t len, unsigned *out);

/* NOLINTBEGIN(bugprone-macro-parentheses): the argument is the tag of an enum */
#define WEIR_ENUM_DECLARE(what)                                                                    \
	extern const struct weir_enum what##_texts;                                                \
	const char *what##_name(enum what value);                                                  \
	bool what##_parse(const char *text, enum what *out)

#define WEIR_ENUM_TEXTS(what, ...)                                                                 \
	static const char *const what##_list[] = {__VA_ARGS__};                                    \
	const struct weir_enum what##_texts = {what##_list, WEIR_COUNT_OF(what##_list)};           \
	_Static_assert(sizeof(enum what) == sizeof(unsigned), "weir_enum_parse() sets it");        \
                                                                                                   \
	const char *what##_name(enum what value)                                                   \
	{                                                                                          \
		return weir_enum_name(&what##_texts, (size_t)value);                               \
	}                                                                                          \
                                                                                                   \
	bool what##_parse(const char *text, enum what *out)                                        \
	{                                                                                          \
		unsigned value;                                                                    \
                                                                                                   \
		if (!weir_enum_parse(&what##_texts, text, strlen(text), &value))                   \
			return false;                                                              \
		*out = (enum what)value;                                                           \
		return true;                                                                       \
	}
/* NOLINTEND(bugprone-macro-parentheses) */

#endif
