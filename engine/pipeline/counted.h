/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The verdict of counters without a timeline: that of the kernel that takes most of the time. */
#ifndef WEIR_CLI_COUNTED_H
#define WEIR_CLI_COUNTED_H

#include <stdbool.h>

#include "engine/model/report.h"

/* Counters are all that the inputs say about a device. */
bool weir_counted_alone(const struct weir_report *report);

/* Fills report->verdict from the first of report->operators; texts in the report's arena. */
void weir_judge_counted(struct weir_report *report);

#endif
