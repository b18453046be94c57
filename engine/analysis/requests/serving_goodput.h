/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Goodput: requests that keep every limit of the configuration ("slo"), a second. A limit is of
 * the stages whose scope it matches ("stage:prefill"), or of the whole request ("stage:request");
 * whatever its metric, it is asked of each request by itself. A stage that a request does not have
 * breaks no limit.
 */
#ifndef WEIR_ANALYSIS_SERVING_GOODPUT_H
#define WEIR_ANALYSIS_SERVING_GOODPUT_H

#include "engine/analysis/requests/serving.h"

/* Share of the requests, failed ones counted as broken; NAN where no limit matches any stage. */
double weir_serving_goodput(const struct weir_serving *serving,
                            const struct weir_settings *settings);

#endif
