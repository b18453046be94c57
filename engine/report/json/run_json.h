/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEIR_REPORT_RUN_JSON_H
#define WEIR_REPORT_RUN_JSON_H

#include "engine/base/text.h"
#include "engine/model/run.h"

/*
 * Appends a run as the document weir.run/1, unit "ns", and a final line end. Series and labels are
 * sorted by name; values keep their order. Tables that are empty are left out, but `stages` is
 * always there.
 */
void weir_run_json(const struct weir_run *run, struct weir_text *out);

#endif
