/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of rocprofv3's databases: what comes out is sorted, joined within
 * bounds and counted, or an error. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/trace_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	trace_checks_run(&weir_reader_rocpd, data, size);
	return 0;
}
