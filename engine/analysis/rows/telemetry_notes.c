/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "engine/analysis/rows/rows.h"
#include "engine/base/text.h"

#define APART_SHARE 0.01 /* difference in utilisation that is worth a note */
#define APART_POWER 0.05 /* difference in power, as a share of the higher */

/* Appends "utilisation 97 %, 416 W" with the figures that are known. */
static void put_use(const struct weir_device_use *use, struct weir_text *out)
{
	if (!isnan(use->utilization)) {
		weir_text_puts(out, "utilisation ");
		weir_text_share(out, use->utilization);
	}
	if (!isnan(use->utilization) && !isnan(use->power_w))
		weir_text_puts(out, ", ");
	if (!isnan(use->power_w))
		weir_text_printf(out, "%.3g W", use->power_w);
}

/* True if the mean over all devices hides a difference between them. */
static bool are_apart(const struct weir_device_use *busiest, const struct weir_device_use *idlest)
{
	if (!busiest->id || !idlest->id)
		return false;
	if (!isnan(busiest->utilization) && !isnan(idlest->utilization))
		return busiest->utilization - idlest->utilization >= APART_SHARE;
	return busiest->power_w - idlest->power_w >= APART_POWER * busiest->power_w;
}

static void note_devices(const struct weir_telemetry_figures *telemetry, struct weir_report *report)
{
	struct weir_text busiest = {0}, idlest = {0};

	if (!are_apart(&telemetry->busiest, &telemetry->idlest))
		return;
	put_use(&telemetry->busiest, &busiest);
	put_use(&telemetry->idlest, &idlest);
	weir_report_note(report, "devices",
	                 "means over all samples: device %s is the busiest (%s), device %s the "
	                 "idlest (%s)",
	                 telemetry->busiest.id, busiest.data, telemetry->idlest.id, idlest.data);
	weir_text_release(&busiest);
	weir_text_release(&idlest);
}

void weir_note_telemetry(struct weir_report *report)
{
	const struct weir_telemetry_figures *telemetry = &report->telemetry;

	if (!report->has_telemetry)
		return;
	note_devices(telemetry, report);
	if (!isnan(telemetry->board_power_w))
		weir_report_note(report, "board_power",
		                 "the whole board, host and device, takes %.3g W%s, %.3g W at "
		                 "most%s",
		                 telemetry->board_power_w,
		                 telemetry->utilization > telemetry->utilization_all
		                         ? " while the device is in use"
		                         : "",
		                 telemetry->board_power_max_w,
		                 isnan(telemetry->power_w)
		                         ? "; the monitor states no power of the device alone"
		                         : "");
}
