/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles of one run that states figures, and what a report says of them. */
#ifndef WEIR_TESTS_UNIT_FIXTURE_STATED_H
#define WEIR_TESTS_UNIT_FIXTURE_STATED_H

#include "engine/model/report.h"

struct stated {
	const char *name;
	double value;
};

/* Returns a profile of one run with these figures in ms, up to the one without a name. */
struct weir_profile *stated_profile(const struct stated *figures);

/* Expects the headline that `describe` gives of a profile, which this frees; NULL: none. */
void expect_stated_headline(struct weir_profile *profile,
                            const char *(*describe)(struct weir_report *report),
                            const char *expected);

#endif
