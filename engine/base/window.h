/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A view of a source: [at, stop) is readable, the caller advances `at`, and weir_window_more()
 * extends the view without losing bytes. Bytes stay in the source's buffers; only those around a
 * seam between two buffers are copied. After weir_window_pad() the 64 bytes after the given length
 * are readable.
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
	const char *rest, *stretch_end; /* part of the source's buffer that is not in `own` yet */
	char *own; /* the seam: kept bytes, then the first bytes of the source's buffer */
	size_t kept, capacity; /* `kept`: bytes of `own` that precede the source's buffer */
	bool in_own, ended;
	enum weir_status status; /* last status of the source */
	struct weir_error *err;  /* borrowed; receives errors of the source */
};

void weir_window_init(struct weir_window *window, struct weir_source *source);
void weir_window_release(struct weir_window *window);

/* Makes more bytes after stop readable; may change both pointers. Returns false at the end and if
 * the source fails. */
bool weir_window_more(struct weir_window *window);
/* Returns true if no byte of the source's buffer lies after stop. */
bool weir_window_is_drained(const struct weir_window *window);
/* Returns to the source's buffer once `at` has passed the seam. */
void weir_window_settle(struct weir_window *window);
/* Makes WEIR_WINDOW_PADDING bytes after at + length readable. */
void weir_window_pad(struct weir_window *window, size_t length);
/* Returns the offset of `at` in the decompressed input. */
uint64_t weir_window_position(const struct weir_window *window);

#endif
