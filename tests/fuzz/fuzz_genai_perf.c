/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of summaries of GenAI-Perf and AIPerf: figures that are finite and
 * not negative, each under a name of its own, or an error that says why. */
#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_genai_perf, data, size, check_summary);
	return 0;
}
