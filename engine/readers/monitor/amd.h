/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rocm-smi and amd-smi: which of their fields are gauges. Names changed from release to release;
 * what any of them used is known. */
#ifndef WEIR_READERS_AMD_H
#define WEIR_READERS_AMD_H

#include "engine/readers/monitor/monitor.h"

/* Columns of `rocm-smi --csv`, keys of a card of `rocm-smi --json`. */
extern const struct weir_monitor_field weir_amd_rocm_fields[];
/* Columns of `amd-smi monitor --csv`. */
extern const struct weir_monitor_field weir_amd_monitor_fields[];
/* Columns of `amd-smi metric --csv`. */
extern const struct weir_monitor_field weir_amd_metric_fields[];
/* Keys of `amd-smi metric --json` and `monitor --json`, nested ones with points between. */
extern const struct weir_monitor_field weir_amd_json_fields[];
#define WEIR_AMD_MAX_JSON_FIELDS 64

int weir_amd_sniff_json(const char *head, size_t len);
enum weir_status weir_amd_read_json(struct weir_source *source, struct weir_input *input,
                                    struct weir_error *err);

#endif
