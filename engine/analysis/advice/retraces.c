/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/advice/retraces.h"
#include "engine/base/arena.h"

/* Launches of a network, at least; fewer of the same kernels can follow each other by chance. */
#define LEAST_LAUNCHES 8
/* The compiler runs this long without a call of the host, at least, behind the traced run; a
 * program that computes the same twice does not pause so long. */
#define COMPILES_NS 1000000
/* Comparisons of launches on one thread, at most, so that the search takes bounded time. */
#define MOST_COMPARISONS 10000000

struct launch {
	uint32_t row, device_row;
};

struct search {
	const struct weir_rank *rank;
	size_t first_row;   /* of the thread */
	uint8_t *functions; /* per name: 1 for that of a function, without the namespace of an
	                     * operator */
	struct launch *items;
	size_t count;
	size_t comparisons;
};

/* Returns the host row that the launch is a part of: its outermost operator, or its call. */
static uint32_t outer_row(const struct search *search, uint32_t row)
{
	uint32_t outer = search->rank->timeline.outer_op[row];

	return outer == WEIR_NONE ? row : outer;
}

/* Collects the launches of the rows [first, end) of a thread in their order. */
static void find_launches(struct search *search, size_t first, size_t end)
{
	const struct weir_trace *trace = search->rank->trace;
	uint32_t *device_row = weir_alloc((end - first + 1) * sizeof *device_row);

	for (size_t i = first; i < end; i++)
		device_row[i - first] = WEIR_NONE;
	for (size_t row = trace->device.count; row-- > 0;) {
		uint32_t launch = trace->device.launch[row];

		if (launch != WEIR_NONE && launch >= first && launch < end)
			device_row[launch - first] = (uint32_t)row;
	}
	search->items = weir_alloc((end - first + 1) * sizeof *search->items);
	for (size_t i = first; i < end; i++)
		if (device_row[i - first] != WEIR_NONE)
			search->items[search->count++] =
				(struct launch){(uint32_t)i, device_row[i - first]};
	free(device_row);
}

/* Returns the first launch from `first` on whose call starts at or behind `at_ns`. */
static size_t launch_from(const struct search *search, size_t first, int64_t at_ns)
{
	const int64_t *start_ns = search->rank->trace->host.start_ns;
	size_t end = search->count;

	while (first < end) {
		size_t middle = first + (end - first) / 2;

		if (start_ns[search->items[middle].row] < at_ns)
			first = middle + 1;
		else
			end = middle;
	}
	return first;
}

/* True if `count` launches from `a` and from `b` on start the same kernels with as many blocks. */
static bool same_kernels(struct search *search, size_t a, size_t b, size_t count)
{
	const struct weir_device_columns *device = &search->rank->trace->device;

	for (size_t i = 0; i < count && search->comparisons < MOST_COMPARISONS; i++) {
		uint32_t left = search->items[a + i].device_row;
		uint32_t right = search->items[b + i].device_row;

		search->comparisons++;
		if (device->name[left] != device->name[right] ||
		    device->blocks[left] != device->blocks[right])
			return false;
	}
	return search->comparisons < MOST_COMPARISONS;
}

/* True if the row is the range of a scripted function: an outermost operator that is named like a
 * function, around operators. */
static bool is_script(const struct search *search, size_t row, size_t end)
{
	const struct weir_timeline *timeline = &search->rank->timeline;

	return search->functions[timeline->trace->host.name[row]] &&
	       timeline->trace->host.kind[row] == WEIR_HOST_OP && timeline->outer_op[row] == row &&
	       row + 1 < end && timeline->parent[row + 1] == row &&
	       timeline->trace->host.kind[row + 1] == WEIR_HOST_OP;
}

/* Returns the start of the silence in front of the row in its step, at which the preparation of the
 * trace begins: it takes no operator. */
static int64_t silent_from(const struct search *search, uint32_t row, int64_t step_ns)
{
	const struct weir_host_columns *host = &search->rank->trace->host;
	uint32_t before = row;
	int64_t from_ns;

	if (row == search->first_row)
		return step_ns;
	before = outer_row(search, row - 1);
	/* A range around both begins there. */
	from_ns = host->end_ns[before] > host->start_ns[row] ? host->start_ns[before]
	                                                     : host->end_ns[before];
	return from_ns > step_ns ? from_ns : step_ns;
}

/* True if no row of the thread, whose rows end before `end`, follows the launch's operator for as
 * long as a compiler takes. */
static bool compiles_behind(const struct search *search, const struct launch *launch, size_t end)
{
	const struct weir_host_columns *host = &search->rank->trace->host;
	int64_t end_ns = host->end_ns[outer_row(search, launch->row)];
	size_t row = launch->row;

	while (row < end && host->start_ns[row] < end_ns)
		row++;
	return row < end && host->start_ns[row] - end_ns >= COMPILES_NS;
}

/* Adds the tracing in front of a range of a scripted function in its step. */
static bool take_script(struct search *search, size_t row, size_t end, struct weir_intervals *out)
{
	const struct weir_host_columns *host = &search->rank->trace->host;
	const struct weir_steps *steps = &search->rank->steps;
	uint32_t step = weir_steps_step_at(steps, host->start_ns[row]);
	size_t own = launch_from(search, 0, host->start_ns[row]);
	size_t count = launch_from(search, own, host->end_ns[row]) - own;

	if (step == WEIR_NONE || count < LEAST_LAUNCHES)
		return false;
	for (size_t at = launch_from(search, 0, steps->steps[step].start_ns); at + count <= own;
	     at++) {
		if (!same_kernels(search, at, own, count) ||
		    !compiles_behind(search, &search->items[at + count - 1], end))
			continue;
		weir_intervals_push(out,
		                    silent_from(search, outer_row(search, search->items[at].row),
		                                steps->steps[step].start_ns),
		                    host->start_ns[row]);
		return true;
	}
	return false;
}

static uint8_t *find_functions(const struct weir_names *names)
{
	size_t count = weir_names_count(names);
	uint8_t *functions = weir_alloc(count);

	for (size_t i = 0; i < count; i++)
		functions[i] = !strstr(weir_names_text(names, (uint32_t)i), "::");
	return functions;
}

bool weir_retraces_find(const struct weir_program *program, uint32_t thread,
                        struct weir_intervals *out)
{
	struct search search = {.rank = program->rank,
	                        .functions = find_functions(program->rank->trace->names)};
	bool found = false;
	size_t first, end;

	weir_timeline_thread_rows(&program->rank->timeline, thread, &first, &end);
	search.first_row = first;
	for (size_t row = first; row < end; row++) {
		if (!is_script(&search, row, end))
			continue;
		if (!search.items)
			find_launches(&search, first, end);
		found |= take_script(&search, row, end, out);
	}
	free(search.functions);
	free(search.items);
	return found;
}
