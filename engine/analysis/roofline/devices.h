/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Peak rates of devices, read from rules/devices.json, and the search for a device by the name in a
 * profile. "theoretical" is the datasheet's figure without sparsity, "sustained" the best that
 * kernels reach: a measured value, or else a default share of the theoretical one.
 */
#ifndef WEIR_ANALYSIS_ROOFLINE_DEVICES_H
#define WEIR_ANALYSIS_ROOFLINE_DEVICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/roofline/work.h"
#include "engine/base/error.h"

#define WEIR_MAX_DEVICES       256
#define WEIR_DEVICE_NAME       64
#define WEIR_DEVICE_MATCHES    8
#define WEIR_DEVICE_TABLE_FILE "rules/devices.json"

/*
 * Default sustained rates as shares of the theoretical ones. Matrix products of the vendors'
 * libraries reach 70 to 80 % of the dense peak at best (measured on an H200: 788 of 989 TFLOP/s in
 * bf16), streaming kernels 85 to 92 % of the memory's datasheet rate (4.3 of 4.8 TB/s on the same
 * device).
 */
#define WEIR_SUSTAINED_FLOPS_SHARE 0.80
#define WEIR_SUSTAINED_BYTES_SHARE 0.90
/* Copies of 1 to 256 MB from pinned memory reached 33 to 55 of 63 GB/s on hosts with H100 and H200:
 * the host's memory and the distance to its socket decide. */
#define WEIR_SUSTAINED_HOST_SHARE 0.75

/* FLOP/s or bytes/s; NAN: the hardware has no such unit, or the figure is unknown. */
struct weir_peak {
	double theoretical;
	double sustained; /* known if theoretical is known */
};

struct weir_device {
	char name[WEIR_DEVICE_NAME];
	char match[WEIR_DEVICE_MATCHES][WEIR_DEVICE_NAME]; /* lower-case words; "" ends the list */
	uint32_t sms;                                      /* SMs or CUs; 0: unknown */
	double memory_bytes, l2_bytes;                     /* NAN: unknown */
	struct weir_peak flops[WEIR_ENGINE_COUNT][WEIR_DTYPE_COUNT];
	struct weir_peak bytes_per_s;
	struct weir_peak link_bytes_per_s;      /* to other devices, sum of both directions */
	struct weir_peak host_link_bytes_per_s; /* to the host's memory, one direction */
};

struct weir_device_table {
	struct weir_device *items;
	size_t count;
};

/* The table owns its items; release with weir_device_table_release(), also after a failure. */
enum weir_status weir_device_table_load(struct weir_device_table *table, struct weir_error *err);
enum weir_status weir_device_table_parse(struct weir_device_table *table, const char *text,
                                         size_t len, struct weir_error *err);
void weir_device_table_release(struct weir_device_table *table);

/*
 * Finds the device that a profile calls `name` ("NVIDIA H100 80GB HBM3"). Vendor words are ignored;
 * the key with most words wins; memory and number of SMs (0: not known) decide between equal keys.
 * Returns false rather than guess if name and figures contradict each other, for a tie, and for an
 * unknown or empty name. A MIG slice gets the rates of its share of the SMs.
 */
bool weir_device_find(const struct weir_device_table *table, const char *name,
                      uint64_t memory_bytes, uint32_t sms, struct weir_device *out);

/* Returns the peak for work of this engine and precision; NAN members if it has no peak. */
struct weir_peak weir_device_flops(const struct weir_device *device, enum weir_engine engine,
                                   enum weir_dtype dtype);

#endif
