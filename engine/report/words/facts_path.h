/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The critical path, for people. */
#ifndef WEIR_REPORT_FACTS_PATH_H
#define WEIR_REPORT_FACTS_PATH_H

#include "engine/report/words/phrases.h"

/* What holds the time along the path, then the operators, calls and kernels that hold most of it;
 * nothing without a path. */
void weir_fill_path(const struct weir_report *report, struct weir_items *items);

#endif
