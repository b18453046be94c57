/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <string.h>

#include "engine/report/plain/cost_text.h"
#include "engine/report/plain/escape.h"
#include "engine/report/plain/items.h"
#include "engine/report/tables/column_macros.h"
#include "engine/report/tables/tables.h"
#include "engine/report/words/facts.h"
#include "engine/report/words/map.h"

#define SKETCH_SAMPLES   10   /* minimum for a distribution */
#define SIGNATURE_DIGITS 8    /* digits of a signature that stand in a name */
#define WORTH_A_ROW      0.01 /* share of a graph's time */

/* Prints "runtime"; "-" if the bound is not known. */
static void print_bound(const struct weir_verdict *verdict, struct weir_text *out)
{
	weir_text_puts(out, verdict->bound == WEIR_BOUND_UNDETERMINED
	                            ? "-"
	                            : weir_bound_name(verdict->bound));
}

/* Returns the limit that an efficiency refers to; NULL: the class has none. */
static const char *roof_of(enum weir_roofline roofline)
{
	switch (roofline) {
	case WEIR_ROOFLINE_COMPUTE:
		return "peak";
	case WEIR_ROOFLINE_MEMORY:
		return "DRAM";
	case WEIR_ROOFLINE_BALANCED:
	case WEIR_ROOFLINE_INEFFICIENT:
		return "of roof";
	case WEIR_ROOFLINE_LATENCY:
	case WEIR_ROOFLINE_UNKNOWN:
	case WEIR_ROOFLINE_IMPLAUSIBLE:
		break;
	}
	return NULL;
}

static void print_limit(enum weir_roofline roofline, double efficiency, struct weir_text *out)
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

/* ---- stages ---- */

static size_t stage_rows(const struct weir_report *report)
{
	return report->stage_count;
}

static const void *stage_row(const struct weir_report *report, size_t row)
{
	return &report->stages[row];
}

static void stage_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_escape_name(out, report->stages[row].name);
}

static void stage_kind(const struct weir_report *report, size_t row, struct weir_text *out)
{
	weir_escape_name(out, report->stages[row].kind);
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

/* Returns the upper end of the sketch: p99, since a few outliers would squeeze all other samples
 * into one bin. */
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

/* Writes "stages", followed by their origin if the report also has stages of requests. */
static void stage_heading(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "stages");
	if (has_view(report, WEIR_VIEW_REQUEST) || has_view(report, WEIR_VIEW_COUNTED))
		weir_text_puts(out, has_view(report, WEIR_VIEW_TIMELINE) ? " of the timeline"
		                                                         : " of the run");
	else if (weir_report_has_note(report, WEIR_NOTE_QUEUEING))
		weir_text_puts(out, ", queued");
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
	return weir_map_has_place(report, WEIR_MAP_P50) ? report->stages[row].duration.p50_ns : NAN;
}

static double map_asked(const struct weir_report *report, size_t row)
{
	return map_quantile(report, row, WEIR_MAP_ASKED);
}

