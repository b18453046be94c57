/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Members of the JSON of ranks, and of the table of those that stand out. */
#ifndef WEIR_REPORT_JSON_RANKS_H
#define WEIR_REPORT_JSON_RANKS_H

#include "engine/report/json/document.h"

extern const struct weir_schema weir_rank_schema; /* struct weir_rank_row */
extern const struct weir_schema weir_job_schema;  /* struct weir_job_figures */

#endif
