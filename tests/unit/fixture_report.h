/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reports made by hand for the tests of the writers. The caller frees each with
 * fixture_report_free(). */
#ifndef WEIR_TESTS_UNIT_FIXTURE_REPORT_H
#define WEIR_TESTS_UNIT_FIXTURE_REPORT_H

#include "engine/base/text.h"
#include "engine/model/report.h"
#include "engine/report/writer.h"

struct weir_report *fixture_report_typical(void); /* a decode loop that waits for its host */
struct weir_report *fixture_report_minimal(void); /* without device, steps and verdict */
/* The typical report with names that try to break out: markup, escape sequences, bidirectional
 * marks, invalid UTF-8, 10,000 characters, an empty name. Two ranks. */
struct weir_report *fixture_report_hostile(void);
void fixture_report_free(struct weir_report *report);

/* Writes the report in the named format. */
struct weir_text fixture_write(const char *format, const struct weir_report *report, size_t width,
                               size_t top);

#endif
