/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define ARENA_RED_ZONE 16
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ARENA_RED_ZONE 16
#endif
#endif
#ifdef ARENA_RED_ZONE
#include <sanitizer/asan_interface.h>
#define ARENA_POISON(start, size)   __asan_poison_memory_region(start, size)
#define ARENA_UNPOISON(start, size) __asan_unpoison_memory_region(start, size)
#else
#define ARENA_RED_ZONE              0
#define ARENA_POISON(start, size)   ((void)(start), (void)(size))
#define ARENA_UNPOISON(start, size) ((void)(start), (void)(size))
#endif

#include "engine/base/arena.h"

#define ARENA_CHUNK (64u << 10)
#define ARENA_ALIGN (_Alignof(max_align_t))

struct arena_chunk {
	struct arena_chunk *next;
	size_t size; /* bytes of data */
	_Alignas(max_align_t) unsigned char data[];
};

struct weir_arena {
	struct arena_chunk *chunks; /* the first chunk is being filled */
	size_t used;                /* bytes of the first chunk */
};

/* Return point of a weir_memory_try(). */
struct guard {
	jmp_buf out;
	struct guard *outer;
};

static _Thread_local struct guard *innermost;

bool weir_memory_try(void (*work)(void *context), void *context)
{
	struct guard guard = {.outer = innermost};

	if (setjmp(guard.out) != 0) {
		innermost = guard.outer;
		return false;
	}
	innermost = &guard;
	work(context);
	innermost = guard.outer;
	return true;
}

bool weir_memory_is_tried(void)
{
	return innermost != NULL;
}

_Noreturn void weir_out_of_memory(void)
{
	static const char line[] = "weir: out of memory\n";
	ssize_t ignored;

	if (innermost)
		longjmp(innermost->out, 1);
	ignored = write(STDERR_FILENO, line, sizeof(line) - 1);
	(void)ignored;
	_Exit(9);
}

void weir_memory_tune(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20); /* a fixed one; on failure only memory is lost */
#endif
}

void *weir_alloc(size_t size)
{
	void *memory = calloc(1, size ? size : 1);

	if (!memory)
		weir_out_of_memory();
	return memory;
}

char *weir_alloc_text(const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;

	return text ? memcpy(weir_alloc(size), text, size) : NULL;
}

void *weir_realloc(void *old, size_t size)
{
	void *memory = realloc(old, size ? size : 1);

	if (!memory)
		weir_out_of_memory();
	return memory;
}

void *weir_grow(void *old, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : 16;

	if (need <= *capacity)
		return old;
	while (wanted < need) {
		if (wanted > SIZE_MAX / 2)
			weir_out_of_memory();
		wanted *= 2;
	}
	if (size && wanted > SIZE_MAX / size)
		weir_out_of_memory();
	*capacity = wanted;
	return weir_realloc(old, wanted * size);
}

struct weir_arena *weir_arena_new(void)
{
	return weir_alloc(sizeof(struct weir_arena));
}

void weir_arena_free(struct weir_arena *arena)
{
	if (!arena)
		return;
	while (arena->chunks) {
		struct arena_chunk *chunk = arena->chunks;

		arena->chunks = chunk->next;
		ARENA_UNPOISON(chunk->data, chunk->size);
		free(chunk);
	}
	free(arena);
}

static struct arena_chunk *new_chunk(size_t size)
{
	struct arena_chunk *chunk;

	if (size > SIZE_MAX - sizeof(*chunk))
		weir_out_of_memory();
	chunk = weir_alloc(sizeof(*chunk) + size);
	chunk->size = size;
	ARENA_POISON(chunk->data, size);
	return chunk;
}

/* Allocates an object in a new chunk. A large object gets its own chunk, behind the one that is
 * being filled. */
static unsigned char *take_from_new_chunk(struct weir_arena *arena, size_t room)
{
	struct arena_chunk *chunk = new_chunk(room > ARENA_CHUNK / 4 ? room : ARENA_CHUNK);

	if (chunk->size == room && arena->chunks) {
		chunk->next = arena->chunks->next;
		arena->chunks->next = chunk;
		return chunk->data;
	}
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	arena->used = room;
	return chunk->data;
}

void *weir_arena_alloc(struct weir_arena *arena, size_t size)
{
	unsigned char *object;
	size_t room;

	if (size > SIZE_MAX - ARENA_RED_ZONE - ARENA_ALIGN)
		weir_out_of_memory();
	room = (size + ARENA_RED_ZONE + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
	if (!room)
		room = ARENA_ALIGN;
	if (arena->chunks && room <= arena->chunks->size - arena->used) {
		object = arena->chunks->data + arena->used;
		arena->used += room;
	} else {
		object = take_from_new_chunk(arena, room);
	}
	ARENA_UNPOISON(object, size);
	return object; /* chunks are zeroed, and no memory in them is reused */
}

char *weir_arena_copy(struct weir_arena *arena, const char *text, size_t len)
{
	char *copy;

	if (len == SIZE_MAX)
		weir_out_of_memory();
	copy = weir_arena_alloc(arena, len + 1);
	if (len)
		memcpy(copy, text, len);
	return copy;
}

char *weir_arena_format(struct weir_arena *arena, const char *format, ...)
{
	va_list args;
	char *text;
	int len;

	va_start(args, format);
	len = vsnprintf(NULL, 0, format, args);
	va_end(args);
	if (len < 0)
		return weir_arena_copy(arena, "", 0);
	text = weir_arena_alloc(arena, (size_t)len + 1);
	va_start(args, format);
	vsnprintf(text, (size_t)len + 1, format, args);
	va_end(args);
	return text;
}
