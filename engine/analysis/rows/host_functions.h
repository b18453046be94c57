/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sums profiles of the host by function: self time (of stacks that end in the function) and total
 * time with callees. A stack with several frames of one function counts once in its total. */
#ifndef WEIR_ANALYSIS_ROWS_HOST_FUNCTIONS_H
#define WEIR_ANALYSIS_ROWS_HOST_FUNCTIONS_H

#include "engine/model/hostprofile.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

/* Returns one function per frame of the profile, times in its unit. The caller frees the array. A
 * frame already merges the lines of a function. */
struct weir_host_function *weir_host_functions(const struct weir_host_profile *profile);

/* Fills report->host from all host profiles with the unit of the first; leaves it NULL if there is
 * no host profile. */
void weir_fill_host_functions(const struct weir_profile *profile, struct weir_report *report);

#endif
