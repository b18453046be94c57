/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdlib.h>

#include "engine/analysis/timeline/collective_waits.h"
#include "engine/base/arena.h"

void weir_collectives_push(struct weir_collectives *collectives, int64_t start_ns, int64_t end_ns)
{
	weir_intervals_push(&collectives->set, start_ns, end_ns);
	collectives->end_ns = weir_grow(collectives->end_ns, &collectives->capacity,
	                                collectives->count + 1, sizeof *collectives->end_ns);
	collectives->end_ns[collectives->count++] = end_ns;
}

void weir_collectives_finish(struct weir_collectives *collectives)
{
	if (collectives->count == 0)
		return;
	weir_intervals_unite(&collectives->set);
	weir_measure_init(&collectives->measure, &collectives->set);
	weir_instants_sort(collectives->end_ns, collectives->count);
}

void weir_collectives_release(struct weir_collectives *collectives)
{
	if (collectives->count > 0)
		weir_measure_release(&collectives->measure);
	weir_intervals_release(&collectives->set);
	free(collectives->end_ns);
	*collectives = (struct weir_collectives){0};
}

bool weir_collectives_explain(const struct weir_collectives *collectives, int64_t start_ns,
                              int64_t end_ns)
{
	double length_ns = (double)weir_span_ns(start_ns, end_ns);
	size_t ended = weir_instants_until(collectives->end_ns, collectives->count, end_ns);

	if (ended == 0 || (double)weir_measure_inside(&collectives->measure, start_ns, end_ns) <
	                          WEIR_COLLECTIVE_WAIT_SHARE * length_ns)
		return false;
	return (double)weir_span_ns(start_ns, collectives->end_ns[ended - 1]) >=
	       WEIR_COLLECTIVE_WAIT_SHARE * length_ns;
}
