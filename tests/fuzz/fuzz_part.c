/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of parts, and the same bytes as the body of a part whose header
 * and checksum are right: the traces in them are sorted and within bounds, or refused with
 * a message. A part is written and read again to the same bytes. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sha256.h"
#include "engine/part/part.h"
#include "engine/part/trace_pack.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/trace_checks.h"

#define MAGIC_BYTES (sizeof WEIR_PART_MAGIC - 1)
/* Place of the length in the header, and of the digest. */
#define LENGTH_AT (MAGIC_BYTES + 8)
#define DIGEST_AT (LENGTH_AT + 8)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_input(struct weir_input *input)
{
	struct weir_error err = {0};

	if (!input->packed_trace)
		return;
	if (weir_input_unpack(input, &input->trace, &err)) {
		require(err.message[0] != 0);
		return;
	}
	trace_checks_input(input);
}

static void check_reader(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_error err = {0};
	struct weir_source *source;

	if (!weir_source_open_memory("fuzz", (const char *)data, size, &source, &err)) {
		enum weir_status status =
			weir_reader_part.read_all(source, weir_reader_find, profile, &err);

		require(!status == !err.message[0]);
		for (size_t i = 0; !status && i < profile->input_count; i++)
			check_input(&profile->inputs[i]);
		weir_source_free(source);
	}
	weir_profile_free(profile);
}

/* Writes the part twice: the members are in order after the first time. */
static void check_written(const uint8_t *data, size_t size)
{
	struct weir_text once = {0}, twice = {0};
	struct weir_part_file part, again;

	if (weir_part_read(data, size, &part, NULL))
		return;
	weir_part_write(&part, &once);
	require(!weir_part_read(once.data, once.length, &again, NULL));
	weir_part_write(&again, &twice);
	require(once.length == twice.length && memcmp(once.data, twice.data, once.length) == 0);
	weir_part_release(&part);
	weir_part_release(&again);
	weir_text_release(&once);
	weir_text_release(&twice);
}

/* Puts the length and the checksum right, which no fuzzer would guess. */
static uint8_t *repaired(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size);
	struct weir_sha256 hash;

	require(copy != NULL);
	memcpy(copy, data, size);
	for (size_t i = 0; i < 8; i++)
		copy[LENGTH_AT + i] =
			(uint8_t)((uint64_t)(size - DIGEST_AT - WEIR_SHA256_SIZE) >> (8 * i));
	weir_sha256_init(&hash);
	weir_sha256_add(&hash, copy + DIGEST_AT + WEIR_SHA256_SIZE,
	                size - DIGEST_AT - WEIR_SHA256_SIZE);
	weir_sha256_end(&hash, copy + DIGEST_AT);
	return copy;
}

/* Reads the bytes as the columns of a trace, inside no compressed frame. */
static void check_columns(const uint8_t *data, size_t size)
{
	struct weir_input input = {0};

	if (weir_trace_unpack(data, size, &input.trace, NULL))
		return;
	trace_checks_input(&input);
	weir_trace_free(input.trace);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_reader(data, size);
	check_columns(data, size);
	if (size >= DIGEST_AT + WEIR_SHA256_SIZE) {
		uint8_t *copy = repaired(data, size);

		check_reader(copy, size);
		check_written(copy, size);
		free(copy);
	}
	return 0;
}
