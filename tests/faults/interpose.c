/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A library to preload: it makes calls of the program fail as WEIR_FAULT says.
 *   alloc=N     the N-th allocation (malloc, calloc, realloc, aligned) of the process returns NULL.
 *               WEIR_FAULT_FILE gets "N OBJECT"; OBJECT is the file of the innermost caller outside
 *               of the C library
 *   sites       WEIR_FAULT_FILE gets "N OBJECT" for the first allocation of each call site, which
 *               is the last CALLERS callers
 *   read=short  every read returns at most 1 to 7 bytes
 *   read=eintr  every second read fails with EINTR
 *   write=short every write takes at most 1 to 7 bytes
 *   write=eintr every second write fails with EINTR
 *   write=N     the N-th write, and all later ones, fail with ENOSPC
 *   clock=back  every second reading of a clock lies an hour before the one in front of it
 * Reads and writes of regular files, pipes and sockets are meant alike; pread and pwrite, which
 * SQLite uses, as well.
 */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define CALLERS  6
#define SLOTS    (1u << 16) /* of call sites; a power of two */
#define HOUR     3600
#define EARLY    4096 /* bytes for allocations before the real functions are found */
#define OWN_ROWS 2    /* at most, of a backtrace */

enum mode { PASS, FAIL_ONE, LIST_SITES };

static enum mode allocations;
static uint64_t failing;
static int file = -1;
static enum { READ_ALL, READ_SHORT, READ_EINTR } reads;
static enum { WRITE_ALL, WRITE_SHORT, WRITE_EINTR, WRITE_FULL } writes;
static uint64_t full_from;
static bool clock_jumps;

static _Atomic uint64_t allocated, read_calls, write_calls, clock_calls;
static _Atomic uint64_t sites[SLOTS];
static _Thread_local bool inside;

static void *(*real_malloc)(size_t);
static void *(*real_calloc)(size_t, size_t);
static void *(*real_realloc)(void *, size_t);
static int (*real_posix_memalign)(void **, size_t, size_t);
static void *(*real_aligned_alloc)(size_t, size_t);
static ssize_t (*real_read)(int, void *, size_t);
static ssize_t (*real_pread)(int, void *, size_t, off_t);
static ssize_t (*real_write)(int, const void *, size_t);
static ssize_t (*real_pwrite)(int, const void *, size_t, off_t);
static int (*real_clock_gettime)(clockid_t, struct timespec *);

static unsigned char early[EARLY];
static size_t early_used;

