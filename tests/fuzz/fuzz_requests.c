/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of weir.requests: requests that end after they start, with
 * parts that are times, or an error with a message. */
#include "engine/readers/readers.h"
#include "tests/fuzz/check_requests.h"

static void check(const struct weir_input *input)
{
	check_requests(input->requests);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_requests, data, size, check);
	return 0;
}
