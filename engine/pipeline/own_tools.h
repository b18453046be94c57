/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names the tools of a device's vendor or of a server in the texts of a report, because rules know
 * neither. */
#ifndef WEIR_PIPELINE_OWN_TOOLS_H
#define WEIR_PIPELINE_OWN_TOOLS_H

#include "engine/model/report.h"

/* Replaces NVIDIA's tools in the next step and the recommendations of reports about AMD's devices,
 * and PyTorch's profiler in those about llama.cpp. */
void weir_name_own_tools(struct weir_report *report);

#endif
