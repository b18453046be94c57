/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <pthread.h>
#include <stdlib.h>

#include "engine/analysis/job.h"
#include "engine/analysis/ranks/graph_operators.h"
#include "engine/analysis/ranks/one_job.h"
#include "engine/base/arena.h"
#include "engine/base/pool.h"
#include "engine/base/regions.h"
#include "engine/part/part.h"

/* Stragglers that are chosen for the detail. */
#define MOST_STRAGGLERS 8

/* The work on one rank at a time, of several threads. */
struct job {
	struct weir_analysis *analysis;
	size_t *inputs;  /* per summary: the index of its input */
	size_t launcher; /* summary whose launches the report shows; SIZE_MAX: none */
	pthread_mutex_t lock;
	size_t failed; /* under the lock: the first summary whose trace is damaged */
	struct weir_error err;
};

/* ---- one rank ---- */

/* Chooses the first rank with work on a device for the launches in the report: ranks run the same
 * program. */
static void choose_launcher(struct job *job, size_t index)
{
	if (job->launcher == SIZE_MAX && !job->analysis->options.verdict_only)
		job->launcher = index;
}

static void init_rank(const struct job *job, const struct weir_trace *trace, size_t index,
                      struct weir_rank *rank)
{
	const struct weir_analysis *analysis = job->analysis;
	const struct weir_rank_options options = {
		.steady = analysis->options.steady,
		.launching = index == job->launcher,
		/* The critical path needs them, but leads through few ranks of a job. */
		.leaves = analysis->rank_count == 1 && !analysis->options.verdict_only,
		.device_name = analysis->options.device_name,
		.table = &analysis->table,
		.aliases = &analysis->options.settings->aliases,
	};
	struct weir_region region = weir_region_enter("rank", NULL);

	weir_rank_init(rank, trace, &options);
	if (rank->rank < 0)
		rank->rank = (int64_t)index;
	weir_region_leave(&region, "events", trace->host.count + trace->device.count);
}

/* Unpacks the trace of a summary; NULL if it is damaged. */
static struct weir_trace *unpack(struct job *job, size_t index)
{
	const struct weir_input *input = &job->analysis->profile->inputs[job->inputs[index]];
	struct weir_trace *trace = NULL;
	struct weir_error err;

	if (weir_input_unpack(input, &trace, &err) == WEIR_OK)
		return trace;
	pthread_mutex_lock(&job->lock);
	if (index < job->failed) {
		job->failed = index;
		job->err = err;
	}
	pthread_mutex_unlock(&job->lock);
	return NULL;
}

static void summarize_detailed(void *context, size_t index)
{
	struct job *job = context;
	struct weir_analysis *analysis = job->analysis;
	const struct weir_input *input = &analysis->profile->inputs[job->inputs[index]];

	init_rank(job, input->trace, index, &analysis->ranks[index]);
	weir_rank_summary_init(&analysis->summaries[index], &analysis->ranks[index],
	                       analysis->options.steady);
}

static void summarize_packed(void *context, size_t index)
{
	struct job *job = context;
	struct weir_trace *trace = unpack(job, index);
	struct weir_rank rank;

	if (!trace)
		return;
	init_rank(job, trace, index, &rank);
	weir_rank_summary_init(&job->analysis->summaries[index], &rank,
	                       job->analysis->options.steady);
	weir_rank_release(&rank);
	weir_trace_free(trace);
}

/* ---- attribution of a rank that is not analysed in detail ---- */

static void judge(struct job *job, struct weir_rank *rank)
{
	const struct weir_analysis_options *options = &job->analysis->options;

	if (!options->judge)
		return;
	pthread_mutex_lock(&job->lock);
	for (size_t g = 0; g < rank->groups.count; g++) {
		const struct weir_subject subject = {
			WEIR_SUBJECT_OPERATOR,
			weir_group_name(&rank->groups.items[g], rank->trace->names),
			rank->assessments[g].values,
		};

		options->judge(options->judge_context, &subject, &rank->assessments[g].verdict);
	}
	pthread_mutex_unlock(&job->lock);
}

