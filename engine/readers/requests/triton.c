/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trace files of Triton Inference Server, trace_mode triton: one array of fragments, told apart by
 * their keys. Names and ids are written by the server without any escaping, and an array is closed
 * only when the server ends in peace. Which requests are traced is settled by a rate, so the file
 * is a sample.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/arena.h"
#include "engine/base/jsoncursor.h"
#include "engine/base/jsonscan.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"
#include "engine/readers/requests/triton.h"

/* What is needed: the id, and one of the others. */
static const char *const fragment_keys[] = {"id",       "model_name",    "timestamps",
                                            "activity", "model_version", NULL};

static int sniff(const char *head, size_t len)
{
	unsigned found;

	if (weir_sniff_first(head, len) != '[')
		return 0;
	found = weir_sniff_keys(head, len, fragment_keys);
	return found & 1 && found & 14 ? weir_sniff_bits(found, fragment_keys) : 0;
}

struct reader {
	struct weir_input *input;
	struct triton_traces traces;
	struct triton_stamp *stamps; /* of the fragment at hand */
	size_t stamp_count, stamp_capacity;
	uint64_t tensors; /* fragments that hold values instead of times */
};

/* One element of the file. Ids are 0 where they are not given. */
struct fragment {
	uint64_t id, parent;
	bool has_id, tensor;
};

/* Digits only, from which ids use all of 64 bits. */
static bool parse_count(struct weir_slice text, uint64_t *out)
{
	uint64_t value = 0;

	for (size_t i = 0; i < text.length; i++) {
		unsigned digit = (unsigned)text.data[i] - '0';

		if (digit > 9 || value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*out = value;
	return text.length > 0;
}

/* One {"name": ..., "ns": ...}; names that are not Triton's own are those of backends. */
static void read_stamp(struct reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	struct triton_stamp stamp = {.at_ns = TRITON_NO_TIME, .name = -1};
	struct weir_slice key, value;
	uint64_t ns;

	if (!weir_jsoncursor_enter(cursor, '{'))
		return;
	while (weir_jsoncursor_key(cursor, &key)) {
		value = weir_jsoncursor_scalar(cursor);
		if (weir_slice_equals(key, "name"))
			stamp.name = weir_triton_stamp_name(value.data, value.length);
		else if (weir_slice_equals(key, "ns") && parse_count(value, &ns) && ns <= INT64_MAX)
			stamp.at_ns = (int64_t)ns;
	}
	if (cursor->bad || stamp.name < 0)
		return;
	if (stamp.at_ns == TRITON_NO_TIME) {
		weir_input_warn(reader->input, WEIR_WARN_BAD_NUMBER, at, "ns");
		return;
	}
	reader->stamps = weir_grow(reader->stamps, &reader->stamp_capacity, reader->stamp_count + 1,
	                           sizeof *reader->stamps);
	reader->stamps[reader->stamp_count++] = stamp;
}

static void read_stamps(struct reader *reader, struct weir_jsoncursor *cursor, uint64_t at)
{
	if (!weir_jsoncursor_enter(cursor, '['))
		return;
	while (weir_jsoncursor_item(cursor))
		read_stamp(reader, cursor, at);
}

/* False where it is no JSON. */
static bool read_fragment(struct reader *reader, const struct weir_jsonscan_item *item,
                          struct fragment *out)
{
	struct weir_jsoncursor cursor = weir_jsoncursor_on(item->text);
	struct weir_slice key;

	*out = (struct fragment){0};
	reader->stamp_count = 0;
	if (!weir_jsoncursor_enter(&cursor, '{'))
		return !cursor.bad;
	while (weir_jsoncursor_key(&cursor, &key)) {
		if (weir_slice_equals(key, "timestamps")) {
			read_stamps(reader, &cursor, item->at);
			continue;
		}
		out->tensor |= weir_slice_equals(key, "activity");
		if (weir_slice_equals(key, "id"))
			out->has_id = parse_count(weir_jsoncursor_scalar(&cursor), &out->id);
		else if (weir_slice_equals(key, "parent_id"))
			parse_count(weir_jsoncursor_scalar(&cursor), &out->parent);
		else
			weir_jsoncursor_take(&cursor);
	}
	return !cursor.bad && cursor.at == cursor.end;
}

static enum weir_status find(struct reader *reader, uint64_t id, uint64_t array, uint32_t *out,
                             struct weir_error *err)
{
	*out = weir_triton_find(&reader->traces, id, (uint32_t)array);
	if (*out != TRITON_NO_TRACE)
		return WEIR_OK;
	return weir_fail(err, WEIR_E_LIMIT,
	                 "more than %u traces: trace a smaller share of the requests (a higher "
	                 "rate=), or pass fewer files of it",
	                 TRITON_MAX_TRACES);
}

/* Only what has a time, or is part of something else, takes up room. */
static enum weir_status keep_fragment(struct reader *reader, const struct fragment *fragment,
                                      const struct weir_jsonscan_item *item, struct weir_error *err)
{
	uint32_t row, parent = TRITON_NO_TRACE;
	enum weir_status status = WEIR_OK;

	if (!reader->stamp_count && !fragment->parent)
		return WEIR_OK;
	if (fragment->parent)
		status = find(reader, fragment->parent, item->array, &parent, err);
	if (!status)
		status = find(reader, fragment->id, item->array, &row, err);
	if (status)
		return status;
	if (fragment->parent)
		reader->traces.rows[row].parent = parent;
	for (size_t i = 0; i < reader->stamp_count; i++)
		if (!weir_triton_stamp(&reader->traces.rows[row], &reader->stamps[i]))
			weir_input_warn(reader->input, WEIR_WARN_DUPLICATE, item->at,
			                "a timestamp that comes once");
	return WEIR_OK;
}

static enum weir_status take_item(void *context, struct weir_jsonscan *scan,
                                  const struct weir_jsonscan_item *item, struct weir_error *err)
{
	struct reader *reader = context;
	struct fragment fragment;

	if (!weir_jsonscan_is_bare(scan))
		return weir_fail(err, WEIR_E_FORMAT,
		                 "an object, expected the array of a trace file "
		                 "(--trace-config triton,file=...)");
	if (!read_fragment(reader, item, &fragment)) {
		weir_jsonscan_reject(scan);
		return WEIR_OK;
	}
	if (!fragment.has_id) {
		weir_input_warn(reader->input, WEIR_WARN_SKIPPED_EVENT, item->at,
		                "an element without an id");
		return WEIR_OK;
	}
	reader->input->events++;
	reader->tensors += fragment.tensor;
	return keep_fragment(reader, &fragment, item, err);
}

/* A file without any trace is right where no request was sampled; one whose traces all fell out is
 * not. */
static enum weir_status conclude(struct reader *reader, struct weir_error *err)
{
	const struct weir_warning *warnings = reader->input->warnings;

	if (reader->input->requests->count)
		return WEIR_OK;
	if (!reader->input->events && warnings[WEIR_WARN_SKIPPED_EVENT].count)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "no element of this array is one of a trace: expected "
		                 "{\"id\": 1, \"timestamps\": [...]} and the like");
	if (!reader->input->events)
		return WEIR_OK;
	if (!reader->traces.count && reader->tensors)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "tensors only, no timestamps: trace with --trace-config "
		                 "level=TIMESTAMPS");
	if (!reader->traces.count)
		return weir_fail(err, WEIR_E_EMPTY,
		                 "no timestamps that Triton gives: trace with --trace-config "
		                 "level=TIMESTAMPS");
	return weir_fail(err, WEIR_E_EMPTY,
	                 "no complete request in it (%" PRIu64
	                 " without an end): was the trace cut off?",
	                 warnings[WEIR_WARN_UNFINISHED].count);
}

