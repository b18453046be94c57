/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/escape.h"
#include "engine/report/tables.h"

#define SKETCH_SAMPLES 10 /* fewer are no distribution */

void weir_column_print(const struct weir_column *column, const struct weir_report *report,
                       size_t row, struct weir_text *out)
{
	double value;

	if (column->print) {
		column->print(report, row, out);
		return;
	}
	value = column->number(report, row);
	if (!isfinite(value)) {
		weir_text_puts(out, "-");
		return;
	}
	switch (column->unit) {
	case WEIR_UNIT_SHARE:
		weir_text_share(out, value);
		return;
	case WEIR_UNIT_NS:
		weir_text_duration(out, value);
		return;
	case WEIR_UNIT_COUNT:
		weir_text_count(out, (uint64_t)fmax(0, round(value)));
		return;
	case WEIR_UNIT_BYTES:
		weir_text_bytes(out, value);
		return;
	case WEIR_UNIT_RATIO:
	case WEIR_UNIT_FLOPS:
	case WEIR_UNIT_FLAG:
		break;
	}
	weir_text_printf(out, "%.*f", fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0, value);
}

static void print_bound(const struct weir_verdict *verdict, struct weir_text *out)
{
	weir_text_puts(out, verdict->bound == WEIR_BOUND_UNDETERMINED
	                            ? "-"
	                            : weir_bound_name(verdict->bound));
}

/* ---- stages ---- */

static size_t stage_rows(const struct weir_report *report)
{
	return report->stage_count;
}

static void stage_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_escape_name(out, report->stages[row].name);
}

static void stage_kind(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_escape_name(out, report->stages[row].kind);
}

static double stage_count(const struct weir_report *report, size_t row)
{
	return (double)report->stages[row].duration.count;
}

static double stage_share(const struct weir_report *report, size_t row)
{
	return report->stages[row].share;
}

static double stage_p50(const struct weir_report *report, size_t row)
{
	return report->stages[row].duration.p50_ns;
}

static double stage_p90(const struct weir_report *report, size_t row)
{
	return report->stages[row].duration.p90_ns;
}

static double stage_p95(const struct weir_report *report, size_t row)
{
	return report->stages[row].duration.p95_ns;
}

static double stage_p99(const struct weir_report *report, size_t row)
{
	return report->stages[row].duration.p99_ns;
}

static double stage_p95_share(const struct weir_report *report, size_t row)
{
	return report->stages[row].p95_share;
}

static void stage_sketch(const struct weir_report *report, size_t row, struct weir_text *out)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	unsigned level[WEIR_SKETCH_BINS];

	if (!weir_sketch(&report->stages[row], level))
		return;
	for (size_t i = 0; i < WEIR_SKETCH_BINS; i++)
		weir_text_puts(out, blocks[level[i]]);
}

static void stage_bound(const struct weir_report *report, size_t row, struct weir_text *out)
{
	print_bound(&report->stages[row].verdict, out);
}

static void stage_cause(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const char *cause = report->stages[row].verdict.cause;

	weir_escape_plain(out, cause ? cause : "-");
}

/* Where the histogram ends: beyond p99 single outliers would squeeze the rest into one bin. */
static double sketch_end(const struct weir_stage_row *stage, double largest)
{
	return isfinite(stage->duration.p99_ns) ? stage->duration.p99_ns : largest;
}

bool weir_sketch(const struct weir_stage_row *stage, unsigned level[WEIR_SKETCH_BINS])
{
	uint64_t bins[WEIR_SKETCH_BINS] = {0}, fullest = 1;
	const double *value = stage->duration_ns;
	size_t count = (size_t)stage->duration.count;
	double low = INFINITY, high = -INFINITY;

	if (!value || count < SKETCH_SAMPLES)
		return false;
	for (size_t i = 0; i < count; i++) {
		low = fmin(low, value[i]);
		high = fmax(high, value[i]);
	}
	high = sketch_end(stage, high);
	if (!isfinite(low) || !isfinite(high) || !(high > low))
		return false;
	for (size_t i = 0; i < count; i++) {
		double place = (value[i] - low) / (high - low) * WEIR_SKETCH_BINS;
		size_t bin = place < WEIR_SKETCH_BINS ? (size_t)place : WEIR_SKETCH_BINS - 1;

		if (value[i] > high || isnan(value[i]))
			continue;
		if (++bins[bin] > fullest)
			fullest = bins[bin];
	}
	for (size_t i = 0; i < WEIR_SKETCH_BINS; i++)
		level[i] = (unsigned)((bins[i] * 8 + fullest - 1) / fullest);
	return true;
}

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

