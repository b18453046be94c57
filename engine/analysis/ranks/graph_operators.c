/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/ranks/graph_operators.h"
#include "engine/analysis/roofline/traffic.h"
#include "engine/analysis/time/intervals.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"

static double row_ns(const struct weir_rank *rank, uint32_t row)
{
	const struct weir_device_columns *device = &rank->trace->device;

	return (double)weir_span_ns(device->start_ns[row], device->end_ns[row]);
}

size_t weir_graph_matched(const struct weir_rank *rank, const struct weir_graph_body *body)
{
	size_t matched = 0;

	for (size_t p = 0; rank->graph_ops && p < body->nodes; p++)
		matched += rank->graph_ops[body->first_position + p].op_row != WEIR_NONE;
	return matched;
}

enum weir_confidence weir_graph_confidence(const struct weir_rank *rank,
                                           const struct weir_graph_body *body)
{
	bool whole = weir_graph_matched(rank, body) == body->nodes;
	bool own = rank->graph_source == rank;

	if (whole && own)
		return WEIR_CONFIDENCE_HIGH;
	return whole || own ? WEIR_CONFIDENCE_MEDIUM : WEIR_CONFIDENCE_LOW;
}

/* Returns the mean duration of each position over the replays. */
static double *mean_durations(const struct weir_rank *rank)
{
	const struct weir_graphs *graphs = &rank->graphs;
	double *mean_ns = weir_alloc((graphs->position_count + 1) * sizeof *mean_ns);

	for (size_t r = 0; r < graphs->replay_count; r++) {
		const struct weir_graph_replay *replay = &graphs->replays[r];
		const struct weir_graph_body *body;

		if (replay->body == WEIR_NONE)
			continue;
		body = &graphs->bodies[replay->body];
		for (size_t p = 0; p < replay->nodes; p++)
			mean_ns[body->first_position + p] +=
				row_ns(rank, graphs->rows[replay->first + p]) /
				(double)body->replay_count;
	}
	return mean_ns;
}

/* The kernels of one operator in a graph: `count` consecutive positions from `first`, counted over
 * all bodies. */
struct run {
	size_t first, count;
	double here_ns, there_ns;
	uint32_t main_row; /* of its longest kernel */
};

/* Finds the operator at position p. Returns false if some of its kernels are missing, or if its
 * duration differs from that outside the graph. */
static bool take_run(const struct weir_rank *rank, const struct weir_graph_body *body, size_t p,
                     const double *mean_ns, struct run *run)
{
	const struct weir_graph_op *ops = rank->graph_ops + body->first_position;
	const struct weir_host_columns *host = &rank->graph_source->trace->host;
	double longest_ns = -1;

	*run = (struct run){.first = body->first_position + p, .count = ops[p].parts};
	if (!ops[p].shaped || ops[p].part != 0 || ops[p].parts == 0 || p + run->count > body->nodes)
		return false;
	for (size_t k = 0; k < run->count; k++) {
		const struct weir_graph_op *op = &ops[p + k];

		if (!op->shaped || op->part != k || op->parts != run->count ||
		    host->name[op->op_row] != host->name[ops[p].op_row] ||
		    host->shape[op->op_row] != host->shape[ops[p].op_row])
			return false;
		run->here_ns += mean_ns[run->first + k];
		run->there_ns += op->mean_ns;
		if (mean_ns[run->first + k] > longest_ns) {
			longest_ns = mean_ns[run->first + k];
			run->main_row = weir_graph_row(&rank->graphs, body, p + k);
		}
	}
	return run->here_ns > 0 && run->here_ns <= WEIR_SAME_WORK * run->there_ns &&
	       run->there_ns <= WEIR_SAME_WORK * run->here_ns;
}

static enum weir_model_confidence capped(enum weir_model_confidence confidence,
                                         enum weir_confidence match)
{
	enum weir_model_confidence most = match == WEIR_CONFIDENCE_HIGH     ? WEIR_MODEL_HIGH
	                                  : match == WEIR_CONFIDENCE_MEDIUM ? WEIR_MODEL_MEDIUM
	                                                                    : WEIR_MODEL_LOW;

	return confidence < most ? confidence : most;
}

/* Models the work of one operator, compares it with the roofline and splits it among its kernels.
 */
static void model_run(struct weir_rank *rank, const struct run *run, const double *mean_ns,
                      enum weir_confidence match)
{
	const struct weir_device_columns *device = &rank->trace->device;
	const struct weir_rank_device *on = &rank->devices[device->device[run->main_row]];
	struct weir_roofline_result roofline;
	struct weir_work work;
	struct weir_call call;

	if (!weir_call_of_op(rank->graph_source->trace, rank->graph_ops[run->first].op_row,
	                     weir_timeline_device_name(&rank->timeline, run->main_row), &call))
		return;
	work = weir_work_of_call(&call);
	if (work.confidence == WEIR_MODEL_NONE)
		return;
	work.confidence = capped(work.confidence, match);
	work.traffic_bytes = weir_traffic_bytes(
		&work,
		&(struct weir_launch_shape){
			.kernel = weir_timeline_device_name(&rank->timeline, run->main_row),
			.blocks = device->blocks[run->main_row],
			.threads = device->threads_per_block[run->main_row],
		},
		on->known ? &on->peaks : NULL);
	weir_roofline_judge(&work, run->here_ns, device->blocks[run->main_row],
	                    on->known ? &on->peaks : NULL, &roofline);
	for (size_t k = 0; k < run->count; k++) {
		struct weir_graph_work *out = &rank->graph_works[run->first + k];
		double part = mean_ns[run->first + k] / run->here_ns;

		out->roofline = roofline;
		if (roofline.roofline == WEIR_ROOFLINE_IMPLAUSIBLE)
			continue;
		out->work = work;
		out->work.flops *= part;
		out->work.bytes *= part;
		out->work.traffic_bytes *= part;
	}
}

