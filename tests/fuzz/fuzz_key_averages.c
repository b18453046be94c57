/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of the profiler's tables: figures, or an error. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/trace_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	trace_checks_run(&weir_reader_key_averages, data, size);
	return 0;
}
