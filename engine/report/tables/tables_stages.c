/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of stages: those of requests (the bottleneck map), counted ones, those of timelines.
 */
#include <math.h>
#include <string.h>

#include "engine/report/plain/cost_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/tables/map.h"
#include "engine/report/tables/tables_impl.h"
#include "engine/report/words/phrases.h"

#define SKETCH_SAMPLES 10 /* fewer are no distribution */

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
	weir_print_bound(&report->stages[row].verdict, out);
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

static bool is_of_no_request(const struct weir_report *report, size_t row)
{
	enum weir_stage_view view = report->stages[row].view;

	return view == WEIR_VIEW_TIMELINE || view == WEIR_VIEW_SERIES;
}

static bool has_view(const struct weir_report *report, enum weir_stage_view view)
{
	for (size_t i = 0; i < report->stage_count; i++)
		if (report->stages[i].view == view)
			return true;
	return false;
}

/* Beside stages of requests these say where they are from. */
static void stage_heading(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "stages");
	if (has_view(report, WEIR_VIEW_REQUEST) || has_view(report, WEIR_VIEW_COUNTED))
		weir_text_puts(out, has_view(report, WEIR_VIEW_TIMELINE) ? " of the timeline"
		                                                         : " of the run");
}

/* ---- the bottleneck map ---- */

static double map_quantile(const struct weir_report *report, size_t row, enum weir_map_place place)
{
	return weir_map_quantile(report, &report->stages[row].duration, place);
}

static double map_share(const struct weir_report *report, size_t row, enum weir_map_place place)
{
	return weir_map_has_place(report, place) ? weir_map_share(&report->stages[row], place)
	                                         : NAN;
}

static double map_p50(const struct weir_report *report, size_t row)
{
	return weir_map_has_place(report, WEIR_MAP_P50) ? stage_p50(report, row) : NAN;
}

static double map_asked(const struct weir_report *report, size_t row)
{
	return map_quantile(report, row, WEIR_MAP_ASKED);
}

static double map_p99(const struct weir_report *report, size_t row)
{
	return weir_map_has_place(report, WEIR_MAP_P99) ? stage_p99(report, row) : NAN;
}

static double map_p50_share(const struct weir_report *report, size_t row)
{
	return map_share(report, row, WEIR_MAP_P50);
}

static double map_asked_share(const struct weir_report *report, size_t row)
{
	return map_share(report, row, WEIR_MAP_ASKED);
}

static double map_p99_share(const struct weir_report *report, size_t row)
{
	return map_share(report, row, WEIR_MAP_P99);
}

static void head_asked(const struct weir_report *report, struct weir_text *out)
{
	weir_map_label(report, WEIR_MAP_ASKED, out);
}

static void head_asked_share(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "of ");
	weir_map_label(report, WEIR_MAP_ASKED, out);
}

static void head_cost(const struct weir_report *report, struct weir_text *out)
{
	const struct weir_cost *cost = report->requests.cost;

	weir_cost_text_sign(cost, out);
	weir_text_printf(out, "/%s", weir_cost_text_scale(cost).brief);
}

static void map_cost(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_cost *cost = report->requests.cost;
	double scale = weir_cost_text_scale(cost).requests;

	weir_cost_text_number(report->stages[row].cost_usd * scale,
	                      cost ? cost->per_request * scale : NAN, out);
}

/* ---- what counters and histograms say ---- */

static bool is_counted(const struct weir_report *report, size_t row)
{
	return report->stages[row].view == WEIR_VIEW_COUNTED;
}

static double counted_mean(const struct weir_report *report, size_t row)
{
	const struct weir_stage_counted *counted = report->stages[row].counted;

	return counted ? counted->mean_ns : NAN;
}

/* "300 to 500 ms", ">= 2.50 s", "<= 10 ms"; false: the bounds are not known. */
static bool print_bounds(const struct weir_quantile_bounds *bounds, struct weir_text *out)
{
	struct weir_text low = {0}, high = {0};
	const char *low_unit, *high_unit;

	if (!bounds || isnan(bounds->low_ns))
		return false;
	if (!isfinite(bounds->high_ns) || bounds->low_ns <= 0) {
		bool open = !isfinite(bounds->high_ns);

		weir_text_puts(out, open ? ">= " : "<= ");
		weir_text_duration(out, weir_as_stored_ns(open ? bounds->low_ns : bounds->high_ns));
		return true;
	}
	weir_text_duration(&low, weir_as_stored_ns(bounds->low_ns));
	weir_text_duration(&high, weir_as_stored_ns(bounds->high_ns));
	low_unit = strchr(low.data, ' ');
	high_unit = strchr(high.data, ' ');
	if (strcmp(low.data, high.data) != 0) {
		bool same = low_unit && high_unit && strcmp(low_unit, high_unit) == 0;

		weir_text_add(out, low.data, same ? (size_t)(low_unit - low.data) : low.length);
		weir_text_puts(out, " to ");
	}
	weir_text_puts(out, high.data);
	weir_text_release(&low);
	weir_text_release(&high);
	return true;
}

/* On a page "412 ms (300 to 500 ms)", on a terminal the bounds alone: an estimate is no figure to
 * rely on without them. */
static void print_counted(double estimate_ns, const struct weir_quantile_bounds *bounds, bool page,
                          struct weir_text *out)
{
	struct weir_text range = {0};

