/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the requests of a run cost. A request holds the device in its computation and copies, shared
 * with the others of its batch; what the stages account for is scaled to the time in which any
 * request held it (engine/analysis/requests/cost.h), so that the parts add up to the bill.
 */
#ifndef WEIR_ANALYSIS_SERVING_COST_H
#define WEIR_ANALYSIS_SERVING_COST_H

#include "engine/analysis/requests/price.h"
#include "engine/analysis/requests/serving.h"
#include "engine/model/report.h"

/* Devices paid for, and who says so. */
struct weir_serving_devices {
	double count;
	bool assumed; /* nobody says: one */
};

/* stage_cost: one a row of weir_serving_rows() in stage numbers (not in order), for one request;
 * room for WEIR_MAX_REQUEST_STAGES. False where no price is known, or requests do not say the time
 * they took of the whole. */
bool weir_serving_cost(const struct weir_serving *serving, const struct weir_price *price,
                       double devices, struct weir_cost *out, double *stage_cost);

/* Fills report->requests.cost and the cost of its stages; notes what the price or the devices are
 * assumed from. */
void weir_serving_price(const struct weir_serving *serving, const struct weir_profile *profile,
                        const struct weir_settings *settings, struct weir_report *report);

/* Devices of the profile: those that monitors saw, else those of timelines, else one. */
struct weir_serving_devices weir_serving_devices_of(const struct weir_profile *profile);

#endif
