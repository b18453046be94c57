/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs other programs, without a shell, and ends them if weir itself is asked to end. Between
 * weir_signals_hold() and weir_signals_release() the signals that end a program wait, so that the
 * caller can clean up first.
 */
#ifndef WEIR_BASE_CHILD_H
#define WEIR_BASE_CHILD_H

#include <signal.h>
#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/base/text.h"

#define WEIR_CHILD_MOST_OUTPUT (64 << 20) /* bytes that are kept, from the end of the output */

struct weir_signals {
	sigset_t before; /* mask to restore */
	sigset_t ending; /* the blocked signals that end a program */
	int taken;       /* the signal that asks weir to end; 0: none */
};

/* Blocks SIGCHLD and those of SIGINT, SIGTERM, SIGHUP and SIGQUIT that are not ignored (nohup), for
 * this thread and those that it starts. */
void weir_signals_hold(struct weir_signals *signals);
/* Takes a waiting signal without delay. Returns true if one was taken, now or before. */
bool weir_signals_came(struct weir_signals *signals);
/* Restores the mask; a signal that still waits then has its usual effect. */
void weir_signals_release(struct weir_signals *signals);

struct weir_child {
	const char *const *words;    /* program and arguments, ends with NULL */
	const char *folder;          /* in which it runs; NULL: the current one */
	const char *const *settings; /* "NAME=VALUE" sets a variable, "NAME" removes it; ends with
	                                NULL; NULL: no change */
	bool to_the_end; /* a signal is taken, but does not end the program; for cleaning up */
	bool apart;      /* standard error goes to `errors` instead of `output` */
};

struct weir_child_end {
	int code; /* exit code, or 128 + the signal that ended it */
	struct weir_text output, errors;
};

/*
 * Runs a program, waits for its end and fills *end, which the caller releases even after a failure.
 * Its standard input is empty, and it is the leader of a process group, which is ended if a signal
 * comes. WEIR_E_IO: it cannot be started, or a signal came. An exit code other than 0 is no error.
 */
enum weir_status weir_child_run(const struct weir_child *child, struct weir_signals *signals,
                                struct weir_child_end *end, struct weir_error *err);
void weir_child_end_release(struct weir_child_end *end);

/* Finds the begin of the last `lines` lines of an output. Returns "" for no output. */
const char *weir_child_last_lines(const struct weir_text *output, size_t lines);

#endif