static double map_p99(const struct weir_report *report, size_t row)
{
	return weir_map_has_place(report, WEIR_MAP_P99) ? report->stages[row].duration.p99_ns : NAN;
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

/* ---- stages from counters and histograms ---- */

static bool is_counted(const struct weir_report *report, size_t row)
{
	return report->stages[row].view == WEIR_VIEW_COUNTED;
}

static double counted_mean(const struct weir_report *report, size_t row)
{
	const struct weir_stage_counted *counted = report->stages[row].counted;

	return counted ? counted->mean_ns : NAN;
}

/* Prints "300 to 500 ms", ">= 2.50 s" or "<= 10 ms". Returns false if the bounds are not known. */
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

/* Prints "412 ms (300 to 500 ms)" on a page and the bounds alone on a terminal: an estimate is not
 * reliable without them. */
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
#define OF struct weir_stage_row
const struct weir_table weir_table_map = {
	.id = "map", .title = "bottleneck map", .rows = stage_rows, .row = stage_row, .holds = weir_map_holds,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		FIELD("count", "requests", "requests that have this stage", HTML, 0, COUNT, duration.count),
		NUMBER("p50", "p50", NULL, ALL, FIRST | ANY, NS, map_p50),
		HEADED("p95", head_asked, NULL, ALL, LAST | ANY, NS, map_asked),
		NUMBER("p99", "p99", NULL, ALL, FIRST | ANY, NS, map_p99),
		NAMED("sketch", "min to p99", "histogram of the durations, from the smallest to p99", HTML,
		      WEIR_CELL_SKETCH, stage_sketch),
		NUMBER("p50-share", "of p50", "share of the latency of requests around p50", ALL, LAST | ANY, SHARE,
		      map_p50_share),
		HEADED("p95-share", head_asked_share, "share of the latency of requests around this percentile", ALL,
		      ANY, SHARE, map_asked_share),
		NUMBER("p99-share", "of p99", "share of the latency of requests around p99", ALL, LAST | ANY, SHARE,
		      map_p99_share),
		{ .id = "cost", .header = "cost", .head = head_cost, .meaning = "mean cost of this stage",
		  .align = WEIR_ALIGN_RIGHT, .in = ALL, .flags = LAST | ANY, .print = map_cost },
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, 0, stage_cause),
		{ .id = NULL } }
};

const struct weir_table weir_table_counted = {
	.id = "counted", .title = "server stages", .rows = stage_rows, .row = stage_row, .holds = is_counted,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NAMED("kind", "kind", NULL, HTML, 0, stage_kind),
		FIELD("count", "count", NULL, ALL, FIRST, COUNT, duration.count),
		FIELD("share", "of time", "share of the time of all requests", PAGES, ANY, SHARE, share),
		NUMBER("mean", "mean", "exact: sum over count", ALL, 0, NS, counted_mean),
		RANGED("p50", WEIR_IN_TEXT, LAST | ANY, counted_p50_text),
		RANGED("p95", WEIR_IN_TEXT, ANY, counted_p95_text),
		RANGED("p99", WEIR_IN_TEXT, FIRST | ANY, counted_p99_text),
		RANGED("p50", PAGES, ANY, counted_p50_page),
		RANGED("p95", PAGES, ANY, counted_p95_page),
		RANGED("p99", PAGES, ANY, counted_p99_page),
		NAMED("note", "note", NULL, PAGES, ANY, counted_note),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND | ANY, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, ANY, stage_cause),
		{ .id = NULL } }
};

/* Returns the time in a stage, over all of its occurrences, with the stages inside it. */
static double stage_weight(const struct weir_report *report, size_t row)
{
	return report->stages[row].duration.total_ns;
}

const struct weir_table weir_table_stages = {
	.id = "stages", .title = "stages", .heading = stage_heading, .limited = true, .weight = stage_weight,
	.rows = stage_rows, .row = stage_row, .holds = is_of_no_request,
	.columns = {
		NAMED("name", "stage", NULL, ALL, WEIR_CELL_NAME, stage_name),
		NAMED("kind", "kind", NULL, HTML, 0, stage_kind),
		FIELD("count", "count", NULL, ALL, LAST, COUNT, duration.count),
		FIELD("share", "of time", "share of the analysed wall time", PAGES, 0, SHARE, share),
		FIELD("p50", "p50", NULL, ALL, 0, NS, duration.p50_ns),
		FIELD("p90", "p90", NULL, HTML, 0, NS, duration.p90_ns),
		FIELD("p95", "p95", NULL, ALL, 0, NS, duration.p95_ns),
		FIELD("p99", "p99", NULL, ALL, 0, NS, duration.p99_ns),
		HEADED("p95-share", head_asked_share, "share of the duration of steps around this percentile", ALL,
		      LAST, SHARE, stage_p95_share),
		NAMED("sketch", "min to p99", "histogram of the durations, from the smallest to p99", DRAWN,
		      FIRST | WEIR_CELL_SKETCH, stage_sketch),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, stage_bound),
		NAMED("cause", "cause", NULL, PAGES, 0, stage_cause),
		{ .id = NULL } }
};
#undef OF
/* clang-format on */

