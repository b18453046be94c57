/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The member of weir.gate/1 that holds the data of pictures. */
#ifndef WEIR_REPORT_JSON_GATE_PICTURES_H
#define WEIR_REPORT_JSON_GATE_PICTURES_H

#include "engine/report/json/document.h"

/* struct weir_gate_pictures. The root of the document is a struct weir_gate_result whose rows were
 * read before. */
extern const struct weir_schema weir_gate_pictures_schema;

#endif
