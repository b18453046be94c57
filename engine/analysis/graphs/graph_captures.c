/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/graphs/graph_captures.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/rowmap.h"

#define SYMBOL_NONE UINT32_MAX
#define HASH_BASE   UINT64_C(0x9e3779b97f4a7c15)

/* A kernel as it is compared. */
struct kernel {
	uint32_t name; /* name id in the graphs' trace */
	uint32_t blocks, threads;
	uint8_t kind;
};

/* A kernel in the source that no graph replayed, with its operator. */
struct sighting {
	uint32_t op_row; /* WEIR_NONE: no operator */
	uint16_t part, parts;
};

/* All sightings of one kernel of a piece. */
struct evidence {
	struct sighting first;
	bool same_op, same_shape; /* true if all sightings agree */
	uint64_t count;
	double sum_ns;
};

/* The positions of one stream of a body. */
struct lane {
	size_t first, count; /* range of `symbols` and of positions */
};

struct matching {
	const struct weir_timeline *timeline, *source;
	const struct weir_graphs *graphs;

	struct kernel *kernels; /* distinct kernels of the graphs; a symbol is an index into them */
	size_t kernel_count, kernel_capacity;
	struct weir_rowmap kernel_map;
	uint32_t
		/* Per name of the source: its id in the graphs' trace + 1; 0: not looked up,
	         * SYMBOL_NONE: unknown. */
		*name_here;

	uint32_t *symbols; /* per position */
	size_t symbol_count;
	struct lane *lanes;
	size_t lane_count, lane_capacity;

	size_t *pieces;            /* index of each piece's first symbol */
	struct evidence *evidence; /* WEIR_CAPTURE_PIECE per piece */
	size_t piece_count, piece_capacity, evidence_capacity;
	struct weir_rowmap piece_maps[WEIR_CAPTURE_PIECE + 1]; /* by length */
	uint32_t *piece_of; /* per position: the piece that begins there; WEIR_NONE: none */
};

/* ---- kernels ---- */

static uint32_t find_kernel(const struct matching *matching, const struct kernel *wanted,
                            uint32_t *hash)
{
	size_t probe = 0;
	uint32_t row = WEIR_ROWMAP_NONE;

	*hash = weir_rowmap_hash_pair((uint64_t)wanted->name << 32 | wanted->blocks,
	                              (uint64_t)wanted->threads << 8 | wanted->kind);
	while (matching->kernels &&
	       (row = weir_rowmap_next(&matching->kernel_map, *hash, &probe)) != WEIR_ROWMAP_NONE) {
		const struct kernel *kernel = &matching->kernels[row];

		if (kernel->name == wanted->name && kernel->blocks == wanted->blocks &&
		    kernel->threads == wanted->threads && kernel->kind == wanted->kind)
			break;
	}
	return row;
}

static struct kernel kernel_of(const struct weir_trace *trace, uint32_t row, uint32_t name)
{
	const struct weir_device_columns *device = &trace->device;

	return (struct kernel){.name = name,
	                       .blocks = device->blocks[row],
	                       .threads = device->threads_per_block[row],
	                       .kind = device->kind[row]};
}

static uint32_t add_symbol(struct matching *matching, uint32_t row)
{
	const struct weir_trace *trace = matching->timeline->trace;
	const struct kernel wanted = kernel_of(trace, row, trace->device.name[row]);
	uint32_t hash, symbol = find_kernel(matching, &wanted, &hash);

	if (symbol != WEIR_ROWMAP_NONE)
		return symbol;
	matching->kernels = weir_grow(matching->kernels, &matching->kernel_capacity,
	                              matching->kernel_count + 1, sizeof *matching->kernels);
	matching->kernels[matching->kernel_count] = wanted;
	weir_rowmap_add(&matching->kernel_map, hash, (uint32_t)matching->kernel_count);
	return (uint32_t)matching->kernel_count++;
}

/* Returns the symbol of a source row; SYMBOL_NONE: no graph has such a kernel, or its launch is not
 * known, as for replays from before the profiler began. */
