/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole reports and runs of a profile as texts, to compare them with files of the test data
 * (record.h).
 */
#ifndef WEIR_TESTS_UNIT_REPORT_RECORD_H
#define WEIR_TESTS_UNIT_REPORT_RECORD_H

#include "engine/analysis/analyze.h"
#include "engine/base/text.h"
#include "engine/model/profile.h"

/* Adds the features of the profile and of its stages, and the report as JSON without weir's
 * version. Analyses and judges as `weir classify` does; fails the test on an error. */
void report_record_add(struct weir_profile *profile, const struct weir_analysis_options *options,
                       struct weir_text *out);
/* Adds the verdict and the attribution of time alone. */
void report_record_add_verdict(struct weir_profile *profile,
                               const struct weir_analysis_options *options, struct weir_text *out);
/* Adds the run of the profile, as `weir convert` writes it. */
void report_record_add_run(struct weir_profile *profile,
                           const struct weir_analysis_options *options, struct weir_text *out);

#endif
