/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What AMD's tools call device work, and what it is called here. */
#ifndef WEIR_READERS_TRACE_ROCM_H
#define WEIR_READERS_TRACE_ROCM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/model/trace.h"

/* ROCm copies and fills with kernels of its own. */
enum weir_device_kind weir_rocm_kernel_kind(struct weir_slice name);
/* Without what says that it is a kernel's descriptor: "add.kd", "add(int*) [clone .kd]". */
struct weir_slice weir_rocm_kernel_name(struct weir_slice name);
/* "MEMORY_COPY_HOST_TO_DEVICE" and "HOST_TO_DEVICE" as "Memcpy HtoD (Host -> Device)"; a direction
 * that is not known as it stands. */
struct weir_slice weir_rocm_copy_name(struct weir_slice direction);
/* Whether the device of a copy is the one that it comes from. */
bool weir_rocm_copies_to_host(struct weir_slice direction);
/* Blocks of a dimension: AMD counts a grid in work items. 0: unknown. */
uint64_t weir_rocm_blocks(int64_t grid, int64_t workgroup);
/*
 * What is wrong with the times of a record; NULL: nothing. Signals that the device never set leave
 * 0, or an end before the start, which becomes the start; *turned says so.
 */
const char *weir_rocm_times(int64_t start_ns, int64_t *end_ns, bool *turned);
/* What a product of counts is in a column of 32 bits. */
uint32_t weir_rocm_clamp(uint64_t count);

#endif