static uint32_t symbol_of(struct matching *matching, uint32_t row)
{
	const struct weir_names *there = matching->source->trace->names;
	uint32_t name = matching->source->trace->device.name[row], hash;
	struct kernel wanted;

	if (matching->source->trace->device.launch[row] == WEIR_NONE &&
	    matching->source->op[row] == WEIR_NONE)
		return SYMBOL_NONE;
	if (matching->source != matching->timeline && matching->name_here[name] == 0) {
		uint32_t here = weir_names_find(matching->timeline->trace->names,
		                                weir_names_text(there, name),
		                                weir_names_length(there, name));

		matching->name_here[name] = here == UINT32_MAX ? SYMBOL_NONE : here + 1;
	}
	if (matching->source != matching->timeline) {
		if (matching->name_here[name] == SYMBOL_NONE)
			return SYMBOL_NONE;
		name = matching->name_here[name] - 1;
	}
	wanted = kernel_of(matching->source->trace, row, name);
	return find_kernel(matching, &wanted, &hash);
}

/* ---- pieces of the graphs ---- */

static void add_lane(struct matching *matching, size_t first, size_t count)
{
	matching->lanes = weir_grow(matching->lanes, &matching->lane_capacity,
	                            matching->lane_count + 1, sizeof *matching->lanes);
	matching->lanes[matching->lane_count++] = (struct lane){first, count};
}

static void add_body(struct matching *matching, const struct weir_graph_body *body)
{
	const uint32_t *stream = matching->timeline->trace->device.stream;
	size_t lane = body->first_position;

	for (size_t p = 0; p < body->nodes; p++) {
		uint32_t row = weir_graph_row(matching->graphs, body, p);
		size_t at = body->first_position + p;

		matching->symbols[at] = add_symbol(matching, row);
		if (p > 0 && stream[row] != stream[weir_graph_row(matching->graphs, body, p - 1)]) {
			add_lane(matching, lane, at - lane);
			lane = at;
		}
	}
	add_lane(matching, lane, body->first_position + body->nodes - lane);
	matching->symbol_count = body->first_position + body->nodes;
}

static size_t piece_length(const struct lane *lane)
{
	return lane->count < WEIR_CAPTURE_PIECE ? lane->count : WEIR_CAPTURE_PIECE;
}

/* Finds the piece that consists of `length` symbols; WEIR_ROWMAP_NONE: not found. */
static uint32_t find_piece(const struct matching *matching, const uint32_t *symbols, size_t length,
                           uint64_t hash)
{
	size_t probe = 0;
	uint32_t row;

	while ((row = weir_rowmap_next(&matching->piece_maps[length], weir_rowmap_hash(hash),
	                               &probe)) != WEIR_ROWMAP_NONE)
		if (memcmp(matching->symbols + matching->pieces[row], symbols,
		           length * sizeof *symbols) == 0)
			break;
	return row;
}

static uint64_t hash_of(const uint32_t *symbols, size_t length)
{
	uint64_t hash = 0;

	for (size_t i = 0; i < length; i++)
		hash = hash * HASH_BASE + symbols[i] + 1;
	return hash;
}

static void add_piece(struct matching *matching, size_t at, size_t length)
{
	uint64_t hash = hash_of(matching->symbols + at, length);
	uint32_t piece = find_piece(matching, matching->symbols + at, length, hash);

	if (piece == WEIR_ROWMAP_NONE) {
		piece = (uint32_t)matching->piece_count++;
		matching->pieces = weir_grow(matching->pieces, &matching->piece_capacity,
		                             matching->piece_count, sizeof *matching->pieces);
		matching->pieces[piece] = at;
		weir_rowmap_add(&matching->piece_maps[length], weir_rowmap_hash(hash), piece);
	}
	matching->piece_of[at] = piece;
}

static void add_pieces(struct matching *matching)
{
	for (size_t l = 0; l < matching->lane_count; l++) {
		const struct lane *lane = &matching->lanes[l];
		size_t length = piece_length(lane);

		for (size_t i = 0; length >= WEIR_CAPTURE_LEAST && i + length <= lane->count; i++)
			add_piece(matching, lane->first + i, length);
	}
	matching->evidence = weir_alloc((matching->piece_count + 1) * WEIR_CAPTURE_PIECE *
	                                sizeof *matching->evidence);
}

/* ---- evidence in the source ---- */

/* The rows of one stream of the source that no graph replayed. */
struct seen {
	uint32_t *rows, *symbols;
	struct sighting *sightings;
	size_t count;
};

static bool same_op(const struct matching *matching, uint32_t a, uint32_t b)
{
	const struct weir_host_columns *host = &matching->source->trace->host;

	return a == b || (a != WEIR_NONE && b != WEIR_NONE && host->name[a] == host->name[b]);
}

