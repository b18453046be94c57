/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rows/what_if.h"
#include "engine/base/text.h"
#include "engine/model/template.h"
#include "engine/pipeline/recommend.h"

#define WORTH_LISTING 1.03 /* advice with a smaller speed-up is left out */

static const char *expand(struct weir_report *report, const char *template)
{
	struct weir_text text = {0};
	const char *copy;

	if (!template)
		return NULL;
	weir_template_expand_known(template, report->feature_table, report->features, &text);
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

/* Caps a typical speed-up; NAN stays NAN, and a limit of NAN caps nothing. */
static double at_most(double speedup, double limit)
{
	return isnan(speedup) || isnan(limit) ? speedup : fmin(speedup, limit);
}

/* Predicts the effect of the advised change; members are NAN without a timeline or a change. */
static struct weir_what_if ask(struct weir_retimer *retimer, const struct weir_advice *advice)
{
	struct weir_what_if out = {.step_ns = NAN, .speedup = NAN};

	if (retimer && advice->has_change)
		weir_retimer_ask(retimer, &advice->change, &out);
	return out;
}

/* Caps a prediction by the limit: step and speed-up agree. */
static void cap_saving(double limit, struct weir_what_if *saving)
{
	if (!(saving->speedup > limit))
		return;
	saving->step_ns *= saving->speedup / limit;
	saving->speedup = limit;
}

void weir_recommend(const struct weir_analysis *analysis, struct weir_report *report,
                    const struct weir_advice *advice, size_t count)
{
	struct weir_retimer *retimer =
		report->has_gpu && count > 0 ? weir_retimer_new(analysis, report) : NULL;

	report->recommendations =
		weir_arena_alloc(report->arena, (count + 1) * sizeof *report->recommendations);
	report->recommendation_count = 0;
	for (size_t i = 0; i < count; i++) {
		struct weir_recommendation *out =
			&report->recommendations[report->recommendation_count];
		struct weir_what_if saving = ask(retimer, &advice[i]);
		double limit = limit_of(advice[i].share), cap = fmin(limit, saving.speedup);

		if (cap < WORTH_LISTING)
			continue;
		cap_saving(limit, &saving);
		report->recommendation_count++;
		*out = (struct weir_recommendation){
			.id = advice[i].id,
			.title = expand(report, advice[i].title),
			.why = expand(report, advice[i].why),
			.effort = advice[i].effort,
			.low = at_most(advice[i].low, cap),
			.high = at_most(advice[i].high, cap),
			.limit = limit,
			.saving_class = isnan(saving.step_ns) ? NULL : saving.class_name,
			.saving_factor = advice[i].change.factor,
			.saving_step_ns = saving.step_ns,
			.saving_speedup = saving.speedup,
		};
	}
	weir_retimer_free(retimer);
}
