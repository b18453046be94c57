/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One-line texts with placeholders for figures: "the GPU waits for the host {idle_host_late:share}
 * of the time".
 *
 * {id} writes a feature in its own unit, {id:FORMAT} in another (share, ratio, duration, count,
 * bytes, flops, flag); "{{" and "}}" are braces. A figure that was not measured is written as "?".
 */
#ifndef WEIR_MODEL_TEMPLATE_H
#define WEIR_MODEL_TEMPLATE_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/model/finding.h"

/* Checks a template. Fails with WEIR_E_USAGE on a stray brace, an unknown format, or a feature that
 * one of `subjects` lacks. */
enum weir_status weir_template_check(const char *template,
                                     const struct weir_feature_table *features, unsigned subjects,
                                     struct weir_error *err);

/* Appends the expanded template; `values` has one double per row of the table. Parts that
 * weir_template_check() refuses are copied. Returns false if a figure was not measured. */
bool weir_template_expand(const char *template, const struct weir_feature_table *features,
                          const double *values, struct weir_text *out);

/* Appends the expanded template without the parts (between "; ", or in brackets) that hold a figure
 * that was not measured; nothing if that leaves no part. */
void weir_template_expand_known(const char *template, const struct weir_feature_table *features,
                                const double *values, struct weir_text *out);

/* Appends a template that expands to the plain text. */
void weir_template_quote(const char *plain, struct weir_text *out);

#endif
