/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Several pieces of work at once, on POSIX threads. The pieces share nothing that they write to, or
 * lock it themselves; results go to places of their own, so that nothing depends on which piece is
 * done first.
 */
#ifndef WEIR_BASE_POOL_H
#define WEIR_BASE_POOL_H

#include <stddef.h>

/* Traces held in memory at once cost more than further threads bring. */
#define WEIR_POOL_MAX_WIDTH 8

/* Threads worth starting for so many pieces: at most one a processor. At least 1. */
size_t weir_pool_width(size_t count);

/*
 * Calls work(context, index) once for each index below count and returns when all calls have. At
 * most `width` run at a time, the caller's thread among them; they start in order of the index.
 * With width 1, or where no thread can be started, one follows the other. If memory runs out in a
 * call inside weir_memory_try(), the others are finished, no further one starts, and the caller's
 * weir_memory_try() returns.
 */
void weir_pool_run(size_t count, size_t width, void (*work)(void *context, size_t index),
                   void *context);

#endif
