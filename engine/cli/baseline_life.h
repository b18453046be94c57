/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Actions of `weir baseline` that end the life of runs: prune, pin, unpin and remove. */
#ifndef WEIR_CLI_BASELINE_LIFE_H
#define WEIR_CLI_BASELINE_LIFE_H

#include "baselines/store.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/cli/options.h"

/* Arguments and output of an action. */
struct weir_baseline_call {
	const struct weir_arguments *arguments;
	const char *subject;   /* argument after the name of the action; NULL: none */
	struct weir_text text; /* for standard output */
	bool is_written;       /* the action wrote its output itself */
};

/* Opens a store to write; WEIR_E_NO_BASELINE instead of a new file if the file does not exist. */
enum weir_status weir_baseline_open_existing(const struct weir_baseline_call *call,
                                             struct weir_store **out, struct weir_error *err);

struct weir_baseline_kept {
	size_t pruned;  /* runs that lost their samples */
	size_t current; /* number of these that were current */
	size_t spared;  /* runs that stay because they were just recorded */
};

/* Prunes all but the newest `keep` runs of the baseline's name, and never those of `recorded`: a
 * clock that was ahead once must not make the store drop what it acknowledges. */
enum weir_status weir_baseline_keep_newest(struct weir_store *store,
                                           const struct weir_baseline *recorded, size_t keep,
                                           struct weir_baseline_kept *kept, struct weir_error *err);

enum weir_status weir_baseline_prune(struct weir_baseline_call *call, struct weir_error *err);
enum weir_status weir_baseline_pin(struct weir_baseline_call *call, struct weir_error *err);
enum weir_status weir_baseline_unpin(struct weir_baseline_call *call, struct weir_error *err);
enum weir_status weir_baseline_remove(struct weir_baseline_call *call, struct weir_error *err);

#endif
