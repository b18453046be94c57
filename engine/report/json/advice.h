/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The members of a recommendation, which weir.report/1 and weir.advice/1 share. */
#ifndef WEIR_REPORT_JSON_ADVICE_H
#define WEIR_REPORT_JSON_ADVICE_H

#include "engine/report/json/document.h"

extern const struct weir_schema weir_recommendation_schema; /* struct weir_recommendation */

#endif
