/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of device work: operators and ranks. */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/tables_impl.h"

/* ---- operators ---- */

static size_t operator_rows(const struct weir_report *report)
{
	return report->operator_count;
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* The same operator in two stages is two rows: there the stage goes before the name. */
static bool in_several_stages(const struct weir_report *report, size_t row)
{
	for (size_t i = 0; i < report->operator_count; i++)
		if (same_text(report->operators[i].name, report->operators[row].name) &&
		    !same_text(report->operators[i].stage, report->operators[row].stage))
			return true;
	return false;
}

static void operator_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	if (report->operators[row].stage && in_several_stages(report, row)) {
		weir_escape_name(out, report->operators[row].stage);
		weir_text_puts(out, "/");
	}
	weir_escape_name(out, report->operators[row].name);
}

static void operator_kernel(const struct weir_report *report, size_t row, struct weir_text *out)
{
	if (report->operators[row].kernel)
		weir_escape_name(out, report->operators[row].kernel);
}

static void operator_stage(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_escape_name(out, report->operators[row].stage);
}

static double operator_count(const struct weir_report *report, size_t row)
{
	return (double)report->operators[row].call.count;
}

static double operator_p50(const struct weir_report *report, size_t row)
{
	return report->operators[row].call.p50_ns;
}

static double operator_p95(const struct weir_report *report, size_t row)
{
	return report->operators[row].call.p95_ns;
}

static double operator_total(const struct weir_report *report, size_t row)
{
	return report->operators[row].call.total_ns;
}

static double operator_share(const struct weir_report *report, size_t row)
{
	return report->operators[row].share;
}

static double operator_tflops(const struct weir_report *report, size_t row)
{
	return report->operators[row].tflops;
}

static double operator_gbps(const struct weir_report *report, size_t row)
{
	return report->operators[row].gbps;
}

static double operator_dram_bytes(const struct weir_report *report, size_t row)
{
	const struct weir_operator_counted *counted = &report->operators[row].counted;

	return counted->share > 0 ? counted->dram_bytes : NAN;
}

static double operator_expected_bytes(const struct weir_report *report, size_t row)
{
	const struct weir_operator_counted *counted = &report->operators[row].counted;

	return counted->share > 0 ? counted->expected_bytes : NAN;
}

/* What a share of a roof is a share of; NULL: the class itself says nothing to people, or says it
 * alone. */
static const char *roof_of(enum weir_roofline roofline)
{
	switch (roofline) {
	case WEIR_ROOFLINE_COMPUTE:
		return "peak";
	case WEIR_ROOFLINE_MEMORY:
		return "DRAM";
	case WEIR_ROOFLINE_BALANCED:
	case WEIR_ROOFLINE_INEFFICIENT:
		return "roof";
	case WEIR_ROOFLINE_LATENCY:
	case WEIR_ROOFLINE_UNKNOWN:
	case WEIR_ROOFLINE_IMPLAUSIBLE:
		break;
	}
	return NULL;
}

void weir_print_limit(enum weir_roofline roofline, double efficiency, struct weir_text *out)
{
	const char *roof = roof_of(roofline);

	if (roofline == WEIR_ROOFLINE_LATENCY) {
		weir_text_puts(out, "launch");
	} else if (roofline == WEIR_ROOFLINE_IMPLAUSIBLE) {
		weir_text_puts(out, "implausible");
	} else if (roof && isfinite(efficiency)) {
		weir_text_share(out, efficiency);
		weir_text_printf(out, " %s", roof);
	} else {
		weir_text_puts(out, roof ? roof : "-");
	}
}

static void operator_limit(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_print_limit(report->operators[row].roofline, report->operators[row].efficiency, out);
}

static void operator_bound(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_print_bound(&report->operators[row].verdict, out);
}

/* ---- ranks ---- */

static size_t rank_rows(const struct weir_report *report)
{
	return report->ranks ? report->rank_row_count : 0;
}

