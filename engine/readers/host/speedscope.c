/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the format of speedscope, which py-spy, pyinstrument and others write: a list of frames
 * that all profiles share, and a profile per thread, of samples or of opening and closing events.
 * Members come in any order, so stacks hold frame numbers until the list of frames has been read.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

struct speedscope {
	struct weir_input *input;
	struct weir_host_profile *profile;
	uint32_t *frames; /* by frame number */
	size_t frame_count, frame_capacity;
	uint32_t *stack; /* nodes of the open frames */
	size_t depth, stack_capacity;
	struct weir_text scratch, scratch2;
	uint32_t nameless; /* stands for numbers that are not in the list */
	bool has_unit, has_frames;
	uint64_t at; /* byte of the current item, for warnings */
};

/* ---- frames ---- */

static void take_frame(struct speedscope *reader, struct weir_jsoncursor *cursor)
{
	struct weir_slice key, name = {"", 0}, file = {"", 0};

	if (weir_jsoncursor_enter(cursor, '{'))
		while (weir_jsoncursor_key(cursor, &key)) {
			bool quoted = weir_jsoncursor_peek(cursor) == '"';
			struct weir_slice value = weir_jsoncursor_take(cursor);

			if (quoted && weir_slice_equals(key, "name"))
				name = weir_jsoncursor_decode(value, &reader->scratch, NULL);
			else if (quoted && weir_slice_equals(key, "file"))
				file = weir_jsoncursor_decode(value, &reader->scratch2, NULL);
		}
	if (reader->frame_count == WEIR_MAX_HOST_FRAMES)
		return;
	reader->frames = weir_grow(reader->frames, &reader->frame_capacity, reader->frame_count + 1,
	                           sizeof *reader->frames);
	reader->frames[reader->frame_count++] =
		file.length ? weir_host_frame_at(reader->profile, name, file, 0)
			    : weir_host_frame_of_text(reader->profile, name);
}

static bool take_shared(struct speedscope *reader, struct weir_slice text)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct weir_slice key;

	if (weir_jsoncursor_enter(&cursor, '{'))
		while (weir_jsoncursor_key(&cursor, &key)) {
			if (!weir_slice_equals(key, "frames") || reader->has_frames) {
				weir_jsoncursor_take(&cursor);
				continue;
			}
			reader->has_frames = true;
			if (weir_jsoncursor_enter(&cursor, '['))
				while (weir_jsoncursor_item(&cursor))
					take_frame(reader, &cursor);
		}
	return !cursor.bad;
}

/* ---- profiles ---- */

/* Members of a profile, as written; empty: missing. */
struct members {
	struct weir_slice type, unit, end, events, samples, weights;
};

static const struct {
	const char *name;
	enum weir_host_unit unit;
	int places; /* powers of ten to the unit */
} units[] = {
	{"none", WEIR_HOST_SAMPLES, 0},    {"samples", WEIR_HOST_SAMPLES, 0},
	{"nanoseconds", WEIR_HOST_NS, 0},  {"microseconds", WEIR_HOST_NS, 3},
	{"milliseconds", WEIR_HOST_NS, 6}, {"seconds", WEIR_HOST_NS, 9},
};

/* Returns the power of ten of a unit; the first profile sets the unit of all. -1: another unit, or
 * not a unit of time or samples. */
static int places_of(struct speedscope *reader, struct weir_slice unit)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		if (!weir_slice_equals(unit, units[i].name))
			continue;
		if (!reader->has_unit)
			reader->profile->unit = units[i].unit;
		reader->has_unit = true;
		return reader->profile->unit == units[i].unit ? units[i].places : -1;
	}
	return -1;
}

static bool take_index(struct weir_jsoncursor *cursor, uint32_t *out)
{
	struct weir_slice text = weir_jsoncursor_scalar(cursor);
	int64_t index;

	if (!weir_parse_i64(text.data, text.length, &index) || index < 0 ||
	    index >= WEIR_MAX_HOST_FRAMES)
		return false;
	*out = (uint32_t)index;
	return true;
}

static void weigh(struct speedscope *reader, uint32_t node, int64_t weight)
{
	if (node == UINT32_MAX)
		weir_input_warn(reader->input, WEIR_WARN_THINNED, reader->at, "call stacks");
	else if (node != WEIR_HOST_ROOT)
		weir_host_weigh(reader->profile, node, weight);
}

/* Takes a sample: frame numbers, root first. An empty one is idle time. */
static void take_sample(struct speedscope *reader, struct weir_jsoncursor *sample, int64_t weight)
{
	uint32_t node = WEIR_HOST_ROOT, frame;
	bool good = true;

	if (weir_jsoncursor_enter(sample, '['))
		while (weir_jsoncursor_item(sample)) {
			good = take_index(sample, &frame) && good;
			if (good)
				node = weir_host_child(reader->profile, node, frame);
		}
	reader->input->events++;
	if (good)
		weigh(reader, node, weight);
	else
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, reader->at, NULL);
}

