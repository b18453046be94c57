/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Memory that is freed all at once. Nothing here returns NULL: see weir_out_of_memory(). Sizes that
 * come from an input are checked against a stated limit before they get here. Under address
 * sanitizer the gaps between objects are poisoned, so that an overrun inside the arena is seen.
 */
#ifndef WEIR_BASE_ARENA_H
#define WEIR_BASE_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weir_arena; /* opaque; owns every object allocated from it */

struct weir_arena *weir_arena_new(void);
void weir_arena_free(struct weir_arena *arena);

/* Zeroed and aligned for any type; lives until weir_arena_free(). */
void *weir_arena_alloc(struct weir_arena *arena, size_t size);
char *weir_arena_copy(struct weir_arena *arena, const char *text,
                      size_t len); /* adds the final NUL */
char *weir_arena_format(struct weir_arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* malloc family for growing buffers: never return NULL. */
void *weir_alloc(size_t size);           /* zeroed */
char *weir_alloc_text(const char *text); /* a copy; NULL of NULL */
void *weir_realloc(void *old, size_t size);
/* Doubles *capacity until it holds `need` elements of `size` bytes; overflow ends the program. */
void *weir_grow(void *old, size_t *capacity, size_t need, size_t size);

/*
 * Calls work(context). Returns false if memory ran out in it: the call is abandoned where it stood,
 * on this thread and in the threads of weir_pool_run() that worked for it. What it had allocated
 * and not handed to the caller's context is lost, as are its open files. Calls nest; the innermost
 * one returns.
 */
bool weir_memory_try(void (*work)(void *context), void *context);
/* True inside weir_memory_try(), on the same thread. */
bool weir_memory_is_tried(void);

/* Ends the innermost weir_memory_try() of this thread. Without one it writes a line to standard
 * error and ends the process with code 9. */
_Noreturn void weir_out_of_memory(void);

#endif
