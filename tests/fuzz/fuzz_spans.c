/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs any bytes through the readers of spans: requests sorted by start, each with its parts inside
 * it, or an error with a message.
 */
#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check_request(const struct weir_requests *requests, size_t row)
{
	int64_t length = requests->end_ns[row] - requests->start_ns[row];

	require(length >= 0);
	require(!row || requests->start_ns[row - 1] <= requests->start_ns[row]);
	require(requests->first_token_ns[row] >= -1 && requests->first_token_ns[row] <= length);
	require(requests->batch_size[row] == -1 || requests->batch_size[row] > 0);
	require(requests->part_count[row] <= WEIR_MAX_REQUEST_PARTS);
	for (size_t i = 0; i < requests->part_count[row]; i++) {
		uint64_t part = requests->part_first[row] + i;

		require(part < requests->parts);
		require(requests->part_stage[part] < requests->stage_count);
		require(requests->part_ns[part] >= 0 && requests->part_offset_ns[part] >= 0);
		require(requests->part_offset_ns[part] <= length);
	}
}

static void check(const struct weir_input *input)
{
	require(input->requests->count > 0);
	for (size_t i = 0; i < input->requests->count; i++)
		check_request(input->requests, i);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_otlp, data, size, check);
	fuzz_reader(&weir_reader_otel_sdk, data, size, check);
	fuzz_reader(&weir_reader_jaeger, data, size, check);
	fuzz_reader(&weir_reader_zipkin, data, size, check);
	return 0;
}
