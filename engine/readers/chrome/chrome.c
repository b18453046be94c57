/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads Chrome's trace events of unknown writers: complete events ("X") and pairs of begin and end
 * ("B", "E") become ranges on the host, or device work if their process is a device. Events with a
 * category of PyTorch's profiler, which may come late in a file, are read as in kineto_event.c.
 *
 * Asynchronous spans ("b" to "e", in early files "S" to "F") are no time of a thread: they wait
 * while threads work. In a file that holds nothing else they become ranges on a separate track
 * for each id; else they are left out with a warning.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"
#include "engine/readers/chrome/kineto.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

#define MAX_MARKS WEIR_MAX_ROWS

#define PHASES       128       /* letters of "ph" */
#define ASYNCHRONOUS "bneSTpF" /* the letters of asynchronous events */

/* A begin or an end. They are joined after the last event, because files may be out of order. */
struct mark {
	int64_t pid, at_ns;
	int64_t track; /* the thread; a hash of the id for asynchronous spans, which change threads
	                */
	uint64_t byte;
	uint32_t name, order;
	bool begin, done;
};

struct marks {
	struct mark *items;
	size_t count, capacity;
	bool asynchronous;
};

struct chrome {
	struct marks ranges, spans;
	uint64_t first_span;     /* byte of the first asynchronous event */
	uint64_t phases[PHASES]; /* events that are no ranges */
};

static struct weir_slice name_of(struct kineto_reader *reader)
{
	struct weir_slice name = weir_kineto_text(reader, KEY_NAME);

	return name.length ? name : weir_slice_of("(unnamed)");
}

/* Adds a begin or an end on a track. Ends may omit the name; 0 then closes the innermost range. */
static void keep_mark(struct kineto_reader *reader, struct marks *marks, int64_t track, bool begin)
{
	const struct kineto_event *event = &reader->event;
	struct mark mark = {.begin = begin, .byte = event->at, .track = track};

	if (!weir_kineto_start(reader, &mark.at_ns))
		return;
	if (marks->count == MAX_MARKS) {
		weir_kineto_refuse(reader, WEIR_WARN_NO_TIME, "more begins and ends than are kept");
		return;
	}
	mark.pid = weir_kineto_place(event, KEY_PID);
	mark.order = (uint32_t)marks->count;
	if (begin || weir_kineto_has(event, KEY_NAME))
		mark.name = weir_builder_name(reader->builder, name_of(reader));
	marks->items =
		weir_grow(marks->items, &marks->capacity, marks->count + 1, sizeof(*marks->items));
	marks->items[marks->count++] = mark;
}

static uint64_t add_to_hash(const struct kineto_event *event, enum kineto_key key, uint64_t hash)
{
	struct weir_slice value = weir_kineto_value(event, key);

	return weir_hash_stable(value.data ? value.data : "", value.length, hash);
}

/* Returns the track of an asynchronous event. Its category, scope and id name it, in early files
 * ("S", "F") its name as well. An id holds for all processes, one in "id2" may hold for its own. */
static int64_t track_of(const struct kineto_event *event, bool early)
{
	static const enum kineto_key keys[] = {KEY_CAT, KEY_SCOPE, KEY_ID, KEY_ID2};
	uint64_t hash = 0;

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		hash = add_to_hash(event, keys[i], hash);
	if (early)
		hash = add_to_hash(event, KEY_NAME, hash);
	if (weir_slice_holds(weir_kineto_value(event, KEY_ID2), "\"local\""))
		hash = add_to_hash(event, KEY_PID, hash);
	return (int64_t)(hash >> 1);
}

static uint64_t asynchronous_count(const struct chrome *chrome)
{
	uint64_t count = 0;

	for (const char *phase = ASYNCHRONOUS; *phase; phase++)
		count += chrome->phases[(int)*phase];
	return count;
}

/* Keeps an asynchronous event. Returns false for other events. Instants and steps inside a span
 * ("n", "T", "p") are counted alone. */
static bool take_asynchronous(struct kineto_reader *reader, char phase)
{
	struct chrome *chrome = reader->context;
	bool begin = phase == 'b' || phase == 'S', early = phase == 'S' || phase == 'F';

	if (!phase || !strchr(ASYNCHRONOUS, phase))
		return false;
	if (!asynchronous_count(chrome))
		chrome->first_span = reader->event.at;
	chrome->phases[(int)phase]++;
	if (begin || phase == 'e' || phase == 'F')
		keep_mark(reader, &chrome->spans, track_of(&reader->event, early), begin);
	return true;
}

