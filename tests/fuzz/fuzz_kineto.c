/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of Kineto traces: the timeline is sorted, joined within
 * bounds and counted, or an error with a message. Two threads that share small blocks give the same
 * as one thread. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"
#include "tests/fuzz/same_input.h"
#include "tests/fuzz/trace_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct outcome {
	struct weir_profile *profile;
	struct weir_error err;
	enum weir_status status;
};

static struct outcome read_divided(const uint8_t *data, size_t size,
                                   struct weir_source_division division)
{
	struct outcome out = {.profile = weir_profile_new()};
	struct weir_input *input = weir_profile_add_input(out.profile, "fuzz");
	struct weir_source *source;

	out.status = weir_source_open_memory("fuzz", data, size, &source, &out.err);
	if (out.status)
		return out;
	weir_source_divide(source, division);
	out.status = weir_reader_kineto.read(source, input, &out.err);
	weir_source_free(source);
	return out;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t block = 64 + size % 512;
	struct outcome one = read_divided(data, size, (struct weir_source_division){1, block});
	struct outcome two = read_divided(data, size, (struct weir_source_division){2, block});

	require(one.status == two.status);
	require(strcmp(one.err.message, two.err.message) == 0);
	require(one.status || !different_part(&one.profile->inputs[0], &two.profile->inputs[0]));
	weir_profile_free(one.profile);
	weir_profile_free(two.profile);
	trace_checks_run(&weir_reader_kineto, data, size);
	return 0;
}
