/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Writers of `weir advise`: the recommendations of a report alone, and the audit of advice. They
 * are not in the table of writers, since no other command takes their formats. */
#ifndef WEIR_REPORT_ADVICE_WRITERS_H
#define WEIR_REPORT_ADVICE_WRITERS_H

#include "engine/model/audit.h"
#include "engine/report/writer.h"

/* Append the recommendations as the text of a report lists them, or one line without any; and as
 * weir.advice/1. */
weir_write_report weir_write_advice_text, weir_write_advice_json;

/* Append an audit as text, and as weir.audit/1. The options may be NULL. */
void weir_write_audit_text(const struct weir_audit *audit, const struct weir_write_options *options,
                           struct weir_text *out);
void weir_write_audit_json(const struct weir_audit *audit, struct weir_text *out);

#endif
