/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Helpers for tests of device monitors: a text gives samples, or a reason why not. */
#ifndef WEIR_TESTS_UNIT_MONITORS_H
#define WEIR_TESTS_UNIT_MONITORS_H

#include "tests/unit/reading.h"

/* Reads a text, which must succeed. The profile frees the telemetry. */
const struct weir_telemetry *telemetry_of(const struct weir_reader *reader, const char *text,
                                          struct weir_profile *profile);
/* Expects one line per sample: "ID [@NS] [reasons=0xN] gauge=value ...", gauges in their order. */
void expect_samples(const struct weir_reader *reader, const char *text, const char *expected);
void expect_warned(const struct weir_reader *reader, const char *text, enum weir_warning_code code,
                   unsigned count);
/* Expects that each prefix of the text is read, or refused with a reason. */
void expect_clean_cuts(const struct weir_reader *reader, const char *text);
/* Expects this reader by content. NULL: no reader claims it, and the reason contains `message`. */
void expect_chosen(const char *text, const struct weir_reader *reader, const char *message);

#endif
