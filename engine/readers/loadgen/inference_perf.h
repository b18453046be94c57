/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of inference-perf reports. */
#ifndef WEIR_READERS_INFERENCE_PERF_H
#define WEIR_READERS_INFERENCE_PERF_H

#include "engine/model/profile.h"
#include "engine/readers/reader.h"

/* per_request_lifecycle_metrics.json: a list of one record a request. */
enum weir_status weir_inference_perf_requests(struct weir_source *source, struct weir_input *input,
                                              struct weir_error *err);

#endif
