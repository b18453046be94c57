/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/pipeline/advice_record.h"
#include "engine/pipeline/clock.h"
#include "engine/stats/quantile.h"

enum weir_status weir_advice_keep(const struct weir_audit *audit, const char *db,
                                  enum weir_advice_kept *kept, struct weir_error *err)
{
	const struct weir_audit_fix *fix = &audit->fixes[0];
	char now[WEIR_CLOCK_SIZE];
	struct weir_advice_outcome outcome = {
		.fix = fix->id,
		.device = audit->before.device ? audit->before.device : audit->after.device,
		.promised_ns = fix->step_ns,
		.low_ns = fix->low_ns,
		.high_ns = fix->high_ns,
		.before_ns = audit->before.step_ns,
		.measured_ns = fix->measured_ns,
		.recorded = now,
		.before = audit->before.path,
		.after = audit->after.path,
	};
	struct weir_store *store;
	enum weir_status status = weir_store_open(db, WEIR_STORE_WRITE, &store, err);

	if (status)
		return status;
	weir_clock_now(now);
	memcpy(outcome.pair, audit->pair, sizeof outcome.pair);
	status = weir_store_keep_advice(store, &outcome, kept, err);
	weir_store_free(store);
	return status;
}

/* Fills the record of the outcomes items[0..count), which are of one fix. */
static struct weir_advice_record sum_up(const struct weir_advice_outcome *items, size_t count)
{
	struct weir_advice_record record = {.fix = items[0].fix, .tried = count};
	double *errors = weir_alloc(count * sizeof *errors);

	for (size_t i = 0; i < count; i++) {
		const struct weir_advice_outcome *item = &items[i];

		errors[i] = fabs(item->promised_ns - item->measured_ns) / item->measured_ns;
		record.within +=
			item->measured_ns >= item->low_ns && item->measured_ns <= item->high_ns;
	}
	record.median_error = weir_median(errors, count);
	free(errors);
	return record;
}

struct weir_advice_record *weir_advice_records(const struct weir_advice_list *list, size_t *count)
{
	struct weir_advice_record *records = weir_alloc((list->count + 1) * sizeof *records);
	size_t first = 0;

	*count = 0;
	for (size_t i = 1; i <= list->count; i++) {
		if (i < list->count && strcmp(list->items[i].fix, list->items[first].fix) == 0)
			continue;
		records[(*count)++] = sum_up(&list->items[first], i - first);
		first = i;
	}
	return records;
}
