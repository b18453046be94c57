/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the host's time goes by function, from profiles of the host: own time (stacks that end in
 * it) and time with callees, where a function that calls itself counts once.
 */
#ifndef WEIR_ANALYSIS_ROWS_HOST_FUNCTIONS_H
#define WEIR_ANALYSIS_ROWS_HOST_FUNCTIONS_H

#include "engine/model/hostprofile.h"
#include "engine/model/profile.h"
#include "engine/model/report.h"

/* One a frame of the profile, in its unit; the caller frees it. Frames of several lines are one
 * function already. */
struct weir_host_function *weir_host_functions(const struct weir_host_profile *profile);

/* report->host from all host profiles in the unit of the first; nothing where there are none. */
void weir_fill_host_functions(const struct weir_profile *profile, struct weir_report *report);

#endif
