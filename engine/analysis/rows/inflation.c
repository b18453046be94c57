/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/analysis/rows/rows.h"
#include "engine/stats/quantile.h"

static double stage_p50(const struct weir_analysis *analysis, const struct weir_stage_merge *merge)
{
	size_t count;
	double *durations = weir_stage_durations(analysis, merge, NULL, &count);
	double median = weir_median(durations, count);

	free(durations);
	return median;
}

static double series_p50(const struct weir_series *series)
{
	return weir_median(series->value, series->count);
}

/* Returns the inflation over the stages that both have; NAN: none has the same name. */
static double by_name(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_run *run)
{
	double profiled_ns = 0, plain_ns = 0;

	for (size_t m = 0; m < merges->count; m++) {
		const struct weir_series *series =
			weir_series_find(&run->stages, merges->items[m].name);
		double here_ns, there_ns;

		if (!series)
			continue;
		here_ns = stage_p50(analysis, &merges->items[m]);
		there_ns = series_p50(series);
		if (isnan(here_ns) || isnan(there_ns))
			continue;
		profiled_ns += here_ns;
		plain_ns += there_ns;
	}
	return plain_ns > 0 ? profiled_ns / plain_ns : NAN;
}

static double by_step(const struct weir_analysis *analysis, const struct weir_stage_merges *merges,
                      const struct weir_run *run, const struct weir_report *report)
{
	double profiled_ns = NAN, plain_ns;

	if (run->stages.count != 1)
		return NAN;
	if (report->iteration_count > 0)
		profiled_ns = report->iteration.p50_ns;
	else if (merges->count == 1)
		profiled_ns = stage_p50(analysis, &merges->items[0]);
	plain_ns = series_p50(&run->stages.items[0]);
	return plain_ns > 0 ? profiled_ns / plain_ns : NAN;
}

void weir_fill_inflation(const struct weir_analysis *analysis,
                         const struct weir_stage_merges *merges, struct weir_report *report)
{
	const struct weir_profile *profile = analysis->profile;

	for (size_t i = 0; i < profile->input_count && report->has_gpu; i++) {
		const struct weir_run *run = profile->inputs[i].run;
		double inflation;

		if (!run)
			continue;
		inflation = by_name(analysis, merges, run);
		if (isnan(inflation))
			inflation = by_step(analysis, merges, run, report);
		if (isnan(inflation))
			continue;
		report->profiler = (struct weir_profiler_cost){
			inflation, weir_arena_copy(report->arena, profile->inputs[i].path,
		                                   strlen(profile->inputs[i].path))};
		return;
	}
}