static bool take_samples(struct speedscope *reader, const struct members *members, int places)
{
	struct weir_jsoncursor samples = weir_jsoncursor_on(members->samples);
	struct weir_jsoncursor weights = weir_jsoncursor_on(members->weights);

	if (!weir_jsoncursor_enter(&samples, '[') || !weir_jsoncursor_enter(&weights, '['))
		return false;
	while (weir_jsoncursor_item(&samples) && weir_jsoncursor_item(&weights)) {
		struct weir_slice text = weir_jsoncursor_scalar(&weights);
		int64_t weight;

		if (weir_parse_scaled(text.data, text.length, places, &weight) && weight >= 0) {
			take_sample(reader, &samples, weight);
			continue;
		}
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, reader->at, NULL);
		weir_jsoncursor_take(&samples);
	}
	return !samples.bad && !weights.bad;
}

struct event {
	bool opens, closes, timed;
	uint32_t frame;
	int64_t at;
};

static struct event take_event(struct weir_jsoncursor *cursor, int places)
{
	struct event event = {.frame = UINT32_MAX};
	struct weir_slice key;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return event;
	while (weir_jsoncursor_key(cursor, &key)) {
		if (weir_slice_equals(key, "frame")) {
			take_index(cursor, &event.frame);
			continue;
		}
		struct weir_slice value = weir_jsoncursor_take(cursor);

		if (weir_slice_equals(key, "type")) {
			event.opens = weir_slice_equals(value, "O");
			event.closes = weir_slice_equals(value, "C");
		} else if (weir_slice_equals(key, "at")) {
			event.timed =
				weir_parse_scaled(value.data, value.length, places, &event.at);
		}
	}
	return event;
}

/* Opens or closes a frame. Returns false if the event does not match the open frames. */
static bool apply(struct speedscope *reader, const struct event *event)
{
	uint32_t top = reader->depth ? reader->stack[reader->depth - 1] : WEIR_HOST_ROOT;

	if (event->closes) {
		if (!reader->depth ||
		    (top != UINT32_MAX && reader->profile->nodes[top].frame != event->frame))
			return false;
		reader->depth--;
		return true;
	}
	reader->stack = weir_grow(reader->stack, &reader->stack_capacity, reader->depth + 1,
	                          sizeof *reader->stack);
	reader->stack[reader->depth++] = weir_host_child(reader->profile, top, event->frame);
	return true;
}

/* Closes frames that are still open at the end of the profile. */
static void close_all(struct speedscope *reader, struct weir_slice end, int places, int64_t last)
{
	int64_t end_at, span;

	if (!reader->depth)
		return;
	weir_input_warn(reader->input, WEIR_WARN_MISNESTED, reader->at, "frames that never close");
	if (end.length && weir_parse_scaled(end.data, end.length, places, &end_at) &&
	    end_at > last && !__builtin_sub_overflow(end_at, last, &span))
		weigh(reader, reader->stack[reader->depth - 1], span);
}

/* Takes the events of a profile. Time between two events counts for the innermost open frame. */
static bool take_events(struct speedscope *reader, const struct members *members, int places)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(members->events);
	int64_t last = INT64_MIN, span;

	reader->depth = 0;
	if (!weir_jsoncursor_enter(&cursor, '['))
		return false;
	while (weir_jsoncursor_item(&cursor)) {
		struct event event = take_event(&cursor, places);

		if (cursor.bad)
			break;
		reader->input->events++;
		if (!event.timed || !(event.opens || event.closes) || event.frame == UINT32_MAX ||
		    event.at < last) {
			weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, reader->at, NULL);
			continue;
		}
		if (reader->depth && !__builtin_sub_overflow(event.at, last, &span))
			weigh(reader, reader->stack[reader->depth - 1], span);
		last = event.at;
		if (!apply(reader, &event))
			weir_input_warn(reader->input, WEIR_WARN_MISNESTED, reader->at, NULL);
	}
	close_all(reader, members->end, places, last);
	return !cursor.bad;
}

static bool take_profile(struct speedscope *reader, struct weir_slice text)
{
	static const struct {
		const char *key;
		size_t offset;
	} fields[] = {
		{"type", offsetof(struct members, type)},
		{"unit", offsetof(struct members, unit)},
		{"endValue", offsetof(struct members, end)},
		{"events", offsetof(struct members, events)},
		{"samples", offsetof(struct members, samples)},
		{"weights", offsetof(struct members, weights)},
	};
	struct weir_jsoncursor cursor = weir_jsoncursor_on(text);
	struct members members = {.type = {"", 0}};
	struct weir_slice key, value;
	int places;

	if (!weir_jsoncursor_enter(&cursor, '{'))
		return false;
	while (weir_jsoncursor_key(&cursor, &key)) {
		value = weir_jsoncursor_take(&cursor);
		for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
			if (weir_slice_equals(key, fields[i].key))
				memcpy((char *)&members + fields[i].offset, &value, sizeof value);
	}
	if (cursor.bad)
		return false;
	places = members.unit.data ? places_of(reader, members.unit) : -1;
	if (places < 0)
		weir_input_warn(reader->input, WEIR_WARN_UNKNOWN_CATEGORY, reader->at,
		                "profiles with another unit");
	else if (weir_slice_equals(members.type, "sampled") && members.samples.data &&
	         members.weights.data)
		return take_samples(reader, &members, places);
	else if (weir_slice_equals(members.type, "evented") && members.events.data)
		return take_events(reader, &members, places);
	else
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, reader->at, NULL);
	return true;
}

