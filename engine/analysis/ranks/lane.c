/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/ranks/lane.h"
#include "engine/base/arena.h"

void weir_lane_add(struct weir_lane *lane, const struct weir_arrival *arrival)
{
	if (arrival->start_ns < -WEIR_ARRIVAL_MAX_NS || arrival->end_ns > WEIR_ARRIVAL_MAX_NS ||
	    arrival->end_ns < arrival->start_ns)
		return;
	lane->added = weir_grow(lane->added, &lane->capacity, lane->count + 1, sizeof *lane->added);
	lane->added[lane->count++] = *arrival;
}

/* ---- order ---- */

static int by_key(const void *left, const void *right)
{
	const struct weir_arrival *a = left, *b = right;

	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	if (a->sequence != b->sequence)
		return a->sequence < b->sequence ? -1 : 1;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns ? -1 : 1;
	return (a->row > b->row) - (a->row < b->row);
}

/* Lists the runs of sorted arrivals, whose keys rise. */
static void list_runs(struct weir_lane *lane)
{
	size_t capacity = 0;

	for (size_t i = 0; i < lane->count; i++) {
		if (i == 0 || lane->added[i].key != lane->added[i - 1].key) {
			lane->runs = weir_grow(lane->runs, &capacity, lane->run_count + 1,
			                       sizeof *lane->runs);
			lane->runs[lane->run_count++] =
				(struct weir_lane_run){lane->added[i].key, (uint32_t)i, 0};
		}
		lane->runs[lane->run_count - 1].count++;
	}
	lane->by_key = weir_alloc((lane->run_count + 1) * sizeof *lane->by_key);
	for (size_t i = 0; i < lane->run_count; i++)
		lane->by_key[i] = (uint32_t)i;
}

/* A run and its key. */
struct keyed {
	uint32_t key, run;
};

static int by_new_key(const void *left, const void *right)
{
	const struct keyed *a = left, *b = right;

	return (a->key > b->key) - (a->key < b->key);
}

void weir_lane_rename(struct weir_lane *lane, const uint32_t *key_of, int64_t base_ns)
{
	struct keyed *order = weir_alloc((lane->run_count + 1) * sizeof *order);

	for (size_t i = 0; i < lane->run_count; i++) {
		lane->runs[i].key = key_of[lane->runs[i].key];
		order[i] = (struct keyed){lane->runs[i].key, (uint32_t)i};
	}
	qsort(order, lane->run_count, sizeof *order, by_new_key);
	for (size_t i = 0; i < lane->run_count; i++)
		lane->by_key[i] = order[i].run;
	lane->columns[WEIR_LANE_START_NS].least += base_ns;
	free(order);
}

const struct weir_lane_run *weir_lane_run_of(const struct weir_lane *lane, size_t item)
{
	size_t low = 0, end = lane->run_count;

	while (end - low > 1) {
		size_t middle = low + (end - low) / 2;

		if (lane->runs[middle].first <= item)
			low = middle;
		else
			end = middle;
	}
	return &lane->runs[low];
}

/* ---- columns ---- */

