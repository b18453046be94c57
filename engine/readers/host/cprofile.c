/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statistics of cProfile (pstats): a dictionary from (file, line, function) to (calls, all calls,
 * own seconds, seconds with callees, callers). Functions alone: there are no stacks and no threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/readers/host/host_frames.h"
#include "engine/readers/host/marshal.h"
#include "engine/readers/parts/damage.h"
#include "engine/readers/readers.h"

#define MAX_BYTES (64u << 20) /* a larger file is refused */
#define STATS     5           /* entries of a function's tuple */
#define NS_PER_S  1e9

static enum weir_status read_whole(struct weir_source *source, struct weir_text *out,
                                   struct weir_error *err)
{
	const char *data;
	size_t length;
	enum weir_status status;

	while (!(status = weir_source_next(source, &data, &length, err)) && length) {
		if (out->length + length > MAX_BYTES)
			return weir_fail(err, WEIR_E_LIMIT, "more than %u MiB of cProfile data",
			                 MAX_BYTES >> 20);
		weir_text_add(out, data, length);
	}
	return status;
}

/* Seconds as they are in the file; false for what no clock counts. */
static bool take_seconds(struct weir_marshal *marshal, int64_t *out_ns, bool *usable)
{
	struct weir_marshal_value value;
	double seconds;

	if (!weir_marshal_take(marshal, &value))
		return false;
	seconds = value.kind == WEIR_MARSHAL_INT ? (double)value.number : value.real;
	*usable &= (value.kind == WEIR_MARSHAL_INT || value.kind == WEIR_MARSHAL_REAL) &&
	           seconds >= 0 && seconds < (double)INT64_MAX / NS_PER_S;
	*out_ns = *usable ? (int64_t)llround(seconds * NS_PER_S) : 0;
	return true;
}

/* The tuple of one function; `usable` says whether it holds times. */
static bool take_stats(struct weir_marshal *marshal, struct weir_host_function *function,
                       bool *usable)
{
	struct weir_marshal_value value;
	size_t length;

	*usable = true;
	if (!weir_marshal_enter_tuple(marshal, &length))
		return false;
	if (length != STATS) {
		marshal->problem = "a function with other figures than cProfile's five";
		return false;
	}
	return weir_marshal_take(marshal, &value) && weir_marshal_take(marshal, &value) &&
	       take_seconds(marshal, &function->self, usable) &&
	       take_seconds(marshal, &function->total, usable) &&
	       weir_marshal_take(marshal, &value);
}

/* Built-in functions stand in a file named "~". */
static uint32_t frame_of(struct weir_host_profile *profile, const struct weir_marshal_value *key)
{
	struct weir_slice file = key->text;

	if (weir_slice_equals(file, "~"))
		file.length = 0;
	return weir_host_frame(profile, key->second, file);
}

static void take_functions(struct weir_marshal *marshal, struct weir_host_profile *profile,
                           struct weir_input *input)
{
	struct weir_marshal_value key;

	while (weir_marshal_take(marshal, &key) && key.kind != WEIR_MARSHAL_END) {
		struct weir_host_function function = {0};
		uint64_t at = marshal->at;
		bool usable;

		if (!take_stats(marshal, &function, &usable))
			break;
		function.frame =
			key.kind == WEIR_MARSHAL_TRIPLE ? frame_of(profile, &key) : UINT32_MAX;
		if (function.frame == UINT32_MAX || !usable) {
			weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, at, NULL);
			continue;
		}
		weir_host_add_function(profile, &function);
		input->events++;
	}
}

static enum weir_status read_statistics(const struct weir_text *text, struct weir_input *input,
                                        struct weir_error *err)
{
	struct weir_host_profile *profile = weir_host_profile_new(WEIR_HOST_NS);
	enum weir_status status = WEIR_OK;
	struct weir_marshal marshal;

	weir_marshal_init(&marshal, text->data, text->length);
	if (weir_marshal_enter_dict(&marshal))
		take_functions(&marshal, profile, input);
	if (marshal.problem && !profile->function_count)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "byte %zu: %s; expected statistics of cProfile", marshal.at,
		                   marshal.problem);
	else if (marshal.problem)
		weir_input_warn(input, WEIR_WARN_TRUNCATED, marshal.at, marshal.problem);
	else if (marshal.at < marshal.length)
		weir_input_warn(input, WEIR_WARN_TRAILING, marshal.at, NULL);
	weir_marshal_release(&marshal);
	return weir_host_settle(profile, input, status, err);
}

static enum weir_status read_cprofile(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = read_whole(source, &text, err);

	if (!status) {
		weir_damage_of_source(input, source);
		status = read_statistics(&text, input, err);
	}
	weir_text_release(&text);
	return status;
}

/* A dictionary whose first key is a tuple of three; no JSON object begins with a bracket. */
static int sniff(const char *head, size_t len)
{
	const uint8_t *byte = (const uint8_t *)head;
	bool small;

	if (len < 6 || (byte[0] & 0x7fu) != '{')
		return 0;
	small = (byte[1] & 0x7fu) == ')';
	if (!small && (byte[1] & 0x7fu) != '(')
		return 0;
	if (byte[2] != 3 || (!small && (byte[3] || byte[4] || byte[5])))
		return 0;
	return small ? 24 : 48;
}

const struct weir_reader weir_reader_cprofile = {
	.name = "cprofile",
	.title = "cProfile: statistics by function (python -m cProfile -o FILE)",
	.gives = "host profile",
	.sniff = sniff,
	.read = read_cprofile,
};
