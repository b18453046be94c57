/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of benchmark results: a run of positive, finite values within the
 * limits of what is kept, or an error that says why. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "engine/readers/bench.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = weir_reader_bench.read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status) {
			require(input->run->stages.count + input->run->metrics.count > 0);
			require(input->run->label_count <= BENCH_MAX_LABELS + 1);
			check_table(&input->run->stages, 1);
			check_table(&input->run->metrics, 0);
		}
		weir_source_free(source);
	}
	weir_profile_free(profile);
	return 0;
}
