/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Limits the memory of the process, so that an input cannot take that of its neighbours. The system
 * keeps the limit (RLIMIT_DATA): it counts the heap and every private mapping, those of libraries
 * among them, about 1.4 times the resident memory. An allocation beyond it fails.
 */
#ifndef WEIR_BASE_BUDGET_H
#define WEIR_BASE_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sets the limit, unless the process has a lower one of data or addresses, at which allocations
 * fail before. The reason is the message for an allocation that fails because of it,
 * and is copied. Call it before other threads run. Does nothing under the address and thread
 * sanitizers, which map terabytes. Returns false if the system refuses. */
bool weir_budget_set(uint64_t bytes, const char *reason);

/* Takes the limit away until weir_budget_restore(): to start a program that it does not concern, or
 * to see whether it was the reason why an allocation failed. */
void weir_budget_lift(void);
void weir_budget_restore(void);

/* Notes whether the limit was the reason of the last failure. Safe on several threads. */
void weir_budget_blame(bool is_to_blame);
/* Returns the reason of the last failure: that of weir_budget_set(), or "out of memory". *by_limit,
 * which may be NULL, becomes true for the former. The text lasts as long as the process. */
const char *weir_budget_reason(bool *by_limit);

#endif