static void attribute(void *context, size_t index)
{
	struct job *job = context;
	struct weir_analysis *analysis = job->analysis;
	struct weir_trace *trace;
	struct weir_rank rank;

	if (analysis->detailed[index] != WEIR_NONE || !(trace = unpack(job, index)))
		return;
	init_rank(job, trace, index, &rank);
	weir_meetings_rows(analysis->meetings, index, &analysis->summaries[index], &rank);
	weir_graph_operators_take(&rank, 1);
	judge(job, &rank);
	weir_rank_summary_attribute(&analysis->summaries[index], &rank, analysis->options.steady);
	weir_rank_release(&rank);
	weir_trace_free(trace);
}

/* ---- the detail ---- */

static void choose(struct weir_analysis *analysis, size_t index)
{
	if (analysis->detailed[index] != WEIR_NONE || analysis->rank_count >= WEIR_DETAILED_RANKS)
		return;
	analysis->detailed[index] = 0;
	analysis->rank_count++;
}

/* Chooses the first rank, the stragglers, and of the others every n-th, and numbers them in the
 * order of the inputs. */
static void choose_ranks(struct weir_analysis *analysis)
{
	size_t count = analysis->summary_count;
	uint32_t number = 0;

	choose(analysis, 0);
	for (size_t i = 0; i < analysis->worst.node_count && i < MOST_STRAGGLERS; i++)
		choose(analysis, analysis->worst.nodes[i].summary);
	for (size_t i = 0; i < analysis->worst.rank_count && i < MOST_STRAGGLERS; i++)
		if (analysis->rank_count <= MOST_STRAGGLERS)
			choose(analysis, analysis->worst.ranks[i].summary);
	for (size_t i = 1; i < WEIR_DETAILED_RANKS; i++)
		choose(analysis, i * count / WEIR_DETAILED_RANKS);
	for (size_t i = 0; i < count; i++)
		choose(analysis, i);
	for (size_t i = 0; i < count; i++)
		if (analysis->detailed[i] != WEIR_NONE)
			analysis->detailed[i] = number++;
}

/* Unpacks and analyses a chosen rank. */
static void detail(void *context, size_t index)
{
	struct job *job = context;
	struct weir_analysis *analysis = job->analysis;
	uint32_t at = analysis->detailed[index];
	struct weir_trace *trace;

	if (at == WEIR_NONE || !(trace = unpack(job, index)))
		return;
	analysis->own_traces[at] = trace;
	analysis->rank_inputs[at] = job->inputs[index];
	init_rank(job, trace, index, &analysis->ranks[at]);
}

static void init_detail(struct job *job)
{
	struct weir_analysis *analysis = job->analysis;
	size_t count = analysis->summary_count;

	choose_ranks(analysis);
	for (size_t i = 0; i < count; i++)
		if (analysis->detailed[i] != WEIR_NONE && analysis->summaries[i].device_rows > 0)
			choose_launcher(job, i);
	analysis->ranks = weir_alloc(WEIR_DETAILED_RANKS * sizeof *analysis->ranks);
	analysis->rank_inputs = weir_alloc(WEIR_DETAILED_RANKS * sizeof *analysis->rank_inputs);
	analysis->own_traces = weir_alloc(WEIR_DETAILED_RANKS * sizeof *analysis->own_traces);
	weir_pool_run(count, weir_pool_width(count), detail, job);
}

/* ---- the job ---- */

static void find_inputs(struct job *job)
{
	struct weir_analysis *analysis = job->analysis;
	const struct weir_profile *profile = analysis->profile;

	job->inputs = weir_alloc((profile->input_count + 1) * sizeof *job->inputs);
	for (size_t i = 0; i < profile->input_count; i++)
		if (weir_input_is_timeline(&profile->inputs[i]))
			job->inputs[analysis->summary_count++] = i;
	analysis->summaries =
		weir_alloc((analysis->summary_count + 1) * sizeof *analysis->summaries);
	analysis->detailed = weir_alloc((analysis->summary_count + 1) * sizeof *analysis->detailed);
}

/* Returns true if the traces are packed: weir_traces_settle() packs all or none. */
static bool is_packed(const struct job *job)
{
	return job->analysis->summary_count > 0 &&
	       job->analysis->profile->inputs[job->inputs[0]].packed_trace;
}

