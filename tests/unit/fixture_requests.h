/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports of runs with requests, made by hand. Free them with fixture_report_free(). */
#ifndef WEIR_TESTS_UNIT_FIXTURE_REQUESTS_H
#define WEIR_TESTS_UNIT_FIXTURE_REQUESTS_H

#include "engine/model/report.h"

/* A server that waits for its tokenizer: requests, cost, a monitor, notes. */
struct weir_report *fixture_requests_typical(void);
/* The same with a timeline of the device. */
struct weir_report *fixture_requests_with_timeline(void);
/* Requests as a client saw them: almost everything is unknown. */
struct weir_report *fixture_requests_bare(void);
/* Histograms of a server: means, and bounds of quantiles. */
struct weir_report *fixture_requests_counted(void);
/* The typical report with texts that try to break out. */
struct weir_report *fixture_requests_hostile(void);

#endif
