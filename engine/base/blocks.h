/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides the bytes of a source into blocks, on which several threads work ahead while the caller
 * takes the blocks in order. For arrays of objects: a block ends after a closing brace that a comma
 * and an opening brace follow, unless it has no such place. The boundary is a guess, which work()
 * and the caller check.
 *
 *	blocks = weir_blocks_new(source, &options);
 *	for (;;) {
 *		if (... the caller is at the start of a block ... &&
 *		    (block = weir_blocks_ready(blocks)))
 *			... use block->result ..., weir_blocks_drop(blocks);
 *		else
 *			status = weir_blocks_take(blocks, &data, &length, err);
 *	}
 *	weir_blocks_free(blocks);
 *
 * The boundaries depend on the bytes alone, not on the number of threads. The source is read and
 * decompressed by one thread at a time, which may be any of them. No thread is started for an input
 * of one block.
 */
#ifndef WEIR_BASE_BLOCKS_H
#define WEIR_BASE_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"
#include "engine/base/source.h"

#define WEIR_BLOCKS_PADDING 64 /* readable bytes, all 0, after every block */

struct weir_block {
	char *data; /* owned by the blocks */
	size_t length;
	uint64_t at;  /* offset of the first byte after decompression */
	void *result; /* made by create(), then filled by work() */
};

/* Functions that run on any thread. Only one call at a time gets the same block and result. */
struct weir_blocks_options {
	void *context; /* borrowed */
	void *(*create)(void *context);
	void (*destroy)(void *result);
	/* Works on a block, whose result may hold what an earlier block left. Returns false if the
	 * caller must take the bytes instead. */
	bool (*work)(void *context, const struct weir_block *block);
};

struct weir_blocks;

/* Borrows the source, of which nobody else reads until weir_blocks_free(); weir_source_division()
 * gives the number of threads and the size of a block. */
struct weir_blocks *weir_blocks_new(struct weir_source *source,
                                    const struct weir_blocks_options *options);
/* Stops the threads. The source then counts as read up to the last block that the caller got. */
void weir_blocks_free(struct weir_blocks *blocks);

/* Returns the next block if a thread has taken it and work() returned true; waits for that thread,
 * and works on later blocks meanwhile. NULL: take the bytes. Borrowed until weir_blocks_drop(). */
const struct weir_block *weir_blocks_ready(struct weir_blocks *blocks);
void weir_blocks_drop(struct weir_blocks *blocks);

/* Returns the bytes of the next block, borrowed until the next call; *length 0 is the end. Fails if
 * the source failed after the bytes before. */
enum weir_status weir_blocks_take(struct weir_blocks *blocks, const char **data, size_t *length,
                                  struct weir_error *err);
/* Returns one line about the compressed stream if it is damaged up to the last block that the
 * caller got, else NULL. */
const char *weir_blocks_damage(const struct weir_blocks *blocks);

/* Returns the offset of the last place where an element seems to end; 0 if there is no such
 * place. */
size_t weir_blocks_cut(const char *data, size_t length);

#endif
