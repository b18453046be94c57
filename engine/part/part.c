/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/pack.h"
#include "engine/base/sha256.h"
#include "engine/part/part.h"
#include "engine/part/planes.h"
#include "engine/part/trace_pack.h"

#define MAGIC_BYTES (sizeof WEIR_PART_MAGIC - 1)
/* Magic, version, members, length, digest. */
#define HEADER_BYTES (MAGIC_BYTES + 4 + 4 + 8 + WEIR_SHA256_SIZE)
/* A frame may hold this many times its own bytes, and this many more. Columns of traces reach a
 * factor of thirty; a frame of contents that repeat more is padded. */
#define MOST_RATIO 2000
#define FREE_BYTES (UINT64_C(16) << 20)
/* Longer contents are packed at the usual level: the high one takes a second per 3 MB. */
#define MOST_SMALL   (64u << 20)
#define MOST_HEAD    (UINT64_C(1) << 20)
#define MOST_MEMBERS (1u << 20)

/* ---- integers of the container ---- */

static void put_number(struct weir_text *out, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		char byte = (char)(value >> (8 * i));

		weir_text_add(out, &byte, 1);
	}
}

static uint64_t get_number(const uint8_t *at, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

/* ---- members ---- */

static void release_member(struct weir_part_member *member)
{
	free(member->path);
	free(member->node);
	free(member->format);
	free(member->packed.data);
}

void weir_part_release(struct weir_part_file *part)
{
	for (size_t i = 0; i < part->count; i++)
		release_member(&part->members[i]);
	free(part->members);
	*part = (struct weir_part_file){0};
}

static struct weir_part_member *add_empty(struct weir_part_file *part)
{
	part->members =
		weir_grow(part->members, &part->capacity, part->count + 1, sizeof *part->members);
	part->members[part->count] = (struct weir_part_member){.facts = {.rank = -1}};
	return &part->members[part->count++];
}

struct weir_part_member *weir_part_add(struct weir_part_file *part, const char *path,
                                       const char *format, const char *node)
{
	struct weir_part_member *member = add_empty(part);

	member->path = weir_alloc_text(path);
	member->format = weir_alloc_text(format);
	member->node = weir_alloc_text(node ? node : "");
	return member;
}

void weir_part_take(struct weir_part_file *part, struct weir_part_file *from)
{
	for (size_t i = 0; i < from->count; i++)
		*add_empty(part) = from->members[i];
	from->count = 0;
	weir_part_release(from);
}

/* ---- heads ---- */

static void pass_text(struct weir_planes *planes, char **text)
{
	size_t length = *text ? strlen(*text) : 0;

	weir_planes_count(planes, &length, WEIR_PART_MOST_TEXT, 1);
	if (planes->out) {
		weir_planes_bytes(planes, *text, length);
		return;
	}
	*text = weir_alloc(length + 1);
	weir_planes_bytes(planes, *text, length);
	planes->failed |= strlen(*text) != length;
}

static void pass_number(struct weir_planes *planes, void *value, size_t width)
{
	weir_planes_integers(planes, value, width, width, 1, WEIR_PREDICT_NOTHING);
}

static void pass_warnings(struct weir_planes *planes, struct weir_warning *warnings)
{
	size_t count = WEIR_WARN_COUNT;

	/* A part of an earlier version has fewer codes. */
	weir_planes_count(planes, &count, WEIR_WARN_COUNT, 0);
	for (size_t i = 0; i < count; i++) {
		struct weir_warning *warning = &warnings[i];

		pass_number(planes, &warning->count, sizeof warning->count);
		pass_number(planes, &warning->first_at, sizeof warning->first_at);
		weir_planes_bytes(planes, warning->detail, WEIR_PART_DETAIL);
		warning->detail[WEIR_PART_DETAIL - 1] = '\0';
	}
}

static void pass_head(struct weir_planes *planes, struct weir_part_member *member)
{
	pass_text(planes, &member->path);
	pass_text(planes, &member->node);
	pass_text(planes, &member->format);
	pass_number(planes, &member->content, sizeof member->content);
	pass_number(planes, &member->facts.rank, sizeof member->facts.rank);
	pass_number(planes, &member->facts.world_size, sizeof member->facts.world_size);
	pass_number(planes, &member->facts.start_ns, sizeof member->facts.start_ns);
	pass_number(planes, &member->facts.end_ns, sizeof member->facts.end_ns);
	pass_number(planes, &member->facts.devices, sizeof member->facts.devices);
	pass_number(planes, &member->bytes, sizeof member->bytes);
	pass_number(planes, &member->events, sizeof member->events);
	pass_number(planes, &member->packed.unpacked, sizeof member->packed.unpacked);
	pass_warnings(planes, member->warnings);
	if (member->content > WEIR_PART_FILE)
		planes->failed = true;
}

/* ---- writing ---- */

static int by_identity(const void *left, const void *right)
{
	const struct weir_part_member *a = left, *b = right;
	int order = weir_text_compare_numbered(a->path, b->path);

	if (order == 0)
		order = (a->facts.rank > b->facts.rank) - (a->facts.rank < b->facts.rank);
	if (order == 0)
		order = strcmp(a->node, b->node);
	if (order == 0)
		order = (a->packed.length > b->packed.length) -
		        (a->packed.length < b->packed.length);
	return order != 0 ? order : memcmp(a->packed.data, b->packed.data, a->packed.length);
}

static void write_member(struct weir_part_member *member, struct weir_text *out)
{
	struct weir_text head = {0}, frame = {0};
	struct weir_planes planes = {.out = &head};

	pass_head(&planes, member);
	weir_pack(head.data, head.length, &frame);
	put_number(out, frame.length, 8);
	put_number(out, member->packed.length, 8);
	weir_text_add(out, frame.data, frame.length);
	weir_text_add(out, member->packed.data, member->packed.length);
	weir_text_release(&head);
	weir_text_release(&frame);
}

void weir_part_write(struct weir_part_file *part, struct weir_text *out)
{
	struct weir_text body = {0};
	struct weir_sha256 hash;
	uint8_t digest[WEIR_SHA256_SIZE];

	if (part->count > 0)
		qsort(part->members, part->count, sizeof *part->members, by_identity);
	for (size_t i = 0; i < part->count; i++)
		write_member(&part->members[i], &body);
	weir_sha256_init(&hash);
	weir_sha256_add(&hash, body.data, body.length);
	weir_sha256_end(&hash, digest);
	weir_text_add(out, WEIR_PART_MAGIC, MAGIC_BYTES);
	put_number(out, WEIR_PART_VERSION, 4);
	put_number(out, part->count, 4);
	put_number(out, body.length, 8);
	weir_text_add(out, (const char *)digest, sizeof digest);
	weir_text_add(out, body.data, body.length);
	weir_text_release(&body);
}

/* ---- reading ---- */

static enum weir_status check_header(const uint8_t *data, size_t length, struct weir_error *err)
{
	const uint8_t *at = data + MAGIC_BYTES;
	struct weir_sha256 hash;
	uint8_t digest[WEIR_SHA256_SIZE];
	uint64_t rest;

	if (length < MAGIC_BYTES || memcmp(data, WEIR_PART_MAGIC, MAGIC_BYTES) != 0)
		return weir_fail(err, WEIR_E_FORMAT, "not a part: make one with weir part");
	if (length < HEADER_BYTES)
		return weir_fail(err, WEIR_E_FORMAT, "the part is truncated in its header");
	if (get_number(at, 4) != WEIR_PART_VERSION)
		return weir_fail(
			err, WEIR_E_FORMAT,
			"the part has version %llu and this weir reads version %d: use the "
			"same weir for weir part and weir merge",
			(unsigned long long)get_number(at, 4), WEIR_PART_VERSION);
	rest = get_number(at + 8, 8);
	if (rest != length - HEADER_BYTES)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the part is truncated: %zu of %llu bytes after its header",
		                 length - HEADER_BYTES, (unsigned long long)rest);
	weir_sha256_init(&hash);
	weir_sha256_add(&hash, data + HEADER_BYTES, length - HEADER_BYTES);
	weir_sha256_end(&hash, digest);
	if (memcmp(digest, at + 16, sizeof digest) != 0)
		return weir_fail(err, WEIR_E_FORMAT,
		                 "the part is damaged: its checksum does not match");
	return WEIR_OK;
}

