/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Attributes every nanosecond of the analysed time to one bound, or to none. Computation follows
 * the verdict on its group of work; exposed collectives count as communication, exposed copies as
 * memory. Idle time follows its cause:
 *
 *   dispatch, python, host work, input, synchronisation, loading   runtime
 *   launch latency, the device's own gaps between kernels          runtime
 *   allocator                                                      memory
 *   waiting for a rank whose host is late                          runtime
 *   waiting for a collective                                       communication
 *   no work, other devices, profiler, unlinked, other              unattributed
 *
 * Needs the verdicts of the groups (struct weir_assessment).
 */
#ifndef WEIR_ANALYSIS_RANK_ATTRIBUTION_H
#define WEIR_ANALYSIS_RANK_ATTRIBUTION_H

#include <stddef.h>

#include "engine/analysis/rank/ledger.h"
#include "engine/analysis/rank/rank.h"
#include "engine/model/report.h"

/* Returns the bound of idle time by its cause; UNDETERMINED: unattributed. */
enum weir_bound weir_idle_bound(enum weir_idle idle);

/* Adds the segments of a rank to the ledgers of their stages, by the rank's stage index, and to
 * `outside` if they belong to no stage. */
void weir_attribute(const struct weir_rank *rank, struct weir_ledger *stages,
                    struct weir_ledger *outside);
/* Does so for one of `parts` shares of the segments. The ledgers of all shares add up to those of
 * weir_attribute(). */
void weir_attribute_part(const struct weir_rank *rank, size_t part, size_t parts,
                         struct weir_ledger *stages, struct weir_ledger *outside);

void weir_attribution_from_ledger(struct weir_attribution *out, const struct weir_ledger *ledger);

#endif
