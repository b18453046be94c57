/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts of the reader of trtllm-bench reports. */
#ifndef WEIR_READERS_TRTLLM_H
#define WEIR_READERS_TRTLLM_H

#include "engine/model/profile.h"
#include "engine/readers/reader.h"

/* --request_json: a list of one record a request. */
enum weir_status weir_trtllm_requests(struct weir_source *source, struct weir_input *input,
                                      struct weir_error *err);

#endif
