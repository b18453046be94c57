/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/names/frames.h"
#include "engine/analysis/names/kernels.h"
#include "engine/analysis/rows/operator_parts.h"
#include "engine/base/arena.h"

/* A kernel, shape or call site. Parts with equal texts are one. */
struct part {
	const char *text, *more; /* `more` may be "" */
	uint64_t count;
	double ns;
	double rated_ns, efficiency_ns; /* time with a known efficiency; efficiency times that */
	enum weir_roofline roofline;    /* of the largest */
	double largest_ns;
};

struct parts {
	struct part *items;
	size_t count, capacity;
};

static void add_part(struct parts *parts, const struct part *part)
{
	parts->items =
		weir_grow(parts->items, &parts->capacity, parts->count + 1, sizeof *parts->items);
	parts->items[parts->count++] = *part;
}

static int compare_texts(const struct part *a, const struct part *b)
{
	int order = strcmp(a->text, b->text);

	return order ? order : strcmp(a->more, b->more);
}

static int by_text(const void *left, const void *right)
{
	const struct part *a = left, *b = right;
	int order = compare_texts(a, b);

	if (order)
		return order;
	if (a->largest_ns != b->largest_ns)
		return a->largest_ns > b->largest_ns ? -1 : 1;
	return (a->roofline > b->roofline) - (a->roofline < b->roofline);
}

static int by_time(const void *left, const void *right)
{
	const struct part *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns > b->ns ? -1 : 1;
	return compare_texts(a, b);
}

/* Adds up equal parts and sorts them by time. */
static void settle(struct parts *parts)
{
	size_t kept = 0;

	if (parts->count == 0)
		return;
	qsort(parts->items, parts->count, sizeof *parts->items, by_text);
	for (size_t i = 0; i < parts->count; i++) {
		const struct part *part = &parts->items[i];
		struct part *last = kept > 0 ? &parts->items[kept - 1] : NULL;

		if (!last || compare_texts(last, part) != 0) {
			parts->items[kept++] = *part;
			continue;
		}
		last->count += part->count;
		last->ns += part->ns;
		last->rated_ns += part->rated_ns;
		last->efficiency_ns += part->efficiency_ns;
	}
	parts->count = kept;
	qsort(parts->items, parts->count, sizeof *parts->items, by_time);
}

static size_t shown(const struct parts *parts)
{
	return parts->count < WEIR_MAX_OPERATOR_PARTS ? parts->count : WEIR_MAX_OPERATOR_PARTS;
}

static const char *copy(struct weir_arena *arena, const char *text)
{
	return text[0] ? weir_arena_copy(arena, text, strlen(text)) : NULL;
}

/* ---- kernels ---- */

static void add_kernel(struct parts *parts, const struct weir_rank *rank, uint32_t name,
                       uint64_t rows, int64_t ns)
{
	struct part part = {.more = "", .count = rows, .ns = (double)ns};
	struct weir_text text = {0};

	if (rows == 0 || name == 0)
		return;
	weir_kernel_display(weir_names_text(rank->trace->names, name), &text);
	part.text = weir_alloc_text(text.length ? text.data : "");
	weir_text_release(&text);
	add_part(parts, &part);
}

static void fill_kernels(struct weir_operator_row *row, const struct weir_row_group *groups,
                         size_t count, struct weir_arena *arena)
{
	struct parts parts = {0};
	const char **texts;
	size_t added;

	for (size_t i = 0; i < count; i++) {
		const struct weir_groups *all = &groups[i].rank->groups;
		const struct weir_group *group = &all->items[groups[i].group];

		add_kernel(&parts, groups[i].rank, group->kernel, group->same_rows, group->same_ns);
		for (size_t k = all->first_kernel[groups[i].group];
		     k < all->first_kernel[groups[i].group + 1]; k++)
			add_kernel(&parts, groups[i].rank, all->kernels[k].name,
			           all->kernels[k].rows, all->kernels[k].ns);
	}
	added = parts.count;
	texts = weir_alloc((added + 1) * sizeof *texts);
	for (size_t i = 0; i < added; i++)
		texts[i] = parts.items[i].text;
	settle(&parts);
	row->all_kernels = parts.count;
	row->kernel_count = shown(&parts);
	row->kernels = weir_arena_alloc(arena, (row->kernel_count + 1) * sizeof *row->kernels);
	for (size_t i = 0; i < row->kernel_count; i++)
		row->kernels[i] = (struct weir_operator_kernel){
			copy(arena, parts.items[i].text), parts.items[i].count, parts.items[i].ns};
	for (size_t i = 0; i < added; i++)
		free((char *)texts[i]);
	free(texts);
	free(parts.items);
}

