/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Notes what the results of benchmark programs and of Locust state by name. */
#ifndef WEIR_PIPELINE_BENCHMARKS_H
#define WEIR_PIPELINE_BENCHMARKS_H

#include <stdbool.h>

#include "engine/model/profile.h"
#include "engine/model/report.h"

/* True for results of a program that measures benchmarks, whose metrics are their times. */
bool weir_is_benchmark(const struct weir_input *input);

/* Notes the slowest benchmarks, unless all of them are stages, and the slowest kinds of requests.
 */
void weir_note_benchmarks(struct weir_report *report);

#endif
