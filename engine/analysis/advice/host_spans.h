/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The host time of each call of a program in the trace, and the removal of stretches from it. */
#ifndef WEIR_ANALYSIS_ADVICE_HOST_SPANS_H
#define WEIR_ANALYSIS_ADVICE_HOST_SPANS_H

#include "engine/analysis/advice/draft.h"
#include "engine/analysis/time/intervals.h"

struct weir_host_span {
	struct weir_interval before; /* from the end of the calls before it to its own start */
	struct weir_interval call;   /* empty for host time behind the last call */
};

/* Returns one span per issue of the program; the caller frees them. */
struct weir_host_span *weir_host_spans_new(const struct weir_program *program);

/* Removes the time of the set, which must be united, from the host time of all issues; returns the
 * time removed. */
double weir_host_spans_remove(struct weir_draft *draft, const struct weir_intervals *set);

#endif
