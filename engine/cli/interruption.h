/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ends the program as a signal would have ended it, after the clean-up. */
#ifndef WEIR_CLI_INTERRUPTION_H
#define WEIR_CLI_INTERRUPTION_H

#include "engine/base/child.h"

/* Releases the signals. If one was taken or still waits, it ends the program, so that a calling
 * shell sees it; else the function returns. */
void weir_end_if_interrupted(struct weir_signals *signals);

#endif
