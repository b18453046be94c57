/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One launch for the whole step: the device's work and its own gaps are what remains. */
#include "engine/analysis/advice/fixes.h"
#include "engine/analysis/path/retime.h"

/* With fewer calls a graph saves nothing. */
#define LEAST_LAUNCHES 8

/* A replayed graph took 0.86 to 1.07 of the predicted time in 7 captures with and without one: its
 * kernels find each other's results in the cache. In 11 others, of 188 to 1,224 nodes on an H100,
 * its kernels took 0.97 to 1.00 of their eager time and a gap 0.26 to 0.42 us. Unprofiled, a node
 * took 0.03 to 0.31 us beside its kernel where replays follow each other (median 0.11), and 0.3 to
 * 0.8 us where the host waits for each: the call that launches the graph takes so long for a node.
 * The gap that is counted lies between. */
#define REPLAY_LOW  0.85
#define REPLAY_HIGH 1.10

static bool is_launch(const struct weir_issue *issue)
{
	return issue->kind == WEIR_ISSUE_LAUNCH && issue->call != WEIR_NONE && !issue->graph &&
	       issue->job_count > 0;
}

bool weir_fix_cuda_graph(struct weir_draft *draft)
{
	struct weir_program *program = &draft->program;
	double gap_ns = weir_replay_gap_ns(program->rank);
	size_t launches = 0;
	bool first = true;

	for (size_t i = 0; i < program->issue_count; i++)
		launches += is_launch(&program->issues[i]);
	if (launches < LEAST_LAUNCHES)
		return false;
	for (uint32_t i = 0; i < program->issue_count; i++) {
		struct weir_issue *issue = &program->issues[i];

		if (!is_launch(issue))
			continue;
		if (!first)
			weir_draft_set_dispatch(draft, i, 0);
		issue->call_ns = first ? issue->call_ns : 0;
		for (uint32_t j = issue->first_job; j < issue->first_job + issue->job_count; j++) {
			struct weir_job *job = &program->jobs[j];

			weir_draft_set_job(draft, j, job->ns, REPLAY_LOW * job->low_ns,
			                   REPLAY_HIGH * job->high_ns);
			if (!first)
				job->latency_ns = 0;
			job->gap_ns = job->ns > 0 ? gap_ns : 0; /* 0: joined to another */
		}
		first = false;
	}
	weir_draft_basis(draft,
	                 "the step's %zu kernels and copies with %.1f us between them, as replayed "
	                 "graphs leave",
	                 program->job_count, gap_ns / 1e3);
	return true;
}

/* Compilers join chains of pointwise operators and replay the step as a graph. */
bool weir_fix_compile(struct weir_draft *draft)
{
	size_t jobs = 0;
	double ns = 0;
	bool joined = weir_join_pointwise(draft, true);

	if (!weir_fix_cuda_graph(draft))
		return false;
	for (size_t j = 0; j < draft->program.job_count; j++) {
		jobs += draft->program.jobs[j].ns > 0;
		ns += draft->program.jobs[j].ns;
	}
	if (joined)
		weir_draft_basis(draft,
		                 "%zu kernels and copies of %.0f us instead of %zu, as chains of "
		                 "pointwise ones are joined, replayed as a graph",
		                 jobs, ns / 1e3, draft->program.job_count);
	return true;
}
