/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the profiles of one run, analyses them and applies the rules: the work of `weir classify`,
 * `weir convert`, and of each run of a gate. */
#ifndef WEIR_PIPELINE_CLASSIFY_H
#define WEIR_PIPELINE_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "ci/policy/policy.h"
#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/include/weir/weir.h"
#include "engine/model/report.h"
#include "engine/model/run.h"
#include "engine/model/settings.h"
#include "engine/model/what_if.h"
#include "engine/readers/reader.h"
#include "engine/report/writer.h"
#include "rules/ruleset.h"

/* One run and the options of its analysis. All is borrowed until the call returns, but settings
 * until weir_classification_free(). */
struct weir_classify_request {
	const char *const *paths; /* files and folders, all parts of one run */
	size_t path_count;
	const struct weir_buffer *buffers; /* files in memory, read before the paths */
	size_t buffer_count;
	const char *input_format;             /* NULL: recognised by content */
	const char *rules_folder;             /* NULL: the built-in rules */
	const char *device;                   /* NULL: the device that the traces name */
	const struct weir_settings *settings; /* NULL: no settings */
	bool whole_window;                    /* analyse all steps, not only the steady ones */
	const struct weir_change *changes;    /* what-if questions, independent of each other */
	size_t change_count;
	double percentile; /* at which shares of stages are read, 0 to 1; 0: 0.95 */
	bool detail;       /* keep the data for drawings of the timeline */
	size_t run_number; /* weir_convert(): run of a file with several, from 1; 0: the only one */
	struct weir_text *warnings; /* weir_convert(): receives a line for each warning; NULL: none
	                             */
	const struct weir_progress *progress; /* NULL: none */
	bool offline;                         /* do not fetch addresses of http and https */
	bool tolerant; /* leave files out that cannot be read, and report them */
};

struct weir_classification; /* opaque; owns the profile, the rules and the report */

/* Creates an empty classification. It is separate from weir_classification_run(), so that inputs
 * can be freed if that runs out of memory. */
struct weir_classification *weir_classification_new(void);
/* Reads the inputs, analyses and judges them, and fills the report. */
enum weir_status weir_classification_run(struct weir_classification *classification,
                                         const struct weir_classify_request *request,
                                         struct weir_error *err);
/* Creates and runs a classification. On success the caller frees *out with
 * weir_classification_free(). */
enum weir_status weir_classify(const struct weir_classify_request *request,
                               struct weir_classification **out, struct weir_error *err);
void weir_classification_free(struct weir_classification *classification);

/* Returns the report, borrowed until weir_classification_free(). */
const struct weir_report *
weir_classification_report(const struct weir_classification *classification);

/* Returns the files that were left out, borrowed until weir_classification_free(); empty unless the
 * request was tolerant. */
const struct weir_read_failures *
weir_classification_failures(const struct weir_classification *classification);

/* Returns the settings in a policy, with another price of a GPU-hour unless usd_per_gpu_hour is
 * NAN. `source` names the origin of that price. The settings borrow the policy and `source`. */
struct weir_settings weir_settings_of(const struct weir_policy *policy, double usd_per_gpu_hour,
                                      const char *source);

/* Loads the rules of a folder, or the built-in rules if folder is NULL. The caller frees *out with
 * weir_ruleset_free(). */
enum weir_status weir_load_rules(const char *folder, struct weir_ruleset **out,
                                 struct weir_error *err);

/* Fails with WEIR_E_EMPTY if the writer draws a timeline and the report holds none. */
enum weir_status weir_check_drawing(const struct weir_report *report,
                                    const struct weir_writer *writer, struct weir_error *err);

/* One measured run, as baselines store it, and its verdict. */
struct weir_measured {
	struct weir_run *run; /* owned; `next` leads to further runs of the same file */
	bool has_bound;       /* false: the bound is undetermined */
	enum weir_bound bound;
	char cause[64]; /* "": none */
};

/* Reads the inputs as one run and judges it, but computes only the figures that decide the verdict.
 * It uses `rules` and ignores request->rules_folder. Release *out with weir_measured_release(). */
enum weir_status weir_measure(const struct weir_classify_request *request,
                              struct weir_ruleset *rules, struct weir_measured *out,
                              struct weir_error *err);
void weir_measured_release(struct weir_measured *measured);

/* Reads the inputs as one run without judging it; rules_folder is ignored. The caller frees *out
 * with weir_run_free(). */
enum weir_status weir_convert(const struct weir_classify_request *request, struct weir_run **out,
                              struct weir_error *err);

/* Reads a file or folder as a run and forgets it, so that a wrong one is found before hours of
 * measuring. Errors as of weir_convert(). */
enum weir_status weir_check_run(const char *path, struct weir_error *err);

#endif
