/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text table that amd-smi monitor prints, for the reader of rocm-smi and amd-smi (amd.c). */
#ifndef WEIR_READERS_MONITOR_AMD_MONITOR_H
#define WEIR_READERS_MONITOR_AMD_MONITOR_H

#include "engine/readers/monitor/monitor.h"

/* Returns the number of bits that the titles of the table verify; 0: no such table in the head. */
int weir_amd_monitor_sniff(const char *head, size_t len);
/* Reads the table: a sample for each row. */
enum weir_status weir_amd_monitor_read(struct weir_source *source, struct weir_input *input,
                                       struct weir_error *err);

#endif
