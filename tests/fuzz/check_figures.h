/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What holds for the run and the requests of any summary: what comparing relies on. */
#ifndef WEIR_TESTS_FUZZ_CHECK_FIGURES_H
#define WEIR_TESTS_FUZZ_CHECK_FIGURES_H

#include <math.h>
#include <string.h>

#include "engine/readers/figures.h"
#include "tests/fuzz/check_requests.h"

/* One finite value a figure, and none named twice. */
static inline void check_figures(const struct weir_run *run)
{
	require(run->metrics.count <= WEIR_FIGURE_MAX);
	require(run->label_count <= WEIR_FIGURE_MAX_LABELS + 8);
	for (size_t i = 0; i < run->metrics.count; i++) {
		const struct weir_series *series = &run->metrics.items[i];

		require(series->count == 1 && isfinite(series->value[0]));
		require(weir_series_find(&run->metrics, series->name) == series);
	}
}

/* Any bytes through a reader of summaries and records: something to compare, or an error. */
static inline void check_reader(const struct weir_reader *reader, const void *data, size_t size)
{
	struct weir_profile *profile = weir_profile_new();
	const struct weir_input *input = read_any(reader, data, size, profile);

	if (input) {
		require(input->run || input->requests);
		if (input->requests)
			check_requests(input->requests);
		if (input->run) {
			check_figures(input->run);
			check_gaps(input->run, 1u << 22);
			require(input->requests ||
			        input->run->stages.count + input->run->metrics.count > 0);
		}
	}
	weir_profile_free(profile);
}

#endif
