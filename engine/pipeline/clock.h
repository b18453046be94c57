/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The only clock of the program. SOURCE_DATE_EPOCH (seconds since 1970) stands in for it, for
 * results that repeat. */
#ifndef WEIR_PIPELINE_CLOCK_H
#define WEIR_PIPELINE_CLOCK_H

#define WEIR_CLOCK_SIZE 21 /* "2026-11-20T14:00:00Z" and its NUL */

void weir_clock_now(char out[WEIR_CLOCK_SIZE]);
/* The day alone, "2026-11-20". */
void weir_clock_today(char out[WEIR_CLOCK_SIZE]);

#endif
