/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exit codes of the program, which the library also returns. */
#ifndef WEIR_PIPELINE_EXIT_H
#define WEIR_PIPELINE_EXIT_H

#include "engine/base/error.h"

enum weir_exit {
	WEIR_EXIT_PASS = 0,
	WEIR_EXIT_REGRESSION = 1,
	WEIR_EXIT_USAGE = 2,
	WEIR_EXIT_INCONCLUSIVE = 3,
	WEIR_EXIT_NO_BASELINE = 4,
	WEIR_EXIT_ENVIRONMENT = 5,
	WEIR_EXIT_COVERAGE = 6,
	WEIR_EXIT_INPUT = 7,
	WEIR_EXIT_STORE = 8,
	WEIR_EXIT_INTERNAL = 9,
	WEIR_EXIT_NO_TOKEN = 10, /* this and the following codes: `weir comment` only */
	WEIR_EXIT_FORBIDDEN = 11,
	WEIR_EXIT_NETWORK = 12,
	WEIR_EXIT_NO_PULL_REQUEST = 13,
	WEIR_EXIT_REFUSED = 14,
	WEIR_EXIT_COUNT
};

/* Exit codes that `git bisect run` gives a meaning to. */
#define WEIR_BISECT_SKIP  125 /* the commit can be judged neither good nor bad */
#define WEIR_BISECT_ABORT 128 /* this code and those above end the bisection */

/* Returns the exit code for `git bisect run`: 0 good, 1 bad, WEIR_BISECT_SKIP if the runs do not
 * decide, and WEIR_BISECT_ABORT plus the code for whatever no other commit would change. */
int weir_exit_for_bisect(enum weir_exit code);

/* Returns the exit code for a status. */
enum weir_exit weir_exit_of(enum weir_status status);
/* Returns the meaning of a code in one line of help. */
const char *weir_exit_meaning(enum weir_exit code);

#endif
