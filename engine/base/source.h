/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The bytes of one input: a file, standard input ("-") or memory; gzip (several members are legal)
 * and zstd (several frames) are recognised by content and decompressed on the way. Reading is
 * sequential and through one fixed buffer.
 */
#ifndef WEIR_BASE_SOURCE_H
#define WEIR_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

#define WEIR_HEAD_SIZE 65536 /* bytes that a sniffer may look at, after decompression */

struct weir_source;

enum weir_status weir_source_open(const char *path, struct weir_source **out,
                                  struct weir_error *err);
/* Borrows data until weir_source_free(). */
enum weir_status weir_source_open_memory(const char *name, const void *data, size_t len,
                                         struct weir_source **out, struct weir_error *err);
void weir_source_free(struct weir_source *source);

/* Up to WEIR_HEAD_SIZE first bytes without consuming them; a byte order mark is skipped; borrowed
 * until the first weir_source_next(). An empty input gives length 0. */
enum weir_status weir_source_head(struct weir_source *source, const char **head, size_t *len,
                                  struct weir_error *err);

/*
 * The next stretch of bytes, in order, the head's bytes included; borrowed until the next call.
 * *len 0 is the end. A compressed stream that stops short or is damaged gives what could be
 * decompressed first; then the end, with weir_source_damage() saying why.
 */
enum weir_status weir_source_next(struct weir_source *source, const char **data, size_t *len,
                                  struct weir_error *err);

/* Called at every stretch with the stored bytes read so far and the file's size (0: unknown). One
 * listener at a time. */
void weir_source_watch(struct weir_source *source,
                       void (*report)(void *context, uint64_t done, uint64_t total), void *context);

const char *
weir_source_name(const struct weir_source *source); /* the path as given, "-" as "standard input" */
uint64_t
weir_source_position(const struct weir_source *source); /* decompressed bytes handed out so far */
uint64_t weir_source_stored_bytes(
	const struct weir_source *source); /* bytes read from the file, compressed */
/* Size of the file, 0 where it is not known (standard input, a pipe). */
uint64_t weir_source_stored_size(const struct weir_source *source);
/*
 * For formats that are not read from front to back: the path of the uncompressed file behind the
 * source, which the caller opens again; the source counts as read to its end. NULL where there is
 * none: standard input, a pipe, memory, a compressed file. Before the first weir_source_next(); the
 * head stays valid.
 */
const char *weir_source_take_file(struct weir_source *source);
/* The path of the file behind the source, compressed or not, where it can be opened a second time;
 * NULL: standard input, a pipe, memory. */
const char *weir_source_file(const struct weir_source *source);
/* NULL, or one line about a truncated or corrupt compressed stream. */
const char *weir_source_damage(const struct weir_source *source);
/* "plain", "gzip" or "zstd". */
const char *weir_source_encoding(const struct weir_source *source);

#endif
