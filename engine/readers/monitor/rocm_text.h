/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The text that rocm-smi prints, for the reader of rocm-smi and amd-smi (amd.c). */
#ifndef WEIR_READERS_MONITOR_ROCM_TEXT_H
#define WEIR_READERS_MONITOR_ROCM_TEXT_H

#include "engine/readers/monitor/monitor.h"

/* Returns the number of bits that the first line with figures verifies; 0: not this text. */
int weir_rocm_text_sniff(const char *head, size_t len);
/* Reads the text: a sample of each device for each report. */
enum weir_status weir_rocm_text_read(struct weir_source *source, struct weir_input *input,
                                     struct weir_error *err);

#endif
