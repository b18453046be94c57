/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times in the lines of server logs. */
#ifndef WEIR_READERS_SERVERLOG_TIMES_H
#define WEIR_READERS_SERVERLOG_TIMES_H

#include "engine/readers/serverlog/lines.h"

/*
 * Returns the time of a message, which states it itself if `stated` is not empty, else of the line.
 * The first time in a line counts: containers put theirs at its start. The first time in
 * a log decides its clock; lines with another clock have WEIR_NO_TIME and are counted. Times of day
 * without a date begin on 1 January 1972, as if they lacked only the year.
 */
int64_t weir_serverlog_time(struct weir_serverlog *reading, struct weir_slice stated);

#endif
