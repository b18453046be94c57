/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What stands at the end of the objects gpu and memory of weir.report/1, and reading it back. */
#ifndef WEIR_REPORT_JSON_DEVICE_H
#define WEIR_REPORT_JSON_DEVICE_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* idle_names, inter_kernel_limit_ns, queue, launches, host_waits: inside the object gpu. */
void weir_json_put_launching(struct weir_jsonout *json, const struct weir_gpu_figures *gpu);
/* The object memory. */
void weir_json_put_memory(struct weir_jsonout *json, const struct weir_report *report);

#endif