static void emit(struct kineto_reader *reader)
{
	struct weir_slice text = weir_kineto_value(&reader->event, KEY_PH);
	char phase = text.length == 1 ? *text.data : '\0';
	struct chrome *chrome = reader->context;

	if (take_asynchronous(reader, phase))
		return;
	if (weir_kineto_knows(reader)) {
		weir_kineto_emit(reader);
		return;
	}
	switch (phase) {
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
		keep_mark(reader, &chrome->ranges, weir_kineto_place(&reader->event, KEY_TID),
		          phase == 'B');
		break;
	case 'M':
		weir_kineto_metadata(reader);
		break;
	case '\0':
		weir_kineto_refuse(reader, WEIR_WARN_SKIPPED_EVENT,
		                   "\"ph\" is missing: not a trace event");
		break;
	default: /* instants, counters, samples: no intervals of a thread */
		if ((unsigned char)phase < PHASES)
			chrome->phases[(unsigned char)phase]++;
		break;
	}
}

static int by_track_and_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->track != b->track)
		return a->track < b->track ? -1 : 1;
	if (a->at_ns != b->at_ns)
		return a->at_ns < b->at_ns ? -1 : 1;
	return a->order < b->order ? -1 : 1;
}

static int by_process_and_time(const void *left, const void *right)
{
	const struct mark *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return by_track_and_time(left, right);
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
				      .tid = begin->track,
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

static void count_loose(struct kineto_reader *reader, const struct marks *marks)
{
	static const char *const texts[2][2] = {
		{"an \"E\" without its \"B\"", "a \"B\" without its \"E\""},
		{"an end of an asynchronous span without its begin",
	         "a begin of an asynchronous span without its end"}};

	for (size_t i = 0; i < marks->count; i++)
		if (!marks->items[i].done)
			weir_input_warn(reader->input, WEIR_WARN_NO_TIME, marks->items[i].byte,
			                texts[marks->asynchronous][marks->items[i].begin]);
}

static void join_marks(struct kineto_reader *reader, const struct marks *marks)
{
	struct mark *items = marks->items;
	struct open_ranges open = {0};
	size_t first = 0;

	if (!marks->count)
		return;
	open.items = weir_alloc(marks->count * sizeof(*open.items));
	open.of_name =
		weir_alloc(weir_names_count(reader->input->trace->names) * sizeof(*open.of_name));
	qsort(items, marks->count, sizeof(*items),
	      marks->asynchronous ? by_track_and_time : by_process_and_time);
	for (size_t i = 1; i <= marks->count; i++) {
		if (i < marks->count && items[i].track == items[first].track &&
		    (marks->asynchronous || items[i].pid == items[first].pid))
			continue;
		join_thread(reader, items + first, i - first, &open);
		first = i;
	}
	count_loose(reader, marks);
	free(open.items);
	free(open.of_name);
}

/* Counts the asynchronous events that are left out beside ranges of threads. */
static void warn_of_spans(struct kineto_reader *reader)
{
	const struct chrome *chrome = reader->context;
	uint64_t count = asynchronous_count(chrome);

	if (!count)
		return;
	weir_input_warn(reader->input, WEIR_WARN_ASYNCHRONOUS, chrome->first_span, NULL);
	reader->input->warnings[WEIR_WARN_ASYNCHRONOUS].count = count;
}

/* Fails with the kinds and numbers of the events, none of which is a range. */
static enum weir_status refuse_phases(const struct chrome *chrome, struct weir_error *err)
{
	static const struct {
		char phase;
		const char *name;
	} kinds[] = {{'C', "counters"},      {'i', "instants"},          {'I', "instants"},
	             {'P', "samples"},       {'n', "instants of spans"}, {'T', "steps of spans"},
	             {'p', "steps of spans"}};
	char found[160] = "";
	size_t length = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint64_t count = chrome->phases[(int)kinds[i].phase];

		if (count && length < sizeof(found))
			length += (size_t)snprintf(found + length, sizeof(found) - length,
			                           "%s%s (\"%c\": %" PRIu64 ")", length ? ", " : "",
			                           kinds[i].name, kinds[i].phase, count);
	}
	if (!length)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no events with a duration in this trace, but %s; expected "
	                 "complete events (\"X\"), or begins and ends",
	                 found);
}

static enum weir_status conclude(struct kineto_reader *reader, struct weir_error *err)
{
	const struct weir_warning *loose = &reader->input->warnings[WEIR_WARN_NO_TIME];
	struct chrome *chrome = reader->context;
	enum weir_status status = weir_kineto_check_legacy(reader, err);

	if (status)
		return status;
	join_marks(reader, &chrome->ranges);
	if (!reader->timed)
		join_marks(reader, &chrome->spans);
	else
		warn_of_spans(reader);
	if (!reader->timed && !reader->first_problem[0] && loose->count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no event has both a begin and an end (the first: %s)",
		                 loose->detail);
	if (!reader->timed && !reader->first_problem[0])
		status = refuse_phases(chrome, err);
	return status ? status : weir_kineto_conclude(reader, err);
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
	struct chrome chrome = {.spans.asynchronous = true};
	enum weir_status status = weir_kineto_read(&dialect, &chrome, source, input, err);

	free(chrome.ranges.items);
	free(chrome.spans.items);
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
