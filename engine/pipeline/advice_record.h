/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keeps the outcome of an audit in the store, and sums up what each fix promised and gave, for
 * `weir advise --keep` and `weir doctor`. */
#ifndef WEIR_PIPELINE_ADVICE_RECORD_H
#define WEIR_PIPELINE_ADVICE_RECORD_H

#include <stddef.h>

#include "baselines/store.h"
#include "engine/base/error.h"
#include "engine/model/audit.h"

/* Keeps the first fix of an audit whose pair is identified; creates a missing store. */
enum weir_status weir_advice_keep(const struct weir_audit *audit, const char *db,
                                  enum weir_advice_kept *kept, struct weir_error *err);

/* All outcomes of one fix. */
struct weir_advice_record {
	const char *fix;     /* borrowed from the list */
	size_t tried;        /* number of outcomes */
	size_t within;       /* number of measured steps in the promised range */
	double median_error; /* median of the absolute errors of the promises: 0.06 */
};

/* Returns the records by fix; the caller frees them. They borrow from the list. */
struct weir_advice_record *weir_advice_records(const struct weir_advice_list *list, size_t *count);

#endif
