/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/words/facts_profilers.h"

#define FINDINGS     4   /* of the profiler's rules that are listed */
#define FUNCTIONS    6   /* of the host that are listed */
#define NAME_COLUMNS 48  /* of one of them */
#define TEXT_COLUMNS 240 /* of the first sentence of one of them */

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

static void add_share(struct weir_items *items, const char *label, double share)
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
	struct weir_text *out, name = {0};

	if (!report->counter_count)
		return;
	value = report->counters[0].value;
	weir_escape_name(&name, report->counters[0].kernel);
	weir_cut(weir_items_add(items), name.data ? name.data : "", NAME_COLUMNS);
	weir_text_release(&name);
	add_share(items, "multiprocessors", value[WEIR_COUNTER_SM]);
	add_share(items, "matrix units", value[WEIR_COUNTER_TENSOR]);
	add_share(items, "DRAM", value[WEIR_COUNTER_DRAM]);
	add_share(items, "L2", value[WEIR_COUNTER_L2]);
	add_share(items, "L1", value[WEIR_COUNTER_L1]);
	add_share(items, "occupancy", value[WEIR_COUNTER_OCCUPANCY]);
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
	weir_text_puts(out, " (estimates ");
	weir_text_share(out, remark->speedup);
	weir_text_puts(out, remark->scope == WEIR_FINDING_LOCAL ? " of its part): " : "): ");
	weir_escape_plain(&plain, remark->text ? remark->text : "");
	sentence = plain.data ? strstr(plain.data, ". ") : NULL;
	if (sentence)
		*sentence = '\0';
	weir_cut(out, plain.data ? plain.data : "", TEXT_COLUMNS);
	weir_text_release(&plain);
}

/* The largest estimates first, those about the whole kernel before those about a part. */
static bool comes_before(const struct weir_counter_remark *a, const struct weir_counter_remark *b)
{
	if (a->scope != b->scope)
		return a->scope > b->scope;
	return a->speedup != b->speedup ? a->speedup > b->speedup : a < b;
}

/* The first behind `said` (NULL: of all) that states an estimate. */
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

/* "173 samples" */
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
	weir_text_count(out, host->total < 1e18 ? (uint64_t)host->total : 0);
	if (host->unit == WEIR_HOST_WEIGHT)
		weir_text_puts(out, " in all, of a unit that the file does not state");
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
	weir_text_puts(out, ", and idle ");
	weir_text_share(out, host->idle);
	weir_text_puts(out, " of the time");
}

/* "matmul (ops.py) 74 % own, 80 % with callees" */
void weir_fill_host_time(const struct weir_report *report, struct weir_items *items)
{
	const struct weir_host_figures *host = report->host;

	for (size_t i = 0; host && i < host->function_count && i < FUNCTIONS; i++) {
		const struct weir_host_function_row *row = &host->functions[i];
		struct weir_text *out, name = {0};

		if (!(row->self > 0))
			return;
		out = weir_items_add(items);
		weir_escape_name(&name, row->function);
		weir_cut(out, name.data ? name.data : "", NAME_COLUMNS);
		weir_text_clear(&name);
		if (row->file) {
			weir_escape_name(&name, row->file);
			weir_text_puts(out, " (");
			weir_cut(out, name.data ? name.data : "", NAME_COLUMNS);
			weir_text_puts(out, ")");
		}
		weir_text_release(&name);
		weir_text_puts(out, ": ");
		weir_text_share(out, row->self);
		weir_text_puts(out, " itself");
		if (row->total > row->self) {
			weir_text_puts(out, ", ");
			weir_text_share(out, row->total);
			weir_text_puts(out, " with what it calls");
		}
	}
}
