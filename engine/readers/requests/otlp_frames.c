/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Records with a length in front, as the Collector's file exporter writes them (README of
 * opentelemetry-collector-contrib/exporter/fileexporter). A record is a JSON document or a
 * protobuf message, plain or a zstd frame of its own.
 */
#include <ctype.h>
#include <string.h>

#include "engine/readers/requests/otlp.h"

#define BINARY_SIZE 4
#define MAX_DIGITS  8

static const char zstd_magic[] = {'\x28', '\xb5', '\x2f', '\xfd'};

#define PROTOBUF_FIRST '\x0a' /* field 1, of a length: every message of OTLP begins with it */

/* Bytes of the length at `at`, 0: there is none; *size is what it says. */
static size_t parse_length(const char *at, size_t len, enum otlp_framing framing, uint64_t *size)
{
	size_t digits = 0;

	*size = 0;
	if (framing == OTLP_BINARY_LENGTHS) {
		if (len < BINARY_SIZE)
			return 0;
		for (size_t i = 0; i < BINARY_SIZE; i++)
			*size = *size << 8 | (unsigned char)at[i];
		return BINARY_SIZE;
	}
	for (; digits < len && digits <= MAX_DIGITS && isdigit((unsigned char)at[digits]); digits++)
		*size = *size * 10 + (uint64_t)(at[digits] - '0');
	return digits && digits < len && at[digits] == '\n' ? digits + 1 : 0;
}

/* As far as it can be seen. */
static bool begins_record(const char *at, size_t len)
{
	size_t seen = len < sizeof zstd_magic ? len : sizeof zstd_magic;

	return len && (*at == '{' || *at == PROTOBUF_FIRST || !memcmp(at, zstd_magic, seen));
}

/* Whether a record of this length stands here: the next one, or the end, is where it should be, or
 * too far away to be seen. Protobuf has so few fixed bytes that the end must be seen. */
static bool fits(const char *record, size_t len, uint64_t size, enum otlp_framing framing)
{
	const char *next = record + size;
	size_t left, prefix;
	uint64_t ignored;

	if (size >= len)
		return size == len || *record != PROTOBUF_FIRST;
	left = len - (size_t)size;
	if (framing == OTLP_DECIMAL_LENGTHS && *next == '\n') {
		next++;
		left--;
	}
	if (left <= BINARY_SIZE)
		return *record != PROTOBUF_FIRST;
	prefix = parse_length(next, left, framing, &ignored);
	return prefix && left > prefix && begins_record(next + prefix, left - prefix);
}

static bool is_framed(const char *head, size_t len, enum otlp_framing framing)
{
	uint64_t size;
	size_t prefix = parse_length(head, len, framing, &size);

	return prefix && size >= 2 && size <= OTLP_MAX_RECORD &&
	       begins_record(head + prefix, len - prefix) &&
	       fits(head + prefix, len - prefix, size, framing);
}

enum otlp_framing weir_otlp_framing(const char *head, size_t len)
{
	if (is_framed(head, len, OTLP_BINARY_LENGTHS))
		return OTLP_BINARY_LENGTHS;
	return is_framed(head, len, OTLP_DECIMAL_LENGTHS) ? OTLP_DECIMAL_LENGTHS : OTLP_UNFRAMED;
}

/* The bytes of a source one after another. */
struct bytes {
	struct weir_source *source;
	const char *at;
	size_t left;
	uint64_t taken;
};

/* Up to `want` bytes to the end of `out`, fewer only where the input ends. */
static enum weir_status take_bytes(struct bytes *bytes, size_t want, struct weir_text *out,
                                   struct weir_error *err)
{
	enum weir_status status = WEIR_OK;

	while (want && !status) {
		size_t part = want < bytes->left ? want : bytes->left;

		weir_text_add(out, bytes->at, part);
		bytes->at += part;
		bytes->left -= part;
		bytes->taken += part;
		want -= part;
		if (want)
			status = weir_source_next(bytes->source, &bytes->at, &bytes->left, err);
		if (want && !status && !bytes->left)
			break;
	}
	return status;
}

/* *size is the length of the record that follows; 0: there is none, and *whole says whether the
 * input ends here as it should. */
static enum weir_status take_length(struct bytes *bytes, enum otlp_framing framing, uint64_t *size,
                                    bool *whole, struct weir_error *err)
{
	struct weir_text text = {0};
	enum weir_status status = WEIR_OK;
	size_t most = framing == OTLP_BINARY_LENGTHS ? BINARY_SIZE : MAX_DIGITS + 1;

	*size = 0;
	do {
		size_t before = text.length;

		status = take_bytes(bytes, 1, &text, err);
		if (status || text.length == before)
			break;
		/* Ends of lines between records of the old version. */
		if (framing == OTLP_DECIMAL_LENGTHS && text.length == 1 && *text.data == '\n')
			weir_text_clear(&text);
	} while (text.length < most && !parse_length(text.data, text.length, framing, size));
	*whole = !text.length;
	if (!status && !parse_length(text.data ? text.data : "", text.length, framing, size))
		*size = 0;
	weir_text_release(&text);
	return status;
}

static enum weir_status read_record(struct otlp_reader *reader, const struct weir_text *record,
                                    struct weir_error *err)
{
	struct weir_source *source;
	const char *head;
	size_t len;
	enum weir_status status =
		weir_source_open_memory("record", record->data, record->length, &source, err);

	if (status)
		return status;
	status = weir_source_head(source, &head, &len, err);
	if (!status && len && *head == PROTOBUF_FIRST)
		status = weir_fail(err, WEIR_E_FORMAT,
		                   "OTLP in protobuf, expected JSON: let the Collector's file "
		                   "exporter write \"format: json\"");
	if (!status && len && *head == '{')
		status = weir_otlp_read_documents(reader, source, err);
	else if (!status)
		weir_input_warn(reader->spans.input, WEIR_WARN_SKIPPED_EVENT, UINT64_MAX,
		                "a record that is no JSON");
	weir_source_free(source);
	return status;
}

/* One record; *more is false behind the last one. */
static enum weir_status next_record(struct otlp_reader *reader, struct bytes *bytes,
                                    enum otlp_framing framing, bool *more, struct weir_error *err)
{
	struct weir_input *input = reader->spans.input;
	struct weir_text record = {0};
	uint64_t size, at = bytes->taken;
	bool whole;
	enum weir_status status = take_length(bytes, framing, &size, &whole, err);

	*more = !status && size && size <= OTLP_MAX_RECORD;
	if (!*more) {
		if (!status && !whole)
			weir_input_warn(input, WEIR_WARN_TRUNCATED, at,
			                "no record where one belongs");
		return status;
	}
	status = take_bytes(bytes, (size_t)size, &record, err);
	if (!status && record.length < size) {
		weir_input_warn(input, WEIR_WARN_TRUNCATED, at, "it ends inside a record");
		*more = false;
	}
	if (!status && record.length)
		status = read_record(reader, &record, err);
	weir_text_release(&record);
	return status;
}

enum weir_status weir_otlp_read_records(struct otlp_reader *reader, struct weir_source *source,
                                        enum otlp_framing framing, struct weir_error *err)
{
	struct bytes bytes = {.source = source, .at = ""};
	enum weir_status status = WEIR_OK;
	bool more = true;

	while (more && !status)
		status = next_record(reader, &bytes, framing, &more, err);
	return status;
}
