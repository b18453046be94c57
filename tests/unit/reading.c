/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/text.h"
#include "tests/unit/near.h"
#include "tests/unit/reading.h"
#include "tests/unit/shelf.h"

enum weir_status reading_try(const struct weir_reader *reader, const char *data, size_t len,
                             struct weir_profile *profile, struct weir_error *err)
{
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("test", data, len, &source, err), WEIR_OK);
	if (reader->read_all)
		status = reader->read_all(source, weir_reader_find, profile, err);
	else
		status = reader->read(source, weir_profile_add_input(profile, "test"), err);
	weir_source_free(source);
	return status;
}

const struct weir_input *reading_of(const struct weir_reader *reader, const char *text,
                                    struct weir_profile *profile)
{
	struct weir_error err = {0};

	if (reading_try(reader, text, strlen(text), profile, &err))
		fail_msg("%s", err.message);
	if (err.message[0])
		fail_msg("read, but it left the error \"%s\"", err.message);
	return &profile->inputs[profile->input_count - 1];
}

static void expect_line(const char *message)
{
	if (!*message || strchr(message, '\n'))
		fail_msg("not one line: \"%s\"", message);
}

const struct weir_input *reading_file(const struct weir_reader *reader, const char *path,
                                      struct weir_profile *profile)
{
	struct weir_error err = {0};

	if (weir_read_path(profile, path, NULL, &err))
		fail_msg("%s", err.message);
	if (reader->read_all)
		assert_true(profile->inputs[0].from_part);
	else
		assert_string_equal(profile->inputs[0].format, reader->name);
	return &profile->inputs[0];
}

void reading_refuses(const struct weir_reader *reader, const char *text, enum weir_status status,
                     const char *message)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	assert_int_equal(reading_try(reader, text, strlen(text), profile, &err), status);
	expect_line(err.message);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	weir_profile_free(profile);
}

void reading_survives(const struct weir_reader *reader, const char *data, size_t len)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	char *copy = test_malloc(len + 1); /* a separate block shows reads beyond its end */

	memcpy(copy, data, len);
	if (reading_try(reader, copy, len, profile, &err))
		expect_line(err.message);
	else
		assert_string_equal(err.message, "");
	test_free(copy);
	weir_profile_free(profile);
}

void reading_survives_damage(const struct weir_reader *reader, const char *text)
{
	static const char bytes[] = {'"', '\\', '{', ']', ',', '9', '-', '\n', '\0', '\xff'};
	size_t length = strlen(text);
	char *copy = test_malloc(length + 1);

	memcpy(copy, text, length + 1);
	for (size_t i = 0; i < length; i++) {
		reading_survives(reader, copy, i);
		copy[i] = bytes[i % sizeof(bytes)];
		reading_survives(reader, copy, length);
		copy[i] = text[i];
	}
	test_free(copy);
}

const char *reading_claims(const char *text)
{
	const struct weir_reader *reader = NULL;
	struct weir_source *source;
	enum weir_status status;

	assert_int_equal(weir_source_open_memory("test", text, strlen(text), &source, NULL),
	                 WEIR_OK);
	status = weir_reader_choose(source, &reader, NULL);
	weir_source_free(source);
	return status ? "none" : reader->name;
}

const struct weir_input *reading_sample(const char *name, const struct weir_reader *reader,
                                        const char *message, struct weir_profile *profile)
{
	const char *path = shelf_find(name);
	struct weir_error err = {0};
	const struct weir_input *input = NULL;
	enum weir_status status;

	if (!path)
		weir_profile_free(profile);
	path = shelf_need(name);
	status = weir_read_path(profile, path, NULL, &err);
	if (!status != (reader != NULL))
		fail_msg("%s: %s", path, status ? err.message : "read, not refused");
	if (status && !strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	if (reader) {
		input = &profile->inputs[profile->input_count - 1];
		assert_string_equal(input->format, reader->name);
	}
	return input;
}

static size_t find_row(const struct weir_trace *trace, const uint32_t *names, size_t count,
                       const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(weir_names_text(trace->names, names[i]), name) == 0)
			return i;
	fail_msg("no row is called %s", name);
	return 0;
}

size_t reading_host_row(const struct weir_trace *trace, const char *name)
{
	return find_row(trace, trace->host.name, trace->host.count, name);
}

