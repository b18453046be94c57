/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sorts the rows of a trace, and removes those that do not belong to its time range. Writers put
 * out nearly sorted stretches, so rows are first gathered by group, and the runs in each group are
 * then merged: linear in sorted input, n log(runs) else, with 8 bytes of scratch memory a row.
 */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/enums.h"
#include "engine/base/pool.h"
#include "engine/readers/trace/builder_impl.h"

#define SHORT_RUN 24 /* rows; shorter runs are extended to this length by insertion sort */

/* Rows of a timeline are sorted by group, start ascending, end descending, arrival. */
struct sort_keys {
	const uint32_t *group;
	const int64_t *start_ns, *end_ns;
	size_t count, groups;
};

struct order {
	const struct sort_keys *keys;
	uint32_t *rows, *scratch;
	uint32_t *runs; /* starts of the runs of one group, then the group's end */
	size_t run_count, run_capacity;
};

/* Returns true if row a of a group must come after row b. The sort is stable because every caller
 * passes the row that arrived earlier as a. */
static inline bool is_after(const struct sort_keys *keys, uint32_t a, uint32_t b)
{
	if (keys->start_ns[a] != keys->start_ns[b])
		return keys->start_ns[a] > keys->start_ns[b];
	return keys->end_ns[a] < keys->end_ns[b];
}

static bool is_sorted(const struct sort_keys *keys)
{
	for (size_t i = 1; i < keys->count; i++) {
		if (keys->group[i] < keys->group[i - 1])
			return false;
		if (keys->group[i] == keys->group[i - 1] &&
		    is_after(keys, (uint32_t)i - 1, (uint32_t)i))
			return false;
	}
	return true;
}

/* Fills order->rows group by group, in order of arrival. Returns the end of each group; the caller
 * frees it. */
static uint32_t *gather_groups(struct order *order)
{
	const struct sort_keys *keys = order->keys;
	uint32_t *ends = weir_alloc(keys->groups * sizeof(*ends));
	uint32_t total = 0;

	for (size_t i = 0; i < keys->count; i++)
		ends[keys->group[i]]++;
	for (size_t i = 0; i < keys->groups; i++) {
		uint32_t count = ends[i];

		ends[i] = total;
		total += count;
	}
	for (size_t i = 0; i < keys->count; i++)
		order->rows[ends[keys->group[i]]++] = (uint32_t)i;
	return ends;
}

static void insert(struct order *order, uint32_t low, uint32_t high)
{
	uint32_t *rows = order->rows;

	for (uint32_t i = low + 1; i < high; i++) {
		uint32_t row = rows[i], at = i;

		for (; at > low && is_after(order->keys, rows[at - 1], row); at--)
			rows[at] = rows[at - 1];
		rows[at] = row;
	}
}

static void find_runs(struct order *order, uint32_t low, uint32_t high)
{
	order->run_count = 0;
	while (low < high) {
		uint32_t next = low + 1;

		while (next < high &&
		       !is_after(order->keys, order->rows[next - 1], order->rows[next]))
			next++;
		if (next - low < SHORT_RUN && next < high) {
			next = high - low < SHORT_RUN ? high : low + SHORT_RUN;
			insert(order, low, next);
		}
		order->runs = weir_grow(order->runs, &order->run_capacity, order->run_count + 2,
		                        sizeof(*order->runs));
		order->runs[order->run_count++] = low;
		low = next;
	}
	order->runs[order->run_count] = high;
}

