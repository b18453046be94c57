/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Repeats one command for `weir record -- COMMAND`: each execution is a separate process and one
 * run. The result of a run is a folder FOLDER/run-01 and so on, which gets this name only when it
 * is complete; before, and in a warm-up that is not kept, its name is hidden (FOLDER/.run-01).
 */
#ifndef WEIR_PIPELINE_REPEAT_H
#define WEIR_PIPELINE_REPEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/model/run.h"
#include "engine/pipeline/measurement.h"

#define WEIR_REPEAT_MOST 10000 /* runs, and warm-ups */

struct weir_repeat {
	const char *const *words; /* the command, ends with NULL; no shell */
	const char *folder;       /* made if missing; must be empty */
	const char *results;      /* pattern of the files that the command writes; NULL: none */
	bool time;                /* also record how long the command takes */
	size_t runs, warmups;
	const struct weir_run *labels; /* written beside each run */
	struct weir_signals *signals;
	weir_say_line *say; /* gets one line per run, and the output of a failed command */
	void *context;
};

/*
 * Executes the command and moves what it wrote into the folder of each run. The command gets the
 * variables WEIR_RUN_DIR, the folder of the run; WEIR_RUN_FILE and WEIR_RUN, a file that it may
 * write there; WEIR_RUN_NUMBER, 0 in a warm-up. A run that fails, writes nothing, or cannot be read
 * is named through say() and left out, and the others are measured; a failure of a warm-up or of
 * the first run ends the call. kept: number of complete runs, also after a failure.
 */
enum weir_status weir_repeat_run(const struct weir_repeat *repeat, size_t *kept,
                                 struct weir_error *err);

#endif
