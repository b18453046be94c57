/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/analysis/path/clocks.h"

/* Clocks that lie further apart are not of one run. */
#define MAX_BASE_NS (INT64_C(86400) * 1000000000)

int64_t weir_clock_shift(const struct weir_analysis *analysis, size_t r)
{
	const struct weir_rank *rank = &analysis->ranks[r];
	int64_t first_ns = analysis->ranks[0].trace->base_ns, own_ns = rank->trace->base_ns;
	int64_t shift_ns = 0;

	if (first_ns > 0 && own_ns > 0)
		shift_ns = own_ns - first_ns;
	if (shift_ns > MAX_BASE_NS || shift_ns < -MAX_BASE_NS)
		shift_ns = 0;
	return rank->waits.aligned ? shift_ns + rank->waits.offset_ns : shift_ns;
}

int64_t weir_clock_shifted(int64_t at_ns, int64_t by_ns)
{
	if (by_ns > 0)
		return at_ns > INT64_MAX - by_ns ? INT64_MAX : at_ns + by_ns;
	return at_ns < INT64_MIN - by_ns ? INT64_MIN : at_ns + by_ns;
}
