/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Days of the Gregorian calendar as text, "2027-01-31". Days of this form are ordered as texts. */
#ifndef WEIR_CI_POLICY_DAY_H
#define WEIR_CI_POLICY_DAY_H

#include <stdbool.h>

#define WEIR_DAY_SIZE 11 /* "2027-01-31" and its end */

/* Returns true for a day that exists. */
bool weir_day_is_valid(const char *text);

/* Writes the day that is `days` after a valid one (0 to 1000). Returns false beyond the year 9999.
 */
bool weir_day_after(const char *day, int days, char out[WEIR_DAY_SIZE]);

#endif
