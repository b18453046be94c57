/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/blocks.h"
#include "engine/base/pool.h"

/* Blocks for each thread that may be done before the caller takes them. The system may clear new
 * pages of many columns while the caller adds one block, which takes as long as the work on 10. */
#define AHEAD 12
/* Blocks that have their bytes before a thread works on one instead of filling another. One thread
 * fills at a time, and a thread that finds no other block waits for it: in a compressed trace of 2
 * GB on two cores, the threads waited 0.15 s with one block ready and 0.03 s with two. */
#define READY 2
#define SLOTS (AHEAD * WEIR_POOL_MAX_WIDTH + 2)
#define NEAR  64 /* bytes that are searched one by one */

enum stage {
	STAGE_FREE,
	STAGE_FILLED,  /* has its bytes */
	STAGE_CLAIMED, /* a thread works on it */
	STAGE_DONE,
	STAGE_REFUSED, /* the caller must take the bytes */
};

struct slot {
	struct weir_block block;
	enum stage stage;
	/* State of the source after the block. */
	uint64_t stored;
	const char *damage;
};

/* Memory that no slot uses. The last piece that came goes first: a processor that was just done
 * with it still has it in its cache. */
struct spares {
	void *pieces[SLOTS + 1];
	size_t count;
};

/*
 * Block number n is in slot n % slot_count. Blocks [next, filled) wait for the caller. The lock
 * guards the numbers, the stages, the flags and the spares; the bytes and the result of a slot
 * belong to the thread that claimed it, and the members of the reading side to the thread that set
 * `filling`.
 */
struct weir_blocks {
	struct weir_source *source;
	struct weir_blocks_options options;
	size_t threads, size, slot_count;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	pthread_t workers[WEIR_POOL_MAX_WIDTH];
	size_t worker_count;
	struct slot slots[SLOTS];
	struct spares buffers, results;
	uint64_t next, filled;
	bool filling, ended, stopped, started, out_of_memory;

	/* the reading side */
	char *rest; /* bytes after the last boundary */
	size_t rest_length, rest_capacity;
	uint64_t position;
	enum weir_status status; /* valid once `ended` */
	struct weir_error err;

	/* the caller's side */
	char *taken; /* bytes of the block that was taken last */
	uint64_t stored;
	const char *damage;
};

/* ---- boundaries ---- */

