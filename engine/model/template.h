/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One-line texts with figures in them: "the GPU waits for the host {idle_host_late:share} of the
 * time".
 *
 * {id} writes a feature in the form of its unit, {id:FORMAT} in another (share, ratio, duration,
 * count, bytes, flops, flag); "{{" and "}}" are braces. A figure that was not measured is written
 * "?".
 */
#ifndef WEIR_MODEL_TEMPLATE_H
#define WEIR_MODEL_TEMPLATE_H

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/finding.h"

/* Fails (WEIR_E_USAGE) on a stray brace, an unknown format, and a feature that one of `subjects`
 * does not have. */
enum weir_status weir_template_check(const char *template,
                                     const struct weir_feature_table *features, unsigned subjects,
                                     struct weir_error *err);

/* Appends to `out`; `values` has one double a row of the table. What weir_template_check() would
 * refuse is written as it stands. */
void weir_template_expand(const char *template, const struct weir_feature_table *features,
                          const double *values, struct weir_text *out);

/* Appends a plain text such that expanding it gives the text back. */
void weir_template_quote(const char *plain, struct weir_text *out);

#endif
