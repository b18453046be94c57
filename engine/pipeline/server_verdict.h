/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sentences about the state of a server: the settings of the server that was seen, and why none of
 * its states is a verdict. Texts live in the report's arena. */
#ifndef WEIR_PIPELINE_SERVER_VERDICT_H
#define WEIR_PIPELINE_SERVER_VERDICT_H

#include "engine/model/report.h"

/* Appends the setting of this server, with its value, to the next step of a verdict about it. */
void weir_name_server_settings(struct weir_report *report);
/* Sets the setting of this server as the `how` of recommendations about it. */
void weir_name_server_changes(struct weir_report *report);
/* Replaces the headline of an undetermined verdict that no input explains: no state of the server
 * limits its requests. Leaves verdicts of requests, timelines and counters. */
void weir_explain_server(struct weir_report *report);

#endif
