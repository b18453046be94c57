/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How busy one device was, and with what: exact integer nanoseconds inside the analysed windows.
 * Kinds of work that run at the same time are all counted in their own union; the exposed figures
 * say what nothing better covers: computation before communication before copies, so that
 *
 *	compute + exposed communication + exposed copy + idle == window
 */
#ifndef WEIR_ANALYSIS_ACTIVITY_H
#define WEIR_ANALYSIS_ACTIVITY_H

#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/time/intervals.h"
#include "engine/model/trace.h"

enum weir_work_class {
	WEIR_WORK_COMPUTE,
	WEIR_WORK_COMM, /* collectives and point-to-point transfers */
	WEIR_WORK_COPY, /* copies and sets of memory */
	WEIR_WORK_COUNT
};

struct weir_activity {
	int64_t window_ns;
	int64_t active_ns, idle_ns;                    /* active: any work at all */
	int64_t compute_ns, communication_ns, copy_ns; /* unions, each for itself */
	int64_t exposed_communication_ns;              /* without computation */
	int64_t exposed_copy_ns;                       /* without computation and communication */
	int64_t sum_ns;           /* durations added: more than active where work overlaps */
	uint64_t rows;            /* with any time inside the windows */
	uint64_t stream_overlaps; /* rows that start before their predecessor on the stream ends */
	double occupied_sm_ns;    /* duration * min(1, blocks / SMs) added; NAN: not known */
};

/*
 * Rows [first, last) are all rows of one device, in the order of the columns. work holds one enum
 * weir_work_class a device row of the trace; windows are united.
 */
void weir_activity_measure(const struct weir_trace *trace, size_t first, size_t last,
                           const uint8_t *work, const struct weir_intervals *windows,
                           struct weir_activity *out);

#endif
