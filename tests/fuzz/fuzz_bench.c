/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of benchmark results: a run of positive, finite values within the
 * limits of what is kept, or an error that says why. */
#include <math.h>

#include "engine/readers/loadgen/bench.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check_table(const struct weir_series_table *table, int whole)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct weir_series *series = &table->items[i];

		require(series->count > 0 && series->count <= BENCH_MAX_REQUESTS);
		for (size_t j = 0; j < series->count; j++) {
			require(isfinite(series->value[j]) && series->value[j] > 0);
			require(!whole || series->value[j] == floor(series->value[j]));
		}
	}
}

static void check(const struct weir_input *input)
{
	require(input->run->stages.count + input->run->metrics.count > 0);
	require(input->run->label_count <= BENCH_MAX_LABELS + 1);
	check_table(&input->run->stages, 1);
	check_table(&input->run->metrics, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_bench, data, size, check);
	return 0;
}
