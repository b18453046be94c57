/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/compare/stage_parts.h"
#include "engine/analysis/names/kernels.h"
#include "engine/base/arena.h"

#define MOST_NS 9e15 /* longer times come from bad clocks */

struct time {
	int64_t baseline_ns, candidate_ns;
};

/* ---- one operator ---- */

/* Returns the family of an operator. Kernels tell it by their names, but operators of PyTorch have
 * short names. */
static enum weir_family family_of(const char *name)
{
	static const struct {
		const char *name;
		enum weir_family family;
	} operators[] = {
		{"add", WEIR_FAMILY_ELEMENTWISE},  {"add_", WEIR_FAMILY_ELEMENTWISE},
		{"addmm", WEIR_FAMILY_GEMM},       {"argmax", WEIR_FAMILY_REDUCE},
		{"baddbmm", WEIR_FAMILY_GEMM},     {"bmm", WEIR_FAMILY_GEMM},
		{"cat", WEIR_FAMILY_COPY},         {"div", WEIR_FAMILY_ELEMENTWISE},
		{"div_", WEIR_FAMILY_ELEMENTWISE}, {"gelu", WEIR_FAMILY_ELEMENTWISE},
		{"linear", WEIR_FAMILY_GEMM},      {"matmul", WEIR_FAMILY_GEMM},
		{"max", WEIR_FAMILY_REDUCE},       {"mean", WEIR_FAMILY_REDUCE},
		{"mm", WEIR_FAMILY_GEMM},          {"mul", WEIR_FAMILY_ELEMENTWISE},
		{"mul_", WEIR_FAMILY_ELEMENTWISE}, {"pow", WEIR_FAMILY_ELEMENTWISE},
		{"silu", WEIR_FAMILY_ELEMENTWISE}, {"sub", WEIR_FAMILY_ELEMENTWISE},
		{"sum", WEIR_FAMILY_REDUCE},
	};
	const char *last = strrchr(name, ':');
	enum weir_family family = weir_kernel_family(name);

	for (size_t i = 0; family == WEIR_FAMILY_OTHER && last && i < WEIR_COUNT_OF(operators); i++)
		if (strcmp(last + 1, operators[i].name) == 0)
			family = operators[i].family;
	return family;
}

static int64_t whole(double ns)
{
	return ns > 0 ? llround(fmin(ns, MOST_NS)) : 0;
}

static struct time time_of(const struct weir_compared *item)
{
	return (struct time){whole(item->baseline_ns), whole(item->candidate_ns)};
}

static struct weir_drawn_part part_of(const struct weir_compared *item)
{
	struct time time = time_of(item);

	return (struct weir_drawn_part){
		.kind = WEIR_DRAWN_OPERATOR,
		.name = item->name,
		.renamed = item->renamed,
		.family = weir_family_name(family_of(item->name)),
		.operators = 1,
		.baseline_ns = time.baseline_ns,
		.candidate_ns = time.candidate_ns,
		.baseline_calls = item->baseline_calls,
		.candidate_calls = item->candidate_calls,
	};
}

/* ---- the order of parts ---- */

static int64_t change_of(const struct weir_drawn_part *part)
{
	return part->candidate_ns - part->baseline_ns;
}

static int64_t largest_of(const struct weir_drawn_part *part)
{
	return part->candidate_ns > part->baseline_ns ? part->candidate_ns : part->baseline_ns;
}

static int descending(int64_t a, int64_t b)
{
	return (a < b) - (a > b);
}

static int by_size_of_change(const void *left, const void *right)
{
	const struct weir_drawn_part *a = left, *b = right;
	int order = descending(llabs(change_of(a)), llabs(change_of(b)));

	return order ? order : strcmp(a->name, b->name);
}

static int by_time(const void *left, const void *right)
{
	const struct weir_drawn_part *a = left, *b = right;
	int order = descending(largest_of(a), largest_of(b));

	return order ? order : strcmp(a->name, b->name);
}

static int by_change(const void *left, const void *right)
{
	const struct weir_drawn_part *a = left, *b = right;
	int order = descending(change_of(a), change_of(b));

	return order ? order : by_time(left, right);
}

static void sort(struct weir_drawn_part *parts, size_t count,
                 int (*compare)(const void *, const void *))
{
	if (count > 1)
		qsort(parts, count, sizeof *parts, compare);
}

/* ---- one stage ---- */

static const struct weir_compared *find_stage(const struct weir_compared_set *set, const char *name)
{
	const struct weir_compared *item = weir_compared_find(set, name, strlen(name));

	return item && item->baseline_present > 0 && item->candidate_present > 0 ? item : NULL;
}

/* Lists the operators of a stage that take time; the caller frees the list. */
static struct weir_drawn_part *list_operators(const struct weir_comparing *comparing,
                                              const char *stage, size_t *count)
{
	const struct weir_compared_set *set = &comparing->operators;
	struct weir_drawn_part *parts = weir_alloc((set->count + 1) * sizeof *parts);

	*count = 0;
	for (size_t i = 0; i < set->count; i++) {
		struct weir_drawn_part part = part_of(&set->items[i]);

		if (set->items[i].stage && strcmp(set->items[i].stage, stage) == 0 &&
		    largest_of(&part) > 0)
			parts[(*count)++] = part;
	}
	return parts;
}

