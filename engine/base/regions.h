/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records when the phases of the work ran, one JSON object per line: WEIR_TRACE=FILE,
 *docs/performance.md. Off unless weir_regions_open() was called; entering and leaving a region then
 *costs one comparison. The regions of a thread nest.
 *
 *	struct weir_region region = weir_region_enter("input", path);
 *	...
 *	weir_region_leave(&region, "events", input->events);
 */
#ifndef WEIR_BASE_REGIONS_H
#define WEIR_BASE_REGIONS_H

#include <stdint.h>

#include "engine/base/error.h"

struct weir_region {
	const char *name, *subject; /* borrowed until the region is left */
	int64_t start_ns;
};

/* Appends to the file from now on, for the whole process. Call it before any other thread runs. */
enum weir_status weir_regions_open(const char *path, struct weir_error *err);
/* WEIR_E_IO: a line could not be written. */
enum weir_status weir_regions_close(struct weir_error *err);

/* subject: what the region works on, a path for example; NULL: none. */
struct weir_region weir_region_enter(const char *name, const char *subject);
/* counted: the key under which the count is written; NULL: nothing was counted. */
void weir_region_leave(const struct weir_region *region, const char *counted, uint64_t count);

/* The number of open regions of this thread, and what a thread that works for another one starts
 * with. */
unsigned weir_region_depth(void);
void weir_region_nest(unsigned depth);

#endif
