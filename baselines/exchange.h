/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A baseline as one JSON document, weir.baseline/1, that fits into a repository or a cache:
 *
 *	{ "schema": "weir.baseline/1", "name": "main", "unit": "ns",
 *	  "runs": [ { "recorded": "2026-11-20T14:00:00Z", "bound": "memory", "cause": "bandwidth",
 *	              "labels": {...}, "stages": { "decode": [571234, ...] }, "device": {...},
 *	              "operators": {...}, "calls": {...},
 *	              "metrics": { "tokens_per_s": { "values": [...], "better": "higher", "unit":
 *"1/s" } } } ] }
 *
 * `bound`, `cause`, `labels` and empty tables are left out; "history": true marks a run that a
 * promotion replaced. Numbers read back as the same doubles.
 */
#ifndef WEIR_BASELINES_EXCHANGE_H
#define WEIR_BASELINES_EXCHANGE_H

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/base/source.h"
#include "engine/base/text.h"

#define WEIR_EXCHANGE_MAX_RUNS 10000

/* Writes the runs in the order of the baseline, series and labels by name. */
void weir_baseline_write(const struct weir_baseline *baseline, struct weir_text *out);

/* Reads and checks the whole document; messages name the place, "runs[3].stages.decode[7]". On
 * success the caller frees *out with weir_baseline_free(). */
enum weir_status weir_baseline_read(struct weir_source *source, struct weir_baseline **out,
                                    struct weir_error *err);

#endif
