/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/timeline/programs.h"
#include "engine/base/arena.h"

/* Returns one byte per name id: 1 for names of executions; NULL: the trace has none. The caller
 * frees it. */
static uint8_t *find_names(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *is_program = weir_alloc(count + 1);
	bool any = false;

	for (size_t i = 0; i < count; i++) {
		is_program[i] =
			strstr(weir_names_text(names, (uint32_t)i), "Executable::Execute") != NULL;
		any |= is_program[i] != 0;
	}
	if (any)
		return is_program;
	free(is_program);
	return NULL;
}

/* Returns the outermost execution around a host row; WEIR_NONE: none. row may be WEIR_NONE. */
static uint32_t execution_around(const struct weir_timeline *timeline, const uint8_t *is_program,
                                 uint32_t row)
{
	uint32_t found = WEIR_NONE;

	for (; row != WEIR_NONE; row = timeline->parent[row])
		if (is_program[timeline->trace->host.name[row]])
			found = row;
	return found;
}

void weir_programs_count(const struct weir_timeline *timeline, const uint32_t *rows,
                         struct weir_programs *out)
{
	const struct weir_trace *trace = timeline->trace;
	uint8_t *is_program = find_names(trace->names), *seen, *kind;

	if (!is_program)
		return;
	seen = weir_alloc(trace->host.count + 1);
	kind = weir_alloc(weir_names_count(trace->names) + 1);
	for (size_t i = 0; i < trace->device.count; i++) {
		uint32_t row = rows[i] == WEIR_NONE ? WEIR_NONE
		                                    : execution_around(timeline, is_program,
		                                                       trace->device.launch[i]);

		if (row == WEIR_NONE)
			continue;
		out->works++;
		if (seen[row])
			continue;
		seen[row] = 1;
		out->executions++;
		out->kinds += !kind[trace->device.name[i]];
		kind[trace->device.name[i]] = 1;
	}
	free(is_program);
	free(seen);
	free(kind);
}
