/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a server in weir.report/1. */
#ifndef WEIR_REPORT_JSON_SERVER_H
#define WEIR_REPORT_JSON_SERVER_H

#include "engine/model/report.h"
#include "engine/report/json/document.h"

extern const struct weir_schema weir_server_schema; /* of struct weir_server_figures */

#endif
