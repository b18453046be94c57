/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Adds totals of names, as the tables of AMD's profilers state them, to a run. */
#ifndef WEIR_READERS_AMD_ROCM_TOTALS_H
#define WEIR_READERS_AMD_ROCM_TOTALS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/model/run.h"

/* Adds the total of a call of the host, or of waiting, which is no work of the device. The first
 * row of a name counts. */
void weir_rocm_add_call(struct weir_run *run, const char *name, double total_ns, int64_t calls);
/* Adds the total of a kernel or copy; the run counts as one iteration. Returns false if the run has
 * this name, whose first row counts. */
bool weir_rocm_add_work(struct weir_run *run, const char *name, double total_ns, int64_t calls);

#endif
