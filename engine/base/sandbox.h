/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs work on hostile bytes on threads that have lost rights: they open no file for writing, and
 * create, rename and remove none; they open no socket and start no program. The kernel takes the
 * rights (Landlock and a seccomp filter), and threads that such a thread starts lack them as well.
 * Other threads keep them, because Landlock cannot give a right back
 * (docs/decisions/0022-reading-without-rights.md).
 *
 *	weir_sandbox_allow(WEIR_SANDBOX_ALL);
 *	weir_sandbox_run(read_all, reading);
 */
#ifndef WEIR_BASE_SANDBOX_H
#define WEIR_BASE_SANDBOX_H

#include <stdbool.h>

/* The mechanisms of the kernel. Each refuses files, sockets and programs; Landlock knows only
 * sockets of TCP. */
enum weir_sandbox_layer {
	WEIR_SANDBOX_LANDLOCK = 1,
	WEIR_SANDBOX_SECCOMP = 2,
	WEIR_SANDBOX_ALL = WEIR_SANDBOX_LANDLOCK | WEIR_SANDBOX_SECCOMP,
};

/* Lets weir_sandbox_run() use these mechanisms, as far as the kernel has them; before the first
 * call it uses none. Call it before other threads run. */
void weir_sandbox_allow(unsigned layers);
/* Returns the mechanisms that every weir_sandbox_run() could use since weir_sandbox_allow(). */
unsigned weir_sandbox_used(void);

/* Calls work(context) on a thread without the rights, and returns after it. Calls it on this thread
 * if no mechanism is allowed, if this thread is in a sandbox already, or if no thread can be
 * started. If memory runs out inside weir_memory_try(), the caller's weir_memory_try() returns. */
void weir_sandbox_run(void (*work)(void *context), void *context);

/* Creates a temporary file without a name and returns its descriptor, or -1 with errno. The
 * template is as for mkstemp(). In a sandbox, the thread outside creates it. */
int weir_sandbox_temporary(char *template);

struct weir_sandbox;

/* Returns the sandbox of this thread, NULL: none. */
struct weir_sandbox *weir_sandbox_of_thread(void);
/* Tells a thread that a thread in a sandbox started it. */
void weir_sandbox_join(struct weir_sandbox *sandbox);

#endif
