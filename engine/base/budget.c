/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#include "engine/base/budget.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define BUDGET_OFF true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define BUDGET_OFF true
#endif
#endif
#ifndef BUDGET_OFF
#define BUDGET_OFF false
#endif

/* The limit concerns the process, and so does its record. */
static struct {
	struct rlimit before, now; /* valid if is_set */
	bool is_set;
	atomic_bool is_to_blame;
	char reason[160];
} budget;

bool weir_budget_set(uint64_t bytes, const char *reason)
{
	struct rlimit addresses;

	if (BUDGET_OFF)
		return true;
	if (getrlimit(RLIMIT_DATA, &budget.before) || getrlimit(RLIMIT_AS, &addresses))
		return false;
	/* RLIM_INFINITY is the largest number. Addresses hold the data and more. */
	if (budget.before.rlim_cur <= bytes || addresses.rlim_cur <= bytes)
		return true;
	budget.now = (struct rlimit){.rlim_cur = bytes, .rlim_max = budget.before.rlim_max};
	if (setrlimit(RLIMIT_DATA, &budget.now))
		return false;
	snprintf(budget.reason, sizeof budget.reason, "%s", reason);
	budget.is_set = true;
	return true;
}

void weir_budget_lift(void)
{
	if (budget.is_set)
		(void)setrlimit(RLIMIT_DATA, &budget.before);
}

void weir_budget_restore(void)
{
	if (budget.is_set)
		(void)setrlimit(RLIMIT_DATA, &budget.now);
}

void weir_budget_blame(bool is_to_blame)
{
	atomic_store(&budget.is_to_blame, is_to_blame && budget.is_set);
}

const char *weir_budget_reason(bool *by_limit)
{
	bool blamed = atomic_load(&budget.is_to_blame);

	if (by_limit)
		*by_limit = blamed;
	return blamed ? budget.reason : "out of memory";
}
