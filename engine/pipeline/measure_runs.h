/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures runs, each a path of its own, and collects them as a baseline: for `weir gate`,
 * `compare` and `baseline record`. */
#ifndef WEIR_PIPELINE_MEASURE_RUNS_H
#define WEIR_PIPELINE_MEASURE_RUNS_H

#include <stddef.h>

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/model/settings.h"
#include "engine/readers/reader.h"

struct weir_measuring {
	const char *input_format;             /* NULL: recognised by content */
	const struct weir_settings *settings; /* NULL: no settings */
	const char *recorded;                 /* time of all runs, "2026-11-20T14:00:00Z" */
	const char *consequence;              /* of a failure: "nothing was recorded" */
	const struct weir_progress *progress; /* NULL: none */
	/* Called with the message about each run that cannot be read; NULL: nobody listens. */
	void (*failed)(void *context, const char *message);
	void *context;
};

/* Each path is one run; a folder is one run made of every profile in it. */
struct weir_run_list {
	const char *const *paths;
	size_t count;
	struct weir_baseline *into; /* gets the runs in order */
};

/*
 * Measures the runs of each list. The rules are loaded once. A list is read to its end, so that one
 * call names every run that cannot be read; then the error says how many there were, and the lists
 * after it are not read. An error that concerns all runs, like a wrong option, ends the call at
 * once.
 */
enum weir_status weir_measure_runs(const struct weir_measuring *how,
                                   const struct weir_run_list *lists, size_t list_count,
                                   struct weir_error *err);

#endif
