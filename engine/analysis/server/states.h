/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * States of a server over time: waiting, a full KV cache, taken slots, imbalance of engines.
 *
 * The KV cache is near full from WEIR_KV_FULL on, and from WEIR_KV_FULL_FREE_SLOTS on while slots
 * are known to be free, or if one more request of the mean size of those that run would not fit:
 * usage * (1 + 1 / running) >= 1. Between both limits, unknown slots leave it unknown. Slots are
 * taken if the requests that run reach WEIR_SLOTS_TAKEN of the limit, because a server reports
 * after requests have finished and before others take their slots. If both hold, the KV cache
 * decides only from WEIR_KV_FULL on.
 *
 * An interval is stalled if requests run and the log states that neither prompts nor outputs were
 * computed: the server hangs, and neither cache nor slots explain the waiting. Pages do not show
 * it, because some servers count tokens when a request ends.
 *
 * A step is full if its tokens reach WEIR_STEP_FULL of the setting max_step_tokens: the last chunk
 * of a prompt rarely fills it to the end.
 */
#ifndef WEIR_ANALYSIS_SERVER_STATES_H
#define WEIR_ANALYSIS_SERVER_STATES_H

#include "engine/analysis/server/engines.h"

#define WEIR_KV_FULL 0.90
/* A request that waits although a slot is free finds too little cache before all of it is in use:
 * its whole prompt has to fit, and servers keep a part for outputs to come. */
#define WEIR_KV_FULL_FREE_SLOTS 0.80
#define WEIR_SLOTS_TAKEN        0.95
#define WEIR_STEP_FULL          0.90
#define WEIR_ENOUGH_MOMENTS     6 /* fewer show no state over time; the rule server/few-moments */
/* Without a setting, the highest number of running requests is a limit if it holds for this share
 * of the waiting time, in at least this number of rows. */
#define WEIR_FLAT_SHARE 0.5
#define WEIR_FLAT_ROWS  5
/* This many rows are enough if no waiting row has another number, and the number is no small one,
 * which would repeat by chance. */
#define WEIR_FLAT_ROWS_IF_ALL 4
#define WEIR_FLAT_LEAST       8

/* Returns the requests that run in a row; NAN: not stated. */
double weir_row_running(const struct weir_server_engine *engine, const struct weir_server_row *row);

struct weir_slots {
	double limit;  /* of running requests: the setting, else a flat maximum; NAN: not known */
	bool inferred; /* `limit` is a flat maximum */
	bool varied;   /* without a limit: the requests that run vary while others wait */
};

struct weir_slots weir_engine_slots(const struct weir_server_engine *engine);
bool weir_is_kv_full(double usage, double running, const struct weir_slots *slots);
bool weir_are_slots_taken(double usage, double running, double limit);
/* Returns true if requests run in an interval without any token. */
bool weir_is_stalled(const struct weir_server_engine *engine, const struct weir_server_row *row);

/* A value and the time that it stands for. */
struct weir_weighted {
	double value, weight;
};

/* Summarizes the values, which it sorts; all NAN without values. */
struct weir_gauge_figures weir_gauge_of(struct weir_weighted *values, size_t count);

/* Fills the figures about waiting, KV cache and slots, and those of each engine. */
void weir_server_states(const struct weir_engines *engines, struct weir_arena *arena,
                        struct weir_server_figures *out);
/* Fills the gauges of all engines together, imbalance, and trends over time: load.c. */
void weir_server_load(const struct weir_engines *engines, struct weir_arena *arena,
                      struct weir_server_figures *out);

#endif
