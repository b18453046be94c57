/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes as a database of Nsight Systems: what comes out is sorted, joined within bounds and
 * counted, or an error that says why. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/trace_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	trace_checks_run(&weir_reader_nsys, data, size);
	return 0;
}
