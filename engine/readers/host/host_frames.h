/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the readers of host profiles: lines, frames and the final check. */
#ifndef WEIR_READERS_HOST_HOST_FRAMES_H
#define WEIR_READERS_HOST_HOST_FRAMES_H

#include "engine/base/slice.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

/* Reads lines as a whole: no text contains the separator. */
extern const struct weir_csv_options weir_host_lines;

/*
 * Returns the frame of a text that holds function and file: "forward (model.py:44)" or
 * "model.py(44): forward". Any other text is the name of a function. Line numbers are dropped, so
 * functions of one name in one file are one frame.
 */
uint32_t weir_host_frame_of_text(struct weir_host_profile *profile, struct weir_slice text);

/* Gives the profile to the input and returns WEIR_OK. Frees it and fails if `status`, that of the
 * reading, is not WEIR_OK, or with WEIR_E_EMPTY if there is neither a function with a weight nor
 * idle time. */
enum weir_status weir_host_settle(struct weir_host_profile *profile, struct weir_input *input,
                                  enum weir_status status, struct weir_error *err);

#endif
