/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the user states about a run beside its files: the price of a device, names of stages, limits
 * of durations. Filled from options and weir.json by engine/cli; everything is borrowed from there.
 */
#ifndef WEIR_MODEL_SETTINGS_H
#define WEIR_MODEL_SETTINGS_H

#include <stddef.h>

#include "engine/model/comparison.h"

/* A further name of a kind of stage: weir_stage_kind(). */
struct weir_stage_alias {
	const char *name, *kind; /* "my_wait", "queue" */
};

struct weir_stage_aliases {
	const struct weir_stage_alias *items;
	size_t count;
};

/* A service level: what a quantile of every duration in scope stays below. */
struct weir_slo {
	const char *scope; /* pattern: weir_scope_matches() */
	enum weir_metric metric;
	double max_ns;
};

struct weir_settings {
	double cost_per_gpu_hour; /* US dollars for one device, above 0; NAN: not stated */
	const char *cost_source; /* who states it: "--cost-per-gpu-hour", "weir.json"; NULL with NAN
	                          */
	struct weir_stage_aliases aliases;
	const struct weir_slo *slos;
	size_t slo_count;
};

/* Nothing is stated. */
extern const struct weir_settings weir_no_settings;

#endif
