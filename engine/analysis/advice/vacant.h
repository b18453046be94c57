/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns of a loop that look for their rows and find none, as the experts of a mixture do that no
 * token needs: the host waits for the number of rows and goes on to the next turn. loops.h compares
 * turns call by call, and would take each stretch between two such turns for one loop. So it reads
 * the calls without them.
 */
#ifndef WEIR_ANALYSIS_ADVICE_VACANT_H
#define WEIR_ANALYSIS_ADVICE_VACANT_H

#include "engine/analysis/advice/branches.h"
#include "engine/analysis/advice/loops.h"

/* Returns the calls without those of vacant turns, which are the branches; they belong to the
 * advisor. */
const struct weir_branches *weir_vacant_turns_of(const struct weir_advisor *advisor);

/* Returns the number of vacant turns before, between, and behind the turns of a loop of the calls
 * without them. */
size_t weir_vacant_turns(const struct weir_branches *vacant, const struct weir_loop *loop);

/* Removes those turns with their waits. */
void weir_vacant_turns_remove(struct weir_draft *draft, const struct weir_branches *vacant,
                              const struct weir_loop *loop);

#endif
