/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A timeline with the time of one class changed. The segments of a device (segments.h) are its walk
 * in order of time: work keeps its order and what it overlaps, and each stretch takes as long as
 * before times the factor of its class. Approximate, as is every walk without the synchronisation
 * records of a critical path: what is hidden behind a stretch of another class stays hidden.
 *
 *   idle time   goes by its cause, or by the bound of its cause (attribution.h)
 *   work        goes by the verdict on its group; collectives to communication, the part of them
 *               that waits for a rank with a late host to runtime, copies to memory. A kernel that
 *               is too short to fill the device takes what it takes: of `runtime`, idle time alone
 *               is scaled.
 *   a part      what the feature of its name sums up: late host time, exposed transfers, waiting in
 *               collectives, kernels limited by bandwidth
 *
 * A gap before work does not fall below what a replayed graph leaves between two kernels: the
 * median of the replays in the same trace, else WEIR_REPLAY_GAP_NS. A gap that was shorter stays as
 * it was, and a change of `inter_kernel` itself has no such limit.
 */
#ifndef WEIR_ANALYSIS_RETIME_H
#define WEIR_ANALYSIS_RETIME_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/rank.h"
#include "engine/model/what_if.h"

/* The median within replays of PyTorch models on NVIDIA H200 in two captures, 448 ns in both (6,780
 * and 6,700 gaps); docs/analyses.md has what it predicts beside what was measured. */
#define WEIR_REPLAY_GAP_NS 450
/* Fewer gaps of replays in a trace say nothing. */
#define WEIR_REPLAY_GAPS 20

/* Per device: what is saved up to an instant, exact at each of them and linear between two. */
struct weir_savings {
	int64_t *at_ns;   /* ascending */
	double *saved_ns; /* of the time before at_ns; negative where a factor is above 1 */
	size_t count, at_capacity, saved_capacity;
};

struct weir_retiming {
	struct weir_savings *devices;
	size_t device_count;
	int64_t *begin_ns; /* per span: where its own time begins */
};

/* Needs the verdicts of the groups. The change is read now; the rank is not kept. host: a further
 * factor of idle time that belongs to the runtime, see what_if.h; 1: none. */
void weir_retiming_init(struct weir_retiming *retiming, const struct weir_rank *rank,
                        const struct weir_change *change, double host);
void weir_retiming_release(struct weir_retiming *retiming);

/* How long [start, end) takes now: the slowest of the devices that have windows; what lies outside
 * them takes as long as before. */
double weir_retimed_ns(const struct weir_retiming *retiming, int64_t start_ns, int64_t end_ns);

/*
 * The same of a span, which is entry `index` of its steps: to the later of its host end and its
 * last device work, from where its own time begins. That is its host start, or the end of what
 * earlier spans have on the device, at the latest its own first work: a queue behind another stage
 * is not this stage's time, and without host time everything would queue.
 */
double weir_retimed_span_ns(const struct weir_retiming *retiming, const struct weir_steps *steps,
                            size_t index);

/* What a replayed graph leaves between two kernels; see above. */
double weir_replay_gap_ns(const struct weir_rank *rank);

#endif
