/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the host's time goes, for weir.report/1. */
#ifndef WEIR_REPORT_JSON_HOST_H
#define WEIR_REPORT_JSON_HOST_H

#include "engine/base/jsonout.h"
#include "engine/model/report.h"

/* The member "host"; nothing where no profile of the host was given. */
void weir_json_put_host(struct weir_jsonout *json, const struct weir_report *report);

#endif
