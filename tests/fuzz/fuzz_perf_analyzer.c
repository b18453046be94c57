/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of perf_analyzer's exports: requests and gaps between their tokens,
 * or an error that says why. */
#include <stdint.h>

#include "engine/readers/client_requests.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/check_requests.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_any(&weir_reader_perf_analyzer, data, size, profile);

	if (input) {
		check_requests(input->requests);
		check_gaps(input->run, WEIR_CLIENT_MAX_GAPS);
	}
	weir_profile_free(profile);
	return 0;
}