static enum weir_status read_head(const uint8_t *frame, size_t length,
                                  struct weir_part_member *member, struct weir_error *err)
{
	struct weir_text head = {0};
	enum weir_status status = weir_unpack(frame, length, MOST_HEAD, &head, err);
	struct weir_planes planes = {.in = (const uint8_t *)head.data, .left = head.length};

	if (!status)
		pass_head(&planes, member);
	if (!status && (planes.failed || planes.left > 0))
		status = weir_fail(err, WEIR_E_FORMAT, "the head of a member is damaged");
	weir_text_release(&head);
	return status;
}

static enum weir_status read_member(const uint8_t **at, size_t *left,
                                    struct weir_part_member *member, struct weir_error *err)
{
	uint64_t head, content;
	enum weir_status status;

	if (*left < 16)
		return weir_fail(err, WEIR_E_FORMAT, "a member is missing");
	head = get_number(*at, 8);
	content = get_number(*at + 8, 8);
	*at += 16;
	*left -= 16;
	if (head > *left || content > *left - head)
		return weir_fail(err, WEIR_E_FORMAT, "a member is longer than the part");
	status = read_head(*at, (size_t)head, member, err);
	if (status)
		return status;
	member->packed.length = (size_t)content;
	member->packed.data = weir_alloc((size_t)content + 1);
	memcpy(member->packed.data, *at + head, (size_t)content);
	*at += head + content;
	*left -= (size_t)(head + content);
	return WEIR_OK;
}

