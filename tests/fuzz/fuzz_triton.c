/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of Triton's traces: requests sorted by start, each with its
 * parts inside it, or an error with a message. */
#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

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

static void check(const struct weir_input *input)
{
	for (size_t i = 0; i < input->requests->count; i++)
		check_request(input->requests, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_triton, data, size, check);
	return 0;
}
