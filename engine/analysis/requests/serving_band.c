/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/requests/serving_band.h"
#include "engine/stats/quantile.h"

#define HALF_WIDTH 0.025

static const enum weir_spent spent_of_class[WEIR_PART_CLASSES] = {
	[WEIR_PART_QUEUE] = WEIR_SPENT_WAIT_UNKNOWN, [WEIR_PART_ASSEMBLY] = WEIR_SPENT_ASSEMBLY,
	[WEIR_PART_BEFORE] = WEIR_SPENT_BEFORE,      [WEIR_PART_AFTER] = WEIR_SPENT_AFTER,
	[WEIR_PART_COPY] = WEIR_SPENT_COPY,          [WEIR_PART_COMPUTE] = WEIR_SPENT_COMPUTE,
	[WEIR_PART_OTHER] = WEIR_SPENT_OTHER,
};

/* One request while it is added up. */
struct tally {
	struct weir_band *band;
	const struct weir_requests *requests;
	const enum weir_part_class *classes;
	const struct weir_load *load;
};

static double parts_ns(const struct weir_requests *requests, size_t row)
{
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	double sum_ns = 0;

	while (weir_part_walk_next(&walk, &part))
		sum_ns += (double)weir_span_ns(part.start_ns, part.end_ns);
	return sum_ns;
}

/* Of computation, what host work adds to it is not the device's. */
static void add_compute(const struct tally *tally, double *spent_ns, enum weir_spent spent,
                        double ns)
{
	spent_ns[spent] += ns * (1 - tally->band->stolen);
	spent_ns[WEIR_SPENT_STOLEN] += ns * tally->band->stolen;
}

static void add_part(const struct tally *tally, const struct weir_part *part, double scale)
{
	double *spent_ns = tally->band->spent_ns[part->stage];
	enum weir_part_class class = tally->classes[part->stage];
	double ns = (double)weir_span_ns(part->start_ns, part->end_ns) * scale;
	struct weir_wait wait;

	if (class == WEIR_PART_COMPUTE) {
		add_compute(tally, spent_ns, WEIR_SPENT_COMPUTE, ns);
		return;
	}
	if (class != WEIR_PART_QUEUE || !tally->load) {
		spent_ns[spent_of_class[class]] += ns;
		return;
	}
	wait = weir_load_split(tally->load, part->start_ns, part->end_ns);
	add_compute(tally, spent_ns, WEIR_SPENT_WAIT_COMPUTE,
	            (double)wait.behind_ns[WEIR_RESOURCE_COMPUTE] * scale);
	spent_ns[WEIR_SPENT_WAIT_COPY] += (double)wait.behind_ns[WEIR_RESOURCE_COPY] * scale;
	spent_ns[WEIR_SPENT_WAIT_HOST] += (double)wait.behind_ns[WEIR_RESOURCE_HOST] * scale;
	spent_ns[WEIR_SPENT_WAIT_IDLE] += (double)wait.idle_ns * scale;
}

static void add_request(const struct tally *tally, size_t row)
{
	const struct weir_requests *requests = tally->requests;
	struct weir_part_walk walk = weir_part_walk_on(requests, row);
	struct weir_part part;
	double latency_ns = (double)weir_span_ns(requests->start_ns[row], requests->end_ns[row]);
	double sum_ns = parts_ns(requests, row);
	double scale = sum_ns > latency_ns ? latency_ns / sum_ns : 1;

	while (weir_part_walk_next(&walk, &part))
		add_part(tally, &part, scale);
	if (latency_ns > sum_ns)
		tally->band->spent_ns[requests->stage_count][WEIR_SPENT_OTHER] +=
			latency_ns - sum_ns;
	tally->band->total_ns += latency_ns;
	tally->band->requests++;
}

void weir_band_fill(struct weir_band *band, const struct weir_requests *requests,
                    const enum weir_part_class *classes, const struct weir_load *load,
                    const double *sorted_ns)
{
	const struct tally tally = {band, requests, classes, load};
	double p = band->percentile, half = fmin(HALF_WIDTH, (1 - p) / 2);
	double low_ns = weir_quantile_sorted(sorted_ns, requests->count, p - half);
	double high_ns = weir_quantile_sorted(sorted_ns, requests->count, p + half);
	/* Of few requests none may lie between: the nearest order statistic always does. */
	double nearest_ns = requests->count
	                            ? sorted_ns[(size_t)lround(p * (double)(requests->count - 1))]
	                            : NAN;

	low_ns = fmin(low_ns, nearest_ns);
	high_ns = fmax(high_ns, nearest_ns);
	for (size_t i = 0; i < requests->count; i++) {
		double latency_ns =
			(double)weir_span_ns(requests->start_ns[i], requests->end_ns[i]);

		if (latency_ns >= low_ns && latency_ns <= high_ns)
			add_request(&tally, i);
	}
}

double weir_band_share(const struct weir_band *band, enum weir_spent spent)
{
	double sum_ns = 0;

	for (size_t s = 0; s <= WEIR_MAX_REQUEST_STAGES; s++)
		sum_ns += band->spent_ns[s][spent];
	return band->total_ns > 0 ? sum_ns / band->total_ns : NAN;
}

double weir_band_stage_share(const struct weir_band *band, size_t stage)
{
	double sum_ns = 0;

	for (int i = 0; i < WEIR_SPENT_COUNT; i++)
		sum_ns += band->spent_ns[stage][i];
	return band->total_ns > 0 ? sum_ns / band->total_ns : NAN;
}
