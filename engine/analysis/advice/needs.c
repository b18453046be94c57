/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "engine/analysis/advice/needs.h"
#include "engine/analysis/advice/transfers.h"

static enum weir_need_state state_of(bool met)
{
	return met ? WEIR_NEED_MET : WEIR_NEED_NOT_MET;
}

/* A step in which the host does not wait for the device before its last launch. */
static enum weir_need_state no_syncs(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	size_t last = program->issue_count;

	if (!program->has_host)
		return WEIR_NEED_UNKNOWN;
	while (last > 0 && program->issues[last - 1].job_count == 0)
		last--;
	for (size_t i = 0; i + 1 < last; i++)
		if (program->issues[i].until != WEIR_NONE)
			return WEIR_NEED_NOT_MET;
	return WEIR_NEED_MET;
}

/* Returns the next device row of a step at or after `row`; `end` without one. */
static uint32_t next_of_step(const struct weir_steps *steps, uint32_t row, uint32_t end,
                             uint32_t step)
{
	while (row < end && steps->row_step[row] != step)
		row++;
	return row;
}

/* The same kernels in the same order as in the next step. */
static enum weir_need_state same_kernels(const struct weir_advisor *advisor)
{
	const struct weir_program *program = &advisor->program;
	const struct weir_steps *steps = &program->rank->steps;
	const uint32_t *name = program->rank->trace->device.name;
	uint32_t end = program->rank->timeline.first_row[program->device + 1];
	uint32_t first = program->rank->timeline.first_row[program->device];
	uint32_t a, b;

	if (program->step == WEIR_NONE)
		return WEIR_NEED_UNKNOWN;
	a = next_of_step(steps, first, end, program->step);
	b = next_of_step(steps, first, end, program->step + 1);
	while (a < end && b < end) {
		if (name[a] != name[b])
			return WEIR_NEED_NOT_MET;
		a = next_of_step(steps, a + 1, end, program->step);
		b = next_of_step(steps, b + 1, end, program->step + 1);
	}
	return state_of(a == end && b == end);
}

static enum weir_need_state pinned_memory(const struct weir_advisor *advisor)
{
	switch (weir_transfer_memory_of(advisor)) {
	case WEIR_MEMORY_PAGEABLE:
		return WEIR_NEED_NOT_MET;
	case WEIR_MEMORY_PINNED:
		return WEIR_NEED_MET;
	case WEIR_MEMORY_UNKNOWN:
		break;
	}
	return WEIR_NEED_UNKNOWN;
}

static const struct {
	const char *name;
	enum weir_need_state (*check)(const struct weir_advisor *advisor);
} checks[] = {
	{"no-syncs", no_syncs},
	{"same-kernels", same_kernels},
	{"pinned-memory", pinned_memory},
};

bool weir_need_exists(const char *check)
{
	for (size_t i = 0; i < WEIR_COUNT_OF(checks); i++)
		if (strcmp(checks[i].name, check) == 0)
			return true;
	return false;
}

enum weir_need_state weir_need_check(const struct weir_advisor *advisor, const char *check)
{
	for (size_t i = 0; check && i < WEIR_COUNT_OF(checks); i++)
		if (strcmp(checks[i].name, check) == 0)
			return checks[i].check(advisor);
	return WEIR_NEED_UNKNOWN;
}
