/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/pipeline/exit.h"

enum weir_exit weir_exit_of(enum weir_status status)
{
	switch (status) {
	case WEIR_OK:
		return WEIR_EXIT_PASS;
	case WEIR_E_USAGE:
		return WEIR_EXIT_USAGE;
	case WEIR_E_IO:
	case WEIR_E_FORMAT:
	case WEIR_E_EMPTY:
	case WEIR_E_LIMIT:
		return WEIR_EXIT_INPUT;
	case WEIR_E_STORE:
		return WEIR_EXIT_STORE;
	case WEIR_E_NO_BASELINE:
		return WEIR_EXIT_NO_BASELINE;
	case WEIR_E_OTHER_DEVICE:
		return WEIR_EXIT_ENVIRONMENT;
	case WEIR_E_NOT_COMPARED:
		return WEIR_EXIT_COVERAGE;
	case WEIR_E_NO_TOKEN:
		return WEIR_EXIT_NO_TOKEN;
	case WEIR_E_FORBIDDEN:
		return WEIR_EXIT_FORBIDDEN;
	case WEIR_E_NETWORK:
	case WEIR_E_UNSURE:
		return WEIR_EXIT_NETWORK;
	case WEIR_E_NO_PULL_REQUEST:
		return WEIR_EXIT_NO_PULL_REQUEST;
	case WEIR_E_REFUSED:
		return WEIR_EXIT_REFUSED;
	case WEIR_E_INTERNAL:
		break;
	}
	return WEIR_EXIT_INTERNAL;
}

int weir_exit_for_bisect(enum weir_exit code)
{
	if (code == WEIR_EXIT_PASS || code == WEIR_EXIT_REGRESSION)
		return (int)code;
	if (code == WEIR_EXIT_INCONCLUSIVE || code == WEIR_EXIT_COVERAGE)
		return WEIR_BISECT_SKIP;
	return WEIR_BISECT_ABORT + (int)code;
}

const char *weir_exit_meaning(enum weir_exit code)
{
	static const char *const meanings[WEIR_EXIT_COUNT] = {
		[WEIR_EXIT_PASS] = "success, and no regression",
		[WEIR_EXIT_REGRESSION] = "at least one regression that no waiver covers",
		[WEIR_EXIT_USAGE] =
			"an option, the configuration, a rule or an output file is wrong",
		[WEIR_EXIT_INCONCLUSIVE] =
			"a regression is suspected, or undecided at p50 or shift, with --strict",
		[WEIR_EXIT_NO_BASELINE] = "no such baseline, or it holds no run",
		[WEIR_EXIT_ENVIRONMENT] =
			"baseline and candidate differ in hardware or in a label that must match",
		[WEIR_EXIT_COVERAGE] =
			"a stage, metric or rank is missing, or nothing was compared",
		[WEIR_EXIT_INPUT] =
			"a profile is unreadable, truncated beyond use, or holds no timing",
		[WEIR_EXIT_STORE] =
			"the store cannot be opened, stays locked, or fails its integrity check",
		[WEIR_EXIT_INTERNAL] = "a defect in weir",
		[WEIR_EXIT_NO_TOKEN] = "no token was given",
		[WEIR_EXIT_FORBIDDEN] = "the token lacks the right to comment",
		[WEIR_EXIT_NETWORK] = "the service cannot be reached, or its answer is unusable",
		[WEIR_EXIT_NO_PULL_REQUEST] = "no pull or merge request to comment on",
		[WEIR_EXIT_REFUSED] = "the service refuses the text of the comment",
	};

	return (unsigned)code < WEIR_EXIT_COUNT ? meanings[code] : "?";
}
