/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Inside gate_read*.c: the parts of the document. */
#ifndef WEIR_REPORT_GATE_READ_IMPL_H
#define WEIR_REPORT_GATE_READ_IMPL_H

#include "engine/report/json/result_read.h"

#define WEIR_GATE_MAX_EXIT 255

/* The parts in gate_read_parts.c; each fills reader->gate and does nothing after a failure. */
void weir_gate_read_sides(struct weir_result_reader *reader, const cJSON *document);
void weir_gate_read_rows(struct weir_result_reader *reader, const cJSON *document);
void weir_gate_read_tail(struct weir_result_reader *reader, const cJSON *document);

#endif
