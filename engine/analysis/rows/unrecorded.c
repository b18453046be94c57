/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Withdraws figures that a trace with copies and without kernels cannot show: the device may have
 * run kernels between the copies that the profiler was not asked to record. */
#include <math.h>
#include <string.h>

#include "engine/analysis/names/apis.h"
#include "engine/analysis/rows/rows.h"

/* Calls of the driver or runtime that a rank recorded. */
enum calls {
	NO_CALLS,
	OTHER_CALLS,
	LAUNCHES,
};

/* Returns true for calls among which a launch would be. HSA has none: programs write its packets.
 */
static bool would_show_launches(const struct weir_timeline *timeline, uint32_t name)
{
	enum weir_api_class class = timeline->api_class[name];

	return class != WEIR_API_OTHER && !weir_api_is_system(class) &&
	       strncmp(weir_names_text(timeline->trace->names, name), "hsa_", 4) != 0;
}

static enum calls calls_of(const struct weir_timeline *timeline)
{
	const struct weir_host_columns *host = &timeline->trace->host;
	enum calls most = NO_CALLS;

	for (size_t i = 0; i < host->count && most < LAUNCHES; i++) {
		enum weir_api_class class = timeline->api_class[host->name[i]];

		if (host->kind[i] != WEIR_HOST_API || !would_show_launches(timeline, host->name[i]))
			continue;
		most = class == WEIR_API_LAUNCH || class == WEIR_API_GRAPH_LAUNCH ? LAUNCHES
		                                                                  : OTHER_CALLS;
	}
	return most;
}

/* Recorded calls without a launch show that no kernel ran. */
bool weir_kernels_unrecorded(const struct weir_analysis *analysis, const struct weir_ledger *total)
{
	enum calls most = NO_CALLS;

	if (total->kernels > 0 || total->works == 0)
		return false;
	for (size_t r = 0; r < analysis->rank_count; r++) {
		enum calls calls = calls_of(&analysis->ranks[r].timeline);

		most = calls > most ? calls : most;
	}
	return most != OTHER_CALLS;
}

void weir_withdraw_idle(struct weir_report *report)
{
	struct weir_gpu_figures *gpu = &report->gpu;

	gpu->active = gpu->idle = gpu->compute = NAN;
	gpu->communication = gpu->exposed_communication = gpu->exposed_memcpy = NAN;
	gpu->graph_share = gpu->modelled_share = gpu->mfu = gpu->mbu = NAN;
	gpu->queue.starved_share = NAN;
	for (int idle = 0; idle < WEIR_IDLE_COUNT; idle++) {
		gpu->idle_share[idle] = NAN;
		gpu->idle_cause[idle] = (struct weir_idle_cause){0};
	}
	for (size_t i = 0; i < report->rank_row_count; i++)
		report->ranks[i].active = report->ranks[i].exposed_communication = NAN;
}

void weir_withdraw_idle_features(const struct weir_report *report, double *values)
{
	double works = values[WEIR_F_DEVICE_WORKS];

	weir_features_clear(values);
	values[WEIR_F_DEVICE_WORKS] = works;
	values[WEIR_F_COPIES] = report->gpu.memcpy;
	values[WEIR_F_KERNELS_UNRECORDED] = 1;
}
