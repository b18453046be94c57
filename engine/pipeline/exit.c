/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stddef.h>

#include "engine/pipeline/exit.h"

static const enum weir_exit precedence[] = {
	WEIR_EXIT_INTERNAL,
	WEIR_EXIT_STORE,
	WEIR_EXIT_INPUT,
	WEIR_EXIT_USAGE,
	WEIR_EXIT_REGRESSION,
	WEIR_EXIT_COVERAGE,
	WEIR_EXIT_ENVIRONMENT,
	WEIR_EXIT_NO_BASELINE,
	WEIR_EXIT_INCONCLUSIVE,
	/* `weir comment` ends with one of these. */
	WEIR_EXIT_REFUSED,
	WEIR_EXIT_FORBIDDEN,
	WEIR_EXIT_NO_TOKEN,
	WEIR_EXIT_NO_PULL_REQUEST,
	WEIR_EXIT_NETWORK,
	WEIR_EXIT_PASS,
};

enum weir_exit weir_exit_worse(enum weir_exit a, enum weir_exit b)
{
	for (size_t i = 0; i < sizeof(precedence) / sizeof(*precedence); i++)
		if (precedence[i] == a || precedence[i] == b)
			return precedence[i];
	return WEIR_EXIT_INTERNAL; /* values from outside the enum */
}

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

const char *weir_exit_meaning(enum weir_exit code)
{
	static const char *const meanings[WEIR_EXIT_COUNT] = {
		[WEIR_EXIT_PASS] = "done, and nothing regressed",
		[WEIR_EXIT_REGRESSION] = "at least one regression that no waiver covers",
		[WEIR_EXIT_USAGE] =
			"a flag, a rule or an output file is wrong; the message says what to do",
		[WEIR_EXIT_INCONCLUSIVE] = "the evidence does not suffice, and --strict was given",
		[WEIR_EXIT_NO_BASELINE] = "no such baseline",
		[WEIR_EXIT_ENVIRONMENT] =
			"baseline and candidate were measured on different hardware",
		[WEIR_EXIT_COVERAGE] = "a part of the baseline is gone, or nothing was compared",
		[WEIR_EXIT_INPUT] =
			"a profile is unreadable, damaged beyond use, or holds no timing",
		[WEIR_EXIT_STORE] = "the baseline store cannot be used",
		[WEIR_EXIT_INTERNAL] = "a defect in weir",
		[WEIR_EXIT_NO_TOKEN] = "no token to comment with",
		[WEIR_EXIT_FORBIDDEN] = "the token may not comment there",
		[WEIR_EXIT_NETWORK] = "the service cannot be reached, or answers nothing usable",
		[WEIR_EXIT_NO_PULL_REQUEST] = "no pull or merge request to comment on",
		[WEIR_EXIT_REFUSED] = "the service does not take the comment's text",
	};

	return (unsigned)code < WEIR_EXIT_COUNT ? meanings[code] : "?";
}
