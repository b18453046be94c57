/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the readers of tables with a row a load point: figures that are finite and not
 * negative, each under a name of its own, or an error that says why. */
#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_perf_analyzer_csv, data, size, check_summary);
	fuzz_reader(&weir_reader_model_analyzer, data, size, check_summary);
	return 0;
}
