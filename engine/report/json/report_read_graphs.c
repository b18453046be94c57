/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The part of a stored weir.report/1 about graphs. */
#include <math.h>

#include "engine/report/json/report_read_impl.h"

static void read_quantiles(struct weir_result_reader *reader, const cJSON *item, const char *key,
                           uint64_t count, struct weir_distribution *out)
{
	const cJSON *object = weir_result_take_object(reader, item, key);

	*out = (struct weir_distribution){
		.count = count,
		.total_ns = NAN,
		.p50_ns = weir_report_take_figure(reader, object, "p50"),
		.p90_ns = weir_report_take_figure(reader, object, "p90"),
		.p95_ns = weir_report_take_figure(reader, object, "p95"),
		.p99_ns = weir_report_take_figure(reader, object, "p99"),
	};
}

/* null: unknown, 0. */
static uint32_t take_size(struct weir_result_reader *reader, const cJSON *item, const char *key)
{
	double size = weir_report_take_figure(reader, item, key);

	return size >= 1 && size <= UINT32_MAX ? (uint32_t)size : 0;
}

static void read_position(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	struct weir_graph_position *out = row;
	const char *roofline = weir_result_take_text(reader, item, "roofline");
	const struct weir_report_figure figures[] = {
		{"offset_ns", &out->offset_ns},
		{"gap_ns", &out->gap_ns},
		{"total_ns", &out->duration.total_ns},
		{"p50_ns", &out->duration.p50_ns},
		{"p90_ns", &out->duration.p90_ns},
		{"p95_ns", &out->duration.p95_ns},
		{"p99_ns", &out->duration.p99_ns},
		{"share", &out->share},
		{"flops", &out->flops},
		{"bytes", &out->bytes},
		{"tflops", &out->tflops},
		{"gbps", &out->gbps},
		{"efficiency", &out->efficiency},
	};

	out->kernel = weir_result_take_text(reader, item, "kernel");
	out->kind = weir_result_take_text(reader, item, "kind");
	out->op = weir_result_take_text(reader, item, "operator");
	out->stream = take_size(reader, item, "stream");
	out->blocks = take_size(reader, item, "blocks");
	out->threads_per_block = take_size(reader, item, "threads_per_block");
	weir_report_take_figures(reader, item, figures, sizeof figures / sizeof *figures);
	if (!out->kernel)
		weir_result_fail(reader, WEIR_E_FORMAT, "kernel", "a text");
	if (roofline && !weir_roofline_parse(roofline, &out->roofline))
		weir_result_fail(reader, WEIR_E_FORMAT, "roofline", "a roofline class");
}

static void read_graph(struct weir_result_reader *reader, const cJSON *item, void *row)
{
	static const struct weir_report_list list = {"positions", WEIR_MAX_GRAPH_POSITION_ROWS,
	                                             sizeof(struct weir_graph_position),
	                                             read_position};
	struct weir_graph_row *out = row;
	const char *confidence = weir_result_take_text(reader, item, "confidence");
	const struct weir_report_figure figures[] = {
		{"share", &out->share},
		{"gap_p50_ns", &out->gap_p50_ns},
		{"unrecorded_ns", &out->unrecorded_ns},
		{"widest_gap_before", &out->widest},
	};

	out->signature = weir_result_take_text(reader, item, "signature");
	out->stage = weir_result_take_text(reader, item, "stage");
	out->source = weir_result_take_text(reader, item, "source");
	out->replays = weir_result_take_count(reader, item, "replays");
	out->nodes = weir_result_take_count(reader, item, "nodes");
	out->streams = weir_result_take_count(reader, item, "streams");
	out->matched = weir_result_take_count(reader, item, "matched");
	weir_report_take_figures(reader, item, figures, sizeof figures / sizeof *figures);
	read_quantiles(reader, item, "span_ns", out->replays, &out->span);
	read_quantiles(reader, item, "busy_ns", out->replays, &out->busy);
	read_quantiles(reader, item, "idle_ns", out->replays, &out->idle);
	if (!out->signature)
		weir_result_fail(reader, WEIR_E_FORMAT, "signature", "a text");
	if (confidence && !weir_confidence_parse(confidence, &out->confidence))
		weir_result_fail(reader, WEIR_E_FORMAT, "confidence", "low, medium or high");
	out->positions = weir_report_take_list(reader, item, &list, &out->position_count);
	for (size_t i = 0; out->positions && i < out->position_count; i++)
		out->positions[i].duration.count = out->replays;
}

void weir_report_read_graphs(struct weir_result_reader *reader, const cJSON *document)
{
	static const struct weir_report_list list = {"graphs", WEIR_MAX_GRAPH_ROWS,
	                                             sizeof(struct weir_graph_row), read_graph};
	struct weir_report *report = reader->report;

	report->graphs = weir_report_take_list(reader, document, &list, &report->graph_count);
}