/* ---- the whole ---- */

/* Gives the own time of a function to it that pyinstrument writes as a frame "[self]" below it. */
static void fold_own_time(struct weir_host_profile *profile)
{
	for (size_t i = profile->node_count; i-- > 1;) {
		struct weir_host_node *node = &profile->nodes[i], *parent;
		uint32_t function = profile->frames[node->frame].function;

		if (node->parent == WEIR_HOST_ROOT ||
		    strcmp(weir_names_text(profile->names, function), "[self]") != 0)
			continue;
		parent = &profile->nodes[node->parent];
		parent->self += node->self < INT64_MAX - parent->self ? node->self : 0;
		node->self = 0;
	}
}

/* Replaces the frame numbers of nodes by frames. */
static void resolve_frames(struct speedscope *reader)
{
	for (size_t i = 1; i < reader->profile->node_count; i++) {
		struct weir_host_node *node = &reader->profile->nodes[i];

		if (node->frame < reader->frame_count &&
		    reader->frames[node->frame] != UINT32_MAX) {
			node->frame = reader->frames[node->frame];
			continue;
		}
		node->frame = reader->nameless;
		weir_input_warn(reader->input, WEIR_WARN_INCONSISTENT, UINT64_MAX,
		                "frames that are not in the list");
	}
}

static enum weir_status read_items(struct speedscope *reader, struct weir_source *source,
                                   struct weir_error *err)
{
	const struct weir_jsonscan_options options = {.array = "profiles"};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	struct weir_jsonscan_item item;
	enum weir_status status;

	while (!(status = weir_jsonscan_next(scan, &item, err)) && item.kind != WEIR_JSONSCAN_END) {
		int64_t before = reader->profile->total;
		bool good = true;

		reader->at = item.at;
		if (item.kind == WEIR_JSONSCAN_ELEMENT)
			good = take_profile(reader, item.text);
		else if (weir_slice_equals(item.key, "shared"))
			good = take_shared(reader, item.text);
		reader->profile->threads += reader->profile->total > before;
		if (!good)
			weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item.at, NULL);
	}
	weir_damage_of_scan(reader->input, scan, source);
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status read_speedscope(struct weir_source *source, struct weir_input *input,
                                        struct weir_error *err)
{
	struct speedscope reader = {
		.input = input,
		.profile = weir_host_profile_new(WEIR_HOST_SAMPLES),
	};
	const struct weir_slice nothing = {"", 0};
	enum weir_status status;

	reader.nameless = weir_host_frame(reader.profile, nothing, nothing);
	status = read_items(&reader, source, err);
	if (!status && !reader.has_unit && input->warnings[WEIR_WARN_SKIPPED_EVENT].count > 0)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no profile that can be read: each is damaged or has more than "
		                   "%u MiB; record for a shorter time",
		                   WEIR_JSONSCAN_MAX_VALUE >> 20);
	else if (!status && !reader.has_unit)
		status = weir_fail(err, WEIR_E_EMPTY,
		                   "no profile in a unit of time or samples; a profile of "
		                   "memory has no times");
	else if (!status && !reader.profile->total && !reader.profile->idle)
		status =
			weir_fail(err, WEIR_E_EMPTY,
		                  "the profiles in time or samples are empty%s: record while the "
		                  "program is busy, and long enough for a sample",
		                  input->warnings[WEIR_WARN_UNKNOWN_CATEGORY].count
		                          ? ", and those in another unit, such as bytes of memory, "
		                            "are no times"
		                          : "");
	if (!status) {
		resolve_frames(&reader);
		fold_own_time(reader.profile);
	}
	free(reader.frames);
	free(reader.stack);
	weir_text_release(&reader.scratch);
	weir_text_release(&reader.scratch2);
	return weir_host_settle(reader.profile, input, status, err);
}

static const struct weir_mark marks[] = {
	{.first = "{",
         .keys = {{"$schema", "shared", "profiles"}, .all = 1},
         .texts = {{"speedscope"}, .all = 1}},
	{0},
};

const struct weir_reader weir_reader_speedscope = {
	.name = "speedscope",
	.title = "speedscope (py-spy --format speedscope, pyinstrument -r speedscope)",
	.gives = "host profile",
	.marks = marks,
	.read = read_speedscope,
};
