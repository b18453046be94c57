/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What readers of host profiles share: functions by what profilers call them, and lines. */
#ifndef WEIR_READERS_HOST_HOST_FRAMES_H
#define WEIR_READERS_HOST_HOST_FRAMES_H

#include "engine/base/slice.h"
#include "engine/model/profile.h"
#include "engine/readers/parts/csv.h"

/* A line of text whole; the separator is one that stands in no text. */
extern const struct weir_csv_options weir_host_lines;

/*
 * The frame of a text in which function and file stand together: "forward (model.py:44)",
 * "model.py(44): forward". Lines within a file do not tell functions apart. Anything else is the
 * function's name.
 */
uint32_t weir_host_frame_of_text(struct weir_host_profile *profile, struct weir_slice text);

/* Settles the input: the profile is the input's, or freed where nothing in it has a weight, which
 * is WEIR_E_EMPTY; `status` is what came before and goes first. */
enum weir_status weir_host_settle(struct weir_host_profile *profile, struct weir_input *input,
                                  enum weir_status status, struct weir_error *err);

#endif
