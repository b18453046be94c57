/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The page that amd-smi prints without a subcommand, for the reader of rocm-smi and amd-smi. */
#ifndef WEIR_READERS_MONITOR_AMD_PAGE_H
#define WEIR_READERS_MONITOR_AMD_PAGE_H

#include "engine/readers/monitor/monitor.h"

/* Returns the number of bits that the titles of the table verify; 0: not this page. */
int weir_amd_page_sniff(const char *head, size_t len);
/* Reads the page, once or again and again: a sample of each device. */
enum weir_status weir_amd_page_read(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err);

#endif
