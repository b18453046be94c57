/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reports that count as a whole or not at all: one JSON object and nothing else. What is damaged,
 * cut short or followed by more is refused, for a report without a part of it says something else.
 */
#ifndef WEIR_READERS_PARTS_WHOLEJSON_H
#define WEIR_READERS_PARTS_WHOLEJSON_H

#include "engine/base/jsonscan.h"

struct weir_wholejson {
	/* Takes one member of the object; what it returns other than WEIR_OK ends the reading. */
	enum weir_status (*member)(void *context, const struct weir_jsonscan_item *item,
	                           struct weir_error *err);
	void *context;
	const char *expected; /* of a file that is a list: "one object" */
};

enum weir_status weir_wholejson_read(const struct weir_wholejson *document,
                                     struct weir_source *source, struct weir_error *err);

/* For readers with a scan of their own, which has come to its end: fails, saying why, unless it met
 * a whole and undamaged document. */
enum weir_status weir_wholejson_check(const struct weir_jsonscan *scan,
                                      const struct weir_source *source, struct weir_error *err);

#endif
