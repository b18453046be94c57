/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/readers/monitor/amd.h"

#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, WEIR_GAUGE_##gauge, unit                                 \
	}
#define REASON(name, bit)                                                                          \
	{                                                                                          \
		name, WEIR_MONITOR_REASON, bit, NULL                                               \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, WEIR_MONITOR_GAUGE, 0, NULL                                                  \
	}

/* The hottest sensor first: it is the one that clocks follow, and the only one amd-smi monitors. */
const struct weir_monitor_field weir_amd_rocm_fields[] = {
	{"device", WEIR_MONITOR_DEVICE, 0, NULL},
	{"Card Series", WEIR_MONITOR_NAME, 0, NULL},
	{"Device Name", WEIR_MONITOR_NAME, 0, NULL},
	{"Card Model", WEIR_MONITOR_NAME, 0, NULL},
	GAUGE("GPU use (%)", UTILIZATION, "%"),
	GAUGE("GPU Memory Read/Write Activity (%)", MEMORY_ACTIVITY, "%"),
	GAUGE("GPU memory use (%)", MEMORY_ACTIVITY, "%"),
	GAUGE("VRAM Total Used Memory (B)", MEMORY_USED_BYTES, "B"),
	GAUGE("VRAM Total Memory (B)", MEMORY_TOTAL_BYTES, "B"),
	GAUGE("Current Socket Graphics Package Power (W)", POWER_W, "W"),
	GAUGE("Average Graphics Package Power (W)", POWER_W, "W"),
	GAUGE("Power (W)", POWER_W, "W"),
	GAUGE("Max Graphics Package Power (W)", POWER_LIMIT_W, "W"),
	GAUGE("sclk clock speed:", SM_CLOCK_MHZ, "MHz"),
	GAUGE("sclk clock speed", SM_CLOCK_MHZ, "MHz"),
	GAUGE("mclk clock speed:", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mclk clock speed", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("Temperature (Sensor junction) (C)", TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor edge) (C)", TEMPERATURE_C, "C"),
	GAUGE("Temperature (Sensor memory) (C)", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("Accumulated Energy (uJ)", ENERGY_J, "uJ"),
	END,
};

const struct weir_monitor_field weir_amd_monitor_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("gfx", UTILIZATION, "%"),
	GAUGE("gfx_util", UTILIZATION, "%"),
	GAUGE("mem", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_util", MEMORY_ACTIVITY, "%"),
	GAUGE("vram_used", MEMORY_USED_BYTES, "MB"),
	GAUGE("vram_total", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("power_usage", POWER_W, "W"),
	GAUGE("max_power", POWER_LIMIT_W, "W"),
	GAUGE("gfx_clock", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clock", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("hotspot_temperature", TEMPERATURE_C, "C"),
	GAUGE("memory_temperature", MEMORY_TEMPERATURE_C, "C"),
	{"pviol", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_POWER_CAP, "%"},
	{"tviol", WEIR_MONITOR_REASON_SHARE, WEIR_CLOCKS_SW_THERMAL, "%"},
	END,
};

const struct weir_monitor_field weir_amd_metric_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("gfx_activity", UTILIZATION, "%"),
	GAUGE("umc_activity", MEMORY_ACTIVITY, "%"),
	GAUGE("used_vram", MEMORY_USED_BYTES, "MB"),
	GAUGE("total_vram", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("socket_power", POWER_W, "W"),
	GAUGE("current_socket_power", POWER_W, "W"),
	GAUGE("average_socket_power", POWER_W, "W"),
	GAUGE("gfx_0_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_0_max_clk", SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("mem_0_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("hotspot", TEMPERATURE_C, "C"),
	GAUGE("edge", TEMPERATURE_C, "C"),
	GAUGE("mem", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("total_energy_consumption", ENERGY_J, "J"),
	REASON("ppt_violation_status", WEIR_CLOCKS_POWER_CAP),
	REASON("socket_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("hbm_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("vr_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	END,
};

const struct weir_monitor_field weir_amd_json_fields[] = {
	{"timestamp", WEIR_MONITOR_UNIX_TIME, 0, NULL},
	{"gpu", WEIR_MONITOR_DEVICE, 0, NULL},
	GAUGE("usage.gfx_activity", UTILIZATION, "%"),
	GAUGE("gfx", UTILIZATION, "%"),
	GAUGE("gfx_util", UTILIZATION, "%"),
	GAUGE("usage.umc_activity", MEMORY_ACTIVITY, "%"),
	GAUGE("mem", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_util", MEMORY_ACTIVITY, "%"),
	GAUGE("mem_usage.used_vram", MEMORY_USED_BYTES, "MB"),
	GAUGE("vram_used", MEMORY_USED_BYTES, "MB"),
	GAUGE("mem_usage.total_vram", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("vram_total", MEMORY_TOTAL_BYTES, "MB"),
	GAUGE("power.socket_power", POWER_W, "W"),
	GAUGE("power.current_socket_power", POWER_W, "W"),
	GAUGE("power.average_socket_power", POWER_W, "W"),
	GAUGE("power_usage", POWER_W, "W"),
	GAUGE("max_power", POWER_LIMIT_W, "W"),
	GAUGE("clock.gfx_0.clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clock", SM_CLOCK_MHZ, "MHz"),
	GAUGE("gfx_clk", SM_CLOCK_MHZ, "MHz"),
	GAUGE("clock.gfx_0.max_clk", SM_CLOCK_MAX_MHZ, "MHz"),
	GAUGE("clock.mem_0.clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clock", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("mem_clk", MEMORY_CLOCK_MHZ, "MHz"),
	GAUGE("temperature.hotspot", TEMPERATURE_C, "C"),
	GAUGE("temperature.edge", TEMPERATURE_C, "C"),
	GAUGE("hotspot_temperature", TEMPERATURE_C, "C"),
	GAUGE("temperature.mem", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("memory_temperature", MEMORY_TEMPERATURE_C, "C"),
	GAUGE("energy.total_energy_consumption", ENERGY_J, "J"),
	REASON("throttle.ppt_violation_status", WEIR_CLOCKS_POWER_CAP),
	REASON("throttle.socket_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("throttle.hbm_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	REASON("throttle.vr_thermal_violation_status", WEIR_CLOCKS_HW_THERMAL),
	END,
};

_Static_assert(sizeof(weir_amd_json_fields) / sizeof(weir_amd_json_fields[0]) <=
                       WEIR_AMD_MAX_JSON_FIELDS,
               "a cell for each field");
_Static_assert(sizeof(weir_amd_rocm_fields) / sizeof(weir_amd_rocm_fields[0]) <=
                       WEIR_AMD_MAX_JSON_FIELDS,
               "a cell for each field");