static uint64_t bits_of(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static int by_bits(const void *left, const void *right)
{
	uint64_t a = bits_of(*(const double *)left), b = bits_of(*(const double *)right);

	return (a > b) - (a < b);
}

/* Lists the distinct numbers of bytes, sorted by their bits, since NAN is one of them. Returns how
 * many there are. */
static size_t list_links(struct weir_lane *lane)
{
	size_t distinct = 0;

	lane->links = weir_alloc((lane->count + 1) * sizeof *lane->links);
	for (size_t i = 0; i < lane->count; i++)
		lane->links[i] = lane->added[i].link_bytes;
	qsort(lane->links, lane->count, sizeof *lane->links, by_bits);
	for (size_t i = 0; i < lane->count; i++)
		if (distinct == 0 || by_bits(&lane->links[distinct - 1], &lane->links[i]) != 0)
			lane->links[distinct++] = lane->links[i];
	lane->links = weir_realloc(lane->links, (distinct + 1) * sizeof *lane->links);
	return distinct;
}

/* Returns the number of listed numbers of bytes before this one. */
static size_t index_of_link(const struct weir_lane *lane, size_t distinct, double link_bytes)
{
	const double *found =
		bsearch(&link_bytes, lane->links, distinct, sizeof *lane->links, by_bits);

	return (size_t)(found - lane->links);
}

/* Subtracts without overflow; weir_lane_arrival() adds the same way. */
static int64_t less(int64_t value, int64_t from)
{
	return (int64_t)((uint64_t)value - (uint64_t)from);
}

static int64_t plus(int64_t value, int64_t more)
{
	return (int64_t)((uint64_t)value + (uint64_t)more);
}

/* Returns the value of a column other than the index of a link. */
static int64_t value_of(const struct weir_arrival *from, enum weir_lane_column column)
{
	const int64_t values[WEIR_LANE_COLUMNS] = {
		[WEIR_LANE_ROW] = from->row,
		[WEIR_LANE_SEQUENCE] = from->sequence,
		[WEIR_LANE_START_NS] = from->start_ns,
		[WEIR_LANE_DURATION_NS] = from->end_ns - from->start_ns,
		[WEIR_LANE_RECEIVED] = from->received,
		[WEIR_LANE_BUSY_NS] = from->busy_ns[0],
		[WEIR_LANE_BUSY_INSIDE_NS] = less(from->busy_ns[1], from->busy_ns[0]),
		[WEIR_LANE_LATE_NS] = from->late_ns[0],
		[WEIR_LANE_LATE_INSIDE_NS] = less(from->late_ns[1], from->late_ns[0]),
		[WEIR_LANE_STEP] = (uint32_t)(from->step + UINT32_C(1)),
		[WEIR_LANE_STEADY] = from->steady,
	};

	return values[column];
}

void weir_lane_settle(struct weir_lane *lane)
{
	int64_t *values;
	size_t links;

	if (lane->settled)
		return;
	lane->settled = true;
	if (lane->count == 0)
		return;
	qsort(lane->added, lane->count, sizeof *lane->added, by_key);
	list_runs(lane);
	links = list_links(lane);
	values = weir_alloc(lane->count * sizeof *values);
	for (unsigned c = 0; c < WEIR_LANE_COLUMNS; c++) {
		for (size_t i = 0; i < lane->count; i++)
			values[i] = c == WEIR_LANE_LINK
			                    ? (int64_t)index_of_link(lane, links,
			                                             lane->added[i].link_bytes)
			                    : value_of(&lane->added[i], (enum weir_lane_column)c);
		weir_narrow_init(&lane->columns[c], values, lane->count);
	}
	free(values);
	free(lane->added);
	lane->added = NULL;
	lane->capacity = 0;
}

struct weir_arrival weir_lane_arrival(const struct weir_lane *lane, size_t item)
{
	int64_t values[WEIR_LANE_COLUMNS];

	for (unsigned c = 0; c < WEIR_LANE_COLUMNS; c++)
		values[c] = weir_narrow_at(&lane->columns[c], item);
	return (struct weir_arrival){
		.key = weir_lane_run_of(lane, item)->key,
		.row = (uint32_t)values[WEIR_LANE_ROW],
		.sequence = values[WEIR_LANE_SEQUENCE],
		.start_ns = values[WEIR_LANE_START_NS],
		.end_ns = values[WEIR_LANE_START_NS] + values[WEIR_LANE_DURATION_NS],
		.link_bytes = lane->links[values[WEIR_LANE_LINK]],
		.received = values[WEIR_LANE_RECEIVED],
		.busy_ns = {values[WEIR_LANE_BUSY_NS],
	                    plus(values[WEIR_LANE_BUSY_NS], values[WEIR_LANE_BUSY_INSIDE_NS])},
		.late_ns = {values[WEIR_LANE_LATE_NS],
	                    plus(values[WEIR_LANE_LATE_NS], values[WEIR_LANE_LATE_INSIDE_NS])},
		.step = (uint32_t)values[WEIR_LANE_STEP] - UINT32_C(1),
		.steady = values[WEIR_LANE_STEADY] != 0,
	};
}

void weir_lane_release(struct weir_lane *lane)
{
	for (unsigned c = 0; c < WEIR_LANE_COLUMNS; c++)
		weir_narrow_release(&lane->columns[c]);
	free(lane->added);
	free(lane->links);
	free(lane->runs);
	free(lane->by_key);
	*lane = (struct weir_lane){0};
}