/* ---- operators ---- */

static size_t operator_rows(const struct weir_report *report)
{
	return report->operator_count;
}

static const void *operator_row(const struct weir_report *report, size_t row)
{
	return &report->operators[row];
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns true if the operator has rows in several stages; their names then begin with the stage.
 */
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

static void operator_limit(const struct weir_report *report, size_t row, struct weir_text *out)
{
	print_limit(report->operators[row].roofline, report->operators[row].efficiency, out);
}

static void operator_bound(const struct weir_report *report, size_t row, struct weir_text *out)
{
	print_bound(&report->operators[row].verdict, out);
}

/* ---- ranks ---- */

/* Rows of more ranks would be read by nobody. */
#define MOST_RANKS 16

static size_t rank_rows(const struct weir_report *report)
{
	return report->ranks ? report->rank_row_count : 0;
}

static const void *rank_row(const struct weir_report *report, size_t row)
{
	return &report->ranks[row];
}

/* Returns true if every row is a device: the report is of one process with several devices. */
static bool lists_devices(const struct weir_report *report)
{
	for (size_t i = 0; i < report->rank_row_count; i++)
		if (report->ranks[i].device < 0)
			return false;
	return true;
}

static void rank_heading(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, lists_devices(report) ? "devices" : "ranks");
}

static void rank_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_rank_row *rank = &report->ranks[row];

	if (rank->rank < 0)
		weir_text_puts(out, "unknown");
	else if (rank->device < 0 || !lists_devices(report))
		weir_text_printf(out, "rank %lld", (long long)rank->rank);
	if (rank->device >= 0)
		weir_text_printf(out, "%sdevice %lld", out->length ? ", " : "",
		                 (long long)rank->device);
}

static double rank_bus(const struct weir_report *report, size_t row)
{
	return report->ranks[row].bus_bytes_per_s / 1e9;
}

static void rank_late_by(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const char *late_by = weir_late_by_name(report->ranks[row].late_by);

	weir_text_puts(out, late_by ? late_by : "-");
}

/* Returns true for every rank of few, and of many for those that stand out: JSON has the others. */
static bool rank_holds(const struct weir_report *report, size_t row)
{
	const struct weir_job_figures *job = report->job;
	const struct weir_rank_row *rank = &report->ranks[row];
	struct weir_text name = {0};
	bool holds = false;

	if (report->rank_row_count <= MOST_RANKS)
		return true;
	weir_text_printf(&name, "rank %lld", (long long)rank->rank);
	for (size_t i = 0; job && i < job->row_count && !holds; i++)
		holds = strcmp(job->rows[i].name, name.data) == 0 ||
		        job->rows[i].fast_rank == rank->rank;
	weir_text_release(&name);
	return holds;
}

/* ---- what stands out among the ranks ---- */

static size_t worst_rows(const struct weir_report *report)
{
	return report->job ? report->job->row_count : 0;
}

static const void *worst_row(const struct weir_report *report, size_t row)
{
	return &report->job->rows[row];
}

static void worst_heading(const struct weir_report *report, struct weir_text *out)
{
	weir_text_puts(out, "stands out, of ");
	weir_text_count(out, report->job->ranks);
	weir_text_puts(out, " ranks");
}

static void worst_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_worst_row *worst = &report->job->rows[row];

	weir_text_puts(out, worst->name);
	if (worst->kind == WEIR_WORST_NODE)
		weir_text_printf(out, " (%llu ranks)", (unsigned long long)worst->ranks);
	else if (worst->node)
		weir_text_printf(out, " (%s)", worst->node);
}

static void worst_why(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_worst_row *worst = &report->job->rows[row];
	const char *late_by = weir_late_by_name(worst->late_by);

	if (worst->kind == WEIR_WORST_GROUP)
		weir_text_printf(out, "%s takes %.1fx", worst->collective, worst->factor);
	else if (worst->kind == WEIR_WORST_EXPERTS)
		weir_text_printf(out, "gets %.1fx in %s", worst->factor, worst->collective);
	else if (late_by)
		weir_text_printf(out, "late by its %s", late_by);
	else
		weir_text_puts(out, "late");
}

