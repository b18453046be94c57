/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Says what tables of totals show: kernels, operators or calls of the host, with their time in the
 * whole run (nsys stats, nvprof, rocprof, key_averages() and others). */
#ifndef WEIR_PIPELINE_STATED_TOTALS_H
#define WEIR_PIPELINE_STATED_TOTALS_H

#include <stdbool.h>

#include "engine/model/report.h"

/* True for a table of the PyTorch profiler. */
bool weir_is_key_averages(const struct weir_input *input);
/* Makes the largest row of the tables the headline, and notes the next ones and the rows of the
 * host. Returns false if there are no tables, or their time is not known. */
bool weir_explain_stated_totals(struct weir_report *report);

#endif
