/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of results of InferenceX: finite figures that are not negative,
 * each with its own name, or an error with a message. */
#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_bench_inferencex, data, size, check_summary);
	return 0;
}
