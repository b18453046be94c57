/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of Triton's traces: requests in order of their start whose parts lie
 * in them, or an error that says why. */
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_request(const struct weir_requests *requests, size_t row)
{
	int64_t duration_ns = requests->end_ns[row] - requests->start_ns[row];
	uint64_t first = requests->part_first[row];

	require(requests->start_ns[row] >= 0 && duration_ns >= 0);
	require(!row || requests->start_ns[row - 1] <= requests->start_ns[row]);
	require(first + requests->part_count[row] <= requests->parts);
	for (uint64_t i = first; i < first + requests->part_count[row]; i++) {
		require(requests->part_stage[i] < requests->stage_count);
		require(requests->part_ns[i] >= 0 && requests->part_offset_ns[i] >= 0);
		require(requests->part_offset_ns[i] <= duration_ns - requests->part_ns[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_triton.read(source, input, &err);

		require(!status == !err.message[0]);
		for (size_t i = 0; !status && i < input->requests->count; i++)
			check_request(input->requests, i);
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
