/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formats the output of `weir baseline list` and `weir baseline show`. Each function appends to
 * `text`; lines of text have at most 80 columns. */
#ifndef WEIR_CLI_BASELINE_TEXT_H
#define WEIR_CLI_BASELINE_TEXT_H

#include "baselines/store.h"
#include "engine/base/text.h"

void weir_baseline_list_text(const struct weir_store_list *list, const char *now,
                             struct weir_text *text);
/* Appends a document of the schema weir.baseline-list/1. */
void weir_baseline_list_json(const struct weir_store_list *list, const char *now,
                             struct weir_text *text);

void weir_baseline_show_text(const struct weir_baseline *baseline, struct weir_text *text);
/* Appends a document of the schema weir.baseline-show/1. */
void weir_baseline_show_json(const struct weir_baseline *baseline, struct weir_text *text);

#endif
