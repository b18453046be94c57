/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of AIPerf's requests: requests and gaps between their
 * tokens, or an error with a message. */
#include "engine/readers/loadgen/client_requests.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/check_requests.h"

static void check(const struct weir_input *input)
{
	check_requests(input->requests);
	check_gaps(input->run, WEIR_CLIENT_MAX_GAPS);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_aiperf, data, size, check);
	return 0;
}
