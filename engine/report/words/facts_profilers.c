/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/facts.h"

#define FINDINGS     4   /* pieces of the profiler's advice that are listed */
#define FUNCTIONS    6   /* host functions that are listed */
#define NAME_COLUMNS 48  /* columns of a kernel or function */
#define TEXT_COLUMNS 240 /* columns of the first sentence of advice */

void weir_items_counters(const struct weir_report *report, struct weir_items *items)
{
	struct weir_text *out;
	uint64_t launches = 0;

	if (!report->counter_count)
		return;
	for (size_t i = 0; i < report->counter_count; i++)
		launches += report->counters[i].count;
	out = weir_items_add(items);
	weir_text_puts(out, "counters of ");
	weir_text_count(out, launches);
	weir_text_printf(out, " kernel launch%s", launches == 1 ? "" : "es");
}

/* Adds a share like weir_items_share(), but also 0 %, which shows an unused unit. */
static void add_counter(struct weir_items *items, const char *label, double share)
{
	struct weir_text *out;

	if (isnan(share))
		return;
	out = weir_items_add(items);
	weir_text_printf(out, "%s ", label);
	weir_text_share(out, share);
}

void weir_fill_kernel_counters(const struct weir_report *report, struct weir_items *items)
{
	const double *value;
	struct weir_text *out;

	if (!report->counter_count)
		return;
	value = report->counters[0].value;
	weir_cut_name(weir_items_add(items), report->counters[0].kernel, NAME_COLUMNS);
	add_counter(items, "SM", value[WEIR_COUNTER_SM]);
	add_counter(items, "tensor cores", value[WEIR_COUNTER_TENSOR]);
	add_counter(items, "DRAM", value[WEIR_COUNTER_DRAM]);
	add_counter(items, "L2", value[WEIR_COUNTER_L2]);
	add_counter(items, "L1", value[WEIR_COUNTER_L1]);
	add_counter(items, "occupancy", value[WEIR_COUNTER_OCCUPANCY]);
	if (!isnan(value[WEIR_COUNTER_WAVES])) {
		out = weir_items_add(items);
		weir_text_printf(out, "%.2f waves", value[WEIR_COUNTER_WAVES]);
	}
	if (!isnan(value[WEIR_COUNTER_DRAM_BYTES])) {
		out = weir_items_add(items);
		weir_text_bytes(out, value[WEIR_COUNTER_DRAM_BYTES]);
		weir_text_puts(out, " of DRAM traffic");
	}
}

static void add_finding(const struct weir_counter_remark *remark, struct weir_items *items)
{
	struct weir_text *out = weir_items_add(items), plain = {0};
	char *sentence;

	weir_escape_name(out, remark->rule);
	weir_text_puts(out, remark->scope == WEIR_FINDING_LOCAL ? " (estimated local speed-up "
	                                                        : " (estimated speed-up ");
	weir_text_share(out, remark->speedup);
	weir_text_puts(out, "): ");
	weir_escape_plain(&plain, remark->text ? remark->text : "");
	sentence = plain.data ? strstr(plain.data, ". ") : NULL;
	if (sentence)
		*sentence = '\0';
	weir_cut(out, plain.data ? plain.data : "", TEXT_COLUMNS);
	weir_text_release(&plain);
}

/* Orders advice: about the whole kernel first, then by estimate, largest first. */
static bool comes_before(const struct weir_counter_remark *a, const struct weir_counter_remark *b)
{
	if (a->scope != b->scope)
		return a->scope > b->scope;
	return a->speedup != b->speedup ? a->speedup > b->speedup : a < b;
}

/* Returns the next advice after `said` (NULL: the first) that has an estimate. */
static const struct weir_counter_remark *next_finding(const struct weir_counter_row *row,
                                                      const struct weir_counter_remark *said)
{
	const struct weir_counter_remark *best = NULL;

	for (size_t i = 0; i < row->remark_count; i++) {
		const struct weir_counter_remark *remark = &row->remarks[i];

		if (!(remark->speedup > 0) || (said && !comes_before(said, remark)))
			continue;
		if (!best || comes_before(remark, best))
			best = remark;
	}
	return best;
}

void weir_fill_kernel_findings(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_counter_remark *remark = NULL;

	if (!report->counter_count)
		return;
	for (int i = 0; i < FINDINGS; i++) {
		remark = next_finding(&report->counters[0], remark);
		if (!remark)
			return;
		add_finding(remark, items);
	}
}

/* ---- the host ---- */

/* Appends "173 samples". */
static void add_total(struct weir_text *out, const struct weir_host_figures *host)
{
	static const char *const words[] = {
		[WEIR_HOST_SAMPLES] = " sample",
		[WEIR_HOST_EVENTS] = " event",
	};

	if (host->unit == WEIR_HOST_NS) {
		weir_text_duration(out, host->total);
		return;
	}
	if (host->unit == WEIR_HOST_WEIGHT)
		weir_text_puts(out, "total weight ");
	weir_text_count(out, host->total < 1e18 ? (uint64_t)host->total : 0);
	if (host->unit == WEIR_HOST_WEIGHT)
		weir_text_puts(out, " (the file states no unit)");
	else
		weir_text_printf(out, "%s%s", words[host->unit], host->total == 1 ? "" : "s");
}

void weir_items_host(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_figures *host = report->host;
	struct weir_text *out;

	if (!host)
		return;
	out = weir_items_add(items);
	weir_text_puts(out, "host profile: ");
	add_total(out, host);
	if (!(host->idle > 0))
		return;
	weir_text_puts(out, ", idle ");
	weir_text_share(out, host->idle);
	weir_text_puts(out, " of the time");
}

/* Adds "matmul (ops.py): 74 % self, 80 % total". */
void weir_fill_host_time(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_figures *host = report->host;

	for (size_t i = 0; host && i < host->function_count && i < FUNCTIONS; i++) {
		const struct weir_host_function_row *row = &host->functions[i];
		struct weir_text *out;

		if (!(row->self > 0))
			return;
		out = weir_items_add(items);
		weir_cut_name(out, row->function, NAME_COLUMNS);
		if (row->file) {
			weir_text_puts(out, " (");
			weir_cut_name(out, row->file, NAME_COLUMNS);
			weir_text_puts(out, ")");
		}
		weir_text_puts(out, ": ");
		weir_text_share(out, row->self);
		weir_text_puts(out, " self");
		if (row->total > row->self) {
			weir_text_puts(out, ", ");
			weir_text_share(out, row->total);
			weir_text_puts(out, " total");
		}
	}
}
