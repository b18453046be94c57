/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a report says of memory, over all ranks and inputs. */
#ifndef WEIR_ANALYSIS_MEMORY_REPORT_H
#define WEIR_ANALYSIS_MEMORY_REPORT_H

#include "engine/analysis/rows/analysis_impl.h"

/* Without events or allocation calls the report has no memory. */
void weir_fill_memory(const struct weir_analysis *analysis, const struct weir_ledger *total,
                      struct weir_report *report);
void weir_memory_features(const struct weir_report *report, double *values);

#endif
