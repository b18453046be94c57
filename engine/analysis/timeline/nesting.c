/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/nesting.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

/* A part with fewer rows takes less time than a thread needs to start. */
#define LEAST_ROWS ((size_t)1 << 16)

/* Enclosing rows of the current one, in a walk over a thread's rows in order of start. */
struct open_rows {
	uint32_t *row;
	size_t count, capacity;
};

/* Rows [first, end), which are nested as if no row before them was open. */
struct part {
	size_t first, end;
	uint64_t misnested;
	struct open_rows open; /* behind the last row */
};

struct nesting {
	struct weir_timeline *timeline;
	struct part *parts;
};

/* Returns the innermost open row, or the one at the greatest depth that is kept. */
static uint32_t parent_among(const struct open_rows *open)
{
	size_t depth = open->count < WEIR_MAX_NESTING ? open->count : WEIR_MAX_NESTING;

	return depth > 0 ? open->row[depth - 1] : WEIR_NONE;
}

/* Finds the operators around a row, whose parent's are known. */
static void find_operators(struct weir_timeline *timeline, size_t row)
{
	uint32_t parent = timeline->parent[row];
	bool is_op = timeline->trace->host.kind[row] == WEIR_HOST_OP;
	uint32_t inner = parent == WEIR_NONE ? WEIR_NONE : timeline->inner_op[parent];
	uint32_t outer = parent == WEIR_NONE ? WEIR_NONE : timeline->outer_op[parent];

	timeline->inner_op[row] = is_op ? (uint32_t)row : inner;
	timeline->outer_op[row] = is_op && outer == WEIR_NONE ? (uint32_t)row : outer;
}

/* Closes the open rows that the row is not inside of. Returns the position of the innermost one
 * that the row overlaps and outlives by more than clock jitter; SIZE_MAX: none. */
static size_t close_rows(const struct weir_host_columns *host, size_t row, struct open_rows *open)
{
	size_t outlived = SIZE_MAX;

	if (row > 0 && host->thread[row] != host->thread[row - 1])
		open->count = 0;
	while (open->count > 0) {
		uint32_t top = open->row[open->count - 1];

		if (host->end_ns[top] > host->start_ns[row]) {
			if (weir_span_ns(host->end_ns[top], host->end_ns[row]) <= WEIR_OVERHANG_NS)
				break;
			if (outlived == SIZE_MAX)
				outlived = open->count - 1;
		}
		open->count--;
	}
	return outlived;
}

/* Makes the row a child of the innermost open one, and opens it. */
static void open_row(struct weir_timeline *timeline, size_t row, struct open_rows *open)
{
	timeline->parent[row] = parent_among(open);
	find_operators(timeline, row);
	open->row = weir_grow(open->row, &open->capacity, open->count + 1, sizeof *open->row);
	open->row[open->count++] = (uint32_t)row;
}

static void nest_part(void *context, size_t index)
{
	struct nesting *nesting = context;
	struct part part = nesting->parts[index]; /* on this thread's stack: its own cache lines */

	for (size_t row = part.first; row < part.end; row++) {
		part.misnested +=
			close_rows(&nesting->timeline->trace->host, row, &part.open) != SIZE_MAX;
		open_row(nesting->timeline, row, &part.open);
	}
	nesting->parts[index] = part;
}

/*
 * Nests the first rows of a part again, below the rows that are open before it, until those are
 * closed: from there on the part is right. Puts the rows that are open behind the part in `open`.
 */
static void correct_part(struct weir_timeline *timeline, struct part *part, struct open_rows *open)
{
	size_t before = open->count; /* rows from before the part that are still open */
	struct open_rows unused;

	for (size_t row = part->first; row < part->end; row++) {
		size_t outlived = close_rows(&timeline->trace->host, row, open);

		/* The part has counted those that outlive a row inside it. */
		part->misnested += outlived < before;
		if (open->count < before)
			before = open->count;
		if (before == 0) {
			unused = *open;
			*open = part->open;
			part->open = unused;
			return;
		}
		open_row(timeline, row, open);
	}
}

/*
 * The parent of a row is the innermost open row that ends no earlier, since rows are sorted by
 * start, longer ones first. A row that outlives the open one by more than clock jitter is its
 * sibling, and is counted in misnested. The row of a parent comes before its children, so that its
 * operators are known.
 *
 * Each part is a walk that starts without open rows. A walk over all rows has the same open rows
 * above those from before the part, and is in the same state once the last of them is closed.
 */
void weir_nest_rows(struct weir_timeline *timeline, size_t parts)
{
	size_t rows = timeline->trace->host.count;
	struct nesting nesting = {.timeline = timeline,
	                          .parts = weir_alloc(parts * sizeof *nesting.parts)};
	struct open_rows open = {0};

	for (size_t p = 0; p < parts; p++)
		nesting.parts[p] =
			(struct part){.first = rows / parts * p,
		                      .end = p + 1 < parts ? rows / parts * (p + 1) : rows};
	weir_pool_run(parts, weir_pool_width(parts), nest_part, &nesting);
	for (size_t p = 0; p < parts; p++) {
		correct_part(timeline, &nesting.parts[p], &open);
		timeline->misnested += nesting.parts[p].misnested;
		free(nesting.parts[p].open.row);
	}
	free(open.row);
	free(nesting.parts);
}

size_t weir_nest_parts(size_t rows)
{
	return weir_pool_width(1 + rows / LEAST_ROWS);
}
