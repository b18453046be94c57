/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Returns the current time in UTC. Nothing else in weir reads the date. SOURCE_DATE_EPOCH (seconds
 * since 1970) replaces it, so that results can be reproduced. */
#ifndef WEIR_PIPELINE_CLOCK_H
#define WEIR_PIPELINE_CLOCK_H

#include <stddef.h>

#define WEIR_CLOCK_SIZE 21 /* "2026-11-20T14:00:00Z" and its NUL */

/* Writes the time as "2026-11-20T14:00:00Z". */
void weir_clock_now(char out[WEIR_CLOCK_SIZE]);
/* Writes the time `days` days before now. */
void weir_clock_before(char out[WEIR_CLOCK_SIZE], size_t days);
/* Returns the days from one time to a later one, both like "2026-11-20T14:00:00Z"; below 0 if it is
 * earlier. */
double weir_clock_days(const char *from, const char *to);
/* Writes the date as "2026-11-20". */
void weir_clock_today(char out[WEIR_CLOCK_SIZE]);

#endif