static bool same_shape(const struct matching *matching, const struct sighting *a,
                       const struct sighting *b)
{
	const struct weir_host_columns *host = &matching->source->trace->host;

	return same_op(matching, a->op_row, b->op_row) && a->part == b->part &&
	       a->parts == b->parts &&
	       (a->op_row == WEIR_NONE || host->shape[a->op_row] == host->shape[b->op_row]);
}

static void add_evidence(struct matching *matching, uint32_t piece, size_t length,
                         const struct seen *seen, size_t first)
{
	const struct weir_device_columns *device = &matching->source->trace->device;
	struct evidence *evidence = matching->evidence + (size_t)piece * WEIR_CAPTURE_PIECE;

	for (size_t i = 0; i < length; i++, evidence++) {
		const struct sighting *sighting = &seen->sightings[first + i];
		uint32_t row = seen->rows[first + i];

		if (evidence->count++ == 0) {
			evidence->first = *sighting;
			evidence->same_op = evidence->same_shape = true;
		}
		evidence->same_op = evidence->same_op &&
		                    same_op(matching, evidence->first.op_row, sighting->op_row);
		evidence->same_shape =
			evidence->same_shape && same_shape(matching, &evidence->first, sighting);
		evidence->sum_ns +=
			(double)weir_span_ns(device->start_ns[row], device->end_ns[row]);
	}
}

/* Finds all pieces of a length by a rolling hash over the stream. */
static void scan(struct matching *matching, const struct seen *seen, size_t length)
{
	uint64_t hash = 0, leaving = 1;
	size_t known = 0; /* consecutive symbols that graphs have */

	for (size_t i = 0; i < length; i++)
		leaving *= HASH_BASE;
	for (size_t i = 0; i < seen->count; i++) {
		uint32_t piece;

		known = seen->symbols[i] == SYMBOL_NONE ? 0 : known + 1;
		hash = known == 0 ? 0 : hash * HASH_BASE + seen->symbols[i] + 1;
		if (known > length)
			hash -= leaving * ((uint64_t)seen->symbols[i - length] + 1);
		if (known < length)
			continue;
		piece = find_piece(matching, &seen->symbols[i + 1 - length], length, hash);
		if (piece != WEIR_ROWMAP_NONE)
			add_evidence(matching, piece, length, seen, i + 1 - length);
	}
}

/* Numbers the kernels within each run of an operator. rows_of_op: per host row of the source. */
static void number_parts(struct matching *matching, const struct seen *seen,
                         const uint32_t *rows_of_op)
{
	const uint32_t *op = matching->source->op;

	for (size_t i = 0, end; i < seen->count; i = end) {
		uint32_t row = op[seen->rows[i]];

		for (end = i + 1; end < seen->count && row != WEIR_NONE &&
		                  op[seen->rows[end]] == row && end - i < UINT16_MAX;)
			end++;
		for (size_t k = i; k < end; k++)
			seen->sightings[k] = (struct sighting){
				.op_row = row,
				.part = (uint16_t)(k - i),
				.parts = row != WEIR_NONE && end - i == rows_of_op[row]
			                         ? (uint16_t)(end - i)
			                         : 0,
			};
	}
}

/* Returns the rows by stream, in order of start. Stream s has the rows
 * first[s] to first[s + 1] - 1. */
static uint32_t *by_stream(const struct weir_timeline *source, size_t *first)
{
	const struct weir_device_columns *device = &source->trace->device;
	size_t streams = source->trace->stream_count;
	uint32_t *rows = weir_alloc((device->count + 1) * sizeof *rows);

	for (size_t i = 0; i < device->count; i++)
		if (!weir_timeline_is_replayed(source, i))
			first[device->stream[i] + 2]++;
	for (size_t s = 2; s < streams + 2; s++)
		first[s] += first[s - 1];
	for (size_t i = 0; i < device->count; i++)
		if (!weir_timeline_is_replayed(source, i))
			rows[first[device->stream[i] + 1]++] = (uint32_t)i;
	return rows;
}

