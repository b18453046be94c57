/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the reader of console logs: a run of positive, finite values
 * within the limits, or an error with a message. */
#include <math.h>

#include "engine/readers/parts/figures.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

#define MAX_VALUES (1u << 22) /* of one series in the store */

static void check_table(const struct weir_series_table *table, int whole)
{
	for (size_t i = 0; i < table->count; i++) {
		const struct weir_series *series = &table->items[i];

		require(series->count > 0 && series->count <= MAX_VALUES);
		for (size_t j = 0; j < series->count; j++) {
			require(isfinite(series->value[j]) && series->value[j] > 0);
			require(!whole || series->value[j] == floor(series->value[j]));
		}
	}
}

static void check(const struct weir_input *input)
{
	require(input->run->stages.count + input->run->metrics.count > 0);
	require(input->run->label_count <= WEIR_FIGURE_MAX_LABELS + 1);
	check_table(&input->run->stages, 1);
	check_table(&input->run->metrics, 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_bench_console, data, size, check);
	return 0;
}
