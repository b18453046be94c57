/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A view on a source that can be kept in place: [at, stop) is readable, at moves forward freely,
 * and asking for more keeps what is between them. Bytes stay where the source has them but for the
 * stretch around a seam between two of its buffers, which is copied. 64 bytes after stop may be
 * read once weir_window_pad() was asked for them.
 */
#ifndef WEIR_BASE_WINDOW_H
#define WEIR_BASE_WINDOW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/source.h"

#define WEIR_WINDOW_PADDING 64

struct weir_window {
	const char *at, *stop;
	struct weir_source *source;     /* borrowed */
	const char *rest, *stretch_end; /* of the source's stretch: not in `own` yet */
	char *own;                      /* the seam: kept bytes, then a beginning of the stretch */
	size_t kept, capacity;          /* bytes of `own` that come before the stretch */
	bool in_own, ended;
	enum weir_status status; /* of the source */
	struct weir_error *err;  /* borrowed; where the source's error goes */
};

void weir_window_init(struct weir_window *window, struct weir_source *source);
void weir_window_release(struct weir_window *window);

/* More bytes after stop; `at` may move in memory. False at the end and where the source fails. */
bool weir_window_more(struct weir_window *window);
/* Leaves the seam where `at` has passed it. */
void weir_window_settle(struct weir_window *window);
/* Makes WEIR_WINDOW_PADDING bytes after at + length readable. */
void weir_window_pad(struct weir_window *window, size_t length);
/* The byte after decompression that `at` stands on. */
uint64_t weir_window_position(const struct weir_window *window);

#endif
