/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/advice/replay.h"
#include "engine/base/arena.h"

/* The period is the mean of the last TURNS - SETTLE repetitions: a program that waits settles after
 * one, a host that runs ahead after two. */
#define TURNS  5
#define SETTLE 2

/* The clocks of a replay, in ns since its start. */
struct state {
	double host_ns, device_ns;
	double *end_ns; /* per job */
};

static double length_of(const struct weir_job *job, enum weir_replay_end end)
{
	switch (end) {
	case WEIR_REPLAY_TYPICAL:
		return job->ns;
	case WEIR_REPLAY_LOW:
		return job->low_ns;
	case WEIR_REPLAY_HIGH:
		return job->high_ns;
	}
	return job->ns;
}

static void run_jobs(const struct weir_program *program, const struct weir_issue *issue,
                     double call_ns, enum weir_replay_end end, struct state *state)
{
	for (uint32_t j = issue->first_job; j < issue->first_job + issue->job_count; j++) {
		const struct weir_job *job = &program->jobs[j];

		state->device_ns = fmax(state->device_ns + job->gap_ns, call_ns + job->latency_ns) +
		                   length_of(job, end);
		state->end_ns[j] = state->device_ns;
	}
}

/* True for a launch call that a profiler lengthens; a cold load or a copy that blocks is work. */
static bool is_dispatch(const struct weir_issue *issue)
{
	return issue->kind == WEIR_ISSUE_LAUNCH && issue->call_ns < WEIR_HOST_WORK_NS;
}

static void run_issue(const struct weir_program *program, const struct weir_issue *issue,
                      struct weir_host_speed speed, enum weir_replay_end end, struct state *state)
{
	double call_ns;

	if (issue->removed)
		return;
	state->host_ns += issue->dispatch_ns * speed.dispatch + issue->work_ns * speed.work +
	                  issue->profiler_ns * speed.profiler;
	call_ns = state->host_ns;
	state->host_ns += issue->call_ns * (is_dispatch(issue) ? speed.dispatch : 1);
	run_jobs(program, issue, issue->call == WEIR_NONE ? 0 : call_ns, end, state);
	if (issue->until != WEIR_NONE)
		state->host_ns =
			fmax(state->host_ns, state->end_ns[issue->until] + issue->return_ns);
}

double weir_replay(const struct weir_program *program, struct weir_host_speed speed,
                   enum weir_replay_end end)
{
	struct state state = {.end_ns = weir_alloc((program->job_count + 1) * sizeof(double))};
	double settled_ns = 0;

	for (int turn = 0; turn < TURNS; turn++) {
		for (size_t i = 0; i < program->issue_count; i++)
			run_issue(program, &program->issues[i], speed, end, &state);
		if (turn == SETTLE - 1)
			settled_ns = fmax(state.host_ns, state.device_ns);
	}
	free(state.end_ns);
	return (fmax(state.host_ns, state.device_ns) - settled_ns) / (TURNS - SETTLE);
}

/* ---- without the profiler ---- */

#define ROUNDS 20 /* halvings: one part in a million */

/* Returns the factor in [low, 1] at which the program takes wanted_ns; `of_work`: the factor of the
 * host's work, else that of dispatch. */
static double solve(const struct weir_program *program, struct weir_host_speed speed, bool of_work,
                    double low, double wanted_ns)
{
	double high = 1;

	for (int round = 0; round < ROUNDS; round++) {
		double middle = (low + high) / 2;

		*(of_work ? &speed.work : &speed.dispatch) = middle;
		if (weir_replay(program, speed, WEIR_REPLAY_TYPICAL) > wanted_ns)
			high = middle;
		else
			low = middle;
	}
	return (low + high) / 2;
}

/* Less than this share of the period does not show how fast the host dispatches: two runs of one
 * program differ as much for other reasons. */
#define NO_EFFECT 0.1

struct weir_profiler_factors weir_profiler_factors_of(const struct weir_program *program)
{
	double slowdown = fmax(program->slowdown, 1);

	if (program->stacks)
		return (struct weir_profiler_factors){WEIR_STACKS_FACTOR * slowdown,
		                                      WEIR_STACKS_FACTOR_LOW * slowdown,
		                                      WEIR_STACKS_FACTOR_HIGH * slowdown};
	return (struct weir_profiler_factors){WEIR_PROFILER_FACTOR * slowdown,
	                                      WEIR_PROFILER_FACTOR_LOW * slowdown,
	                                      WEIR_PROFILER_FACTOR_HIGH * slowdown};
}

struct weir_host_speed weir_unprofiled_speed(const struct weir_program *program, double inflation)
{
	const struct weir_profiler_factors factors = weir_profiler_factors_of(program);
	const struct weir_host_speed usual = {1 / factors.typical, 1, 0};
	struct weir_host_speed speed = {1 / factors.high, 1, 0};
	double before_ns, wanted_ns, least_ns;

	if (!program->has_host)
		return (struct weir_host_speed){1, 1, 1};
	if (!(inflation > 0))
		return usual;
	before_ns = weir_replay(program, (struct weir_host_speed){1, 1, 1}, WEIR_REPLAY_TYPICAL);
	wanted_ns = before_ns / fmax(inflation, 1);
	least_ns = weir_replay(program, speed, WEIR_REPLAY_TYPICAL);
	if (before_ns - least_ns < NO_EFFECT * before_ns) {
		/* Nor do such runs differ by much more than that: then the work does. */
		speed = usual;
		if (wanted_ns < (1 - NO_EFFECT) * weir_replay(program, usual, WEIR_REPLAY_TYPICAL))
			speed.work = solve(program, usual, true, 0, wanted_ns);
		return speed;
	}
	if (least_ns <= wanted_ns) {
		speed.dispatch = solve(program, speed, false, 1 / factors.high, wanted_ns);
		return speed;
	}
	speed.work = solve(program, speed, true, 0, wanted_ns);
	return speed;
}
