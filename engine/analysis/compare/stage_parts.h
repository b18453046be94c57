/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Divides the time of a stage among its operators, on both sides. */
#ifndef WEIR_ANALYSIS_COMPARE_STAGE_PARTS_H
#define WEIR_ANALYSIS_COMPARE_STAGE_PARTS_H

#include "engine/analysis/compare/compared.h"

/* Fills pictures->stages: the stages of findings, without them those that improved. Stages without
 * operators and device time are left out. */
void weir_stage_parts(const struct weir_comparing *comparing, const struct weir_gate_result *result,
                      struct weir_gate_pictures *pictures);

#endif
