/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The bytes of a collective by its recorded arguments. */
#ifndef WEIR_ANALYSIS_RANK_COLLECTIVE_BYTES_H
#define WEIR_ANALYSIS_RANK_COLLECTIVE_BYTES_H

#include "engine/model/trace.h"

/* Returns the bytes that cross the link of each device; NAN: not recorded. */
double weir_collective_link_bytes(const struct weir_trace *trace,
                                  const struct weir_collective *collective);

#endif
