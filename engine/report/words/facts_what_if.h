/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What changes would save, and what the profiler cost, for people. */
#ifndef WEIR_REPORT_FACTS_WHAT_IF_H
#define WEIR_REPORT_FACTS_WHAT_IF_H

#include "engine/report/words/phrases.h"

/* One sentence a change. */
void weir_fill_what_if(const struct weir_report *report, struct weir_items *items);
/* One sentence; nothing where no unprofiled time is known. */
void weir_fill_profiler(const struct weir_report *report, struct weir_items *items);

#endif