/* Returns the first place in [low, high), which is in order, whose row must come after `row`. */
static uint32_t place_after(const struct order *order, uint32_t low, uint32_t high, uint32_t row)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_after(order->keys, order->rows[middle], row))
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/* Returns the first place in [low, high), which is in order, that `row` need not come after. */
static uint32_t place_before(const struct order *order, uint32_t low, uint32_t high, uint32_t row)
{
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (is_after(order->keys, row, order->rows[middle]))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Merges two neighbouring runs. Runs that writers put out overlap little, so that only the rows of
 * the overlap are moved. */
static void merge(struct order *order, uint32_t low, uint32_t middle, uint32_t high)
{
	uint32_t *rows = order->rows;
	uint32_t left, right = middle, out;

	low = place_after(order, low, middle, rows[middle]);
	if (low == middle)
		return;
	high = place_before(order, middle, high, rows[middle - 1]);
	left = out = low;
	while (left < middle && right < high)
		order->scratch[out++] = is_after(order->keys, rows[left], rows[right])
		                                ? rows[right++]
		                                : rows[left++];
	memcpy(order->scratch + out, rows + left, (middle - left) * sizeof(*rows));
	out += middle - left;
	memcpy(order->scratch + out, rows + right, (high - right) * sizeof(*rows));
	memcpy(rows + low, order->scratch + low, (high - low) * sizeof(*rows));
}

/* Merges the runs in pairs, which halves their number. */
static void merge_runs(struct order *order)
{
	uint32_t end = order->runs[order->run_count];
	size_t kept = 0;

	for (size_t i = 0; i < order->run_count; i += 2) {
		if (i + 1 < order->run_count)
			merge(order, order->runs[i], order->runs[i + 1], order->runs[i + 2]);
		order->runs[kept++] = order->runs[i];
	}
	order->runs[kept] = end;
	order->run_count = kept;
}

/* Returns the permutation that sorts the rows; NULL if they are sorted. The caller frees it. */
static uint32_t *sort_rows(const struct sort_keys *keys)
{
	struct order order = {.keys = keys};
	uint32_t *ends, low = 0;

	if (is_sorted(keys))
		return NULL;
	order.rows = weir_realloc(NULL, keys->count * sizeof(*order.rows));
	order.scratch = weir_realloc(NULL, keys->count * sizeof(*order.scratch));
	ends = gather_groups(&order);
	for (size_t i = 0; i < keys->groups; i++) {
		if (ends[i] > low) {
			find_runs(&order, low, ends[i]);
			while (order.run_count > 1)
				merge_runs(&order);
		}
		low = ends[i];
	}
	free(ends);
	free(order.runs);
	free(order.scratch);
	return order.rows;
}

/* ---- moving rows ---- */

/* A time stamp of 0 counts as missing if all others are further away than this: 7 days. */
#define FAR_OFF_NS (INT64_C(7) * 24 * 3600 * 1000000000)

/* A permutation or selection of rows: rows[i] is the old row that becomes row i. */
struct move {
	const uint32_t *rows;
	size_t count;
};

/* A column of a table, with elements of `size` bytes. */
struct column {
	void *data;
	size_t size;
};

static void move64(const struct move *move, uint64_t *to, const uint64_t *from)
{
	for (size_t i = 0; i < move->count; i++)
		to[i] = from[move->rows[i]];
}

static void move32(const struct move *move, uint32_t *to, const uint32_t *from)
{
	for (size_t i = 0; i < move->count; i++)
		to[i] = from[move->rows[i]];
}

static void move16(const struct move *move, uint16_t *to, const uint16_t *from)
{
	for (size_t i = 0; i < move->count; i++)
		to[i] = from[move->rows[i]];
}

static void move8(const struct move *move, uint8_t *to, const uint8_t *from)
{
	for (size_t i = 0; i < move->count; i++)
		to[i] = from[move->rows[i]];
}

static void move_column(const struct move *move, const struct column *column, void *scratch)
{
	switch (column->size) {
	case 8:
		move64(move, scratch, column->data);
		break;
	case 4:
		move32(move, scratch, column->data);
		break;
	case 2:
		move16(move, scratch, column->data);
		break;
	default:
		move8(move, scratch, column->data);
	}
	if (move->count > 0)
		memcpy(column->data, scratch, move->count * column->size);
}

/* Moves a table, and updates the references to its rows. */
struct table_move {
	struct move move;
	const struct column *columns;
	size_t count;
	struct weir_trace *trace;
	size_t before; /* rows of the table */
	void (*follow)(struct weir_trace *trace, const struct move *move, size_t before);
	atomic_size_t next; /* 0: the references; else a column */
};

/* Takes the references or a column after the other, until all are done. */
static void move_some(void *context, size_t index)
{
	struct table_move *table = context;
	void *scratch = weir_realloc(NULL, (table->move.count + 1) * sizeof(uint64_t));
	size_t next;

	(void)index;
	while ((next = atomic_fetch_add(&table->next, 1)) <= table->count) {
		if (next == 0)
			table->follow(table->trace, &table->move, table->before);
		else
			move_column(&table->move, &table->columns[next - 1], scratch);
	}
	free(scratch);
}

static void move_table(struct table_move *table)
{
	size_t threads = weir_pool_width(table->count);

	weir_pool_run(threads, threads, move_some, table);
}

/* Returns the new row of each of the `before` old rows; WEIR_NONE: removed. The caller frees it. */
static uint32_t *invert(const struct move *move, size_t before)
{
	uint32_t *places = weir_realloc(NULL, (before ? before : 1) * sizeof(*places));

	memset(places, 0xff, before * sizeof(*places));
	for (size_t i = 0; i < move->count; i++)
		places[move->rows[i]] = (uint32_t)i;
	return places;
}

static void follow_host(struct weir_trace *trace, const struct move *move, size_t before)
{
	uint32_t *places = invert(move, before);

	for (size_t i = 0; i < trace->device.count; i++)
		if (trace->device.launch[i] != WEIR_NONE)
			trace->device.launch[i] = places[trace->device.launch[i]];
	free(places);
}

#define COLUMN(table, name)                                                                        \
	{                                                                                          \
		(table)->name, sizeof(*(table)->name)                                              \
	}

/* Moves the host rows and updates references to them. Frees `rows`. */
static void move_host(struct weir_trace *trace, uint32_t *rows, size_t count)
{
	struct weir_host_columns *host = &trace->host;
	const struct column columns[] = {
		COLUMN(host, start_ns), COLUMN(host, end_ns),      COLUMN(host, name),
		COLUMN(host, thread),   COLUMN(host, correlation), COLUMN(host, external),
		COLUMN(host, shape),    COLUMN(host, kind),
	};

	move_table(&(struct table_move){.move = {rows, count},
	                                .columns = columns,
	                                .count = WEIR_COUNT_OF(columns),
	                                .trace = trace,
	                                .before = host->count,
	                                .follow = follow_host});
	host->count = count;
	free(rows);
}

static void follow_device(struct weir_trace *trace, const struct move *move, size_t before)
{
	uint32_t *places = invert(move, before);
	size_t kept = 0;

	for (size_t i = 0; i < trace->collective_count; i++) {
		struct weir_collective *collective = &trace->collectives[i];
		bool own = collective->device_row != WEIR_NONE;

		if (own)
			collective->device_row = places[collective->device_row];
		if (!own || collective->device_row != WEIR_NONE)
			trace->collectives[kept++] = *collective;
	}
	trace->collective_count = kept;
	free(places);
}

/* Moves the device rows and updates references to them. Frees `rows`. */
static void move_device(struct weir_trace *trace, uint32_t *rows, size_t count)
{
	struct weir_device_columns *device = &trace->device;
	const struct column columns[] = {
		COLUMN(device, start_ns), COLUMN(device, end_ns),
		COLUMN(device, name),     COLUMN(device, launch),
		COLUMN(device, stream),   COLUMN(device, correlation),
		COLUMN(device, external), COLUMN(device, graph_node),
		COLUMN(device, bytes),    COLUMN(device, blocks),
		COLUMN(device, device),   COLUMN(device, threads_per_block),
		COLUMN(device, kind),     COLUMN(device, flags),
	};

	move_table(&(struct table_move){.move = {rows, count},
	                                .columns = columns,
	                                .count = WEIR_COUNT_OF(columns),
	                                .trace = trace,
	                                .before = device->count,
	                                .follow = follow_device});
	device->count = count;
	free(rows);
}

static uint32_t *sort_host(const struct weir_trace *trace)
{
	const struct weir_host_columns *host = &trace->host;

	return sort_rows(&(struct sort_keys){
		.group = host->thread,
		.start_ns = host->start_ns,
		.end_ns = host->end_ns,
		.count = host->count,
		.groups = trace->thread_count,
	});
}

static uint32_t *sort_device(const struct weir_trace *trace)
{
	const struct weir_device_columns *device = &trace->device;
	uint32_t *rows, *groups = weir_realloc(NULL, (device->count + 1) * sizeof(*groups));

	for (size_t i = 0; i < device->count; i++)
		groups[i] = device->device[i];
	rows = sort_rows(&(struct sort_keys){
		.group = groups,
		.start_ns = device->start_ns,
		.end_ns = device->end_ns,
		.count = device->count,
		.groups = trace->device_count,
	});
	free(groups);
	return rows;
}

uint32_t *weir_builder_host_order(const struct weir_builder *builder)
{
	return sort_host(builder->trace);
}

uint32_t *weir_builder_device_order(const struct weir_builder *builder)
{
	return sort_device(builder->trace);
}

void weir_builder_sort(struct weir_builder *builder, const struct weir_row_orders *orders)
{
	struct weir_trace *trace = builder->trace;

	if (orders->host)
		move_host(trace, orders->host, trace->host.count);
	if (orders->device)
		move_device(trace, orders->device, trace->device.count);
}

/* Pieces of a column of starts, which different threads look at. */
#define START_PIECES 16

struct starts {
	const int64_t *ns;
	size_t count;
	int64_t earliest[START_PIECES]; /* of those that are not 0; INT64_MAX: none */
	size_t zeros[START_PIECES];
};

static void look_at_starts(void *context, size_t piece)
{
	struct starts *starts = context;
	size_t first = starts->count / START_PIECES * piece;
	size_t end = piece + 1 == START_PIECES ? starts->count
	                                       : starts->count / START_PIECES * (piece + 1);
	int64_t earliest = INT64_MAX;
	size_t zeros = 0;

	for (size_t i = first; i < end; i++) {
		zeros += starts->ns[i] == 0;
		if (starts->ns[i] && starts->ns[i] < earliest)
			earliest = starts->ns[i];
	}
	starts->earliest[piece] = earliest;
	starts->zeros[piece] = zeros;
}

/* Returns the number of rows that start at 0, and lowers *earliest to the first other start. */
static size_t count_zeros(const int64_t *start_ns, size_t count, int64_t *earliest)
{
	struct starts starts = {.ns = start_ns, .count = count};
	size_t zeros = 0;

	weir_pool_run(START_PIECES, weir_pool_width(START_PIECES), look_at_starts, &starts);
	for (size_t i = 0; i < START_PIECES; i++) {
		zeros += starts.zeros[i];
		if (starts.earliest[i] < *earliest)
			*earliest = starts.earliest[i];
	}
	return zeros;
}

/* Returns the rows that do not start at 0. The caller frees it. */
static uint32_t *rows_with_time(const int64_t *start_ns, size_t count)
{
	uint32_t *rows = weir_realloc(NULL, count * sizeof(*rows));
	size_t kept = 0;

	for (size_t i = 0; i < count; i++)
		if (start_ns[i])
			rows[kept++] = (uint32_t)i;
	return rows;
}

/* Removes records that the profiler never finished: they have the time stamp 0, years before the
 * others. */
void weir_builder_drop_far_off(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	const struct weir_host_columns *host = &trace->host;
	const struct weir_device_columns *device = &trace->device;
	int64_t earliest = INT64_MAX;
	size_t of_host = count_zeros(host->start_ns, host->count, &earliest);
	size_t of_device = count_zeros(device->start_ns, device->count, &earliest);

	if (earliest == INT64_MAX || earliest < FAR_OFF_NS)
		return;
	if (of_host > 0)
		move_host(trace, rows_with_time(host->start_ns, host->count),
		          host->count - of_host);
	if (of_device > 0)
		move_device(trace, rows_with_time(device->start_ns, device->count),
		            device->count - of_device);
	weir_builder_warn(builder, WEIR_WARN_NO_TIME, of_host + of_device,
	                  "time stamp 0 among others far away");
}

/* ---- devices ---- */

struct place {
	struct weir_trace_device device;
	uint32_t row; /* before ordering */
	bool works;   /* the device has events */
};

static int compare_places(const void *left, const void *right)
{
	const struct place *a = left, *b = right;

	if (a->works != b->works)
		return a->works ? -1 : 1;
	if (a->device.id != b->device.id)
		return a->device.id < b->device.id ? -1 : 1;
	return 0;
}

static int compare_ids(const void *left, const void *right)
{
	const struct weir_trace_device *a = left, *b = right;

	return (a->id > b->id) - (a->id < b->id);
}

/* Gives the n-th working device the n-th description in the order of ids. Descriptions that are
 * left over become idle devices after the working ones. Returns the number of devices. */
static size_t match_by_order(struct place *places, size_t works, size_t count)
{
	struct weir_trace_device *described = weir_alloc(count * sizeof(*described));
	size_t total = 0;

	for (size_t i = 0; i < count; i++)
		if (places[i].device.described)
			described[total++] = places[i].device;
	qsort(described, total, sizeof(*described), compare_ids);
	for (size_t i = 0; i < total || i < works; i++) {
		int64_t id = places[i].device.id;

		if (i < total)
			places[i].device = described[i];
		if (i < works)
			places[i].device.id = id;
	}
	free(described);
	return total > works ? total : works;
}

/*
 * Matches descriptions to working devices. HSA agents number host processors too, so GPU 0 may be
 * agent 2. Ids of agents may coincide with described ids (agents 2 to 5 of four GPUs); one id that
 * is not described shows that events use agents.
 */
static size_t match_descriptions(const struct weir_builder *builder, struct place *places,
                                 size_t count)
{
	bool all_described = true;
	size_t works = 0;

	for (; works < count && places[works].works; works++)
		all_described &= places[works].device.described;
	if (!builder->match_by_order || all_described)
		return count;
	return match_by_order(places, works, count);
}

/* Replaces the old rows of devices by the new ones. Rows from `count` on are removed; nothing
 * refers to them. */
static void renumber(struct weir_trace *trace, const struct place *places, size_t count)
{
	uint16_t *now = weir_alloc(trace->device_count * sizeof(*now));

	for (size_t i = 0; i < count; i++) {
		now[places[i].row] = (uint16_t)i;
		trace->devices[i] = places[i].device;
	}
	trace->device_count = count;
	for (size_t i = 0; i < trace->device.count; i++)
		trace->device.device[i] = now[trace->device.device[i]];
	for (size_t i = 0; i < trace->stream_count; i++)
		trace->streams[i].device = now[trace->streams[i].device];
	free(now);
}

void weir_builder_order_devices(struct weir_builder *builder)
{
	struct weir_trace *trace = builder->trace;
	size_t count = trace->device_count;
	struct place *places;

	if (!count)
		return;
	places = weir_alloc(count * sizeof(*places));
	for (size_t i = 0; i < count; i++)
		places[i] = (struct place){trace->devices[i], (uint32_t)i, false};
	for (size_t i = 0; i < trace->device.count; i++)
		places[trace->device.device[i]].works = true;
	qsort(places, count, sizeof(*places), compare_places);
	renumber(trace, places, match_descriptions(builder, places, count));
	free(places);
}
