/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A change that is asked about before anybody makes it: the time of one class, times a factor. */
#ifndef WEIR_MODEL_WHAT_IF_H
#define WEIR_MODEL_WHAT_IF_H

#include <stdbool.h>

#include "engine/base/error.h"
#include "engine/model/bound.h"

#define WEIR_WHAT_IF_MAX_FACTOR 1000.0

struct weir_change {
	bool of_idle;          /* `idle` names the class, else `bound` */
	enum weir_bound bound; /* all its causes of idle time and its work */
	enum weir_idle idle;
	double factor; /* 0 removes the class, 1 leaves it; at most WEIR_WHAT_IF_MAX_FACTOR */
};

/* "runtime=0", "launch_latency=0.5". WEIR_E_USAGE names what is wrong and the nearest class. */
enum weir_status weir_change_parse(const char *text, struct weir_change *out,
                                   struct weir_error *err);

const char *weir_change_class(const struct weir_change *change); /* "runtime" */

#endif
