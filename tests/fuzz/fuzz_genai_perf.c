/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Any bytes through the reader of summaries of GenAI-Perf and AIPerf: figures that are finite and
 * not negative, each under a name of its own, or an error that says why. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/readers/figures.h"
#include "engine/readers/readers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int truth)
{
	if (!truth)
		abort();
}

static void check_run(const struct weir_run *run)
{
	require(run->metrics.count > 0 && run->metrics.count <= WEIR_FIGURE_MAX);
	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *metric = &run->metrics.items[i];

		require(metric->name[0] && metric->unit && metric->count == 1);
		require(isfinite(metric->value[0]) && metric->value[0] >= 0);
		require(weir_series_find(&run->metrics, metric->name) == metric);
	}
}

static void read_with(const struct weir_reader *reader, const uint8_t *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	struct weir_input *input = weir_profile_add_input(profile, "fuzz");
	struct weir_source *source;
	struct weir_error err = {0};

	if (!weir_source_open_memory("fuzz", data, size, &source, &err)) {
		enum weir_status status = reader->read(source, input, &err);

		require(!status == !err.message[0]);
		if (!status)
			check_run(input->run);
		weir_source_free(source);
	}
	weir_profile_free(profile);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_with(&weir_reader_genai_perf, data, size);
	return 0;
}
