/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A load generator's report that is one JSON object and one run, or one list and its requests: what
 * such readers have in common. */
#ifndef WEIR_READERS_CLIENT_REPORT_H
#define WEIR_READERS_CLIENT_REPORT_H

#include "engine/base/source.h"
#include "engine/readers/loadgen/client_summary.h"

struct weir_client_report {
	const struct weir_client_row *rows;     /* ends with a NULL path */
	const struct weir_client_label *labels; /* ends with a NULL path */
	const char *expected; /* where the times are, for the error that finds none */
	/* What the format needs beyond the checks of every summary; NULL: nothing. */
	enum weir_status (*check)(const struct weir_client_summary *summary,
	                          struct weir_error *err);
	/* Reads a document that is a list. */
	enum weir_status (*read_requests)(struct weir_source *source, struct weir_input *input,
	                                  struct weir_error *err);
};

/* Gives the input a run with the labels and the figures of the summary, or its requests. */
enum weir_status weir_client_report_read(const struct weir_client_report *report,
                                         struct weir_source *source, struct weir_input *input,
                                         struct weir_error *err);

#endif
