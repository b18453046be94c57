/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the commands around baselines share: where the store is, and arguments that are one run
 * each. */
#ifndef WEIR_CLI_RECORDING_H
#define WEIR_CLI_RECORDING_H

#include "baselines/baseline.h"
#include "engine/base/error.h"
#include "engine/cli/options.h"
#include "engine/model/settings.h"

#define WEIR_DEFAULT_DB ".weir/baselines.db"

/* --db, else $WEIR_DB, else the default. The command has the option "db". */
const char *weir_db_path(const struct weir_arguments *arguments);

struct weir_recording_request {
	const char *const *paths; /* each is one run */
	size_t count;
	const char *input_format;             /* NULL: by content */
	const struct weir_settings *settings; /* NULL: nothing is stated */
	const char *recorded;                 /* time of all of them */
	bool quiet;
	const char *consequence; /* what a failure means: "nothing was recorded" */
};

/*
 * Reads and classifies each run and adds it to `into`. A run that cannot be read is named at once
 * on standard error; the rest are still read, so that one call names them all, and the error says
 * how many there were.
 */
enum weir_status weir_recording_read(const struct weir_recording_request *request,
                                     struct weir_baseline *into, struct weir_error *err);

#endif