	if (!print_bounds(bounds, &range)) {
		weir_text_duration(out, weir_as_stored_ns(estimate_ns));
	} else if (page && isfinite(estimate_ns) && isfinite(bounds->high_ns)) {
		weir_text_duration(out, weir_as_stored_ns(estimate_ns));
		weir_text_printf(out, " (%s)", range.data);
	} else {
		weir_text_puts(out, range.data);
	}
	weir_text_release(&range);
}

#define COUNTED(name)                                                                              \
	static void counted_##name(const struct weir_report *report, size_t row, bool page,        \
	                           struct weir_text *out)                                          \
	{                                                                                          \
		const struct weir_stage_row *stage = &report->stages[row];                         \
                                                                                                   \
		print_counted(stage->duration.name##_ns,                                           \
		              stage->counted ? &stage->counted->name : NULL, page, out);           \
	}                                                                                          \
	static void counted_##name##_text(const struct weir_report *report, size_t row,            \
	                                  struct weir_text *out)                                   \
	{                                                                                          \
		counted_##name(report, row, false, out);                                           \
	}                                                                                          \
	static void counted_##name##_page(const struct weir_report *report, size_t row,            \
	                                  struct weir_text *out)                                   \
	{                                                                                          \
		counted_##name(report, row, true, out);                                            \
	}

COUNTED(p50)
COUNTED(p95)
COUNTED(p99)

static void counted_note(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_stage_counted *counted = report->stages[row].counted;

	if (counted && counted->resolution_limited)
		weir_text_puts(out, "buckets too wide");
}

/* clang-format off */
#define RANGED(i, where, how, p) \
	{ .id = (i), .header = (i), .meaning = "where it certainly lies", .align = WEIR_ALIGN_RIGHT, \
	  .in = (where), .flags = (how), .print = (p) }
#define ANY   WEIR_CELL_IF_ANY

const struct weir_table weir_table_map = {
	.id = "map", .title = "bottleneck map", .rows = stage_rows, .holds = weir_map_holds,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NUMBER("count", "requests", "requests that have this stage", HTML, COUNT, stage_count),
		SPARED("p50", "p50", NULL, ALL, FIRST | ANY, NS, map_p50),
		HEADED("p95", head_asked, NULL, ALL, LAST | ANY, NS, map_asked),
		SPARED("p99", "p99", NULL, ALL, FIRST | ANY, NS, map_p99),
		NAMED("sketch", "to p99", "how the durations spread from the smallest to p99", HTML,
		      WEIR_CELL_SKETCH, stage_sketch),
		SPARED("p50-share", "of p50", "share of the requests around p50", ALL, LAST | ANY, SHARE, map_p50_share),
		HEADED("p95-share", head_asked_share, "share of the requests around this percentile", ALL, ANY,
		       SHARE, map_asked_share),
		SPARED("p99-share", "of p99", "share of the requests around p99", ALL, LAST | ANY, SHARE, map_p99_share),
		{ .id = "cost", .header = "cost", .head = head_cost, .meaning = "cost of this stage, mean",
		  .align = WEIR_ALIGN_RIGHT, .in = ALL, .flags = LAST | ANY, .print = map_cost },
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, 0, stage_cause),
		{ .id = NULL } }
};

const struct weir_table weir_table_counted = {
	.id = "counted", .title = "counted stages", .rows = stage_rows, .holds = is_counted,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NAMED("kind", "kind", NULL, HTML, 0, stage_kind),
		SPARED("count", "count", NULL, ALL, FIRST, COUNT, stage_count),
		SPARED("share", "of time", "share of the time of all requests", PAGES, ANY, SHARE, stage_share),
		NUMBER("mean", "mean", "exact", ALL, NS, counted_mean),
		RANGED("p50", WEIR_IN_TEXT, LAST | ANY, counted_p50_text),
		RANGED("p95", WEIR_IN_TEXT, ANY, counted_p95_text),
		RANGED("p99", WEIR_IN_TEXT, FIRST | ANY, counted_p99_text),
		RANGED("p50", PAGES, ANY, counted_p50_page),
		RANGED("p95", PAGES, ANY, counted_p95_page),
		RANGED("p99", PAGES, ANY, counted_p99_page),
		NAMED("note", "", NULL, ALL, ANY, counted_note),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND | ANY, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, ANY, stage_cause),
		{ .id = NULL } }
};

const struct weir_table weir_table_stages = {
	.id = "stages", .title = "stages", .heading = stage_heading, .rows = stage_rows,
	.holds = is_of_no_request,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NAMED("kind", "kind", NULL, HTML, 0, stage_kind),
		SPARED("count", "count", NULL, ALL, LAST, COUNT, stage_count),
		NUMBER("share", "of time", "share of the analysed wall time", PAGES, SHARE, stage_share),
		NUMBER("p50", "p50", NULL, ALL, NS, stage_p50),
		NUMBER("p90", "p90", NULL, HTML, NS, stage_p90),
		NUMBER("p95", "p95", NULL, ALL, NS, stage_p95),
		NUMBER("p99", "p99", NULL, ALL, NS, stage_p99),
		HEADED("p95-share", head_asked_share, "share of the steps around this percentile", ALL, LAST,
		       SHARE, stage_p95_share),
		NAMED("sketch", "to p99", "how the durations spread from the smallest to p99", DRAWN,
		      FIRST | WEIR_CELL_SKETCH, stage_sketch),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, 0, stage_cause),
		{ .id = NULL } }
};
/* clang-format on */
