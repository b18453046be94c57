/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs pieces of work in parallel on POSIX threads. The caller locks data that several pieces
 * write. Each piece writes its own result, so that results do not depend on the order of
 * completion.
 */
#ifndef WEIR_BASE_POOL_H
#define WEIR_BASE_POOL_H

#include <stddef.h>

/* More threads would hold more traces in memory, and gain little. */
#define WEIR_POOL_MAX_WIDTH 8

/* Returns the number of threads for `count` pieces: at least 1, at most one per processor on which
 * the process may run. 1 inside a piece of work of several threads, which use all processors. */
size_t weir_pool_width(size_t count);

/*
 * Calls work(context, index) once for each index below count, and returns after the last call. At
 * most `width` calls run at a time, one of them on the caller's thread; they start in order of the
 * index. With width 1, or if no thread can be started, they run one after another. If memory runs
 * out in a call inside weir_memory_try(), running calls end, no further call starts, and the
 * caller's weir_memory_try() returns.
 */
void weir_pool_run(size_t count, size_t width, void (*work)(void *context, size_t index),
                   void *context);

#endif
