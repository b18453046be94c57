/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is freed all at once. No function returns NULL: see weir_out_of_memory(). Callers
 * check sizes from an input against a limit first. Under the address sanitizer the gaps between
 * objects are poisoned, so that an overrun inside the arena is found.
 */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_arena; /* opaque; owns every object allocated from it */

struct weir_arena *weir_arena_new(void);
void weir_arena_free(struct weir_arena *arena);

/* Returns zeroed memory, aligned for any type, that lives until weir_arena_free(). */
void *weir_arena_alloc(struct weir_arena *arena, size_t size);
/* Copies `len` bytes and adds a NUL. */
char *weir_arena_copy(struct weir_arena *arena, const char *text, size_t len);
char *weir_arena_format(struct weir_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Makes the allocator return large blocks to the system when they are freed, and extend them
 * without a copy, for the whole process; call it before other threads run. Without it, the GNU
 * allocator keeps blocks of up to 32 MB once it has seen one of that size. */
void weir_memory_tune(void);
/* Makes the allocator keep freed blocks of up to 4 MB for later ones, after weir_memory_tune();
 * call it before other threads run. A job of many ranks frees and allocates the same blocks for
 * each rank: getting their pages from the system again takes two thirds of its time. */
void weir_memory_reuse(void);
/* Returns the memory of freed blocks to the system, after a phase that needed much more than the
 * next one. */
void weir_memory_return(void);

/* Replacements for malloc() and realloc(); the caller frees the memory with free(). */
void *weir_alloc(size_t size);              /* zeroed */
char *weir_alloc_text(const char *text);    /* a copy; NULL for NULL */
void *weir_realloc(void *old, size_t size); /* old NULL: a new block, not zeroed */
/* Returns the memory behind the first `used` bytes of a block to the system, unless they fill most
 * of their last huge page: reading its parts as small pages takes longer. The block may move. */
void *weir_trim_block(void *block, size_t used);
/* Doubles *capacity, which is less than `need`, until it holds `need` elements of `size` bytes. An
 * overflow counts as out of memory. */
void *weir_grow_block(void *old, size_t *capacity, size_t need, size_t size);
/* Returns `old` if it holds `need` elements, else a larger block; see weir_grow_block(). Lists call
 * it for each element, so that the usual case is inline. */
static inline void *weir_grow(void *old, size_t *capacity, size_t need, size_t size)
{
	return need <= *capacity ? old : weir_grow_block(old, capacity, need, size);
}

/*
 * Calls work(context). Returns false if memory ran out: the call is abandoned, on this thread and
 * in the threads of weir_pool_run() that worked for it. Memory that is not reachable from the
 * context leaks, and so do open files. Calls nest; the innermost one returns.
 */
bool weir_memory_try(void (*work)(void *context), void *context);
/* Returns true inside weir_memory_try(), on the same thread. */
bool weir_memory_is_tried(void);

/* Ends the innermost weir_memory_try() of this thread. Outside of one, writes a line to standard
 * error and ends the process with code 9, or with 7 if the limit of engine/base/budget.h was the
 * reason. */
_Noreturn void weir_out_of_memory(void);

#endif
