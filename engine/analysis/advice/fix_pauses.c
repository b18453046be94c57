/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Pauses of the launching thread in which Python collects garbage. */
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/advice/host_spans.h"
#include "engine/analysis/advice/pauses.h"

/* A collection that lasts this long visits more than a last-level cache holds, at some 50 ns for
 * each object of 64 bytes and more: the framework's code is read from memory again. The same step
 * was dispatched 2.3 times faster without a collection of 170 ms, and as fast without those of 25
 * and 57 ms. */
#define COLD_NS 100e6

bool weir_fix_collect_garbage_later(struct weir_draft *draft)
{
	const struct weir_collections *collections = weir_collections_of(draft->advisor);
	double removed_ns = 0;

	if (collections->time.count > 0)
		removed_ns = weir_host_spans_remove(draft, &collections->time);
	if (removed_ns >= COLD_NS)
		weir_draft_warm_host(draft);
	weir_draft_basis(draft,
	                 collections->recorded
	                         ? "the step without %.2f ms in which the collector is recorded"
	                         : "the step without %.2f ms in which the launching thread pauses, "
	                           "with neither operators nor calls nor copies beside it and for "
	                           "similar times in several steps: likely the collector",
	                 removed_ns / 1e6);
	return removed_ns > 0;
}