/* Writes the largest difference from a fast rank: "host work 1.2 ms, rank 2 0 ns". */
static void worst_difference(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_worst_row *worst = &report->job->rows[row];

	if (worst->difference_count == 0)
		return;
	weir_text_printf(out, "%s ", weir_idle_words(worst->differences[0].name));
	weir_text_duration(out, worst->differences[0].slow_ns);
	weir_text_printf(out, ", rank %lld ", (long long)worst->fast_rank);
	weir_text_duration(out, worst->differences[0].fast_ns);
}

/* Writes the heading of the operators; a trace without device work lists those of the host. */
static void operator_heading(const struct weir_report *report, struct weir_text *out)
{
	bool device = false;

	for (size_t i = 0; i < report->operator_count; i++)
		device |= !isnan(report->operators[i].share);
	if (report->host_operators && !report->has_gpu)
		weir_text_puts(out, "operators (host, self time)");
	else
		weir_text_puts(out, device ? "operators (device)" : "operators (host)");
}

/* clang-format off */
static const char per_call[] = "device time of one call";
static const char modelled[] = "modelled from shapes";

#define OF struct weir_operator_row
const struct weir_table weir_table_operators = {
	.id = "operators", .title = "operators", .heading = operator_heading, .limited = true,
	.rows = operator_rows, .row = operator_row,
	.columns = {
		NAMED("operator", "operator", NULL, ALL, WEIR_CELL_NAME, operator_name),
		NAMED("kernel", "main kernel", "the kernel with most of its device time", HTML, WEIR_CELL_BELOW,
		      operator_kernel),
		NAMED("stage", "stage", NULL, HTML, WEIR_CELL_NAME, operator_stage),
		FIELD("count", "calls", NULL, ALL, LAST, COUNT, call.count),
		FIELD("p50", "p50", per_call, ALL, 0, NS, call.p50_ns),
		FIELD("p95", "p95", per_call, ALL, FIRST, NS, call.p95_ns),
		FIELD("total", "total", NULL, ALL, FIRST, NS, call.total_ns),
		FIELD("share", "share", "share of the device's busy time; without device work, of all operators' self time", ALL, 0, SHARE, share),
		FIELD("tflops", "TFLOP/s", modelled, HTML, 0, RATIO, tflops),
		FIELD("gbps", "GB/s", modelled, HTML, 0, RATIO, gbps),
		NUMBER("dram", "DRAM", "DRAM bytes of one call, measured by counters", PAGES, FIRST | WEIR_CELL_IF_ANY,
		       BYTES, operator_dram_bytes),
		NUMBER("expected", "expected", "DRAM bytes of one call, modelled from shapes", PAGES,
		      FIRST | WEIR_CELL_IF_ANY, BYTES, operator_expected_bytes),
		NAMED("limit", "limit", "achieved share of compute peak or DRAM bandwidth", ALL, LAST, operator_limit),
		NAMED("bound", "bound", NULL, ALL, WEIR_CELL_BOUND, operator_bound),
		{ .id = NULL } }
};
#undef OF

#define OF struct weir_worst_row
const struct weir_table weir_table_worst = {
	.id = "worst", .title = "stands out", .heading = worst_heading, .rows = worst_rows, .row = worst_row,
	.columns = {
		NAMED("name", "what", NULL, ALL, WEIR_CELL_NAME, worst_name),
		NAMED("why", "why", "ranks: what makes it late; groups: the time of its collectives over that of like groups; experts: the tokens of the rank over the mean of its group", ALL,
		      0, worst_why),
		FIELD("adds", "adds", "the time that it adds, over the analysed time", ALL, 0, SHARE, share),
		NAMED("difference", "a step", "time of its largest difference from a fast rank, and that of the fast rank", ALL,
		      WEIR_CELL_IF_ANY, worst_difference),
		{ .id = NULL } }
};
#undef OF

