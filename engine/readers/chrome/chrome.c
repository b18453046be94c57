/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads Chrome's trace events of unknown writers: complete events ("X") and pairs of begin and end
 * ("B", "E") become ranges on the host, or device work if their process is a device. Events with a
 * category of PyTorch's profiler, which may come late in a file, are read as in kineto_event.c.
 */
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_MARKS WEIR_MAX_ROWS

/* A begin or an end. They are joined after the last event, because files may be out of order. */
struct mark {
	int64_t pid, tid, at_ns;
	uint64_t byte;
	uint32_t name, order;
	bool begin, done;
};

struct chrome {
	struct mark *marks;
	size_t count, capacity;
};

static struct weir_slice name_of(struct kineto_reader *reader)
{
	struct weir_slice name = weir_kineto_text(reader, KEY_NAME);

	return name.length ? name : weir_slice_of("(unnamed)");
}

/* Keeps a begin or an end. Ends may omit the name; 0 then closes the innermost range. */
static void keep_mark(struct kineto_reader *reader, bool begin)
{
	const struct kineto_event *event = &reader->event;
	struct chrome *chrome = reader->context;
	struct mark mark = {.begin = begin, .byte = event->at};

	if (!weir_kineto_start(reader, &mark.at_ns))
		return;
	if (mark.at_ns >= WEIR_MAX_TIME_NS || mark.at_ns <= -WEIR_MAX_TIME_NS ||
	    chrome->count == MAX_MARKS) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME, "time out of range");
		return;
	}
	mark.pid = weir_kineto_place(event, KEY_PID);
	mark.tid = weir_kineto_place(event, KEY_TID);
	mark.order = (uint32_t)chrome->count;
	if (begin || weir_kineto_has(event, KEY_NAME))
		mark.name = weir_builder_name(reader->builder, name_of(reader));
	chrome->marks = weir_grow(chrome->marks, &chrome->capacity, chrome->count + 1,
	                          sizeof(*chrome->marks));
	chrome->marks[chrome->count++] = mark;
}

static void emit(struct kineto_reader *reader)
{
	struct weir_slice phase = weir_kineto_value(&reader->event, KEY_PH);

	if (weir_kineto_knows(reader)) {
		weir_kineto_emit(reader);
		return;
	}
	switch (phase.length == 1 ? *phase.data : '\0') {
	case 'X':
		weir_kineto_rows_hold(reader);
		break;
	case 's':
	case 't':
	case 'f':
		weir_kineto_rows_hold_flow(reader);
		break;
	case 'B':
	case 'E':
		keep_mark(reader, *phase.data == 'B');
		break;
	case 'M':
		weir_kineto_metadata(reader);
		break;
	case '\0':
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT,
		                   "\"ph\" is missing: not a trace event");
		break;
	default: /* instants, counters, asynchronous ranges, samples: no intervals of a thread */
		break;
	}
}

static int by_thread_and_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->tid != b->tid)
		return a->tid < b->tid ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static void add_range(struct kineto_reader *reader, struct mark *begin, struct mark *end)
{
	const struct weir_names *names = reader->input->trace->names;

	begin->done = end->done = true;
	if (end->at_ns - begin->at_ns > WEIR_MAX_DURATION_NS)
		return;
	weir_builder_add_host(reader->builder,
	                      &(struct weir_host_event){
				      .kind = WEIR_HOST_OP,
				      .start_ns = begin->at_ns,
				      .end_ns = end->at_ns,
				      .pid = begin->pid,
				      .tid = begin->tid,
				      .name = {weir_names_text(names, begin->name),
	                                       weir_names_length(names, begin->name)},
				      .at = begin->byte,
			      });
	reader->timed++;
}

/* The open ranges of a thread, the innermost last, and their number by name. */
struct open_ranges {
	struct mark **items;
	size_t depth;
	uint32_t *of_name;
};

static void drop_innermost(struct open_ranges *open)
{
	open->of_name[open->items[--open->depth]->name]--;
}

/* Closes the innermost open range with the name of the end. Ranges inside it remain without an end.
 */
static void close_range(struct kineto_reader *reader, struct open_ranges *open, struct mark *end)
{
	if (!open->depth || (end->name && !open->of_name[end->name]))
		return;
	while (end->name && open->items[open->depth - 1]->name != end->name)
		drop_innermost(open);
	drop_innermost(open);
	add_range(reader, open->items[open->depth], end);
}

static void join_thread(struct kineto_reader *reader, struct mark *marks, size_t count,
                        struct open_ranges *open)
{
	for (size_t i = 0; i < count; i++) {
		if (!marks[i].begin) {
			close_range(reader, open, &marks[i]);
			continue;
		}
		open->items[open->depth++] = &marks[i];
		open->of_name[marks[i].name]++;
	}
	while (open->depth)
		drop_innermost(open);
}

static void count_loose(struct kineto_reader *reader)
{
	const struct chrome *chrome = reader->context;

	for (size_t i = 0; i < chrome->count; i++)
		if (!chrome->marks[i].done)
			weir_input_warn(reader->input, WEIR_WARN_NO_TIME, chrome->marks[i].byte,
			                chrome->marks[i].begin ? "a \"B\" without its \"E\""
			                                       : "an \"E\" without its \"B\"");
}

static void join_marks(struct kineto_reader *reader)
{
	struct chrome *chrome = reader->context;
	struct mark *marks = chrome->marks;
	struct open_ranges open = {0};
	size_t first = 0;

	if (!chrome->count)
		return;
	open.items = weir_alloc(chrome->count * sizeof(*open.items));
	open.of_name =
		weir_alloc(weir_names_count(reader->input->trace->names) * sizeof(*open.of_name));
	qsort(marks, chrome->count, sizeof(*marks), by_thread_and_time);
	for (size_t i = 1; i <= chrome->count; i++) {
		if (i < chrome->count && marks[i].pid == marks[first].pid &&
		    marks[i].tid == marks[first].tid)
			continue;
		join_thread(reader, marks + first, i - first, &open);
		first = i;
	}
	count_loose(reader);
	free(open.items);
	free(open.of_name);
}

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct weir_warning *loose = &reader->input->warnings[WEIR_WARN_NO_TIME];
	enum weir_status status = weir_kineto_check_legacy(reader, err);

	if (status)
		return status;
	join_marks(reader);
	if (!reader->timed && !reader->first_problem[0] && loose->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no event has both a begin and an end (the first: %s)",
		                 loose->detail);
	return weir_kineto_conclude(reader, err);
}

static const struct weir_mark marks[] = {
	{.first = "{", .keys = {{"traceEvents"}, .all = 1}},
	{.first = "[", .keys = {{"ph"}, .all = 1}},
	{0},
};

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	static const struct kineto_dialect dialect = {
		.emit = emit, .conclude = conclude, .ranges = true};
	struct chrome chrome = {0};
	enum weir_status status = weir_kineto_read(&dialect, &chrome, source, input, err);

	free(chrome.marks);
	return status;
}

const struct weir_reader weir_reader_chrome = {
	.name = "chrome",
	.title = "trace events of other programs (Chrome trace JSON): ranges on the host; ROCm "
		 "devices",
	.gives = "timeline",
	.marks = marks,
	.read = read_trace,
};
