/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of JMeter: requests and times of labels, or an error with a
 * message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/check_requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_input(const struct weir_input *input)
{
	require(input->requests != NULL);
	check_requests(input->requests);
	check_gaps(input->run, 1u << 17);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_jmeter, data, size, check_input);
	return 0;
}
