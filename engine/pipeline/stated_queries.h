/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Divides a query of an inference engine by the times that trtexec states: to enqueue it, to copy
 * its inputs and outputs, and to compute it (engine/readers/loadgen/trtexec.c). Its latency is the
 * sum of the copies and the computation; the host enqueues queries beside them.
 */
#ifndef WEIR_PIPELINE_STATED_QUERIES_H
#define WEIR_PIPELINE_STATED_QUERIES_H

#include "engine/model/report.h"

/* Returns a headline, as a template in the report's arena, on the longest part of a query, or on
 * the host if it takes about as long; NULL if no run, or several, state the parts. */
const char *weir_describe_stated_queries(struct weir_report *report);
/* Returns a headline, as a template in the report's arena, on the share of the prefill in a batch
 * of SGLang's bench_one_batch; NULL if no run, or several, state it. */
const char *weir_describe_stated_batch(struct weir_report *report);

#endif
