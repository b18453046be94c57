/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Joins the tables of rocprofv3 that one process wrote. */
#ifndef WEIR_READERS_AMD_ROCPROF_JOIN_H
#define WEIR_READERS_AMD_ROCPROF_JOIN_H

#include "engine/base/error.h"
#include "engine/model/profile.h"

/*
 * Makes one timeline of the tables that one process wrote: files of one folder whose names differ
 * only in the kind of table ("123_kernel_trace.csv", "123_hip_api_trace.csv"). The first input with
 * an event keeps the timeline; the others keep their counts and lose theirs. "123_agent_info.csv"
 * names the devices; without another table it is an error.
 */
enum weir_status weir_rocprof_join(struct weir_profile *profile, struct weir_error *err);

#endif
