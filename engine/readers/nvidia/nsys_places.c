/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps the ids in rows of an export to names, processes and devices. */
#include <stdio.h>

#include "engine/base/arena.h"
#include "engine/readers/nvidia/nsys.h"

#define MAX_ORDINALS  65536 /* in all processes together */
#define PROCESS_SHIFT 32    /* correlation and stream ids have 32 bits */

void weir_nsys_warn(struct nsys_reader *reader, const struct weir_sqlscan *row,
                    enum weir_warning_code code, const char *detail)
{
	char text[sizeof(((struct weir_warning *)0)->detail)];

	if (reader->input->warnings[code].count) {
		weir_input_warn(reader->input, code, UINT64_MAX, NULL);
		return;
	}
	snprintf(text, sizeof(text), "row %llu of %s: %s", (unsigned long long)row->row, row->table,
	         detail);
	weir_input_warn(reader->input, code, UINT64_MAX, text);
}

bool weir_nsys_times(struct nsys_reader *reader, const struct weir_sqlscan *row, int start_column,
                     int64_t *start_ns, int64_t *end_ns)
{
	if (!weir_sqlscan_int(row, start_column, start_ns) ||
	    !weir_sqlscan_int(row, start_column + 1, end_ns)) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "start or end is missing");
		return false;
	}
	if (*start_ns <= -WEIR_MAX_TIME_NS || *start_ns >= WEIR_MAX_TIME_NS ||
	    (*end_ns > *start_ns && *end_ns - *start_ns > WEIR_MAX_DURATION_NS)) {
		weir_nsys_warn(reader, row, WEIR_WARN_NO_TIME, "time or duration out of range");
		return false;
	}
	if (*end_ns < *start_ns) {
		weir_nsys_warn(reader, row, WEIR_WARN_NEGATIVE_DURATION,
		               "it ends before it starts");
		*end_ns = *start_ns;
	}
	reader->timed++;
	return true;
}

struct weir_slice weir_nsys_name(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column)
{
	const struct weir_names *names = reader->input->trace->names;
	uint32_t name;
	int64_t id;

	if (reader->status || !weir_sqlscan_int(row, column, &id))
		return (struct weir_slice){"", 0};
	reader->status = weir_sqlnames_find(&reader->names, id, reader->input->trace->names, &name,
	                                    reader->err);
	return (struct weir_slice){weir_names_text(names, name), weir_names_length(names, name)};
}

struct weir_slice weir_nsys_text(struct nsys_reader *reader, const struct weir_sqlscan *row,
                                 int column)
{
	struct weir_slice text = {"", 0};
	int64_t id;

	if (!reader->status && weir_sqlscan_int(row, column, &id))
		reader->status = weir_sqltexts_find(reader->names.texts, id, &text, reader->err);
	return text;
}

/* Returns the index of a process, which is added if it is new; SIZE_MAX if there are too many. */
static size_t find_process(struct nsys_reader *reader, int64_t global)
{
	int64_t key = (int64_t)((uint64_t)global >> 24);
	uint32_t at, hash = weir_rowmap_hash((uint64_t)key);
	size_t probe = 0;

	if (reader->last_process < reader->process_count &&
	    reader->processes[reader->last_process] == key)
		return reader->last_process;
	while ((at = weir_rowmap_next(&reader->by_process, hash, &probe)) != WEIR_ROWMAP_NONE)
		if (reader->processes[at] == key)
			return reader->last_process = at;
	if (reader->process_count == WEIR_MAX_THREADS)
		return SIZE_MAX;
	reader->processes = weir_grow(reader->processes, &reader->process_capacity,
	                              reader->process_count + 1, sizeof(*reader->processes));
	reader->processes[reader->process_count] = key;
	weir_rowmap_add(&reader->by_process, hash, (uint32_t)reader->process_count);
	return reader->last_process = reader->process_count++;
}

/* Returns the index of the process that a row belongs to; SIZE_MAX if it is unknown. A row that
 * names no process belongs to the only process if there is only one. */
static size_t process_of(struct nsys_reader *reader, const int64_t *global)
{
	if (!reader->names_processes)
		return 0;
	if (global)
		return find_process(reader, *global);
	return reader->process_count <= 1 ? 0 : SIZE_MAX;
}

uint64_t weir_nsys_correlation(struct nsys_reader *reader, const int64_t *global, int64_t id)
{
	size_t process;

	if (id <= 0 || id > UINT32_MAX)
		return 0;
	process = process_of(reader, global);
	return process == SIZE_MAX ? 0 : (uint64_t)process << PROCESS_SHIFT | (uint64_t)id;
}

int64_t weir_nsys_stream(struct nsys_reader *reader, const int64_t *global, int64_t id)
{
	size_t process;

	if (id < 0 || id > UINT32_MAX)
		return -1;
	process = process_of(reader, global);
	return process == SIZE_MAX ? id : (int64_t)((uint64_t)process << PROCESS_SHIFT) | id;
}

static uint32_t hash_ordinal(int64_t pid, int64_t ordinal)
{
	return weir_rowmap_hash((uint64_t)pid << 32 ^ (uint64_t)ordinal);
}

void weir_nsys_add_device(struct nsys_reader *reader, const struct nsys_device *device)
{
	if (reader->device_count == MAX_ORDINALS)
		return;
	reader->devices = weir_grow(reader->devices, &reader->device_capacity,
	                            reader->device_count + 1, sizeof(*reader->devices));
	reader->devices[reader->device_count] = *device;
	weir_rowmap_add(&reader->by_ordinal, hash_ordinal(device->pid, device->ordinal),
	                (uint32_t)reader->device_count++);
}

static const struct nsys_device *find_device(const struct nsys_reader *reader, int64_t pid,
                                             int64_t ordinal)
{
	uint32_t at;
	size_t probe = 0;

	while ((at = weir_rowmap_next(&reader->by_ordinal, hash_ordinal(pid, ordinal), &probe)) !=
	       WEIR_ROWMAP_NONE)
		if (reader->devices[at].pid == pid && reader->devices[at].ordinal == ordinal)
			return &reader->devices[at];
	return NULL;
}

int64_t weir_nsys_device(struct nsys_reader *reader, const int64_t *global, int64_t ordinal)
{
	const struct nsys_device *device = NULL;

	if (reader->device_count) /* rows that name no process: assume the first */
		device = find_device(
			reader, global ? weir_nsys_pid(*global) : reader->devices[0].pid, ordinal);
	return device ? device->gpu : ordinal;
}
