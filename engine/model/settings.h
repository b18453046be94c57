/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Statements of the user about a run: the price of a device, names of stages, latency targets.
 * engine/cli fills them from options and weir.json; everything is borrowed from there.
 */
#ifndef WEIR_MODEL_SETTINGS_H
#define WEIR_MODEL_SETTINGS_H

#include <stddef.h>

#include "engine/model/comparison.h"

/* A further name for a kind of stage: weir_stage_kind(). */
struct weir_stage_alias {
	const char *name, *kind; /* "my_wait", "queue" */
};

struct weir_stage_aliases {
	const struct weir_stage_alias *items;
	size_t count;
};

/* A service level: the limit of a quantile for every duration in scope. */
struct weir_slo {
	const char *scope; /* pattern: weir_scope_matches() */
	enum weir_metric metric;
	double max_ns;
};

struct weir_settings {
	double cost_per_gpu_hour; /* US dollars for one device, above 0; NAN: not stated */
	const char *cost_source;  /* source of the price: "--cost-per-gpu-hour", "weir.json"; NULL
	                             without a price */
	struct weir_stage_aliases aliases;
	const struct weir_slo *slos;
	size_t slo_count;
};

/* Settings without any statement. */
extern const struct weir_settings weir_no_settings;

#endif
