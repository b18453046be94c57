/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The section "what to do", shared by the text of a report and by `weir advise`. */
#ifndef WEIR_REPORT_CLASSIFY_ADVICE_TEXT_H
#define WEIR_REPORT_CLASSIFY_ADVICE_TEXT_H

#include "engine/report/plain/layout.h"
#include "engine/report/writer.h"

/* Returns a layout that appends to `out`, with a width that can be read. The options may be NULL.
 */
struct weir_layout weir_text_layout(const struct weir_write_options *options,
                                    struct weir_text *out);

/* Appends the title and the recommendations; nothing without any. */
void weir_recommendations_text(const struct weir_report *report, const struct weir_layout *layout);

#endif
