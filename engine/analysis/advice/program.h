/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One typical step of one device as a program: the calls of the host in order, the host time before
 * each, and the device work that each call starts. A fix changes a copy of the program, and
 * replay.h times it again.
 *
 * The step is the analysed step with the median period, or host time if that is longer, on the
 * slowest rank; without steps it is the longest analysed window. It reaches from its first launch
 * to the first launch of the next step, so that repeating it gives the run. Device work is serial:
 * a job has only the time that it adds to the union of the work before it.
 * Waits at the end for which the device had finished are left out if the host works before them.
 *
 * Host time is divided in two, because a profiler lengthens only one of them. Each recorded event
 * costs the host a fixed time, so that code between events that follow each other closely is slower
 * under a profiler (`dispatch`), and a long stretch without events is not (`work`). Where a program
 * tells the profiler that a step ends, the profiler itself takes time, which no other run has. Nor
 * does another run have a stretch that is long in this step alone: see delays.h.
 */
#ifndef WEIR_ANALYSIS_ADVICE_PROGRAM_H
#define WEIR_ANALYSIS_ADVICE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/analysis/rank/rank.h"
#include "engine/analysis/whole/analysis.h"

/* A stretch of host time without events that is longer than this is work, not dispatch. Operators
 * of frameworks record an event every 1 to 20 us, the code between them up to every 100 us. */
#define WEIR_HOST_WORK_NS 200000
/* A program with more calls or jobs is not built: steps of serving loops are shorter. */
#define WEIR_MAX_PROGRAM_ROWS 2000000

/* A piece of device work. */
struct weir_job {
	uint32_t row;           /* device row of the trace */
	uint32_t op, outer;     /* host rows: innermost and outermost operator; WEIR_NONE: none */
	uint32_t group;         /* of the rank's groups; WEIR_NONE: none */
	uint32_t issue;         /* index of the call that started it */
	double ns;              /* device time that it adds */
	double low_ns, high_ns; /* range of `ns`; the same unless a fix changed it */
	double span_ns;         /* its whole duration, hidden parts included */
	double gap_ns;          /* idle time that the device itself leaves before it */
	int64_t busy_until_ns;  /* latest end of the rows before it; INT64_MIN: none */
	double latency_ns;      /* least time from the start of its call to its own start */
};

enum weir_issue_kind {
	WEIR_ISSUE_LAUNCH, /* starts jobs; the host goes on at once unless `until` is set */
	WEIR_ISSUE_WAIT,   /* the host waits for the job `until` */
	WEIR_ISSUE_ALLOC,  /* allocates or frees */
	WEIR_ISSUE_OUTPUT, /* no call: host time behind the last one, to the end of the step */
	WEIR_ISSUE_INPUT,  /* no call: host time of the next step before its first launch */
};

/* A call of the host. */
struct weir_issue {
	uint32_t call;      /* host row; WEIR_NONE: not recorded */
	uint32_t outer;     /* outermost operator around the call; WEIR_NONE: none */
	uint32_t op;        /* innermost */
	uint8_t kind;       /* enum weir_issue_kind */
	bool graph;         /* replays a graph */
	bool removed;       /* by a fix: the call and its jobs cost nothing */
	double dispatch_ns; /* host time before the call: see above */
	double work_ns;
	/* Time that no other run has: the profiler's own step() between two steps, and delays of a
	 * busy host. */
	double profiler_ns;
	double call_ns;    /* duration of the call without waiting */
	uint32_t work_row; /* host row around most of work_ns; WEIR_NONE: none */
	uint32_t until;    /* job that the host waits for; WEIR_NONE: none */
	double return_ns;  /* from the end of that job to the return of the call */
	uint32_t first_job, job_count;
};

struct weir_program {
	const struct weir_analysis *analysis; /* borrowed */
	const struct weir_rank *rank;         /* borrowed */
	uint16_t device;                      /* of the rank's trace */
	uint32_t step;                        /* WEIR_NONE: a window without steps */
	int64_t host_start_ns, host_end_ns;   /* on the host's clock */
	double measured_ns;                   /* period of the step in the trace */
	size_t turns;                         /* steps that the program stands for; 1: a window */
	bool has_host;                        /* launch calls are recorded: host time is known */
	/* Time that the host takes to dispatch over that of the fastest step like this one; 1: no
	 * other step is like it. */
	double slowdown;
	bool stacks; /* the profiler recorded Python's frames beside the operators */
	struct weir_issue *issues;
	size_t issue_count, issue_capacity;
	struct weir_job *jobs; /* in the order of their issues */
	size_t job_count, job_capacity;
};

/* Builds the program; returns false if no rank has device work in a step or a window. Release with
 * weir_program_release() in either case. */
bool weir_program_init(struct weir_program *program, const struct weir_analysis *analysis);
void weir_program_release(struct weir_program *program);

/* Copies calls and jobs, so that a fix can change them; release the copy as well. `to` is {0} or an
 * earlier copy, whose memory is used again. */
void weir_program_copy(const struct weir_program *from, struct weir_program *to);

#endif
