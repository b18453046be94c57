/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Classifies the names of Python frames, annotations and driver-side overhead records by the kind
 * of host work they stand for. */
#ifndef WEIR_ANALYSIS_NAMES_FRAMES_H
#define WEIR_ANALYSIS_NAMES_FRAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/names.h"

enum weir_frame_class {
	WEIR_FRAME_PLAIN,
	WEIR_FRAME_INPUT,      /* data loading, tokenization, reading files */
	WEIR_FRAME_COMPILE,    /* compilation of device code, loading of program code */
	WEIR_FRAME_WAIT,       /* waiting for another thread, a socket or a clock */
	WEIR_FRAME_GARBAGE,    /* Python's garbage collection */
	WEIR_FRAME_NO_WORK,    /* a server waits for requests */
	WEIR_FRAME_COLLECTIVE, /* a collective that runs on the host, and lasts until it ends */
};

enum weir_frame_class weir_frame_class(const char *name);

/* Returns the class of every name in the table, one byte per id. The caller frees it. */
uint8_t *weir_frame_class_of_names(const struct weir_names *names);

/*
 * Returns the end of the name of a frame, without an absolute path: "/home/x/run.py(12): main"
 * becomes "run.py(12): main", so that no report contains the layout of somebody's disk. Names
 * relative to a search path ("torch/nn/modules/linear.py(125): forward") stay whole. Borrowed from
 * `name`.
 */
const char *weir_frame_without_folders(const char *name);

/* Returns true for a line of Python outside of PyTorch: "model.py(12): forward", neither
 * "torch/nn/modules/linear.py(125): forward" nor "<built-in function linear>". */
bool weir_frame_is_program(const char *name);

/* Returns true if some name shows that the program trains parameters: PyTorch accumulates
 * gradients. */
bool weir_names_show_training(const struct weir_names *names);

/* Returns true for a frame in which NumPy computes on an array: "<built-in method partition of
 * numpy.ndarray object at 0x7f>", "numpy/lib/_function_base_impl.py(4726): _quantile". Frames that
 * read or write files, or make Python objects of the values, compute nothing. */
bool weir_frame_is_array_code(const char *name);

/* Returns true if an overhead record is loading or compilation by the driver, false if it is the
 * profiler's own work. */
bool weir_overhead_is_loading(const char *name);

#endif
