/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The part of a run that `weir history` needs: verdict, labels, and the quantiles of each series
 * in the place of its samples. As JSON, with times in nanoseconds:
 *
 *	{ "bound": "memory", "cause": "bandwidth", "labels": {...},
 *	  "quantiles": { "stages": { "decode": { "count": 300, "p50": 571234.5, "p90": ..., "p95":
 *..., "p99": ..., "shift": ..., "value": ... } }, "device": {...}, "operators": {...}, "metrics":
 *{...} } }
 *
 * `value` is the median of the samples. A metric also has "better" and "unit".
 */
#ifndef WEIR_BASELINES_SUMMARY_H
#define WEIR_BASELINES_SUMMARY_H

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/base/json.h"
#include "engine/base/jsonout.h"
#include "engine/base/text.h"

/* Writes the member "quantiles" of a run whose series have quantiles; calls are left out. */
void weir_summary_write_quantiles(struct weir_jsonout *json, const struct weir_run *run);
/* Reads the member "quantiles" into an empty run. Sets *found to false if the object has none. */
enum weir_status weir_summary_read_quantiles(const cJSON *object, struct weir_run *run, bool *found,
                                             struct weir_error *err);

/* Appends the whole summary on one line. */
void weir_summary_write(const struct weir_baseline_run *run, struct weir_text *out);
/* Fills bound, cause, labels and quantiles of a run that `baseline` holds, and its counts. */
enum weir_status weir_summary_read(const char *text, struct weir_baseline *baseline,
                                   struct weir_baseline_run *run, struct weir_error *err);

#endif
