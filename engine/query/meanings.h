/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The words that explain the columns of weir query: units and meanings. */
#ifndef WEIR_QUERY_MEANINGS_H
#define WEIR_QUERY_MEANINGS_H

#include <stddef.h>

/* The columns of one meaning; the names are shell patterns. */
struct weir_query_meaning {
	const char *table, *column;
	const char *unit; /* "": none */
	const char *text;
};

extern const struct weir_query_meaning weir_query_meanings[]; /* ends with a NULL text */

/* Returns the first meaning whose patterns match, or NULL. */
const struct weir_query_meaning *weir_query_meaning_of(const char *table, const char *column);

#endif
