/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the bytes of an input: a file, standard input ("-") or memory. Recognises gzip (with one or
 * more members) and zstd (with one or more frames) by content, and decompresses them. Reads
 * sequentially through a fixed buffer.
 */
#ifndef WEIR_BASE_SOURCE_H
#define WEIR_BASE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/spool.h"

/* A compressed input that decodes to more bytes for each stored one is refused as a bomb, beyond a
 * size that nobody minds. Traces reach 10 to 40 times. */
#define WEIR_SOURCE_MAX_RATIO  500
#define WEIR_SOURCE_RATIO_FROM (UINT64_C(64) << 20) /* decoded bytes */

#define WEIR_HEAD_SIZE 65536 /* decompressed bytes that a sniffer may read */

struct weir_source;

/* Opens a file, or standard input for "-". The caller frees *out. */
enum weir_status weir_source_open(const char *path, struct weir_source **out,
                                  struct weir_error *err);
/* Opens bytes in memory, which are borrowed until weir_source_free(). */
enum weir_status weir_source_open_memory(const char *name, const void *data, size_t len,
                                         struct weir_source **out, struct weir_error *err);
/*
 * Fills a buffer with the next stored bytes of an input; *len 0 is the end. If the input is damaged
 * there, sets *damage to one line about it, which lasts as long as the source. It may be called on
 * any thread, but one call at a time.
 */
struct weir_source_supply {
	enum weir_status (*fill)(void *context, char *to, size_t room, size_t *len,
	                         const char **damage, struct weir_error *err);
	void *context; /* borrowed */
};

/* Opens an input whose stored bytes come from a function, such as a member of an archive. They may
 * be compressed, as those of a file. The caller frees *out. */
enum weir_status weir_source_open_supply(const char *name, const struct weir_source_supply *supply,
                                         struct weir_source **out, struct weir_error *err);
/* Opens the bytes of a spool, which the source takes: the caller's spool is empty then, also after
 * a failure. The caller frees *out. */
enum weir_status weir_source_open_spool(const char *name, struct weir_spool *spool,
                                        struct weir_source **out, struct weir_error *err);
/* Supplies the next bytes of a source; they stay valid until the next call. *len 0 is the end. */
typedef enum weir_status (*weir_source_feed)(void *context, const char **data, size_t *len,
                                             struct weir_error *err);
/* Returns a source whose bytes come from a function, for weir_source_next() only; the caller frees
 * it. The context is borrowed. */
struct weir_source *weir_source_new_fed(const char *name, weir_source_feed feed, void *context);
/* Advances the position of a fed source over bytes that its owner has used itself. */
void weir_source_skip(struct weir_source *source, uint64_t bytes);
/* Sets the damage of a fed source; borrowed. */
void weir_source_note_damage(struct weir_source *source, const char *damage);
void weir_source_free(struct weir_source *source);

/* Returns up to WEIR_HEAD_SIZE first bytes without consuming them, after a byte order mark;
 * borrowed until the first weir_source_next(). The length is 0 for an empty input. */
enum weir_status weir_source_head(struct weir_source *source, const char **head, size_t *len,
                                  struct weir_error *err);

/*
 * Returns the next bytes in order, starting with the head; borrowed until the next call. *len 0 is
 * the end. If a compressed stream is truncated or damaged, the bytes before the damage come first;
 * then the stream ends and weir_source_damage() has the reason.
 */
enum weir_status weir_source_next(struct weir_source *source, const char **data, size_t *len,
                                  struct weir_error *err);

/* Reads the next bytes into a buffer, until it is full or the input ends: *len < room is the end.
 * Treats damage as weir_source_next() does. */
enum weir_status weir_source_read(struct weir_source *source, char *to, size_t room, size_t *len,
                                  struct weir_error *err);

#define WEIR_SOURCE_BLOCK ((size_t)1 << 20)

/* The division of an input among threads. The result of reading must not depend on `threads`. */
struct weir_source_division {
	size_t threads; /* 0: one */
	size_t block;   /* bytes of a block; 0: WEIR_SOURCE_BLOCK */
};

void weir_source_divide(struct weir_source *source, struct weir_source_division division);
/* Returns the division with its defaults filled in. */
struct weir_source_division weir_source_division(const struct weir_source *source);

/* Sets a function that each call for bytes calls with the stored bytes read so far and the
 * file's size (0: unknown). It replaces an earlier one. */
void weir_source_watch(struct weir_source *source,
                       void (*report)(void *context, uint64_t done, uint64_t total), void *context);

/* Returns the path as given; "standard input" for "-". */
const char *weir_source_name(const struct weir_source *source);
/* Returns the number of decompressed bytes returned so far. */
uint64_t weir_source_position(const struct weir_source *source);
/* Returns the number of bytes read from the file, before decompression. */
uint64_t weir_source_stored_bytes(const struct weir_source *source);
/* Sets that number, for a reader that read ahead of what it used. */
void weir_source_count_stored(struct weir_source *source, uint64_t bytes);
/* Returns the size of the file in bytes; 0 if it is unknown (standard input, a pipe). */
uint64_t weir_source_stored_size(const struct weir_source *source);
/* Returns the number of decompressed bytes to expect, extrapolated for a compressed file; 0 if it
 * is unknown. Memory may be reserved by it, but nothing may depend on it. */
uint64_t weir_source_expected_bytes(const struct weir_source *source);
/*
 * Returns the path of an uncompressed file, for formats that are not read sequentially: the caller
 * opens it again, and the source counts as read to its end. NULL for standard input, a pipe, memory
 * or a compressed file. Call it before the first weir_source_next(); the head stays valid.
 */
const char *weir_source_take_file(struct weir_source *source);
/*
 * Keeps the whole input, decompressed, in a spool (engine/base/spool.h) and gives its bytes, for
 * formats that are not read sequentially. The bytes may be changed, and last as long as the source;
 * the source is at its start again, and a further call gives the same bytes. Call it before the
 * first weir_source_next(). Fails with WEIR_E_LIMIT beyond `limit` bytes.
 */
enum weir_status weir_source_hold(struct weir_source *source, uint64_t limit, char **data,
                                  size_t *len, struct weir_error *err);
/* Returns the path of the file, compressed or not, if it can be opened again; NULL for standard
 * input, a pipe or memory. */
const char *weir_source_file(const struct weir_source *source);
/* Returns true if weir_source_read_at() can read any part of the input: a plain file. */
bool weir_source_seeks(const struct weir_source *source);
/* Reads bytes at an offset of the file, whatever was read before; *len < room is its end. The other
 * functions then know the stored bytes up to the last one that was read. */
enum weir_status weir_source_read_at(struct weir_source *source, uint64_t offset, char *to,
                                     size_t room, size_t *len, struct weir_error *err);
/* Returns one line about a truncated or damaged compressed stream, or NULL. */
const char *weir_source_damage(const struct weir_source *source);

#endif
