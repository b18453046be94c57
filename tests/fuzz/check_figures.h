/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on the run and the requests of a summary, which comparing relies on. */
#ifndef WEIR_TESTS_FUZZ_CHECK_FIGURES_H
#define WEIR_TESTS_FUZZ_CHECK_FIGURES_H

#include <math.h>
#include <string.h>

#include "engine/readers/parts/figures.h"
#include "tests/fuzz/check_requests.h"

/* Aborts unless each figure has one finite value and a name that no other has. */
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

/* Checks a summary that has figures only. */
static inline void check_summary(const struct weir_input *input)
{
	const struct weir_series_table *metrics = &input->run->metrics;

	check_figures(input->run);
	require(metrics->count > 0);
	for (size_t i = 0; i < metrics->count; i++)
		require(metrics->items[i].name[0] && metrics->items[i].unit &&
		        metrics->items[i].value[0] >= 0);
}

/* Checks a summary that has figures, requests or both. */
static inline void check_figures_or_requests(const struct weir_input *input)
{
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

/* Runs any bytes through a reader of summaries and requests. */
static inline void check_reader(const struct weir_reader *reader, const void *data, size_t size)
{
	fuzz_reader(reader, data, size, check_figures_or_requests);
}

#endif
