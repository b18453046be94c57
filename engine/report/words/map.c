/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/words/map.h"

#define SAME        1e-9 /* smaller differences between percentiles are rounding */
#define WORTH_A_ROW 1e-3 /* smaller shares of time between stages get no row */
#define USUAL_ASKED 0.95

static double percentile_of(const struct weir_report *report, enum weir_map_place place)
{
	switch (place) {
	case WEIR_MAP_P50:
		return 0.50;
	case WEIR_MAP_P99:
		return 0.99;
	case WEIR_MAP_ASKED:
	case WEIR_MAP_PLACES:
		break;
	}
	return isnan(report->percentile) ? USUAL_ASKED : report->percentile;
}

bool weir_map_has_place(const struct weir_report *report, enum weir_map_place place)
{
	return place == WEIR_MAP_ASKED ||
	       fabs(percentile_of(report, place) - percentile_of(report, WEIR_MAP_ASKED)) > SAME;
}

void weir_map_label(const struct weir_report *report, enum weir_map_place place,
                    struct weir_text *out)
{
	weir_text_printf(out, "p%.10g", round(percentile_of(report, place) * 1e8) / 1e6);
}

double weir_map_share(const struct weir_stage_row *stage, enum weir_map_place place)
{
	switch (place) {
	case WEIR_MAP_P50:
		return stage->p50_share;
	case WEIR_MAP_ASKED:
		return stage->p95_share;
	case WEIR_MAP_P99:
		return stage->p99_share;
	case WEIR_MAP_PLACES:
		break;
	}
	return NAN;
}

double weir_map_quantile(const struct weir_report *report,
                         const struct weir_distribution *distribution, enum weir_map_place place)
{
	const struct {
		double percentile, ns;
	} kept[] = {{0.50, distribution->p50_ns},
	            {0.90, distribution->p90_ns},
	            {0.95, distribution->p95_ns},
	            {0.99, distribution->p99_ns}};

	for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++)
		if (fabs(kept[i].percentile - percentile_of(report, place)) <= SAME)
			return kept[i].ns;
	return NAN;
}

const struct weir_quantile_bounds *weir_map_bounds(const struct weir_report *report,
                                                   const struct weir_stage_counted *counted,
                                                   enum weir_map_place place)
{
	static const double percentiles[] = {0.50, 0.90, 0.95, 0.99};

	for (size_t i = 0; counted && i < sizeof percentiles / sizeof *percentiles; i++) {
		const struct weir_quantile_bounds *kept[] = {&counted->p50, &counted->p90,
		                                             &counted->p95, &counted->p99};

		if (fabs(percentiles[i] - percentile_of(report, place)) <= SAME)
			return isnan(kept[i]->low_ns) ? NULL : kept[i];
	}
	return NULL;
}

static bool is_between(const struct weir_stage_row *stage)
{
	return stage->name && strcmp(stage->name, WEIR_BETWEEN_STAGES) == 0;
}

bool weir_map_holds(const struct weir_report *report, size_t stage)
{
	const struct weir_stage_row *row = &report->stages[stage];

	if (row->view != WEIR_VIEW_REQUEST)
		return false;
	if (!is_between(row))
		return true;
	for (int place = 0; place < WEIR_MAP_PLACES; place++)
		if (weir_map_share(row, (enum weir_map_place)place) >= WORTH_A_ROW)
			return true;
	return false;
}

bool weir_map_is_counted(const struct weir_report *report)
{
	bool counted = false;

	for (size_t i = 0; i < report->stage_count; i++) {
		if (report->stages[i].view == WEIR_VIEW_REQUEST)
			return false;
		counted |= report->stages[i].view == WEIR_VIEW_COUNTED;
	}
	return counted;
}

double weir_map_total(const struct weir_report *report, enum weir_map_place place)
{
	double total = 0;

	for (size_t i = 0; i < report->stage_count; i++)
		if (weir_map_holds(report, i))
			total += fmax(weir_map_share(&report->stages[i], place), 0);
	return total;
}
