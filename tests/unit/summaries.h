/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads a text as the summary of a run, and compares the run. */
#ifndef WEIR_TESTS_UNIT_SUMMARIES_H
#define WEIR_TESTS_UNIT_SUMMARIES_H

#include "tests/unit/reading.h"

struct summary_case {
	const struct weir_reader *reader;
	struct weir_profile *profile;
	const struct weir_input *input; /* the last one */
};

struct summary_case summary_new(const struct weir_reader *reader);
void summary_free(struct summary_case *summary);

enum weir_status summary_try(struct summary_case *summary, const char *text, size_t len,
                             struct weir_error *err);
/* Reads a text, which must succeed. */
void summary_read(struct summary_case *summary, const char *text);
/* Expects that each prefix is read, or refused in one line. */
void summary_cut_everywhere(const struct weir_reader *reader, const char *text);

/* Expects a figure of the last input; unit NULL: there must be no such figure. */
void summary_expect(const struct summary_case *summary, const char *name, double value,
                    const char *unit);
void summary_expect_warning(const struct summary_case *summary, enum weir_warning_code code,
                            uint64_t count);

#endif
