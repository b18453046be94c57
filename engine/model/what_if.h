/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A hypothetical change of a run: the time of one class, multiplied by a factor. */
#ifndef WEIR_MODEL_WHAT_IF_H
#define WEIR_MODEL_WHAT_IF_H

#include <stdint.h>

#include "engine/base/error.h"
#include "engine/model/bound.h"

#define WEIR_WHAT_IF_MAX_FACTOR 1000.0

/* The kind of class that changes. */
enum weir_change_of {
	WEIR_CHANGE_BOUND, /* the idle causes and the work of a bound */
	WEIR_CHANGE_IDLE,  /* causes of idle time */
	WEIR_CHANGE_PART,  /* the time measured by the feature of this name */
};

/* Times that can change; each is the time of a feature. */
enum weir_time_part {
	WEIR_TIME_LATE_SYNC,
	WEIR_TIME_LATE_BEFORE,
	WEIR_TIME_LATE_AFTER,
	WEIR_TIME_EXPOSED_COMMUNICATION,
	WEIR_TIME_EXPOSED_TRANSFER,
	WEIR_TIME_EXPOSED_WAIT,
	WEIR_TIME_EXPOSED_WAIT_HOST,
	WEIR_TIME_BANDWIDTH_LIMITED,
	WEIR_TIME_COUNT
};

WEIR_ENUM_DECLARE(weir_time_part); /* "late_sync" */

struct weir_change {
	enum weir_change_of of;
	enum weir_bound bound; /* set for one kind of class, as are idles and part */
	uint32_t idles;        /* bits of the causes: WEIR_IDLE_BIT */
	enum weir_time_part part;
	double factor; /* 0 removes the class, 1 keeps it; at most WEIR_WHAT_IF_MAX_FACTOR */
	const char *class_name; /* "runtime"; static */
};

#define WEIR_IDLE_BIT(idle) (UINT32_C(1) << (idle))

/* Parses "runtime=0", "launch_latency=0.5", "host_late=0", "late_sync=0". WEIR_E_USAGE: the message
 * begins with the text and names the nearest class. */
enum weir_status weir_change_parse(const char *text, struct weir_change *out,
                                   struct weir_error *err);

#endif
