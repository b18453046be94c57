/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names AMD's tools in the texts of a report about an AMD device: rules do not know the vendor. */
#ifndef WEIR_PIPELINE_AMD_TOOLS_H
#define WEIR_PIPELINE_AMD_TOOLS_H

#include "engine/model/report.h"

/* Replaces NVIDIA's tools in the next step and the recommendations; does nothing for devices of
 * other vendors. */
void weir_name_amd_tools(struct weir_report *report);

#endif
