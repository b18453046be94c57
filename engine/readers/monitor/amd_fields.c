/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>

#include "engine/base/text.h"
#include "engine/readers/monitor/amd_fields.h"

#define MAX_WARNING 96 /* bytes that are kept */

#define SEVERAL 2 /* sensors; some devices lack one, such as the power of a second die */

/* Columns of `rocm-smi --csv`, keys of a card of `rocm-smi --json`. The hottest sensor comes first:
 * clocks follow it, and amd-smi monitors no other. */
const struct weir_monitor_field weir_rocm_fields[] = {
	{"device", WEIR_MONITOR_DEVICE, 0, NULL},
	{"Card Series", WEIR_MONITOR_NAME, 0, NULL},
	{"Device Name", WEIR_MONITOR_NAME, 0, NULL},
	{"Card Model", WEIR_MONITOR_NAME, 0, NULL},
	{"GFX Version", WEIR_MONITOR_NAME, 0, NULL},
	GAUGE("GPU use (%)", UTILIZATION, "%"),
	GAUGE("GPU use", UTILIZATION, "%"),
	GAUGE("GPU Memory Read/Write Activity (%)", MEMORY_ACTIVITY, "%"),
	GAUGE("GPU memory use (%)", MEMORY_ACTIVITY, "%"),
	GAUGE("GPU Memory Allocated (VRAM%)", MEMORY_USED_SHARE, "%"),
	GAUGE("VRAM Total Used Memory (B)", MEMORY_USED_BYTES, "B"),
	GAUGE("VRAM Total Memory (B)", MEMORY_TOTAL_BYTES, "B"),
	GAUGE("Current Socket Graphics Package Power (W)", POWER_W, "W"),
	GAUGE("Average Graphics Package Power (W)", POWER_W, "W"),
	GAUGE("Power (W)", POWER_W, "W"),
	GAUGE("Average Graphics Package Power", POWER_W, "W"), /* ROCm 1 and 2 */
	GAUGE("Max Graphics Package Power (W)", POWER_LIMIT_W, "W"),
	GAUGE("sclk clock speed:", SM_CLOCK_MHZ, "MHz"),
	GAUGE("sclk clock speed", SM_CLOCK_MHZ, "MHz"),
	GAUGE("mclk clock speed:", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mclk clock speed", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("Temperature (Sensor junction) (C)", TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor edge) (C)", TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor #1) (C)", TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor #1)", TEMPERATURE_C, "C"),
	GAUGE("Temperature", TEMPERATURE_C, "C"), /* ROCm 1 */
	GAUGE("Temperature (Sensor memory) (C)", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor mem) (C)", MEMORY_TEMPERATURE_C, "C"), /* ROCm 2 */
	GAUGE("Accumulated Energy (uJ)", ENERGY_J, "uJ"),
	END,
};

_Static_assert(sizeof(weir_rocm_fields) / sizeof(weir_rocm_fields[0]) <= WEIR_ROCM_MAX_FIELDS,
               "a report has room for every field");

void weir_rocm_see(struct weir_rocm_seen *seen, const struct weir_monitor_field *field,
                   struct weir_slice cell)
{
	bool number = false, zero = true;

	/* A limit is a setting. */
	if (field->kind != WEIR_MONITOR_GAUGE || !cell.length ||
	    field->what == WEIR_GAUGE_POWER_LIMIT_W)
		return;
	for (size_t i = 0; i < cell.length; i++) {
		number |= isdigit((unsigned char)cell.data[i]) != 0;
		zero &= !(cell.data[i] >= '1' && cell.data[i] <= '9');
	}
	if (field->what == WEIR_GAUGE_UTILIZATION || field->what == WEIR_GAUGE_MEMORY_USED_SHARE)
		seen->measured |= number && !zero;
	else
		seen->measured |= number;
	seen->missing += !number;
}

bool weir_rocm_unreadable(const struct weir_rocm_seen *seen, struct weir_input *input, uint64_t at)
{
	if (seen->measured || seen->missing < SEVERAL)
		return false;
	weir_input_warn(input, WEIR_WARN_SKIPPED_EVENT, at,
	                "a device that rocm-smi could not read");
	return true;
}

bool weir_rocm_warning(struct weir_monitor *monitor, struct weir_slice line, uint64_t at)
{
	char words[MAX_WARNING];

	if (!weir_slice_take(&line, "WARNING:"))
		return false;
	line = weir_slice_trim(line);
	if (weir_slice_starts(line, "No AMD GPUs specified")) {
		weir_monitor_fail(
			monitor,
			"rocm-smi says \"No AMD GPUs specified\": it found no GPU; run it "
			"where the driver and /dev/kfd are visible",
			at);
		return true;
	}
	snprintf(words, sizeof(words), "%.*s",
	         (int)(line.length < sizeof(words) ? line.length : sizeof(words) - 1), line.data);
	weir_input_warn(monitor->input, WEIR_WARN_OF_TOOL, at, words);
	return true;
}