enum weir_status weir_part_read(const void *data, size_t length, struct weir_part_file *out,
                                struct weir_error *err)
{
	const uint8_t *at = (const uint8_t *)data + HEADER_BYTES;
	enum weir_status status = check_header(data, length, err);
	size_t left = length - HEADER_BYTES;
	uint64_t members = 0;

	*out = (struct weir_part_file){0};
	if (!status)
		members = get_number((const uint8_t *)data + MAGIC_BYTES + 4, 4);
	if (members > MOST_MEMBERS)
		status = weir_fail(err, WEIR_E_LIMIT, "more than %u members", MOST_MEMBERS);
	for (uint64_t i = 0; !status && i < members; i++)
		status = read_member(&at, &left, add_empty(out), err);
	if (!status && left > 0)
		status = weir_fail(err, WEIR_E_FORMAT, "%zu bytes follow the last member", left);
	if (status)
		weir_part_release(out);
	return status;
}

/* ---- contents ---- */

void weir_packed_fill(struct weir_packed *packed, const void *data, size_t length)
{
	struct weir_text content = {0}, frame = {0};
	size_t least;

	if (length <= MOST_SMALL)
		weir_pack_small(data, length, &content);
	else
		weir_pack(data, length, &content);
	least = length > FREE_BYTES ? (length - FREE_BYTES) / MOST_RATIO + 1 : 0;
	if (content.length < least)
		weir_pack_padding(least - content.length + WEIR_LEAST_PADDING, &frame);
	weir_text_add(&frame, content.data, content.length);
	weir_text_release(&content);
	*packed = (struct weir_packed){frame.data, frame.length, length};
}

enum weir_status weir_packed_content(const struct weir_packed *packed, struct weir_text *out,
                                     struct weir_error *err)
{
	uint64_t most = (uint64_t)packed->length * MOST_RATIO + FREE_BYTES;
	size_t before = out->length;
	enum weir_status status;

	if (packed->unpacked > most || packed->unpacked > WEIR_PART_MOST_UNPACKED)
		return weir_fail(err, WEIR_E_LIMIT, "%zu bytes claim to hold %llu", packed->length,
		                 (unsigned long long)packed->unpacked);
	status = weir_unpack(packed->data, packed->length, (size_t)packed->unpacked, out, err);
	if (!status && out->length - before != packed->unpacked)
		status = weir_fail(err, WEIR_E_FORMAT, "%zu of %llu bytes", out->length - before,
		                   (unsigned long long)packed->unpacked);
	return status;
}

void weir_input_pack(struct weir_input *input)
{
	struct weir_text columns = {0};

	if (!input->trace)
		return;
	weir_trace_pack(input->trace, &columns);
	input->packed_trace = true;
	input->packed_facts = weir_input_facts(input);
	weir_trace_free(input->trace);
	input->trace = NULL;
	weir_packed_fill(&input->packed, columns.data, columns.length);
	weir_text_release(&columns);
}

enum weir_status weir_input_unpack(const struct weir_input *input, struct weir_trace **out,
                                   struct weir_error *err)
{
	struct weir_text columns = {0};
	enum weir_status status = weir_packed_content(&input->packed, &columns, err);

	if (!status)
		status = weir_trace_unpack(columns.data, columns.length, out, err);
	weir_text_release(&columns);
	return status ? weir_fail_in(err, "%s", input->path) : WEIR_OK;
}
