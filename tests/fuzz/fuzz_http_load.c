/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the readers of load generators for HTTP: figures, requests, or an error
 * with a message. */
#include <stdint.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/check_figures.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_wrk, data, size, check_summary);
	fuzz_reader(&weir_reader_ab, data, size, check_summary);
	fuzz_reader(&weir_reader_vegeta, data, size, check_summary);
	fuzz_reader(&weir_reader_artillery, data, size, check_summary);
	fuzz_reader(&weir_reader_autocannon, data, size, check_summary);
	fuzz_reader(&weir_reader_siege, data, size, check_summary);
	fuzz_reader(&weir_reader_bombardier, data, size, check_summary);
	fuzz_reader(&weir_reader_fortio, data, size, check_summary);
	fuzz_reader(&weir_reader_gatling, data, size, check_summary);
	fuzz_reader(&weir_reader_jmeter_stats, data, size, check_summary);
	check_reader(&weir_reader_vegeta_results, data, size);
	check_reader(&weir_reader_http_list, data, size);
	return 0;
}