static bool is_blank(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Skips blanks; NEAR of them at once where they are alike, as empty lines are. */
static size_t skip_blanks(const char *data, size_t at, size_t length)
{
	while (at < length && is_blank(data[at])) {
		bool alike = length - at > NEAR && memcmp(data + at, data + at + 1, NEAR) == 0;

		at += alike ? NEAR : 1;
	}
	return at;
}

/* Returns true if an object with a key begins at `at`. */
static bool is_element(const char *data, size_t at, size_t length)
{
	at = skip_blanks(data, at, length);
	if (at == length || data[at] != '{')
		return false;
	at = skip_blanks(data, at + 1, length);
	return at < length && data[at] == '"';
}

/* Returns the last place of a byte before `end`, or `end` without one. Most are
 * near; a long text or a long list is searched by words. */
static size_t find_last(const char *data, size_t end, char wanted)
{
	const char *found;
	size_t far = end > NEAR ? end - NEAR : 0;

	for (size_t at = end; at-- > far;)
		if (data[at] == wanted)
			return at;
	found = memrchr(data, wanted, far);
	return found ? (size_t)(found - data) : end;
}

/*
 * Searches backwards for a comma between two objects. Either may be far from the end: an object may
 * hold a list with many commas, or many objects within each other. So the search goes from the last
 * comma to the brace before it, and from a brace that ends no element to the comma before that.
 */
size_t weir_blocks_cut(const char *data, size_t length)
{
	size_t comma, brace, before = length;

	while ((comma = find_last(data, before, ',')) != before &&
	       (brace = find_last(data, comma, '}')) != comma) {
		size_t next = skip_blanks(data, brace + 1, length);

		if (data[next] == ',' && is_element(data, next + 1, length))
			return brace + 1;
		before = brace;
	}
	return 0;
}

/* ---- filling ---- */

static void put_aside(struct spares *spares, void *piece)
{
	if (piece)
		spares->pieces[spares->count++] = piece;
}

/* Returns a spare piece, or NULL. */
static void *take_spare(struct spares *spares)
{
	return spares->count > 0 ? spares->pieces[--spares->count] : NULL;
}

static struct slot *slot_of(struct weir_blocks *blocks, uint64_t number)
{
	return &blocks->slots[number % blocks->slot_count];
}

/* Keeps the bytes after the last boundary for the next block. */
static void keep_rest(struct weir_blocks *blocks, struct weir_block *block)
{
	size_t end = weir_blocks_cut(block->data, block->length);

	if (!end)
		return;
	blocks->rest_length = block->length - end;
	if (blocks->rest_length > 0) {
		blocks->rest =
			weir_grow(blocks->rest, &blocks->rest_capacity, blocks->rest_length, 1);
		memcpy(blocks->rest, block->data + end, blocks->rest_length);
	}
	block->length = end;
}

/* A piece of work of one thread, without the lock. */
struct piece {
	struct weir_blocks *blocks;
	struct slot *slot;
	bool refused, last;
	enum weir_status status;
};

static void fill(void *context)
{
	struct piece *piece = context;
	struct weir_blocks *blocks = piece->blocks;
	struct weir_block *block = &piece->slot->block;
	size_t room = blocks->size - blocks->rest_length, got = 0;

	if (!block->data)
		block->data = weir_realloc(NULL, blocks->size + WEIR_BLOCKS_PADDING);
	if (blocks->rest_length > 0)
		memcpy(block->data, blocks->rest, blocks->rest_length);
	piece->status = weir_source_read(blocks->source, block->data + blocks->rest_length, room,
	                                 &got, &blocks->err);
	piece->last = piece->status || got < room;
	block->at = blocks->position;
	block->length = blocks->rest_length + got;
	blocks->rest_length = 0;
	if (!piece->last)
		keep_rest(blocks, block);
	memset(block->data + block->length, 0, WEIR_BLOCKS_PADDING);
	blocks->position += block->length;
	piece->slot->stored = weir_source_stored_bytes(blocks->source);
	piece->slot->damage = weir_source_damage(blocks->source);
}

static void work(void *context)
{
	struct piece *piece = context;
	const struct weir_blocks_options *options = &piece->blocks->options;
	struct weir_block *block = &piece->slot->block;

	if (!block->result)
		block->result = options->create(options->context);
	piece->refused = !options->work(options->context, block);
}

/* Runs a function without the lock. Memory that runs out is noted for the caller, since only its
 * thread can end the work. */
static void run_unlocked(struct weir_blocks *blocks, void (*function)(void *), struct piece *piece)
{
	bool done;

	pthread_mutex_unlock(&blocks->lock);
	done = weir_memory_try(function, piece);
	pthread_mutex_lock(&blocks->lock);
	blocks->out_of_memory |= !done;
}

static void fill_next(struct weir_blocks *blocks)
{
	struct slot *slot = slot_of(blocks, blocks->filled);
	struct piece piece = {.blocks = blocks, .slot = slot};

	if (!slot->block.data)
		slot->block.data = take_spare(&blocks->buffers);
	blocks->filling = true;
	run_unlocked(blocks, fill, &piece);
	blocks->filling = false;
	blocks->status = piece.status;
	blocks->ended = piece.last || blocks->out_of_memory;
	if (slot->block.length > 0 && !blocks->out_of_memory) {
		slot->stage = STAGE_FILLED;
		blocks->filled++;
	}
	pthread_cond_broadcast(&blocks->changed);
}

static void work_on(struct weir_blocks *blocks, struct slot *slot)
{
	struct piece piece = {.blocks = blocks, .slot = slot, .refused = true};

	slot->stage = STAGE_CLAIMED;
	slot->block.result = take_spare(&blocks->results);
	run_unlocked(blocks, work, &piece);
	slot->stage = piece.refused ? STAGE_REFUSED : STAGE_DONE;
	pthread_cond_broadcast(&blocks->changed);
}

/* ---- threads ---- */

/* Returns the first block that nobody has claimed, or NULL. */
static struct slot *find_filled(struct weir_blocks *blocks)
{
	for (uint64_t n = blocks->next; n < blocks->filled; n++)
		if (slot_of(blocks, n)->stage == STAGE_FILLED)
			return slot_of(blocks, n);
	return NULL;
}

/* Returns true if READY blocks have their bytes and nobody works on them. */
static bool has_ready(struct weir_blocks *blocks)
{
	size_t count = 0;

	for (uint64_t n = blocks->next; n < blocks->filled && count < READY; n++)
		count += slot_of(blocks, n)->stage == STAGE_FILLED;
	return count == READY;
}

/* Fills a block unless enough of them are ready, else works on the first one. Returns false if
 * there is nothing to do at present. Needs the lock. */
static bool help(struct weir_blocks *blocks)
{
	struct slot *slot = find_filled(blocks);
	bool can_fill = !blocks->filling && !blocks->ended &&
	                blocks->filled - blocks->next < blocks->slot_count;

	if (can_fill && !has_ready(blocks))
		fill_next(blocks);
	else if (slot)
		work_on(blocks, slot);
	else
		return false;
	return true;
}

static void *work_ahead(void *argument)
{
	struct weir_blocks *blocks = argument;

	pthread_mutex_lock(&blocks->lock);
	while (!blocks->stopped && !blocks->out_of_memory) {
		if (blocks->ended && !find_filled(blocks))
			break;
		if (!help(blocks))
			pthread_cond_wait(&blocks->changed, &blocks->lock);
	}
	pthread_mutex_unlock(&blocks->lock);
	return NULL;
}

/* Starts the threads once a second block is certain. */
static void start(struct weir_blocks *blocks)
{
	if (blocks->started || blocks->ended)
		return;
	blocks->started = true;
	while (blocks->worker_count + 1 < blocks->threads &&
	       pthread_create(&blocks->workers[blocks->worker_count], NULL, work_ahead, blocks) ==
	               0)
		blocks->worker_count++;
}

struct weir_blocks *weir_blocks_new(struct weir_source *source,
                                    const struct weir_blocks_options *options)
{
	struct weir_source_division division = weir_source_division(source);
	struct weir_blocks *blocks = weir_alloc(sizeof *blocks);

	blocks->source = source;
	blocks->options = *options;
	blocks->threads =
		division.threads < WEIR_POOL_MAX_WIDTH ? division.threads : WEIR_POOL_MAX_WIDTH;
	blocks->size = division.block;
	blocks->slot_count = blocks->threads > 1 ? AHEAD * blocks->threads + 2 : 1;
	pthread_mutex_init(&blocks->lock, NULL);
	pthread_cond_init(&blocks->changed, NULL);
	return blocks;
}

void weir_blocks_free(struct weir_blocks *blocks)
{
	if (!blocks)
		return;
	pthread_mutex_lock(&blocks->lock);
	blocks->stopped = true;
	pthread_cond_broadcast(&blocks->changed);
	pthread_mutex_unlock(&blocks->lock);
	for (size_t i = 0; i < blocks->worker_count; i++)
		pthread_join(blocks->workers[i], NULL);
	pthread_cond_destroy(&blocks->changed);
	pthread_mutex_destroy(&blocks->lock);
	weir_source_count_stored(blocks->source, blocks->stored);
	for (size_t i = 0; i < blocks->slot_count; i++) {
		put_aside(&blocks->results, blocks->slots[i].block.result);
		put_aside(&blocks->buffers, blocks->slots[i].block.data);
	}
	while (blocks->results.count > 0)
		blocks->options.destroy(take_spare(&blocks->results));
	while (blocks->buffers.count > 0)
		free(take_spare(&blocks->buffers));
	free(blocks->rest);
	free(blocks->taken);
	free(blocks);
}

/* ---- the caller's side ---- */

/* Waits until the next block is not claimed by another thread, and helps meanwhile. Returns it;
 * NULL: the input has ended. Needs the lock. */
static struct slot *await_next(struct weir_blocks *blocks)
{
	for (;;) {
		struct slot *slot = slot_of(blocks, blocks->next);

		if (blocks->out_of_memory) {
			pthread_mutex_unlock(&blocks->lock);
			weir_out_of_memory();
		}
		if (blocks->next < blocks->filled && slot->stage != STAGE_CLAIMED)
			return slot;
		if (blocks->next == blocks->filled && blocks->ended)
			return NULL;
		if (!help(blocks))
			pthread_cond_wait(&blocks->changed, &blocks->lock);
	}
}

const struct weir_block *weir_blocks_ready(struct weir_blocks *blocks)
{
	struct slot *slot;
	bool done;

	pthread_mutex_lock(&blocks->lock);
	slot = await_next(blocks);
	if (slot && slot->stage == STAGE_FILLED) {
		work_on(blocks, slot);
		slot = await_next(blocks); /* ends the call if memory ran out */
	}
	done = slot && slot->stage == STAGE_DONE;
	if (slot && !done)
		slot->stage = STAGE_REFUSED; /* the caller is about to take it */
	pthread_mutex_unlock(&blocks->lock);
	return done ? &slot->block : NULL;
}

/* Notes that the caller got the next block, whose slot becomes free. Needs the lock. */
static void pass(struct weir_blocks *blocks, struct slot *slot)
{
	blocks->stored = slot->stored;
	blocks->damage = slot->damage;
	put_aside(&blocks->buffers, slot->block.data);
	put_aside(&blocks->results, slot->block.result);
	slot->block.data = NULL;
	slot->block.result = NULL;
	slot->stage = STAGE_FREE;
	blocks->next++;
	pthread_cond_broadcast(&blocks->changed);
}

void weir_blocks_drop(struct weir_blocks *blocks)
{
	pthread_mutex_lock(&blocks->lock);
	pass(blocks, slot_of(blocks, blocks->next));
	pthread_mutex_unlock(&blocks->lock);
}

enum weir_status weir_blocks_take(struct weir_blocks *blocks, const char **data, size_t *length,
                                  struct weir_error *err)
{
	enum weir_status status = WEIR_OK;
	struct slot *slot;

	*data = "";
	*length = 0;
	pthread_mutex_lock(&blocks->lock);
	slot = await_next(blocks);
	if (slot) {
		char *taken = slot->block.data;

		*data = taken;
		*length = slot->block.length;
		slot->block.data = NULL;
		put_aside(&blocks->buffers, blocks->taken);
		blocks->taken = taken;
		pass(blocks, slot);
		start(blocks);
	} else {
		blocks->stored = weir_source_stored_bytes(blocks->source);
		blocks->damage = weir_source_damage(blocks->source);
		status = blocks->status;
	}
	pthread_mutex_unlock(&blocks->lock);
	if (status && err)
		*err = blocks->err;
	return status;
}

const char *weir_blocks_damage(const struct weir_blocks *blocks)
{
	return blocks->damage;
}
