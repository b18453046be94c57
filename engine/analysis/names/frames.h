/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the name of a Python frame, an annotation or a driver-side overhead record says about the
 * host's work. */
#ifndef WEIR_ANALYSIS_FRAMES_H
#define WEIR_ANALYSIS_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/names.h"

enum weir_frame_class {
	WEIR_FRAME_PLAIN,
	WEIR_FRAME_INPUT,   /* data loading, tokenization, reading files */
	WEIR_FRAME_COMPILE, /* compilation of device code, loading of program code */
	WEIR_FRAME_WAIT,    /* the thread waits for another one, a socket or a clock */
};

enum weir_frame_class weir_frame_class(const char *name);

/* The class of every text in the table, one byte an id. The caller frees it. */
uint8_t *weir_frame_class_of_names(const struct weir_names *names);

/* "/home/x/run.py(12): main" without its folders: where somebody keeps files is nobody's business.
 * Names below a search path ("torch/nn/modules/linear.py(125): forward") stay. The rest of name. */
const char *weir_frame_without_folders(const char *name);

/* Loading and compilation that the driver did, against the profiler's own buffers. */
bool weir_overhead_is_loading(const char *name);

#endif
