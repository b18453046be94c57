/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/model/telemetry.h"

WEIR_ENUM_TEXTS(
	weir_gauge, [WEIR_GAUGE_UTILIZATION] = "utilization",
	[WEIR_GAUGE_MEMORY_ACTIVITY] = "memory_activity",
	[WEIR_GAUGE_MEMORY_USED_BYTES] = "memory_used_bytes",
	[WEIR_GAUGE_MEMORY_TOTAL_BYTES] = "memory_total_bytes", [WEIR_GAUGE_POWER_W] = "power_w",
	[WEIR_GAUGE_POWER_LIMIT_W] = "power_limit_w", [WEIR_GAUGE_SM_CLOCK_MHZ] = "sm_clock_mhz",
	[WEIR_GAUGE_SM_CLOCK_MAX_MHZ] = "sm_clock_max_mhz",
	[WEIR_GAUGE_MEMORY_CLOCK_MHZ] = "memory_clock_mhz",
	[WEIR_GAUGE_TEMPERATURE_C] = "temperature_c",
	[WEIR_GAUGE_MEMORY_TEMPERATURE_C] = "memory_temperature_c",
	[WEIR_GAUGE_SM_ACTIVE] = "sm_active", [WEIR_GAUGE_SM_OCCUPANCY] = "sm_occupancy",
	[WEIR_GAUGE_TENSOR_ACTIVE] = "tensor_active", [WEIR_GAUGE_DRAM_ACTIVE] = "dram_active",
	[WEIR_GAUGE_TO_HOST_BYTES_PER_S] = "to_host_bytes_per_s",
	[WEIR_GAUGE_FROM_HOST_BYTES_PER_S] = "from_host_bytes_per_s",
	[WEIR_GAUGE_LINK_SENT_BYTES_PER_S] = "link_sent_bytes_per_s",
	[WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S] = "link_received_bytes_per_s",
	[WEIR_GAUGE_POWER_CAPPED_NS] = "power_capped_ns", [WEIR_GAUGE_THERMAL_NS] = "thermal_ns",
	[WEIR_GAUGE_ENERGY_J] = "energy_j", [WEIR_GAUGE_BOARD_POWER_W] = "board_power_w",
	[WEIR_GAUGE_MEMORY_USED_SHARE] = "memory_used_share",
	[WEIR_GAUGE_ENGINE_ACTIVE] = "engine_active")

struct weir_telemetry *weir_telemetry_new(void)
{
	return weir_alloc(sizeof(struct weir_telemetry));
}

void weir_telemetry_free(struct weir_telemetry *telemetry)
{
	if (!telemetry)
		return;
	for (size_t i = 0; i < telemetry->device_count; i++) {
		free(telemetry->devices[i].id);
		free(telemetry->devices[i].name);
	}
	free(telemetry->devices);
	free(telemetry->samples);
	free(telemetry);
}

static char *copy_text(const char *text, size_t len)
{
	return memcpy(weir_alloc(len + 1), text, len);
}

uint32_t weir_telemetry_device(struct weir_telemetry *telemetry, const char *id, size_t len)
{
	for (size_t i = 0; i < telemetry->device_count; i++)
		if (strlen(telemetry->devices[i].id) == len &&
		    memcmp(telemetry->devices[i].id, id, len) == 0)
			return (uint32_t)i;
	if (telemetry->device_count == WEIR_MAX_TELEMETRY_DEVICES)
		return WEIR_MAX_TELEMETRY_DEVICES - 1;
	telemetry->devices = weir_grow(telemetry->devices, &telemetry->device_capacity,
	                               telemetry->device_count + 1, sizeof *telemetry->devices);
	telemetry->devices[telemetry->device_count] =
		(struct weir_telemetry_device){.id = copy_text(id, len)};
	return (uint32_t)telemetry->device_count++;
}

void weir_telemetry_name_device(struct weir_telemetry *telemetry, uint32_t device, const char *name,
                                size_t len)
{
	if (!telemetry->devices[device].name && len > 0)
		telemetry->devices[device].name = copy_text(name, len);
}

struct weir_telemetry_sample *weir_telemetry_add(struct weir_telemetry *telemetry)
{
	struct weir_telemetry_sample *sample;

	telemetry->samples = weir_grow(telemetry->samples, &telemetry->capacity,
	                               telemetry->count + 1, sizeof *telemetry->samples);
	sample = &telemetry->samples[telemetry->count++];
	*sample = (struct weir_telemetry_sample){.at_ns = WEIR_NO_TIME};
	for (size_t i = 0; i < WEIR_GAUGE_COUNT; i++)
		sample->value[i] = NAN;
	return sample;
}
