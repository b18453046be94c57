/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdbool.h>
#include <stdlib.h>

#include "engine/analysis/time/intervals.h"
#include "engine/analysis/timeline/lock_waits.h"
#include "engine/base/arena.h"

/* A wait for the lock, and where it lies in the code. */
struct wait {
	uint64_t place;
	int64_t ns;
};

/* Returns the length of a leaf that lasts, which is never the last one of a thread; 0: not silent.
 */
static int64_t silent_ns(const struct weir_pause_thread *thread, size_t leaf)
{
	const int64_t *time_ns = thread->leaves->time_ns;

	return thread->silent[leaf] ? weir_span_ns(time_ns[leaf], time_ns[leaf + 1]) : 0;
}

/* Returns true for 5 to 6 ms, and for as much beyond a multiple of 5 ms. */
static bool is_wait(int64_t ns)
{
	return ns >= WEIR_PAUSE_SWITCH_NS && ns < WEIR_LOCK_WAIT_END_NS &&
	       ns % WEIR_PAUSE_SWITCH_NS < WEIR_PAUSE_SWITCH_MOST_NS - WEIR_PAUSE_SWITCH_NS;
}

static int by_place(const void *left, const void *right)
{
	const struct wait *a = left, *b = right;

	return (a->place > b->place) - (a->place < b->place);
}

/* Returns the time of the place that holds most of it. */
static int64_t longest_place_ns(struct wait *waits, size_t count)
{
	int64_t longest_ns = 0, ns = 0;

	qsort(waits, count, sizeof *waits, by_place);
	for (size_t i = 0; i < count; i++) {
		ns = i > 0 && waits[i].place == waits[i - 1].place ? weir_add_ns(ns, waits[i].ns)
		                                                   : waits[i].ns;
		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	return longest_ns;
}

/* Returns true if many places share the waits. */
static bool are_spread(const struct weir_pause_thread *thread, size_t count, int64_t total_ns)
{
	uint64_t *name_keys = weir_pause_name_keys(thread->timeline->trace);
	struct wait *waits = weir_alloc(count * sizeof *waits);
	bool spread;

	for (size_t i = 0, used = 0; i < thread->lasting_count && used < count; i++) {
		int64_t ns = silent_ns(thread, thread->lasting[i]);

		if (is_wait(ns))
			waits[used++] = (struct wait){
				weir_pause_place(thread, name_keys, thread->lasting[i]), ns};
	}
	spread = longest_place_ns(waits, count) <= total_ns / 2;
	free(name_keys);
	free(waits);
	return spread;
}

void weir_lock_waits_find(const struct weir_pause_thread *thread, uint8_t *waits)
{
	int64_t total_ns = 0, waits_ns = 0;
	size_t count = 0;

	for (size_t i = 0; i < thread->lasting_count; i++) {
		int64_t ns = silent_ns(thread, thread->lasting[i]);

		total_ns = weir_add_ns(total_ns, ns);
		if (!is_wait(ns))
			continue;
		waits_ns = weir_add_ns(waits_ns, ns);
		count++;
	}
	if (count < WEIR_LOCK_WAITS_FEWEST || waits_ns < total_ns / 2 ||
	    !weir_pause_in_python(thread->timeline->trace) || !are_spread(thread, count, waits_ns))
		return;
	for (size_t i = 0; i < thread->lasting_count; i++)
		if (is_wait(silent_ns(thread, thread->lasting[i])))
			waits[thread->lasting[i]] = 1;
}
