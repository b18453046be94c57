/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies between host and device: direction, kind of host memory, and the rate that the link
 * sustains for pinned memory. */
#ifndef WEIR_ANALYSIS_ADVICE_TRANSFERS_H
#define WEIR_ANALYSIS_ADVICE_TRANSFERS_H

#include <stdbool.h>

#include "engine/analysis/advice/advisor.h"
#include "engine/analysis/advice/draft.h"

enum weir_transfer_way {
	WEIR_TRANSFER_NONE, /* no copy between host and device */
	WEIR_TRANSFER_UP,   /* to the device */
	WEIR_TRANSFER_DOWN,
	WEIR_TRANSFER_WAYS
};

/* The kind of host memory. */
enum weir_transfer_memory {
	WEIR_MEMORY_UNKNOWN,
	WEIR_MEMORY_PAGEABLE,
	WEIR_MEMORY_PINNED,
};

struct weir_transfer {
	enum weir_transfer_way way;
	enum weir_transfer_memory memory;
	double bytes; /* NAN: not recorded */
};

/* Bytes/s of copies from or to pinned memory, and their range. */
struct weir_link_rate {
	double typical, low, high;
	bool seen; /* copies of this run reach it */
};

/* Drivers stage pageable copies up to this size themselves, and the call returns at once (CUDA
 * runtime, "API synchronization behavior"): such copies take their latency, not the link's time. */
#define WEIR_STAGED_BYTES 65536.0

/* C libraries map larger blocks anew for each use and give them back behind it (glibc:
 * DEFAULT_MMAP_THRESHOLD_MAX); a pinned buffer is kept. */
#define WEIR_MAPPED_BYTES 33554432.0

/* Bytes/s at which one thread of the host gathers pieces in a buffer, from which one copy takes
 * them. */
#define WEIR_GATHER_RATE 8e9

/* Host time of an asynchronous copy call with the profiler: 4 to 20 us in 20 captures of PyTorch.
 */
#define WEIR_COPY_CALL_NS 10000.0

/* The part of a copy that stays hidden in the worst case: it waits for results of the step. */
#define WEIR_HIDDEN_LEAST 0.5

struct weir_transfer weir_transfer_of(const struct weir_advisor *advisor,
                                      const struct weir_job *job);

/* Returns the bytes of the step's copies of one way; NAN: not recorded. Visits all jobs. */
double weir_transfer_bytes(const struct weir_advisor *advisor, enum weir_transfer_way way);

/* Returns the kind of host memory of the larger copies, by most of their bytes. A small result to
 * pageable memory does not decide on large inputs from pinned memory. Visits all jobs. */
enum weir_transfer_memory weir_transfer_memory_of(const struct weir_advisor *advisor);

/* Fills the rates by way; NAN: neither the run nor the device table has one. Visits all device
 * rows: call it once. */
void weir_transfer_rates(const struct weir_advisor *advisor,
                         struct weir_link_rate rates[WEIR_TRANSFER_WAYS]);

/* Lets the host go on behind a copy to the device: its call and the waits for it in the same
 * operator cost nothing but the call. */
void weir_transfer_free_host(struct weir_draft *draft, uint32_t issue);

#endif