static void rank_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	if (report->ranks[row].rank < 0)
		weir_text_puts(out, "not stated");
	else
		weir_text_printf(out, "rank %lld", (long long)report->ranks[row].rank);
}

static double rank_active(const struct weir_report *report, size_t row)
{
	return report->ranks[row].active;
}

static double rank_exposed(const struct weir_report *report, size_t row)
{
	return report->ranks[row].exposed_communication;
}

static double rank_wait(const struct weir_report *report, size_t row)
{
	return report->ranks[row].wait;
}

static double rank_transfer(const struct weir_report *report, size_t row)
{
	return report->ranks[row].transfer;
}

static double rank_straggler(const struct weir_report *report, size_t row)
{
	return report->ranks[row].straggler_score;
}

static double rank_bus(const struct weir_report *report, size_t row)
{
	return report->ranks[row].bus_bytes_per_s / 1e9;
}

static double rank_link(const struct weir_report *report, size_t row)
{
	return report->ranks[row].link_share;
}

static void rank_late_by(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const char *late_by = weir_late_by_name(report->ranks[row].late_by);

	weir_text_puts(out, late_by ? late_by : "-");
}

/* clang-format off */
static const char per_call[] = "device time of one call";
static const char modelled[] = "modelled from shapes";

const struct weir_table weir_table_operators = {
	.id = "operators", .title = "operators (device)", .limited = true, .rows = operator_rows,
	.columns = {
		NAMED("operator", "operator", NULL, ALL, WEIR_CELL_NAME, operator_name),
		NAMED("kernel", "main kernel", "the kernel that holds most of its time", HTML, WEIR_CELL_BELOW,
		      operator_kernel),
		NAMED("stage", "stage", NULL, HTML, WEIR_CELL_NAME, operator_stage),
		SPARED("count", "calls", NULL, ALL, LAST, COUNT, operator_count),
		NUMBER("p50", "p50", per_call, ALL, NS, operator_p50),
		SPARED("p95", "p95", per_call, ALL, FIRST, NS, operator_p95),
		SPARED("total", "total", NULL, ALL, FIRST, NS, operator_total),
		NUMBER("share", "share", "of the device's busy time", ALL, SHARE, operator_share),
		NUMBER("tflops", "TFLOP/s", modelled, HTML, RATIO, operator_tflops),
		NUMBER("gbps", "GB/s", modelled, HTML, RATIO, operator_gbps),
		SPARED("dram", "DRAM", "moved by a call, as counters measured it", PAGES, FIRST | WEIR_CELL_IF_ANY,
		       BYTES, operator_dram_bytes),
		SPARED("expected", "expected", "of DRAM, from shapes", PAGES, FIRST | WEIR_CELL_IF_ANY, BYTES,
		       operator_expected_bytes),
		NAMED("limit", "limit", "what it reaches of the nearer limit of the device", ALL, LAST, operator_limit),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, operator_bound),
		{ .id = NULL } }
};

const struct weir_table weir_table_ranks = {
	.id = "ranks", .title = "ranks", .rows = rank_rows,
	.columns = {
		NAMED("name", "rank", NULL, ALL, WEIR_CELL_NAME, rank_name),
		NUMBER("active", "active", NULL, ALL, SHARE, rank_active),
		NUMBER("exposed", "exposed", "collectives that nothing overlaps", ALL, SHARE, rank_exposed),
		NUMBER("wait", "wait", "for other ranks, inside collectives", ALL, SHARE, rank_wait),
		SPARED("transfer", "transfer", NULL, ALL, LAST, SHARE, rank_transfer),
		NUMBER("straggler", "straggler", "how much this rank makes others wait", ALL, RATIO, rank_straggler),
		NAMED("late-by", "late by", "why it comes last: more work on its device, or its host", ALL, 0,
		      rank_late_by),
		SPARED("bus", "bus GB/s", "bandwidth of the transfers, of one link", PAGES, LAST, RATIO, rank_bus),
		SPARED("link", "of link", "of what the link carries in one direction", HTML, LAST, SHARE, rank_link),
		{ .id = NULL } }
};
/* clang-format on */
