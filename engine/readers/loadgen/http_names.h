/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Collects the statistics that a load generator for HTTP states for each name of a request, and
 * over all. Figures over all have no prefix; the others have the name in theirs
 * ("request@POST /generate/p95_latency_ms"), unless there is only one name.
 */
#ifndef WEIR_READERS_LOADGEN_HTTP_NAMES_H
#define WEIR_READERS_LOADGEN_HTTP_NAMES_H

#include "engine/readers/loadgen/http_report.h"

struct weir_http_names {
	struct weir_input *input;
	/* Computes how many requests completed. */
	void (*settle)(struct weir_http_report *report);
	struct weir_http_report report; /* of the name that is being read */
	struct weir_text name;          /* of it; empty: over all */
	struct weir_run *all, *parts; /* figures over all and of the names; all: NULL if not met */
	size_t count;                 /* of the names */
	size_t failed;                /* reports without a completed request */
	bool too_many;                /* figures */
};

void weir_http_names_init(struct weir_http_names *names, struct weir_input *input,
                          void (*settle)(struct weir_http_report *report));
void weir_http_names_release(struct weir_http_names *names);

/* Ends the report before and begins one. The name is set by weir_http_names_call(), if at all. */
void weir_http_names_begin(struct weir_http_names *names);
/* Sets the name of the report that is being read. */
void weir_http_names_call(struct weir_http_names *names, struct weir_slice name);
/* Ends the last report and gives the input its run. Fails if no request completed. */
enum weir_status weir_http_names_conclude(struct weir_http_names *names, const char *expected,
                                          struct weir_error *err);

#endif
