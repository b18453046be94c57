/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of graphs: one row a graph, and in pages the positions that hold its time. */
#include <math.h>
#include <string.h>

#include "engine/report/plain/escape.h"
#include "engine/report/tables/tables_impl.h"

#define SIGNATURE_DIGITS 8    /* of a signature, in a name */
#define WORTH_A_ROW      0.01 /* of the time of its graph */

/* ---- graphs ---- */

static size_t graph_rows(const struct weir_report *report)
{
	return report->graph_count;
}

/* The stage says which graph it is, unless several are replayed in it. */
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

static double graph_replays(const struct weir_report *report, size_t row)
{
	return (double)report->graphs[row].replays;
}

static double graph_nodes(const struct weir_report *report, size_t row)
{
	return (double)report->graphs[row].nodes;
}

static double graph_p50(const struct weir_report *report, size_t row)
{
	return report->graphs[row].span.p50_ns;
}

static double graph_p95(const struct weir_report *report, size_t row)
{
	return report->graphs[row].span.p95_ns;
}

static double graph_idle(const struct weir_report *report, size_t row)
{
	return report->graphs[row].idle.p50_ns / report->graphs[row].span.p50_ns;
}

static double graph_gap(const struct weir_report *report, size_t row)
{
	return report->graphs[row].gap_p50_ns;
}

static double graph_unrecorded(const struct weir_report *report, size_t row)
{
	double ns = report->graphs[row].unrecorded_ns;

	return ns > 0 ? ns : NAN;
}

static double graph_share(const struct weir_report *report, size_t row)
{
	return report->graphs[row].share;
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

/* The graph that row is of; makes of row the position in it. */
static const struct weir_graph_row *graph_of(const struct weir_report *report, size_t *row)
{
	const struct weir_graph_row *graph = report->graphs;

	while (*row >= graph->position_count)
		*row -= (graph++)->position_count;
	return graph;
}

static const struct weir_graph_position *position_of(const struct weir_report *report, size_t row)
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
	const struct weir_graph_position *position = position_of(report, row);

	if (position->op)
		weir_escape_name(out, position->kernel);
}

static double position_p50(const struct weir_report *report, size_t row)
{
	return position_of(report, row)->duration.p50_ns;
}

static double position_p95(const struct weir_report *report, size_t row)
{
	return position_of(report, row)->duration.p95_ns;
}

static double position_p99(const struct weir_report *report, size_t row)
{
	return position_of(report, row)->duration.p99_ns;
}

static double position_gap(const struct weir_report *report, size_t row)
{
	return position_of(report, row)->gap_ns;
}

static double position_share(const struct weir_report *report, size_t row)
{
	return position_of(report, row)->share;
}

static void position_limit(const struct weir_report *report, size_t row, struct weir_text *out)
{
	const struct weir_graph_position *position = position_of(report, row);

	weir_print_limit(position->roofline, position->efficiency, out);
}

/* clang-format off */
const struct weir_table weir_table_graphs = {
	.id = "graphs", .title = "graphs", .limited = true, .rows = graph_rows,
	.columns = {
		NAMED("graph", "graph", "the stage that replays it; a hash of its kernels where there are several", ALL, WEIR_CELL_NAME, graph_name),
		NUMBER("replays", "replays", NULL, ALL, COUNT, graph_replays),
		NUMBER("nodes", "nodes", "kernels, copies and fills of one replay", ALL, COUNT, graph_nodes),
		NUMBER("p50", "p50", "of a replay, from its first start to its last end", ALL, NS, graph_p50),
		SPARED("p95", "p95", "of a replay, from its first start to its last end", ALL, FIRST, NS, graph_p95),
		NUMBER("idle", "idle", "of a replay: nothing of it runs", ALL, SHARE, graph_idle),
		SPARED("gap", "gap p50", "between two of its kernels", ALL, LAST, NS, graph_gap),
		SPARED("unrecorded", "unrecorded", "in gaps that no device leaves by itself", ALL, WEIR_CELL_IF_ANY, NS,
		       graph_unrecorded),
		NAMED("matched", "operators", "positions whose operator is known, and how sure that is", ALL,
		      WEIR_CELL_IF_ANY, graph_matched),
		NUMBER("share", "share", "of the device's busy time", ALL, SHARE, graph_share),
		{ .id = NULL } }
};

const struct weir_table weir_table_positions = {
	.id = "positions", .title = "positions in graphs", .rows = position_rows, .holds = position_holds,
	.left_out = WEIR_IN_TEXT | WEIR_IN_MARKDOWN,
	.columns = {
		NAMED("position", "position", "those that hold 1 % of their graph's time", HTML, WEIR_CELL_NAME,
		      position_name),
		NAMED("kernel", "kernel", NULL, HTML, WEIR_CELL_BELOW, position_kernel),
		NUMBER("p50", "p50", NULL, HTML, NS, position_p50),
		NUMBER("p95", "p95", NULL, HTML, NS, position_p95),
		NUMBER("p99", "p99", NULL, HTML, NS, position_p99),
		NUMBER("gap", "gap", "idle before it, p50", HTML, NS, position_gap),
		NAMED("limit", "limit", "what its operator reaches of the nearer limit of the device", HTML,
		      WEIR_CELL_IF_ANY, position_limit),
		NUMBER("share", "share", "of the time of its graph", HTML, SHARE, position_share),
		{ .id = NULL } }
};
/* clang-format on */