static void add_part(struct weir_drawn_stage *stage, const struct weir_drawn_part *part)
{
	stage->parts[stage->part_count++] = *part;
}

/* Adds the part by which `sum` misses `whole_time`, unless both sides are complete. */
static void add_difference(struct weir_drawn_stage *stage, enum weir_drawn_kind kind,
                           struct time whole_time, struct time sum)
{
	struct weir_drawn_part part = {.kind = kind,
	                               .baseline_ns = whole_time.baseline_ns - sum.baseline_ns,
	                               .candidate_ns = whole_time.candidate_ns - sum.candidate_ns,
	                               .baseline_calls = NAN,
	                               .candidate_calls = NAN};

	if (part.baseline_ns != 0 || part.candidate_ns != 0)
		add_part(stage, &part);
}

/* Adds operators first..count as one part. */
static void add_sum(struct weir_drawn_stage *stage, const struct weir_drawn_part *parts,
                    size_t first, size_t count)
{
	struct weir_drawn_part part = {.kind = WEIR_DRAWN_OPERATORS,
	                               .operators = count - first,
	                               .baseline_calls = NAN,
	                               .candidate_calls = NAN};

	for (size_t i = first; i < count; i++) {
		part.baseline_ns += parts[i].baseline_ns;
		part.candidate_ns += parts[i].candidate_ns;
	}
	if (count > first)
		add_part(stage, &part);
}

/* Fills the parts of a stage: operators, then what they leave of its device time and of its
 * duration. */
static void divide(const struct weir_comparing *comparing, const struct weir_compared *device,
                   struct weir_drawn_stage *stage)
{
	size_t count, listed;
	struct weir_drawn_part *parts = list_operators(comparing, stage->name, &count);
	struct time sum = {0, 0}, total = {stage->baseline_ns, stage->candidate_ns};

	for (size_t i = 0; i < count; i++) {
		sum.baseline_ns += parts[i].baseline_ns;
		sum.candidate_ns += parts[i].candidate_ns;
	}
	sort(parts, count, by_size_of_change);
	if (count > WEIR_DRAWN_BY_CHANGE)
		sort(parts + WEIR_DRAWN_BY_CHANGE, count - WEIR_DRAWN_BY_CHANGE, by_time);
	listed = WEIR_DRAWN_BY_CHANGE + WEIR_DRAWN_BY_TIME;
	listed = count < listed ? count : listed;
	sort(parts, listed, by_change);
	for (size_t i = 0; i < listed; i++)
		add_part(stage, &parts[i]);
	add_sum(stage, parts, listed, count);
	if (device && !stage->device_only) {
		add_difference(stage, WEIR_DRAWN_DEVICE, time_of(device), sum);
		sum = time_of(device);
	}
	add_difference(stage, WEIR_DRAWN_REST, total, sum);
	free(parts);
}

/* Adds a stage, unless it is there already or cannot be divided. */
static void add_stage(const struct weir_comparing *comparing, const char *name,
                      struct weir_arena *arena, struct weir_gate_pictures *pictures)
{
	const struct weir_compared *item = find_stage(&comparing->stages, name);
	const struct weir_compared *device = find_stage(&comparing->devices, name);
	struct weir_drawn_stage stage = {.name = name, .device_only = !item};
	struct time time;

	for (size_t i = 0; i < pictures->stage_count; i++)
		if (strcmp(pictures->stages[i].name, name) == 0)
			return;
	if ((!item && !device) || pictures->stage_count == WEIR_DRAWN_STAGES)
		return;
	time = time_of(item ? item : device);
	stage.baseline_ns = time.baseline_ns;
	stage.candidate_ns = time.candidate_ns;
	stage.parts = weir_arena_alloc(arena, WEIR_DRAWN_PARTS * sizeof *stage.parts);
	divide(comparing, device, &stage);
	if (stage.part_count > 1 && stage.baseline_ns > 0 && stage.candidate_ns > 0)
		pictures->stages[pictures->stage_count++] = stage;
}

void weir_stage_parts(const struct weir_comparing *comparing, const struct weir_gate_result *result,
                      struct weir_gate_pictures *pictures)
{
	pictures->stages =
		weir_arena_alloc(result->arena, (WEIR_DRAWN_STAGES + 1) * sizeof *pictures->stages);
	for (size_t f = 0; f < result->finding_count; f++)
		for (size_t i = 0; i < result->findings[f].row_count; i++) {
			const struct weir_row *row = &result->rows[result->findings[f].rows[i]];

			if (row->stage)
				add_stage(comparing, row->stage, result->arena, pictures);
		}
	for (size_t i = 0; i < result->row_count && result->finding_count == 0; i++)
		if (result->rows[i].outcome == WEIR_OUTCOME_IMPROVEMENT && result->rows[i].stage)
			add_stage(comparing, result->rows[i].stage, result->arena, pictures);
}
