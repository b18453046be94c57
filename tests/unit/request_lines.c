/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/request_lines.h"

static void put_count(struct weir_text *out, const char *name, int64_t count)
{
	if (count >= 0)
		weir_text_printf(out, " %s=%" PRId64, name, count);
}

static void put_request(struct weir_text *out, const struct weir_requests *requests, size_t row)
{
	weir_text_printf(out, "%" PRId64 "+%" PRId64, requests->start_ns[row] - LINES_BASE,
	                 requests->end_ns[row] - requests->start_ns[row]);
	put_count(out, "batch", requests->batch_size[row]);
	put_count(out, "tokens", requests->tokens[row]);
	put_count(out, "padded", requests->padded_tokens[row]);
	put_count(out, "out", requests->output_tokens[row]);
	put_count(out, "first", requests->first_token_ns[row]);
	weir_text_puts(out, ":");
	for (size_t i = 0; i < requests->part_count[row]; i++) {
		uint64_t part = requests->part_first[row] + i;

		weir_text_printf(out, " %s@%" PRId64 "+%" PRId64,
		                 weir_requests_stage_name(requests, requests->part_stage[part]),
		                 requests->part_offset_ns[part], requests->part_ns[part]);
	}
	weir_text_puts(out, "\n");
}

static struct reading read_source(const struct weir_reader *reader, struct weir_source *source)
{
	struct reading reading = {.profile = weir_profile_new()};
	struct weir_input *input = weir_profile_add_input(reading.profile, "test");

	reading.status = reader->read(source, input, &reading.err);
	reading.input = input;
	weir_text_puts(&reading.lines, "");
	if (!reading.status)
		for (size_t i = 0; i < input->requests->count; i++)
			put_request(&reading.lines, input->requests, i);
	weir_source_free(source);
	return reading;
}

struct reading read_bytes(const struct weir_reader *reader, const void *data, size_t len)
{
	struct weir_source *source;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, NULL), WEIR_OK);
	return read_source(reader, source);
}

struct reading read_file(const struct weir_reader *reader, const char *path)
{
	struct weir_source *source;

	assert_int_equal(weir_source_open(path, &source, NULL), WEIR_OK);
	return read_source(reader, source);
}

void reading_free(struct reading *reading)
{
	weir_profile_free(reading->profile);
	weir_text_release(&reading->lines);
}

static void expect_one_line(const struct reading *reading)
{
	if (!reading->err.message[0] || strchr(reading->err.message, '\n'))
		fail_msg("not one line: \"%s\"", reading->err.message);
}

void expect_requests_warned(const struct weir_reader *reader, const char *text, const char *lines,
                            enum weir_warning_code code, uint64_t count)
{
	struct reading reading = read_bytes(reader, text, strlen(text));

	if (reading.status)
		fail_msg("%s", reading.err.message);
	assert_string_equal(reading.lines.data, lines);
	for (int i = 0; i < WEIR_WARN_COUNT; i++) {
		uint64_t wanted = i == (int)code ? count : 0;

		if (reading.input->warnings[i].count != wanted)
			fail_msg("%" PRIu64 " warnings of kind %d (%s), expected %" PRIu64,
			         reading.input->warnings[i].count, i,
			         reading.input->warnings[i].detail, wanted);
	}
	reading_free(&reading);
}

void expect_requests(const struct weir_reader *reader, const char *text, const char *lines)
{
	expect_requests_warned(reader, text, lines, WEIR_WARN_COUNT, 0);
}

void expect_cuts_survived(const struct weir_reader *reader, const char *text)
{
	for (size_t len = 0; len < strlen(text); len++) {
		struct reading reading = read_bytes(reader, text, len);

		if (reading.status)
			expect_one_line(&reading);
		else
			assert_true(reading.input->requests->count > 0);
		reading_free(&reading);
	}
}