static void model_body(struct weir_rank *rank, const struct weir_graph_body *body,
                       const double *mean_ns)
{
	enum weir_confidence match = weir_graph_confidence(rank, body);
	size_t matched = weir_graph_matched(rank, body);
	struct run run;

	for (size_t p = 0; matched > 0 && p < body->nodes;) {
		bool taken = take_run(rank, body, p, mean_ns, &run);

		if (taken)
			model_run(rank, &run, mean_ns, match);
		p += taken ? run.count : 1;
	}
}

/* ---- groups ---- */

struct sum {
	struct weir_work work; /* flops and bytes of all rows; other fields from the first row */
	uint64_t rows;
	bool mixed; /* several engines or data types, so that no single peak applies */
};

static void add_work(struct sum *sum, const struct weir_work *work)
{
	if (work->confidence == WEIR_MODEL_NONE)
		return;
	if (sum->rows++ == 0) {
		sum->work = *work;
		return;
	}
	sum->mixed =
		sum->mixed || sum->work.engine != work->engine || sum->work.dtype != work->dtype;
	sum->work.flops += work->flops;
	sum->work.bytes += work->bytes;
	sum->work.traffic_bytes += work->traffic_bytes;
	if (work->confidence < sum->work.confidence)
		sum->work.confidence = work->confidence;
}

/* Assesses groups of device work whose rows are all known. Copies and fills compute nothing and use
 * no engine. */
static void assess_groups(struct weir_rank *rank)
{
	const struct weir_graphs *graphs = &rank->graphs;
	struct sum *sums = weir_alloc((rank->groups.count + 1) * sizeof *sums);

	for (size_t r = 0; r < graphs->replay_count; r++) {
		const struct weir_graph_replay *replay = &graphs->replays[r];

		for (size_t p = 0; replay->body != WEIR_NONE && p < replay->nodes; p++) {
			size_t at = graphs->bodies[replay->body].first_position + p;
			uint32_t call = rank->groups.row_call[graphs->rows[replay->first + p]];

			add_work(&sums[rank->groups.calls[call].group],
			         &rank->graph_works[at].work);
		}
	}
	for (size_t g = 0; g < rank->groups.count; g++) {
		double calls = (double)rank->groups.items[g].calls;

		if (sums[g].rows == 0 || sums[g].rows != rank->groups.items[g].rows ||
		    sums[g].mixed || rank->assessments[g].work.confidence != WEIR_MODEL_NONE)
			continue;
		sums[g].work.flops /= calls;
		sums[g].work.bytes /= calls;
		sums[g].work.traffic_bytes /= calls;
		weir_rank_assess(rank, g, &sums[g].work);
	}
	free(sums);
}

/* ---- ranks ---- */

struct ranks {
	struct weir_rank *items;
	size_t count;
};

static bool find_operators(struct weir_rank *rank, const struct weir_rank *source)
{
	if (source->trace->host.count == 0 || source->trace->device.count == 0 ||
	    weir_graph_captures_find(&rank->timeline, &rank->graphs, &source->timeline,
	                             rank->graph_ops) == 0)
		return false;
	rank->graph_source = source;
	return true;
}

/* Reads what the other ranks derived from their traces, and writes only its own rank. */
static void take_rank(void *context, size_t index)
{
	const struct ranks *ranks = context;
	struct weir_rank *rank = &ranks->items[index];
	double *mean_ns;
	size_t tried = 0;
	bool found;

	if (rank->graphs.position_count == 0)
		return;
	rank->graph_ops = weir_alloc(rank->graphs.position_count * sizeof *rank->graph_ops);
	rank->graph_works = weir_alloc(rank->graphs.position_count * sizeof *rank->graph_works);
	found = find_operators(rank, rank);
	for (size_t s = 0; s < ranks->count && !found && tried < WEIR_CAPTURE_SOURCES; s++) {
		if (s == index)
			continue;
		tried++;
		found = find_operators(rank, &ranks->items[s]);
	}
	for (size_t i = 0; i < rank->graphs.position_count; i++)
		rank->graph_works[i] = (struct weir_graph_work){
			.work = {.flops = NAN, .bytes = NAN},
			.roofline = {.efficiency = NAN, .tflops = NAN, .gbps = NAN}};
	if (!found)
		return;
	mean_ns = mean_durations(rank);
	for (size_t b = 0; b < rank->graphs.body_count; b++)
		model_body(rank, &rank->graphs.bodies[b], mean_ns);
	free(mean_ns);
	assess_groups(rank);
}

void weir_graph_operators_take(struct weir_rank *ranks, size_t count)
{
	struct ranks context = {ranks, count};

	weir_pool_run(count, weir_pool_width(count), take_rank, &context);
}