/* Functions of the C library have other types than void *. */
#define FIND(function)                                                                             \
	do {                                                                                       \
		void *found = dlsym(RTLD_NEXT, #function);                                         \
                                                                                                   \
		memcpy(&real_##function, &found, sizeof found);                                    \
	} while (0)

static void find_all(void)
{
	FIND(malloc);
	FIND(calloc);
	FIND(realloc);
	FIND(posix_memalign);
	FIND(aligned_alloc);
	FIND(read);
	FIND(pread);
	FIND(write);
	FIND(pwrite);
	FIND(clock_gettime);
}

static void set_writes(const char *value)
{
	writes = !strcmp(value, "short")   ? WRITE_SHORT
	         : !strcmp(value, "eintr") ? WRITE_EINTR
	                                   : WRITE_FULL;
	if (writes == WRITE_FULL)
		full_from = strtoull(value, NULL, 10);
}

__attribute__((constructor)) static void start(void)
{
	const char *fault = getenv("WEIR_FAULT"), *path = getenv("WEIR_FAULT_FILE");
	void *rows[CALLERS];

	find_all();
	if (!fault)
		return;
	if (path && (!strncmp(fault, "alloc=", 6) || !strcmp(fault, "sites"))) {
		backtrace(rows, CALLERS); /* loads a library, once */
		file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
		failing = *fault == 'a' ? strtoull(fault + 6, NULL, 10) : 0;
		allocations = *fault == 'a' ? FAIL_ONE : LIST_SITES;
	} else if (!strncmp(fault, "read=", 5)) {
		reads = !strcmp(fault + 5, "short") ? READ_SHORT : READ_EINTR;
	} else if (!strncmp(fault, "write=", 6)) {
		set_writes(fault + 6);
	} else if (!strcmp(fault, "clock=back")) {
		clock_jumps = true;
	} else {
		fprintf(stderr,
		        "interpose: WEIR_FAULT=%s is unknown, or WEIR_FAULT_FILE is missing\n",
		        fault);
		abort();
	}
}

/* ---- allocations ---- */

/* Returns the name of the file that holds the innermost caller outside of the C library. */
static const char *object_of(void *const *rows, int count)
{
	void *own = dlsym(RTLD_DEFAULT, "malloc");
	Dl_info about, self;

	if (!dladdr(own, &self))
		return "-";
	for (int i = 0; i < count; i++) {
		const char *name;

		if (!dladdr(rows[i], &about) || !about.dli_fname ||
		    about.dli_fbase == self.dli_fbase)
			continue;
		name = strrchr(about.dli_fname, '/');
		name = name ? name + 1 : about.dli_fname;
		if (strncmp(name, "libc.so", 7) != 0)
			return name;
	}
	return "-";
}

static void write_row(uint64_t number, void *const *rows, int count)
{
	char line[64];
	int length = snprintf(line, sizeof line, "%llu %.30s\n", (unsigned long long)number,
	                      object_of(rows, count));

	if (real_write(file, line, (size_t)length) != length)
		abort();
}

/* Returns true if no allocation came from this call site before. */
static bool is_new_site(void *const *rows, int count)
{
	uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);

	for (int i = OWN_ROWS; i < count; i++)
		hash = (hash ^ (uint64_t)(uintptr_t)rows[i]) * UINT64_C(0x100000001b3);
	hash |= 1;
	for (size_t i = 0; i < SLOTS; i++) {
		uint64_t empty = 0;

		if (atomic_compare_exchange_strong(&sites[(hash + i) % SLOTS], &empty, hash))
			return true;
		if (empty == hash)
			return false;
	}
	abort(); /* more call sites than SLOTS */
}

/* Counts one allocation; returns true if it is to fail. */
static bool fails(void)
{
	void *rows[CALLERS + OWN_ROWS];
	uint64_t number;
	int count;

	if (allocations == PASS || inside)
		return false;
	number = atomic_fetch_add(&allocated, 1) + 1;
	if (allocations == FAIL_ONE && number != failing)
		return false;
	inside = true;
	count = backtrace(rows, CALLERS + OWN_ROWS);
	if (allocations == FAIL_ONE || is_new_site(rows, count))
		write_row(number, rows, count);
	inside = false;
	return allocations == FAIL_ONE;
}

static void *no_memory(void)
{
	errno = ENOMEM;
	return NULL;
}

void *malloc(size_t size)
{
	if (!real_malloc)
		find_all();
	return fails() ? no_memory() : real_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	if (!real_calloc) { /* dlsym() itself allocates */
		size_t at = early_used;

		early_used += (count * size + 15) / 16 * 16;
		if (early_used > sizeof early)
			abort();
		return early + at;
	}
	return fails() ? no_memory() : real_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	if (!real_realloc)
		find_all();
	return fails() ? no_memory() : real_realloc(old, size);
}

int posix_memalign(void **out, size_t alignment, size_t size)
{
	return fails() ? ENOMEM : real_posix_memalign(out, alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return fails() ? no_memory() : real_aligned_alloc(alignment, size);
}

/* ---- reads and writes ---- */

static size_t few(uint64_t call, size_t size)
{
	size_t most = 1 + call % 7;

	return size < most ? size : most;
}

/* Returns true if the read is to be interrupted; else lessens *size. */
static bool read_interrupted(size_t *size)
{
	uint64_t call = atomic_fetch_add(&read_calls, 1);

	if (reads == READ_SHORT)
		*size = few(call, *size);
	if (reads != READ_EINTR || call % 2 != 0)
		return false;
	errno = EINTR;
	return true;
}

ssize_t read(int fd, void *to, size_t size)
{
	return read_interrupted(&size) ? -1 : real_read(fd, to, size);
}

ssize_t pread(int fd, void *to, size_t size, off_t at)
{
	return read_interrupted(&size) ? -1 : real_pread(fd, to, size, at);
}

ssize_t pread64(int fd, void *to, size_t size, off_t at)
{
	return pread(fd, to, size, at);
}

/* Returns true if the write is to fail; else lessens *size. */
static bool write_fails(int fd, size_t *size)
{
	uint64_t call;

	if (fd == STDERR_FILENO) /* messages must arrive */
		return false;
	call = atomic_fetch_add(&write_calls, 1);
	if (writes == WRITE_SHORT)
		*size = few(call, *size);
	if (writes == WRITE_EINTR && call % 2 == 0) {
		errno = EINTR;
		return true;
	}
	if (writes == WRITE_FULL && call + 1 >= full_from) {
		errno = ENOSPC;
		return true;
	}
	return false;
}

ssize_t write(int fd, const void *from, size_t size)
{
	return write_fails(fd, &size) ? -1 : real_write(fd, from, size);
}

ssize_t pwrite(int fd, const void *from, size_t size, off_t at)
{
	return write_fails(fd, &size) ? -1 : real_pwrite(fd, from, size, at);
}

ssize_t pwrite64(int fd, const void *from, size_t size, off_t at)
{
	return pwrite(fd, from, size, at);
}

/* ---- clocks ---- */

int clock_gettime(clockid_t clock, struct timespec *out)
{
	int status = real_clock_gettime(clock, out);

	if (clock_jumps && atomic_fetch_add(&clock_calls, 1) % 2 == 0)
		out->tv_sec -= HOUR;
	return status;
}
