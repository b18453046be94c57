/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records the times of named regions of the work, one JSON object per line, for WEIR_TRACE=FILE
 * (docs/performance.md). Before weir_regions_open() a region costs one comparison. The regions of a
 * thread nest.
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

/* Opens the file, to which regions of all threads are appended. Call it before other threads run.
 */
enum weir_status weir_regions_open(const char *path, struct weir_error *err);
/* Closes the file. WEIR_E_IO: a line could not be written. */
enum weir_status weir_regions_close(struct weir_error *err);

/* Enters a region. subject: the object of the work, such as a path; may be NULL. */
struct weir_region weir_region_enter(const char *name, const char *subject);
/* Leaves the region and writes its line. counted: the key of the count; NULL: without a count. */
void weir_region_leave(const struct weir_region *region, const char *counted, uint64_t count);

/* Returns the number of open regions of this thread. */
unsigned weir_region_depth(void);
/* Sets the initial depth of a thread that works for another one. */
void weir_region_nest(unsigned depth);

#endif
