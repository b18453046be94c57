/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/drawing/strip_lanes.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/names.h"

/* Spans below this part of the strip are not visible one by one. */
#define VISIBLE_PART 1500

struct weir_strip_builder *weir_strip_builder_new(int64_t from_ns, int64_t to_ns)
{
	struct weir_strip_builder *builder = weir_alloc(sizeof *builder);

	builder->from_ns = from_ns;
	builder->to_ns = to_ns;
	return builder;
}

void weir_strip_own(struct weir_strip_builder *builder, uint32_t row)
{
	builder->own = weir_grow(builder->own, &builder->own_capacity, builder->own_count + 1,
	                         sizeof *builder->own);
	builder->own[builder->own_count++] = row;
}

struct weir_strip_lane_builder *weir_strip_lane(struct weir_strip_builder *builder,
                                                enum weir_strip_row row, int64_t number)
{
	struct weir_strip_lane_builder *lane = &builder->lanes[builder->lane_count++];

	*lane = (struct weir_strip_lane_builder){.row = row, .number = number};
	return lane;
}

void weir_strip_add(const struct weir_strip_builder *builder, struct weir_strip_lane_builder *lane,
                    enum weir_strip_kind kind, uint32_t name, int64_t start_ns, int64_t end_ns)
{
	struct weir_strip_piece *last = lane->count > 0 ? &lane->items[lane->count - 1] : NULL;
	struct weir_strip_piece piece = {.count = 1, .name = name, .kind = kind};

	if (start_ns < builder->from_ns)
		start_ns = builder->from_ns;
	if (end_ns > builder->to_ns)
		end_ns = builder->to_ns;
	if (end_ns <= start_ns)
		return;
	piece.start_ns = weir_span_ns(builder->from_ns, start_ns);
	piece.end_ns = weir_span_ns(builder->from_ns, end_ns);
	piece.time_ns = piece.longest_ns = piece.end_ns - piece.start_ns;
	if (last && piece.end_ns <= last->end_ns) {
		last->count++;
		last->time_ns = weir_add_ns(last->time_ns, piece.time_ns);
		return;
	}
	if (last && piece.start_ns < last->end_ns)
		piece.start_ns = last->end_ns;
	lane->items = weir_grow(lane->items, &lane->capacity, lane->count + 1, sizeof *lane->items);
	lane->items[lane->count++] = piece;
}

/* True if two neighbours are short and near, and short together. */
static bool can_join(const struct weir_strip_piece *a, const struct weir_strip_piece *b,
                     int64_t limit_ns)
{
	return a->end_ns - a->start_ns < limit_ns && b->end_ns - b->start_ns < limit_ns &&
	       b->start_ns - a->end_ns < limit_ns &&
	       b->end_ns - a->start_ns <= weir_add_ns(limit_ns, limit_ns);
}

static void join_lane(struct weir_strip_lane_builder *lane, int64_t limit_ns)
{
	size_t kept = 0;

	for (size_t i = 0; i < lane->count; i++) {
		struct weir_strip_piece *piece = &lane->items[i], *last;

		if (kept == 0 || !can_join(&lane->items[kept - 1], piece, limit_ns)) {
			lane->items[kept++] = *piece;
			continue;
		}
		last = &lane->items[kept - 1];
		last->end_ns = piece->end_ns;
		last->count += piece->count;
		last->time_ns = weir_add_ns(last->time_ns, piece->time_ns);
		if (piece->longest_ns > last->longest_ns) {
			last->longest_ns = piece->longest_ns;
			last->name = piece->name;
			last->kind = piece->kind;
		}
	}
	lane->count = kept;
}

/* Joins short spans, and longer ones until all lanes together have few enough. Returns the limit
 * below which spans were joined. */
static int64_t join_lanes(struct weir_strip_builder *builder)
{
	int64_t limit_ns = weir_span_ns(builder->from_ns, builder->to_ns) / VISIBLE_PART;
	size_t total;

	for (;; limit_ns = weir_add_ns(limit_ns, limit_ns / 2 + 1)) {
		total = 0;
		for (size_t i = 0; i < builder->lane_count; i++) {
			join_lane(&builder->lanes[i], limit_ns);
			total += builder->lanes[i].count;
		}
		if (total <= WEIR_STRIP_MAX_SPANS)
			return limit_ns;
	}
}

static void finish_lane(const struct weir_strip_lane_builder *lane, struct weir_names *names,
                        weir_strip_name_of *name_of, const void *context, struct weir_arena *arena,
                        struct weir_strip_lane *out)
{
	struct weir_text text = {0};

	*out = (struct weir_strip_lane){.row = lane->row, .number = lane->number};
	out->spans = weir_arena_alloc(arena, lane->count * sizeof *out->spans);
	out->span_count = lane->count;
	for (size_t i = 0; i < lane->count; i++) {
		const struct weir_strip_piece *piece = &lane->items[i];

		weir_text_clear(&text);
		name_of(context, piece->kind, piece->name, &text);
		out->spans[i] = (struct weir_strip_span){
			.start_ns = piece->start_ns,
			.end_ns = piece->end_ns,
			.kind = piece->kind,
			/* id 0 of the names is "" */
			.name = text.length ? weir_names_add(names, text.data, text.length) : 0,
			.count = piece->count,
			.time_ns = piece->time_ns,
		};
	}
	weir_text_release(&text);
}

void weir_strip_finish(struct weir_strip_builder *builder, weir_strip_name_of *name_of,
                       const void *context, struct weir_arena *arena, struct weir_strip *out)
{
	struct weir_names *names = weir_names_new();

	out->joined_ns = join_lanes(builder);
	out->lanes = weir_arena_alloc(arena, (builder->lane_count + 1) * sizeof *out->lanes);
	for (size_t i = 0; i < builder->lane_count; i++)
		if (builder->lanes[i].count > 0)
			finish_lane(&builder->lanes[i], names, name_of, context, arena,
			            &out->lanes[out->lane_count++]);
	out->name_count = weir_names_count(names);
	out->names = weir_arena_alloc(arena, out->name_count * sizeof *out->names);
	for (uint32_t i = 0; i < out->name_count; i++)
		out->names[i].text = weir_arena_copy(arena, weir_names_text(names, i),
		                                     weir_names_length(names, i));
	weir_names_free(names);
	for (size_t i = 0; i < builder->lane_count; i++)
		free(builder->lanes[i].items);
	free(builder->own);
	free(builder);
}
