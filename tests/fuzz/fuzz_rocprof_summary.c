/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of rocpd's and rocprofv3's printed summaries: figures, or an
 * error with a message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/trace_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	trace_checks_run(&weir_reader_rocprof_summary, data, size);
	return 0;
}
