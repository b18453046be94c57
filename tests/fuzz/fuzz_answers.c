/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the readers of times of answers: requests with parts that end within them,
 * or an error with a message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/check_requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_input(const struct weir_input *input)
{
	const struct weir_requests *requests = input->requests;

	require(requests != NULL);
	check_requests(requests);
	for (size_t i = 0; i < requests->count; i++) {
		int64_t sum_ns = 0;

		for (size_t j = 0; j < requests->part_count[i]; j++)
			sum_ns += requests->part_ns[requests->part_first[i] + j];
		require(sum_ns <= requests->end_ns[i] - requests->start_ns[i]);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_ollama, data, size, check_input);
	fuzz_reader(&weir_reader_whisper, data, size, check_input);
	return 0;
}
