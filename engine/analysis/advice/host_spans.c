/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>
#include <stdlib.h>

#include "engine/analysis/advice/host_spans.h"
#include "engine/base/arena.h"

struct weir_host_span *weir_host_spans_new(const struct weir_program *program)
{
	const struct weir_host_columns *host = &program->rank->trace->host;
	struct weir_host_span *spans = weir_alloc((program->issue_count + 1) * sizeof *spans);
	int64_t at_ns = program->host_start_ns, end_ns = program->host_end_ns;

	if (program->step != WEIR_NONE)
		end_ns = program->rank->steps.steps[program->step].end_ns;
	for (size_t i = 0; i < program->issue_count; i++) {
		uint32_t call = program->issues[i].call;

		if (call != WEIR_NONE) {
			spans[i].before = (struct weir_interval){at_ns, host->start_ns[call]};
			spans[i].call =
				(struct weir_interval){host->start_ns[call], host->end_ns[call]};
			at_ns = host->end_ns[call] > at_ns ? host->end_ns[call] : at_ns;
		} else if (program->issues[i].kind == WEIR_ISSUE_OUTPUT) {
			spans[i].before = (struct weir_interval){at_ns, end_ns};
		} else if (program->issues[i].kind == WEIR_ISSUE_INPUT) {
			spans[i].before = (struct weir_interval){at_ns > end_ns ? at_ns : end_ns,
			                                         program->host_end_ns};
		}
	}
	return spans;
}

/* Removes ns of the host time before a call; returns what was removed. */
static double remove_before(struct weir_issue *issue, double ns)
{
	double work_ns = fmin(issue->work_ns, ns);
	double dispatch_ns = fmin(issue->dispatch_ns, ns - work_ns);

	issue->work_ns -= work_ns;
	issue->dispatch_ns -= dispatch_ns;
	if (work_ns > 0 && issue->work_ns < WEIR_HOST_WORK_NS) { /* see program.h */
		issue->dispatch_ns += issue->work_ns;
		issue->work_ns = 0;
	}
	return work_ns + dispatch_ns;
}

static double inside_ns(const struct weir_measure *measure, const struct weir_interval *span)
{
	return (double)weir_measure_inside(measure, span->start_ns, span->end_ns);
}

double weir_host_spans_remove(struct weir_draft *draft, const struct weir_intervals *set)
{
	struct weir_host_span *spans = weir_host_spans_new(&draft->program);
	struct weir_measure measure;
	double removed_ns = 0;

	weir_measure_init(&measure, set);
	for (uint32_t i = 0; i < draft->program.issue_count; i++) {
		struct weir_issue *issue = &draft->program.issues[i];
		double call_ns = fmin(inside_ns(&measure, &spans[i].call), issue->call_ns);
		double ns = remove_before(issue, inside_ns(&measure, &spans[i].before)) + call_ns;

		issue->call_ns -= call_ns;
		if (ns > 0)
			weir_draft_name_host(draft, i, ns);
		removed_ns += ns;
	}
	weir_measure_release(&measure);
	free(spans);
	return removed_ns;
}
