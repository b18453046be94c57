/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Recognises reports of known tools that weir does not read, and says what to pass instead. */
#ifndef WEIR_READERS_PARTS_TOOLS_H
#define WEIR_READERS_PARTS_TOOLS_H

#include "engine/readers/parts/sniff.h"

/* A row of the table; it is known by any of its marks. */
struct weir_tool {
	const char *what;          /* "a report of wrk" */
	const char *advice;        /* what to pass instead */
	struct weir_mark marks[4]; /* ends with {0} */
};

extern const struct weir_tool weir_tools[]; /* ends with {0} */

/* Returns the first row that the head of a file has a mark of; NULL: none. */
const struct weir_tool *weir_tools_find(const char *head, size_t len);

#endif
