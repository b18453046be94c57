/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through a reader; shared by the fuzz targets of readers. */
#ifndef WEIR_TESTS_FUZZ_FUZZ_READER_H
#define WEIR_TESTS_FUZZ_FUZZ_READER_H

#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/parts/sniff.h"
#include "engine/readers/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void require(int truth)
{
	if (!truth)
		abort();
}

/* Reads the bytes. Returns the input, in a profile that the caller frees; NULL if the reader
 * refused it with a message. */
static inline const struct weir_input *read_any(const struct weir_reader *reader, const void *data,
                                                size_t size, struct weir_profile *profile)
{
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};
	enum weir_status status = weir_source_open_memory("fuzz", data, size, &source, &err);

	if (status)
		return NULL;
	status = reader->read(source, input, &err);
	require(!status == !err.message[0]);
	weir_source_free(source);
	return status ? NULL : input;
}

/* Sniffs and reads the bytes, and runs the check on the result. */
static inline void fuzz_reader(const struct weir_reader *reader, const void *data, size_t size,
                               void (*check)(const struct weir_input *input))
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input;

	require(weir_sniff_reader(reader, data, size) >= 0);
	input = read_any(reader, data, size, profile);
	if (input)
		check(input);
	weir_profile_free(profile);
}

#endif
