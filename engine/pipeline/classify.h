/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the profiles of one run, analyses them and applies the rules: what `weir classify` does,
 * and the library. */
#ifndef WEIR_PIPELINE_CLASSIFY_H
#define WEIR_PIPELINE_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>

#include "ci/policy/policy.h"
#include "engine/base/error.h"
#include "engine/include/weir/weir.h"
#include "engine/model/report.h"
#include "engine/model/run.h"
#include "engine/model/settings.h"
#include "engine/model/what_if.h"
#include "engine/readers/reader.h"
#include "engine/report/writer.h"
#include "rules/ruleset.h"

/* Everything is borrowed for the call; settings and device until weir_classification_free(). */
struct weir_classify_request {
	const char *const *paths; /* all are parts of one run */
	size_t path_count;
	const struct weir_buffer *buffers; /* read before the paths, as parts of the same run */
	size_t buffer_count;
	const char *input_format;             /* NULL: recognised by content */
	const char *rules_folder;             /* NULL: the built-in catalogue */
	const char *device;                   /* NULL: as the traces name it */
	const struct weir_settings *settings; /* NULL: no settings */
	bool whole_window;                    /* from the first to the last device event */
	const struct weir_change *changes;    /* what-if questions, each asked alone */
	size_t change_count;
	double percentile;                    /* of the step time, for shares of stages; 0: 0.95 */
	bool detail;                          /* keep what drawings of the timeline need */
	const struct weir_progress *progress; /* NULL: none */
};

struct weir_classification; /* opaque; owns the profile, the rules and the report */

/* In two steps, so that what was read so far can be freed if the second one runs out of memory. */
struct weir_classification *weir_classification_new(void);
enum weir_status weir_classification_run(struct weir_classification *classification,
                                         const struct weir_classify_request *request,
                                         struct weir_error *err);
/* In one step. On success the caller frees *out with weir_classification_free(). */
enum weir_status weir_classify(const struct weir_classify_request *request,
                               struct weir_classification **out, struct weir_error *err);
void weir_classification_free(struct weir_classification *classification);

/* Borrowed until weir_classification_free(). */
const struct weir_report *
weir_classification_report(const struct weir_classification *classification);

/* Returns the settings of a policy. It borrows the policy, and `source`, which names where a price
 * above 0 comes from that overrides the policy's; usd_per_gpu_hour NAN: the policy's. */
struct weir_settings weir_settings_of(const struct weir_policy *policy, double usd_per_gpu_hour,
                                      const char *source);

/* Loads the rules of the folder, else the built-in catalogue (NULL). The caller frees *out with
 * weir_ruleset_free(). */
enum weir_status weir_load_rules(const char *folder, struct weir_ruleset **out,
                                 struct weir_error *err);

/* Fails with WEIR_E_EMPTY if the writer draws a timeline and the report holds none. */
enum weir_status weir_check_drawing(const struct weir_report *report,
                                    const struct weir_writer *writer, struct weir_error *err);

/* A run as it is recorded and compared, with the bound that the rules conclude. */
struct weir_measured {
	struct weir_run *run; /* owned */
	bool has_bound;       /* false: undetermined, as for inputs without a timeline */
	enum weir_bound bound;
	char cause[64]; /* "": none */
};

/* Reads the inputs as one run and judges it by the rules; rules_folder is not read. No report is
 * made: only the figures that decide the verdict are computed. Release *out with
 * weir_measured_release(). */
enum weir_status weir_measure(const struct weir_classify_request *request,
                              struct weir_ruleset *rules, struct weir_measured *out,
                              struct weir_error *err);
void weir_measured_release(struct weir_measured *measured);

/* Reads the inputs as one run without judging it, for `weir convert`; rules_folder is not read. The
 * caller frees *out with weir_run_free(). */
enum weir_status weir_convert(const struct weir_classify_request *request, struct weir_run **out,
                              struct weir_error *err);

#endif
