/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is said of counters of kernels and of profiles of the host. */
#ifndef WEIR_REPORT_FACTS_PROFILERS_H
#define WEIR_REPORT_FACTS_PROFILERS_H

#include "engine/report/words/phrases.h"

/* Lines of the context. */
void weir_items_counters(const struct weir_report *report, struct weir_items *items);
void weir_items_host(const struct weir_report *report, struct weir_items *items);

/* Fact lines: the largest kernel's counters, and what the profiler's own rules say of it. */
void weir_fill_kernel_counters(const struct weir_report *report, struct weir_items *items);
void weir_fill_kernel_findings(const struct weir_report *report, struct weir_items *items);
/* The host's largest functions. */
void weir_fill_host_time(const struct weir_report *report, struct weir_items *items);

#endif