#define OF struct weir_rank_row
const struct weir_table weir_table_ranks = {
	.id = "ranks", .title = "ranks", .heading = rank_heading, .rows = rank_rows, .row = rank_row, .holds = rank_holds,
	.columns = {
		NAMED("name", "rank", NULL, ALL, WEIR_CELL_NAME, rank_name),
		FIELD("active", "active", NULL, ALL, 0, SHARE, active),
		FIELD("exposed", "exposed", "exposed communication: no computation overlaps it", ALL, LAST, SHARE,
		      exposed_communication),
		FIELD("wait", "coll. wait", "share of its time in collectives: waiting for other ranks", ALL, 0, SHARE, wait),
		FIELD("transfer", "coll. transfer", "share of its time in collectives: transfer", ALL, LAST, SHARE, transfer),
		FIELD("straggler", "straggler", "share of all waiting that this rank causes by arriving last", ALL,
		      0, RATIO, straggler_score),
		NAMED("late-by", "late by", "why it arrives last: more device work, or a slower host", ALL, 0,
		      rank_late_by),
		NUMBER("bus", "bus GB/s", "bus bandwidth of the transfers", PAGES, LAST, RATIO, rank_bus),
		FIELD("link", "of link", "share of the link's bandwidth in one direction", HTML, LAST, SHARE,
		      link_share),
		{ .id = NULL } }
};
#undef OF
/* clang-format on */

/* ---- graphs ---- */

static size_t graph_rows(const struct weir_report *report)
{
	return report->graph_count;
}

static const void *graph_row(const struct weir_report *report, size_t row)
{
	return &report->graphs[row];
}

/* Returns true if the stage identifies the graph: no other graph is replayed in it. */
static bool is_alone(const struct weir_report *report, size_t row)
{
	const char *stage = report->graphs[row].stage;

	for (size_t g = 0; stage && g < report->graph_count; g++)
		if (g != row && report->graphs[g].stage &&
		    strcmp(report->graphs[g].stage, stage) == 0)
			return false;
	return stage != NULL;
}

static void graph_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_graph_row *graph = &report->graphs[row];
	struct weir_text name = {0};

	if (!is_alone(report, row))
		weir_text_printf(&name, "%.*s ", SIGNATURE_DIGITS, graph->signature);
	weir_text_puts(&name, graph->stage ? graph->stage : "graph");
	weir_escape_name(out, name.data);
	weir_text_release(&name);
}

static double graph_idle(const struct weir_report *report, size_t row)
{
	return report->graphs[row].idle.p50_ns / report->graphs[row].span.p50_ns;
}

static double graph_unrecorded(const struct weir_report *report, size_t row)
{
	double ns = report->graphs[row].unrecorded_ns;

	return ns > 0 ? ns : NAN;
}

static void graph_matched(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_graph_row *graph = &report->graphs[row];

	if (!graph->matched) {
		weir_text_puts(out, "-");
		return;
	}
	weir_text_share(out, (double)graph->matched / (double)graph->nodes);
	weir_text_printf(out, ", %s", weir_confidence_name(graph->confidence));
}

/* ---- positions ---- */

static size_t position_rows(const struct weir_report *report)
{
	size_t rows = 0;

	for (size_t g = 0; g < report->graph_count; g++)
		rows += report->graphs[g].position_count;
	return rows;
}

/* Returns the graph of a row, and makes the row an index of its positions. */
static const struct weir_graph_row *graph_of(const struct weir_report *report, size_t *row)
{
	const struct weir_graph_row *graph = report->graphs;

	while (*row >= graph->position_count)
		*row -= (graph++)->position_count;
	return graph;
}

static const void *position_row(const struct weir_report *report, size_t row)
{
	const struct weir_graph_row *graph = graph_of(report, &row);

	return &graph->positions[row];
}

static bool position_holds(const struct weir_report *report, size_t row)
{
	const struct weir_graph_row *graph = graph_of(report, &row);

	return graph->share >= WORTH_A_ROW && graph->positions[row].share >= WORTH_A_ROW;
}

