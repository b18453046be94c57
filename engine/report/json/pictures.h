/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member of weir.report/1 that holds the data of pictures. */
#ifndef WEIR_REPORT_JSON_PICTURES_H
#define WEIR_REPORT_JSON_PICTURES_H

#include "engine/report/json/document.h"

extern const struct weir_schema weir_pictures_schema; /* struct weir_pictures */

#endif
