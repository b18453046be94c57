/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures one run per path and collects them in a baseline, for `weir gate`, `weir compare` and
 * `weir baseline record`. */
#ifndef WEIR_PIPELINE_MEASURE_RUNS_H
#define WEIR_PIPELINE_MEASURE_RUNS_H

#include <stdbool.h>
#include <stddef.h>

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/model/settings.h"
#include "engine/readers/reader.h"

struct weir_measuring {
	const char *input_format;             /* NULL: recognised by content */
	const struct weir_settings *settings; /* NULL: no settings */
	/* "KEY=VALUE", set in each run; ends with NULL. session: of runs that name none. */
	const char *const *labels; /* NULL: none */
	const char *session;       /* NULL: not known */
	const char *recorded;      /* time given to all runs, "2026-11-20T14:00:00Z" */
	const char *
		consequence; /* consequence of a failure, for its message: "nothing was recorded" */
	const struct weir_progress *progress; /* NULL: none */
	bool offline;                         /* do not fetch addresses */
	/* Called with the error message of each run that cannot be read; NULL: not called. */
	void (*failed)(void *context, const char *message);
	void *context; /* first argument of failed() */
};

/* Paths of runs and the baseline that gets them. A folder is one run made of every profile in it.
 * A file that states several processes gives several runs. */
struct weir_run_list {
	const char *const *paths;
	size_t count;
	struct weir_baseline *into; /* gets the runs in the order of their paths */
};

/*
 * Measures the runs of each list. A path that occurs twice is refused (WEIR_E_USAGE). If runs of a
 * list cannot be read, failed() is called for each, the error says how many they are, and later
 * lists are not read. An error that concerns all runs, such as a wrong option, ends the call at
 * once.
 */
enum weir_status weir_measure_runs(const struct weir_measuring *how,
                                   const struct weir_run_list *lists, size_t list_count,
                                   struct weir_error *err);

#endif
