/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing string, numbers parsed whole or not at all, and numbers as people read them.
 * Independent of the locale.
 */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is an empty text; data is NUL-terminated or NULL; release with weir_text_release(). */
struct weir_text {
	char *data;
	size_t length, capacity;
};

void weir_text_release(struct weir_text *text);
void weir_text_clear(struct weir_text *text); /* empty and reusable */
void weir_text_add(struct weir_text *text, const char *data, size_t len);
void weir_text_puts(struct weir_text *text, const char *string);
void weir_text_repeat(struct weir_text *text, const char *string, size_t times);
void weir_text_printf(struct weir_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void weir_text_vprintf(struct weir_text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* The whole of [text, text+len) is one number, else false. */
bool weir_parse_i64(const char *text, size_t len, int64_t *out);
bool weir_parse_double(const char *text, size_t len, double *out);
/*
 * An instant of ISO 8601 as Unix nanoseconds: "2025-05-01", "2025-05-01T06:00Z", "2025-05-01
 * 06:00:00.25+02:00", years 1678 to 2261. Without a zone it is UTC. Digits behind the nanosecond
 * are cut off.
 */
bool weir_parse_iso_ns(const char *text, size_t len, int64_t *out_ns);
/*
 * Decimal microseconds ("1712195495519689.047") as integer nanoseconds, from the digits: at epoch
 * microseconds a double steps by 0.25 us. Takes a sign, a fraction of any length (rounded half up
 * at the fourth place) and an exponent; false for anything else, and where the result leaves int64.
 */
bool weir_parse_us_as_ns(const char *text, size_t len, int64_t *out_ns);
/* The same of decimal seconds ("0.0123", "4.2e-05"); rounded at the tenth place. */
bool weir_parse_s_as_ns(const char *text, size_t len, int64_t *out_ns);
/* The same of any unit: the number times 10^places, as an integer. */
bool weir_parse_scaled(const char *text, size_t len, int places, int64_t *out);

/* "3.35 ms", "11.2 us", "412 ns", "1.29 s": three significant digits in the unit people use. NAN or
 * unknown: "-". */
void weir_text_duration(struct weir_text *text, double ns);
void weir_text_count(struct weir_text *text, uint64_t count); /* 7290 -> "7,290" */
void weir_text_share(struct weir_text *text,
                     double share); /* 0.864 -> "86 %", 0.004 -> "0.4 %", NAN -> "-" */
void weir_text_bytes(struct weir_text *text, double bytes); /* "256 MiB" */

/*
 * Returns true if the UTF-8 character at text may be shown to people; text is not at its end. False
 * for bytes that are not well-formed UTF-8 and for control (C0, C1), bidirectional and invisible
 * characters: they could change a terminal's state or hide a part of the text. *length becomes the
 * character's size in bytes, 1 for a malformed byte.
 */
bool weir_text_is_printable(const char *text, size_t *length);
/* Returns the columns that a UTF-8 text takes on a terminal: 2 for East Asian wide characters, 0
 * for combining marks, 1 for any other character and for a byte that starts none. */
size_t weir_text_columns(const char *utf8);
size_t weir_text_columns_in(const char *utf8, size_t len); /* of its first bytes */
/* Returns the bytes of the longest prefix that fits in so many columns, and the offset of the
 * longest suffix that does. */
size_t weir_text_prefix(const char *utf8, size_t columns);
size_t weir_text_suffix(const char *utf8, size_t columns);

/* Smallest number of edits (insert, delete, replace, swap of neighbours) that makes a of b; for
 * suggestions. */
size_t weir_text_distance(const char *a, const char *b);
/* The nearest of a NULL-terminated list within a third of the length, else NULL. */
const char *weir_text_nearest(const char *text, const char *const *list);

#endif
