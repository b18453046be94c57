/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of weir.requests: requests that end after they start, whose parts
 * are times, or an error that says why. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check(const struct weir_requests *requests)
{
	require(requests->count > 0);
	for (size_t i = 0; i < requests->count; i++) {
		size_t first = requests->part_first[i];

		require(requests->start_ns[i] <= requests->end_ns[i]);
		require(!i || requests->start_ns[i - 1] <= requests->start_ns[i]);
		require(requests->first_token_ns[i] <= requests->end_ns[i] - requests->start_ns[i]);
		require(first + requests->part_count[i] <= requests->parts);
		for (size_t j = first; j < first + requests->part_count[i]; j++) {
			require(requests->part_ns[j] >= 0);
			require(requests->part_stage[j] < requests->stage_count);
		}
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_requests.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status)
			check(input->requests);
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
