/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/sandbox.h"
#include "engine/pipeline/duplicates.h"
#include "engine/pipeline/parting.h"

/* ---- making a part ---- */

static enum weir_status read_bytes(const char *path, struct weir_text *out, struct weir_error *err)
{
	struct weir_source *source = NULL;
	enum weir_status status = weir_source_open(path, &source, err);
	const char *data;
	size_t length = 1;

	while (!status && length > 0) {
		status = weir_source_next(source, &data, &length, err);
		if (!status && length > WEIR_PART_MOST_BYTES - out->length)
			status = weir_fail(err, WEIR_E_LIMIT,
			                   "a part holds files of at most %llu bytes",
			                   (unsigned long long)WEIR_PART_MOST_BYTES);
		if (!status)
			weir_text_add(out, data, length);
	}
	weir_source_free(source);
	return status;
}

/* Returns true if the input is a trace and nothing else, and its reader looks at no other input:
 * its columns are then all that it gives. */
static bool is_trace_alone(const struct weir_input *input, const struct weir_reader *reader)
{
	return input->trace && !reader->join && !input->run && !input->requests &&
	       !input->telemetry && !input->billing && !input->counters && !input->host_profile &&
	       !input->scrape && !input->server;
}

/* Keeps the file of an input, which its reader reads again when the parts are merged. */
static enum weir_status pack_file(struct weir_input *input, const struct weir_reader *reader,
                                  struct weir_error *err)
{
	struct weir_text bytes = {0};
	enum weir_status status;

	if (reader->owns)
		return weir_fail(
			err, WEIR_E_USAGE,
			"%s: a part cannot hold a database that gives more than a timeline "
			"(%s): pass it to weir merge beside the parts",
			input->path, input->gives);
	if (input->elsewhere)
		return weir_fail(err, WEIR_E_USAGE,
		                 "%s: a part keeps the file of %s, which is in an archive or on a "
		                 "server: fetch or unpack it first",
		                 input->path, input->format);
	if (strcmp(input->path, "-") == 0)
		return weir_fail(err, WEIR_E_USAGE,
		                 "standard input: only traces can be made into a part without a "
		                 "file, and this is %s: write it to a file first",
		                 input->format);
	status = read_bytes(input->path, &bytes, err);
	if (!status)
		weir_packed_fill(&input->packed, bytes.data ? bytes.data : "", bytes.length);
	weir_text_release(&bytes);
	return status;
}

static enum weir_status pack_input(struct weir_input *input, struct weir_error *err)
{
	const struct weir_reader *reader;
	enum weir_status status = weir_reader_find(input->format, &reader, err);

	if (status || input->packed.data)
		return status;
	if (!is_trace_alone(input, reader))
		return pack_file(input, reader, err);
	weir_input_pack(input);
	return WEIR_OK;
}

/* Moves the content of an input to a member. */
static void add_member(struct weir_part_file *part, struct weir_input *input, const char *node)
{
	struct weir_part_member *member =
		weir_part_add(part, input->path, input->format, input->node ? input->node : node);

	member->content = input->packed_trace ? WEIR_PART_TRACE : WEIR_PART_FILE;
	member->facts = weir_input_facts(input);
	member->bytes = input->bytes;
	member->events = input->events;
	member->packed = input->packed;
	input->packed.data = NULL;
	if (input->packed_trace)
		memcpy(member->warnings, input->warnings, sizeof member->warnings);
}

enum weir_status weir_part_make(const char *const *paths, size_t count,
                                const struct weir_read_options *options, const char *node,
                                struct weir_part_file *out, struct weir_error *err)
{
	const struct weir_read_options apart = {.format = options->format,
	                                        .progress = options->progress,
	                                        .apart = true,
	                                        .failures = options->failures};
	struct weir_profile *profile = weir_profile_new();
	enum weir_status status = weir_read_paths(profile, paths, count, &apart, err);

	if (!status)
		status = weir_duplicates_check(profile, err);
	*out = (struct weir_part_file){0};
	for (size_t i = 0; !status && i < profile->input_count; i++)
		status = pack_input(&profile->inputs[i], err);
	for (size_t i = 0; !status && i < profile->input_count; i++)
		add_member(out, &profile->inputs[i], node);
	weir_profile_free(profile);
	return status;
}

/* ---- traces in memory ---- */

struct unpacking {
	struct weir_input *input;
	enum weir_status status;
	struct weir_error err;
};

static void unpack(void *context, size_t index)
{
	struct unpacking *one = (struct unpacking *)context + index;

	if (!one->input->packed_trace)
		return;
	one->status = weir_input_unpack(one->input, &one->input->trace, &one->err);
	free(one->input->packed.data);
	one->input->packed = (struct weir_packed){0};
	one->input->packed_trace = false;
}

static void pack(void *context, size_t index)
{
	weir_input_pack((struct weir_input *)context + index);
}

struct unpacking_all {
	struct unpacking *items;
	size_t count;
};

static void unpack_in_parallel(void *context)
{
	const struct unpacking_all *all = context;

	weir_pool_run(all->count, weir_pool_width(all->count), unpack, all->items);
}

static enum weir_status unpack_all(struct weir_profile *profile, struct weir_error *err)
{
	size_t count = profile->input_count;
	struct unpacking *all = weir_alloc((count + 1) * sizeof *all);
	enum weir_status status = WEIR_OK;

	for (size_t i = 0; i < count; i++)
		all[i].input = &profile->inputs[i];
	weir_sandbox_run(unpack_in_parallel, &(struct unpacking_all){all, count});
	for (size_t i = 0; !status && i < count; i++) {
		status = all[i].status;
		if (status && err)
			*err = all[i].err;
	}
	free(all);
	return status;
}

enum weir_status weir_traces_settle(struct weir_profile *profile, size_t most,
                                    struct weir_error *err)
{
	size_t traces = 0, packed = 0;

	for (size_t i = 0; i < profile->input_count; i++) {
		packed += profile->inputs[i].packed_trace;
		traces += weir_input_is_timeline(&profile->inputs[i]);
	}
	if (traces <= most)
		return packed > 0 ? unpack_all(profile, err) : WEIR_OK;
	if (packed < traces)
		weir_pool_run(profile->input_count, weir_pool_width(profile->input_count), pack,
		              profile->inputs);
	return WEIR_OK;
}