/* ---- shapes ---- */

static void fill_shapes(struct weir_operator_row *row, const struct weir_row_group *groups,
                        size_t count, struct weir_arena *arena)
{
	struct parts parts = {0};

	for (size_t i = 0; i < count; i++) {
		const struct weir_trace *trace = groups[i].rank->trace;
		const struct weir_group *group = &groups[i].rank->groups.items[groups[i].group];
		const struct weir_roofline_result *roofline =
			&groups[i].rank->assessments[groups[i].group].roofline;
		double ns = (double)group->sum_ns;
		bool rated = isfinite(roofline->efficiency) &&
		             roofline->roofline != WEIR_ROOFLINE_IMPLAUSIBLE;

		if (group->op_name == 0 || group->shape == 0 || group->shape == WEIR_NONE)
			continue;
		add_part(&parts,
		         &(struct part){.text = weir_names_text(trace->names,
		                                                trace->shapes[group->shape].dims),
		                        .more = weir_names_text(trace->names,
		                                                trace->shapes[group->shape].types),
		                        .count = group->calls,
		                        .ns = ns,
		                        .rated_ns = rated ? ns : 0,
		                        .efficiency_ns = rated ? roofline->efficiency * ns : 0,
		                        .roofline = roofline->roofline,
		                        .largest_ns = ns});
	}
	settle(&parts);
	row->all_shapes = parts.count;
	row->shape_count = shown(&parts);
	row->shapes = weir_arena_alloc(arena, (row->shape_count + 1) * sizeof *row->shapes);
	for (size_t i = 0; i < row->shape_count; i++) {
		const struct part *part = &parts.items[i];

		row->shapes[i] = (struct weir_operator_shape){
			.dims = copy(arena, part->text),
			.types = copy(arena, part->more),
			.count = part->count,
			.total_ns = part->ns,
			.roofline = part->roofline,
			.efficiency =
				part->rated_ns > 0 ? part->efficiency_ns / part->rated_ns : NAN,
		};
	}
	free(parts.items);
}

/* ---- call sites ---- */

/* Returns the first call of a group, or of a later one, in the median step. */
static size_t first_call_of(const struct weir_median_step *median, uint32_t group)
{
	size_t low = 0, high = median->call_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (median->calls[middle].group < group)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Returns the innermost line of the program around a host row, else the innermost frame or range;
 * NULL: the trace has none. */
static const char *site_of(const struct weir_timeline *timeline, uint32_t host_row)
{
	for (uint32_t row = host_row; row != WEIR_NONE; row = timeline->parent[row]) {
		const char *name = weir_timeline_host_name(timeline, row);

		if (timeline->trace->host.kind[row] == WEIR_HOST_PYTHON &&
		    weir_frame_is_program(name))
			return weir_frame_without_folders(name);
	}
	return weir_timeline_frame(timeline, host_row);
}

static void add_site(struct parts *parts, const struct weir_rank *rank, const char *stage,
                     const struct weir_median_call *call)
{
	const char *frame = site_of(&rank->timeline, call->host_row);

	/* The row names its stage already. */
	if (!frame || !frame[0] || (stage && strcmp(frame, stage) == 0))
		return;
	add_part(parts, &(struct part){.text = frame,
	                               .more = "",
	                               .count = 1,
	                               .ns = (double)rank->groups.calls[call->call].device_ns});
}

static void fill_sites(struct weir_operator_row *row, const struct weir_row_group *groups,
                       size_t count, const struct weir_median_step *median,
                       struct weir_arena *arena)
{
	struct parts parts = {0};

	for (size_t i = 0; i < count; i++) {
		if (groups[i].rank != median->rank)
			continue;
		for (size_t c = first_call_of(median, groups[i].group);
		     c < median->call_count && median->calls[c].group == groups[i].group; c++)
			add_site(&parts, median->rank, row->stage, &median->calls[c]);
	}
	settle(&parts);
	row->all_sites = parts.count;
	row->site_count = shown(&parts);
	row->sites = weir_arena_alloc(arena, (row->site_count + 1) * sizeof *row->sites);
	for (size_t i = 0; i < row->site_count; i++)
		row->sites[i] = (struct weir_operator_site){
			copy(arena, parts.items[i].text), parts.items[i].count, parts.items[i].ns};
	free(parts.items);
}

void weir_operator_parts_fill(struct weir_operator_row *row, const struct weir_row_group *groups,
                              size_t count, const struct weir_median_step *median,
                              struct weir_arena *arena)
{
	fill_kernels(row, groups, count, arena);
	fill_shapes(row, groups, count, arena);
	fill_sites(row, groups, count, median, arena);
}
