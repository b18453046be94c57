/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/drawing/rank_map.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"

#define NO_ROW UINT32_MAX

struct builder {
	const struct weir_analysis *analysis;
	uint8_t *meets;   /* per summary: 1 if it has matched collectives */
	uint32_t *row_of; /* per summary: its row, or NO_ROW */
	uint64_t first_step, end_step;
	int64_t *starts; /* scratch, one per member */
};

/* Returns the step of a collective: that of its member with the first rank; WEIR_NONE: in none. */
static uint32_t step_of(const struct weir_meetings *meetings, size_t index,
                        const struct weir_meeting_view *view)
{
	size_t first = SIZE_MAX;
	uint32_t step = WEIR_NONE;

	for (size_t m = 0; m < view->members; m++) {
		struct weir_meeting_member member;

		weir_meetings_member(meetings, index, m, &member);
		if (member.rank < first) {
			first = member.rank;
			step = member.step;
		}
	}
	return step;
}

/* Finds the ranks and steps that have collectives. Returns the largest number of members. */
static size_t measure(struct builder *builder)
{
	const struct weir_meetings *meetings = builder->analysis->meetings;
	size_t most = 0;

	builder->first_step = UINT64_MAX;
	for (size_t i = 0; i < weir_meetings_count(meetings); i++) {
		struct weir_meeting_view view;
		uint32_t step;

		weir_meetings_view(meetings, i, &view);
		step = step_of(meetings, i, &view);
		if (step == WEIR_NONE)
			continue;
		most = view.members > most ? view.members : most;
		if (step < builder->first_step)
			builder->first_step = step;
		if (step + UINT64_C(1) > builder->end_step)
			builder->end_step = step + UINT64_C(1);
		for (size_t m = 0; m < view.members; m++) {
			struct weir_meeting_member member;

			weir_meetings_member(meetings, i, m, &member);
			builder->meets[member.rank] = 1;
		}
	}
	return most;
}

static void choose(struct builder *builder, size_t summary, size_t *chosen)
{
	if (!builder->meets[summary] || builder->row_of[summary] != NO_ROW ||
	    *chosen == WEIR_RANK_MAP_ROWS)
		return;
	builder->row_of[summary] = 0;
	++*chosen;
}

/* A summary in the order of the ranks. */
struct numbered {
	int64_t rank;
	size_t summary;
};

static int by_rank(const void *left, const void *right)
{
	const struct numbered *a = left, *b = right;

	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	return (a->summary > b->summary) - (a->summary < b->summary);
}

/* Chooses the ranks that stand out, then every n-th, and lists them by rank in `rows`. Returns how
 * many there are. */
static size_t choose_rows(struct builder *builder, struct numbered rows[WEIR_RANK_MAP_ROWS])
{
	const struct weir_analysis *analysis = builder->analysis;
	size_t count = analysis->summary_count, chosen = 0, listed = 0;

	for (size_t i = 0; i < count; i++)
		builder->row_of[i] = NO_ROW;
	for (size_t i = 0; i < analysis->worst.rank_count && chosen < WEIR_RANK_MAP_ROWS / 2; i++)
		choose(builder, analysis->worst.ranks[i].summary, &chosen);
	for (size_t i = 0; i < WEIR_RANK_MAP_ROWS; i++)
		choose(builder, i * count / WEIR_RANK_MAP_ROWS, &chosen);
	for (size_t i = 0; i < count; i++)
		choose(builder, i, &chosen);
	for (size_t i = 0; i < count; i++)
		if (builder->row_of[i] != NO_ROW)
			rows[listed++] = (struct numbered){analysis->summaries[i].rank, i};
	if (listed > 0)
		qsort(rows, listed, sizeof *rows, by_rank);
	for (uint32_t r = 0; r < listed; r++)
		builder->row_of[rows[r].summary] = r;
	return listed;
}

/* Returns the start of the median member, of an even number the earlier one. */
static int64_t median_start(struct builder *builder, size_t index, size_t members)
{
	for (size_t m = 0; m < members; m++) {
		struct weir_meeting_member member;

		weir_meetings_member(builder->analysis->meetings, index, m, &member);
		builder->starts[m] = member.start_ns;
	}
	weir_instants_sort(builder->starts, members);
	return builder->starts[(members - 1) / 2];
}

static void add_to(double *sum_ns, int64_t ns)
{
	*sum_ns = (isnan(*sum_ns) ? 0 : *sum_ns) + (double)ns;
}

static void add_meeting(struct builder *builder, size_t index, struct weir_rank_map *map)
{
	const struct weir_meetings *meetings = builder->analysis->meetings;
	struct weir_meeting_view view;
	int64_t median_ns;
	uint32_t step;
	size_t column;

	weir_meetings_view(meetings, index, &view);
	step = step_of(meetings, index, &view);
	if (step == WEIR_NONE)
		return;
	median_ns = median_start(builder, index, view.members);
	column = (size_t)((step - map->first_step) / map->steps_per_column);
	for (size_t m = 0; m < view.members; m++) {
		struct weir_meeting_member member;
		struct weir_rank_cell *cell;

		weir_meetings_member(meetings, index, m, &member);
		if (builder->row_of[member.rank] == NO_ROW)
			continue;
		cell = &map->rows[builder->row_of[member.rank]].cells[column];
		add_to(&cell->wait_ns, member.wait_ns);
		add_to(&cell->late_ns, weir_span_ns(median_ns, member.start_ns));
	}
}

static struct weir_rank_map *make_map(struct builder *builder, struct weir_arena *arena)
{
	struct weir_rank_map *map = weir_arena_alloc(arena, sizeof *map);
	struct numbered rows[WEIR_RANK_MAP_ROWS];
	size_t columns;

	map->first_step = builder->first_step;
	map->steps = builder->end_step - builder->first_step;
	map->steps_per_column = (map->steps + WEIR_RANK_MAP_COLUMNS - 1) / WEIR_RANK_MAP_COLUMNS;
	columns = (size_t)((map->steps + map->steps_per_column - 1) / map->steps_per_column);
	map->row_count = choose_rows(builder, rows);
	map->rows = weir_arena_alloc(arena, (map->row_count + 1) * sizeof *map->rows);
	for (size_t i = 0; i < builder->analysis->summary_count; i++)
		map->ranks += builder->meets[i];
	for (size_t r = 0; r < map->row_count; r++) {
		struct weir_rank_map_row *row = &map->rows[r];

		row->rank = rows[r].rank;
		row->cell_count = columns;
		row->cells = weir_arena_alloc(arena, columns * sizeof *row->cells);
		for (size_t c = 0; c < columns; c++)
			row->cells[c] = (struct weir_rank_cell){NAN, NAN};
	}
	return map;
}

const struct weir_rank_map *weir_rank_map_new(const struct weir_analysis *analysis,
                                              struct weir_arena *arena)
{
	struct builder builder = {.analysis = analysis};
	struct weir_rank_map *map = NULL;
	size_t most;

	if (!analysis->meetings || weir_meetings_count(analysis->meetings) == 0)
		return NULL;
	builder.meets = weir_alloc(analysis->summary_count + 1);
	builder.row_of = weir_alloc((analysis->summary_count + 1) * sizeof *builder.row_of);
	most = measure(&builder);
	builder.starts = weir_alloc((most + 1) * sizeof *builder.starts);
	if (builder.end_step > 0) {
		map = make_map(&builder, arena);
		for (size_t i = 0; i < weir_meetings_count(analysis->meetings); i++)
			add_meeting(&builder, i, map);
	}
	free(builder.meets);
	free(builder.row_of);
	free(builder.starts);
	return map;
}
