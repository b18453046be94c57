/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/text.h"
#include "engine/pipeline/clock.h"

void weir_clock_now(char out[WEIR_CLOCK_SIZE])
{
	const char *fixed = getenv("SOURCE_DATE_EPOCH");
	time_t now = time(NULL);
	struct tm parts;
	int64_t seconds;

	if (fixed && weir_parse_i64(fixed, strlen(fixed), &seconds))
		now = (time_t)seconds;
	if (!gmtime_r(&now, &parts) ||
	    strftime(out, WEIR_CLOCK_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
		memcpy(out, "1970-01-01T00:00:00Z", WEIR_CLOCK_SIZE);
}

void weir_clock_today(char out[WEIR_CLOCK_SIZE])
{
	weir_clock_now(out);
	out[10] = '\0';
}
