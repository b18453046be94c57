/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/requests/serving_goodput.h"
#include "engine/base/text.h"

#define REQUEST_STAGE "request" /* the whole, as runs name it */

/* The tightest limit of each stage, of the whole in the last entry; INFINITY: none. */
struct limits {
	double max_ns[WEIR_MAX_REQUEST_STAGES + 1];
	bool any;
};

static double limit_of(const struct weir_settings *settings, const char *stage)
{
	struct weir_text scope = {0};
	double max_ns = INFINITY;

	weir_text_printf(&scope, "stage:%s", stage);
	for (size_t i = 0; i < settings->slo_count; i++)
		if (weir_scope_matches(settings->slos[i].scope, scope.data))
			max_ns = fmin(max_ns, settings->slos[i].max_ns);
	weir_text_release(&scope);
	return max_ns;
}

static void limits_init(struct limits *limits, const struct weir_serving *serving,
                        const struct weir_settings *settings)
{
	size_t stages = serving->requests->stage_count;

	limits->any = false;
	for (size_t s = 0; s <= stages; s++) {
		limits->max_ns[s] = limit_of(
			settings, s < stages ? weir_requests_stage_name(serving->requests, s)
					     : REQUEST_STAGE);
		limits->any |= isfinite(limits->max_ns[s]);
	}
}

static bool keeps(const struct weir_serving *serving, size_t row, const struct limits *limits)
{
	size_t stages = serving->requests->stage_count;
	struct weir_stage_sums sums;

	if (serving->latency_ns[row] > limits->max_ns[stages])
		return false;
	weir_serving_sum(serving, row, &sums);
	for (size_t s = 0; s < stages; s++)
		if (sums.seen[s] && sums.ns[s] > limits->max_ns[s])
			return false;
	return true;
}

double weir_serving_goodput(const struct weir_serving *serving,
                            const struct weir_settings *settings)
{
	struct limits limits;
	double all = (double)serving->requests->count + (double)serving->requests->failed;
	size_t good = 0;

	limits_init(&limits, serving, settings);
	if (!limits.any)
		return NAN;
	for (size_t i = 0; i < serving->requests->count; i++)
		good += keeps(serving, i, &limits);
	return (double)good / all;
}
