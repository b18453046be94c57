/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads parts of a run. Traces stay packed: whoever analyses them unpacks as many as fit. */
#include <string.h>

#include "engine/base/arena.h"
#include "engine/part/part.h"
#include "engine/readers/parts/sniff.h"
#include "engine/readers/readers.h"

static int sniff(const char *head, size_t len)
{
	size_t length = sizeof WEIR_PART_MAGIC - 1;

	return len >= length && memcmp(head, WEIR_PART_MAGIC, length) == 0 ? (int)(8 * length) : 0;
}

static enum weir_status read_bytes(struct weir_source *source, struct weir_text *out,
                                   struct weir_error *err)
{
	enum weir_status status;
	const char *data;
	size_t length;

	while (!(status = weir_source_next(source, &data, &length, err)) && length > 0) {
		if (length > WEIR_PART_MOST_BYTES - out->length)
			return weir_fail(err, WEIR_E_LIMIT, "a part has at most %llu bytes",
			                 (unsigned long long)WEIR_PART_MOST_BYTES);
		weir_text_add(out, data, length);
	}
	return status;
}

/* Reads a member that is a file with the reader that the part names. */
static enum weir_status read_file(const struct weir_part_member *member,
                                  const struct weir_reader *reader, struct weir_input *input,
                                  struct weir_error *err)
{
	struct weir_source *source = NULL;
	struct weir_text content = {0};
	enum weir_status status = weir_packed_content(&member->packed, &content, err);

	if (!status)
		status = weir_source_open_memory(member->path, content.data ? content.data : "",
		                                 content.length, &source, err);
	if (!status)
		status = reader->read(source, input, err);
	weir_source_free(source);
	weir_text_release(&content);
	return status;
}

/* Gives the input the packed content of a member and, if that is a trace, what its reader said of
 * it. */
static void take_content(struct weir_part_member *member, struct weir_input *input)
{
	input->packed = member->packed;
	input->packed_trace = member->content == WEIR_PART_TRACE;
	member->packed.data = NULL;
	if (!input->packed_trace)
		return;
	input->packed_facts = member->facts;
	input->events = member->events;
	memcpy(input->warnings, member->warnings, sizeof input->warnings);
}

static enum weir_status add_input(struct weir_part_member *member, weir_reader_finder *find,
                                  struct weir_profile *profile, struct weir_error *err)
{
	const struct weir_reader *reader;
	enum weir_status status = find(member->format, &reader, err);
	struct weir_input *input;

	if (!status && !reader->read)
		status = weir_fail(err, WEIR_E_FORMAT, "a member of format %s", member->format);
	if (status)
		return weir_fail_in(err, "%s", member->path);
	input = weir_profile_add_input(profile, member->path);
	input->node = member->node[0] ? weir_alloc_text(member->node) : NULL;
	input->format = reader->name;
	input->gives = reader->gives;
	input->tool = reader->tool;
	input->from_part = true;
	if (member->content == WEIR_PART_FILE)
		status = read_file(member, reader, input, err);
	take_content(member, input);
	input->bytes = member->bytes;
	return status ? weir_fail_in(err, "%s", member->path) : WEIR_OK;
}

static enum weir_status read_all(struct weir_source *source, weir_reader_finder *find,
                                 struct weir_profile *profile, struct weir_error *err)
{
	struct weir_text bytes = {0};
	struct weir_part_file part = {0};
	enum weir_status status = read_bytes(source, &bytes, err);

	if (!status)
		status = weir_part_read(bytes.data ? bytes.data : "", bytes.length, &part, err);
	weir_text_release(&bytes);
	for (size_t i = 0; !status && i < part.count; i++)
		status = add_input(&part.members[i], find, profile, err);
	weir_part_release(&part);
	return status;
}

const struct weir_reader weir_reader_part = {
	.name = "part",
	.title = "part of a run, made by weir part",
	.gives = "inputs of a run",
	.sniff = sniff,
	.read_all = read_all,
};
