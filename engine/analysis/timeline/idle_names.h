/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Idle time by cause and by the name of what took it: the call, operator or frame in which the
 * launching thread was, or the device work that was waited for. Times of one cause add up to the
 * idle time of that cause exactly.
 */
#ifndef WEIR_ANALYSIS_IDLE_NAMES_H
#define WEIR_ANALYSIS_IDLE_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "engine/base/rowmap.h"

struct weir_idle_entry {
	uint32_t name, in; /* ids of the trace's names; 0: none */
	uint8_t idle;      /* enum weir_idle */
	uint64_t count;    /* stretches */
	int64_t ns;        /* stays at INT64_MAX where hostile clocks leave it */
};

/* {0} is empty. */
struct weir_idle_names {
	struct weir_idle_entry *entries;
	size_t count, capacity;
	struct weir_rowmap map;
};

/* A stretch without time is not counted. */
void weir_idle_names_add(struct weir_idle_names *names, const struct weir_idle_entry *entry);
void weir_idle_names_release(struct weir_idle_names *names);

#endif
