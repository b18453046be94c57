/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Requests on the time axis of a server: which of its states the time of slow requests fell into.
 *
 * A log in local time is shifted by whole quarters of an hour to the largest overlap with the
 * requests, as monitors are (engine/analysis/requests/telemetry.h); a log without a year takes that
 * of the requests. Metrics pages are in Unix time. With several engines, the state is the mean of
 * all, because no row names the requests of its step.
 */
#ifndef WEIR_ANALYSIS_SERVER_JOINED_H
#define WEIR_ANALYSIS_SERVER_JOINED_H

#include "engine/analysis/server/engines.h"

/* Unix time, half-open. */
struct weir_joined_span {
	int64_t start_ns, end_ns;
};

/* Fills out->joined with the shares of the spans in each state; leaves it unknown if clocks cannot
 * be compared, or less than half of the spans is covered. */
void weir_server_join(const struct weir_profile *profile, const struct weir_joined_span *spans,
                      size_t count, struct weir_server_figures *out);

#endif
