/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures of a server from its logs and metrics pages. A log decides; pages give the figures that
 * it lacks, and the higher peak counts.
 */
#ifndef WEIR_ANALYSIS_SERVER_FIGURES_H
#define WEIR_ANALYSIS_SERVER_FIGURES_H

#include "engine/base/arena.h"
#include "engine/model/profile.h"
#include "engine/model/server_figures.h"

/* Returns the figures, in the arena; NULL: no log or page states running requests or the use of a
 * KV cache. requests: requests of the profile, for rates of the log; NAN: unknown. */
struct weir_server_figures *weir_server_figures_of(const struct weir_profile *profile,
                                                   double requests, struct weir_arena *arena);

/* Sets the features of a server; leaves the others unchanged. */
void weir_server_features(const struct weir_server_figures *figures, double *values);

#endif
