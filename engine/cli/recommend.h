/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Advice of rules to recommendations of a report. */
#ifndef WEIR_CLI_RECOMMEND_H
#define WEIR_CLI_RECOMMEND_H

#include <stddef.h>

#include "engine/model/finding.h"
#include "engine/model/report.h"

/*
 * Fills report->recommendations, in the order of the advice. Templates are expanded with the
 * profile's features. What a recommendation can save caps its typical speed-up: removing a share s
 * of the time is at most 1 / (1 - s).
 */
void weir_recommend(struct weir_report *report, const struct weir_advice *advice, size_t count);

#endif