static void position_name(const struct weir_report *report, size_t row, struct weir_text *out)
{
	size_t index = row;
	const struct weir_graph_row *graph = graph_of(report, &index);
	const struct weir_graph_position *position = &graph->positions[index];

	if (report->graph_count > 1)
		weir_text_printf(out, "%.*s ", SIGNATURE_DIGITS, graph->signature);
	weir_text_printf(out, "#%zu ", index);
	weir_escape_name(out, position->op ? position->op : position->kernel);
}

static void position_kernel(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_graph_position *position = position_row(report, row);

	if (position->op)
		weir_escape_name(out, position->kernel);
}

static void position_limit(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_graph_position *position = position_row(report, row);

	print_limit(position->roofline, position->efficiency, out);
}

/* clang-format off */
#define OF struct weir_graph_row
const struct weir_table weir_table_graphs = {
	.id = "graphs", .title = "graphs", .limited = true, .rows = graph_rows, .row = graph_row,
	.columns = {
		NAMED("graph", "graph", "the stage that replays it, with a hash if it replays several", ALL,
		      WEIR_CELL_NAME, graph_name),
		FIELD("replays", "replays", NULL, ALL, 0, COUNT, replays),
		FIELD("nodes", "nodes", "kernels, copies and memsets of one replay", ALL, 0, COUNT, nodes),
		FIELD("p50", "p50", "duration of a replay, from its first start to its last end", ALL, 0, NS,
		      span.p50_ns),
		FIELD("p95", "p95", "duration of a replay, from its first start to its last end", ALL, FIRST, NS,
		      span.p95_ns),
		NUMBER("idle", "idle", "share of a replay in which none of its work runs", ALL, 0, SHARE, graph_idle),
		FIELD("gap", "gap p50", "idle time between consecutive kernels", ALL, LAST, NS, gap_p50_ns),
		NUMBER("unrecorded", "unrecorded", "time in gaps too long for a device alone: unrecorded work", ALL,
		      WEIR_CELL_IF_ANY, NS, graph_unrecorded),
		NAMED("matched", "operators", "share of positions with a known operator, and the confidence", ALL,
		      WEIR_CELL_IF_ANY, graph_matched),
		FIELD("share", "share", "share of the device's busy time", ALL, 0, SHARE, share),
		{ .id = NULL } }
};
#undef OF

#define OF struct weir_graph_position
const struct weir_table weir_table_positions = {
	.id = "positions", .title = "positions in graphs", .rows = position_rows, .row = position_row, .holds = position_holds,
	.left_out = WEIR_IN_TEXT | WEIR_IN_MARKDOWN,
	.columns = {
		NAMED("position", "position", "positions with at least 1 % of their graph's time", HTML, WEIR_CELL_NAME,
		      position_name),
		NAMED("kernel", "kernel", NULL, HTML, WEIR_CELL_BELOW, position_kernel),
		FIELD("p50", "p50", NULL, HTML, 0, NS, duration.p50_ns),
		FIELD("p95", "p95", NULL, HTML, 0, NS, duration.p95_ns),
		FIELD("p99", "p99", NULL, HTML, 0, NS, duration.p99_ns),
		FIELD("gap", "gap", "idle time before it, p50", HTML, 0, NS, gap_ns),
		NAMED("limit", "limit", "achieved share of compute peak or DRAM bandwidth", HTML,
		      WEIR_CELL_IF_ANY, position_limit),
		FIELD("share", "share", "share of its graph's time", HTML, 0, SHARE, share),
		{ .id = NULL } }
};
#undef OF
/* clang-format on */

const struct weir_table *const weir_tables[] = {
	&weir_table_map,
	&weir_table_counted,
	&weir_table_stages,
	&weir_table_operators,
	&weir_table_graphs,
	&weir_table_positions,
	&weir_table_worst,
	&weir_table_ranks,
	&weir_table_engines,
	&weir_table_phases,
	NULL,
};
