/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What tests of readers of device monitors share: a text goes in, samples or a reason come out. */
#ifndef WEIR_TESTS_MONITORS_H
#define WEIR_TESTS_MONITORS_H

#include "tests/unit/reading.h"

/* The telemetry of a text that must be read; freed with the profile. */
const struct weir_telemetry *telemetry_of(const struct weir_reader *reader, const char *text,
                                          struct weir_profile *profile);
/* A line a sample: "ID [@NS] [reasons=0xN] gauge=value ...", gauges in their order. */
void expect_samples(const struct weir_reader *reader, const char *text, const char *expected);
void expect_warned(const struct weir_reader *reader, const char *text, enum weir_warning_code code,
                   unsigned count);
/* Every beginning of the text is read, or refused with a reason. */
void expect_clean_cuts(const struct weir_reader *reader, const char *text);
/* By content. NULL: no reader takes it, and the reason has `message` in it. */
void expect_chosen(const char *text, const struct weir_reader *reader, const char *message);

#endif
