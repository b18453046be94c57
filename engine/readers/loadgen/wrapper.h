/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of wrapper reports. */
#ifndef WEIR_READERS_WRAPPER_H
#define WEIR_READERS_WRAPPER_H

#include "engine/model/profile.h"
#include "engine/readers/reader.h"

#define WRAPPER_MAX_BATCHES (1u << 22) /* as many values as the store takes of one series */

/* {"traces": [...]}: one record a profiled batch. */
enum weir_status weir_wrapper_batches(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err);
/* {"p50_ms": ..., "mean_ms": ...}: percentiles of one latency, without its samples. */
enum weir_status weir_wrapper_latency(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err);
/* {CONFIG: {"metrics": {NAME: VALUE}, "timestamp": ISO}}: figures by configuration. */
enum weir_status weir_wrapper_configurations(struct weir_source *source, struct weir_input *input,
                                             struct weir_error *err);

#endif