static enum weir_status read_document(struct reader *reader, struct weir_source *source,
                                      struct weir_error *err)
{
	static const struct weir_jsonscan_options options = {.arrays = true};
	struct weir_jsonscan *scan = weir_jsonscan_new(source, &options);
	enum weir_status status = weir_jsonscan_each(scan, take_item, reader, err);

	if (!status) {
		weir_damage_of_scan(reader->input, scan, source);
		weir_triton_join_arrays(&reader->traces);
		weir_triton_requests(reader->input, &reader->traces);
		status = conclude(reader, err);
	}
	weir_jsonscan_free(scan);
	return status;
}

static enum weir_status read_trace(struct weir_source *source, struct weir_input *input,
                                   struct weir_error *err)
{
	struct reader reader = {.input = input};
	char first;
	enum weir_status status = weir_sniff_source(source, &first, err);

	if (status)
		return status;
	input->requests = weir_requests_new();
	input->requests->time_base = WEIR_TIME_MONOTONIC;
	input->requests->sampled = true;
	/* A server that sampled no request writes an empty file. */
	if (first)
		status = read_document(&reader, source, err);
	else
		weir_damage_of_source(input, source);
	weir_triton_release(&reader.traces);
	free(reader.stamps);
	return status;
}

const struct weir_reader weir_reader_triton = {
	.name = "triton",
	.title = "traces of Triton Inference Server (trace_mode triton); h2d and d2h hold all "
		 "handling of inputs and outputs",
	.gives = "requests",
	.sniff = sniff,
	.read = read_trace,
};
