/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Growing strings, parsing of numbers and times, formatting of figures for people, and UTF-8.
 * Nothing depends on the locale.
 */
#ifndef WEIR_BASE_TEXT_H
#define WEIR_BASE_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is an empty text. `data` is NUL-terminated or NULL. Release with weir_text_release(). */
struct weir_text {
	char *data;
	size_t length, capacity;
};

void weir_text_release(struct weir_text *text);
void weir_text_clear(struct weir_text *text); /* makes it empty and reusable */
void weir_text_add(struct weir_text *text, const char *data, size_t len);
void weir_text_puts(struct weir_text *text, const char *string);
/* Appends text for a URL: ASCII letters, digits and the characters of `plain` as they are, each
 * other byte as %XX (RFC 3986, 2.1). */
void weir_text_percent(struct weir_text *text, const char *value, const char *plain);
void weir_text_repeat(struct weir_text *text, const char *string, size_t times);
void weir_text_printf(struct weir_text *text, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void weir_text_vprintf(struct weir_text *text, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

/* Each weir_parse function parses all of [text, text + len), or returns false. */
bool weir_parse_i64(const char *text, size_t len, int64_t *out);
bool weir_parse_double(const char *text, size_t len, double *out);
/* Parses a size such as "500MB" or "1.5 GiB". Returns false without a unit, for less than one byte
 * and for more than 2^53. */
bool weir_parse_bytes(const char *text, uint64_t *out);
/*
 * Parses an instant of ISO 8601 to Unix nanoseconds: "2025-05-01", "2025-05-01T06:00Z", "2025-05-01
 * 06:00:00.25+02:00", years 1678 to 2261. Without a zone it is UTC. Digits after the nanosecond
 * are dropped.
 */
bool weir_parse_iso_ns(const char *text, size_t len, int64_t *out_ns);
/*
 * Parses decimal microseconds ("1712195495519689.047") to integer nanoseconds without a double,
 * whose resolution is 0.25 us for microseconds since 1970. Accepts a sign, a fraction of any length
 * (rounded half away from zero to nanoseconds) and an exponent; false if the result exceeds int64.
 */
bool weir_parse_us_as_ns(const char *text, size_t len, int64_t *out_ns);
/* Parses decimal seconds ("0.0123", "4.2e-05") to nanoseconds in the same way. */
bool weir_parse_s_as_ns(const char *text, size_t len, int64_t *out_ns);
/* Parses a number and multiplies it by 10^places in the same way. */
bool weir_parse_scaled(const char *text, size_t len, int places, int64_t *out);

/* Appends "3.35 ms", "11.2 us", "412 ns" or "1.29 s": three significant digits in a suitable unit;
 * NAN as
 * "-". */
void weir_text_duration(struct weir_text *text, double ns);
void weir_text_count(struct weir_text *text, uint64_t count); /* 7290 -> "7,290" */
/* Appends three significant digits, and all digits before the point from 1,000 on: 86.5 as "86.5",
 * 12412.4 as "12,412", NAN as "-". */
void weir_text_rounded(struct weir_text *text, double number);
/* Appends a share: 0.864 as "86 %", 0.004 as "0.4 %", NAN as "-". */
void weir_text_share(struct weir_text *text, double share);
/* Does the same for a part of a whole, but appends "nearly all" from 0.995 on, and "all" from 1 on.
 */
void weir_text_part(struct weir_text *text, double share);
void weir_text_bytes(struct weir_text *text, double bytes); /* "256 MiB" */

/*
 * Returns true if the UTF-8 character at text may be shown to people; text is not at its end. False
 * for bytes that are not well-formed UTF-8 and for control (C0, C1), bidirectional and invisible
 * characters: they could change a terminal's state or hide a part of the text. *length becomes the
 * character's size in bytes, 1 for a malformed byte.
 */
bool weir_text_is_printable(const char *text, size_t *length);
/* Returns the columns that a UTF-8 text takes on a terminal: 2 for East Asian wide characters, 0
 * for combining marks, 1 for any other character and for a malformed byte. */
size_t weir_text_columns(const char *utf8);
size_t weir_text_columns_in(const char *utf8, size_t len); /* the columns of the first bytes */
/* Return the length of the longest prefix, and the offset of the longest suffix, that fits the
 * columns.
 */
size_t weir_text_prefix(const char *utf8, size_t columns);
size_t weir_text_suffix(const char *utf8, size_t columns);

/* Compares texts so that numbers in them are in the order of their values: "rank2" before "rank10".
 * Returns 0 for equal texts only. */
int weir_text_compare_numbered(const char *a, const char *b);

/* Returns the smallest number of edits (insert, delete, replace, swap neighbours) that turns b into
 * a. */
size_t weir_text_distance(const char *a, const char *b);
/* Returns the nearest word of a NULL-terminated list, or NULL if more than a third of it differs.
 */
const char *weir_text_nearest(const char *text, const char *const *list);

#endif
