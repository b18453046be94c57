/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of bench_one_batch's results: figures, or an error with a
 * message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_one_batch, data, size, check_summary);
	return 0;
}
