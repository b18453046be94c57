/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Makes the traces of a job: in each step, every rank multiplies, meets the ranks of its node, and
 * in every second step the ranks of the other nodes with the same place. Work varies at random;
 * faults make a rank, a node or a link slow.
 */
#ifndef WEIR_TESTS_UNIT_RANDOM_JOB_H
#define WEIR_TESTS_UNIT_RANDOM_JOB_H

#include <stdint.h>

#include "engine/model/trace.h"

#define JOB_RANKS 12
#define JOB_LOCAL 4 /* ranks of a node */
#define JOB_NODES (JOB_RANKS / JOB_LOCAL)

/* Bits of the faults of a job. */
#define JOB_LATE_HOST   1u  /* one rank launches late */
#define JOB_LATE_DEVICE 2u  /* one rank has more work */
#define JOB_LATE_NODE   4u  /* the ranks of the second node have more work */
#define JOB_SLOW_LINK   8u  /* the ranks with one place exchange slowly */
#define JOB_EXPERTS     16u /* one rank receives more than the others, which wait for it */

/* Fills JOB_RANKS traces; state is the state of next_number() in near.h. */
void random_job(uint64_t *state, unsigned faults, struct weir_trace **traces);

#endif
