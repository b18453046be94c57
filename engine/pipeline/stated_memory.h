/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what a memory summary of PyTorch shows (engine/readers/torch/memory_summary.c). */
#ifndef WEIR_PIPELINE_STATED_MEMORY_H
#define WEIR_PIPELINE_STATED_MEMORY_H

#include "engine/model/report.h"

/* Returns a headline, as a template in the report's arena, on the memory that PyTorch reserved, and
 * sets the next step; NULL if no run, or several, state it. */
const char *weir_describe_stated_memory(struct weir_report *report);

#endif
