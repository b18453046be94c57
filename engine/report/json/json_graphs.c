/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "engine/report/json/json_graphs.h"

static void put_distribution(struct weir_jsonout *json, const char *key,
                             const struct weir_distribution *distribution)
{
	weir_jsonout_begin_object_inline(json, key);
	weir_jsonout_rounded(json, "p50", distribution->p50_ns);
	weir_jsonout_rounded(json, "p90", distribution->p90_ns);
	weir_jsonout_rounded(json, "p95", distribution->p95_ns);
	weir_jsonout_rounded(json, "p99", distribution->p99_ns);
	weir_jsonout_end(json);
}

static void put_size(struct weir_jsonout *json, const char *key, uint32_t size)
{
	if (size > 0)
		weir_jsonout_int(json, key, size);
	else
		weir_jsonout_null(json, key);
}

static void put_position(struct weir_jsonout *json, size_t index,
                         const struct weir_graph_position *position)
{
	weir_jsonout_begin_object_inline(json, NULL);
	weir_jsonout_int(json, "index", (int64_t)index);
	weir_jsonout_text(json, "kernel", position->kernel);
	weir_jsonout_text(json, "kind", position->kind);
	weir_jsonout_text(json, "operator", position->op);
	weir_jsonout_int(json, "stream", position->stream);
	put_size(json, "blocks", position->blocks);
	put_size(json, "threads_per_block", position->threads_per_block);
	weir_jsonout_rounded(json, "offset_ns", position->offset_ns);
	weir_jsonout_rounded(json, "gap_ns", position->gap_ns);
	weir_jsonout_rounded(json, "total_ns", position->duration.total_ns);
	weir_jsonout_rounded(json, "p50_ns", position->duration.p50_ns);
	weir_jsonout_rounded(json, "p90_ns", position->duration.p90_ns);
	weir_jsonout_rounded(json, "p95_ns", position->duration.p95_ns);
	weir_jsonout_rounded(json, "p99_ns", position->duration.p99_ns);
	weir_jsonout_share(json, "share", position->share);
	weir_jsonout_rounded(json, "flops", position->flops);
	weir_jsonout_rounded(json, "bytes", position->bytes);
	weir_jsonout_share(json, "tflops", position->tflops);
	weir_jsonout_share(json, "gbps", position->gbps);
	weir_jsonout_text(json, "roofline", weir_roofline_name(position->roofline));
	weir_jsonout_share(json, "efficiency", position->efficiency);
	weir_jsonout_end(json);
}

static void put_graph(struct weir_jsonout *json, const struct weir_graph_row *graph)
{
	weir_jsonout_begin_object(json, NULL);
	weir_jsonout_text(json, "signature", graph->signature);
	weir_jsonout_text(json, "stage", graph->stage);
	weir_jsonout_int(json, "replays", (int64_t)graph->replays);
	weir_jsonout_int(json, "nodes", (int64_t)graph->nodes);
	weir_jsonout_int(json, "streams", (int64_t)graph->streams);
	weir_jsonout_share(json, "share", graph->share);
	put_distribution(json, "span_ns", &graph->span);
	put_distribution(json, "busy_ns", &graph->busy);
	put_distribution(json, "idle_ns", &graph->idle);
	weir_jsonout_rounded(json, "gap_p50_ns", graph->gap_p50_ns);
	weir_jsonout_rounded(json, "unrecorded_ns", graph->unrecorded_ns);
	weir_jsonout_rounded(json, "widest_gap_before", graph->widest);
	weir_jsonout_int(json, "matched", (int64_t)graph->matched);
	weir_jsonout_text(json, "confidence",
	                  graph->matched ? weir_confidence_name(graph->confidence) : NULL);
	weir_jsonout_text(json, "source", graph->source);
	weir_jsonout_begin_array(json, "positions");
	for (size_t i = 0; i < graph->position_count; i++)
		put_position(json, i, &graph->positions[i]);
	weir_jsonout_end(json);
	weir_jsonout_end(json);
}

void weir_json_put_graphs(struct weir_jsonout *json, const struct weir_report *report)
{
	if (!report->graph_count)
		return;
	weir_jsonout_begin_array(json, "graphs");
	for (size_t i = 0; i < report->graph_count; i++)
		put_graph(json, &report->graphs[i]);
	weir_jsonout_end(json);
}
