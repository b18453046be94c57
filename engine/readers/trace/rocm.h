/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Maps names and times in records of AMD's tools to those of a trace. */
#ifndef WEIR_READERS_TRACE_ROCM_H
#define WEIR_READERS_TRACE_ROCM_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/slice.h"
#include "engine/model/trace.h"

/* Returns the kind of work of a kernel: ROCm runs copies and fills as kernels. */
enum weir_device_kind weir_rocm_kernel_kind(struct weir_slice name);
/* Returns a kernel's name without the mark of its descriptor ("add.kd", "add(int*) [clone .kd]").
 */
struct weir_slice weir_rocm_kernel_name(struct weir_slice name);
/* Returns "Memcpy HtoD (Host -> Device)" for "MEMORY_COPY_HOST_TO_DEVICE" or "HOST_TO_DEVICE"; an
 * unknown direction unchanged. */
struct weir_slice weir_rocm_copy_name(struct weir_slice direction);
/* Returns true if a copy goes to the host, so that its source is the device that does it. */
bool weir_rocm_copies_to_host(struct weir_slice direction);
/* Returns the number of blocks in a dimension; 0: unknown. AMD gives the grid in work items. */
uint64_t weir_rocm_blocks(int64_t grid, int64_t workgroup);
/* Checks the times of a record. Returns the reason why they cannot be used; NULL if they can.
 * Signals that the device never set leave 0, or an end before the start: then the end becomes the
 * start, and *turned is set. */
const char *weir_rocm_times(int64_t start_ns, int64_t *end_ns, bool *turned);
/* Returns the count, at most UINT32_MAX. */
uint32_t weir_rocm_clamp(uint64_t count);

#endif
