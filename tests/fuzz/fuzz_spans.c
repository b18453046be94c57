/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Any bytes through the readers of spans: requests in the order of their starts, each with its
 * parts inside of it, or an error that says why.
 */
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

static void read_as(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = reader->read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status) {
			require(input->requests->count > 0);
			for (size_t i = 0; i < input->requests->count; i++)
				check_request(input->requests, i);
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	require(weir_reader_otlp.sniff((const char *)data, size) >= 0);
	require(weir_reader_jaeger.sniff((const char *)data, size) >= 0);
	require(weir_reader_zipkin.sniff((const char *)data, size) >= 0);
	read_as(&weir_reader_otlp, data, size);
	read_as(&weir_reader_jaeger, data, size);
	read_as(&weir_reader_zipkin, data, size);
	return 0;
}
