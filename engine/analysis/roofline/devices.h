/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Peak numbers of devices, read from rules/devices.json, and the search by the name that a profile
 * gives. "theoretical" is the datasheet's dense figure, "sustained" what kernels reach at best; the
 * second is a default fraction of the first where nobody measured it.
 */
#ifndef WEIR_ANALYSIS_DEVICES_H
#define WEIR_ANALYSIS_DEVICES_H

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
 * Sustained rates where the table has none. Matrix products of the vendors' libraries reach 70 to
 * 80 % of the dense peak at best (measured on an H200: 788 of 989 TFLOP/s in bf16), streaming
 * kernels 85 to 92 % of the memory's datasheet rate (4.3 of 4.8 TB/s on the same device):
 * docs/analyses.md, roofline.
 */
#define WEIR_SUSTAINED_FLOPS_SHARE 0.80
#define WEIR_SUSTAINED_BYTES_SHARE 0.90

/* FLOP/s or bytes/s; NAN: the hardware has no such unit, or nobody knows. */
struct weir_peak {
	double theoretical;
	double sustained; /* never NAN where theoretical is known */
};

struct weir_device {
	char name[WEIR_DEVICE_NAME];
	char match[WEIR_DEVICE_MATCHES][WEIR_DEVICE_NAME]; /* lower-case words; "" ends the list */
	uint32_t sms;                                      /* SMs or CUs; 0: unknown */
	double memory_bytes, l2_bytes;                     /* NAN: unknown */
	struct weir_peak flops[WEIR_ENGINE_COUNT][WEIR_DTYPE_COUNT];
	struct weir_peak bytes_per_s;
	struct weir_peak link_bytes_per_s; /* to other devices, both directions added */
};

struct weir_device_table {
	struct weir_device *items;
	size_t count;
};

/* Owns its items; release with weir_device_table_release(), also after a failure. */
enum weir_status weir_device_table_load(struct weir_device_table *table, struct weir_error *err);
enum weir_status weir_device_table_parse(struct weir_device_table *table, const char *text,
                                         size_t len, struct weir_error *err);
void weir_device_table_release(struct weir_device_table *table);

/*
 * The device that a profile calls `name` ("NVIDIA H100 80GB HBM3"). Vendor words are dropped; the
 * longest run of words wins; what is left is told apart by memory and number of SMs (0: not known).
 * A contradiction between name and numbers, a tie, an empty and an unknown name give false: no
 * claim is better than a guess. A MIG slice gets the rates of its share of the SMs.
 */
bool weir_device_find(const struct weir_device_table *table, const char *name,
                      uint64_t memory_bytes, uint32_t sms, struct weir_device *out);

/* The peak that applies to this work on this device; NAN members where there is none. */
struct weir_peak weir_device_flops(const struct weir_device *device, enum weir_engine engine,
                                   enum weir_dtype dtype);

#endif