static void scan_streams(struct matching *matching)
{
	const struct weir_timeline *source = matching->source;
	const struct weir_device_columns *device = &source->trace->device;
	size_t streams = source->trace->stream_count;
	size_t *first = weir_alloc((streams + 2) * sizeof *first);
	uint32_t *rows = by_stream(source, first);
	uint32_t *rows_of_op = weir_alloc((source->trace->host.count + 1) * sizeof *rows_of_op);
	uint32_t *symbols = weir_alloc((device->count + 1) * sizeof *symbols);
	struct sighting *sightings = weir_alloc((device->count + 1) * sizeof *sightings);

	for (size_t i = 0; i < device->count; i++)
		if (source->op[i] != WEIR_NONE)
			rows_of_op[source->op[i]]++;
	for (size_t i = 0; i < first[streams]; i++)
		symbols[i] = symbol_of(matching, rows[i]);
	for (size_t s = 0; s < streams; s++) {
		const struct seen seen = {rows + first[s], symbols + first[s], sightings + first[s],
		                          first[s + 1] - first[s]};

		number_parts(matching, &seen, rows_of_op);
		for (size_t length = WEIR_CAPTURE_LEAST; length <= WEIR_CAPTURE_PIECE; length++)
			if (matching->piece_maps[length].count > 0)
				scan(matching, &seen, length);
	}
	free(first);
	free(rows);
	free(rows_of_op);
	free(symbols);
	free(sightings);
}

/* ---- operators of the positions ---- */

/* Finds the operator of a position: all pieces that contain it, and all their sightings, must
 * agree. */
static void settle(const struct matching *matching, const struct lane *lane, size_t at,
                   struct weir_graph_op *op)
{
	size_t length = piece_length(lane), place = at - lane->first;
	size_t from = place + 1 > length ? place + 1 - length : 0;
	struct evidence all = {.same_op = true, .same_shape = true};

	for (size_t start = from; start <= place && start + length <= lane->count; start++) {
		uint32_t piece = matching->piece_of[lane->first + start];
		const struct evidence *one =
			matching->evidence + (size_t)piece * WEIR_CAPTURE_PIECE + (place - start);

		if (one->count == 0)
			continue;
		if (all.count == 0)
			all.first = one->first;
		all.same_op = all.same_op && one->same_op &&
		              same_op(matching, all.first.op_row, one->first.op_row);
		all.same_shape = all.same_shape && one->same_shape &&
		                 same_shape(matching, &all.first, &one->first);
		all.count += one->count;
		all.sum_ns += one->sum_ns;
	}
	*op = (struct weir_graph_op){.op_row = WEIR_NONE};
	if (all.count == 0)
		return;
	op->mean_ns = all.sum_ns / (double)all.count;
	if (all.same_op)
		op->op_row = all.first.op_row;
	op->shaped = all.same_shape && op->op_row != WEIR_NONE;
	op->part = all.first.part;
	op->parts = op->shaped ? all.first.parts : 0;
}

static void matching_release(struct matching *matching)
{
	free(matching->kernels);
	free(matching->name_here);
	free(matching->symbols);
	free(matching->lanes);
	free(matching->pieces);
	free(matching->evidence);
	free(matching->piece_of);
	weir_rowmap_release(&matching->kernel_map);
	for (size_t i = 0; i <= WEIR_CAPTURE_PIECE; i++)
		weir_rowmap_release(&matching->piece_maps[i]);
}

size_t weir_graph_captures_find(const struct weir_timeline *timeline,
                                const struct weir_graphs *graphs,
                                const struct weir_timeline *source, struct weir_graph_op *ops)
{
	struct matching matching = {.timeline = timeline, .source = source, .graphs = graphs};
	size_t room = graphs->position_count < WEIR_CAPTURE_POSITIONS ? graphs->position_count
	                                                              : WEIR_CAPTURE_POSITIONS;
	size_t found = 0;

	for (size_t i = 0; i < graphs->position_count; i++)
		ops[i] = (struct weir_graph_op){.op_row = WEIR_NONE};
	matching.symbols = weir_alloc((room + 1) * sizeof *matching.symbols);
	matching.piece_of = weir_alloc((room + 1) * sizeof *matching.piece_of);
	matching.name_here = weir_alloc((weir_names_count(source->trace->names) + 1) *
	                                sizeof *matching.name_here);
	for (size_t b = 0; b < graphs->body_count; b++) {
		if (graphs->bodies[b].first_position + graphs->bodies[b].nodes > room)
			break;
		add_body(&matching, &graphs->bodies[b]);
	}
	add_pieces(&matching);
	if (matching.piece_count > 0)
		scan_streams(&matching);
	for (size_t l = 0; l < matching.lane_count; l++) {
		const struct lane *lane = &matching.lanes[l];

		for (size_t i = 0; i < lane->count && piece_length(lane) >= WEIR_CAPTURE_LEAST; i++)
			settle(&matching, lane, lane->first + i, &ops[lane->first + i]);
		for (size_t i = 0; i < lane->count; i++)
			found += ops[lane->first + i].op_row != WEIR_NONE;
	}
	matching_release(&matching);
	return found;
}