static void init_all(struct job *job)
{
	struct weir_analysis *analysis = job->analysis;
	size_t count = analysis->summary_count;

	analysis->rank_count = count;
	analysis->ranks = weir_alloc((count + 1) * sizeof *analysis->ranks);
	analysis->rank_inputs = weir_alloc((count + 1) * sizeof *analysis->rank_inputs);
	for (size_t i = 0; i < count; i++) {
		analysis->detailed[i] = (uint32_t)i;
		analysis->rank_inputs[i] = job->inputs[i];
		if (analysis->profile->inputs[job->inputs[i]].trace->device.count > 0)
			choose_launcher(job, i);
	}
	weir_pool_run(count, weir_pool_width(count), summarize_detailed, job);
}

/* Fills the waits of the detailed ranks. A straggler without detail counts as unknown. */
static void fill_waits(struct weir_analysis *analysis)
{
	for (size_t s = 0; s < analysis->summary_count; s++) {
		struct weir_rank *rank;

		if (analysis->detailed[s] == WEIR_NONE)
			continue;
		rank = &analysis->ranks[analysis->detailed[s]];
		weir_meetings_rows(analysis->meetings, s, &analysis->summaries[s], rank);
		for (size_t i = 0; rank->waits.last && i < rank->trace->device.count; i++)
			rank->waits.last[i].rank = analysis->detailed[rank->waits.last[i].rank];
	}
}

static enum weir_status fail_damaged(const struct job *job, struct weir_error *err)
{
	if (job->failed == SIZE_MAX)
		return WEIR_OK;
	if (err)
		*err = job->err;
	return job->err.status;
}

static enum weir_status init_packed(struct job *job, struct weir_error *err)
{
	struct weir_analysis *analysis = job->analysis;
	size_t count = analysis->summary_count, width = weir_pool_width(count);

	for (size_t i = 0; i < count; i++)
		analysis->detailed[i] = WEIR_NONE;
	weir_pool_run(count, width, summarize_packed, job);
	return fail_damaged(job, err);
}

enum weir_status weir_job_init(struct weir_analysis *analysis, struct weir_error *err)
{
	struct job job = {.analysis = analysis, .launcher = SIZE_MAX, .failed = SIZE_MAX};
	bool packed;
	enum weir_status status = WEIR_OK;

	pthread_mutex_init(&job.lock, NULL);
	find_inputs(&job);
	packed = is_packed(&job);
	if (packed)
		status = init_packed(&job, err);
	else
		init_all(&job);
	for (size_t i = 0; !status && i < analysis->summary_count; i++)
		analysis->summaries[i].node = analysis->profile->inputs[job.inputs[i]].node;
	if (!status) {
		analysis->meetings =
			weir_meetings_new(analysis->summaries, analysis->summary_count);
		status = weir_one_job_check(analysis->profile, analysis->summaries,
		                            analysis->summary_count, err);
	}
	if (!status) {
		weir_worst_find(&analysis->worst, analysis->meetings, analysis->summaries,
		                analysis->summary_count);
		weir_experts_find(&analysis->experts, analysis->meetings);
		if (packed)
			init_detail(&job);
		status = fail_damaged(&job, err);
	}
	if (!status) {
		size_t count = analysis->summary_count;

		fill_waits(analysis);
		weir_graph_operators_take(analysis->ranks, analysis->rank_count);
		if (packed)
			weir_pool_run(count, weir_pool_width(count), attribute, &job);
		status = fail_damaged(&job, err);
	}
	pthread_mutex_destroy(&job.lock);
	free(job.inputs);
	return status;
}

void weir_job_release(struct weir_analysis *analysis)
{
	for (size_t i = 0; analysis->ranks && i < analysis->rank_count; i++) {
		weir_rank_release(&analysis->ranks[i]);
		if (analysis->own_traces)
			weir_trace_free(analysis->own_traces[i]);
	}
	for (size_t i = 0; i < analysis->summary_count; i++)
		weir_rank_summary_release(&analysis->summaries[i]);
	weir_meetings_free(analysis->meetings);
	weir_worst_release(&analysis->worst);
	weir_experts_release(&analysis->experts);
	free(analysis->ranks);
	free(analysis->rank_inputs);
	free(analysis->own_traces);
	free(analysis->summaries);
	free(analysis->detailed);
}
