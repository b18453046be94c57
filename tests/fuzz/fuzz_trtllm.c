/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of trtllm-bench's reports: figures or requests, or an error
 * with a message. */
#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check_reader(&weir_reader_trtllm, data, size);
	return 0;
}
