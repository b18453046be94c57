/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads reports that consist of exactly one JSON object. Fails if it is damaged, truncated or
 * followed by other data, because figures of an incomplete report may mislead.
 */
#ifndef WEIR_READERS_PARTS_WHOLEJSON_H
#define WEIR_READERS_PARTS_WHOLEJSON_H

#include "engine/base/jsonscan.h"

struct weir_wholejson {
	/* Takes a member of the object; any status other than WEIR_OK ends the reading and is
	 * returned. */
	enum weir_status (*member)(void *context, const struct weir_jsonscan_item *item,
	                           struct weir_error *err);
	void *context;
	const char *expected; /* for the message if the file is a list: "one object" */
};

enum weir_status weir_wholejson_read(const struct weir_wholejson *document,
                                     struct weir_source *source, struct weir_error *err);

/* Fails, saying why, unless a finished scan met one complete and undamaged document. For readers
 * that scan themselves. */
enum weir_status weir_wholejson_check(const struct weir_jsonscan *scan,
                                      const struct weir_source *source, struct weir_error *err);

#endif
