/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The chain behind `weir classify`: read, analyse, evaluate the rules. One report and everything it
 * borrows from. */
#ifndef WEIR_CLI_CLASSIFY_H
#define WEIR_CLI_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"
#include "engine/model/report.h"
#include "engine/model/settings.h"
#include "engine/model/what_if.h"
#include "engine/readers/reader.h"

/* Texts are borrowed; settings until weir_classification_free(). */
struct weir_classify_request {
	const char *const *paths; /* all are parts of one run */
	size_t path_count;
	const char *input_format;             /* NULL: by content */
	const char *rules_folder;             /* NULL: the catalogue in the program */
	const char *device;                   /* NULL: as the traces name it */
	const struct weir_settings *settings; /* NULL: nothing is stated */
	bool whole_window;                    /* --window all */
	const struct weir_change *changes;    /* --what-if, one by one */
	size_t change_count;
	double percentile;                    /* at which shares of stages are read; 0: 0.95 */
	bool detail;                          /* an output draws stacks or tracks */
	const struct weir_progress *progress; /* NULL: nobody listens */
};

struct weir_classification; /* opaque; owns the profile, the rules and the report */

/* On success the caller frees *out with weir_classification_free(). */
enum weir_status weir_classify(const struct weir_classify_request *request,
                               struct weir_classification **out, struct weir_error *err);
void weir_classification_free(struct weir_classification *classification);

/* Borrowed until weir_classification_free(). */
const struct weir_report *
weir_classification_report(const struct weir_classification *classification);

/* One run as it is recorded and compared, with what bounds it. */
struct weir_measured {
	struct weir_run *run; /* owned */
	bool has_bound;       /* false: undetermined, as for inputs without a timeline */
	enum weir_bound bound;
	char cause[64]; /* "" where none is stated */
};

/* Reads the inputs as one run and classifies it; release *out with weir_measured_release(). */
enum weir_status weir_measure(const struct weir_classify_request *request,
                              struct weir_measured *out, struct weir_error *err);
void weir_measured_release(struct weir_measured *measured);

/* Reads the inputs as one run of samples, for `weir convert`; rules_folder and device are not
 * looked at. The caller frees *out with weir_run_free(). */
enum weir_status weir_convert(const struct weir_classify_request *request, struct weir_run **out,
                              struct weir_error *err);

#endif
