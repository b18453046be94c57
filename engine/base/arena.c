/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
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
#include "engine/base/budget.h"

#define HUGE_PAGE   ((size_t)2 << 20) /* bytes, on x86-64 and most others */
#define LARGE       (HUGE_PAGE / 2)   /* a block from this size on gets huge pages */
#define WHOLE       (4 * HUGE_PAGE)   /* a block from this size on ends with a huge page */
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
	bool by_limit;
	const char *reason;
	struct iovec line[3];
	ssize_t ignored;

	if (innermost)
		longjmp(innermost->out, 1);
	reason = weir_budget_reason(&by_limit);
	line[0] = (struct iovec){.iov_base = (char *)"weir: ", .iov_len = 6};
	line[1] = (struct iovec){.iov_base = (char *)reason, .iov_len = strlen(reason)};
	line[2] = (struct iovec){.iov_base = (char *)"\n", .iov_len = 1};
	ignored = writev(STDERR_FILENO, line, 3);
	(void)ignored;
	_Exit(by_limit ? 7 : 9);
}

/* Ends the call because an allocation of `size` bytes failed. Tries it without the limit, to tell
 * the reason. */
static _Noreturn void fail_to_allocate(size_t size)
{
	void *memory;

	weir_budget_lift();
	memory = calloc(1, size ? size : 1);
	weir_budget_restore();
	weir_budget_blame(memory != NULL);
	free(memory);
	weir_out_of_memory();
}

void weir_memory_tune(void)
{
#ifdef M_MMAP_THRESHOLD
	(void)mallopt(M_MMAP_THRESHOLD, 1 << 20); /* a fixed one; on failure only memory is lost */
#endif
#ifdef M_TRIM_THRESHOLD
	(void)mallopt(M_TRIM_THRESHOLD, 16 << 20);
	(void)mallopt(M_TOP_PAD, 1 << 20);
#endif
}

void weir_memory_reuse(void)
{
#if defined M_MMAP_THRESHOLD && defined M_TRIM_THRESHOLD
	/* On failure only time is lost. */
	(void)mallopt(M_MMAP_THRESHOLD, 4 << 20);
	(void)mallopt(M_TRIM_THRESHOLD, 128 << 20);
#endif
}

void weir_memory_return(void)
{
#ifdef M_TRIM_THRESHOLD
	(void)malloc_trim(0);
#endif
}

/* Asks the system for huge pages behind a large block, as far as it consists of whole ones: one
 * page fault then stands for 512, which cost more than the work on the block. The hint may fail;
 * pages of the usual size do then. */
static void advise_huge(void *memory, size_t size)
{
#ifdef MADV_HUGEPAGE
	uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1);
	uintptr_t end = (uintptr_t)memory + size;

	if (first < end)
		(void)madvise((void *)first, end - first, MADV_HUGEPAGE);
#else
	(void)memory;
	(void)size;
#endif
}

/* Allocates a large block that begins with a huge page, and ends with one if that adds little: half
 * of one, or a quarter of the block. In a virtual machine, a fault of a huge page takes as long as
 * about ten of the usual ones, of which the end of a block would need up to 511. */
static void *new_large(size_t size)
{
	size_t whole = (size + HUGE_PAGE - 1) & ~(HUGE_PAGE - 1);
	void *memory = NULL;

	if (whole < size)
		fail_to_allocate(size);
	if (size >= WHOLE || whole - size <= HUGE_PAGE / 2)
		size = whole;
	if (posix_memalign(&memory, HUGE_PAGE, size))
		fail_to_allocate(size);
	advise_huge(memory, size);
	return memory;
}

void *weir_alloc(size_t size)
{
	void *memory;

	if (size >= LARGE)
		return memset(new_large(size), 0, size); /* reused memory is not zero */
	memory = calloc(1, size ? size : 1);
	if (!memory)
		fail_to_allocate(size);
	return memory;
}

char *weir_alloc_text(const char *text)
{
	size_t size = text ? strlen(text) + 1 : 0;

	return text ? memcpy(weir_alloc(size), text, size) : NULL;
}

void *weir_realloc(void *old, size_t size)
{
	void *memory;

	if (!old && size >= LARGE)
		return new_large(size);
	memory = realloc(old, size ? size : 1);
	if (!memory)
		fail_to_allocate(size);
	if (size >= LARGE)
		advise_huge(memory, size);
	return memory;
}

void *weir_trim_block(void *block, size_t used)
{
	size_t in_last = used & (HUGE_PAGE - 1);

	return in_last == 0 || in_last > HUGE_PAGE / 2 ? block : weir_realloc(block, used);
}

/* Moves a block to a large one: what realloc() returns would not begin with a huge page. */
static void *move_to_large(void *old, size_t old_size, size_t size)
{
	void *memory = new_large(size);

	if (old_size > 0)
		memcpy(memory, old, old_size);
	free(old);
	return memory;
}

void *weir_grow_block(void *old, size_t *capacity, size_t need, size_t size)
{
	size_t wanted = *capacity ? *capacity : 16;

	while (wanted < need) {
		if (wanted > SIZE_MAX / 2)
			weir_out_of_memory();
		wanted *= 2;
	}
	if (size && wanted > SIZE_MAX / size)
		weir_out_of_memory();
	if (wanted * size >= LARGE)
		old = move_to_large(old, *capacity * size, wanted * size);
	else
		old = weir_realloc(old, wanted * size);
	*capacity = wanted;
	return old;
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
