/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fields of rocm-smi, which its tables, documents and texts share; private to their readers. */
#ifndef WEIR_READERS_MONITOR_AMD_FIELDS_H
#define WEIR_READERS_MONITOR_AMD_FIELDS_H

#include "engine/readers/monitor/monitor.h"

/* Entries of a list of fields. */
#define GAUGE(name, gauge, unit)                                                                   \
	{                                                                                          \
		name, WEIR_MONITOR_GAUGE, WEIR_GAUGE_##gauge, unit                                 \
	}
#define REASON(name, bit)                                                                          \
	{                                                                                          \
		name, WEIR_MONITOR_REASON, bit, NULL                                               \
	}
#define END                                                                                        \
	{                                                                                          \
		NULL, WEIR_MONITOR_GAUGE, 0, NULL                                                  \
	}

/* Columns of `rocm-smi --csv`, preferred ones first. The text has the same names. */
extern const struct weir_monitor_field weir_rocm_fields[];
#define WEIR_ROCM_MAX_FIELDS 64

/* The cells of a device seen so far. */
struct weir_rocm_seen {
	bool measured;    /* a sensor has a number, or the utilisation is not 0 */
	unsigned missing; /* sensors with a word: "N/A", "None" */
};

void weir_rocm_see(struct weir_rocm_seen *seen, const struct weir_monitor_field *field,
                   struct weir_slice cell);
/* Returns true, with a warning, if rocm-smi could read none of several sensors of the device: the
 * utilisation of 0 that it prints then is no measurement. */
bool weir_rocm_unreadable(const struct weir_rocm_seen *seen, struct weir_input *input, uint64_t at);

/* Takes "WARNING: AMD GPU device(s) is/are in a low-power state...", which rocm-smi prints above
 * its figures, as a warning or as the reason for the lack of a device. Returns false for other
 * lines. */
bool weir_rocm_warning(struct weir_monitor *monitor, struct weir_slice line, uint64_t at);

#endif
