/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Samples of device monitors: nvidia-smi, dcgmi, dcgm-exporter, tegrastats, rocm-smi. One row per
 * device and tick, in file order. NAN is "not stated". They show power, heat and clocks, and check
 * other inputs; they are never the time of a stage or operator.
 */
#ifndef WEIR_MODEL_TELEMETRY_H
#define WEIR_MODEL_TELEMETRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/enums.h"

#define WEIR_NO_TIME INT64_MIN

enum weir_gauge {
	WEIR_GAUGE_UTILIZATION,     /* share of the sample period in which any kernel ran */
	WEIR_GAUGE_MEMORY_ACTIVITY, /* share of the sample period in which device memory was read or
	                               written */
	WEIR_GAUGE_MEMORY_USED_BYTES,
	WEIR_GAUGE_MEMORY_TOTAL_BYTES,
	WEIR_GAUGE_POWER_W,
	WEIR_GAUGE_POWER_LIMIT_W,
	WEIR_GAUGE_SM_CLOCK_MHZ,
	WEIR_GAUGE_SM_CLOCK_MAX_MHZ,
	WEIR_GAUGE_MEMORY_CLOCK_MHZ,
	WEIR_GAUGE_TEMPERATURE_C,
	WEIR_GAUGE_MEMORY_TEMPERATURE_C,
	WEIR_GAUGE_SM_ACTIVE,    /* share of multiprocessors with a resident warp, mean over time */
	WEIR_GAUGE_SM_OCCUPANCY, /* resident warps over the maximum */
	WEIR_GAUGE_TENSOR_ACTIVE,
	WEIR_GAUGE_DRAM_ACTIVE,
	WEIR_GAUGE_TO_HOST_BYTES_PER_S,
	WEIR_GAUGE_FROM_HOST_BYTES_PER_S,
	WEIR_GAUGE_LINK_SENT_BYTES_PER_S,
	WEIR_GAUGE_LINK_RECEIVED_BYTES_PER_S,
	WEIR_GAUGE_POWER_CAPPED_NS, /* running total: time with clocks reduced by the power limit */
	WEIR_GAUGE_THERMAL_NS,      /* running total: time with clocks reduced by heat */
	WEIR_GAUGE_ENERGY_J,        /* running total */
	WEIR_GAUGE_BOARD_POWER_W,   /* of a board with host and device; not in POWER_W */
	WEIR_GAUGE_MEMORY_USED_SHARE, /* of monitors that state no bytes */
	WEIR_GAUGE_ENGINE_ACTIVE, /* share of time in which the graphics or compute engine worked;
	                             NAN where it is the utilisation itself */
	WEIR_GAUGE_COUNT
};

/* Reasons for reduced clocks: bits of NVML, which nvidia-smi and DCGM print. */
#define WEIR_CLOCKS_IDLE           0x001u
#define WEIR_CLOCKS_APPLICATION    0x002u
#define WEIR_CLOCKS_POWER_CAP      0x004u
#define WEIR_CLOCKS_HW_SLOWDOWN    0x008u
#define WEIR_CLOCKS_SYNC_BOOST     0x010u
#define WEIR_CLOCKS_SW_THERMAL     0x020u
#define WEIR_CLOCKS_HW_THERMAL     0x040u
#define WEIR_CLOCKS_HW_POWER_BRAKE 0x080u
#define WEIR_CLOCKS_DISPLAY        0x100u
#define WEIR_CLOCKS_POWER          (WEIR_CLOCKS_POWER_CAP | WEIR_CLOCKS_HW_POWER_BRAKE)
#define WEIR_CLOCKS_HEAT           (WEIR_CLOCKS_SW_THERMAL | WEIR_CLOCKS_HW_THERMAL)

struct weir_telemetry_sample {
	int64_t at_ns;   /* WEIR_NO_TIME: the file has no time stamps */
	uint32_t device; /* row of `devices` */
	bool has_reasons;
	uint32_t reasons; /* WEIR_CLOCKS_... bits; unknown bits are kept */
	double value[WEIR_GAUGE_COUNT];
};

struct weir_telemetry_device {
	char *id;   /* id used by the monitor: "0", "GPU-I 3" */
	char *name; /* "NVIDIA H200"; NULL: not stated */
	/* An instance of a GPU that is divided (MIG). If the id has a slash, the text before it is
	 * the id of the GPU ("0/3"); otherwise the GPU is not known. */
	bool is_part;
};

struct weir_telemetry {
	/* at_ns is local time read as UTC: off by the time zone of the host. */
	bool local_time;
	/* The date is unknown as well: at_ns counts from the midnight before the first sample. */
	bool no_date;
	/* Rail of a board where the power of the device is measured; NULL: the monitor states the
	 * power of the device itself, or no power. Static. */
	const char *power_rail;
	/* The file has a column of the utilisation, with or without values. */
	bool has_use_column;
	/* Second dies state no power: that of the first is of the whole card. */
	bool power_of_cards;
	/* A device is divided (MIG) and states no utilisation. */
	bool divided;
	/* Parts of the devices, and memory of the smallest and largest one; 0: not stated. */
	uint32_t part_count;
	double part_least_bytes, part_most_bytes;
	uint32_t
		attached; /* devices of the host, of which the file may list fewer; 0: not stated */
	uint32_t board_rails; /* rails that the power of the board is the sum of; 0: measured */
	struct weir_telemetry_sample *samples;
	size_t count, capacity;
	struct weir_telemetry_device *devices;
	size_t device_count, device_capacity;
};

#define WEIR_MAX_TELEMETRY_DEVICES 4096

struct weir_telemetry *weir_telemetry_new(void);
void weir_telemetry_free(struct weir_telemetry *telemetry);

/* Finds or adds a device by its id: at least one byte, none of them zero. Beyond
 * WEIR_MAX_TELEMETRY_DEVICES it returns the last one. */
uint32_t weir_telemetry_device(struct weir_telemetry *telemetry, const char *id, size_t len);
/* Names a device that has no name yet. An empty name is ignored. */
void weir_telemetry_name_device(struct weir_telemetry *telemetry, uint32_t device, const char *name,
                                size_t len);
/* Appends a row without values; valid until the next call. */
struct weir_telemetry_sample *weir_telemetry_add(struct weir_telemetry *telemetry);

WEIR_ENUM_DECLARE(weir_gauge); /* "power_w" */

#endif
