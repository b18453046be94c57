/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of weir.requests: requests that end after they start, whose parts
 * are times, or an error that says why. */
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