size_t reading_device_row(const struct weir_trace *trace, const char *name)
{
	return find_row(trace, trace->device.name, trace->device.count, name);
}

const struct weir_input *reading_of_bytes(const struct weir_reader *reader, struct bytes bytes,
                                          struct weir_profile *profile)
{
	struct weir_error err = {0};

	if (reading_try(reader, (const char *)bytes.data, bytes.len, profile, &err))
		fail_msg("%s", err.message);
	free(bytes.data);
	return &profile->inputs[profile->input_count - 1];
}

void reading_refuses_bytes(const struct weir_reader *reader, struct bytes bytes,
                           enum weir_status status, const char *message)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};

	assert_int_equal(reading_try(reader, (const char *)bytes.data, bytes.len, profile, &err),
	                 status);
	expect_line(err.message);
	if (!strstr(err.message, message))
		fail_msg("\"%s\" is not in: %s", message, err.message);
	free(bytes.data);
	weir_profile_free(profile);
}

/* A run of zeros of this length is free space of a page, which SQLite does not read. */
#define FREE_RUN 32
/* One byte in this many of free space is changed. */
#define FREE_STRIDE 8

/* Returns the number of zeros from `at` on, no more than wanted. */
static size_t zeros_from(struct bytes bytes, size_t at, size_t wanted)
{
	size_t count = 0;

	while (count < wanted && at + count < bytes.len && bytes.data[at + count] == 0)
		count++;
	return count;
}

void reading_survives_damaged_bytes(const struct weir_reader *reader, struct bytes bytes)
{
	size_t zeros = 0, changed = 0;

	for (size_t len = 0; len < bytes.len; len++)
		reading_survives(reader, (const char *)bytes.data, len);
	for (size_t at = 0; at < bytes.len; at++) {
		unsigned char byte = bytes.data[at];

		zeros = byte == 0 ? zeros + 1 : 0;
		if (at % FREE_STRIDE && zeros + zeros_from(bytes, at + 1, FREE_RUN) > FREE_RUN)
			continue;
		bytes.data[at] = (unsigned char)(byte ^ (0x81 >> at % 8));
		reading_survives(reader, (const char *)bytes.data, bytes.len);
		bytes.data[at] = byte;
		changed++;
	}
	assert_true(changed > bytes.len / 4);
	free(bytes.data);
}

void reading_expects_stage(const struct weir_run *run, const char *name, size_t count,
                           const double *ns)
{
	const struct weir_series *series = weir_series_find(&run->stages, name);

	if (!series) {
		fail_msg("no stage %s", name);
		return;
	}
	assert_int_equal(series->count, count);
	for (size_t i = 0; i < count; i++)
		if (series->value[i] != ns[i])
			fail_msg("%s[%zu] is %.17g, expected %.17g", name, i, series->value[i],
			         ns[i]);
}

void reading_expects_label(const struct weir_run *run, const char *key, const char *value)
{
	const char *label = weir_run_label(run, key);

	if (!value) {
		assert_null(label);
		return;
	}
	assert_non_null(label);
	assert_string_equal(label, value);
}

void reading_expects_figure(const struct weir_run *run, const char *name, double value, bool higher,
                            const char *unit)
{
	const struct weir_series *series = weir_series_find(&run->metrics, name);

	if (!series) {
		fail_msg("no figure %s", name);
		return;
	}
	assert_int_equal(series->count, 1);
	assert_near(series->value[0], value, 1e-12);
	assert_int_equal(series->higher_is_better, higher);
	if (unit)
		assert_string_equal(series->unit, unit);
	else
		assert_null(series->unit);
}

void reading_expects_parts(const struct weir_requests *requests, size_t request, const char *parts)
{
	struct weir_text text = {0};

	assert_true(request < requests->count);
	weir_text_puts(&text, "");
	for (uint64_t i = requests->part_first[request];
	     i < requests->part_first[request] + requests->part_count[request]; i++)
		weir_text_printf(&text, "%s%s=%" PRId64, text.length ? " " : "",
		                 weir_requests_stage_name(requests, requests->part_stage[i]),
		                 requests->part_ns[i]);
	assert_string_equal(text.data ? text.data : "", parts);
	weir_text_release(&text);
}