static void operator_limit(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_operator_row *operator= & report->operators[row];
	const char *roof = roof_of(operator->roofline);

	if (operator->roofline == WEIR_ROOFLINE_LATENCY) {
		weir_text_puts(out, "launch");
	} else if (roof && isfinite(operator->efficiency)) {
		weir_text_share(out, operator->efficiency);
		weir_text_printf(out, " %s", roof);
	} else {
		weir_text_puts(out, roof ? roof : "-");
	}
}

static void operator_bound(const struct weir_report *report, size_t row, struct weir_text *out)
{
	print_bound(&report->operators[row].verdict, out);
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

/* One column a line reads as the table it describes. */
/* clang-format off */
#define NAMED(i, h, m, where, how, p) \
	{ .id = (i), .header = (h), .meaning = (m), .in = (where), .flags = (how), .print = (p) }
#define NUMBER(i, h, m, where, u, n) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .unit = (u), .number = (n) }
#define SPARED(i, h, m, where, how, u, n) \
	{ .id = (i), .header = (h), .meaning = (m), .align = WEIR_ALIGN_RIGHT, .in = (where), \
	  .flags = (how), .unit = (u), .number = (n) }

#define ALL   WEIR_IN_ALL
#define PAGES (WEIR_IN_MARKDOWN | WEIR_IN_HTML)
#define HTML  WEIR_IN_HTML
#define FIRST WEIR_CELL_SPARE
#define LAST  WEIR_CELL_SPARE_LAST
#define DRAWN (WEIR_IN_TEXT | WEIR_IN_HTML)

#define COUNT WEIR_UNIT_COUNT
#define NS    WEIR_UNIT_NS
#define SHARE WEIR_UNIT_SHARE
#define RATIO WEIR_UNIT_RATIO

static const char per_call[] = "device time of one call";
static const char modelled[] = "modelled from shapes";

const struct weir_table weir_tables[] = {
	{ .id = "stages", .title = "stages", .rows = stage_rows, .columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NAMED("kind", "kind", NULL, HTML, 0, stage_kind),
		SPARED("count", "count", NULL, ALL, LAST, COUNT, stage_count),
		NUMBER("share", "of time", "share of the analysed wall time", PAGES, SHARE, stage_share),
		NUMBER("p50", "p50", NULL, ALL, NS, stage_p50),
		NUMBER("p90", "p90", NULL, HTML, NS, stage_p90),
		NUMBER("p95", "p95", NULL, ALL, NS, stage_p95),
		NUMBER("p99", "p99", NULL, ALL, NS, stage_p99),
		SPARED("p95-share", "of p95", "share of the steps around p95", ALL, LAST, SHARE, stage_p95_share),
		NAMED("sketch", "to p99", "how the durations spread from the smallest to p99", DRAWN,
		      FIRST | WEIR_CELL_SKETCH, stage_sketch),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, 0, stage_cause),
		{ .id = NULL } } },
	{ .id = "operators", .title = "operators (device)", .limited = true, .rows = operator_rows, .columns = {
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
		NAMED("limit", "limit", "what it reaches of the nearer limit of the device", ALL, LAST, operator_limit),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, operator_bound),
		{ .id = NULL } } },
	{ .id = "ranks", .title = "ranks", .rows = rank_rows, .columns = {
		NAMED("name", "rank", NULL, ALL, WEIR_CELL_NAME, rank_name),
		NUMBER("active", "active", NULL, ALL, SHARE, rank_active),
		NUMBER("exposed", "exposed", "collectives that nothing overlaps", ALL, SHARE, rank_exposed),
		NUMBER("wait", "wait", "for other ranks, inside collectives", ALL, SHARE, rank_wait),
		SPARED("transfer", "transfer", NULL, ALL, LAST, SHARE, rank_transfer),
		NUMBER("straggler", "straggler", "how much this rank makes others wait", ALL, RATIO, rank_straggler),
		{ .id = NULL } } },
	{ .id = NULL },
};
/* clang-format on */
