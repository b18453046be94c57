/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs any bytes through the readers of benchmark programs: runs of positive, finite values, or an
 * error with a message. hyperfine's times may be 0, with a warning, and so may metrics that are no
 * times, such as allocations. */
#include <math.h>
#include <string.h>

#include "engine/readers/benchmark/benchmark.h"
#include "engine/readers/readers.h"
#include "tests/fuzz/fuzz_reader.h"

static void check_table(const struct weir_series_table *table, bool zeros)
{
	require(table->count <= WEIR_BENCHMARK_MAX_NAMES);
	for (size_t i = 0; i < table->count; i++) {
		const struct weir_series *series = &table->items[i];
		bool none = zeros || (series->unit && strcmp(series->unit, "ns") != 0);

		require(series->count > 0 && series->name[0]);
		require(weir_series_find(table, series->name) == series);
		for (size_t j = 0; j < series->count; j++)
			require(isfinite(series->value[j]) &&
			        (series->value[j] > 0 || (none && series->value[j] == 0)));
	}
}

static void check_runs(const struct weir_input *input)
{
	bool zeros = input->warnings[WEIR_WARN_ZERO_TIME].count > 0;
	size_t runs = 0;

	require(input->run != NULL && input->events > 0);
	for (const struct weir_run *run = input->run; run; run = run->next) {
		check_table(&run->stages, zeros);
		check_table(&run->metrics, zeros);
		require(!run->next || run->stages.count + run->metrics.count > 0);
		runs++;
	}
	require(runs <= WEIR_BENCHMARK_MAX_RUNS);
	for (const struct weir_run *run = input->repeats; run; run = run->next) {
		require(run->next || run != input->repeats);
		for (size_t i = 0; i < run->metrics.count; i++)
			require(run->metrics.items[i].count <= WEIR_BENCHMARK_MAX_SAMPLES);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	fuzz_reader(&weir_reader_cargo_bench, data, size, check_runs);
	fuzz_reader(&weir_reader_criterion, data, size, check_runs);
	fuzz_reader(&weir_reader_go_bench, data, size, check_runs);
	fuzz_reader(&weir_reader_google_benchmark, data, size, check_runs);
	fuzz_reader(&weir_reader_hyperfine, data, size, check_runs);
	fuzz_reader(&weir_reader_jmh, data, size, check_runs);
	fuzz_reader(&weir_reader_llama_bench, data, size, check_runs);
	fuzz_reader(&weir_reader_optimum, data, size, check_runs);
	fuzz_reader(&weir_reader_pytest_benchmark, data, size, check_runs);
	fuzz_reader(&weir_reader_samples, data, size, check_runs);
	return 0;
}
