/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/rowmap.h"
#include "engine/readers/trace/allocations.h"

#define DEVICE_TYPE 1 /* c10::DeviceType of CUDA; 0 would be the host */

/* The memory at an address; 0 bytes: freed. */
struct block {
	int64_t process, address, bytes;
	int32_t device;
};

/* The memory that is allocated on a device. */
struct total {
	int32_t device;
	int64_t bytes;
};

struct tally {
	struct block *blocks;
	size_t block_count, block_capacity;
	struct weir_rowmap by_address;
	struct total *totals;
	size_t total_count, total_capacity;
	struct weir_builder *builder;
};

void weir_allocations_add(struct weir_allocations *allocations,
                          const struct weir_allocation *allocation)
{
	allocations->items = weir_grow(allocations->items, &allocations->capacity,
	                               allocations->count + 1, sizeof(*allocations->items));
	allocations->items[allocations->count++] = *allocation;
}

void weir_allocations_release(struct weir_allocations *allocations)
{
	free(allocations->items);
	*allocations = (struct weir_allocations){0};
}

/* Orders items by time; items of one time keep their order, because they are compared by address.
 */
static int by_time(const void *left, const void *right)
{
	const struct weir_allocation *a = *(const struct weir_allocation *const *)left;
	const struct weir_allocation *b = *(const struct weir_allocation *const *)right;

	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return (a > b) - (a < b);
}

static uint32_t hash_of(const struct weir_allocation *item)
{
	return weir_rowmap_hash_pair((uint64_t)item->address, (uint64_t)item->process);
}

/* Returns the block at the address of the item; NULL if there never was one. */
static struct block *find_block(const struct tally *tally, const struct weir_allocation *item)
{
	uint32_t at;
	size_t probe = 0;

	if (!tally->blocks)
		return NULL;
	while ((at = weir_rowmap_next(&tally->by_address, hash_of(item), &probe)) !=
	       WEIR_ROWMAP_NONE) {
		struct block *block = &tally->blocks[at];

		if (block->address == item->address && block->process == item->process)
			return block;
	}
	return NULL;
}

static struct block *add_block(struct tally *tally, const struct weir_allocation *item)
{
	tally->blocks = weir_grow(tally->blocks, &tally->block_capacity, tally->block_count + 1,
	                          sizeof(*tally->blocks));
	weir_rowmap_add(&tally->by_address, hash_of(item), (uint32_t)tally->block_count);
	tally->blocks[tally->block_count] =
		(struct block){.process = item->process, .address = item->address};
	return &tally->blocks[tally->block_count++];
}

static int64_t *total_of(struct tally *tally, int32_t device)
{
	for (size_t i = 0; i < tally->total_count; i++)
		if (tally->totals[i].device == device)
			return &tally->totals[i].bytes;
	tally->totals = weir_grow(tally->totals, &tally->total_capacity, tally->total_count + 1,
	                          sizeof(*tally->totals));
	tally->totals[tally->total_count] = (struct total){device, 0};
	return &tally->totals[tally->total_count++].bytes;
}

static void add_event(struct tally *tally, int64_t at_ns, int32_t device, int64_t bytes)
{
	int64_t *total = total_of(tally, device);

	*total += bytes;
	weir_builder_add_memory(tally->builder, &(struct weir_memory_event){
							.at_ns = at_ns,
							.bytes = bytes,
							.allocated_bytes = *total,
							.reserved_bytes = -1,
							.device_id = device,
							.device_type = DEVICE_TYPE,
						});
}

/* Takes an item. If memory is already allocated at its address, the free of it was not recorded. */
static void take(struct tally *tally, const struct weir_allocation *item)
{
	struct block *block = find_block(tally, item);

	if (block && block->bytes) {
		add_event(tally, item->at_ns, block->device, -block->bytes);
		block->bytes = 0;
	}
	if (item->is_free || item->bytes <= 0 || item->bytes > WEIR_MAX_ALLOCATION ||
	    *total_of(tally, item->device) > WEIR_MAX_ALLOCATED - item->bytes)
		return;
	if (!block)
		block = add_block(tally, item);
	block->device = item->device;
	block->bytes = item->bytes;
	add_event(tally, item->at_ns, block->device, block->bytes);
}

void weir_allocations_finish(struct weir_allocations *allocations, struct weir_builder *builder)
{
	size_t count = allocations->count;
	const struct weir_allocation **order = weir_alloc((count + 1) * sizeof(*order));
	struct tally tally = {.builder = builder};

	for (size_t i = 0; i < count; i++)
		order[i] = &allocations->items[i];
	if (count)
		qsort(order, count, sizeof(*order), by_time);
	for (size_t i = 0; i < count && i < WEIR_MAX_ROWS; i++)
		take(&tally, order[i]);
	weir_rowmap_release(&tally.by_address);
	free(tally.blocks);
	free(tally.totals);
	free(order);
}
