/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on the requests of an input, which the analysis relies on. */
#ifndef WEIR_TESTS_FUZZ_CHECK_REQUESTS_H
#define WEIR_TESTS_FUZZ_CHECK_REQUESTS_H

#include "tests/fuzz/fuzz_reader.h"

static inline void check_requests(const struct weir_requests *requests)
{
	require(requests->count > 0);
	for (size_t i = 0; i < requests->count; i++) {
		size_t first = requests->part_first[i];

		require(requests->start_ns[i] <= requests->end_ns[i]);
		require(!i || requests->start_ns[i - 1] <= requests->start_ns[i]);
		require(requests->first_token_ns[i] <= requests->end_ns[i] - requests->start_ns[i]);
		require(first + requests->part_count[i] <= requests->parts);
		for (size_t j = first; j < first + requests->part_count[i]; j++) {
			require(requests->part_ns[j] >= 0);
			require(requests->part_stage[j] < requests->stage_count);
		}
	}
}

/* Aborts unless the times between tokens are positive and within the limit of kept ones. */
static inline void check_gaps(const struct weir_run *run, size_t most)
{
	for (size_t i = 0; run && i < run->stages.count; i++) {
		const struct weir_series *series = &run->stages.items[i];

		require(series->count > 0 && series->count <= most);
		for (size_t j = 0; j < series->count; j++)
			require(series->value[j] > 0);
	}
}

#endif
