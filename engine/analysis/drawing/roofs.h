/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists the roofs under which a picture shows operators. */
#ifndef WEIR_ANALYSIS_DRAWING_ROOFS_H
#define WEIR_ANALYSIS_DRAWING_ROOFS_H

#include "engine/analysis/whole/analysis.h"
#include "engine/base/arena.h"
#include "engine/model/pictures.h"

/* Returns the roofs of the first known device that has modelled operators, in the arena; NULL:
 * none. */
const struct weir_roofs *weir_roofs_of(const struct weir_analysis *analysis,
                                       struct weir_arena *arena);

#endif
