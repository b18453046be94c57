/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/cli/recommend.h"

#include <math.h>

#include "engine/base/text.h"
#include "engine/model/template.h"

static const char *expand(struct weir_report *report, const char *template)
{
	struct weir_text text = {0};
	const char *copy;

	if (!template)
		return NULL;
	weir_template_expand(template, report->feature_table, report->features, &text);
	copy = weir_arena_copy(report->arena, text.data ? text.data : "", text.length);
	weir_text_release(&text);
	return copy;
}

static double limit_of(double share)
{
	if (isnan(share) || share < 0)
		return NAN;
	return share < 1 ? 1 / (1 - share) : INFINITY;
}

void weir_recommend(struct weir_report *report, const struct weir_advice *advice, size_t count)
{
	report->recommendations = weir_arena_alloc(
		report->arena, (count + 1) * sizeof *report->recommendations);
	for (size_t i = 0; i < count; i++) {
		struct weir_recommendation *out = &report->recommendations[i];

		*out = (struct weir_recommendation){
			.id = advice[i].id,
			.title = expand(report, advice[i].title),
			.why = expand(report, advice[i].why),
			.effort = advice[i].effort,
			.low = advice[i].low,
			.high = advice[i].high,
			.limit = limit_of(advice[i].share),
		};
	}
	report->recommendation_count = count;
}
