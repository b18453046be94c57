/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads dates of scripts whose year stands last: 05-01-2026 10:00:00, 5/1/2026 10:00:00.250,
 * 05.01.2026 10:00:00. With points the day is first. Otherwise a part above 12 in any row is the
 * day; without one, the day is assumed to be first.
 */
#ifndef WEIR_READERS_MONITOR_SCRIPT_DATE_H
#define WEIR_READERS_MONITOR_SCRIPT_DATE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/slice.h"
#include "engine/model/profile.h"

#define WEIR_SCRIPT_DATE_SIZE 48

/* The order of day and month, as the rows of a file show it. */
struct weir_script_dates {
	bool unclear;                /* a date can be read in both orders */
	bool day_first, month_first; /* a date can be read in this order alone */
	bool swapped;                /* unclear dates were read with the month first */
};

/* Writes a date of this form as "2026-01-05T10:00:00". Returns false for other texts. */
bool weir_script_date_take(struct weir_script_dates *dates, struct weir_slice cell,
                           char out[WEIR_SCRIPT_DATE_SIZE]);
/* Reads the order from the rows of a head: later unclear dates are read in this order. */
void weir_script_date_look(struct weir_script_dates *dates, const char *head, size_t len);
/* Once all rows are read: corrects the samples if a late row shows that the month is first, and
 * warns if no row shows the order. */
void weir_script_date_conclude(const struct weir_script_dates *dates, struct weir_input *input);

#endif
