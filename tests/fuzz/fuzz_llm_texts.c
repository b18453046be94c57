/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the readers of texts that benchmarks of language models print: figures, or
 * an error with a message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_evalscope, data, size, check_summary);
	fuzz_reader(&weir_reader_inference_benchmarker, data, size, check_summary);
	fuzz_reader(&weir_reader_mlx_lm, data, size, check_summary);
	fuzz_reader(&weir_reader_tgi_benchmark, data, size, check_summary);
	fuzz_reader(&weir_reader_trtllm_cpp, data, size, check_summary);
	return 0;
}
