/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads any bytes as a weir.run/1 document: samples that are numbers, or an error with a
 * message. */
#include <math.h>

#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check_table(const struct weir_series_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		for (size_t j = 0; j < table->items[i].count; j++)
			require(isfinite(table->items[i].value[j]));
}

static void check_run(const struct weir_input *input)
{
	require(input->run != NULL);
	check_table(&input->run->stages);
	check_table(&input->run->device);
	check_table(&input->run->operators);
	check_table(&input->run->calls);
	check_table(&input->run->metrics);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_native, data, size, check_run);
	return 0;
}
