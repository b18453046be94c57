/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes the duration of a timeline after the time of one class changed. The segments of a device
 * (segments.h) are walked in chronological order: work keeps its order and its overlaps, and each
 * segment takes its duration times the factor of its class. The result is approximate, as for every
 * walk without the synchronisation records of a critical path: time hidden behind a segment of
 * another class stays hidden.
 *
 *   idle time   has the class of its cause, or of the bound of its cause (attribution.h)
 *   work        has the class of the verdict on its group; collectives are communication, except
 *               that waiting for a rank with a late host is runtime; copies are memory. A kernel
 *               that is too short to fill the device keeps its duration: of `runtime`, only idle
 *               time is scaled.
 *   a part      is the time that a feature of that name sums up: late host time, exposed
 *               transfers, waiting in collectives, kernels limited by bandwidth
 *
 * A gap before work does not fall below the gap between two kernels of a replayed graph: the median
 * of the replays in the same trace, else WEIR_REPLAY_GAP_NS. A shorter gap stays unchanged, and a
 * change of `inter_kernel` itself has no such limit.
 */
#ifndef WEIR_ANALYSIS_PATH_RETIME_H
#define WEIR_ANALYSIS_PATH_RETIME_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/rank.h"
#include "engine/model/what_if.h"

/* The median gap within replays of PyTorch models on NVIDIA H200 in two captures, 448 ns in both
 * (6,780 and 6,700 gaps); docs/analyses.md compares its predictions with measurements. */
#define WEIR_REPLAY_GAP_NS 450
/* With fewer gaps of replays in a trace, WEIR_REPLAY_GAP_NS is used. */
#define WEIR_REPLAY_GAPS 20

/* Per device: the time saved up to each instant, exact at the instants and linear between them. */
struct weir_savings {
	int64_t *at_ns;   /* ascending */
	double *saved_ns; /* of the time before at_ns; negative if a factor is above 1 */
	size_t count, at_capacity, saved_capacity;
};

struct weir_retiming {
	struct weir_savings *devices;
	size_t device_count;
	int64_t *begin_ns; /* per span: start of the time that counts as its own */
};

/* Applies a change to a rank, whose groups must have verdicts. Keeps neither. host: a further
 * factor of idle time that belongs to the runtime, see what_if.h; 1: none. */
void weir_retiming_init(struct weir_retiming *retiming, const struct weir_rank *rank,
                        const struct weir_change *change, double host);
void weir_retiming_release(struct weir_retiming *retiming);

/* Returns the new duration of [start, end): the longest over the devices that have windows; time
 * outside the windows keeps its duration. */
double weir_retimed_ns(const struct weir_retiming *retiming, int64_t start_ns, int64_t end_ns);

/*
 * Returns the new duration of span `index` of the steps: up to the later of its host end and its
 * last device work, from the start of the time that counts as its own. That is its host start or
 * the end of the device work of earlier spans, but no later than its own first work: queueing
 * behind another stage is not the time of this stage, and without host time everything would queue.
 */
double weir_retimed_span_ns(const struct weir_retiming *retiming, const struct weir_steps *steps,
                            size_t index);

/* Returns the gap between two kernels of a replayed graph; see above. */
double weir_replay_gap_ns(const struct weir_rank *rank);

#endif
